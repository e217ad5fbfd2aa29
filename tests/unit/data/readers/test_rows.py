from pathlib import Path

import pytest

from halluc.data.readers.rows import Row, read_rows
from halluc.errors import RecordError, SourceNotFoundError, UnknownOptionError


def written(folder: Path, name: str, text: str, encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def test_mark_and_windows_line_ends_are_ignored(tmp_path: Path):
    path = written(tmp_path, "a.jsonl", '{"id": 1}\r\n\r\n  \n{"id": "b"}', "utf-8-sig")
    assert read_rows(path) == ([Row(1, {"id": 1}), Row(4, {"id": "b"})], [])


def test_line_separators_inside_text_do_not_break_a_line(tmp_path: Path):
    path = written(tmp_path, "a.jsonl", '{"id": "x\u2028y"}')
    assert read_rows(path)[0] == [Row(1, {"id": "x\u2028y"})]


def test_every_broken_line_is_named(tmp_path: Path):
    lines = ['{"id": 1}', '{"id": ', "[1]", '{"id": "n", "w": {"x": [NaN]}}', '{"id": "i", "w": -Infinity}']
    text = "\n".join([*lines, '{"id": "e", "w": 1e999}'])
    rows, problems = read_rows(written(tmp_path, "a.jsonl", text))
    assert [row.number for row in rows] == [1]
    assert [line.removeprefix(f"{tmp_path}/a.jsonl:")[:10] for line in problems] == [
        "2: broken ",
        "3: expecte",
        "4 (id n): ",
        "5 (id i): ",
        "6 (id e): ",
    ]


@pytest.mark.parametrize("name", ["a.json", "a.yaml", "a.yml"])
def test_a_list_is_numbered_from_one(tmp_path: Path, name):
    rows, problems = read_rows(written(tmp_path, name, '[{"id": "a"}, 3]'))
    assert rows == [Row(1, {"id": "a"})]
    assert len(problems) == 1
    assert ":2: expected an object" in problems[0]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", '{"id": 1}\n{"id": 2}', r"a\.json:2 is broken JSON.*name it \.jsonl"),
        ("a.json", '{"id": 1}', "holds one dict"),
        ("a.yaml", "[", "broken YAML"),
    ],
)
def test_a_file_of_another_format_is_refused(tmp_path: Path, name, text, message):
    with pytest.raises(RecordError, match=message):
        read_rows(written(tmp_path, name, text))


def test_not_utf8_is_refused(tmp_path: Path):
    with pytest.raises(RecordError, match="no UTF-8 text: byte 0xe9"):
        read_rows(written(tmp_path, "a.jsonl", '{"id": "é"}', "latin-1"))


def test_cells_of_tables_stay_text_and_only_empty_ones_are_missing(tmp_path: Path):
    text = "index\tA\tB\tC\n1\tNone\t007\t\n2\tNA\tnull\t'n \"q\n"
    rows, problems = read_rows(written(tmp_path, "a.tsv", text))
    assert [row.fields for row in rows] == [
        {"index": "1", "A": "None", "B": "007"},
        {"index": "2", "A": "NA", "B": "null", "C": "'n \"q"},
    ]
    assert problems == []


def test_long_and_surplus_cells(tmp_path: Path):
    rows, problems = read_rows(written(tmp_path, "a.csv", f"id,image\n1,{'x' * 200_000}\n2,b,c\n"))
    assert len(rows[0].fields["image"]) == 200_000
    assert problems == [f"{tmp_path}/a.csv:3: more cells than columns: ['c']"]


@pytest.mark.parametrize(
    ("name", "text"), [("a.csv", 'id,q\n1,"x\n2,y\n'), ("a.tsv", 'id\tq\n1\t"x\n2\ty\n')]
)
def test_a_quote_that_swallows_rows_is_refused(tmp_path: Path, name, text):
    with pytest.raises(RecordError, match=r"line 2: the cell .* never closes its double quote"):
        read_rows(written(tmp_path, name, text))


def test_missing_file_and_unknown_suffix(tmp_path: Path):
    with pytest.raises(SourceNotFoundError, match=r"gone\.jsonl"):
        read_rows(tmp_path / "gone.jsonl")
    with pytest.raises(UnknownOptionError, match=r"\.parquet.*\.jsonl"):
        read_rows(written(tmp_path, "a.parquet", ""))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [({"id": 0}, "0"), ({"id": "x"}, "x"), ({"question_id": 7}, "7"), ({"index": "i"}, "i")]
    + [(fields, "row 3") for fields in ({}, {"id": None}, {"id": ""}, {"id": [1]}, {"id": True})],
)
def test_ids(fields, expected):
    assert Row(3, fields).id == expected
