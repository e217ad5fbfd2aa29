from pathlib import Path

import pytest

from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.longhalqa import LongHalQA
from halluc.benchmarks.pope import Pope
from halluc.benchmarks.scoring.chance import chance_scores
from halluc.data.records import AnswerSpace, Question


def rows(records):
    return [Row(record, Path("rows.jsonl"), number) for number, record in enumerate(records)]


def test_guessing_yes_or_no_is_right_half_of_the_time():
    labels = [{"id": f"random/{n}", "label": "yes" if n % 2 else "no"} for n in range(400)]
    benchmark = Pope.from_rows(rows(labels))
    found = chance_scores(benchmark, benchmark.questions())
    assert found["pooled/accuracy"] == pytest.approx(0.5, abs=0.02)
    assert found["pooled/yes_ratio"] == pytest.approx(0.5, abs=0.02)
    assert not any("auroc" in key for key in found)


def test_guessing_one_of_four_options_is_right_a_quarter_of_the_time():
    task = "lhqa_discrim_description_choice"
    options = {f"choice_{letter}": letter for letter in "abcd"}
    records = [
        {"id": f"{task}/{n}", "task": task, "question": "Which?", "gold": "ABCD"[n % 4], **options}
        for n in range(400)
    ]
    benchmark = LongHalQA.from_rows(rows(records))
    found = chance_scores(benchmark, benchmark.questions())
    assert found[f"{task}/accuracy"] == pytest.approx(0.25, abs=0.02)


def test_free_text_can_not_be_guessed():
    question = Question(id="1", images=(), prompt="Describe it.", space=AnswerSpace.text())
    assert chance_scores(Pope.from_rows([]), [question]) == {}
