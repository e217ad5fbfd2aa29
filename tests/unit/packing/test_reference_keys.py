"""A name follows from what is asked, and from nothing else."""

import pickle
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from halluc.data.records import AnswerSpace, Preparation, Question
from halluc.errors import ImageError
from halluc.models.lvlm import Lvlm
from halluc.packing.reference_keys import ReferenceKeys
from halluc.packing.sequence import ScoredSequence


@pytest.fixture
def keys(tiny_lvlm: Callable[..., Lvlm]) -> ReferenceKeys:
    return ReferenceKeys(tiny_lvlm().encoder)


@pytest.fixture
def sequence(pictures: tuple[str, ...]) -> ScoredSequence:
    question = Question(
        id="1", images=pictures[:1], prompt="Is there a cat?", space=AnswerSpace.yes_no(), group="g"
    )
    return ScoredSequence(question, "Yes")


def asking(sequence: ScoredSequence, **fields: object) -> ScoredSequence:
    return replace(sequence, question=replace(sequence.question, **fields))


def test_other_content_is_another_name(
    keys: ReferenceKeys, sequence: ScoredSequence, pictures: tuple[str, ...]
):
    others = [
        sequence,
        replace(sequence, answer="No"),
        replace(sequence, ends_turn=False),
        asking(sequence, images=pictures[1:2]),
        asking(sequence, images=pictures[:2]),
        asking(sequence, images=(pictures[1], pictures[0])),
        asking(sequence, images=()),
        asking(sequence, image_offsets=(3,)),
        asking(sequence, prompt="Is there a dog?"),
        asking(sequence, system="Be brief."),
        asking(sequence, preparation=Preparation.SQUARE),
        replace(asking(sequence, prompt="Is there a cat?Yes"), answer=""),
    ]
    names = [*keys(others), *keys([sequence], max_pixels=100)]
    assert len(set(names)) == len(names)


def test_where_a_picture_lies_and_how_a_question_is_filed_do_not_matter(
    keys: ReferenceKeys, sequence: ScoredSequence, tmp_path: Path
):
    copy = shutil.copy(sequence.question.images[0], tmp_path / "copy.png")

    moved = asking(sequence, id="2", images=(str(copy),), gold="yes", group="h", tags={"subset": "s"})

    assert keys([moved]) == keys([sequence])


def test_a_picture_that_changes_in_its_place_is_another_name(
    keys: ReferenceKeys, sequence: ScoredSequence, pictures: tuple[str, ...], tmp_path: Path
):
    path = tmp_path / "changing.png"
    names = []
    for source in pictures[:2]:
        shutil.copy(source, path)
        names += keys([asking(sequence, images=(str(path),))])
    assert names[0] != names[1]


def test_processor_settings_and_picture_bound_are_part_of_the_name(
    tiny_lvlm: Callable[..., Lvlm], keys: ReferenceKeys, sequence: ScoredSequence
):
    lvlm = tiny_lvlm()
    assert ReferenceKeys(lvlm.encoder)([sequence]) == keys([sequence])  # another load is no other name
    lvlm.processor.image_processor.image_mean = [0.1, 0.2, 0.3]

    names = {
        *keys([sequence]),
        *ReferenceKeys(lvlm.encoder)([sequence]),
        *ReferenceKeys(tiny_lvlm(max_pixels=56 * 56).encoder)([sequence]),
    }
    assert len(names) == 3


def test_it_pickles(keys: ReferenceKeys, sequence: ScoredSequence):
    assert pickle.loads(pickle.dumps(keys))([sequence]) == keys([sequence])


def test_a_missing_picture_is_named(keys: ReferenceKeys, sequence: ScoredSequence):
    with pytest.raises(ImageError, match=r"/nowhere\.png"):
        keys([asking(sequence, images=("/nowhere.png",))])
