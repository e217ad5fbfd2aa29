import pytest

from halluc.benchmarks.gates import due_behind_gates, gates, unasked
from halluc.data.records import AnswerSpace, Prediction, Question


def question(name, gold="yes", **tags):
    return Question(id=name, images=(), prompt="?", space=AnswerSpace.yes_no(), gold=gold, tags=tags)


def sequence(name):
    return [
        question(f"{name}/coarse", sequence=name, part="coarse"),
        question(f"{name}/fine/0", sequence=name, part="fine"),
        question(f"{name}/fine/1", sequence=name, part="fine"),
    ]


QUESTIONS = [*sequence("s"), *sequence("t"), question("plain", subset="gc_mat")]


def answered(**parsed):
    ids = {name.replace("_", "/"): value for name, value in parsed.items()}
    return {name: Prediction(id=name, text=value or "hm", parsed=value) for name, value in ids.items()}


def ids(questions):
    return [question.id for question in questions]


def test_coarse_questions_and_ungated_ones_come_first():
    assert ids(due_behind_gates(QUESTIONS, {})) == ["s/coarse", "t/coarse", "plain"]


@pytest.mark.parametrize("wrong", ["no", None])
def test_then_the_fine_ones_behind_open_gates(wrong):
    known = answered(s_coarse="yes", t_coarse=wrong, plain="no")
    assert gates(QUESTIONS, known) == {"s": True, "t": False}
    assert ids(due_behind_gates(QUESTIONS, known)) == ["s/fine/0", "s/fine/1"]
    known |= answered(s_fine_0="yes")
    assert ids(due_behind_gates(QUESTIONS, known)) == ["s/fine/1"]
    known |= answered(s_fine_1="no")
    assert due_behind_gates(QUESTIONS, known) == []


def test_a_gate_that_is_not_answered_yet_is_neither_open_nor_closed():
    known = answered(s_coarse="yes")
    assert gates(QUESTIONS, known) == {"s": True}
    assert ids(due_behind_gates(QUESTIONS, known)) == ["s/fine/0", "s/fine/1", "t/coarse", "plain"]


def test_a_sequence_that_was_begun_is_finished_whatever_its_gate_says():
    known = answered(s_coarse="no", s_fine_0="yes", t_coarse="no", plain="no")
    assert ids(due_behind_gates(QUESTIONS, known)) == ["s/fine/1"]
    assert unasked(QUESTIONS, known) == {"t/fine/0", "t/fine/1"}


def test_only_a_closed_gate_makes_questions_needless():
    assert unasked(QUESTIONS, {}) == frozenset()
    assert unasked(QUESTIONS, answered(s_coarse="yes")) == frozenset()
    assert unasked(QUESTIONS, answered(s_coarse="no")) == {"s/fine/0", "s/fine/1"}


def test_a_coarse_question_without_a_response_closes_nothing():
    known = {"s/coarse": Prediction(id="s/coarse", text=None)}
    assert unasked(QUESTIONS, known) == frozenset()
    missing = answered(s_coarse="no") | {"s/fine/0": Prediction(id="s/fine/0", text=None)}
    assert unasked(QUESTIONS, missing) == {"s/fine/0", "s/fine/1"}
