from pathlib import Path

import pytest

from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.gated_sequences import options_in, questions_of, responses_of
from halluc.errors import ImageError, RecordError

FINE = [
    {"question": "Is it red?", "gold": "yes", "attribute": "colour", "image": 1},
    {"question": "Blue?", "gold": "No"},
]


def sequence(**changes):
    record = {
        "sequence_id": "s1",
        "task": "oc_cnt",
        "images": ["a.png", "b.png", "c.png"],
        "coarse": {"type": "count", "question": "How many cups?", "gold": 2},
        "fine": FINE,
    }
    return Row({**record, **changes}, Path("gated.jsonl"), 5)


def make(row, root=Path("/data/images")):
    return list(questions_of(row, root, lambda text: f"\n{text}"))


def coarse(kind, question, gold, **more):
    return sequence(coarse={"type": kind, "question": question, "gold": gold, **more})


def test_a_sequence_becomes_a_coarse_and_its_fine_questions():
    first, *fine = make(sequence())
    assert [q.id for q in (first, *fine)] == ["s1/coarse", "s1/fine/0", "s1/fine/1"]
    assert first.prompt == "\nHow many cups?"
    assert first.space.candidates == ("1", "2", "3")
    assert (first.gold, fine[0].gold, fine[1].gold) == ("2", "yes", "no")
    assert {q.group for q in (first, *fine)} == {"a.png|b.png|c.png"}
    assert all(q.images == tuple(f"/data/images/{x}.png" for x in "abc") for q in (first, *fine))
    assert fine[0].tags == {
        "subset": "gated",
        "sequence": "s1",
        "task": "oc_cnt",
        "part": "fine",
        "attribute": "colour",
        "image": "1",
    }


@pytest.mark.parametrize("gold", ["B", "B) 1 and 3", " B)"])
def test_grouping_gold_is_a_letter_of_the_options(gold):
    (first, *_) = make(coarse("choice", "Which? A) 1 and 2; B) 1 and 3; C) None.", gold))
    assert first.gold == "B"
    assert first.space.options == ("1 and 2", "1 and 3", "None.")


def test_grouping_with_an_options_field_or_none_at_all():
    (first, *_) = make(coarse("choice", "Which?", "B", options=["x", "y"]))
    assert first.space.options == ("x", "y")
    (first, *_) = make(coarse("choice", "Which?", "D) None"))
    assert first.space.candidates == ("A", "B", "C", "D")


@pytest.mark.parametrize("gold", ["T", "true", True])
def test_true_false_gold(gold):
    (first, *_) = make(coarse("true_false", "Same?", gold))
    assert first.gold == "T"


@pytest.mark.parametrize("fine", [[], None])
def test_a_sequence_without_fine_questions_is_rejected(fine):
    with pytest.raises(
        RecordError, match=r"gated\.jsonl, record 5 \(id s1\): sequence s1 has no fine questions"
    ):
        make(sequence(fine=fine))


@pytest.mark.parametrize(
    "row",
    [
        coarse("colour", "?", "x"),
        coarse("count", "?", 4),
        coarse("count", "?", 0),
        coarse("choice", "A) x; B) y", "C"),
        coarse("true_false", "?", "maybe"),
        sequence(coarse=None),
        sequence(coarse={"type": "count", "question": "?"}),
        sequence(images=None),
        sequence(images=[]),
        sequence(fine=[{"question": "?", "gold": "perhaps"}]),
        sequence(fine=["?"]),
        sequence(sequence_id=""),
    ],
)
def test_wrong_records_are_named(row):
    with pytest.raises(RecordError, match=r"record 5|s1/coarse"):
        make(row)


def test_a_picture_outside_the_root_is_refused():
    with pytest.raises(ImageError):
        make(sequence(images=["../a.png", "b.png"]))


def test_without_image_root_the_number_of_images_is_enough():
    questions = make(sequence(images=4), None)
    assert questions[0].space.candidates == ("1", "2", "3", "4")
    assert all(q.images == () and q.group == "s1" for q in questions)


def test_responses_inside_a_sequence():
    row = sequence(
        coarse={"type": "count", "question": "?", "gold": 2, "response": "2"},
        fine=[{"question": "?", "gold": "yes", "answer": "Yes"}, {"question": "?", "gold": "no"}],
    )
    assert responses_of(row) == {"s1/coarse": "2", "s1/fine/0": "Yes", "s1/fine/1": None}


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("Pick. A) 1 and 2; B) 1, 2 and 3; C) None", ("1 and 2", "1, 2 and 3", "None")),
        ("Pick.\nA) 1 (one)\nB) 2", ("1 (one)", "2")),
        ("B) x; C) y", ()),
        ("no options", ()),
    ],
)
def test_options_in(question, options):
    assert options_in(question) == options
