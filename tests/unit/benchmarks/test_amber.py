import json

import pytest

from halluc.benchmarks.amber import Amber
from halluc.data.records import Prediction
from halluc.errors import RecordError, SourceNotFoundError

ANNOTATIONS = [
    {"id": 1, "type": "generative", "truth": ["dog"], "hallu": ["cat"]},
    {"id": 2, "type": "discriminative-hallucination", "truth": "no"},
    {"id": 3, "type": "discriminative-attribute-state", "truth": "yes"},
    {"id": 4, "type": "discriminative-attribute-number", "truth": "no"},
    {"id": 5, "type": "relation", "truth": "no"},
    {"id": 6, "type": "discriminative-relation", "truth": "yes"},
]


@pytest.fixture
def root(tmp_path):
    (tmp_path / "data/query").mkdir(parents=True)
    queries = [{"id": n, "image": "a.jpg", "query": f"Query {n}?"} for n in range(1, 7)]
    (tmp_path / "data/query/query_discriminative.json").write_text(json.dumps(queries))
    (tmp_path / "data/annotations.json").write_text(json.dumps(ANNOTATIONS))
    (tmp_path / "image").mkdir()
    (tmp_path / "image/a.jpg").touch()
    return tmp_path


def score(benchmark, *parsed):
    questions = benchmark.questions()
    return benchmark.score(
        [Prediction(id=q.id, text="", parsed=p) for q, p in zip(questions, parsed, strict=True)]
    )


def test_generative_questions_are_left_out(root):
    questions = Amber(root).questions()
    assert [q.id for q in questions] == ["2", "3", "4", "5", "6"]
    assert questions[0].prompt == "Query 2?\nPlease answer yes or no."
    assert questions[1].tags == {"subset": "attribute", "attribute": "state"}


def test_scores_by_hand(root):
    scores = score(Amber(root), "no", "yes", "yes", "no", "no")
    assert scores["accuracy"] == 0.6
    # answered no three times, twice rightly; gold no three times
    assert scores["precision"] == scores["recall"] == pytest.approx(2 / 3)
    assert (scores["existence/f1"], scores["attribute/accuracy"], scores["relation/accuracy"]) == (
        1.0,
        0.5,
        0.5,
    )
    assert (scores["state/n"], scores["number/recall"]) == (1.0, 0.0)
    assert scores["mean_accuracy"] == pytest.approx(2 / 3)
    assert "action/accuracy" not in scores


def test_official_scores_start_their_denominators_above_zero(root):
    scores = score(Amber(root, profile="official"), "no", "yes", "no", "no", "yes")
    assert scores["accuracy"] == 0.999  # 5 / 5.004 of four kinds, 99.92 percent
    assert scores["attribute/accuracy"] == 0.999
    assert scores["existence/accuracy"] == 0.999


def test_root_may_be_the_data_folder(root):
    assert len(Amber(root / "data", image_root=root / "image").questions()) == 5


def test_missing_annotation_unknown_type_and_missing_file(root):
    (root / "data/annotations.json").write_text(
        json.dumps([*ANNOTATIONS[:4], {"id": 5, "type": "x", "truth": "no"}])
    )
    with pytest.raises(RecordError, match="2 rows") as caught:
        Amber(root).questions()
    assert "type 'x'" in caught.value.problems[0]
    assert "id 6 has no annotation" in caught.value.problems[1]
    (root / "data/annotations.json").unlink()
    with pytest.raises(SourceNotFoundError, match=r"benchmark\.amber\.root"):
        Amber(root).questions()
