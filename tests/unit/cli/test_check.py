import json

import pytest
import typer
from PIL import Image
from typer.testing import CliRunner

from halluc.cli.check import check
from halluc.errors import SourceNotFoundError, UnknownOptionError

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(check)


def run(*arguments):
    result = CliRunner().invoke(app, [*map(str, arguments), "--json"], catch_exceptions=False)
    return result.exit_code, json.loads(result.stdout)


@pytest.fixture
def picture(tmp_path):
    Image.new("RGB", (8, 8)).save(tmp_path / "a.png")
    return tmp_path / "a.png"


def write(path, *rows):
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return path


def row(name, **fields):
    return {"id": name, "image": "a.png", "question": "Is it?", "answer": "yes", **fields}


def test_all_bad_rows_are_listed_with_file_line_and_id(picture):
    data = write(
        picture.with_name("d.jsonl"), row("a"), row("b", image="no.png"), "{broken", row("c", answer=None)
    )
    status, found = run(data)
    assert status == 1
    assert (found["ok"], found["usable"]) == (False, 1)
    places = sorted((problem["line"], problem.get("id")) for problem in found["problems"])
    assert places == [(2, "b"), (3, None), (4, "c")]
    assert {problem["file"] for problem in found["problems"]} == {str(data)}


def test_good_data_exits_with_0(picture):
    assert run(write(picture.with_name("d.jsonl"), row("a"), row("b", question="Or?"))) == (
        0,
        {"data": str(picture.with_name("d.jsonl")), "ok": True, "usable": 2, "problems": [], "notices": []},
    )


def test_broken_pictures_are_found_unless_told_not_to(picture):
    picture.write_bytes(picture.read_bytes()[:40])
    data = write(picture.with_name("d.jsonl"), row("a"))
    assert run(data)[0] == 1
    assert run(data, "--no-pictures")[0] == 0


def test_a_letter_that_never_changes_is_a_notice(picture):
    rows = [row(n, choices=["x", "y"], answer="x", question=f"{n}?") for n in range(8)]
    status, found = run(write(picture.with_name("d.jsonl"), *rows))
    assert status == 0
    assert "the right option is A in all 8" in found["notices"][0]["message"]


def test_an_empty_file_is_not_ok(tmp_path):
    status, found = run(write(tmp_path / "d.jsonl"))
    assert (status, found["ok"]) == (1, False)


def test_files_of_a_benchmark(tmp_path):
    rows = [
        {"question_id": 1, "image": "a.png", "text": "?", "label": "yes"},
        {"question_id": 2, "image": "b.png", "text": "?", "label": "maybe"},
        {"question_id": 3, "image": "b.png", "text": "?", "label": "no"},
        {"question_id": 3, "image": "b.png", "text": "?", "label": "no"},
    ]
    write(tmp_path / "coco_pope_random.json", *rows)
    (tmp_path / "images").mkdir()
    Image.new("RGB", (8, 8)).save(tmp_path / "images" / "a.png")
    status, found = run(tmp_path, "--benchmark", "pope", "--option", "subsets=[random]")
    assert (status, found["usable"]) == (1, 1)
    first, second, third = found["problems"]
    assert (first["line"], first["id"]) == (2, "2")
    assert second["message"] == "id random/3 (2 times) occurs more than once"
    assert "b.png: no such picture, 2 questions show it" in third["message"]


def test_a_benchmark_whose_letter_never_changes(tmp_path):
    text = "Which?\n(A) red\n(B) blue"
    rows = [
        {"question_id": str(n), "image": "a.png", "text": text, "category": "relative_position", "label": "B"}
        for n in range(8)
    ]
    write(tmp_path / "test_questions.jsonl", *rows)
    Image.new("RGB", (8, 8)).save(tmp_path / "a.png")
    status, found = run(tmp_path, "--benchmark", "vstar")
    assert status == 0
    assert "B in all 8" in found["notices"][0]["message"]


def test_what_is_not_there(tmp_path):
    with pytest.raises(SourceNotFoundError):
        run(tmp_path / "none.jsonl")
    with pytest.raises(UnknownOptionError, match="BENCHMARK"):
        run(tmp_path, "--benchmark", "pop")


def test_text_output(picture):
    data = write(picture.with_name("d.jsonl"), row("a"), row("b", image="no.png"))
    result = CliRunner().invoke(app, [str(data)])
    assert f"{data}:2 (id b)" in result.stdout
    assert "1 usable questions, 1 problems" in result.stdout
