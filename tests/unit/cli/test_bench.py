"""Settings and tables of ``python -m halluc bench``."""

import pytest
from rich.console import Console

from halluc.bench.run import BenchSettings, Result
from halluc.cli.bench import LEGEND, read_settings, table
from halluc.errors import ConfigError


def test_the_default_is_the_fixed_configuration():
    assert read_settings([]) == BenchSettings()
    assert BenchSettings().image_px == 392
    assert BenchSettings().threads == 1


def test_overrides():
    settings = read_settings(["k=[3]", "tasks=[evaluation]", "trl=false", "peak_tflops=989"])

    assert settings == BenchSettings(k=[3], tasks=["evaluation"], trl=False, peak_tflops=989)


@pytest.mark.parametrize(
    ("overrides", "complaint"),
    [
        (["images=3"], "image_px"),
        (["k"], "KEY=VALUE"),
        (["rounds=0"], "at least 1"),
        (["k=[]"], "at least 1"),
        (["k=6"], r"k=\[6,12\]"),
        (["rounds=many"], "rounds"),
        (["tasks=[training]"], "evaluation"),
        (["device=cuda"], "finds no GPU"),
    ],
)
def test_wrong_settings_say_what_there_is(
    overrides: list[str], complaint: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(ConfigError, match=complaint):
        read_settings(overrides)


def result(way: str, *, task: str = "sft", utilisation: float | None = None) -> Result:
    return Result(
        task=task,
        k=6,
        way=way,
        median_s=0.25,
        questions_per_s=24.0,
        tokens_per_s=5000.0,
        times_rows=4.0,
        flop_bound=5.0,
        times_baseline=None,
        peak_memory_mb=None,
        max_difference=2e-7,
        utilisation=utilisation,
    )


def test_tables_show_ratio_bound_and_share():
    console = Console(width=160, record=True, file=open("/dev/null", "w"))  # noqa: SIM115 - only recorded
    console.print(table([result("token tree", utilisation=0.4), result("padded rows")]))
    console.file.close()

    (row,) = [line for line in console.export_text().splitlines() if "token tree" in line]
    assert row.split() == [
        "token", "tree", "250", "24.0", "4.00", "5.00", "80%", "2e-07", "5000", "40%",
    ]  # fmt: skip


@pytest.mark.parametrize("task", ["sft", "dpo", "evaluation"])
def test_the_legend_explains_every_column(task: str):
    shown = table([result("token tree", task=task, utilisation=0.4)])

    for column in shown.columns[1:]:
        header = " ".join(str(column.header).split()).replace("questions /s", "questions/s")
        assert header in LEGEND


def test_a_table_fits_a_terminal_of_80_columns():
    results = [result("token tree, features and reference cached", task="dpo"), result("padded rows")]
    console = Console(width=80, record=True, file=open("/dev/null", "w"))  # noqa: SIM115 - only recorded
    console.print(table(results))
    console.file.close()

    words = console.export_text().split()
    assert {"questions", "bound", "differs", "2e-07", "24.0", "80%"} <= set(words)
