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


def test_both_recalls_the_yes_ratio_and_the_unparsed_rate_by_hand(root):
    # gold:     no,   yes,  no,  no,   yes
    parsed = ("no", "yes", None, "yes", None)
    for profile in ("strict", "official", "vlmevalkit"):
        scores = score(Amber(root, profile=profile), *parsed)
        assert scores["yes_recall"] == 0.5
        assert scores["no_recall"] == pytest.approx(1 / 3)
        assert (scores["yes_ratio"], scores["unparsed_rate"]) == (0.4, 0.4)
        assert (scores["attribute/yes_recall"], scores["attribute/no_recall"]) == (1.0, 0.0)
        assert (scores["relation/yes_ratio"], scores["relation/unparsed_rate"]) == (0.5, 0.5)
        assert (scores["number/unparsed_rate"], scores["state/unparsed_rate"]) == (1.0, 0.0)
        assert "existence/yes_recall" not in scores  # every gold answer there is no
    assert score(Amber(root), *parsed)["recall"] == pytest.approx(1 / 3)  # of "no", as published


def likely(benchmark, *beliefs):
    return [
        Prediction(id=q.id, text="", parsed="yes" if p > 0.5 else "no", probabilities={"yes": p, "no": 1 - p})
        for q, p in zip(benchmark.questions(), beliefs, strict=True)
    ]


def test_yes_margins_are_scored_in_all_and_by_dimension(root):
    benchmark = Amber(root)
    # gold:                              no,  yes, no,  no,  yes
    scores = benchmark.score(likely(benchmark, 0.6, 0.9, 0.7, 0.8, 0.75))
    assert scores["accuracy"] == 0.4
    assert scores["auroc"] == pytest.approx(5 / 6)  # 0.9 is above all three, 0.75 above two
    assert scores["best_threshold_accuracy"] == 0.8
    assert (scores["attribute/auroc"], scores["relation/auroc"]) == (1.0, 0.0)
    assert scores["relation/best_threshold_accuracy"] == 0.5
    assert not {"existence/auroc", "state/auroc"} & scores.keys()


def test_margins_change_no_other_score(root):
    benchmark = Amber(root, profile="official")
    answers = likely(benchmark, 0.6, 0.9, 0.2, 0.8, 0.75)
    told = benchmark.score(answers)
    untold = benchmark.score([Prediction(id=a.id, text="", parsed=a.parsed) for a in answers])
    assert not any("auroc" in name or "threshold" in name for name in untold)
    assert {name: value for name, value in told.items() if name in untold} == untold
    assert "auroc" in told


def test_official_scores_start_their_denominators_above_zero(root):
    scores = score(Amber(root, profile="official"), "no", "yes", "no", "no", "yes")
    assert scores["accuracy"] == 1.0  # 5 / 5.001, 99.98 percent: one start value for all kinds together
    assert scores["attribute/accuracy"] == 0.999  # 3 / 3.003 of its three kinds, 99.90 percent
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
