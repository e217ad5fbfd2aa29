"""MiniWorld as a source of training data, with its benchmark files beside it."""

import json
import logging
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from PIL import Image

from halluc.builders.pairs import build_pairs
from halluc.data.records import AnswerKind, Preference, Sample
from halluc.data.row_files import sample_row, write_lines, write_text
from halluc.errors import ConfigError, UnknownOptionError
from halluc.miniworld.files.evaluation_files import BENCHMARKS, write_evaluation
from halluc.miniworld.files.training_set import TrainingSet, build_training_set
from halluc.miniworld.levels import find_level
from halluc.miniworld.scenes.contact_sheet import contact_sheet
from halluc.miniworld.scenes.gallery import Gallery

logger = logging.getLogger(__name__)

MANIFEST = "miniworld.json"
LAYOUT = 3
"""Number of the layout and of all rules of drawing and asking; a folder of another number is written anew."""

OPTIONAL_MODES = ("sec", "icc", "ccs")
TRAINING_DRAWINGS = 500_000
SHEET, SHEET_IMAGES = "contact_sheet.png", 30


class MiniWorld:
    """Draw scenes, write their pictures, benchmark files and training rows, and offer the rows.

    Written below ``root``: ``train/rows.jsonl`` (readable by ``JsonlSource``), ``pope/``, ``phd/``,
    ``vlm2/``, ``longhalqa/`` and ``vstar/`` in the published formats, ``own/`` with multiple choice,
    ``chair/`` with pictures to be described, and a ``contact_sheet.png`` of each. Everything follows from
    level and seed. Training scenes hold no held-out kind-colour-position combination while every
    evaluation scene does.

    Args:
        root: Folder for everything.
        level: ``normal`` or ``hard``.
        seed: Of scenes, drawings and questions, 0 to 9999.
        images: Number of training pictures; None takes the level's.
        sequences: Number of training sequences of two pictures; None takes the level's.
        leave_out: Modes of PhD that training shows no rows of, of ``sec``, ``icc`` and ``ccs``; tells how
            far a cure carries over.

    Raises:
        UnknownOptionError: If there is no such level or mode.
        ConfigError: If the seed is out of range.
    """

    def __init__(
        self,
        root: str | Path,
        level: str = "normal",
        *,
        seed: int = 0,
        images: int | None = None,
        sequences: int | None = None,
        leave_out: Sequence[str] = (),
    ) -> None:
        if not 0 <= seed < 10_000:
            raise ConfigError(f"data.seed is {seed}. Choose a seed of MiniWorld from 0 to 9999.")
        self._root = Path(root)
        self._seed = seed
        found = find_level(level)
        for mode in leave_out:
            if mode not in OPTIONAL_MODES:
                raise UnknownOptionError("data.leave_out", mode, OPTIONAL_MODES)
        self._level = replace(
            found,
            leave_out=tuple(leave_out),
            training_images=found.training_images if images is None else images,
            training_sequences=found.training_sequences if sequences is None else sequences,
        )
        self._manifest = {"layout": LAYOUT, "level": level, "seed": seed} | {
            "images": self._level.training_images,
            "sequences": self._level.training_sequences,
            "leave_out": list(leave_out),
        }

    def prepare(self) -> None:
        """Write everything; a second call with the same level and seed changes nothing.

        Raises:
            ConfigError: If the folder holds something else.
        """
        path = self._root / MANIFEST
        if path.is_file() and json.loads(path.read_text()) == self._manifest:
            return
        self._clear(path)
        scenes = write_evaluation(self._level, self._root, self._seed)
        gallery = Gallery(self._training_root / "images", TRAINING_DRAWINGS + self._seed)
        for name, scene in self._training.scenes.items():
            gallery.add(name, scene)
        rows = [sample_row(sample, self._training_root) for sample in self._training.samples]
        write_lines(self._training_root / "rows.jsonl", rows)
        for name in ("train", *scenes):
            self._write_sheet(self._root / name)
        logger.info("MiniWorld written to %s: %s", self._root, self._counts(scenes))
        write_text(path, json.dumps(self._manifest) + "\n")

    def samples(self) -> list[Sample]:
        """Return the training samples, picture by picture; the pictures come from ``prepare``."""
        return list(self._training.samples)

    def preferences(self) -> list[Preference]:
        """Return each sample of a closed answer space with a wrong answer of the same form."""
        closed = [sample for sample in self.samples() if sample.question.space.kind is not AnswerKind.TEXT]
        preferences, problems = build_pairs(closed, self._seed)
        if problems:
            logger.warning("%d samples have no wrong answer:\n  %s", len(problems), "\n  ".join(problems))
        return preferences

    @property
    def _training_root(self) -> Path:
        return self._root / "train"

    @cached_property
    def _training(self) -> TrainingSet:
        return build_training_set(self._level, self._training_root.resolve() / "images", self._seed)

    def _clear(self, manifest: Path) -> None:
        """Remove what an earlier call wrote; refuse a folder that is not MiniWorld's."""
        if not self._root.is_dir() or not any(self._root.iterdir()):
            return
        if not manifest.is_file() and (self._root / "train").is_dir():
            logger.info("%s is incomplete and written anew", self._root)
        elif not manifest.is_file():
            raise ConfigError(f"{self._root} holds files that are not MiniWorld's. Name another data.root.")
        for name in ("train", *BENCHMARKS):
            shutil.rmtree(self._root / name, ignore_errors=True)

    def _counts(self, scenes: Mapping[str, Any]) -> str:
        counts = {
            "training samples": len(self._training.samples),
            "training pictures": len(self._training.scenes),
        }
        counts |= {f"{name} pictures": len(shown) for name, shown in scenes.items()}
        return ", ".join(f"{number} {name}" for name, number in counts.items())

    def _write_sheet(self, folder: Path) -> None:
        paths = sorted(p for p in folder.rglob("*") if p.suffix in (".png", ".jpg") and p.name != SHEET)
        apart = 2 * max(1, len(paths) // SHEET_IMAGES)
        chosen = [path for i in range(0, len(paths), apart) for path in paths[i : i + 2]]
        images = [Image.open(path).convert("RGB") for path in chosen[:SHEET_IMAGES]]
        contact_sheet(images).save(folder / SHEET)
