"""A run that was interrupted and resumed ends with the very weights of one that was not."""

import json
import signal
import subprocess
import time

import pytest
import torch
from safetensors.torch import load_file

from halluc.tracking.csv_log import read_rows

pytestmark = pytest.mark.slow

# Dropout is on, so that the random numbers have to be right too; a checkpoint every step for kill -9.
SETTINGS = (
    "trainer.max_epochs=3",
    "adapter.lora_dropout=0.1",
    "checkpoint_every_n_steps=2",
    "trainer.accumulate_grad_batches=2",
)


def interrupt(program, overrides, cwd, number, after_step):
    """Start a run, send it a signal once its checkpoint has reached a step, and wait for its end."""
    run_dir = cwd / "run"
    process = subprocess.Popen(
        program.command(*overrides, f"hydra.run.dir={run_dir}"),
        cwd=cwd,
        env=program.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    checkpoint = run_dir / "checkpoints" / "last.ckpt"
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and process.poll() is None:
        if checkpoint.exists() and torch.load(checkpoint, weights_only=True)["global_step"] >= after_step:
            break
        time.sleep(0.05)
    process.send_signal(number)
    printed, _ = process.communicate(timeout=120)
    return run_dir, process.returncode, printed


@pytest.fixture(scope="module")
def uninterrupted(program, tmp_path_factory):
    runs = {}

    def run(method, *further):
        if (method, *further) not in runs:
            cwd = tmp_path_factory.mktemp(f"whole_{method}")
            program(f"method={method}", *SETTINGS, *further, f"hydra.run.dir={cwd}/run", cwd=cwd)
            runs[method, *further] = cwd / "run"
        return runs[method, *further]

    return run


@pytest.mark.parametrize(
    ("method", "further", "number", "status"),
    [
        ("dpo", (), signal.SIGKILL, -9),
        ("dpo", (), signal.SIGINT, 130),
        ("sft", (), signal.SIGTERM, 130),
        ("sft", ("trainer=ddp", "trainer.devices=2"), signal.SIGTERM, 130),
    ],
)
def test_resumed_weights_are_bit_equal(program, uninterrupted, tmp_path, method, further, number, status):
    whole = uninterrupted(method, *further)
    overrides = [f"method={method}", *SETTINGS, *further]
    run_dir, returned, printed = interrupt(program, overrides, tmp_path, number, 2)
    assert returned == status, printed
    assert not (run_dir / "adapter_last").exists() or number == signal.SIGKILL
    program(f"resume={run_dir}", cwd=tmp_path, bare=True)
    expected = load_file(whole / "adapter_last" / "adapter_model.safetensors")
    found = load_file(run_dir / "adapter_last" / "adapter_model.safetensors")
    assert expected.keys() == found.keys()
    for name, tensor in expected.items():
        assert torch.equal(tensor, found[name]), name
    assert read_rows(whole) == read_rows(run_dir)
    results = [json.loads((folder / "results.json").read_text()) for folder in (whole, run_dir)]
    assert results[0] == results[1]


def test_the_command_may_be_repeated_and_a_finished_run_trains_no_further(program, uninterrupted, tmp_path):
    whole = uninterrupted("dpo")
    before = read_rows(whole)
    program("method=dpo", *SETTINGS, f"resume={whole}", cwd=tmp_path)
    assert read_rows(whole) == before


def test_a_folder_without_a_run_is_refused(program, tmp_path):
    (tmp_path / "empty").mkdir()
    assert "config.yaml not found" in program(f"resume={tmp_path}/empty", cwd=tmp_path, status=1)


def test_a_group_cannot_change_while_resuming(program, uninterrupted, tmp_path):
    whole = uninterrupted("dpo")
    printed = program(f"resume={whole}", "method=sft", cwd=tmp_path, status=1)
    assert "can't be changed while resuming" in printed


def test_a_new_run_does_not_write_into_the_directory_of_another(program, uninterrupted, tmp_path):
    whole = uninterrupted("dpo")
    before = (whole / "config.yaml").read_bytes()
    printed = program("method=sft", f"hydra.run.dir={whole}", cwd=tmp_path, status=1)
    assert "holds the results of another run" in printed
    assert f"resume={whole}" in printed.replace("\n", "")
    assert (whole / "config.yaml").read_bytes() == before
