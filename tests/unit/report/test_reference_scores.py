import json
from importlib.resources import files
from pathlib import Path

import pytest
from rich.console import Console

from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.longhalqa import LongHalQA
from halluc.benchmarks.phd import Phd
from halluc.benchmarks.pope import Pope
from halluc.benchmarks.scoring.responses import score_responses
from halluc.benchmarks.vlm2 import Vlm2
from halluc.benchmarks.vlm2_subtasks import SUBTASKS
from halluc.benchmarks.vlm2_videos import Vlm2Videos
from halluc.benchmarks.vstar import VStar
from halluc.errors import ConfigError, UnknownOptionError
from halluc.report.reference_scores import reference_scores, reference_table, references_named

BENCHMARKS = {"pope": 5, "phd": 7, "vlm2": 13, "vlm2_videos": 11, "longhalqa": 4, "vstar": 11}
WITHOUT_COUNTERPART = {"longhalqa": {"overall", "completion"}}
SHIPPED = files("halluc.report").joinpath("reference_scores.json")


@pytest.mark.parametrize(("benchmark", "count"), BENCHMARKS.items())
def test_every_row_has_a_source_and_fractions(benchmark, count):
    rows = reference_scores(benchmark)
    assert len(rows) == count
    for row in rows:
        assert row.source
        assert row.scores or row.without_counterpart
        assert all(0 <= value <= 1 for value in (row.scores | row.without_counterpart).values())


def test_every_row_belongs_to_a_benchmark():
    assert {row["benchmark"] for row in json.loads(SHIPPED.read_text(encoding="utf-8"))} == set(BENCHMARKS)


def shown(scores, references, width=400):
    console = Console(width=width)
    with console.capture() as capture:
        console.print(reference_table(scores, references))
    return capture.get()


def unwrapped(text):
    return " ".join(text.split())


def subtask_records(subtask):
    """Make two records of a subtask of VLM2-Bench: a pair, or two counts, or two groupings."""
    gold = {"cnt": (1, 2), "grp": ("A) 1 and 2", "B) none")}.get(subtask[3:], ("T", "F"))
    ids = [f"{subtask}/1"] * 2 if subtask.startswith("gc") else ["1_p", "1_n"]
    common = {"subtask": subtask, "question": "?", "images": ["a", "b"], "model_answer": "T"}
    return [common | {"q_id": name, "gt_answer": answer} for name, answer in zip(ids, gold, strict=True)]


class GenerousJudge:
    def score(self, *shown):
        return 1


def records_of(benchmark):
    """Make the smallest complete set of published records, with responses."""
    match benchmark:
        case "pope":
            return [
                {"subset": subset, "question_id": gold, "text": "?", "label": gold, "response": "yes"}
                for subset in ("random", "popular", "adversarial")
                for gold in ("yes", "no")
            ]
        case "phd":
            return [
                {"id": f"{mode}/{gold}", "mode": mode, "task": "object", "label": gold, "response": "yes"}
                for mode in ("base", "sec", "icc", "ccs")
                for gold in ("yes", "no")
            ]
        case "vlm2":
            return [record for subtask in SUBTASKS for record in subtask_records(subtask)]
        case "vlm2_videos":
            return [
                {"vid": name, "question": "?", "gt_answer": "two people", "response": "two"}
                for name in ("AB_1", "ABA_1")
            ]
        case "longhalqa":
            options = {f"choice_{letter}": letter for letter in "abcd"}
            return [
                {"task": f"lhqa_complete_{kind}", "question_id": 1, "question": "?", "answer": "A"}
                | {**options, "response": "A"}
                for kind in ("description", "conversation")
            ]
        case "vstar":
            return [
                {"category": category, "question_id": 1, "text": "?\n(A) x\n(B) y", "label": "A"}
                | {"response": "A"}
                for category in ("direct_attributes", "relative_position")
            ]
    raise AssertionError(f"make records of {benchmark}")


def produced(benchmark):
    """Name every score that the published formulas give to the smallest complete set of records."""
    kinds = {"pope": Pope, "phd": Phd, "vlm2": Vlm2, "vlm2_videos": Vlm2Videos, "vstar": VStar}
    rows = [Row(record, Path("r.jsonl"), line) for line, record in enumerate(records_of(benchmark), 1)]
    built = kinds.get(benchmark, LongHalQA).from_rows(rows, "official")
    if isinstance(built, Vlm2Videos):
        built.judge = GenerousJudge()
    return set(score_responses(built, rows).scores)


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_every_published_score_meets_one_of_ours_or_says_that_none_does(benchmark):
    rows = reference_scores(benchmark)
    ours = produced(benchmark)
    assert {name for row in rows for name in row.scores} <= ours
    theirs = {name for row in rows for name in row.without_counterpart}
    assert theirs == WITHOUT_COUNTERPART.get(benchmark, set())
    assert not theirs & ours
    assert all("no score here compares" in row.note for row in rows if row.without_counterpart)


def test_the_published_average_is_the_mean_of_its_row():
    """The table of VLM2-Bench adds up, so nothing was mistyped in it (chance and human included)."""
    rows = [row for row in reference_scores("vlm2") if "average" in row.scores]
    assert len(rows) == 12
    for row in rows:
        parts = [value for name, value in row.scores.items() if name != "average"]
        assert sum(parts) / 8 == pytest.approx(row.scores["average"], abs=2e-4), row.model


def test_the_phd_overall_is_the_mean_of_the_modes():
    for row in reference_scores("phd"):
        modes = [value for name, value in row.scores.items() if "/" in name]
        if modes:
            assert sum(modes) / 4 == pytest.approx(row.scores["index"], abs=1e-3)


def test_vstar_overall_is_the_mean_over_questions():
    for row in reference_scores("vstar"):
        attributes, spatial, overall = row.scores.values()
        assert (115 * attributes + 76 * spatial) / 191 == pytest.approx(overall, abs=1e-3), row.model


def test_names_are_found_in_any_case():
    assert [row.model for row in references_named("pope", "llava-1.5-7b")] == ["LLaVA-1.5-7B"]
    assert len(references_named("pope", "all")) == 5


def test_unknown_names_list_the_known_ones_each_in_quotes():
    with pytest.raises(UnknownOptionError, match=r"GPT-9.*'InstructBLIP'.*'LLaVA-7B, first version', 'all'"):
        references_named("pope", "GPT-9")


def test_scores_without_counterpart_are_shown_and_say_why():
    text = shown({"lhqa_complete_description/accuracy": 0.5}, references_named("longhalqa", "72b"))
    for part in ("overall (theirs)", "completion (theirs)", "55.5", "61.5", "no score here compares"):
        assert part in text
    assert "(theirs) is a score that none of ours compares with" in unwrapped(text)


def test_published_scores_name_the_questions_that_they_are_about():
    text = shown({"random/f1": 0.9}, references_named("pope", "llava-1.5-7b"))
    assert "LLaVA-1.5-7B, COCO questions" in text
    assert "The published ones are about COCO questions: hold no result about other" in unwrapped(text)
    assert "questions" not in shown({"accuracy": 0.9}, references_named("vstar", "seal"))


def test_a_result_without_a_published_score_says_which():
    text = shown({"random/f1": 0.9}, references_named("pope", "llava-1.5-7b"))
    assert "This result has no popular/f1, adversarial/f1." in unwrapped(text)
    every = dict.fromkeys(("random/f1", "popular/f1", "adversarial/f1"), 0.5)
    assert "This result has no" not in shown(every, references_named("pope", "llava-1.5-7b"))


def test_a_note_is_shown_about_numbers_from_a_third_place_only():
    assert "* not read" in shown({}, references_named("pope", "owl"))
    assert "* not read" not in shown({}, references_named("pope", "llava-1.5"))


def section(text, score):
    """Return model and value of the rows about a score, in order."""
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines()]
    cells = [row for row in rows if len(row) == 4]
    start = next(place for place, row in enumerate(cells) if row[0] == score)
    end = next((place for place in range(start + 1, len(cells)) if cells[place][0]), len(cells))
    return [(model, value) for _, model, value, _ in cells[start:end]]


def test_each_score_has_the_own_one_first_and_no_row_for_a_model_without_it():
    text = shown({"random/f1": 0.9}, references_named("pope", "l"))
    assert section(text, "random/f1")[0] == ("this result", "90.0")
    assert ("mPLUG-Owl, COCO questions", "68.1") in section(text, "random/f1")
    popular = section(text, "popular/f1")
    assert popular[0] == ("this result", "–")
    assert len(popular) == 5
    assert "mPLUG-Owl, COCO questions" not in dict(popular)
    assert ("mPLUG-Owl, COCO questions", "67.0") in section(text, "adversarial/f1")


def test_a_score_without_counterpart_has_published_rows_only():
    text = shown({}, references_named("longhalqa", "all"))
    assert section(text, "overall (theirs)") == [("Qwen2-VL-72B", "55.5"), ("LLaVA-1.6-34B", "53.5")]


def test_each_source_is_named_once_below_the_table():
    text = shown({}, references_named("pope", "llava"))
    assert text.count("LLaVA-1.5 paper") == 1
    assert "[1] LLaVA-1.5 paper (arXiv 2310.03744), table 4" in text
    rows = [line for line in text.splitlines() if "LLaVA-1.5-7B, COCO" in line]
    assert len(rows) == 3
    assert all("[1]" in row for row in rows)


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_nothing_is_cut_at_80_columns(benchmark):
    references = reference_scores(benchmark)
    text = shown({"accuracy": 0.5}, references, width=80)
    assert "…" not in text
    lines = [[cell.strip() for cell in line.split("│")] for line in text.splitlines()]
    assert all(len(line) <= 80 for line in text.splitlines())
    cells = {cell for line in lines for cell in line}
    for row in references:
        model = f"{row.model}, {row.question_set} questions" if row.question_set else row.model
        assert {model, *row.scores, *(f"{name} (theirs)" for name in row.without_counterpart)} <= cells
        assert row.source in unwrapped(text)
        assert row.note in unwrapped(text)


def test_a_benchmark_without_published_scores_says_so():
    with pytest.raises(ConfigError, match="No published scores of amber are shipped"):
        references_named("amber", "all")
