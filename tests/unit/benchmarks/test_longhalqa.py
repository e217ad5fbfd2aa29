import json

import pytest

from halluc.benchmarks.longhalqa import LongHalQA
from halluc.data.records import Prediction
from halluc.errors import RecordError, SourceNotFoundError, UnknownOptionError

BINARY, CHOICE = "lhqa_discrim_object_binary", "lhqa_complete_description"


@pytest.fixture
def root(tmp_path):
    binary = [
        {"question_id": n, "image": "a.jpg", "question": f" Match {n}? ", "answer": answer}
        for n, answer in enumerate(("Yes", "no", "YES", "No"))
    ]
    options = {f"choice_{letter}": f"text {letter}" for letter in "abcd"}
    choice = [{"question_id": 0, "image": "a.jpg", "question": "Go on:", "answer": "c", **options}]
    for task, records in ((BINARY, binary), (CHOICE, choice)):
        (tmp_path / f"{task}.jsonl").write_text("\n".join(json.dumps(r) for r in records))
    (tmp_path / "images").mkdir()
    (tmp_path / "images/a.jpg").touch()
    return tmp_path


def test_questions(root):
    *binary, choice = LongHalQA(root, [BINARY, CHOICE]).questions()
    assert binary[0].id == f"{BINARY}/0"
    assert binary[0].prompt == "Match 0?\nAnswer the question using a single word 'Yes' or 'No'."
    assert [q.gold for q in binary] == ["yes", "no", "yes", "no"]
    assert choice.prompt.startswith("Go on:\nA. text a\nB. text b\n")
    assert choice.prompt.endswith(
        "\nD. text d\nAnswer with the option's letter from the given choices directly."
    )
    assert (choice.gold, choice.space.options[2]) == ("C", "text c")


@pytest.mark.parametrize(("profile", "recall"), [("strict", 0.5), ("official", 1.0)])
def test_official_recall_ignores_unparsed(root, profile, recall):
    benchmark = LongHalQA(root, [BINARY, CHOICE], profile=profile)
    parsed = ["yes", "no", None, "yes", "C"]
    given = [
        Prediction(id=q.id, text="", parsed=p) for q, p in zip(benchmark.questions(), parsed, strict=True)
    ]
    scores = benchmark.score(given)
    assert scores[f"{BINARY}/recall"] == recall
    assert (scores[f"{BINARY}/accuracy"], scores[f"{BINARY}/unparsed_rate"]) == (0.5, 0.25)
    assert (scores[f"{CHOICE}/accuracy"], scores[f"{CHOICE}/n"]) == (1.0, 1.0)


@pytest.mark.parametrize(("profile", "binary", "choice"), [("strict", None, "B"), ("official", "no", "A")])
def test_read_follows_the_profile(root, profile, binary, choice):
    benchmark = LongHalQA(root, [BINARY, CHOICE], profile=profile)
    questions = benchmark.questions()
    assert benchmark.read(questions[0], "Not sure") == binary
    assert benchmark.read(questions[-1], "Answer: B") == choice


def test_wrong_options(tmp_path):
    with pytest.raises(UnknownOptionError, match="official, strict"):
        LongHalQA(tmp_path, profile="lmms_eval")
    with pytest.raises(UnknownOptionError, match=r"benchmark\.longhalqa\.tasks"):
        LongHalQA(tmp_path, ["object"])
    with pytest.raises(UnknownOptionError, match="prompt_profile"):
        LongHalQA(tmp_path, prompt_profile="lmms_eval")


def test_missing_file_and_missing_option(root):
    with pytest.raises(SourceNotFoundError, match="lhqa_discrim_description_binary"):
        LongHalQA(root).questions()
    (root / f"{CHOICE}.jsonl").write_text(
        '{"question_id": 1, "image": "a.jpg", "question": "?", "answer": "A"}'
    )
    with pytest.raises(RecordError, match="choice_a is missing"):
        LongHalQA(root, [CHOICE]).questions()


def test_options_are_shuffled_by_id_and_the_letter_follows(tmp_path):
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "a.jpg").write_bytes(b"")
    task = "lhqa_complete_description"
    rows = [
        {"question_id": n, "image": "a.jpg", "question": f"Q{n}", "answer": "A", "choice_a": "right",
         "choice_b": "x", "choice_c": "y", "choice_d": "z"}
        for n in range(40)
    ]  # fmt: skip
    (tmp_path / f"{task}.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    fixed = LongHalQA(tmp_path, [task]).questions()
    shuffled = LongHalQA(tmp_path, [task], shuffle_choices=0).questions()
    assert {question.gold for question in fixed} == {"A"}
    assert {question.gold for question in shuffled} == set("ABCD")
    assert all(f"\n{question.gold}. right" in question.prompt for question in shuffled)
    assert [question.id for question in shuffled] == [question.id for question in fixed]
    assert LongHalQA(tmp_path, [task], shuffle_choices=0).questions() == shuffled
    assert LongHalQA(tmp_path, [task], shuffle_choices=1).questions() != shuffled


def test_types_of_hallucination_are_scored_where_the_file_names_them(root):
    path = root / f"{BINARY}.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for record, kind in zip(records, ("", "Wrong Color", "wrong color", None), strict=True):
        record["hallucination_type"] = kind
    path.write_text("\n".join(map(json.dumps, records)))
    benchmark = LongHalQA(root, [BINARY])
    given = [Prediction(id=q.id, text="no", parsed="no") for q in benchmark.questions()]
    scores = benchmark.score(given)
    assert scores["type/wrong_color/n"] == 2
    assert scores["type/wrong_color/accuracy"] == 0.5
    assert sum(key.startswith("type/") and key.endswith("/n") for key in scores) == 1
