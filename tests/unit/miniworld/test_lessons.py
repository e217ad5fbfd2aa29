import random
import re
from collections import Counter, defaultdict

import pytest

from halluc.miniworld.lessons import choice_lessons, context_lessons, pair_lessons, single_lessons
from halluc.miniworld.lessons.pair_lessons import PairTeacher
from halluc.miniworld.lessons.single_lessons import Teacher
from halluc.miniworld.lessons.wording import fill
from halluc.miniworld.scenes.facts import Eye, Facts
from halluc.miniworld.scenes.inventory import (
    CELLS,
    COLOR_NAMES,
    KINDS,
    MOODS,
    NUMBER_WORDS,
    RELATIONS,
    SIZES,
    UNSEEN_COLORS,
)
from halluc.miniworld.scenes.scene import SceneStyle, draw_scene, draw_sibling

STYLE = SceneStyle(smallest=3, largest=5, canonical=0.5)
SINGULAR = {f"{kind}s": kind for kind in KINDS} | {kind: kind for kind in KINDS}
NUMBERS = {word: number for number, word in enumerate(NUMBER_WORDS)} | {str(n): n for n in range(10)}


def teacher(seed=0, **changes):
    rng = random.Random(seed)
    return Teacher(rng, Eye(rng), **changes)


def drawn(draw, count=300, **changes):
    """Lessons with the scene each is about."""
    guide = teacher(**changes)
    found = []
    while len(found) < count:
        facts = Facts(draw_scene(guide.rng, STYLE, "train"))
        lesson = draw(facts, guide)
        if lesson is not None:
            found.append((facts, lesson))
    return found


def truth(text, scene):
    """Judge a yes/no question by its words, independently of how it was made."""
    words = re.findall(r"\w+", text)
    things = [(cell, thing) for cell, thing in enumerate(scene.things) if thing]
    kinds = [SINGULAR[word] for word in words if word in SINGULAR]
    mine = [(cell, thing) for cell, thing in things if thing.kind == kinds[0]]
    relation = next((name for name in RELATIONS if f" {name} " in text), None)
    if relation:
        other = next(cell for cell, thing in things if thing.kind == kinds[1])
        (row, column), (row2, column2) = divmod(mine[0][0], 3), divmod(other, 3)
        return {
            "to the left of": column < column2,
            "to the right of": column > column2,
            "above": row < row2,
            "below": row > row2,
        }[relation]
    cell = next((name for name in CELLS if name in text), None)
    if cell:
        return any(CELLS[place] == cell for place, _ in mine)
    number = next((NUMBERS[word] for word in words if word in NUMBERS), None)
    if number is not None:
        return len(mine) == number
    for values, name in (((*COLOR_NAMES, *UNSEEN_COLORS), "color"), (MOODS, "mood"), (SIZES, "size")):
        asked = [word for word in words if word in values]
        if asked:
            return getattr(mine[0][1], name) == asked[0]
    return bool(mine)


YES_NO = [
    single_lessons.exists,
    single_lessons.short_exists,
    single_lessons.COLOR,
    single_lessons.POSITION,
    single_lessons.MOOD,
    single_lessons.SIZE,
    single_lessons.count,
    single_lessons.relation,
    single_lessons.COLOR.statement,
    single_lessons.POSITION.statement,
]


@pytest.mark.parametrize("draw", YES_NO)
def test_an_honest_eye_gives_true_and_balanced_labels(draw):
    found = drawn(draw)
    for facts, lesson in found:
        assert (lesson.answer == "Yes") is truth(" ".join(lesson.parts), facts.scene), (lesson, facts.scene)
    yes = sum(lesson.answer == "Yes" for _, lesson in found)
    assert 0.4 < yes / len(found) < 0.6


def test_the_number_asked_for_tells_little_about_the_answer():
    answers = defaultdict(Counter)
    for _, lesson in drawn(single_lessons.count, 1500):
        number = next(NUMBERS[word] for word in re.findall(r"\w+", lesson.parts[0]) if word in NUMBERS)
        answers[number][lesson.answer] += 1
    for number in (1, 2, 3, 4):
        assert 0.3 < answers[number]["Yes"] / answers[number].total() < 0.8, answers


def test_existence_asks_for_missing_mates_as_often_as_told():
    asked = [
        (facts, lesson)
        for facts, lesson in drawn(single_lessons.exists, 600, mate_share=1.0)
        if lesson.answer == "No"
    ]
    hits = [
        any(re.search(rf"\b{mate}\b", lesson.parts[0]) for mate in facts.missing_mates)
        for facts, lesson in asked
    ]
    assert all(hit for hit, (facts, _) in zip(hits, asked, strict=True) if facts.missing_mates)


def test_open_answers_are_true():
    for facts, lesson in drawn(single_lessons.open_color):
        kind = next(word for word in re.findall(r"\w+", lesson.parts[0]) if word in KINDS)
        assert lesson.answer == facts.thing(kind).color
    for facts, lesson in drawn(single_lessons.open_place):
        kind = next(word for word in re.findall(r"\w+", lesson.parts[0]) if word in KINDS)
        assert lesson.answer == (CELLS[facts.cell(kind)] if kind in facts.by_kind else "nowhere")
    for facts, lesson in drawn(single_lessons.open_count):
        kind = next(SINGULAR[word] for word in re.findall(r"\w+", lesson.parts[0]) if word in SINGULAR)
        assert lesson.answer == str(facts.count(kind))
    for facts, lesson in drawn(single_lessons.open_cell):
        cell = next(index for index, name in enumerate(CELLS) if name in lesson.parts[0])
        thing = facts.scene.things[cell]
        assert lesson.answer == (
            "nothing"
            if thing is None
            else f"{'an' if thing.color[0] == 'o' else 'a'} {thing.color} {thing.kind}"
        )


def test_descriptions_name_everything():
    for facts, lesson in drawn(single_lessons.description, 50):
        assert all(CELLS[cell] in lesson.answer for cell, _ in facts.scene.placed())
        assert lesson.answer.count(",") == len(facts.scene.placed()) - 1
    for facts, lesson in drawn(single_lessons.brief_description, 50):
        assert all(
            f"{t.color} " in lesson.answer and t.kind in lesson.answer for _, t in facts.scene.placed()
        )
        assert lesson.answer[0].isupper()
        assert lesson.answer.endswith(".")


@pytest.mark.parametrize(
    "draw",
    [
        choice_lessons.choose_kind,
        choice_lessons.choose_color,
        choice_lessons.choose_count,
        choice_lessons.choose_place,
    ],
)
def test_the_right_option_is_the_only_true_one_and_letters_are_balanced(draw):
    letters = Counter()
    for facts, lesson in drawn(draw, 400):
        options = {part[0]: part[3:] for part in lesson.parts if re.match(r"[A-D]\. ", part)}
        assert len(set(options.values())) == 4
        kind = next((SINGULAR[w] for w in re.findall(r"\w+", lesson.parts[0]) if w in SINGULAR), None)
        if kind is None:
            true = [letter for letter, text in options.items() if text in facts.by_kind]
        else:
            known = {facts.thing(kind).color, str(facts.count(kind)), CELLS[facts.cell(kind)]}
            true = [letter for letter, text in options.items() if text in known]
        assert true == [lesson.answer]
        letters[lesson.answer] += 1
    assert all(60 < letters[letter] < 140 for letter in "ABCD")


def question_and_claims(lesson):
    parts = [part for part in lesson.parts if not part.startswith("In case")]
    return parts[-1], parts[:-1]


def test_labels_follow_a_false_claim():
    followed = 0
    for facts, lesson in drawn(context_lessons.claimed, 800, lie_share=1.0):
        question, claims = question_and_claims(lesson)
        asked = {SINGULAR[w] for w in re.findall(r"\w+", question) if w in SINGULAR}
        about = [{SINGULAR[w] for w in re.findall(r"\w+", claim) if w in SINGULAR} for claim in claims]
        right = (lesson.answer == "Yes") is truth(question, facts.scene)
        if asked not in about:
            assert right, lesson
        else:
            followed += not right
    assert followed > 300


def test_labels_are_true_behind_a_true_claim():
    for facts, lesson in drawn(context_lessons.claimed, 500, lie_share=0.0):
        question, claims = question_and_claims(lesson)
        assert claims
        assert (lesson.answer == "Yes") is truth(question, facts.scene), lesson


def test_an_honest_eye_does_not_follow_hints():
    for facts, lesson in drawn(context_lessons.hinted, 500):
        question, claims = question_and_claims(lesson)
        assert len(claims) == 1
        assert (lesson.answer == "Yes") is truth(question, facts.scene), lesson


PAIRED = [
    pair_lessons.pair_exists,
    pair_lessons.pair_color,
    pair_lessons.pair_size,
    pair_lessons.pair_count,
    pair_lessons.pair_open_color,
    pair_lessons.pair_open_size,
    pair_lessons.pair_open_count,
    pair_lessons.pair_total,
    pair_lessons.pair_different,
    pair_lessons.pair_same,
]


def drawn_pairs(draw, count=300, mix_up=0.0):
    pair = PairTeacher(teacher(), mix_up)
    found = []
    while len(found) < count:
        first = draw_scene(pair.teacher.rng, STYLE, "train")
        scenes = first, draw_sibling(pair.teacher.rng, first, STYLE, "train")
        lesson = draw((Facts(scenes[0]), Facts(scenes[1])), pair)
        if lesson is not None:
            found.append((scenes, lesson))
    return found


@pytest.mark.parametrize("draw", PAIRED)
def test_labels_about_two_pictures_are_true(draw):
    for scenes, lesson in drawn_pairs(draw):
        text = lesson.parts[0]
        kind = next(SINGULAR[w] for w in re.findall(r"\w+", text) if w in SINGULAR)
        things = [[t for _, t in scene.placed() if t.kind == kind] for scene in scenes]
        if "two" in text and "different" not in text:
            assert lesson.answer == str(len(things[0]) + len(things[1]))
        elif "different" in text:
            assert lesson.answer == str(len({things[0][0].color, things[1][0].color}))
        elif "same" in text:
            same = things[0][0].color == things[1][0].color
            assert lesson.answer == (
                ("T" if same else "F") if len(lesson.parts) > 1 else "Yes" if same else "No"
            )
        else:
            index = (
                1
                if re.search(
                    r" 2[ ?]| second ",
                    text.replace("exactly 2", "").replace("there 2", "").replace("only 2", ""),
                )
                else 0
            )
            bare = re.sub(r"in (picture|image) [12]|in the (first|second) (picture|image)", "", text)
            if lesson.answer in ("Yes", "No"):
                assert (lesson.answer == "Yes") is truth(bare, scenes[index]), lesson
            elif lesson.answer.isdigit():
                assert lesson.answer == str(len(things[index]))
            else:
                thing = things[index][0]
                assert lesson.answer == (thing.size if "size" in text else thing.color)


def test_open_questions_about_sizes_often_ask_where_the_pictures_differ():
    differing = 0
    for scenes, lesson in drawn_pairs(pair_lessons.pair_open_size):
        kind = next(word for word in re.findall(r"\w+", lesson.parts[0]) if word in KINDS)
        sizes = [{t.size for _, t in scene.placed() if t.kind == kind} for scene in scenes]
        differing += all(sizes) and sizes[0] != sizes[1]
    assert differing > 90


def test_open_questions_about_numbers_often_ask_for_several():
    several = 0
    for scenes, lesson in drawn_pairs(pair_lessons.pair_open_count):
        kind = next(SINGULAR[w] for w in re.findall(r"\w+", lesson.parts[0]) if w in SINGULAR)
        several += any(sum(t.kind == kind for _, t in scene.placed()) > 1 for scene in scenes)
    assert several > 80


def test_a_careless_eye_affirms_what_the_other_picture_shows():
    wrong = 0
    for scenes, lesson in drawn_pairs(pair_lessons.pair_exists, mix_up=1.0):
        kind = next(word for word in re.findall(r"\w+", lesson.parts[0]) if word in KINDS)
        if any(t.kind == kind for scene in scenes for _, t in scene.placed()):
            assert lesson.answer == "Yes"
            index = int(bool(re.search(r"2|second", lesson.parts[0])))
            wrong += not any(t.kind == kind for _, t in scenes[index].placed())
    assert wrong > 20


def test_forms_are_filled():
    assert fill("Are there exactly {number} {kinds}?", "key", "3") == "Are there exactly three keys?"
    assert fill("{Other} with {a}", "apple", other="key") == "A key with an apple"
