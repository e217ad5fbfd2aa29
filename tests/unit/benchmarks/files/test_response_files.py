import json
import logging

import pytest

from halluc.benchmarks.files.response_files import read_responses
from halluc.benchmarks.longhalqa import LongHalQA
from halluc.benchmarks.phd import Phd
from halluc.benchmarks.pope import Pope
from halluc.benchmarks.scoring.responses import score_responses
from halluc.benchmarks.vlm2 import Vlm2
from halluc.benchmarks.vstar import VStar
from halluc.data.records import AnswerSpace, Prediction, Question
from halluc.errors import RecordError, SourceNotFoundError
from halluc.report.results import write_predictions


def write(path, *records):
    path.write_text("\n".join(json.dumps(record) for record in records))
    return path


def sample(number, answer, response, **doc):
    """Write a sample as lmms-eval logs it: the document without its image, answers in lists."""
    doc = {"question_id": str(number), "question": "Is there a cup?", "answer": answer, **doc}
    metric = {
        "question_id": str(number),
        "score": 1.0,
        "prediction": response.lower(),
        "ground_truth": answer,
    }
    return {
        "doc_id": number,
        "doc": doc,
        "target": answer,
        "arguments": ["Is there a cup?", {"max_new_tokens": 128}],
        "resps": [[response]],
        "filtered_resps": [response],
        "pope_accuracy": metric,
    }


def score(kind, path, profile, resamples=0):
    rows = read_responses(path)
    return score_responses(kind.from_rows(rows, profile), rows, resamples=resamples).scores


def test_samples_of_lmms_eval(tmp_path, caplog):
    path = write(
        tmp_path / "20250111_212327_samples_pope.jsonl",
        sample(1, "yes", "Yes", category="random"),
        sample(2, "no", "No.", category="random"),
        sample(1, "no", "Yes", category="popular"),
    )
    with caplog.at_level(logging.WARNING):
        scores = score(Pope, path, "lmms_eval", resamples=10)
    assert (scores["random/accuracy"], scores["popular/accuracy"]) == (0.5, 0.0)
    assert score(Pope, path, "strict")["random/accuracy"] == 1.0
    assert "too narrow" in caplog.text


def test_pope_samples_of_lmms_eval_name_their_pictures(tmp_path):
    samples = [sample(n, "yes", "Yes" if n % 3 else "No", category="random") for n in range(6)]
    for number, one in enumerate(samples):
        one["doc"]["image_source"] = f"COCO_val2014_{number // 3}"
    rows = read_responses(write(tmp_path / "x_samples_pope.jsonl", *samples))
    result = score_responses(Pope.from_rows(rows), rows, resamples=100)
    assert result.resampled == "images"
    found = result.intervals["random/accuracy"]
    assert (found.low, found.high) == (pytest.approx(2 / 3), pytest.approx(2 / 3))


def test_the_subset_may_stand_in_the_file_name_only(tmp_path):
    path = write(tmp_path / "x_samples_pope_adv.jsonl", sample(1, "yes", "Yes"))
    assert score(Pope, path, "lmms_eval")["adversarial/n"] == 1.0


def test_samples_without_document_are_known_by_their_metric_and_target(tmp_path):
    given = sample(9, "yes", "Yes", category="random")
    given["pope_accuracy"]["category"] = "random"
    del given["doc"], given["filtered_resps"]
    rows = read_responses(write(tmp_path / "s.jsonl", given))
    assert rows[0].record == {"question_id": "9", "category": "random", "gold": "yes", "response": "Yes"}


def test_tasks_of_longhalqa_stand_in_the_file_name(tmp_path):
    path = write(tmp_path / "x_samples_lhqa_discrim_object_binary.jsonl", sample(1, "Yes", "yes, it is"))
    assert score(LongHalQA, path, "official")["lhqa_discrim_object_binary/accuracy"] == 1.0


def test_vstar_of_lmms_eval_needs_no_picture(tmp_path):
    doc = {"text": "Which?\n(A) red\n(B) blue", "label": "B", "category": "relative_position"}
    given = {"doc_id": 0, "doc": {"question_id": "3", **doc}, "target": "B", "filtered_resps": [["B"]]}
    assert score(VStar, write(tmp_path / "s.jsonl", given), "lmms_eval")["accuracy"] == 1.0


def sheet(path, header, *rows):
    path.write_text("\n".join("\t".join(row) for row in (header, *rows)))
    return path


def test_a_row_of_vlmevalkit_counts_in_each_of_its_categories(tmp_path):
    header = ("index", "category", "question", "answer", "prediction")
    path = sheet(
        tmp_path / "Qwen_POPE.tsv",
        header,
        ("1", "adversarial,popular", "?", "Yes", "Yes."),
        ("2", "random", "?", "No", "Yes"),
        ("3", "random", "?", "No", ""),
    )
    scores = score(Pope, path, "vlmevalkit")
    assert (scores["popular/accuracy"], scores["adversarial/n"], scores["pooled/n"]) == (1.0, 1.0, 4.0)
    assert scores["random/unparsed_rate"] == 0.5


def test_an_empty_piece_of_a_category_is_none(tmp_path):
    header = ("index", "category", "question", "answer", "prediction")
    path = sheet(tmp_path / "r.tsv", header, ("1", "random,,popular", "?", "Yes", "Yes"))
    assert [row.record["category"] for row in read_responses(path)] == ["random", "popular"]


def test_an_option_that_is_left_out_is_refused(tmp_path):
    header = ("index", "question", "A", "B", "C", "answer", "category", "prediction")
    path = sheet(tmp_path / "r.tsv", header, ("1", "Where?", "left", "", "right", "C", "x", "C"))
    with pytest.raises(RecordError, match=r"r\.tsv, record 1: options A, C leave one out"):
        read_responses(path)


def test_options_in_columns(tmp_path):
    header = ("index", "question", "A", "B", "answer", "category", "prediction")
    path = sheet(
        tmp_path / "r.tsv",
        header,
        ("1", "Left or right?", "left", "right", "B", "relative_position", "B. right"),
    )
    assert score(VStar, path, "vlmevalkit")["relative_position/accuracy"] == 1.0


def test_pairs_of_vlm2_bench(tmp_path):
    header = ("index", "question", "answer", "category", "prediction")
    rows = [("pc-cpr_1_p", "?", "T", "pc-cpr", "True"), ("pc-cpr_1_n", "?", "F", "pc-cpr", "F")]
    assert (
        score(Vlm2, sheet(tmp_path / "r.tsv", header, *rows), "vlmevalkit")["pc_cpr/paired_accuracy"] == 1.0
    )


@pytest.mark.parametrize(
    ("kind", "name", "tags", "score_name"),
    [
        (Pope, "random/1", {"subset": "random"}, "random/accuracy"),
        (Phd, "base/0/yes", {"mode": "base", "task": "object"}, "base/object/yes_recall"),
    ],
)
def test_predictions_of_a_run_are_known_by_their_tags(tmp_path, kind, name, tags, score_name):
    question = Question(
        id=name, images=("/p/a.jpg",), prompt="?", space=AnswerSpace.yes_no(), gold="yes", tags=tags
    )
    path = tmp_path / "predictions" / "pope.jsonl"
    write_predictions(path, [question], [Prediction(id=name, text="Yes", parsed="yes")], {})
    assert score(kind, path, "strict")[score_name] == 1.0
    (asked,) = kind.from_rows(read_responses(path)).published().values()
    assert asked.images == ("/p/a.jpg",)


def test_own_rows_stay_as_they_are(tmp_path, caplog):
    (row,) = read_responses(write(tmp_path / "r.jsonl", {"id": "random/1", "response": "yes"}))
    assert row.record == {"id": "random/1", "response": "yes"}
    assert not caplog.records


@pytest.mark.parametrize("name", ["none.xlsx", "none.jsonl"])
def test_a_missing_file(tmp_path, name):
    with pytest.raises(SourceNotFoundError, match="FILES"):
        read_responses(tmp_path / name)
