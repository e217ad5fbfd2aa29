"""Compose and run an evaluation without training; beside ``run.py`` the only module that reads ``cfg``."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from hydra.utils import get_class
from omegaconf import DictConfig

from halluc.answering.generate import GreedyAnswerer
from halluc.benchmarks.base import Benchmark
from halluc.benchmarks.sampling import AskedQuestions, choose_questions
from halluc.benchmarks.scoring.intervals import intervals
from halluc.benchmarks.scoring.yes_no_calibration import yes_no_calibration
from halluc.callbacks.asking import Answerer, answers
from halluc.callbacks.stop_request import StopRequest
from halluc.callbacks.ways_of_asking import as_text, check_options, check_prompt_forms
from halluc.data.records import AnswerKind, Prediction, Question
from halluc.errors import BenchmarkError, HallucError, RunInterruptedError, UnknownOptionError
from halluc.instantiation import factory, make
from halluc.metrics.agreement import agreement
from halluc.models.adapter_files import load_adapter
from halluc.models.lvlm import Lvlm
from halluc.report.prediction_log import PredictionLog
from halluc.report.progress import progress
from halluc.report.results import read_results, write_results

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pass:
    """Hold one way of asking: by likelihood under one profile, or as text under another.

    Attributes:
        prefix: First part of its keys: ``val`` or ``text``.
        folder: Folder of its predictions.
        benchmarks: Name to benchmark; every pass asks the same ids, each in its own prompt form.
        answerer: How questions are answered.
        pictures: Name to what is done to that benchmark's pictures for this model.
    """

    prefix: str
    folder: str
    benchmarks: Mapping[str, Benchmark]
    answerer: Answerer
    pictures: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Resampling:
    """Hold how intervals are computed; see ``intervals``."""

    resamples: int
    confidence: float
    seed: int


def evaluate(cfg: DictConfig, run_dir: Path, stop: StopRequest) -> dict[str, Any]:
    """Ask a model every benchmark and write predictions and scores; nothing is trained.

    Every benchmark is read, and every picture looked for, before any weights are loaded. Answers that
    ``run_dir`` already holds are not asked for again.

    Args:
        cfg: The composed ``evaluate.yaml``.
        run_dir: Where everything is written.
        stop: The request to stop, obeyed between questions.

    Returns:
        What ``results.json`` holds: ``full`` (keys as a training run logs them), ``intervals`` (the same
        keys, low and high), ``calibration`` of yes/no answers, ``agreement`` of likelihood and text, and
        ``profiles`` (reader, prompt form, and what is done to pictures).

    Raises:
        BenchmarkError: If a benchmark can't be asked; every one is named with its reason.
        RunInterruptedError: If a signal stopped it.
        HallucError: If a part can't be built.
    """
    benchmarks: Mapping[str, Benchmark] = make(cfg.benchmark)
    check_prompt_forms(benchmarks, get_class(cfg.answering._target_))
    asked = _asked(benchmarks, cfg)
    lvlm = _model(cfg)
    passes = _passes(cfg, benchmarks, lvlm)
    results = read_results(run_dir)
    resampling = Resampling(cfg.resamples, cfg.confidence, cfg.seed)
    for name, sample in asked.items():
        found = {
            one.prefix: _ask(one, name, sample, run_dir, stop)
            for one in passes
            if isinstance(one.answerer, GreedyAnswerer) or not _wants_text(sample.all)
        }
        for one in passes:
            if one.prefix in found:
                _score(results, one, name, found[one.prefix], resampling)
        results |= _described(results, name, sample, found)
        write_results(run_dir, results)
    return results


def _asked(benchmarks: Mapping[str, Benchmark], cfg: DictConfig) -> dict[str, AskedQuestions]:
    """Read every benchmark's questions, or list every one that can't be asked."""
    asked, problems = {}, []
    answerer = get_class(cfg.answering._target_)
    gives_text = cfg.final_text is not None or issubclass(answerer, GreedyAnswerer)
    for name, benchmark in benchmarks.items():
        try:
            asked[name] = choose_questions(
                benchmark.questions(),
                images_per_epoch=cfg.images,
                select_fraction=cfg.select_fraction,
                seed=cfg.seed,
            )
            if not _wants_text(asked[name].all):
                check_options(asked[name].all, answerer)
        except HallucError as error:
            problems.append(f"{name}: {error}")
            continue
        if _wants_text(asked[name].all) and not gives_text:
            problems.append(
                f"{name}: it wants free text. Leave final_text as it is, or set answering=greedy."
            )
    if problems:
        summary = f"{len(problems)} of {len(benchmarks)} benchmarks can't be asked; no model was loaded:"
        raise BenchmarkError("\n".join([summary, *problems]))
    return asked


def _wants_text(questions: Sequence[Question]) -> bool:
    return any(question.space.kind is AnswerKind.TEXT for question in questions)


def _model(cfg: DictConfig) -> Lvlm:
    quantization = None if cfg.quantization is None else make(cfg.quantization)
    lvlm: Lvlm = factory(cfg.model)(quantization=quantization)
    if cfg.adapter_path is not None:
        load_adapter(lvlm, Path(cfg.adapter_path))
    device = torch.device(_device_name(cfg.device))
    return lvlm if lvlm.device == device else lvlm.to(device)


def _device_name(name: str) -> str:
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if name.partition(":")[0] not in ("cpu", "cuda", "mps"):
        raise UnknownOptionError("device", name, ("auto", "cpu", "cuda", "cuda:1", "mps"))
    return name


def _passes(cfg: DictConfig, benchmarks: Mapping[str, Benchmark], lvlm: Lvlm) -> list[Pass]:
    scorer = factory(cfg.packing)(lvlm)
    answerer = factory(cfg.answering)(lvlm, scorer)
    passes = [Pass("val", "full", benchmarks, answerer, _pictures(benchmarks, lvlm))]
    if cfg.final_text is not None:
        official = {name: as_text(factory(node)) for name, node in cfg.benchmark.items()}
        answerer = factory(cfg.final_text)(lvlm, scorer)
        passes.append(Pass("text", "full_text", official, answerer, _pictures(official, lvlm)))
    return passes


def _pictures(benchmarks: Mapping[str, Benchmark], lvlm: Lvlm) -> dict[str, str]:
    return {name: lvlm.encoder.picture_path(b.preparation).name for name, b in benchmarks.items()}


def _ask(one: Pass, name: str, asked: AskedQuestions, run_dir: Path, stop: StopRequest) -> list[Prediction]:
    """Ask what is due and not answered yet; returns all predictions in the order of ``asked.all``."""
    benchmark = one.benchmarks[name]
    worded = {question.id: question for question in benchmark.questions()}
    questions = [worded[question.id] for question in asked.all]
    parts = dict.fromkeys((question.id for question in asked.select), "select")
    parts |= dict.fromkeys((question.id for question in asked.report), "report")
    path = run_dir / "predictions" / one.folder / f"{name}.jsonl"
    title = f"{name} ({one.prefix})"
    with (
        PredictionLog(path, questions, parts, benchmark.due) as log,
        progress(title, len(parts), done=len(log.predictions)) as advance,
    ):
        for prediction in answers(benchmark, questions, one.answerer, log.predictions):
            log.append(prediction)
            advance()
            if stop.here:
                break
    if stop.here:
        raise RunInterruptedError(
            f"Stopped on request; {len(log.predictions)} answers of {title} are kept. "
            f"Go on with: python -m halluc evaluate resume={run_dir}"
        )
    return [log.predictions[question.id] for question in questions if question.id in log.predictions]


def _score(
    results: dict[str, Any], one: Pass, name: str, predictions: Sequence[Prediction], how: Resampling
) -> None:
    benchmark = one.benchmarks[name]
    key = f"{one.prefix}/{name}"
    scores = benchmark.score(predictions)
    found = intervals(
        benchmark, predictions, confidence=how.confidence, resamples=how.resamples, seed=how.seed
    )
    results.setdefault("full", {}).update({f"{key}/{k}": value for k, value in scores.items()})
    results.setdefault("intervals", {}).update({f"{key}/{k}": [v.low, v.high] for k, v in found.items()})
    results.setdefault("profiles", {})[key] = {
        "profile": benchmark.profile,
        "prompt_profile": benchmark.prompt_profile,
        "pictures": one.pictures[name],
    }


def _described(
    results: Mapping[str, Any],
    name: str,
    asked: AskedQuestions,
    found: Mapping[str, Sequence[Prediction]],
) -> dict[str, Any]:
    """Describe calibration, and how far likelihood and text agree, where both were asked."""
    described: dict[str, Any] = {}
    answered = {prefix: {p.id: p for p in predictions} for prefix, predictions in found.items()}
    if "val" in found:
        questions = [question for question in asked.all if question.id in answered["val"]]
        fitted_on = {question.id for question in asked.select}
        calibration = yes_no_calibration(questions, found["val"], fitted_on)
        if calibration is not None:
            described["calibration"] = {**results.get("calibration", {}), name: calibration}
    if found.keys() >= {"val", "text"}:
        val, text = answered["val"], answered["text"]
        both = [question for question in asked.all if question.id in val and question.id in text]
        compared = agreement(
            [val[question.id].parsed for question in both],
            [text[question.id].parsed for question in both],
            [question.gold for question in both],
        )
        counted = asdict(compared) | {"disagreement_rate": compared.disagreement_rate}
        described["agreement"] = {**results.get("agreement", {}), name: counted}
    return described
