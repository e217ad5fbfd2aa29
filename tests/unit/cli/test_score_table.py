from rich.console import Console

from halluc.cli.score_table import score_table
from halluc.metrics.bootstrap import Interval


def test_nothing_is_cut_on_a_terminal_of_80_columns():
    scores = {
        "longhalqa/lhqa_discrim_description_choice/accuracy": 0.51234,
        "longhalqa/lhqa_discrim_description_choice/n": 40.0,
        "average": 0.5,
    }
    intervals = {name: Interval(0.412, 0.587) for name in scores if not name.endswith("/n")}
    console = Console(width=80, record=True, file=open("/dev/null", "w"))  # noqa: SIM115 - only recorded
    console.print(score_table(scores, intervals, title="longhalqa", caption="95 %"))
    console.file.close()
    text = console.export_text()
    assert "…" not in text
    (row,) = [line for line in text.splitlines() if "choice/accuracy" in line]
    assert row.split("│")[1:4] == [f" {next(iter(scores))} ", " 0.5123 ", " 0.4120–0.5870 "]
    assert any(line.split("│")[2:4] == ["     40 ", "               "] for line in text.splitlines())
