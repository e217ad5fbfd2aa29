import pytest

from halluc.builders.pairs import build_pairs, to_preference
from halluc.data.records import AnswerSpace, Question, Sample
from halluc.errors import RecordError

SHAPES = ("square", "circle", "star")


def sample(answer: str, space: AnswerSpace, gold: str | None, key: str = "q1", weight: float = 1.0) -> Sample:
    question = Question(id=key, images=(), prompt="?", space=space, gold=gold)
    return Sample(question=question, answer=answer, weight=weight)


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ("Yes", "No"),
        ("no", "yes"),
        ("YES.", "NO."),
        ("true", "false"),
        ("False", "True"),
        ("T", "F"),
        ("n", "y"),
        ("**Yes**", "**No**"),
        ("Yes, there is.", "No, there is not."),
        ("No, they are not", "Yes, they are"),
        ("no, it isn't.", "yes, it is."),
        ("No, it doesn’t.", "Yes, it does."),
    ],
)
def test_the_opposite_has_the_same_form(answer, wrong):
    assert to_preference(sample(answer, AnswerSpace.yes_no(), "yes")).rejected == wrong
    assert to_preference(sample(answer, AnswerSpace.true_false(), "T")).rejected == wrong


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ("B", {"A", "C"}),
        ("b", {"a", "c"}),
        ("(B)", {"(A)", "(C)"}),
        ("B.", {"A.", "C."}),
        ("B. circle", {"A. square", "C. star"}),
        ("(b) Circle", {"(a) square", "(c) star"}),
        ("circle", {"square", "star"}),
    ],
)
def test_another_option_in_the_same_form(answer, wrong):
    found = {
        to_preference(sample(answer, AnswerSpace.choice(SHAPES), "B", key=str(number))).rejected
        for number in range(20)
    }
    assert found == wrong


def test_another_number():
    found = {
        to_preference(sample("2.", AnswerSpace.count(3, 1), "2", key=str(n))).rejected for n in range(20)
    }
    assert found == {"1.", "3."}


def test_the_choice_is_fixed_by_seed_and_id():
    def wrong(seed: int) -> list[str]:
        samples = [sample("B", AnswerSpace.choice(SHAPES), "B", key=str(number)) for number in range(20)]
        return [preference.rejected for preference in build_pairs(samples, seed)[0]]

    assert wrong(0) == wrong(0) != wrong(1)


def test_the_rest_of_the_sample_stays():
    one = sample("Yes", AnswerSpace.yes_no(), "yes", weight=2.0)
    preference = to_preference(one)
    assert (preference.question, preference.chosen, preference.weight) == (one.question, "Yes", 2.0)
    assert preference.rejected_images is None


@pytest.mark.parametrize(
    ("answer", "space", "gold"),
    [
        ("a cat", AnswerSpace.text(), None),
        ("Yes, a big red one.", AnswerSpace.yes_no(), "yes"),
        ("certainly", AnswerSpace.yes_no(), "yes"),
        ("the second", AnswerSpace.choice(SHAPES), "B"),
        ("B. star", AnswerSpace.choice(SHAPES), "B"),
        ("C", AnswerSpace.choice(SHAPES), "B"),
        ("two", AnswerSpace.count(3), "2"),
        ("1", AnswerSpace.count(1, 1), "1"),
    ],
)
def test_what_can_not_be_paired_is_named(answer, space, gold):
    with pytest.raises(RecordError, match=r"q1: no wrong answer is known to"):
        to_preference(sample(answer, space, gold))
    assert build_pairs([sample(answer, space, gold)])[0] == []


def test_all_that_can_not_be_paired_is_listed():
    samples = [sample("Yes", AnswerSpace.yes_no(), "yes"), sample("x", AnswerSpace.text(), None, key="q2")]
    preferences, problems = build_pairs(samples)
    assert len(preferences) == 1
    assert [problem[:3] for problem in problems] == ["q2:"]
