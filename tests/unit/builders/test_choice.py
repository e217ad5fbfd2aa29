from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halluc.builders.choice import LARGEST_COUNT, build_choices
from halluc.builders.coco import SceneAnnotation
from halluc.errors import ConfigError

NAMES = ["apple", "boat", "cat", "dog", "egg", "fork", "skis"]


def scene(number: int, counts: dict[str, int], **more) -> SceneAnnotation:
    return SceneAnnotation(image=f"{number}.jpg", counts=counts, **more)


@st.composite
def scene_lists(draw):
    counts = st.dictionaries(st.sampled_from(NAMES), st.integers(1, 14), max_size=6)
    return [scene(number, found) for number, found in enumerate(draw(st.lists(counts, max_size=8)))]


@settings(deadline=None, max_examples=50)
@given(scene_lists(), st.integers(0, 3), st.integers(2, 5))
def test_exactly_the_gold_option_is_true(scenes, seed, options):
    counts = {one.image: one.counts for one in scenes}
    questions = build_choices(scenes, seed=seed, options=options)
    assert len({question.id for question in questions}) == len(questions)
    for question in questions:
        present = counts[question.image]
        assert 2 <= len(question.options) <= options
        assert len(set(question.options)) == len(question.options)
        if "/which/" in question.id:
            true = [text in present for text in question.options]
        else:
            true = [text == str(present[question.object]) for text in question.options]
            assert present[question.object] <= LARGEST_COUNT
            assert question.object != "skis"
        assert [index for index, fits in enumerate(true) if fits] == [question.gold]


@settings(deadline=None, max_examples=50)
@given(scene_lists(), st.integers(0, 3))
def test_letters_are_balanced_within_one(scenes, seed):
    golds: dict[int, Counter[int]] = {}
    for question in build_choices(scenes, seed=seed):
        golds.setdefault(len(question.options), Counter())[question.gold] += 1
    for size, counter in golds.items():
        found = [counter[letter] for letter in range(size)]
        assert max(found) - min(found) <= 1


def test_same_seed_same_questions():
    scenes = [scene(number, {"cat": number % 3 + 1, "dog": 1}) for number in range(9)] + [
        scene(9, {"boat": 2})
    ]
    assert build_choices(scenes, seed=1) == build_choices(scenes, seed=1)
    assert build_choices(scenes, seed=1) != build_choices(scenes, seed=2)


def test_wrong_objects_are_those_that_go_with_the_right_one():
    scenes = [
        scene(0, {"cat": 1}),
        scene(1, {"cat": 1, "dog": 1}),
        scene(2, {"cat": 1, "egg": 1}),
        scene(3, {"cat": 1, "dog": 1}),
    ]
    scenes += [scene(4, {"boat": 1}), scene(5, {"fork": 1})]
    question = next(q for q in build_choices(scenes, options=3) if q.id == "0.jpg/which/cat")
    assert set(question.options) == {"cat", "dog", "egg"}


def test_crowds_are_asked_about_but_not_counted():
    scenes = [scene(0, {"person": 1}, crowds=frozenset({"person"})), scene(1, {"dog": 1})]
    assert {q.id for q in build_choices(scenes)} == {
        "0.jpg/which/person",
        "1.jpg/which/dog",
        "1.jpg/count/dog",
    }


def test_at_most_so_many_of_a_kind():
    scenes = [scene(0, {"cat": 1, "dog": 2, "egg": 3}), scene(1, {"boat": 1})]
    kinds = Counter(q.id.split("/")[1] for q in build_choices(scenes, per_image=2) if q.image == "0.jpg")
    assert kinds == {"which": 2, "count": 2}
    assert build_choices(scenes, per_image=0) == []


def test_a_sample_learns_the_letter():
    scenes = [scene(0, {"person": 2}), scene(1, {"dog": 1})]
    question = next(q for q in build_choices(scenes, options=2) if q.id == "0.jpg/count/person")
    sample = question.sample(Path("/root"), suffix="\nLetter?")
    first, second = question.options
    assert sample.question.prompt == f"How many people are in the image?\nA. {first}\nB. {second}\nLetter?"
    assert sample.answer == sample.question.gold == "AB"[question.options.index("2")]
    assert sample.question.images == ("/root/0.jpg",)
    assert (sample.question.group, sample.question.tags) == ("0.jpg", {"task": "count"})


@pytest.mark.parametrize("options", [1, 27])
def test_number_of_options(options):
    with pytest.raises(ConfigError, match=f"options is {options}"):
        build_choices([], options=options)
