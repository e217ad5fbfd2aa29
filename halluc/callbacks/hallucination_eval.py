"""Measure hallucination before training, after every epoch, and on the full sets at the end."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lightning.pytorch import Callback, LightningModule, Trainer

from halluc.benchmarks.base import Benchmark
from halluc.benchmarks.scoring.chance import chance_scores
from halluc.benchmarks.scoring.intervals import intervals
from halluc.benchmarks.scoring.yes_no_calibration import yes_no_calibration
from halluc.callbacks.asking import Answerer, ask
from halluc.callbacks.evaluation_set import EvaluationSet
from halluc.callbacks.stop_request import StopRequest
from halluc.data.records import Prediction, Question
from halluc.models.adapter_files import save_adapter
from halluc.models.lvlm import Lvlm
from halluc.report.results import read_results, write_predictions, write_results

logger = logging.getLogger(__name__)

Scores = dict[str, float]


class HallucinationEval(Callback):
    """Ask every benchmark a fixed sample of questions and keep the adapter that answers best.

    ``val/<benchmark>/…`` is measured on the ``report`` part of the sample, ``select/…`` on the
    ``select`` part, which shares no image with it; the best epoch is the one with the highest
    ``select/score``, the mean of the selected scores of the benchmarks present.

    Args:
        sets: Name to benchmark with its sample; the name is part of every logged key.
        answerer: How questions are answered.
        lvlm: The model, whose adapter is saved.
        run_dir: Run directory; results of an earlier part of the run are continued.
        stop: The request to stop, obeyed between questions.
        every_n_epochs: Epochs between evaluations; the last epoch is always evaluated.
        about: What the scores depend on (model, pixel bound, readers, …), kept beside them.
    """

    def __init__(
        self,
        sets: Mapping[str, EvaluationSet],
        answerer: Answerer,
        lvlm: Lvlm,
        *,
        run_dir: str,
        stop: StopRequest,
        every_n_epochs: int = 1,
        about: Mapping[str, object] | None = None,
    ) -> None:
        self._sets = sets
        self._answerer = answerer
        self._lvlm = lvlm
        self._run_dir = Path(run_dir)
        self._stop = stop
        self._every_n_epochs = every_n_epochs
        self._results = {"about": dict(about or {})} | read_results(self._run_dir)
        self._latest: dict[str, list[Prediction]] = {}
        self._best: dict[str, list[Prediction]] = {}

    @property
    def results(self) -> dict[str, Any]:
        """What ``results.json`` holds so far."""
        return self._results

    @property
    def benchmarks(self) -> list[str]:
        """Names of the benchmarks, in the order in which they are asked."""
        return list(self._sets)

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Measure the baseline, or the epoch that an interruption left unmeasured."""
        self._stop.install()  # Lightning's own SIGTERM handler may communicate in the middle of anything
        if "baseline" not in self._results:
            self._results["baseline"] = self._evaluate(trainer, pl_module, "baseline")
            self._write(trainer)
        if trainer.current_epoch and self._is_due(trainer, trainer.current_epoch):
            self._measure_epoch(trainer, pl_module, trainer.current_epoch)

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Measure the epoch that ends, and keep its adapter if it is the best so far."""
        if not self._is_due(trainer, trainer.current_epoch + 1):
            return
        scores = self._measure_epoch(trainer, pl_module, trainer.current_epoch + 1)
        if "select/score" in scores:  # for callbacks that monitor it, such as early stopping
            pl_module.log("select/score", scores["select/score"], logger=False, rank_zero_only=True)

    def on_train_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Measure what training ended with, if it ended in an epoch that was not due."""
        if str(trainer.current_epoch) not in self._results.get("epochs", {}):
            self._measure_epoch(trainer, pl_module, trainer.current_epoch)

    def evaluate_full(
        self,
        trainer: Trainer,
        module: LightningModule,
        benchmarks: Mapping[str, Benchmark],
        *,
        answerer: Answerer,
        prefix: str,
    ) -> None:
        """Ask all questions of the benchmarks once; adds ``<prefix>/<benchmark>/…`` to ``full``.

        A benchmark that was already asked in full by an earlier part of the run is not asked again; nor
        is one of which the best epoch was asked everything: its answers are taken over.
        """
        full = self._results.setdefault("full", {})
        for name, benchmark in benchmarks.items():
            if any(key.startswith(f"{prefix}/{name}/") for key in full):
                continue
            when = "full" if prefix == "val" else f"full_{prefix}"
            predictions = self._answers_of_best(name, benchmark) if answerer is self._answerer else []
            if predictions:
                self._write_predictions(module, name, benchmark.questions(), when, predictions)
            else:
                predictions = self._ask(module, name, benchmark, benchmark.questions(), when, answerer)
            scores = _prefixed(f"{prefix}/{name}", benchmark.score(predictions))
            full |= scores
            self._keep_intervals("full", f"{prefix}/{name}", benchmark, predictions)
            if prefix == "val":
                self._keep_calibration(name, benchmark, predictions)
            self._write(trainer)
            _log(trainer, _prefixed("full", scores))

    def _answers_of_best(self, name: str, benchmark: Benchmark) -> list[Prediction]:
        """Return the best epoch's answers in published order, none unless it was asked everything."""
        asked = self._sets[name].asked.all if name in self._sets else ()
        if len(asked) < len(benchmark.questions()):
            return []
        known = {prediction.id: prediction for prediction in self._best.get(name, [])}
        return [known[question.id] for question in benchmark.questions() if question.id in known]

    def _is_due(self, trainer: Trainer, epoch: int) -> bool:
        if str(epoch) in self._results.get("epochs", {}):
            return False
        return epoch % self._every_n_epochs == 0 or epoch == trainer.max_epochs

    def _measure_epoch(self, trainer: Trainer, module: LightningModule, epoch: int) -> Scores:
        scores = self._evaluate(trainer, module, f"epoch_{epoch}")
        self._results.setdefault("epochs", {})[str(epoch)] = scores
        self._results["final"] = scores
        best = self._results.get("best")
        folders = ["adapter_last"]
        if best is None or scores.get("select/score", 1.0) > best.get("select/score", 0.0):
            self._results["best"] = scores | {"epoch": epoch}
            for outdated in ("full", "calibration"):  # they were another adapter's
                self._results.pop(outdated, None)
            self._best = dict(self._latest)
            folders.append("adapter")
        if trainer.is_global_zero:
            for folder in folders:
                save_adapter(self._lvlm, self._run_dir / folder)
        self._write(trainer)
        return scores

    def _evaluate(self, trainer: Trainer, module: LightningModule, when: str) -> Scores:
        """Ask the sample of every benchmark; returns all keys, ``select/score`` among them."""
        scores: Scores = {}
        selected: list[float] = []
        for name, item in self._sets.items():
            predictions = self._ask(module, name, item.benchmark, item.asked.all, when, self._answerer)
            self._latest[name] = predictions
            self._keep_chance(name, item)
            parts = item.parts
            on_report = [p for p in predictions if parts[p.id] == "report"]
            scores |= _prefixed(f"val/{name}", item.benchmark.score(on_report))
            self._keep_intervals(when, f"val/{name}", item.benchmark, on_report)
            if item.selection is not None and item.asked.select:
                on_select = item.benchmark.score([p for p in predictions if parts[p.id] == "select"])
                if item.selection in on_select:
                    selected.append(on_select[item.selection])
                    scores[f"select/{name}/{item.selection}"] = selected[-1]
                else:
                    logger.warning(
                        "%s: no %s on the select part, so it does not count.", name, item.selection
                    )
        if selected:
            scores["select/score"] = sum(selected) / len(selected)
        _log(trainer, scores)
        return scores

    def _keep_intervals(
        self, when: str, prefix: str, benchmark: Benchmark, predictions: Sequence[Prediction]
    ) -> None:
        """Keep the 95 % interval of each score beside it, as ``intervals`` of the results."""
        kept = self._results.setdefault("intervals", {}).setdefault(when, {})
        for key, found in intervals(benchmark, predictions).items():
            kept[f"{prefix}/{key}"] = [found.low, found.high]

    def _keep_calibration(self, name: str, benchmark: Benchmark, predictions: Sequence[Prediction]) -> None:
        """Keep bias and calibration of the yes/no answers, as ``calibration`` of the results.

        The threshold is fitted on the ``select`` part and tried on all other questions.
        """
        questions = {question.id: question for question in benchmark.questions()}
        select = self._sets[name].asked.select if name in self._sets else ()
        asked = [questions[prediction.id] for prediction in predictions]
        found = yes_no_calibration(asked, predictions, {question.id for question in select})
        if found is not None:
            self._results.setdefault("calibration", {})[name] = found

    def _keep_chance(self, name: str, item: EvaluationSet) -> None:
        """Keep what guessing scores on the reported questions, once, as ``chance`` of the results."""
        kept = self._results.setdefault("chance", {})
        if not any(key.startswith(f"val/{name}/") for key in kept):
            kept |= _prefixed(f"val/{name}", chance_scores(item.benchmark, item.asked.report))

    def _ask(  # private, and every argument is a different thing
        self,
        module: LightningModule,
        name: str,
        benchmark: Benchmark,
        questions: Sequence[Question],
        when: str,
        answerer: Answerer,
    ) -> list[Prediction]:
        title = f"{when} · {name}"
        predictions = ask(
            benchmark, questions, answerer=answerer, module=module, stop=self._stop, title=title
        )
        self._write_predictions(module, name, questions, when, predictions)
        return predictions

    def _write_predictions(  # private, and every argument is a different thing
        self,
        module: LightningModule,
        name: str,
        questions: Sequence[Question],
        when: str,
        predictions: Sequence[Prediction],
    ) -> None:
        if module.global_rank == 0:
            parts = self._sets[name].parts if name in self._sets else {}
            path = self._run_dir / "predictions" / when / f"{name}.jsonl"
            answered = {prediction.id for prediction in predictions}
            asked = [question for question in questions if question.id in answered]
            write_predictions(path, asked, predictions, parts)

    def _write(self, trainer: Trainer) -> None:
        if trainer.is_global_zero:
            write_results(self._run_dir, self._results)


def _log(trainer: Trainer, scores: Scores) -> None:
    for target in trainer.loggers:
        target.log_metrics(scores, step=trainer.global_step)
        target.save()


def _prefixed(prefix: str, scores: Mapping[str, float]) -> Scores:
    return {f"{prefix}/{key}": value for key, value in scores.items()}
