"""Pretraining questions about longer texts: does one match the picture, which does, what continues it."""

from collections.abc import Callable

from halluc.miniworld.lessons import wording
from halluc.miniworld.lessons.choice_lessons import lettered
from halluc.miniworld.lessons.long_texts import CONVERSATION, DESCRIPTION, Genre
from halluc.miniworld.lessons.single_lessons import Lesson, Teacher, yes_no
from halluc.miniworld.scenes.facts import Eye, Facts

Draw = Callable[[Facts, Teacher], Lesson | None]


def _match(genre: Genre, size: int | None = None) -> Draw:
    def ask(facts: Facts, teacher: Teacher) -> Lesson:
        rng = teacher.rng
        if rng.random() < teacher.yes_share:
            text, said = genre.true_text(facts, rng, size), True
        else:
            text, flawed = genre.flawed_text(facts, teacher.eye, size)
            said = flawed.believed
        instruction = (wording.YES_OR_NO,) if rng.random() < 0.7 else ()
        lesson = yes_no((genre.match[0], text, *instruction), said, f"match_{genre.name}")
        return Lesson(lesson.parts, lesson.answer, lesson.name, closed=False)

    return ask


def _choose(genre: Genre, size: int) -> Draw:
    def ask(facts: Facts, teacher: Teacher) -> Lesson:
        right = genre.true_text(facts, teacher.rng, size)
        wrong = [genre.flawed_text(facts, Eye(teacher.rng), size)[0] for _ in range(3)]
        return lettered(genre.choose[0], right, wrong, teacher)

    return ask


def _complete(genre: Genre) -> Draw:
    def ask(facts: Facts, teacher: Teacher) -> Lesson:
        *beginning, right = genre.true_parts(facts, teacher.rng)[: genre.size]
        wrong = [genre.flawed_part(facts, Eye(teacher.rng)).text for _ in range(3)]
        text = genre.join([part.text for part in beginning]) if beginning else ""
        return lettered(f"{genre.complete[0]} {text}".strip(), right.text, wrong, teacher)

    return ask


match_statement = _match(DESCRIPTION, size=1)
match_description = _match(DESCRIPTION)
match_conversation = _match(CONVERSATION)
choose_description = _choose(DESCRIPTION, size=2)
choose_conversation = _choose(CONVERSATION, size=2)
complete_description = _complete(DESCRIPTION)
complete_conversation = _complete(CONVERSATION)
