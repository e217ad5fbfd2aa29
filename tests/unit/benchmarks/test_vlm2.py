import json
import logging
from pathlib import Path

import pytest

from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.scoring.intervals import differences, intervals
from halluc.benchmarks.scoring.responses import score_responses
from halluc.benchmarks.vlm2 import Vlm2
from halluc.data.records import Prediction
from halluc.errors import BenchmarkError, ConfigError, RecordError, SourceNotFoundError, UnknownOptionError


def sequence(name, gold, task):
    return {
        "sequence_id": name,
        "task": task,
        "images": ["a.png", "b.png"],
        "coarse": {"type": "count", "question": "How many?", "gold": gold},
        "fine": [{"question": "Red?", "gold": "yes"}, {"question": "Blue?", "gold": "no"}],
    }


@pytest.fixture
def root(tmp_path):
    """Write two gated sequences, and one subtask where the published scripts have it."""
    records = [sequence("s1", 2, "oc_cnt"), sequence("s2", 1, "pc_cnt")]
    (tmp_path / "gated.jsonl").write_text("\n".join(json.dumps(r) for r in records))
    (tmp_path / "jsonl/gc/vanilla").mkdir(parents=True)
    halves = [
        {"q_id": "gc_mat_0", "question": "Book?", "gt_answer": gold, "images": ["a.png", "b.png"]}
        for gold in "TF"
    ]
    (tmp_path / "jsonl/gc/vanilla/gc_mat.jsonl").write_text("\n".join(json.dumps(r) for r in halves))
    for folder in ("images", "data/gc/processed"):
        (tmp_path / folder).mkdir(parents=True)
        for name in ("a.png", "b.png"):
            (tmp_path / folder / name).touch()
    return tmp_path


def answers(benchmark, **wrong):
    return [
        Prediction(id=q.id, text="", parsed=wrong.get(q.id.replace("/", "_"), q.gold))
        for q in benchmark.questions()
    ]


def test_gated_scores_by_hand(root):
    benchmark = Vlm2(root)
    scores = benchmark.score(answers(benchmark, s1_coarse="1", s2_fine_0="no"))
    assert scores == {
        "gated_sum": 0.5,
        "gated_mean": 0.25,
        "gate_open_rate": 0.5,
        "fine_accuracy": 0.75,
        "fine_accuracy_when_open": 0.5,
        "sequences": 2.0,
        "gated/oc_cnt/gated_sum": 0.0,
        "gated/oc_cnt/gated_mean": 0.0,
        "gated/oc_cnt/gate_open_rate": 0.0,
        "gated/oc_cnt/fine_accuracy": 1.0,
        "gated/oc_cnt/sequences": 1.0,
        "gated/pc_cnt/gated_sum": 0.5,
        "gated/pc_cnt/gated_mean": 0.5,
        "gated/pc_cnt/gate_open_rate": 1.0,
        "gated/pc_cnt/fine_accuracy": 0.5,
        "gated/pc_cnt/fine_accuracy_when_open": 0.5,
        "gated/pc_cnt/sequences": 1.0,
    }


@pytest.mark.parametrize("left_out", ["s1/coarse", "s1/fine/1"])
def test_a_sequence_asked_in_part_is_refused(root, left_out):
    benchmark = Vlm2(root)
    given = [p for p in answers(benchmark) if p.id != left_out]
    with pytest.raises(BenchmarkError, match=f"1 questions have no prediction, as {left_out}"):
        benchmark.score(given)


def test_whole_sequences_may_be_left_out(root):
    benchmark = Vlm2(root)
    scores = benchmark.score([p for p in answers(benchmark) if p.id.startswith("s2")])
    assert scores["sequences"] == scores["gated_sum"] == 1.0
    assert "gated/oc_cnt/gated_sum" not in scores


def asked_by_a_model(benchmark, **wrong):
    """Answer round after round what is due; returns all predictions and how many rounds there were."""
    model = {prediction.id: prediction for prediction in answers(benchmark, **wrong)}
    known, rounds = {}, 0
    while due := benchmark.due(benchmark.questions(), known):
        known |= {question.id: model[question.id] for question in due}
        rounds += 1
    return list(known.values()), rounds


def test_skipping_behind_closed_gates_changes_no_gated_score(root):
    wrong = {"s1_coarse": "1", "s2_fine_0": "no"}
    every, rounds = asked_by_a_model(Vlm2(root), **wrong)
    assert (len(every), rounds) == (6, 1)
    benchmark = Vlm2(root, closed_gates="skip")
    some, rounds = asked_by_a_model(benchmark, **wrong)
    assert rounds == 2
    assert {p.id for p in every} - {p.id for p in some} == {"s1/fine/0", "s1/fine/1"}
    expected = {
        name: value
        for name, value in Vlm2(root).score(every).items()
        if name not in ("fine_accuracy", "gated/oc_cnt/fine_accuracy")
    }
    assert benchmark.score(some) == expected
    assert expected["gated/pc_cnt/fine_accuracy"] == 0.5
    assert expected["gated_mean"] == 0.25


def test_skipping_leaves_intervals_of_gated_scores_as_they_are(root):
    wrong = {"s1_coarse": "1", "s2_fine_0": "no"}
    benchmark = Vlm2(root, closed_gates="skip")
    every, some = asked_by_a_model(Vlm2(root), **wrong)[0], asked_by_a_model(benchmark, **wrong)[0]
    found = [intervals(Vlm2(root), predictions, resamples=50) for predictions in (every, some)]
    assert found[0].keys() - found[1].keys() <= {"fine_accuracy", "gated/oc_cnt/fine_accuracy"}
    assert all(found[0][name] == interval for name, interval in found[1].items())
    assert "fine_accuracy" not in found[1]


def test_models_with_other_open_gates_can_be_compared(root):
    benchmark = Vlm2(root, closed_gates="skip")
    before, _ = asked_by_a_model(benchmark, s1_coarse="1")
    after, _ = asked_by_a_model(benchmark, s2_coarse="2")
    found = differences(benchmark, before, after, resamples=20)
    assert (found["gated_mean"].before, found["gated_mean"].after) == (0.5, 0.5)
    assert found["gated/oc_cnt/gated_mean"].change == 1.0
    assert "fine_accuracy" not in found
    with pytest.raises(BenchmarkError, match="1 questions were answered by one of the two only"):
        differences(benchmark, [p for p in before if p.id != "s2/fine/1"], answers(benchmark), resamples=20)


def test_a_sequence_behind_an_open_gate_is_still_scored_whole(root):
    given = [p for p in answers(Vlm2(root, closed_gates="skip")) if p.id != "s1/fine/1"]
    with pytest.raises(BenchmarkError, match="1 questions have no prediction, as s1/fine/1"):
        Vlm2(root, closed_gates="skip").score(given)


def test_responses_without_those_behind_closed_gates(root, caplog):
    closed, opened = sequence("s1", 2, "oc_cnt"), sequence("s2", 1, "pc_cnt")
    closed["coarse"]["response"], opened["coarse"]["response"] = "1", "1"
    for part in opened["fine"]:
        part["response"] = "yes"
    rows = [Row(record, Path("r.jsonl"), line) for line, record in enumerate((closed, opened), 1)]
    with caplog.at_level(logging.WARNING):
        result = score_responses(Vlm2.from_rows(rows), rows)
    assert "2 questions behind closed gates have no response; taken as not asked" in caplog.text
    assert (result.questions, result.missing, result.unasked, result.unparsed) == (4, 0, 2, 0)
    assert "fine_accuracy" not in result.scores
    assert (result.scores["gated_sum"], result.scores["fine_accuracy_when_open"]) == (0.5, 0.5)
    del closed["coarse"]["response"]  # then the sequence was not answered at all
    result = score_responses(Vlm2.from_rows(rows), rows)
    assert (result.questions, result.missing, result.unasked) == (6, 3, 0)
    assert result.scores["fine_accuracy"] == 0.25


def test_an_unparsed_coarse_answer_closes_the_gate(root):
    benchmark = Vlm2(root)
    scores = benchmark.score(answers(benchmark, s1_coarse=None, s2_coarse=None))
    assert scores["gated_sum"] == 0.0
    assert "fine_accuracy_when_open" not in scores


def test_nothing_to_score(root):
    assert Vlm2(root).score([]) == {"sequences": 0.0}


def test_a_subtask_without_gated_sequences(root):
    benchmark = Vlm2(root, gated_file=None, subtasks=["gc_mat"])
    first, second = benchmark.questions()
    assert (first.id, second.id) == ("gc_mat/gc_mat_0_p", "gc_mat/gc_mat_0_n")
    assert first.images[0] == str(root / "data/gc/processed/a.png")
    scores = benchmark.score(answers(benchmark))
    assert scores["gc_mat/paired_accuracy"] == 1.0
    assert "sequences" not in scores


def test_a_pair_asked_in_part_is_refused(root):
    benchmark = Vlm2(root, gated_file=None, subtasks=["gc_mat"])
    with pytest.raises(BenchmarkError, match="of the same pair"):
        benchmark.score(answers(benchmark)[:1])


def test_both_together(root):
    benchmark = Vlm2(root, subtasks=["gc_mat"])
    scores = benchmark.score(answers(benchmark))
    assert scores["gated_mean"] == scores["gc_mat/paired_accuracy"] == 1.0


def test_options_are_checked_when_built(tmp_path):
    with pytest.raises(UnknownOptionError, match="official, strict, vlmevalkit"):
        Vlm2(tmp_path, profile="lmms_eval")
    with pytest.raises(UnknownOptionError, match=r"benchmark\.vlm2\.closed_gates is 'yes'.*ask, skip"):
        Vlm2(tmp_path, closed_gates="yes")
    with pytest.raises(UnknownOptionError, match=r"benchmark\.vlm2\.subtasks"):
        Vlm2(tmp_path, subtasks=["pc_vid"])
    with pytest.raises(ConfigError, match="asks nothing"):
        Vlm2(tmp_path, gated_file=None)


def test_missing_files_and_pictures(root):
    with pytest.raises(SourceNotFoundError, match=r"jsonl/oc/vanilla/oc_cnt\.jsonl"):
        Vlm2(root, subtasks=["oc_cnt"]).questions()
    (root / "images/b.png").unlink()
    with pytest.raises(SourceNotFoundError, match=r"b\.png"):
        Vlm2(root).questions()


def test_bad_sequences_can_be_skipped_and_are_counted(root):
    broken = {**sequence("s3", 1, "oc_cnt"), "fine": []}
    with (root / "gated.jsonl").open("a") as file:
        file.write("\n" + json.dumps(broken))
    with pytest.raises(RecordError, match="s3 has no fine questions"):
        Vlm2(root).questions()
    benchmark = Vlm2(root, bad_rows="skip")
    assert benchmark.score(answers(benchmark))["skipped"] == 1.0


@pytest.mark.parametrize(
    ("profile", "text", "parsed"),
    [("strict", "T.", "T"), ("official", "T.", None), ("official", "T", "T"), ("vlmevalkit", "t.", "T")],
)
def test_general_cues_are_read_by_equality_under_official(root, profile, text, parsed):
    benchmark = Vlm2(root, gated_file=None, subtasks=["gc_mat"], profile=profile)
    assert benchmark.read(benchmark.questions()[0], text) == parsed


def test_prompts(root):
    assert Vlm2(root).questions()[0].prompt == "\nHow many?"
    assert Vlm2(root, prompt_profile="vlmevalkit").questions()[0].prompt == "Question: How many?\n"


def test_responses_by_id_or_inside_the_sequence(root):
    record = sequence("s1", 2, "oc_cnt")
    record["coarse"]["response"] = "two"
    record["fine"][0]["response"] = "yes"
    whole = [Row(record, Path("r.jsonl"), 1)]
    result = score_responses(Vlm2.from_rows(whole), whole)
    assert (result.missing, result.questions, result.scores["gated_sum"]) == (1, 3, 0.5)
    by_id = [Row({"id": "s1/coarse", "response": "2"}, Path("r.jsonl"), 1)]
    result = score_responses(Vlm2(root), by_id)
    assert (result.missing, result.scores["gate_open_rate"]) == (5, 0.5)


@pytest.mark.parametrize("name", ["s1/coarse", "oc_cnt/3", "gc_mat/7_p"])
def test_predictions_of_a_run_are_called_by_their_ids(name):
    record = {"id": name, "gold": "2", "response": "two", "tags": {"subtask": "oc_cnt"}, "subtask": "oc_cnt"}
    assert Vlm2.row_responses(Row(record, Path("vlm2.jsonl"), 1)) == {name: "two"}
