import json
from pathlib import Path

import pytest

from halluc.benchmarks.files.rows import TEXT_FIELDS, Row, read_rows
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


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"image_id": 7, "question": "Is  it\nred?"}, "sub/7/Is it red?"),
        ({"image": "a.jpg", "text": "?", "question": "no"}, "sub/a.jpg/?"),
        ({"image_id": 7}, "sub/answers.jsonl:3"),
        ({"question": "?"}, "sub/answers.jsonl:3"),
        ({"question": "?", "image": ""}, "sub/answers.jsonl:3"),
        ({"question": "?", "image_id": 7, "question_id": 4}, "sub/4"),
    ],
)
def test_id_of_a_question_by_its_content(record, expected):
    assert row(label="yes", **record).name_in(lambda: "sub", TEXT_FIELDS) == expected


@pytest.mark.parametrize(
    ("record", "names"),
    [
        ({"images": ["a", "b"], "image": "c"}, ["a", "b"]),
        ({"images": [], "image_path": None, "image": "", "image_id": 0}, ["0"]),
        ({"image_path": "['a.jpg', 'b.jpg']", "image": "aGk="}, ["a.jpg", "b.jpg"]),
        ({"image_path": "[a].jpg"}, ["[a].jpg"]),
        ({"image": "a.jpg"}, ["a.jpg"]),
        ({"question": "?"}, []),
    ],
)
def test_names_of_the_images(record, names):
    assert row(**record).image_names() == names
    assert row(**record).image_name() == ("|".join(names) if names else None)


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


@pytest.mark.parametrize(
    ("encoding", "place"),
    [
        ("latin-1", "byte 0xe9 at offset 21, line 2. If it is text of another encoding, as LATIN1"),
        ("utf-16", "byte 0xff at offset 0, line 1. If it is text of another encoding, as UTF-16"),
    ],
)
def test_another_encoding_names_the_byte_and_the_way_out(tmp_path, encoding, place):
    path = tmp_path / "q.jsonl"
    path.write_bytes('{"id": 1}\n{"id": "caf\u00e9"}\n'.encode(encoding))
    with pytest.raises(RecordError) as caught:
        read_rows(path, "x")
    assert str(caught.value).startswith(f"{path} is no UTF-8 text: {place}, convert it: iconv -f ")


def test_a_file_of_another_format_says_so_once_and_lists_the_formats(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("id,response\n" + "".join(f"{n},yes\n" for n in range(200)))
    with pytest.raises(RecordError) as caught:
        read_rows(path, "x")
    message = str(caught.value)
    assert message.startswith(f"{path} holds 201 lines that are no JSON objects. Save a .csv sheet with tabs")
    assert "JSON Lines (one object a line" in message
    assert ".xlsx and .tsv" in message
    assert [f"line {n}:" in problem for n, problem in enumerate(caught.value.problems[:5], 1)] == [True] * 5
    assert caught.value.problems[5:] == ("and 196 more",)


def test_an_array_of_texts_is_of_another_format_too(tmp_path):
    path = tmp_path / "r.json"
    path.write_text(json.dumps(["yes"] * 7))
    with pytest.raises(RecordError, match="an array of other things than objects") as caught:
        read_rows(path, "x")
    assert len(caught.value.problems) == 6


def test_broken_lines_among_many_good_ones_are_all_listed(tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_text('{"id": 1}\n' * 20 + "{\n" * 12)
    with pytest.raises(RecordError, match="holds 12 lines that are no JSON objects:") as caught:
        read_rows(path, "x")
    assert len(caught.value.problems) == 12


@pytest.mark.parametrize("indent", [None, 1])
def test_records_within_an_object_are_to_be_taken_out(tmp_path, indent):
    path = tmp_path / "r.json"
    content = {"model": "m", "results": [{"id": n, "response": "yes"} for n in range(40)]}
    path.write_text(json.dumps(content, indent=indent))
    with pytest.raises(
        RecordError, match=r"one JSON object .*\. Write its list 'results' to a file"
    ) as caught:
        read_rows(path, "x")
    assert caught.value.problems == ()


def test_one_record_is_read_unless_it_spans_lines(tmp_path):
    path = tmp_path / "r.json"
    record = {"sequence_id": 1, "parts": [{"question": "?"}]}
    path.write_text(json.dumps(record))
    assert [row.record for row in read_rows(path, "x")] == [record]
    path.write_text(json.dumps({"id": 1, "response": "yes"}, indent=1))
    with pytest.raises(RecordError, match=r"over several lines\. Put it on one line"):
        read_rows(path, "x")
