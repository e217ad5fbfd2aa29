"""A sweep gives every job its own directory, its own W&B run, and a ranked table at the end."""

import json
import re

import pytest

pytestmark = pytest.mark.slow


def told(records):
    """Collect what an offline W&B run holds: its identity, its configuration and its last values."""
    found = {"last": {}, "config": {}, "finished": False}
    for record in records:
        kind = record.WhichOneof("record_type")
        if kind == "run":
            found["id"], found["group"] = record.run.run_id, record.run.run_group
            for item in record.run.config.update:
                found["config"][item.key or ".".join(item.nested_key)] = json.loads(item.value_json)
        elif kind == "config":
            for item in record.config.update:
                found["config"][item.key or ".".join(item.nested_key)] = json.loads(item.value_json)
        elif kind == "history":
            for item in record.history.item:
                found["last"][item.key or ".".join(item.nested_key)] = json.loads(item.value_json)
        elif kind == "exit":
            found["finished"] = True
    return found


def test_three_jobs_are_three_runs(program, wandb_records, tmp_path):
    sweep = tmp_path / "sweep"
    printed = program(
        "logger=wandb",
        "trainer.max_epochs=1",
        "adapter.r=2,4,8",
        f"hydra.sweep.dir={sweep}",
        "-m",
        cwd=tmp_path,
    )
    ids = set()
    for number, rank in enumerate((2, 4, 8)):
        job = sweep / str(number)
        results = json.loads((job / "results.json").read_text())
        assert json.loads((job / "adapter" / "adapter_config.json").read_text())["r"] == rank
        (folder,) = (job / "wandb").glob("offline-run-*")
        run = told(wandb_records(folder))
        ids.add(run["id"])
        assert run["group"] == "sweep"
        assert run["config"]["config"]["adapter"]["r"] == rank
        assert f"adapter.r={rank}" in run["config"]["provenance"]["overrides"]
        assert run["last"]["select/score"] == pytest.approx(results["final"]["select/score"])
        assert run["last"]["flips._type"] == "table-file"
        assert run["finished"]
    assert len(ids) == 3
    table = printed[printed.rindex("Sweep") :]
    assert sorted(re.findall(r"adapter\.r=(\d)", table)) == ["2", "4", "8"]


def test_every_job_of_a_sweep_starts_its_own_two_ranks(program, tmp_path):
    sweep = tmp_path / "sweep"
    program(
        "trainer=ddp", "trainer.devices=2", "trainer.max_epochs=1", "adapter.r=2,4",
        f"hydra.sweep.dir={sweep}", "-m", cwd=tmp_path,
    )  # fmt: skip
    assert sorted(path.name for path in sweep.iterdir() if path.is_dir()) == ["0", "1"]
    for number, rank in ((0, 2), (1, 4)):
        config = json.loads((sweep / str(number) / "adapter" / "adapter_config.json").read_text())
        assert config["r"] == rank
    assert not (tmp_path / "runs").exists()
