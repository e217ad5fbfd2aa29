"""Sharing the prefix's keys and values changes no answer, in every family that allows it."""

from collections.abc import Callable, Sequence

import pytest
import torch

from halluc.answering.generate import GreedyAnswerer
from halluc.answering.shared_prefix import SharedPrefixAnswerer
from halluc.data.records import AnswerSpace, Question
from halluc.models.families.prefix_cache import PrefixCache
from halluc.models.families.trees.table import TREES
from halluc.models.lvlm import Lvlm

SHARING = sorted(family for family, hooks in TREES.items() if hooks.continues_from_cache)
PROMPTS = (
    "Is there a red cat in the picture?",
    "How many boats do you see? Answer with one number.",
    "What colour is the lamp?",
)


def questions(pictures: Sequence[str]) -> list[Question]:
    """Ask about one picture, another, two at once and none, mixed up; one prompt begins another."""
    first, second, _ = pictures
    asked = [((first,), prompt) for prompt in PROMPTS]
    asked += [((), "Is a boat red?"), ((first, second), PROMPTS[0]), ((second,), PROMPTS[1])]
    asked += [((first, second), PROMPTS[1]), ((), "Is a boat red? Is it?"), ((first,), PROMPTS[0] + " Why?")]
    return [
        Question(id=str(number), images=images, prompt=prompt, space=AnswerSpace.text())
        for number, (images, prompt) in enumerate(asked)
    ]


def texts(answerer: GreedyAnswerer, asked: Sequence[Question]) -> list[str | None]:
    predictions = list(answerer.answer(asked))
    assert [prediction.id for prediction in predictions] == [question.id for question in asked]
    return [prediction.text for prediction in predictions]


def test_nine_families_share():
    assert len(SHARING) == 9
    assert set(TREES) - set(SHARING) == {"gemma3", "mllama"}


@pytest.mark.parametrize("family", SHARING)
def test_answers_are_those_of_plain_generation(
    family: str, tiny_lvlm: Callable[..., Lvlm], pictures: tuple[str, ...], caches: list[int]
):
    lvlm = tiny_lvlm(family)
    asked = questions(pictures)

    plain = texts(GreedyAnswerer(lvlm, batch_size=1, max_new_tokens=8), asked)
    shared = texts(SharedPrefixAnswerer(lvlm, max_new_tokens=8), asked)

    assert shared == plain
    assert len(set(plain)) > 3  # a model that always says the same would prove nothing
    assert caches == [4, 2, 2]  # the first picture, none, and both; the other picture has one question


def test_a_wrong_position_shows(
    tiny_lvlm: Callable[..., Lvlm], pictures: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
):
    lvlm = tiny_lvlm()
    asked = questions(pictures)
    plain = texts(GreedyAnswerer(lvlm, max_new_tokens=8), asked)
    right = SharedPrefixAnswerer._prefix

    def shifted(*arguments: object) -> tuple[torch.Tensor, PrefixCache]:
        position, cache = right(*arguments)
        return position + 40, cache

    monkeypatch.setattr(SharedPrefixAnswerer, "_prefix", shifted)

    assert texts(SharedPrefixAnswerer(lvlm, max_new_tokens=8), asked) != plain


@pytest.mark.parametrize("family", ["gemma3", "mllama", "paligemma"])
def test_other_families_generate_as_usual(
    family: str, tiny_lvlm: Callable[..., Lvlm], pictures: tuple[str, ...], caches: list[int]
):
    lvlm = tiny_lvlm(family)
    asked = questions(pictures)[:3]

    plain = texts(GreedyAnswerer(lvlm, max_new_tokens=3), asked)

    assert texts(SharedPrefixAnswerer(lvlm, max_new_tokens=3), asked) == plain
    assert caches == []


def test_an_answer_stops_where_its_turn_ends(
    tiny_lvlm: Callable[..., Lvlm], pictures: tuple[str, ...], caplog: pytest.LogCaptureFixture
):
    """The model is made to end its turn with the second token, or never."""
    lvlm = tiny_lvlm()
    asked = questions(pictures)[:3]
    yes = lvlm.encoder.answer_ids(asked[0], "Yes")[0]
    said = iter([0, yes, lvlm.encoder.end_of_turn_id, *[yes] * 20])

    def force(module: object, arguments: object, output):
        output.logits = torch.zeros_like(output.logits)
        output.logits[..., next(said)] = 1.0
        return output

    lvlm.hf_model.register_forward_hook(force)
    assert texts(SharedPrefixAnswerer(lvlm, max_new_tokens=5), asked) == ["Yes"] * 3
    assert "cut" not in caplog.text
    said = iter([yes] * 20)
    assert texts(SharedPrefixAnswerer(lvlm, max_new_tokens=2), asked) == ["YesYes"] * 3
    assert "3 of 3 answers were cut" in caplog.text
