import json

import pytest

from halluc.benchmarks.scoring.intervals import intervals
from halluc.benchmarks.video_judges import FileJudge
from halluc.benchmarks.vlm2_videos import Vlm2Videos
from halluc.data.records import Prediction
from halluc.errors import RecordError

VIDEOS = ("01_AB", "02_AB", "03_ABA")


@pytest.fixture
def root(tmp_path):
    rows = [
        {"vid": name, "question": "Describe the people.", "gt_answer": f"people of {name}"} for name in VIDEOS
    ]
    (tmp_path / "v.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for name in VIDEOS:
        (tmp_path / "frames" / name).mkdir(parents=True)
        for number in (2, 10, 1):
            (tmp_path / "frames" / name / f"{number:02}.jpg").touch()
    return tmp_path


class Judge:
    """Give the length of the description, and remember what was asked."""

    def __init__(self):
        self.asked = []

    def score(self, name, question, gold, description):
        self.asked.append((name, gold))
        return len(description) if description else None


def answers(*texts):
    return [Prediction(id=name, text=t, parsed=t or None) for name, t in zip(VIDEOS, texts, strict=True)]


def test_frames_stand_in_their_order(root):
    first, *_ = Vlm2Videos(root, file="v.jsonl").questions()
    assert [image[-6:] for image in first.images] == ["01.jpg", "02.jpg", "10.jpg"]
    assert (first.prompt, first.tags["pattern"]) == ("\nDescribe the people.", "AB")


def test_without_a_judge_nothing_is_scored(root):
    scores = Vlm2Videos(root, file="v.jsonl").score(answers("a", "", "b"))
    assert scores == {"unparsed_rate": pytest.approx(1 / 3), "n": 3.0}


def test_a_judge_is_asked_once_for_each_description(root):
    judge = Judge()
    benchmark = Vlm2Videos(root, file="v.jsonl", judge=judge)
    scores = benchmark.score(answers("x", "", "xx"))
    assert (scores["ab_score"], scores["aba_score"], scores["average"]) == (1.0, 1.0, 1.0)  # one AB unjudged
    intervals(benchmark, answers("x", "", "xx"), resamples=20)
    assert judge.asked == [(name, f"people of {name}") for name in VIDEOS]


def test_scores_from_a_file(root):
    rows = [{"id": "01_AB", "score": 1}, {"id": "02_AB", "score": 0}, {"id": "03_ABA", "score": 1}]
    (root / "judged.jsonl").write_text("\n".join(map(json.dumps, rows)))
    benchmark = Vlm2Videos(root, file="v.jsonl", judge=FileJudge(root / "judged.jsonl"))
    assert benchmark.score(answers("a", "b", "c"))["average"] == 0.5


@pytest.mark.parametrize(
    ("row", "message"),
    [({"id": "x", "score": 1}, "no row with id 01_AB"), ({"id": "01_AB", "score": 5}, "neither 0, 1, 2")],
)
def test_a_file_that_does_not_fit(root, row, message):
    (root / "judged.jsonl").write_text(json.dumps(row))
    benchmark = Vlm2Videos(root, file="v.jsonl", judge=FileJudge(root / "judged.jsonl"))
    with pytest.raises(RecordError, match=message):
        benchmark.score(answers("a", "b", "c"))


def test_a_video_without_frames_is_listed(root):
    for path in (root / "frames" / "02_AB").iterdir():
        path.unlink()
    with pytest.raises(RecordError, match="no frames in"):
        Vlm2Videos(root, file="v.jsonl").questions()
    assert len(Vlm2Videos(root, file="v.jsonl", bad_rows="skip").questions()) == 2
