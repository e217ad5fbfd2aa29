"""A sweep gives every job its own directory, its own W&B run, and a ranked table at the end."""

import json
import re

import pytest
from wandb_offline import summary

pytestmark = pytest.mark.slow


def test_three_jobs_are_three_runs(program, tmp_path):
    printed = program(
        "-m", "logger=wandb", "trainer.max_epochs=1", "adapter.r=2,4,8", "hydra.sweep.dir=sweep", cwd=tmp_path
    )
    jobs = [tmp_path / "sweep" / str(number) for number in range(3)]
    ids = set()
    for job, rank in zip(jobs, (2, 4, 8), strict=True):
        results = json.loads((job / "results.json").read_text())
        config = json.loads((job / "adapter" / "adapter_config.json").read_text())
        assert config["r"] == rank
        (run,) = (job / "wandb").glob("offline-run-*")
        (record,) = run.glob("*.wandb")
        told = summary(record)
        ids.add(told["id"])
        assert told["group"] == "sweep"
        assert f"adapter.r={rank}" in told["overrides"]
        assert told["last"]["select/score"] == pytest.approx(results["final"]["select/score"])
        assert told["finished"]
    assert len(ids) == 3
    table = printed[printed.rindex("Sweep") :]
    assert sorted(re.findall(r"adapter\.r=(\d)", table)) == ["2", "4", "8"]


def test_every_job_of_a_sweep_starts_its_own_two_ranks(program, tmp_path):
    program(
        "-m", "trainer=ddp", "trainer.devices=2", "trainer.max_epochs=1", "adapter.r=2,4",
        "hydra.sweep.dir=sweep", cwd=tmp_path,
    )  # fmt: skip
    assert sorted(path.name for path in (tmp_path / "sweep").iterdir() if path.is_dir()) == ["0", "1"]
    for number, rank in ((0, 2), (1, 4)):
        job = tmp_path / "sweep" / str(number)
        assert json.loads((job / "adapter" / "adapter_config.json").read_text())["r"] == rank
    assert not (tmp_path / "runs").exists()
