import pytest

from halluc.errors import LengthMismatchError
from halluc.metrics.agreement import Agreement, agreement


def test_every_kind_of_disagreement():
    found = agreement(
        ["yes", "yes", "no", "A", None, None],
        ["yes", "no", "yes", "B", None, "C"],
        ["yes", "yes", "yes", "C", "D", "C"],
    )
    assert found == Agreement(
        n=6, same=2, first_only_right=1, second_only_right=2, both_wrong_apart=1, second_unparsed=1
    )
    assert found.disagreement_rate == pytest.approx(4 / 6)


def test_no_questions_have_no_rate():
    assert agreement([], [], []).disagreement_rate is None


def test_lengths_must_agree():
    with pytest.raises(LengthMismatchError):
        agreement(["yes"], [], ["yes"])
