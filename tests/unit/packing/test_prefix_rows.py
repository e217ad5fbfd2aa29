"""Where sequences are cut, and that nothing is lost by it."""

import pickle
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
import torch

from halluc.data.records import Question
from halluc.models.families.trees.table import tree_hooks_for
from halluc.models.lvlm import Lvlm
from halluc.packing.plain import NO_VISION, PlainCollator
from halluc.packing.prefix_rows import PrefixCollator, common_length
from halluc.packing.sequence import ScoredSequence


@pytest.fixture
def lvlm(tiny_lvlm: Callable[..., Lvlm]) -> Lvlm:
    return tiny_lvlm("qwen2_vl")


@pytest.fixture
def collate(lvlm: Lvlm) -> Callable[..., PrefixCollator]:
    def make(rows_per_forward: int | None = None) -> PrefixCollator:
        hooks = tree_hooks_for("qwen2_vl", lvlm.family)
        return PrefixCollator(lvlm.encoder, hooks, rows_per_forward=rows_per_forward, keyed=False)

    return make


@pytest.fixture
def sequences(ask: Callable[..., Question], pictures: Sequence[str]) -> list[ScoredSequence]:
    """Ask two questions about one picture, with two answers of one token or more; one about another."""
    first, second, _ = pictures
    questions = [ask("Is there a cat?", first), ask("Is there a dog?", first), ask("Is there a cat?", second)]
    return [ScoredSequence(question, answer) for question in questions for answer in ("Yes", "No, never")]


def test_a_prefix_ends_where_questions_part(lvlm: Lvlm, collate, sequences):
    batch = collate()(sequences)

    about_first, about_second = batch.prefixes
    encoder = lvlm.encoder
    prompts = [encoder.encode_prompt(s.question, encoder.vision(s.question)) for s in sequences[::2]]
    shared = common_length(prompts[:2])
    assert tuple(about_first.input_ids[0].tolist()) == prompts[0][:shared]
    assert [len(rests.input_ids) for rests in about_first.rests] == [4]
    assert about_first.pictures == 0
    # About the second there is one question, so all of it is shared but the token that predicts the answer.
    assert tuple(about_second.input_ids[0].tolist()) == prompts[2][:-1]
    assert about_second.pictures == 1
    assert batch.branches


def test_whole_rows_are_those_of_padded_rows(lvlm: Lvlm, collate, sequences):
    (expected,) = PlainCollator(lvlm.encoder, None)(sequences[:4]).forwards
    (prefix,) = collate()(sequences[:4]).prefixes

    whole = prefix.whole(prefix.rests[0])

    assert whole.vision_index == expected.vision_index == (0, 0, 0, 0)
    for name in set(expected.__slots__) - {"vision_index"}:
        assert torch.equal(getattr(whole, name), getattr(expected, name)), name
    assert set(prefix.rests[0].vision_index) == {NO_VISION}


def test_answers_of_one_token_share_their_questions_row(collate, sequences):
    begun = [replace(s, answer=answer, ends_turn=False) for s in sequences[:3:2] for answer in ("Yes", "No")]

    (prefix,) = collate()(begun).prefixes

    assert len(prefix.rests[0].input_ids) == 2
    assert sorted(prefix.rests[0].order.tolist()) == [0, 1, 2, 3]


def test_rows_are_cut_into_forwards(collate, sequences):
    prefixes = collate(3)(sequences).prefixes

    assert [[len(rests.input_ids) for rests in prefix.rests] for prefix in prefixes] == [[3, 1], [2]]


def test_pictures_in_another_place_are_another_prefix(ask, pictures, collate):
    """No row behind a prefix may hold a picture, so a picture after other words begins a new prefix."""
    before = ask("Is there a cat?", pictures[0])
    within = replace(before, image_offsets=(9,))
    asked = [ScoredSequence(question, answer) for question in (before, within) for answer in ("Yes", "No")]

    batch = collate()(asked)

    assert [prefix.pictures for prefix in batch.prefixes] == [0, 0]
    assert batch.branches


def test_a_spoiled_batch_hides_prefixes_and_nothing_else(collate, sequences):
    batch = collate()(sequences)

    spoiled = batch.spoiled()

    assert not any(prefix.seen.any() for prefix in spoiled.prefixes)
    assert all(prefix.seen.all() for prefix in batch.prefixes)
    assert all(a.rests is b.rests for a, b in zip(spoiled.prefixes, batch.prefixes, strict=True))


def test_one_sequence_has_no_branches(collate, sequences):
    assert not collate()(sequences[:1]).branches


def test_collating_pickles(collate, sequences):
    collator = pickle.loads(pickle.dumps(collate()))

    assert torch.equal(collator(sequences).sequence_index, collate()(sequences).sequence_index)


@pytest.mark.parametrize(
    ("found", "length"), [([(1, 2, 3), (1, 2, 4, 5)], 2), ([(1, 2), (1, 2, 3)], 2), ([(1,), (2,)], 0)]
)
def test_common_length(found: list[tuple[int, ...]], length: int):
    assert common_length(found) == length
