from pathlib import Path
from types import SimpleNamespace

import pytest

from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.pope import Pope
from halluc.benchmarks.sampling import AskedQuestions
from halluc.callbacks.evaluation_set import EvaluationSet
from halluc.callbacks.hallucination_eval import HallucinationEval
from halluc.data.records import Prediction
from halluc.report.results import read_results

BENCHMARK = Pope.from_rows(
    [Row({"id": f"random/{n}", "label": "yes" if n % 2 else "no"}, Path("r"), n) for n in range(8)]
)
TRAINER = SimpleNamespace(is_global_zero=True, loggers=[], global_step=0, world_size=1)
MODULE = SimpleNamespace(
    global_rank=0, trainer=TRAINER, training=False, eval=lambda: None, train=lambda mode: None
)


class AskedError(Exception):
    """Raised by whoever is asked."""


class Answerer:
    def answer(self, questions, max_pixels=None):
        raise AskedError


def evaluation(run_dir, asked):
    answerer = Answerer()
    sets = {"pope": EvaluationSet(BENCHMARK, AskedQuestions((), tuple(asked)), None)}
    callback = HallucinationEval(sets, answerer, lvlm=None, run_dir=str(run_dir), stop=None)
    callback._best = {
        "pope": [Prediction(id=question.id, text="yes", parsed="yes") for question in reversed(asked)]
    }
    return callback, answerer


def test_a_best_epoch_that_was_asked_everything_is_not_asked_again(tmp_path):
    callback, answerer = evaluation(tmp_path, BENCHMARK.questions())
    callback.evaluate_full(TRAINER, MODULE, {"pope": BENCHMARK}, answerer=answerer, prefix="val")
    assert callback.results["full"]["val/pope/pooled/accuracy"] == 0.5
    lines = (tmp_path / "predictions/full/pope.jsonl").read_text().splitlines()
    assert len(lines) == len(BENCHMARK.questions())


def test_calibration_is_kept_with_the_full_scores_and_the_threshold_comes_from_the_select_part(tmp_path):
    questions = BENCHMARK.questions()
    callback, answerer = evaluation(tmp_path, questions)
    asked = AskedQuestions(tuple(questions[:4]), tuple(questions[4:]))
    callback._sets = {"pope": EvaluationSet(BENCHMARK, asked, None)}
    callback._best = {
        "pope": [
            Prediction(
                id=q.id, text="yes", parsed="yes", probabilities={"yes": p, "no": 1 - p}, mass=1.0
            )
            for q in questions
            for p in [0.9 if q.gold == "yes" else 0.7]
        ]
    }  # fmt: skip
    callback.evaluate_full(TRAINER, MODULE, {"pope": BENCHMARK}, answerer=answerer, prefix="val")
    found = callback.results["calibration"]["pope"]
    assert (found["n"], found["yes_ratio"], found["auroc"]) == (8, 1.0, 1.0)
    assert (found["threshold"]["fitted_on_n"], found["threshold"]["tried_on_n"]) == (4, 4)
    assert (found["threshold"]["accuracy_at_0"], found["threshold"]["accuracy"]) == (0.5, 1.0)
    assert read_results(tmp_path)["calibration"] == callback.results["calibration"]


def test_everything_is_asked_if_the_epoch_saw_a_sample_or_if_another_answers(tmp_path):
    sampled, answerer = evaluation(tmp_path, BENCHMARK.questions()[:4])
    with pytest.raises(AskedError):
        sampled.evaluate_full(TRAINER, MODULE, {"pope": BENCHMARK}, answerer=answerer, prefix="val")
    whole, _ = evaluation(tmp_path, BENCHMARK.questions())
    with pytest.raises(AskedError):
        whole.evaluate_full(TRAINER, MODULE, {"pope": BENCHMARK}, answerer=Answerer(), prefix="text")
