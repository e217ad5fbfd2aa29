import pytest

from halluc.metrics.video_judge import video_judge_scores


def test_unscored_videos_are_left_out():
    scores = video_judge_scores([("AB", 1), ("AB", None), ("ABA", 1), ("ABA", 2), ("ABA", 0)])
    assert scores == {"ab_score": 1.0, "aba_score": 0.5, "average": 0.75}


def test_without_videos():
    assert video_judge_scores([]) == {"ab_score": 0.0, "aba_score": 0.0, "average": 0.0}


def test_an_unknown_pattern_is_refused():
    with pytest.raises(ValueError, match="ABC"):
        video_judge_scores([("ABC", 1)])
