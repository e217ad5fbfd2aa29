import json

import pytest

from halluc.benchmarks.amber import Amber
from halluc.benchmarks.files.response_files import read_responses
from halluc.benchmarks.scoring.responses import score_responses
from halluc.data.records import Prediction
from halluc.errors import BenchmarkError, RecordError
from halluc.report.results import write_predictions

HEADER = ("index", "question", "answer", "category", "image_path", "prediction")
PUBLISHED = {
    "state": "discriminative-attribute-state",
    "number": "discriminative-attribute-number",
    "action": "discriminative-attribute-action",
    "existence": "discriminative-hallucination",
    "relation": "relation",
}
ROWS = (
    ("1005", "Is it red?", "Yes", PUBLISHED["state"], "a.jpg", "Yes."),
    ("1006", "Are there two?", "No", PUBLISHED["number"], "a.jpg", "No"),
    ("1007", "Does it run?", "No", PUBLISHED["action"], "b.jpg", "No"),
    ("1008", "Is there a dog?", "No", PUBLISHED["existence"], "b.jpg", "yes"),
    ("1009", "Do they touch?", "No", PUBLISHED["relation"], "c.jpg", ""),
)
DIMENSIONS = {name: "Attribute" for name in ("state", "number", "action")} | {
    "existence": "Existence",
    "relation": "Relation",
}


def sheet(path, header=HEADER, rows=ROWS):
    path.write_text("\n".join("\t".join(row) for row in (header, *rows)))
    return read_responses(path)


def without(*columns, rows=ROWS, header=HEADER):
    kept = [place for place, name in enumerate(header) if name not in columns]
    return {
        "header": tuple(header[place] for place in kept),
        "rows": [tuple(row[place] for place in kept) for row in rows],
    }


def coarse(row):
    kind = next(kind for kind, name in PUBLISHED.items() if name == row[3])
    return (*row[:3], DIMENSIONS[kind], *row[4:])


def scored(rows, profile="vlmevalkit"):
    return score_responses(Amber.from_rows(rows, profile), rows).scores


def clusters(rows):
    benchmark = Amber.from_rows(rows)
    return benchmark.tally([Prediction(id=name, text=None) for name in benchmark.published()]).clusters


def test_a_sheet_of_vlmevalkit_by_hand(tmp_path):
    scores = scored(sheet(tmp_path / "r.tsv"))
    assert (scores["accuracy"], scores["n"]) == (0.6, 5.0)
    assert (scores["attribute/accuracy"], scores["state/n"], scores["number/n"]) == (1.0, 1.0, 1.0)
    assert (scores["existence/accuracy"], scores["relation/unparsed_rate"]) == (0.0, 1.0)
    assert scores["mean_accuracy"] == pytest.approx(1 / 3)  # of 1, 0 and 0


def test_only_exact_words_count_officially(tmp_path):
    rows = sheet(tmp_path / "r.tsv")
    assert (scored(rows, "strict")["accuracy"], scored(rows, "official")["unparsed_rate"]) == (0.6, 0.6)


def test_questions_about_one_image_are_one_cluster_where_it_is_named(tmp_path):
    assert clusters(sheet(tmp_path / "r.tsv")) == 3
    assert clusters(sheet(tmp_path / "r.tsv", **without("image_path"))) == 5


def test_the_path_of_an_image_goes_before_its_bytes(tmp_path):
    rows = [(*row, f"base64 {place}") for place, row in enumerate(ROWS)]
    assert clusters(sheet(tmp_path / "r.tsv", (*HEADER, "image"), rows)) == 3


@pytest.mark.parametrize("spelled", [str, str.lower, str.upper])
def test_dimensions_may_be_named_without_kinds_of_attribute(tmp_path, spelled):
    rows = [(*row[:3], spelled(row[3]), *row[4:]) for row in map(coarse, ROWS)]
    scores = scored(sheet(tmp_path / "r.tsv", HEADER, rows))
    assert (scores["attribute/n"], scores["existence/n"], scores["relation/n"]) == (3.0, 1.0, 1.0)
    assert not any(name.startswith(("state/", "number/", "action/")) for name in scores)


def test_official_scores_do_not_depend_on_whether_kinds_are_told(tmp_path):
    rows = [(*row[:5], row[2]) for row in ROWS]  # all right
    told = scored(sheet(tmp_path / "r.tsv", HEADER, rows), "official")
    untold = scored(sheet(tmp_path / "s.tsv", HEADER, map(coarse, rows)), "official")
    assert untold["attribute/accuracy"] == 0.999  # 3 / 3.003 of three kinds; 3 / 3.001 were 1.0
    assert {name: value for name, value in told.items() if name in untold} == untold


def test_a_second_category_may_tell_the_kind(tmp_path):
    rows = [(*coarse(row), kind) for row, kind in zip(ROWS, PUBLISHED, strict=True)]
    scores = scored(sheet(tmp_path / "r.tsv", (*HEADER, "l2-category"), rows))
    assert (scores["state/n"], scores["number/n"], scores["action/n"]) == (1.0, 1.0, 1.0)
    only = sheet(tmp_path / "r.tsv", **without("category", header=(*HEADER, "l2-category"), rows=rows))
    assert scored(only) == scores


@pytest.mark.parametrize(
    ("category", "second", "found"),
    [
        ("", "", "found neither"),
        ("colour", "", "category 'colour'"),
        ("Relation", "state", "category 'Relation', l2-category 'state'"),
        (PUBLISHED["state"], "number", "l2-category 'number'"),
    ],
)
def test_a_row_of_no_or_two_dimensions_is_named(tmp_path, category, second, found):
    rows = [(*ROWS[0][:3], category, *ROWS[0][4:], second), *((*row, "") for row in ROWS[1:])]
    with pytest.raises(RecordError, match="1 rows are unusable") as caught:
        scored(sheet(tmp_path / "r.tsv", (*HEADER, "l2-category"), rows))
    assert found in caught.value.problems[0]
    assert "record 1 (id 1005)" in caught.value.problems[0]


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "data"
    (folder / "query").mkdir(parents=True)
    queries = [{"id": int(row[0]), "image": row[4], "query": row[1]} for row in ROWS]
    truths = [{"id": int(row[0]), "type": row[3], "truth": row[2].lower()} for row in ROWS]
    (folder / "query/query_discriminative.json").write_text(json.dumps(queries))
    (folder / "annotations.json").write_text(json.dumps(truths))
    return tmp_path


def test_a_sheet_is_joined_to_the_published_questions(tmp_path, root):
    rows = sheet(tmp_path / "r.tsv", **without("answer", "category", "image_path", rows=ROWS[:4]))
    found = score_responses(Amber(root, profile="vlmevalkit"), rows)
    assert (found.questions, found.missing) == (5, 1)
    assert found.scores == scored(sheet(tmp_path / "s.tsv"))


def test_indices_that_are_no_published_ids_are_refused(tmp_path, root):
    rows = [(str(place), *row[1:]) for place, row in enumerate(ROWS)]
    with pytest.raises(BenchmarkError, match=r"unknown id, as 0, 1.*looks like '1005'"):
        score_responses(Amber(root), sheet(tmp_path / "r.tsv", HEADER, rows))


def test_predictions_of_a_run_are_scored_again(tmp_path, root):
    asked = list(Amber(root).published().values())
    answers = [Prediction(id=question.id, text="No", parsed="no") for question in asked]
    path = tmp_path / "predictions" / "amber.jsonl"
    write_predictions(path, asked, answers, {})
    rows = read_responses(path)
    assert scored(rows, "strict") == Amber(root).score(answers)
    assert clusters(rows) == 3
