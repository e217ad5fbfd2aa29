from rich.console import Console

from halluc.report.before_after import before_after_table


def shown(results):
    console = Console(width=140, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
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
