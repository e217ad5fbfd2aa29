from rich.console import Console

from halluc.report.before_after import before_after_table


def shown(results, width=140):
    console = Console(width=width, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(before_after_table(results))
    console.file.close()
    return console.export_text()


def test_shows_change_in_percent_and_a_dash_for_what_was_not_measured():
    text = shown(
        {
            "baseline": {"val/pope/adversarial/accuracy": 0.5, "val/phd/index": 0.25},
            "best": {"val/pope/adversarial/accuracy": 0.875, "epoch": 3},
            "full": {"val/pope/adversarial/accuracy": 0.8, "text/pope/adversarial/accuracy": 0.7},
        }
    )
    (line,) = [line for line in text.splitlines() if "adversarial/accuracy" in line]
    for value in ("50.0", "87.5", "+37.5", "80.0", "70.0"):
        assert value in line
    (line,) = [line for line in text.splitlines() if "phd/index" in line]
    assert "25.0" in line
    assert line.count("–") == 3
    assert "epoch 3" in text
    assert "vlm2" not in text


def test_a_score_that_guessing_may_reach_is_marked():
    key, other = "val/vstar/accuracy", "val/phd/index"
    results = {
        "baseline": {key: 0.3, other: 0.5},
        "best": {key: 0.4, other: 0.9, "epoch": 1},
        "chance": {key: 0.375, other: 0.5},
        "intervals": {"epoch_1": {key: [0.36, 0.44], other: [0.8, 0.95]}},
    }
    marked = [line for line in shown(results).splitlines() if "at chance" in line]
    assert len(marked) == 1
    assert "vstar" in marked[0]


def test_long_names_and_marks_fit_a_terminal_of_80_columns():
    key = "val/longhalqa/lhqa_discrim_description_choice/accuracy"
    results = {
        "baseline": {key: 0.3},
        "best": {key: 0.3, "epoch": 12},
        "full": {key: 0.3},
        "chance": {key: 0.25},
        "intervals": {"epoch_12": {key: [0.2, 0.4]}},
    }
    text = shown(results, width=80)
    lines = text.splitlines()
    assert "30.0 at chance" in text
    assert any("longhalqa/lhqa_discrim_" in line for line in lines)
    assert any("description_choice/accuracy" in line for line in lines)
    assert "as text" not in text  # nothing was asked for text
    assert len({len(line.rstrip()) for line in lines if line.startswith(("┏", "│", "└"))}) == 1
