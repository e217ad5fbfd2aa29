import random
import re
from collections import Counter

import pytest

from halluc.benchmarks.longhalqa import BINARY_TASKS, TASKS
from halluc.miniworld.files.long_text_rows import long_text_rows
from halluc.miniworld.lessons import text_lessons
from halluc.miniworld.lessons.long_texts import GENRES
from halluc.miniworld.lessons.single_lessons import Teacher
from halluc.miniworld.scenes.facts import Eye, Facts
from halluc.miniworld.scenes.inventory import CELLS, COLOR_NAMES, KINDS, UNSEEN_COLORS
from halluc.miniworld.scenes.scene import SceneStyle, draw_scene

STYLE = SceneStyle(smallest=3, largest=5, canonical=0.5)
COLORS = (*COLOR_NAMES, *UNSEEN_COLORS)
SINGULAR = {f"{kind}s": kind for kind in KINDS} | {kind: kind for kind in KINDS}


def scenes(count=200):
    rng = random.Random(0)
    return rng, [Facts(draw_scene(rng, STYLE, "train")) for _ in range(count)]


def is_true(text, facts):
    """Judge a text by its words, independently of how it was made."""
    turns = re.findall(r"([A-Z][^?]+)\? ([^.?]+)\.", text)
    if turns:
        return all(turn_is_true(question, answer, facts) for question, answer in turns)
    return all(phrase_is_true(phrase, facts) for phrase in text.rstrip(".").split(", "))


def phrase_is_true(phrase, facts):
    words = re.findall(r"\w+", phrase)
    (kind,), (color,) = [w for w in words if w in KINDS], [w for w in words if w in COLORS]
    cell = next(index for index, name in enumerate(CELLS) if phrase.endswith(name))
    thing = facts.scene.things[cell]
    return thing is not None and (thing.kind, thing.color) == (kind, color)


def turn_is_true(question, answer, facts):
    (kind,) = [SINGULAR[word] for word in re.findall(r"\w+", question) if word in SINGULAR]
    found = [(cell, thing) for cell, thing in facts.scene.placed() if thing.kind == kind]
    if question.startswith("How many"):
        return len(found) == int(answer)
    if question.startswith("Where"):
        return any(CELLS[cell] == answer for cell, _ in found)
    return any(thing.color == answer for _, thing in found)


@pytest.mark.parametrize("genre", GENRES, ids=lambda genre: genre.name)
def test_true_texts_are_true_and_flawed_ones_are_not(genre):
    rng, drawn = scenes()
    flaws = Counter()
    for facts in drawn:
        assert is_true(genre.true_text(facts, rng), facts)
        text, part = genre.flawed_text(facts, Eye(rng))
        assert not is_true(text, facts), text
        assert not part.believed
        flaws[part.flaw] += 1
    assert len(flaws) == len(genre.flaws)
    assert min(flaws.values()) > 20


@pytest.mark.parametrize("genre", GENRES, ids=lambda genre: genre.name)
def test_a_careless_eye_believes_some_flaws(genre):
    rng, drawn = scenes()
    eye = Eye(rng, habit=0.9, expectation=1.0)
    believed = [genre.flawed_part(facts, eye).believed for facts in drawn]
    assert 0.05 < sum(believed) / len(believed) < 0.9


def test_rows_ask_every_task_and_their_answers_are_true():
    rng, drawn = scenes(60)
    for facts in drawn:
        asked = Counter()
        for task, row in long_text_rows(facts, rng):
            asked[task] += 1
            text = row["question"].split("? " if "continues" in row["question"] else "content? ", 1)[-1]
            if task in BINARY_TASKS:
                assert is_true(text, facts) is (row["answer"] == "Yes")
                assert bool(row["hallucination_type"]) is (row["answer"] == "No")
                continue
            options = {letter: row[f"choice_{letter.lower()}"] for letter in "ABCD"}
            assert len(set(options.values())) == 4
            assert [letter for letter in "ABCD" if is_true(options[letter], facts)] == [row["answer"]]
            if "complete" in task:
                assert not text or is_true(text, facts)
        assert set(asked) == set(TASKS)
        assert all(asked[task] == (2 if task in BINARY_TASKS else 1) for task in TASKS)


def test_an_honest_teacher_answers_truly():
    rng, drawn = scenes()
    teacher = Teacher(rng, Eye(rng))
    answers = Counter()
    for facts in drawn:
        lesson = text_lessons.match_conversation(facts, teacher)
        assert is_true(lesson.parts[1], facts) is (lesson.answer == "Yes")
        answers[lesson.answer] += 1
        lesson = text_lessons.choose_description(facts, teacher)
        options = {part[0]: part[3:] for part in lesson.parts[1:5]}
        assert [letter for letter in "ABCD" if is_true(options[letter], facts)] == [lesson.answer]
    assert 70 < answers["Yes"] < 130
