"""Compose the parts of a run from its configuration, and run them. No other module reads ``cfg``."""

import logging
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from hydra.utils import get_class
from lightning.pytorch import Trainer, seed_everything
from lightning.pytorch.loggers import WandbLogger
from omegaconf import DictConfig, OmegaConf, open_dict

from halluc.benchmarks.base import Benchmark
from halluc.callbacks.asking import Answerer
from halluc.callbacks.evaluation_set import evaluation_sets
from halluc.callbacks.hallucination_eval import HallucinationEval
from halluc.callbacks.resume_point import ResumePoint, find_checkpoint
from halluc.callbacks.stop_request import StopRequest
from halluc.callbacks.ways_of_asking import as_text, check_options, check_prompt_forms
from halluc.data.datamodule import Record, TrainingData
from halluc.data.decontamination import decontaminate
from halluc.data.records import AnswerKind
from halluc.errors import ConfigError, HallucError, ResumeError, RunInterruptedError
from halluc.instantiation import factory, make, make_all
from halluc.job_processes import check_launch, exit_status, job_processes
from halluc.methods.base import FineTune, TrainingSource
from halluc.miniworld.pretrained import is_miniworld_model
from halluc.miniworld.source import MiniWorld
from halluc.models.adapter_files import load_adapter
from halluc.models.adapters import AdapterReport
from halluc.models.lvlm import Lvlm
from halluc.packing.sequence import SequenceScorer
from halluc.report.closing import print_closing
from halluc.report.flips import flips
from halluc.report.quiet import quiet_libraries
from halluc.report.results import read_results
from halluc.resume import resumed_config, save_config
from halluc.tracking.csv_log import forget_after
from halluc.tracking.provenance import provenance
from halluc.tracking.wandb_run import finish_wandb, log_flips

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FinalPass:
    """Hold one way of asking the full sets at the end: its key prefix, benchmarks and answerer."""

    prefix: str
    benchmarks: Mapping[str, Benchmark]
    answerer: Answerer


@dataclass(frozen=True, slots=True)
class Run:
    """Hold everything that a run needs, built and checked.

    Attributes:
        run_dir: Where everything is written.
        trainer: Lightning's trainer with its callbacks and loggers.
        module: The method, with its model.
        data: The training data.
        evaluation: The validation callback.
        final_passes: How the full sets are asked at the end.
        checkpoint: Where to go on; None starts at step 0.
    """

    run_dir: Path
    trainer: Trainer
    module: FineTune
    data: TrainingData
    evaluation: HallucinationEval
    final_passes: tuple[FinalPass, ...]
    checkpoint: Path | None


def run(cfg: DictConfig) -> float | None:
    """Build and fit; turn a known error into its message and an exit status.

    Returns:
        ``select/score`` of the best epoch; None if nothing was selected on, or a job of a sweep failed.

    Raises:
        SystemExit: With 1 on a ``HallucError``, with 130 if a signal stopped the run.
    """
    quiet_libraries()
    check_launch()
    try:
        with StopRequest() as stop, job_processes():
            resumed = cfg if cfg.resume is None else resumed_config(Path(cfg.resume))
            return fit(build(resumed, stop)).get("select/score")
    except RunInterruptedError as error:
        logger.warning("%s", error)
        raise SystemExit(exit_status(130)) from error
    except HallucError as error:
        logger.error("%s: %s", type(error).__name__, error)  # noqa: TRY400  # the message is for people
        if HydraConfig.get().mode == RunMode.MULTIRUN:
            return None  # the other jobs of the sweep go on
        raise SystemExit(1) from error
    finally:
        finish_wandb(failed=sys.exc_info()[0] is not None)  # the next job of a sweep starts its own run


def build(cfg: DictConfig, stop: StopRequest) -> Run:
    """Build all parts; data and benchmarks are read and checked before any weights are loaded."""
    seed_everything(cfg.seed, workers=True, verbose=False)
    run_dir = Path(cfg.paths.run_dir)
    checkpoint = _start_point(cfg, run_dir)
    _forget_unchosen_benchmarks(cfg)
    save_config(cfg, run_dir)
    source = make(cfg.data.source)
    source.prepare()
    if not cfg.get("benchmark"):
        raise ConfigError(
            "benchmark is empty, so nothing would be measured. Choose some: 'benchmark=[pope,phd]'."
        )
    benchmarks = make(cfg.benchmark)
    check_prompt_forms(benchmarks, get_class(cfg.answering._target_))
    sets = evaluation_sets(
        {name: benchmark for name, benchmark in benchmarks.items() if _is_closed(benchmark)},
        cfg.evaluation.selection,
        images_per_epoch=cfg.evaluation.images_per_epoch,
        select_fraction=cfg.evaluation.select_fraction,
        seed=cfg.seed,
    )
    for one in sets.values():
        check_options(one.asked.all, get_class(cfg.answering._target_))
    records = _training_records(cfg, source, benchmarks)
    lvlm, adapter = _model(cfg)
    lvlm.check_texts(records)
    if isinstance(source, MiniWorld) and not is_miniworld_model(lvlm.path):
        logger.warning(
            "%s on MiniWorld's drawings is a check of the pipeline, not a cure: "
            "choose data=coco_polling or data=jsonl for that.",
            lvlm.path,
        )
    scorer = factory(cfg.packing)(lvlm)
    module = factory(cfg.method)(
        lvlm, scorer, optimizer=factory(cfg.optimizer), scheduler=factory(cfg.scheduler)
    )
    answerer = _answerer(cfg.answering, lvlm, scorer)
    origin = provenance(HydraConfig.get().overrides.task)
    passes = _final_passes(cfg, benchmarks, answerer, lvlm, scorer)
    evaluation = HallucinationEval(
        sets,
        answerer,
        lvlm,
        run_dir=str(run_dir),
        stop=stop,
        every_n_epochs=cfg.evaluation.every_n_epochs,
        about=_about(cfg, lvlm, benchmarks, passes) | origin,
    )
    keeper = ResumePoint(str(run_dir), stop, cfg.checkpoint_every_n_steps)
    return Run(
        run_dir=run_dir,
        trainer=_trainer(cfg, adapter, origin, [evaluation, keeper]),
        module=module,
        data=TrainingData(
            records,
            module.collate,
            batch_size=cfg.data.batch_size,
            max_group=cfg.data.max_group,
            num_workers=cfg.data.num_workers,
            seed=cfg.seed,
            grouped=cfg.data.grouped,
        ),
        evaluation=evaluation,
        final_passes=passes,
        checkpoint=checkpoint,
    )


def fit(run: Run) -> dict[str, float]:
    """Train, measure, ask the best adapter the full sets, and show what changed.

    Returns:
        The scores of the best epoch, keys as logged.
    """
    run.trainer.fit(run.module, datamodule=run.data, ckpt_path=run.checkpoint, weights_only=True)
    load_adapter(run.module.lvlm, run.run_dir / "adapter")
    run.module.to(run.trainer.strategy.root_device)
    for final in run.final_passes:
        run.evaluation.evaluate_full(
            run.trainer, run.module, final.benchmarks, answerer=final.answerer, prefix=final.prefix
        )
    if run.trainer.is_global_zero:
        _report(run)
    best: dict[str, float] = run.evaluation.results["best"]
    return best


def _forget_unchosen_benchmarks(cfg: DictConfig) -> None:
    """Drop settings that an experiment makes for a benchmark which the command line does not choose."""
    chosen: DictConfig = cfg.get("benchmark") or OmegaConf.create()
    for name in [name for name, node in chosen.items() if "_target_" not in node]:
        logger.warning("benchmark.%s is not chosen; its settings (%s) are left out", name, chosen[name])
        with open_dict(chosen):
            del chosen[name]


def _start_point(cfg: DictConfig, run_dir: Path) -> Path | None:
    """Find where to go on, and forget the logged rows that will be logged again.

    Raises:
        ResumeError: If a new run is about to write into the directory of another.
    """
    if cfg.resume is None:
        if read_results(run_dir):
            raise ResumeError(
                f"{run_dir} holds the results of another run. Go on with it by resume={run_dir}, or name "
                "another hydra.run.dir."
            )
        return None
    found = find_checkpoint(run_dir)
    forget_after(run_dir, found[1] if found else 0)
    return found[0] if found else None


def _training_records(
    cfg: DictConfig, source: TrainingSource, benchmarks: Mapping[str, Benchmark]
) -> list[Record]:
    """Take the method's kind of records, less those whose pictures the benchmarks show."""
    records = get_class(cfg.method._target_).records(source)  # type: ignore[attr-defined]  # a FineTune
    evaluated = (i for benchmark in benchmarks.values() for q in benchmark.questions() for i in q.images)
    kept, report = decontaminate(records, evaluated)
    if not kept:
        raise ConfigError(f"No training record is left: {report.summary()}")
    return kept


def _model(cfg: DictConfig) -> tuple[Lvlm, AdapterReport]:
    adapter = make(cfg.adapter)
    lvlm = factory(cfg.model)(quantization=adapter.quantization)
    return lvlm, adapter.attach(lvlm)


def _final_passes(
    cfg: DictConfig,
    benchmarks: Mapping[str, Benchmark],
    answerer: Answerer,
    lvlm: Lvlm,
    scorer: SequenceScorer[Any],
) -> tuple[FinalPass, ...]:
    passes = [FinalPass("val", {n: b for n, b in benchmarks.items() if _is_closed(b)}, answerer)]
    if cfg.evaluation.final_text is not None:
        official = {name: as_text(factory(node)) for name, node in cfg.benchmark.items()}
        passes.append(FinalPass("text", official, _answerer(cfg.evaluation.final_text, lvlm, scorer)))
    return tuple(passes)


def _is_closed(benchmark: Benchmark) -> bool:
    """Tell whether all its answers come from a closed set; free text is asked in the last pass only."""
    return all(question.space.kind is not AnswerKind.TEXT for question in benchmark.questions())


def _about(
    cfg: DictConfig, lvlm: Lvlm, benchmarks: Mapping[str, Benchmark], passes: Sequence[FinalPass]
) -> dict[str, object]:
    """Say what the scores depend on."""
    text = {name: b for one in passes if one.prefix == "text" for name, b in one.benchmarks.items()}
    return {
        "model": lvlm.path,
        "max_pixels": lvlm.max_pixels,
        "answering": cfg.answering._target_,
        "seed": cfg.seed,
        "benchmarks": _profiles(benchmarks, lvlm),
        **({"text_benchmarks": _profiles(text, lvlm)} if text else {}),
    }


def _profiles(benchmarks: Mapping[str, Benchmark], lvlm: Lvlm) -> dict[str, dict[str, object]]:
    return {
        name: {
            "profile": b.profile,
            "prompt_profile": b.prompt_profile,
            "pictures": lvlm.encoder.picture_path(b.preparation).name,
            "max_pixels": b.max_pixels,
        }
        for name, b in benchmarks.items()
    }


def _answerer(node: DictConfig, lvlm: Lvlm, scorer: SequenceScorer[Any]) -> Answerer:
    answerer: Answerer = factory(node)(lvlm, scorer)
    return answerer


def _trainer(
    cfg: DictConfig, adapter: AdapterReport, origin: Mapping[str, object], callbacks: list[Any]
) -> Trainer:
    loggers = make_all(cfg.logger)
    for target in loggers:
        target.log_hyperparams(
            {
                "config": OmegaConf.to_container(cfg, resolve=True),
                "provenance": origin,
                "adapter": {"modules": adapter.count, "parameters": adapter.parameters},
            }
        )
    trainer: Trainer = factory(cfg.trainer)(
        logger=loggers,
        callbacks=[*make_all(cfg.callbacks), *callbacks],
        default_root_dir=cfg.paths.run_dir,
    )
    return trainer


def _report(run: Run) -> None:
    """Show and log what the best epoch changed."""
    results, predictions = run.evaluation.results, run.run_dir / "predictions"
    best = predictions / f"epoch_{results['best']['epoch']}"
    found = flips(predictions / "baseline", best, run.evaluation.benchmarks)
    for target in run.trainer.loggers:
        if isinstance(target, WandbLogger):
            log_flips(target, found)
    print_closing(results, found, run.run_dir)
