"""Tiny checkpoints and drawn pictures for all tests; nothing is downloaded."""

import os
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import numpy as np
import pytest
import torch
from PIL import Image

from halluc.data.records import AnswerSpace, Question
from halluc.models.load import load_lvlm
from halluc.models.lvlm import Lvlm
from halluc.models.tiny.build import build_tiny

torch.set_num_threads(1)  # the models are tiny; more threads only get into each other's way


@pytest.fixture(scope="session")
def tiny_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function from a family's name to its tiny checkpoint, each built once in this process."""
    root = tmp_path_factory.mktemp("tiny")

    def checkpoint(family: str) -> Path:
        folder = root / family
        if not folder.exists():
            build_tiny(family, folder)
        return folder

    return checkpoint


@pytest.fixture
def tiny_lvlm(tiny_checkpoint: Callable[[str], Path]) -> Callable[..., Lvlm]:
    """Return a function that loads a fresh tiny model in float32 with a small picture bound."""

    def load(family: str = "qwen2_vl", **arguments) -> Lvlm:
        arguments = {"dtype": "float32", "max_pixels": 112 * 112, **arguments}
        return load_lvlm(str(tiny_checkpoint(family)), **arguments)

    return load


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """Draw three noise pictures of different shapes: upright, wide and square."""
    folder = tmp_path_factory.mktemp("pictures")
    random = np.random.default_rng(0)
    paths = []
    for number, (height, width) in enumerate([(90, 60), (60, 150), (112, 112)]):
        path = folder / f"{number}.png"
        Image.fromarray(random.integers(0, 256, (height, width, 3), dtype=np.uint8)).save(path)
        paths.append(str(path))
    return tuple(paths)


@pytest.fixture(scope="session")
def ask() -> Callable[..., Question]:
    """Return a function that makes a question, by default one to be answered with yes or no."""

    def make(prompt: str, *images: str, **fields) -> Question:
        fields = {"id": prompt, "space": AnswerSpace.yes_no(), **fields}
        return Question(prompt=prompt, images=images, **fields)

    return make
