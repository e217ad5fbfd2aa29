from types import SimpleNamespace

import pytest
import torch

from halluc.callbacks.asking import answers, ask
from halluc.callbacks.stop_request import StopRequest
from halluc.data.records import AnswerSpace, Prediction, Question
from halluc.errors import RunInterruptedError

QUESTIONS = [
    Question(id=name, images=(), prompt="?", space=AnswerSpace.yes_no(), gold="yes") for name in "abcd"
]


class Rounds:
    """Ask a and b first, then c; d is never wanted."""

    max_pixels = 99

    def due(self, questions, predictions):
        wanted = ("a", "b") if not {"a", "b"} <= predictions.keys() else ("c",)
        return [q for q in questions if q.id in wanted and q.id not in predictions]

    def read(self, question, text):
        return text.lower()


class Echo:
    """Answer with the id in capitals, and note what was asked."""

    def __init__(self):
        self.asked = []

    def answer(self, questions, max_pixels=None):
        self.asked.append(([question.id for question in questions], max_pixels))
        for question in questions:
            yield Prediction(id=question.id, text=question.id.upper())


@pytest.fixture
def module():
    modes = []
    trainer = SimpleNamespace(world_size=1)
    return SimpleNamespace(
        global_rank=0,
        trainer=trainer,
        device=torch.device("cpu"),
        training=True,
        eval=lambda: modes.append("eval"),
        train=modes.append,
        modes=modes,
    )


def test_rounds_follow_from_what_is_answered():
    echo, known = Echo(), {}
    found = list(answers(Rounds(), QUESTIONS, echo, known))
    assert echo.asked == [(["a", "b"], 99), (["c"], 99)]
    assert [(p.id, p.parsed) for p in found] == [("a", "a"), ("b", "b"), ("c", "c")]
    assert list(known.values()) == found


def test_what_is_known_is_not_asked_again():
    echo = Echo()
    known = {"a": Prediction(id="a", text="A", parsed="a")}
    list(answers(Rounds(), QUESTIONS, echo, known))
    assert [asked for asked, _ in echo.asked] == [["b"], ["c"]]


def test_an_answerer_that_leaves_questions_out_is_found_out():
    silent = SimpleNamespace(answer=lambda questions, max_pixels: iter(()))
    with pytest.raises(ValueError, match="shorter"):
        list(answers(Rounds(), QUESTIONS, silent, {}))


def test_predictions_come_in_order_without_what_was_not_asked(module):
    found = ask(Rounds(), QUESTIONS[::-1], answerer=Echo(), module=module, stop=StopRequest(), title="x")
    assert [prediction.id for prediction in found] == ["c", "b", "a"]
    assert module.modes == ["eval", True]


def test_a_stop_between_questions_ends_all_rounds(module):
    stop, echo = StopRequest(), Echo()
    stop._requested = True
    with pytest.raises(RunInterruptedError):
        ask(Rounds(), QUESTIONS, answerer=echo, module=module, stop=stop, title="x")
    assert len(echo.asked) == 1
