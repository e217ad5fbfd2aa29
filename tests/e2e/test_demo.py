"""The demo: MiniWorld's model on MiniWorld's data, which are the defaults too."""

import pytest
from PIL import Image

from halluc.report.results import read_results

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing.:FutureWarning"),
]

SHORT = ["logger=csv", "data.images=24", "data.sequences=8", "benchmark=[pope]", "trainer.max_steps=4"]
BANNER = "is a check of the pipeline, not a cure"


def test_the_demo_ends_with_table_pictures_and_place(program, tmp_path):
    printed = program("experiment=miniworld", *SHORT, "callbacks.model_summary=null", cwd=tmp_path, bare=True)
    (run_dir,) = (tmp_path / "runs").iterdir()
    (row,) = [line for line in printed.splitlines() if "pope/adversarial/accuracy" in line]
    before = read_results(run_dir)["baseline"]["val/pope/adversarial/accuracy"]
    assert f"{100 * before:.1f}" in row
    assert before < 0.8  # the committed model hallucinates
    pictures = [line.split(": ", 1)[1] for line in printed.splitlines() if line.startswith("A cured answer")]
    assert len(pictures) == 3
    for path in pictures:
        with Image.open(path) as picture:
            assert picture.width > 84
    assert f"Everything of this run lies in {run_dir}" in printed
    assert BANNER not in printed
    assert "benchmark.vlm2 is not chosen" in printed


def test_another_model_on_these_data_is_a_check_of_the_pipeline(program, tiny_checkpoint, tmp_path):
    other = ["model=qwen2vl", f"model.path={tiny_checkpoint('qwen2_vl')}", "model.dtype=float32"]
    printed = program(*other, *SHORT, "trainer.accelerator=cpu", cwd=tmp_path, bare=True)
    assert BANNER in printed
