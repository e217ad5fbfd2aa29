import json
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner, Result

from halluc.cli.build_commands import build_app
from halluc.data.readers.jsonl import JsonlSource
from halluc.errors import RecordError, SourceNotFoundError

NAMES = ["cat", "dog", "bus", "cup", "kite"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [
        {"image": f"{n:012}.jpg", "objects": [NAMES[n % 5], NAMES[(n + 1) % 5], NAMES[(n + 3) % 5]]}
        for n in range(12)
    ]
    (tmp_path / "scenes.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for row in rows:
        Image.new("RGB", (4, 4)).save(tmp_path / row["image"])
    return tmp_path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(build_app, list(map(str, arguments)))


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_pope(folder: Path):
    result = run("pope", folder / "scenes.jsonl", folder / "out", "--images", 3, "--source", "mine")
    assert result.exit_code == 0
    for strategy in ("random", "popular", "adversarial"):
        rows = lines(folder / f"out/mine_pope_{strategy}.json")
        assert (len(rows), len({row["image"] for row in rows})) == (12, 3)  # two absent names a picture
    assert "questions" in result.output


def test_pope_without_a_fitting_picture(folder: Path):
    result = run("pope", folder / "scenes.jsonl", folder / "out", "--min-objects", 4)
    assert isinstance(result.exception, RecordError)
    assert "no picture has 4 objects" in str(result.exception)
    assert not (folder / "out").exists()


def test_choice_rows_train_after_pairing(folder: Path):
    assert run("choice", folder / "scenes.jsonl", folder / "choice.jsonl").exit_code == 0
    samples = JsonlSource(folder / "choice.jsonl").samples()
    assert {sample.question.space.kind.value for sample in samples} == {"choice"}
    assert run("pairs", folder / "choice.jsonl", folder / "pairs.jsonl").exit_code == 0
    pairs = JsonlSource(folder / "pairs.jsonl").preferences()
    assert [pair.question for pair in pairs] == [sample.question for sample in samples]


def test_pairs_list_what_can_not_be_paired(folder: Path, caplog):
    rows = [
        {"id": "one", "image": "000000000001.jpg", "question": "Is it red?", "answer": "No"},
        {"id": "two", "image": "000000000001.jpg", "question": "What is it?", "answer": "A cat."},
    ]
    (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    result = run("pairs", folder / "rows.jsonl", folder / "pairs.jsonl")
    assert isinstance(result.exception, RecordError)
    assert result.exception.problems[0].startswith("two: no wrong answer is known")
    assert not (folder / "pairs.jsonl").exists()
    assert run("pairs", folder / "rows.jsonl", folder / "pairs.jsonl", "--skip").exit_code == 0
    assert lines(folder / "pairs.jsonl") == [
        {
            "id": "one",
            "images": ["000000000001.jpg"],
            "prompt": "Is it red?",
            "chosen": "No",
            "rejected": "Yes",
        }
    ]
    assert "two: no wrong answer is known" in caplog.text


def test_nothing_to_pair(folder: Path):
    (folder / "rows.jsonl").write_text('{"question": "What?", "answer": "A cat."}')
    assert "no answer could be paired" in str(
        run("pairs", folder / "rows.jsonl", folder / "x", "--skip").exception
    )


def test_gated(folder: Path):
    row = {
        "sequence_id": "s",
        "images": ["000000000001.jpg", "000000000002.jpg"],
        "coarse": {"type": "count", "question": "How many?", "gold": 2},
        "attributes": [{"image": 0, "subject": "cat", "attribute": "color", "value": "red"}],
    }
    (folder / "sequences.jsonl").write_text(json.dumps(row))
    result = run("gated", folder / "sequences.jsonl", folder / "gated.jsonl", "--image-root", folder)
    assert result.exit_code == 0
    assert len(lines(folder / "gated.jsonl")[0]["fine"]) == 2
    result = run(
        "gated", folder / "sequences.jsonl", folder / "gated.jsonl", "--image-root", folder / "nowhere"
    )
    assert "000000000001.jpg" in str(result.exception)


def test_gated_problems_name_lines(folder: Path):
    (folder / "sequences.jsonl").write_text('\n{"sequence_id": "s"}')
    problems = run("gated", folder / "sequences.jsonl", folder / "x").exception.problems
    assert all(f"{folder}/sequences.jsonl:2 (sequence s)" in problem for problem in problems)
    (folder / "sequences.jsonl").write_text("{broken")
    assert "broken JSON" in str(run("gated", folder / "sequences.jsonl", folder / "x").exception)
    (folder / "sequences.jsonl").write_text("")
    assert "holds no sequence" in str(run("gated", folder / "sequences.jsonl", folder / "x").exception)


def test_phd(folder: Path):
    assert run("phd", folder / "scenes.jsonl", folder / "data.json", "--task", "object").exit_code == 0
    records = json.loads((folder / "data.json").read_text())
    assert {record["task"] for record in records} == {"object"}
    assert len(records) == 12
    (folder / "empty.jsonl").write_text('{"image": "a.jpg", "objects": []}')
    assert "no picture gives a record" in str(run("phd", folder / "empty.jsonl", folder / "x").exception)


def test_heldout(folder: Path, caplog):
    (folder / "000000000003.jpg").unlink()
    result = run("heldout", folder / "scenes.jsonl", folder / "out", "--images", 4, "--image-root", folder)
    assert result.exit_code == 0
    (manifest,) = json.loads((folder / "out/heldout.json").read_text())
    assert len(manifest["images"]) == 4
    assert "000000000003.jpg" not in manifest["images"]
    assert "1 of 12 pictures are not under" in caplog.text
    assert "gated.jsonl" in result.output


def test_missing_annotations_are_named(folder: Path):
    for command in ("pope", "choice", "phd", "heldout"):
        result = run(command, folder / "gone.json", folder / "out")
        assert isinstance(result.exception, SourceNotFoundError)
        assert "gone.json" in str(result.exception)
