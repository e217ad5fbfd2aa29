import pytest

from halluc.builders.coco import SceneAnnotation
from halluc.builders.phd import phd_records, relations_of
from halluc.errors import UnknownOptionError

DOG, PERSON = (0, 50, 20, 30), (40, 40, 20, 60)


def scene(image: str, counts: dict[str, int], **more) -> SceneAnnotation:
    return SceneAnnotation(image=image, counts=counts, **more)


def records(*scenes: SceneAnnotation, **options) -> dict[tuple[str, str], dict]:
    return {(record["image"], record["task"]): record for record in phd_records(scenes, **options)}


def test_object_record_by_hand():
    found = records(
        scene("COCO_val2014_000000000139.jpg", {"umbrella": 1}),
        scene("b.jpg", {"umbrella": 1, "dog": 1}),
        scene("c.jpg", {"cat": 1}),
        tasks=["object"],
    )
    record = found["COCO_val2014_000000000139.jpg", "object"]
    assert record["image_id"] == "000000000139"
    assert record["yes_question"] == "Is there an umbrella in the image?"
    assert record["no_question"] == "Is there a dog in the image?"
    assert (record["hitem"], record["gt"], record["subject"]) == ("dog", "umbrella", "")
    assert found["b.jpg", "object"]["image_id"] == "b"
    assert "a dog" in record["context"]["sec"]
    assert "a dog" in record["context"]["icc"].lower()


def test_counting_takes_several_before_single_ones():
    record = records(scene("a.jpg", {"cat": 1, "horse": 4}), tasks=["counting"])["a.jpg", "counting"]
    assert record["yes_question"] == "Are there exactly four horses in the image?"
    assert (record["gt"], record["subject"]) == ("four", "horses")
    assert record["hitem"] in {"two", "three", "five", "six"}
    assert record["no_question"] == f"Are there exactly {record['hitem']} horses in the image?"
    assert f"{record['hitem']} horses" in record["context"]["sec"]
    assert f"exactly {record['hitem']} horses" in record["context"]["icc"]


def test_one_is_singular_on_either_side():
    found = [
        records(scene("a.jpg", {"person": 2}), tasks=["counting"], seed=s)["a.jpg", "counting"]
        for s in range(9)
    ]
    (record, *_) = [record for record in found if record["hitem"] == "one"]
    assert record["no_question"] == "Is there exactly one person in the image?"
    assert "exactly one person" in record["context"]["icc"]
    record = records(scene("a.jpg", {"person": 1}), tasks=["counting"])["a.jpg", "counting"]
    assert record["yes_question"] == "Is there exactly one person in the image?"


def test_what_is_not_counted():
    scenes = [
        scene("crowd.jpg", {"person": 3}, crowds=frozenset({"person"})),
        scene("many.jpg", {"bird": 11}),
        scene("mass.jpg", {"broccoli": 2}),
    ]
    assert records(*scenes, tasks=["counting"]) == {}


def test_position_by_hand():
    boxes = {"dog": (DOG,), "person": (PERSON,)}
    found = [
        records(scene("a.jpg", {"dog": 1, "person": 1}, boxes=boxes), tasks=["positional"], seed=s)[
            "a.jpg", "positional"
        ]
        for s in range(9)
    ]
    assert {(record["subject"], record["gt"], record["hitem"]) for record in found} == {
        ("dog", "left", "right"),
        ("person", "right", "left"),
    }
    record = next(record for record in found if record["subject"] == "dog")
    assert record["yes_question"] == "Is the dog to the left of the person in the image?"
    assert record["no_question"] == "Is the dog to the right of the person in the image?"
    assert record["context"]["icc"] == "In this picture the dog is to the right of the person."
    assert "to the right of the person" in record["context"]["sec"]


@pytest.mark.parametrize(
    "more",
    [
        {"boxes": {}},
        {"boxes": {"dog": (DOG,), "person": (DOG,)}},
        {"boxes": {"dog": (DOG,), "person": (PERSON,)}, "crowds": frozenset({"dog"})},
        {"boxes": {"dog": (DOG,)}},
    ],
)
def test_unclear_positions_are_not_asked(more):
    assert records(scene("a.jpg", {"dog": 1, "person": 1}, **more), tasks=["positional"]) == {}


def test_two_of_a_kind_have_no_position():
    boxes = {"dog": (DOG, DOG), "person": (PERSON,)}
    assert records(scene("a.jpg", {"dog": 2, "person": 1}, boxes=boxes), tasks=["positional"]) == {}


@pytest.mark.parametrize(
    ("box", "other", "expected"),
    [
        (DOG, PERSON, ["left"]),
        (PERSON, DOG, ["right"]),
        ((0, 0, 10, 10), (0, 10, 10, 10), ["above"]),
        ((5, 30, 10, 10), (0, 10, 10, 10), ["below"]),
        ((0, 0, 10, 10), (20, 20, 10, 10), []),
        ((0, 0, 10, 10), (5, 5, 10, 10), []),
        ((0, 0, 10, 10), (0, 0, 10, 10), []),
    ],
)
def test_relations(box, other, expected):
    assert relations_of(box, other) == expected


def test_at_most_one_record_a_task_and_picture_in_published_fields():
    scenes = [scene("a.jpg", {"dog": 2, "cat": 1, "hat": 3}), scene("b.jpg", {"boat": 1})]
    found = phd_records(scenes)
    assert len(found) == len({(record["image"], record["task"]) for record in found}) == 4
    for record in found:
        assert list(record) == [
            *("image_id", "task", "yes_question", "no_question", "hitem", "gt", "subject", "context", "image")
        ]
        assert set(record["context"]) == {"sec", "icc"}


def test_the_vocabulary_serves_where_nothing_else_is_absent():
    assert records(scene("a.jpg", {"dog": 1}), tasks=["object"]) == {}
    record = records(scene("a.jpg", {"dog": 1}), tasks=["object"], vocabulary=["dog", "skis"])[
        "a.jpg", "object"
    ]
    assert record["no_question"] == "Is there a skis in the image?"
    assert "keep a skis" not in record["context"]["sec"]


def test_seeds_and_wrong_tasks():
    scenes = [scene(f"{n}.jpg", {"dog": n + 1, "cat": 2}) for n in range(6)] + [scene("x.jpg", {"boat": 1})]
    assert phd_records(scenes) == phd_records(scenes) != phd_records(scenes, seed=1)
    with pytest.raises(UnknownOptionError, match="sentiment"):
        phd_records(scenes, tasks=["sentiment"])
