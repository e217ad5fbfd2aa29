from rich.console import Console

from halluc.report.evaluation_table import evaluation_tables

RESULTS = {
    "full": {
        "val/pope/random/accuracy": 0.8125,
        "val/pope/random/n": 16.0,
        "text/pope/random/accuracy": 0.75,
        "val/phd/base/object/index": 0.5,
    },
    "intervals": {"val/pope/random/accuracy": [0.7, 0.9]},
    "calibration": {
        "pope": {
            "n": 16, "yes_ratio": 0.6, "expected_calibration_error": 0.1234,
            "reliability": [{"low": 0.5, "high": 0.6, "n": 9, "confidence": 0.5432, "accuracy": 0.4375}],
        }
    },
    "profiles": {
        "val/pope": {"profile": "strict", "prompt_profile": "short_answer", "pictures": "none"},
        "text/pope": {"profile": "official", "prompt_profile": "short_answer", "pictures": "none"},
    },
    "agreement": {
        "pope": {
            "n": 16, "same": 13, "first_only_right": 2, "second_only_right": 1, "both_wrong_apart": 0,
            "second_unparsed": 0, "disagreement_rate": 3 / 16,
        }
    },
}  # fmt: skip


def shown(results, width=160):
    console = Console(width=width)
    with console.capture() as capture:
        for table in evaluation_tables(results):
            console.print(table)
    return capture.get()


def test_scores_stand_side_by_side_with_intervals():
    line = next(line for line in shown(RESULTS).splitlines() if "pope/random/accuracy" in line)
    assert "81.2 [70.0, 90.0]" in line
    assert "75.0" in line


def test_counts_and_tasks_within_modes_are_left_to_the_file():
    text = shown(RESULTS)
    assert "random/n" not in text
    assert "base/object" not in text


def test_a_terminal_of_80_columns_cuts_nothing():
    big = {
        "longhalqa": RESULTS["agreement"]["pope"] | {"n": 100_000},
        "vlm2_videos": RESULTS["agreement"]["pope"],
    }
    text = shown(RESULTS | {"agreement": big}, width=80)
    assert "…" not in text
    assert all(title in text for title in ("likelihood", "questions", "longhalqa", "vlm2_videos", "100000"))
    rows = [line for line in text.splitlines() if "vlm2_videos" in line]
    assert len(rows) == 1
    assert rows[0].rstrip().endswith("│")


def test_what_was_not_measured_is_a_dash():
    line = next(line for line in shown(RESULTS).splitlines() if "12.3" in line)
    assert line.count("–") == 3  # AUROC, and both accuracies of a threshold that could not be fitted


def test_without_text_there_is_no_agreement():
    assert "on the same questions" in shown(RESULTS)
    assert "on the same questions" not in shown({"full": RESULTS["full"]})


def test_the_reliability_bins_are_shown():
    (line,) = [line for line in shown(RESULTS).splitlines() if "50–60" in line]
    assert [cell.strip() for cell in line.split("│")[1:-1]] == ["pope", "50–60", "54.3", "43.8", "9"]


def test_reader_and_prompt_profile_are_named():
    lines = shown(RESULTS).splitlines()
    for name, reader in (("val/pope", "strict"), ("text/pope", "official")):
        (line,) = [line for line in lines if name in line]
        assert reader in line
        assert "short_answer" in line
