from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halluc.builders.coco import SceneAnnotation
from halluc.builders.pope import STRATEGIES, ObjectStatistics, poll, pope_records, sample_scenes
from halluc.errors import ConfigError, UnknownOptionError

NAMES = ["apple", "boat", "cat", "dog", "egg", "fork", "goat", "hat"]


def scenes_of(*object_lists: str) -> list[SceneAnnotation]:
    return [
        SceneAnnotation(image=f"{number}.jpg", counts=dict(Counter(names.split())))
        for number, names in enumerate(object_lists)
    ]


@st.composite
def annotation_lists(draw):
    lists = draw(st.lists(st.lists(st.sampled_from(NAMES), unique=True, max_size=6), min_size=1, max_size=8))
    return scenes_of(*(" ".join(names) for names in lists))


def naive_ranking(strategy, drawn, positive):
    """Rank candidate negatives the slow way: every pair of objects of every picture is looked at."""
    score = Counter()
    for scene in drawn:
        if strategy == "popular":
            for name in scene.counts:
                score[name] += 1
        else:
            for one, other in combinations(scene.counts, 2):
                for left, right in ((one, other), (other, one)):
                    if left == positive:
                        score[right] += 1
    return sorted(score, key=lambda name: (-score[name], name))


@settings(deadline=None, max_examples=50)
@given(annotation_lists(), st.sampled_from(STRATEGIES), st.integers(0, 5))
def test_polling_rule_holds(annotations, strategy, seed):
    questions = poll(annotations, strategies=[strategy], seed=seed)
    kept = [scene for scene in annotations if len(scene.counts) >= 3]
    seen = {name for scene in kept for name in scene.counts}
    for scene in kept:
        asked = [question for question in questions if question.image == scene.image]
        positives, negatives = asked[::2], asked[1::2]
        assert len(positives) == len(negatives) <= 3
        assert [question.object for question in positives] == list(scene.objects[: len(positives)])
        assert all(question.present for question in positives)
        assert not any(question.present or question.object in scene.counts for question in negatives)
        assert len({question.object for question in asked}) == len(asked)
        if len(positives) < 3:  # only where nothing absent is left to ask about
            assert seen <= set(scene.counts) | {question.object for question in negatives}
    assert {question.image for question in questions} <= {scene.image for scene in kept}


@settings(deadline=None, max_examples=50)
@given(annotation_lists(), st.sampled_from(["popular", "adversarial"]))
def test_ranked_negatives_agree_with_a_naive_implementation(annotations, strategy):
    drawn = [scene for scene in annotations if len(scene.counts) >= 3]
    questions = poll(annotations, strategies=[strategy])
    for scene in drawn:
        asked = [question for question in questions if question.image == scene.image]
        excluded = set(scene.counts)
        for positive, negative in zip(asked[::2], asked[1::2], strict=True):
            candidates = [
                name for name in naive_ranking(strategy, drawn, positive.object) if name not in excluded
            ]
            if candidates:
                assert negative.object == candidates[0]
            excluded.add(negative.object)


def test_popular_and_adversarial_by_hand():
    annotations = scenes_of("cat dog egg", "cat dog fork", "cat dog fork", "cat goat hat", "boat hat goat")
    questions = poll(annotations, strategies=["popular"], sample_num=1, min_objects=3)
    # pictures: cat 4, dog 3, then fork, goat, hat with 2 each (by name), then boat, egg
    assert [q.object for q in questions if not q.present] == ["fork", "goat", "goat", "dog", "cat"]
    adversarial = poll(annotations, strategies=["adversarial"], sample_num=1, min_objects=3)
    # with cat: dog 3, fork 2, egg 1, goat 1, hat 1; with boat: goat 1, hat 1, both present, so random
    negatives = [q.object for q in adversarial if not q.present]
    assert negatives[:4] == ["fork", "egg", "egg", "dog"]
    assert negatives[4] in {"cat", "dog", "egg", "fork"}


def test_statistics_are_taken_over_the_drawn_pictures_only():
    annotations = scenes_of("cat dog egg", "boat cat fork", "boat goat", "boat goat", "boat goat")
    questions = poll(annotations, strategies=["popular"])  # the last three have too few objects
    assert "goat" not in {question.object for question in questions}
    assert questions[1].object == "boat"  # boat and fork occur once each


def test_mixed_strategies_take_turns_across_pictures():
    annotations = scenes_of("cat dog", "egg fork", "goat hat")
    questions = poll(annotations, strategies=STRATEGIES, min_objects=1)
    assert [question.strategy for question in questions[::2]] == [*STRATEGIES, *STRATEGIES]


def test_random_negatives_are_about_uniform():
    annotations = scenes_of(*(["cat dog egg"] * 300), "boat fork goat")
    found = Counter(q.object for q in poll(annotations, strategies=["random"], sample_num=1) if not q.present)
    assert set(found) >= {"boat", "fork", "goat"}
    assert all(
        70 <= found[name] <= 130 for name in ("boat", "fork", "goat")
    )  # 100 each, 8 apart at one sigma


def test_a_picture_with_every_object_asks_less_and_says_so(caplog):
    questions = poll(scenes_of("cat dog egg", "cat dog egg boat"), strategies=["random"])
    assert [(q.image, q.object, q.present) for q in questions] == [
        ("0.jpg", "cat", True),
        ("0.jpg", "boat", False),
    ]
    assert "2 of 2 pictures ran out" in caplog.text


def test_the_vocabulary_is_the_last_resort():
    questions = poll(scenes_of("cat dog"), strategies=["popular"], min_objects=1, vocabulary={"cat", "kite"})
    assert [q.object for q in questions] == ["cat", "kite"]


def test_same_seed_same_questions_and_order_of_the_file_does_not_matter():
    annotations = scenes_of("cat dog egg", "boat cat fork", "goat hat dog", "egg hat boat")
    one = poll(annotations, strategies=["random"], seed=3)
    assert one == poll(annotations, strategies=["random"], seed=3)
    assert set(one) == set(poll(annotations[::-1], strategies=["random"], seed=3))
    assert one != poll(annotations, strategies=["random"], seed=4)


def test_drawn_pictures_keep_their_order():
    annotations = scenes_of(*["cat dog egg"] * 30)
    drawn = sample_scenes(annotations, 10, seed=1)
    assert len({scene.image for scene in drawn}) == 10
    assert drawn == [scene for scene in annotations if scene in drawn]
    assert drawn != sample_scenes(annotations, 10, seed=2)
    assert sample_scenes(annotations, 31, seed=1) == sample_scenes(annotations, None, seed=1) == annotations


def test_published_rows():
    rows = pope_records(
        poll(scenes_of("apple dog"), strategies=["random"], min_objects=1, vocabulary=["hat"])
    )
    assert rows == [
        {"question_id": 1, "image": "0.jpg", "text": "Is there an apple in the image?", "label": "yes"},
        {"question_id": 2, "image": "0.jpg", "text": "Is there a hat in the image?", "label": "no"},
    ]


def test_statistics_break_ties_by_name():
    statistics = ObjectStatistics(scenes_of("dog cat", "cat dog", "egg"))
    assert statistics.by_frequency == ("cat", "dog", "egg")
    assert statistics.mates == {"cat": ("dog",), "dog": ("cat",), "egg": ()}


def test_wrong_options_are_refused():
    with pytest.raises(UnknownOptionError, match=r"'hard'.*adversarial, popular, random"):
        poll([], strategies=["hard"])
    with pytest.raises(ConfigError, match="no strategy"):
        poll([], strategies=[])
    with pytest.raises(ConfigError, match="sample_num is 0"):
        poll([], strategies=["random"], sample_num=0)


def test_no_picture_no_question():
    assert poll([], strategies=["random"]) == []
