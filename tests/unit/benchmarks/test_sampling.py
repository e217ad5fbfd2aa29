from collections import Counter

import pytest

from halluc.benchmarks.sampling import choose_questions
from halluc.data.records import AnswerSpace, Question
from halluc.errors import ConfigError


def question(name, *images, group="", **tags):
    return Question(
        id=name, images=images, prompt="?", space=AnswerSpace.yes_no(), gold="yes", tags=tags, group=group
    )


def choose(questions, images_per_epoch=None, select_fraction=0.5, seed=0):
    return choose_questions(
        questions, images_per_epoch=images_per_epoch, select_fraction=select_fraction, seed=seed
    )


POPE = [
    question(f"{subset}/{image}/{k}", f"{image}.jpg", subset=subset)
    for subset in ("random", "popular", "adversarial")
    for image in range(100)
    for k in range(6)
]


def test_parts_share_no_image_and_hold_all_questions_of_an_image():
    asked = choose(POPE, images_per_epoch=20)
    select, report = ({q.images for q in part} for part in (asked.select, asked.report))
    assert len(select) == len(report) == 10
    assert not select & report
    assert Counter(q.tags["subset"] for q in asked.report) == dict.fromkeys(
        ("random", "popular", "adversarial"), 60
    )


def test_same_seed_same_questions_other_seed_others():
    assert choose(POPE, 20) == choose(POPE, 20)
    assert choose(POPE, 20) != choose(POPE, 20, seed=1)


def test_published_order_is_kept():
    order = {q.id: i for i, q in enumerate(POPE)}
    positions = [order[q.id] for q in choose(POPE, 30).report]
    assert positions == sorted(positions)


def test_a_rare_task_reaches_both_parts():
    questions = [question(str(i), f"{i}", task="rare" if i < 3 else "common") for i in range(500)]
    for fraction in (0.3, 0.5, 0.8):
        asked = choose(questions, 20, fraction)
        for part in (asked.select, asked.report):
            assert Counter(q.tags["task"] for q in part)["rare"] >= 1


def test_strata_are_drawn_in_proportion():
    questions = [question(str(i), f"{i}", mode="base" if i < 300 else "ccs") for i in range(400)]
    modes = Counter(q.tags["mode"] for q in choose(questions, 40).all)
    assert 28 <= modes["base"] <= 32


def test_images_linked_through_a_sequence_stay_together():
    questions = [question("s1", "a", "b"), question("s2", "b", "c"), question("s3", "d"), question("s4", "e")]
    asked = choose(questions)
    part = asked.select if any(q.id == "s1" for q in asked.select) else asked.report
    assert {"s1", "s2"} <= {q.id for q in part}


def test_one_linked_set_is_reported_and_not_selected_on(caplog):
    asked = choose([question("s1", "a", "b"), question("s2", "b")])
    assert asked.select == ()
    assert len(asked.report) == 2
    assert "share images" in caplog.text


def test_text_only_questions_are_split_by_group():
    asked = choose([question(str(i), group=str(i // 2)) for i in range(8)])
    assert not {q.group for q in asked.select} & {q.group for q in asked.report}


@pytest.mark.parametrize(("fraction", "images"), [(0.0, 10), (1.0, 10), (0.5, 1)])
def test_impossible_settings_are_refused(fraction, images):
    with pytest.raises(ConfigError):
        choose(POPE, images, fraction)
