from pathlib import Path

import pytest

from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.pope import Pope
from halluc.benchmarks.scoring.intervals import differences, intervals
from halluc.data.records import Prediction
from halluc.errors import BenchmarkError

ROWS = [
    Row({"id": f"random/{n}", "label": "yes" if n % 2 else "no", "image": f"{n // 4}"}, Path("r.jsonl"), n)
    for n in range(80)
]
BENCHMARK = Pope.from_rows(ROWS)


def answers(parsed):
    return [Prediction(id=f"random/{n}", text=p, parsed=p) for n, p in enumerate(parsed)]


RIGHT = ["yes" if n % 2 else "no" for n in range(80)]
LESS = [None if n in (3, 17, 18, 40) else answer for n, answer in enumerate(RIGHT)]


def test_an_interval_holds_its_score_and_counts_have_none():
    found = intervals(BENCHMARK, answers(LESS))
    assert found["pooled/accuracy"].low < 76 / 80 < found["pooled/accuracy"].high
    assert "pooled/n" not in found


def test_none_are_computed_without_resamples_or_for_what_cannot_be_counted():
    assert intervals(BENCHMARK, answers(LESS), resamples=0) == {}
    assert intervals(object(), answers(LESS)) == {}


def test_differences():
    found = differences(BENCHMARK, answers(LESS), answers(RIGHT))["accuracy"]
    assert found.change == pytest.approx(4 / 80)
    assert 0 <= found.interval.low < 4 / 80 < found.interval.high


def test_answers_to_other_questions_are_refused():
    with pytest.raises(
        BenchmarkError, match="1 questions were answered by one of the two only, as random/79"
    ):
        differences(BENCHMARK, answers(RIGHT[:79]), answers(RIGHT))
