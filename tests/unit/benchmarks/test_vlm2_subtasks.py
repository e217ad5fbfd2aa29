from pathlib import Path

import pytest

from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.scoring.answers import Answers
from halluc.benchmarks.vlm2 import Vlm2
from halluc.benchmarks.vlm2_subtasks import SUBTASKS, questions_of, row_id, subtask_groups, subtask_of
from halluc.benchmarks.vlm2_subtasks import score_subtasks as score_totals
from halluc.data.records import Prediction
from halluc.errors import RecordError
from halluc.metrics.tally import Tally


def row(stem="oc_cpr", **record):
    return Row({"question": "?", **record}, Path(f"{stem}.jsonl"), 1)


def make(given, folder=Path("/data")):
    return list(questions_of(given, folder, str))


def pairs(*answered):
    return [(make(given, None)[0], Prediction(id="x", text="", parsed=parsed)) for given, parsed in answered]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (row("oc_cnt"), "oc_cnt"),
        (row("gc_mat_qwen_answers"), "gc_mat"),
        (row("x", category="pc-grp"), "pc_grp"),
        (row("oc_cnt", subtask="pc_cnt"), "pc_cnt"),
    ],
)
def test_subtask_of(given, expected):
    assert subtask_of(given) == expected


def test_an_unknown_subtask_is_refused():
    with pytest.raises(RecordError, match="'answers' is no subtask"):
        subtask_of(row("answers"))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (row("gc_mat", q_id="7", gt_answer="T"), "gc_mat/7_p"),
        (row("gc_mat", q_id="7", gt_answer="F"), "gc_mat/7_n"),
        (row("gc_trk", index="gc-trk_7_n", gt_answer="F"), "gc_trk/gc-trk_7_n"),
        (row("pc_cpr", q_id="tf_0_p", gt_answer="F"), "pc_cpr/tf_0_p"),
        (row("oc_cnt", q_id=3, gt_answer=2), "oc_cnt/3"),
    ],
)
def test_row_id(given, expected):
    assert row_id(given) == expected


def test_positive_means_the_affirmative_statement_in_comparison_and_gold_t_in_general_cues():
    (comparison,) = make(row("oc_cpr", q_id="0_p", gt_answer="F", images=["a", "b"]))
    assert (comparison.gold, comparison.tags["positive"], comparison.tags["pair"]) == (
        "F",
        "True",
        "oc_cpr/0",
    )
    (change,) = make(row("gc_mat", q_id="0", gt_answer="F", images=["a", "b"]))
    assert (change.tags["positive"], change.tags["pair"]) == ("False", "gc_mat/0")


def test_items_with_fewer_than_two_images_are_skipped_aloud(caplog):
    assert make(row("gc_mat", q_id="0", gt_answer="T", images=["a"])) == []
    assert "gc_mat.jsonl, record 1 (id 0) has 1 images" in caplog.text


@pytest.mark.parametrize(
    ("more", "images"),
    [
        ({"image_seq_len": 4}, "4"),
        ({"image_seq": ["a", "b", "c"]}, "3"),
        ({"images": ["a", "b", "c"]}, "3"),
        ({"image_path": "['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg']"}, "4"),
        ({"image_path": ["a", "b", "c"], "image": "12"}, "3"),
        ({"image": "12"}, "2"),
        ({}, "2"),
    ],
)
def test_length_of_a_counting_sequence(more, images):
    (question,) = make(row("oc_cnt", q_id="0", gt_answer=1, **more), None)
    assert question.tags["images"] == images


def test_counts_of_unknown_length_are_warned_of_once(caplog):
    rows = [row("oc_cnt", q_id=str(number), gt_answer=3, question="How many?") for number in range(3)]
    Vlm2.from_rows(rows)
    (message,) = [record.getMessage() for record in caplog.records]
    assert message.startswith("3 counting records")
    assert "--root" in message
    caplog.clear()
    Vlm2.from_rows([row("oc_cnt", q_id="0", gt_answer=3, image_seq_len=4), row("oc_cpr", q_id="1_p")])
    Vlm2.from_rows([row("oc_cnt", q_id="0", gt_answer=3, image_path="['a', 'b', 'c']")])
    assert not caplog.records


def test_a_gold_letter_outside_the_options_is_refused():
    with pytest.raises(RecordError, match="gold answer 'D'"):
        make(row("oc_grp", q_id="0", gt_answer="D) x", question="A) x; B) y"), None)


def tf(subtask, name, gold):
    return row(subtask, q_id=name, gt_answer=gold)


def score_subtasks(subtasks, profile):
    answers = Answers.of([pair for pairs in subtasks.values() for pair in pairs])
    groups = subtask_groups(answers, subtasks, profile)
    return Tally(answers.count, groups, lambda totals: score_totals(subtasks, totals, profile)).score()


def test_incomplete_pairs_by_profile():
    given = pairs(
        (tf("oc_cpr", "0_p", "T"), "T"), (tf("oc_cpr", "0_n", "F"), "F"), (tf("oc_cpr", "1_p", "T"), "T")
    )
    official = score_subtasks({"oc_cpr": given}, "official")
    assert (official["oc_cpr/paired_accuracy"], official["oc_cpr/pairs"]) == (1.0, 1.0)
    for profile in ("strict", "vlmevalkit"):
        other = score_subtasks({"oc_cpr": given}, profile)
        assert (other["oc_cpr/paired_accuracy"], other["oc_cpr/pairs"]) == (0.5, 2.0)
    change = pairs(
        (tf("gc_mat", "0", "T"), "T"), (tf("gc_mat", "0", "F"), "F"), (tf("gc_mat", "1", "T"), "T")
    )
    assert score_subtasks({"gc_mat": change}, "official")["gc_mat/paired_accuracy"] == 0.5


def test_counting_headline_by_profile():
    given = pairs(
        (row("oc_cnt", q_id="0", gt_answer=1, image_seq_len=4), "1"),
        (row("oc_cnt", q_id="1", gt_answer=1, image_seq_len=4), "0"),
        (row("oc_cnt", q_id="2", gt_answer=1, image_seq_len=4), None),
    )
    scores = {
        p: score_subtasks({"oc_cnt": given}, p)["oc_cnt/score"] for p in ("official", "strict", "vlmevalkit")
    }
    assert scores["official"] == 1.0
    assert scores["strict"] == pytest.approx(1 / 3)
    assert scores["vlmevalkit"] == pytest.approx((2 - (1 / 3) ** 0.1) / 3)


def test_average_needs_all_eight_subtasks():
    perfect = {
        "oc_cnt": pairs((row("oc_cnt", q_id="0", gt_answer=1), "1")),
        "pc_cnt": pairs((row("pc_cnt", q_id="0", gt_answer=1), None)),
        "oc_grp": pairs((row("oc_grp", q_id="0", gt_answer="A) x"), "A")),
        "pc_grp": pairs((row("pc_grp", q_id="0", gt_answer="A) x"), "B")),
    }
    assert "average" not in score_subtasks(perfect, "official")
    for subtask in SUBTASKS:
        if subtask not in perfect:
            perfect[subtask] = pairs((tf(subtask, "0_p", "T"), "T"), (tf(subtask, "0_n", "F"), "F"))
    assert score_subtasks(perfect, "official")["average"] == pytest.approx(6 / 8)


def test_questions_of_a_sheet_share_their_images():
    given = [row("oc_grp", q_id=n, gt_answer="A) x", image_path="['a.jpg', 'b.jpg']") for n in "01"]
    assert {question.group for one in given for question in make(one, None)} == {"a.jpg|b.jpg"}
