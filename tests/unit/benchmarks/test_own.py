import json

import pytest
from PIL import Image

from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.own import OwnBenchmark
from halluc.benchmarks.pope import SHORT_ANSWER
from halluc.data.records import Prediction
from halluc.errors import RecordError, SourceNotFoundError, UnknownOptionError

ROWS = [
    {"id": "a", "image": "a.png", "question": "Is it red?", "answer": "Yes", "task": "colour"},
    {"id": "b", "image": "a.png", "question": "Is it blue?", "answer": "no", "task": "colour"},
    {
        "id": "c",
        "image": "b.png",
        "question": "Which?",
        "choices": ["cup", "dog"],
        "answer": "dog",
        "task": "kind",
    },
]


@pytest.fixture
def root(tmp_path):
    for name in ("a.png", "b.png"):
        Image.new("RGB", (8, 8)).save(tmp_path / name)
    return tmp_path


def write(root, rows, name="questions.jsonl"):
    (root / name).write_text("\n".join(json.dumps(row) for row in rows))
    return root


def answers(**parsed):
    return [Prediction(id=name, text=text, parsed=text) for name, text in parsed.items()]


def test_questions(root):
    first, _, third = OwnBenchmark(write(root, ROWS), group_by=["task"]).questions()
    assert (first.id, first.gold, first.prompt) == ("a", "yes", "Is it red?" + SHORT_ANSWER)
    assert first.images == (str(root / "a.png"),)
    assert first.tags == {"task": "colour"}
    assert (third.gold, third.space.options) == ("B", ("cup", "dog"))
    assert third.prompt.startswith("Which?\nA. cup\nB. dog\n")
    assert SHORT_ANSWER not in third.prompt


def test_scores_by_hand(root):
    benchmark = OwnBenchmark(write(root, ROWS), group_by=["task"])
    scores = benchmark.score(answers(a="yes", b="yes", c="B"))
    assert scores["accuracy"] == pytest.approx(2 / 3)
    assert (scores["yes_no/accuracy"], scores["yes_no/yes_ratio"], scores["choice/accuracy"]) == (
        0.5,
        1.0,
        1.0,
    )
    assert (scores["task=colour/yes_no/n"], scores["task=kind/choice/n"]) == (2.0, 1.0)


@pytest.mark.parametrize(
    ("profile", "text", "read"), [("strict", "Yes, it is.", "yes"), ("official", "hm", None)]
)
def test_reading(root, profile, text, read):
    benchmark = OwnBenchmark(write(root, ROWS), profile=profile)
    assert benchmark.read(benchmark.questions()[0], text) == read


def test_options_can_be_shuffled_by_id_and_seed(root):
    rows = [{**ROWS[2], "id": n, "question": f"{n}?"} for n in range(20)]
    kept = OwnBenchmark(write(root, rows)).questions()
    shuffled = OwnBenchmark(root, shuffle_choices=0).questions()
    assert {question.gold for question in kept} == {"B"}
    assert {question.gold for question in shuffled} == {"A", "B"}
    assert [q.gold for q in shuffled] == [q.gold for q in OwnBenchmark(root, shuffle_choices=0).questions()]
    assert {q.space.options["AB".index(q.gold)] for q in shuffled} == {"dog"}


def test_a_table(root):
    (root / "q.tsv").write_text("id\timage\tquestion\tA\tB\tanswer\nx\ta.png\tWhich?\tNone\tdog\tA\n")
    (question,) = OwnBenchmark(root, file="q.tsv").questions()
    assert question.space.options == ("None", "dog")


def test_every_bad_row_is_listed(root):
    rows = [ROWS[0], {"id": "x", "image": "a.png", "question": "?", "answer": "a red cup"}, {"id": "y"}]
    with pytest.raises(RecordError) as raised:
        OwnBenchmark(write(root, rows)).questions()
    assert len(raised.value.problems) == 2
    assert all(f"(id {name})" in line for name, line in zip("xy", raised.value.problems, strict=True))


def test_missing_pictures_and_files(root):
    with pytest.raises(
        SourceNotFoundError, match=r"not found at .*nowhere/questions.jsonl \(benchmark.own.r"
    ):
        OwnBenchmark(root / "nowhere").questions()
    (root / "b.png").unlink()
    skipping = OwnBenchmark(write(root, ROWS), bad_rows="skip")
    assert [question.id for question in skipping.questions()] == ["a", "b"]


def test_records_with_gold_need_no_pictures():
    rows = [Row({**row, "image": "gone.png", "response": "yes"}, "r.jsonl", n) for n, row in enumerate(ROWS)]
    benchmark = OwnBenchmark.from_rows(rows)
    assert [question.gold for question in benchmark.published().values()] == ["yes", "no", "B"]
    assert {question.group for question in benchmark.published().values()} == {"gone.png"}
    assert OwnBenchmark.row_responses(rows[0]) == {"a": "yes"}


def test_errors_name_the_options_by_the_key_of_the_config(root):
    with pytest.raises(SourceNotFoundError, match=r"Set benchmark\.mine\.root .*, or benchmark\.mine\.file"):
        OwnBenchmark(root / "nowhere", name="mine").questions()
    with pytest.raises(RecordError, match=r"mine: 1 rows are unusable.*benchmark\.mine\.bad_rows=skip"):
        OwnBenchmark(write(root, [{"id": "y"}]), name="mine").questions()
    for option in ("profile", "prompt_profile", "bad_rows"):
        with pytest.raises(UnknownOptionError, match=rf"^benchmark\.mine\.{option} is 'x'"):
            OwnBenchmark(root, name="mine", **{option: "x"})


def test_undefined_scores_are_logged_by_the_key_of_the_config(root, caplog):
    benchmark = OwnBenchmark(write(root, ROWS[:1]), name="mine of the log")
    assert "yes_no/no_recall" not in benchmark.score(answers(a="yes"))
    assert "mine of the log: no value for yes_no/no_recall" in caplog.text


def test_wrong_names(root):
    for option in ({"profile": "lmms_eval"}, {"prompt_profile": "x"}):
        with pytest.raises(UnknownOptionError):
            OwnBenchmark(root, **option)
