import json

import pytest

from halluc.benchmarks.vstar import VStar, lmms_eval_prompt, split_options, vlmevalkit_prompt
from halluc.data.records import Prediction, Preparation
from halluc.errors import RecordError, UnknownOptionError

SUFFIX = "\nAnswer with the option's letter from the given choices directly."
FOUR = "Colour?\n(A) red\n(B) blue (dark)\n(C) green\n(D) grey" + SUFFIX
TWO = "Left or right?\n(A) left\n(B) right" + SUFFIX


@pytest.fixture
def root(tmp_path):
    records = [
        ("direct_attributes", FOUR, "A"),
        ("direct_attributes", FOUR, "B"),
        ("direct_attributes", FOUR, "C"),
        ("relative_position", TWO, "B"),
    ]
    lines = [
        {
            "image": f"{category}/x.jpg",
            "text": text,
            "category": category,
            "question_id": str(n),
            "label": label,
        }
        for n, (category, text, label) in enumerate(records)
    ]
    (tmp_path / "test_questions.jsonl").write_text("\n".join(map(json.dumps, lines)))
    for category in ("direct_attributes", "relative_position"):
        (tmp_path / category).mkdir()
        (tmp_path / category / "x.jpg").touch()
    return tmp_path


def test_questions(root):
    first, *_, last = VStar(root).questions()
    assert first.id == "direct_attributes/0"
    assert first.prompt == FOUR
    assert first.space.options == ("red", "blue (dark)", "green", "grey")
    assert (last.gold, last.space.candidates) == ("B", ("A", "B"))


def test_overall_is_not_the_mean_of_the_categories(root):
    benchmark = VStar(root)
    given = [
        Prediction(id=q.id, text="", parsed=p) for q, p in zip(benchmark.questions(), "AAAB", strict=True)
    ]
    scores = benchmark.score(given)
    assert scores["accuracy"] == 0.5
    assert scores["direct_attributes/accuracy"] == pytest.approx(1 / 3)
    assert scores["relative_position/accuracy"] == 1.0
    assert (scores["n"], scores["unparsed_rate"]) == (4.0, 0.0)


@pytest.mark.parametrize(
    ("profile", "parsed"), [("strict", None), ("official", "A"), ("lmms_eval", "A"), ("vlmevalkit", "C")]
)
def test_read_follows_the_profile(root, profile, parsed):
    benchmark = VStar(root, profile=profile)
    assert benchmark.read(benchmark.questions()[0], "Answer: green") == parsed


def test_lmms_eval_loses_an_option_with_parentheses_and_repeats_the_instruction():
    assert lmms_eval_prompt(FOUR) == "Colour?\nA. red\nB. green\nC. grey" + SUFFIX + SUFFIX
    assert lmms_eval_prompt("What?") == "What?" + SUFFIX


def test_vlmevalkit_prompt():
    assert vlmevalkit_prompt(TWO) == (
        "Question: Left or right?\nOptions:\nA. left\nB. right\n"
        "Please select the correct answer from the options above. \n"
    )


@pytest.mark.parametrize("text", ["What?", "What?\n(A) only", "What?\n(B) x\n(A) y"])
def test_text_without_options(text):
    with pytest.raises(RecordError, match="holds no options"):
        split_options(text)


def test_wrong_profile(tmp_path):
    with pytest.raises(UnknownOptionError, match="lmms_eval, official, strict, vlmevalkit"):
        VStar(tmp_path, profile="likelihood")


@pytest.mark.parametrize(
    ("prompt_profile", "preparation"),
    [
        ("official", Preparation.NONE),
        ("vlmevalkit", Preparation.NONE),
        ("lmms_eval", Preparation.LMMS_EVAL),
        ("likelihood", Preparation.SQUARE),
    ],
)
def test_what_a_protocol_does_to_pictures(root, prompt_profile, preparation):
    benchmark = VStar(root, prompt_profile=prompt_profile)
    assert {q.preparation for q in benchmark.questions()} == {benchmark.preparation} == {preparation}


def test_the_likelihood_protocol_asks_without_options(root):
    questions = VStar(root, prompt_profile="likelihood").questions()
    for question in questions:
        assert "(A)" not in question.prompt
        assert len(question.space.options) >= 2
