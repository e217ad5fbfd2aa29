import pytest

from halluc.metrics.video_judge import JudgeSums, video_judge_scores

NOTHING = JudgeSums(0, 0, 0, 0)


def test_unscored_videos_are_left_out():
    judged = [("AB", 1), ("AB", None), ("ABA", 1), ("ABA", 2), ("ABA", 0)]
    sums = sum((JudgeSums.of(*one) for one in judged), start=NOTHING)
    assert video_judge_scores(sums) == {"ab_score": 1.0, "aba_score": 0.5, "average": 0.75}


def test_without_videos():
    assert video_judge_scores(NOTHING) == {"ab_score": 0.0, "aba_score": 0.0, "average": 0.0}


def test_an_unknown_pattern_is_refused():
    with pytest.raises(ValueError, match="ABC"):
        JudgeSums.of("ABC", 1)
