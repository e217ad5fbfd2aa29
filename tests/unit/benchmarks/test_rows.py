from pathlib import Path

import pytest

from halluc.benchmarks.rows import Row, read_rows
from halluc.errors import RecordError, SourceNotFoundError


def row(**record):
    return Row(record, Path("answers.jsonl"), 3)


@pytest.mark.parametrize(
    ("record", "gold", "response"),
    [
        ({"label": "yes", "answer": "No"}, "label", "No"),
        ({"answer": "yes", "response": "No"}, "answer", "No"),
        ({"answer": "yes", "prediction": "No"}, "answer", "No"),
        ({"answer": "No"}, None, "No"),
        ({"gold": "yes", "prediction": "No"}, "gold", "No"),
        ({"gt_answer": "T", "model_answer": "F"}, "gt_answer", "F"),
        ({"label": "yes", "model_answer": "b", "response": "a", "answer": "c"}, "label", "a"),
        ({"label": "yes"}, "label", None),
        ({"label": "yes", "response": None}, "label", None),
        ({"label": "yes", "response": ""}, "label", ""),
        ({"label": "yes", "response": 4}, "label", "4"),
        ({"id": 1}, None, None),
    ],
)
def test_which_field_is_gold_and_which_is_the_response(record, gold, response):
    assert row(**record).gold_field == gold
    assert row(**record).response == response


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"question_id": 4}, "sub/4"),
        ({"question_id": "a.png/which"}, "sub/a.png/which"),
        ({"id": "other/4"}, "other/4"),
        ({"id": 4}, "sub/4"),
        ({"question_id": 4, "id": "other/9"}, "sub/4"),
        ({"label": "yes"}, "sub/answers.jsonl:3"),
    ],
)
def test_id_of_the_question(record, expected):
    assert row(**record).name_in(lambda: "sub") == expected


def test_row_without_any_id():
    with pytest.raises(RecordError, match="id is missing"):
        row(response="yes").name_in(lambda: "sub")


def test_text_takes_the_first_field_there_is():
    assert row(question="q", text="t").text("text", "question") == "t"
    assert row(question_id=0).text("question_id") == "0"


@pytest.mark.parametrize("record", [{}, {"text": None}, {"text": "  "}])
def test_missing_text_names_file_record_and_field(record):
    with pytest.raises(RecordError, match=r"answers\.jsonl, record 3: text or question is missing"):
        row(**record).text("text", "question")


def test_gold_that_is_neither_yes_nor_no():
    assert row(label="YES").yes_no_gold() == "yes"
    with pytest.raises(RecordError, match="label 'maybe' is neither"):
        row(label="maybe").yes_no_gold()


def test_json_lines_with_byte_order_mark_crlf_and_blank_lines(tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_bytes('\ufeff{"id": "ä\u2028"}\r\n\r\n{"id": 2}\r\n'.encode())
    rows = read_rows(path, "x")
    assert [(r.record["id"], r.line) for r in rows] == [("ä\u2028", 1), (2, 3)]


def test_json_array(tmp_path):
    path = tmp_path / "q.json"
    path.write_text('\n [\n {"id": 1},\n {"id": 2}\n]')
    assert [(r.record["id"], r.line) for r in read_rows(path, "x")] == [(1, 1), (2, 2)]


def test_all_broken_lines_are_listed(tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_text('{"id": 1}\n{"id": \n7\n{"id": 4}')
    with pytest.raises(RecordError) as caught:
        read_rows(path, "x")
    assert len(caught.value.problems) == 2
    assert "line 2" in caught.value.problems[0]
    assert "line 3: no object" in caught.value.problems[1]


@pytest.mark.parametrize("text", ['[{"id": 1}', "[1]"])
def test_broken_array(tmp_path, text):
    path = tmp_path / "q.json"
    path.write_text(text)
    with pytest.raises(RecordError, match=r"q\.json"):
        read_rows(path, "x")


def test_missing_file_names_the_option(tmp_path):
    with pytest.raises(SourceNotFoundError, match=r"Set benchmark\.pope\.root"):
        read_rows(tmp_path / "none.json", "benchmark.pope.root")
