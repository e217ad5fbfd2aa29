"""The main job: one command trains, measures all three scores every epoch, and leaves its files."""

import csv
import json
import os

import peft
import pytest
from transformers import AutoModelForImageTextToText

from halluc.report.results import read_predictions

pytestmark = [
    pytest.mark.slow,
    # PEFT 0.21 asks for the attribute by the name that transformers 5.24 deprecates:
    # https://github.com/huggingface/peft/blob/main/src/peft/peft_model.py
    pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing.:FutureWarning"),
]

HEADLINES = ("val/pope/accuracy", "val/phd/index", "val/vlm2/gated_mean", "select/score")


def logged(run_dir):
    with (run_dir / "metrics.csv").open() as lines:
        return list(csv.DictReader(lines))


GIT = """#!/bin/sh
echo "$@" >> "${0%/*}/asked.txt"
echo 0123abcd
"""


@pytest.fixture(scope="module")
def git(tmp_path_factory):
    """Put a git first on the path that notes what it is asked; returns where."""
    folder = tmp_path_factory.mktemp("git")
    (folder / "git").write_text(GIT)
    (folder / "git").chmod(0o755)
    return folder / "asked.txt"


@pytest.fixture(scope="module", params=["dpo", "sft"])
def finished(request, program, git, tmp_path_factory):
    cwd = tmp_path_factory.mktemp(request.param)
    git.unlink(missing_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{git.parent}{os.pathsep}{os.environ['PATH']}")
        printed = program(f"method={request.param}", "trainer.max_epochs=2", cwd=cwd)
    (run_dir,) = (cwd / "runs").iterdir()
    return request.param, run_dir, printed


def test_every_score_is_measured_before_and_after_every_epoch(finished):
    _, run_dir, _ = finished
    for key in HEADLINES:
        assert len([row for row in logged(run_dir) if row.get(key)]) == 3, key  # baseline, two epochs


def test_results_hold_baseline_final_best_and_full(finished):
    _, run_dir, _ = finished
    results = json.loads((run_dir / "results.json").read_text())
    assert (
        results["about"]["max_pixels"]
        == json.loads((run_dir / "adapter/halluc.json").read_text())["max_pixels"]
    )
    assert results["about"]["benchmarks"]["pope"]["profile"] == "strict"
    for part in ("baseline", "final", "best"):
        assert set(HEADLINES) <= results[part].keys(), part
    assert results["best"]["select/score"] >= results["final"]["select/score"]
    selected = [v for k, v in results["best"].items() if k.startswith("select/") and k != "select/score"]
    assert results["best"]["select/score"] == pytest.approx(sum(selected) / len(selected))
    assert {"val/pope/accuracy", "text/pope/accuracy"} <= results["full"].keys()


def test_full_takes_over_what_the_best_epoch_was_asked(finished):
    _, run_dir, _ = finished
    best = json.loads((run_dir / "results.json").read_text())["best"]["epoch"]
    for name in ("pope", "phd", "vlm2"):
        full, epoch = (
            {
                row["id"]: row["response"]
                for row in read_predictions(run_dir / "predictions" / f"{when}/{name}.jsonl")
            }
            for when in ("full", f"epoch_{best}")
        )
        assert full == epoch


def test_git_is_asked_for_the_commit_once(finished, git):
    _, run_dir, _ = finished
    assert len(git.read_text().splitlines()) == 1
    assert json.loads((run_dir / "results.json").read_text())["about"]["commit"] == "0123abcd"


def test_predictions_are_kept_for_every_question(finished):
    _, run_dir, _ = finished
    for when in ("baseline", "epoch_1", "epoch_2", "full", "full_text"):
        for name in ("pope", "phd", "vlm2"):
            rows = read_predictions(run_dir / "predictions" / when / f"{name}.jsonl")
            assert rows
            assert len({row["id"] for row in rows}) == len(rows)
            assert all(row["response"] is not None for row in rows)


def test_the_adapters_load_with_plain_peft_onto_the_decoder(finished, tiny_checkpoint):
    _, run_dir, _ = finished
    for folder in ("adapter", "adapter_last"):
        base = AutoModelForImageTextToText.from_pretrained(tiny_checkpoint("qwen2_vl"))
        model = peft.PeftModel.from_pretrained(base, run_dir / folder)
        names = [n for n, p in model.named_parameters() if "lora_B" in n and p.abs().max() > 0]
        assert names
        assert not [n for n in names if "visual" in n]


def test_the_screen_tells_the_story(finished):
    method, run_dir, printed = finished
    assert "Before and after" in printed
    assert "adapter on 14 modules" in printed
    assert "no training picture occurs in the evaluation" in printed
    assert run_dir.name in printed
    assert "Traceback" not in printed
    assert (run_dir / "config.yaml").exists()
    assert (run_dir / "checkpoints" / "last.ckpt").exists()
    first = next(row for row in logged(run_dir) if row.get("train/loss"))
    if method == "dpo":
        assert float(first["train/loss"]) == pytest.approx(0.693147, abs=1e-5)
        assert float(first["train/rewards/margins"]) == 0.0


def test_an_evaluation_every_second_epoch_still_measures_the_last(program, tmp_path):
    program(
        "evaluation.every_n_epochs=2", "trainer.max_epochs=3", "evaluation.final_text=null",
        f"hydra.run.dir={tmp_path}/run", cwd=tmp_path,
    )  # fmt: skip
    assert json.loads((tmp_path / "run/results.json").read_text())["epochs"].keys() == {"2", "3"}


def test_closed_gates_keep_their_fine_questions_unasked_in_every_epoch(program, tmp_path):
    program(
        "benchmark.vlm2.closed_gates=skip", "trainer.max_epochs=1", "evaluation.final_text=null",
        f"hydra.run.dir={tmp_path}/run", cwd=tmp_path,
    )  # fmt: skip
    results = json.loads((tmp_path / "run/results.json").read_text())
    assert "val/vlm2/gated_mean" in results["best"]
    for when in ("baseline", "epoch_1", "full"):
        rows = read_predictions(tmp_path / "run/predictions" / when / "vlm2.jsonl")
        coarse = {row["tags"]["sequence"]: row["correct"] for row in rows if row["tags"]["part"] == "coarse"}
        fine = {row["tags"]["sequence"] for row in rows if row["tags"]["part"] == "fine"}
        assert fine == {sequence for sequence, is_open in coarse.items() if is_open}
    every_gate = results["full"]["val/vlm2/gate_open_rate"] == 1.0
    assert ("val/vlm2/fine_accuracy" in results["full"]) == every_gate


def test_one_batch_is_overfitted(program, tmp_path):
    program(
        "debug=overfit",
        "method=sft",
        "optimizer.lr=1e-2",
        "trainer.max_epochs=6",
        "evaluation.final_text=null",
        f"hydra.run.dir={tmp_path}/run",
        cwd=tmp_path,
    )
    losses = [float(row["train/loss"]) for row in logged(tmp_path / "run") if row.get("train/loss")]
    targets = {row["train/targets"] for row in logged(tmp_path / "run") if row.get("train/loss")}
    assert len(losses) == 6
    assert losses[-1] < 0.5 * losses[0]
    assert len(targets) == 1


def test_without_network_a_hub_model_is_one_clear_error_within_seconds(program, tmp_path):
    printed = program("model.path=Qwen/Qwen2-VL-7B-Instruct", cwd=tmp_path, status=1)
    assert "model.path" in printed
    assert "HF_HUB_OFFLINE" in printed
    assert "Traceback" not in printed


@pytest.mark.parametrize(
    "override", ["method.loss.beta=0", "adapter.r=0", "benchmark.pope.profile=no", "benchmark=[]"]
)
def test_a_wrong_value_is_one_line_and_no_traceback(program, tmp_path, override):
    printed = program(override, cwd=tmp_path, status=1)
    assert override.split("=")[0].split(".")[-1] in printed
    assert "Traceback" not in printed
    assert "Error executing job" not in printed


def test_missing_benchmark_files_stop_the_run_before_any_weights_are_loaded(program, tmp_path):
    printed = program("benchmark.pope.root=nowhere", cwd=tmp_path, status=1)
    assert "benchmark.pope.root" in printed
    assert "adapter on" not in printed
