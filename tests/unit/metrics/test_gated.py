import pytest

from halluc.metrics.gated import NO_SEQUENCES, GatedSequence, GatedSums, gated_scores


def scores_of(*sequences):
    return gated_scores(sum(map(GatedSums.of, sequences), start=NO_SEQUENCES))


def test_by_hand():
    sequences = [
        GatedSequence(gate_open=True, fine=(True, True, False, False)),
        GatedSequence(gate_open=False, fine=(True, True)),
        GatedSequence(gate_open=True, fine=(True,)),
        GatedSequence(gate_open=False, fine=(False,)),
    ]
    assert scores_of(*sequences) == {
        "gated_sum": 1.5,
        "gated_mean": 0.375,
        "gate_open_rate": 0.5,
        "fine_accuracy": 0.625,
        "fine_accuracy_when_open": 0.75,
        "sequences": 4.0,
    }


def test_a_closed_gate_scores_zero_but_keeps_its_fine_accuracy():
    sequence = GatedSequence(gate_open=False, fine=(True, True))
    assert (sequence.score, sequence.fine_accuracy) == (0.0, 1.0)


def test_fine_questions_not_asked_leave_only_the_ungated_mean_undefined():
    asked = [GatedSequence(True, (True, False)), GatedSequence(False, (True, True))]
    skipped = [GatedSequence(True, (True, False)), GatedSequence(False, None)]
    assert skipped[1].fine_accuracy is None
    expected = scores_of(*asked) | {"fine_accuracy": None}
    assert scores_of(*skipped) == expected
    assert scores_of(*asked)["fine_accuracy"] == 0.75


def test_no_open_gate_leaves_the_mean_behind_it_undefined():
    scores = scores_of(GatedSequence(gate_open=False, fine=(True,)))
    assert scores["fine_accuracy_when_open"] is None
    assert scores["gated_sum"] == 0.0


def test_without_sequences_only_their_number_is_known():
    scores = scores_of()
    assert scores.pop("sequences") == 0.0
    assert set(scores.values()) == {None}


def test_more_fine_questions_do_not_weigh_more():
    long, short = GatedSequence(True, (True,) * 9), GatedSequence(True, (False,))
    assert scores_of(long, short)["gated_mean"] == pytest.approx(0.5)
