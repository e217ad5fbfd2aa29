"""The script for a machine with a GPU, rehearsed on a CPU."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "gpu_check.py"
PARTS = ["hooks", "smaller", "larger", "larger_dpo", "attention"]


def load_script():
    spec = importlib.util.spec_from_file_location("gpu_check", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["gpu_check"] = module  # dataclasses look it up
    spec.loader.exec_module(module)
    return module


def test_the_plan_covers_both_shapes_and_fits_into_eight_minutes():
    script = load_script()

    plan = script.plan(script.FULL, 989.0)

    assert [part.name for part in plan] == PARTS
    assert script.BUDGET_S < 8 * 60
    assert plan[0].required
    assert len(script.FULL.families) == 11
    commands = [" ".join(part.command) for part in plan]
    assert "model=qwen2_vl_2b device=cuda dtype=bfloat16" in commands[1]
    assert "model=qwen2_vl_7b" in commands[2]
    assert "k=[3] tasks=[dpo]" in commands[3]
    assert "peak_tflops=989.0" in commands[3]
    assert "attention qwen2_vl_2b cuda bfloat16" in commands[4]


@pytest.mark.slow
def test_the_rehearsal_fills_every_part(tmp_path: Path):
    command = [sys.executable, str(SCRIPT), "run", "--out", str(tmp_path), "--rehearse", "--budget-s", "400"]

    ended = subprocess.run(command, capture_output=True, text=True, timeout=420, check=False)

    assert ended.returncode == 0, ended.stdout + ended.stderr
    document = json.loads((tmp_path / "gpu_check.json").read_text())
    assert [(part["name"], part["status"]) for part in document["parts"]] == [(n, "done") for n in PARTS]
    found = {part["name"]: part["found"] for part in document["parts"]}
    assert "leaking branches" in found["hooks"]["families"]["qwen2_vl"]
    tasks = {name: {row["task"] for row in found[name]["results"]} for name in PARTS[1:4]}
    assert tasks == {
        "smaller": {"sft", "dpo", "evaluation"},
        "larger": {"sft", "evaluation"},
        "larger_dpo": {"dpo"},
    }
    variants = found["attention"]["variants"]
    assert [each["task"] for each in variants] == ["sft"] * 3 + ["evaluation"] * 3
    for each in variants:
        assert each["work"] == "forward"
        assert 0 <= each["logp_difference"] < 0.3  # bfloat16
        assert each["logp_difference"] == 0 or "dense" not in each["variant"]
    assert "TRL DPOTrainer" in (tmp_path / "gpu_check.txt").read_text()
