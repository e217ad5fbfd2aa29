import json
from dataclasses import replace

import pytest
import typer
from typer.testing import CliRunner

from halluc.cli.build_miniworld import build_miniworld
from halluc.cli.pretrain import HEADLINES, pretrain
from halluc.miniworld.levels import find_level
from halluc.miniworld.pretrained import RECORD_FILE
from halluc.miniworld.source import MiniWorld

SIZES = {
    "pope_images": 6,
    "phd_images": 4,
    "unusual_images": 1,
    "sequences": 3,
    "choice_images": 3,
    "training_images": 4,
    "training_sequences": 2,
}


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr("halluc.miniworld.source.find_level", lambda name: replace(find_level(name), **SIZES))
    monkeypatch.setattr("halluc.miniworld.scenes.gallery.SPRITE_VARIANTS", 1)
    monkeypatch.setattr("halluc.miniworld.pretraining.run.SPRITE_VARIANTS", 1)
    monkeypatch.setattr("halluc.miniworld.pretraining.run.VALIDATION_PICTURES", 2)


def run(command, *arguments):
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)


@pytest.mark.slow
def test_pretrain_leaves_a_checkpoint_and_a_record_of_it(tmp_path):
    out = tmp_path / "checkpoint"
    result = run(pretrain, out, "--vision-steps", 1, "--steps", 1, "--rows", 1, "--seed", 3)
    assert result.exit_code == 0
    assert all(name in result.output for name in ("phd/index", "vlm2/gated_mean"))
    record = json.loads((out / RECORD_FILE).read_text())
    assert record["command"] == (
        "python -m halluc pretrain checkpoint --seed 3 --vision-steps 1 --steps 1 --rows 1 --threads 2"
    )
    assert record["plan"]["seed"] == 3
    assert set(HEADLINES) <= record["scores"]["hard"].keys()
    assert {"torch", "transformers", "halluc"} <= record["versions"].keys()
    assert (out / "model.safetensors").is_file()


def test_build_miniworld_says_where_to_look(tmp_path):
    result = run(build_miniworld, tmp_path / "world", "--seed", 5)
    assert result.exit_code == 0
    assert "pope: 6 pictures" in result.output
    assert (tmp_path / "world/pope/contact_sheet.png").is_file()
    before = (tmp_path / "world/train/rows.jsonl").read_bytes()
    MiniWorld(tmp_path / "world", seed=5).prepare()
    assert (tmp_path / "world/train/rows.jsonl").read_bytes() == before
