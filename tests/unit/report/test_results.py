import json

import pytest

from halluc.data.records import AnswerSpace, Prediction, Question
from halluc.report.results import read_predictions, read_results, write_predictions, write_results

QUESTION = Question(
    id="random/1",
    images=("/pictures/a.jpg", "data:image/png;base64,AAAA"),
    prompt="Is there a dog?",
    space=AnswerSpace.yes_no(),
    gold="no",
    tags={"subset": "random"},
)


def test_predictions_can_be_scored_again(tmp_path):
    path = tmp_path / "predictions" / "baseline" / "pope.jsonl"
    answer = Prediction(
        id="random/1", text="yes", parsed="yes", probabilities={"yes": 0.7, "no": 0.3}, mass=0.9
    )
    write_predictions(path, [QUESTION], [answer], {"random/1": "report"})
    (row,) = read_predictions(path)
    assert (row["id"], row["response"], row["gold"], row["correct"]) == ("random/1", "yes", "no", False)
    assert row["part"] == "report"
    assert row["images"] == ["/pictures/a.jpg"]
    assert row["probabilities"] == {"yes": 0.7, "no": 0.3}


def test_results_survive_a_round_trip_and_refuse_nan(tmp_path):
    assert read_results(tmp_path) == {}
    write_results(tmp_path, {"baseline": {"val/pope/accuracy": 0.5}})
    assert read_results(tmp_path) == {"baseline": {"val/pope/accuracy": 0.5}}
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_results(tmp_path, {"baseline": {"val/pope/accuracy": float("nan")}})
    assert json.loads((tmp_path / "results.json").read_text())["baseline"] == {"val/pope/accuracy": 0.5}
