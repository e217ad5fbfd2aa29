import pytest

from halluc.builders.gated import build_gated
from halluc.builders.vlm2_gated import sequences_of_vlm2
from halluc.errors import RecordError

COUNT = {
    "subtask": "oc_cnt",
    "q_id": "4",
    "question": "How many cups?",
    "gt_answer": 2,
    "images": ["a.jpg", "b.jpg"],
}
GROUP = {
    "category": "pc-grp",
    "index": "7",
    "question": "Which? A) 1 and 2; B) none",
    "gt_answer": "A) 1 and 2",
    "images": ["a.jpg", "b.jpg"],
}
ATTRIBUTES = [
    {"image": 0, "subject": "cup", "attribute": "color", "value": "red"},
    {"image": 1, "subject": "cup", "attribute": "color", "value": "blue"},
]


def located(*rows):
    return [(f"file:{n}", row) for n, row in enumerate(rows, 1)]


def test_items_become_gates():
    rows = sequences_of_vlm2(
        located(COUNT, GROUP),
        located({"id": "pc_grp/7", "attributes": ATTRIBUTES}, {"id": "oc_cnt/4", "attributes": ATTRIBUTES}),
    )
    assert [row["sequence_id"] for row in rows] == ["oc_cnt/4", "pc_grp/7"]
    assert rows[0]["coarse"] == {"type": "count", "question": "How many cups?", "gold": 2}
    assert rows[1]["coarse"]["type"] == "choice"
    records = build_gated((row["sequence_id"], row) for row in rows)
    assert [len(record["fine"]) for record in records] == [4, 4]
    assert [fine["gold"] for fine in records[0]["fine"]].count("yes") == 2


def test_items_without_annotation_are_left_out():
    assert sequences_of_vlm2(located(COUNT, GROUP), []) == []


def test_every_problem_is_listed():
    broken = {"subtask": "oc_xyz", "q_id": "1", "question": "?", "images": ["a", "b"]}
    with pytest.raises(RecordError) as raised:
        sequences_of_vlm2(
            located(broken, COUNT),
            located(
                {"id": "oc_xyz/1", "attributes": []}, {"id": "gone/1"}, {"id": "oc_cnt/4"}, {"id": "oc_cnt/4"}
            ),
        )
    assert len(raised.value.problems) == 4
    assert "annotates an item that file:3 annotates too" in raised.value.problems[0]
    assert "gt_answer is missing" in raised.value.problems[1]
    assert "file:2 (id gone/1): no item of this id" in raised.value.problems[3]
