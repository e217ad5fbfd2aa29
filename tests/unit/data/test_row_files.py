import json
from pathlib import Path

import pytest
from PIL import Image

from halluc.data.readers.jsonl import JsonlSource
from halluc.data.records import AnswerSpace, Preference, Question, Sample
from halluc.data.row_files import preference_row, sample_row, write_array, write_lines
from halluc.errors import RecordError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    for name in ("a b.png", "sub/b.png"):
        Image.new("RGB", (3, 3)).save(tmp_path / name)
    return tmp_path


def question(root: Path, prompt: str = "Is it red?", offsets: tuple[int, ...] = (), **more) -> Question:
    images = (str(root / "a b.png"), str(root / "sub/b.png"))
    return Question(
        id="q", images=images, prompt=prompt, image_offsets=offsets, group="|".join(images), **more
    )


@pytest.mark.parametrize(
    "sample",
    [
        {"prompt": "Is it red?", "space": AnswerSpace.yes_no(), "gold": "yes", "answer": "Yes"},
        {"prompt": "Is  like ?", "offsets": (3, 9), "space": AnswerSpace.text(), "answer": "A bit, é."},
        {
            "prompt": "What?\nA. x\nB. y\nLetter.",
            "space": AnswerSpace.choice(("x", "y")),
            "gold": "B",
            "answer": "B",
        },
        {
            "prompt": "Red?",
            "system": "Be short.",
            "space": AnswerSpace.yes_no(),
            "gold": "no",
            "answer": "no",
            "weight": 0.5,
        },
    ],
)
def test_samples_and_preferences_come_back(root: Path, sample):
    answer, weight = sample.pop("answer"), sample.pop("weight", 1.0)
    written = Sample(question=question(root, **sample), answer=answer, weight=weight)
    write_lines(root / "samples.jsonl", [sample_row(written, root)])
    assert JsonlSource(root / "samples.jsonl").samples() == [written]
    pair = Preference(
        question=written.question,
        chosen=answer,
        rejected="other",
        rejected_images=written.question.images[::-1],
        weight=weight,
    )
    write_lines(root / "pairs.jsonl", [preference_row(pair, root)])
    assert JsonlSource(root / "pairs.jsonl").preferences() == [pair]


def test_rows_name_pictures_relative_to_the_root(root: Path):
    row = sample_row(Sample(question=question(root, space=AnswerSpace.yes_no()), answer="Yes"), root)
    assert row == {"id": "q", "images": ["a b.png", "sub/b.png"], "question": "Is it red?", "answer": "Yes"}


def test_pictures_outside_of_the_root_are_refused(root: Path):
    with pytest.raises(RecordError, match=r"a b\.png lies outside"):
        sample_row(Sample(question=question(root, space=AnswerSpace.yes_no()), answer="Yes"), root / "sub")


def test_inline_pictures_stay_inline(root: Path):
    inline = Question(
        id="q", images=("data:image/png;base64,AAAA",), prompt="Red?", space=AnswerSpace.yes_no()
    )
    assert sample_row(Sample(question=inline, answer="No"), root)["images"] == ["data:image/png;base64,AAAA"]


def test_files_are_whole_readable_and_left_alone_when_equal(tmp_path: Path):
    path = tmp_path / "new" / "a.jsonl"
    write_lines(path, [{"é": 1}, {"b": "x\ny"}])
    assert path.read_text(encoding="utf-8") == '{"é": 1}\n{"b": "x\\ny"}\n'
    before = path.stat().st_mtime_ns
    write_lines(path, [{"é": 1}, {"b": "x\ny"}])
    assert path.stat().st_mtime_ns == before
    write_array(tmp_path / "new" / "b.json", [{"a": 1}])
    assert json.loads((tmp_path / "new" / "b.json").read_text()) == [{"a": 1}]
    assert sorted(found.name for found in path.parent.iterdir()) == ["a.jsonl", "b.json"]
