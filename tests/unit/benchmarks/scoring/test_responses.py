import logging
from pathlib import Path

import pytest

from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.pope import Pope
from halluc.benchmarks.scoring.responses import holds_gold, score_responses
from halluc.errors import BenchmarkError, RecordError


def rows(*records):
    return [Row(record, Path("r.jsonl"), line) for line, record in enumerate(records, 1)]


ASKED = rows(
    {"id": "random/1", "label": "yes"}, {"id": "random/2", "label": "no"}, {"id": "random/3", "label": "no"}
)


def test_missing_responses_count_as_unparsed_and_are_counted_aloud(caplog):
    with caplog.at_level(logging.WARNING):
        result = score_responses(
            Pope.from_rows(ASKED, "official"), rows({"id": "random/1", "response": "Yes"})
        )
    assert (result.questions, result.missing, result.unparsed) == (3, 2, 0)
    assert result.scores["pooled/accuracy"] == pytest.approx(1 / 3)
    assert result.scores["pooled/unparsed_rate"] == pytest.approx(2 / 3)
    assert "2 of 3 questions have no response" in caplog.text


def test_an_empty_response_is_unparsed_but_not_missing():
    given = rows(
        {"id": "random/1", "response": ""},
        {"id": "random/2", "response": "No"},
        {"id": "random/3", "response": None},
    )
    result = score_responses(Pope.from_rows(ASKED), given)
    assert (result.missing, result.unparsed) == (1, 1)


def test_repeated_and_unknown_responses_are_refused():
    with pytest.raises(RecordError, match=r"r\.jsonl, record 2 \(id random/1\): random/1"):
        score_responses(Pope.from_rows(ASKED), rows({"id": "random/1"}, {"id": "random/1"}))
    with pytest.raises(BenchmarkError, match="unknown id, as random/9"):
        score_responses(Pope.from_rows(ASKED), rows({"id": "random/9", "response": "Yes"}))


def test_nothing_to_score():
    with pytest.raises(BenchmarkError, match="nothing to score"):
        score_responses(Pope.from_rows([]), [])


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"id": 1, "response": "x"}, False),
        ({"id": 1, "answer": "x"}, False),
        ({"label": "no"}, True),
        ({"coarse": {}}, True),
    ],
)
def test_holds_gold(record, expected):
    assert holds_gold(rows(record)[0]) is expected
