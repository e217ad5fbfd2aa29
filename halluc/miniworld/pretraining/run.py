"""Pretraining of the MiniWorld model: fixed steps, fixed seeds, resumable, on two CPU cores.

All of it is float32: few CPUs multiply bfloat16 natively, and on the others it is five times slower.
"""

import logging
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812  (the name that everybody uses)

from halluc.errors import ResumeError
from halluc.miniworld.lessons import curriculum
from halluc.miniworld.pretraining import alignment
from halluc.miniworld.pretraining.alignment import alignment_loss, cell_targets
from halluc.miniworld.pretraining.architecture import HIDDEN, build_model
from halluc.miniworld.pretraining.branches import pack_branches
from halluc.miniworld.pretraining.fast_forward import IMAGE_TOKENS, branch_logits, patches, vision_features
from halluc.miniworld.pretraining.optimization import MatrixOptimizer
from halluc.miniworld.pretraining.recognition import recognitions
from halluc.miniworld.pretraining.tokenizer import TextEncoder, build_processor
from halluc.miniworld.pretraining.validation import Validation
from halluc.miniworld.scenes.drawing import Painter
from halluc.miniworld.scenes.scene import draw_scene

logger = logging.getLogger(__name__)

STATE_FILE = "pretraining_state.pt"
UNSEEN_DRAWINGS = 778
TRAINING_DRAWINGS = 1_000_000
"""Seeds of painters from here on belong to pretraining; data sets use smaller ones."""

WARM_UP_STEPS = 50
SPRITE_VARIANTS = 4
VALIDATION_PICTURES = 96
PAIRS_FROM = 0.2
"""Share of the language stage that shows single pictures only, which have to be understood first."""

VISION, LANGUAGE = "vision", "language"


@dataclass(frozen=True, slots=True, kw_only=True)
class PretrainingPlan:
    """Hold everything that the checkpoint depends on.

    Attributes:
        seed: Of weights, scenes, drawings and questions.
        vision_steps: Steps of stage 0, which aligns the vision tower with the words.
        steps: Steps of the language stage.
        vision_images: Pictures a step in stage 0.
        rows: Pictures, or sequences of two, a step in the language stage.
        pair_share: Share of the later steps that show sequences of two pictures.
        lr: Peak learning rate of both stages.
        decay_share: Share of the language stage over which the learning rate falls to 0.
        redraw_every: Steps after which all sprites are drawn anew.
        threads: Threads of torch; sums depend on it in their last digits.
        save_every: Steps between saved states and validations.
    """

    seed: int = 0
    vision_steps: int = 2000
    steps: int = 4800
    vision_images: int = 64
    rows: int = 12
    pair_share: float = 0.4
    lr: float = 3e-3
    decay_share: float = 0.35
    redraw_every: int = 20
    threads: int = 2
    save_every: int = 250


@dataclass(frozen=True, slots=True)
class Progress:
    """Hold where pretraining is.

    Attributes:
        stage: ``vision`` or ``language``.
        step: Steps done in this stage.
        total: Steps of this stage.
        loss: Of the last step.
        accuracy: By kind of question; empty except after a validation.
    """

    stage: str
    step: int
    total: int
    loss: float
    accuracy: dict[str, float] = field(default_factory=dict)


Report = Callable[[Progress], None]


def pretrain(plan: PretrainingPlan, out: Path, report: Report | None = None) -> dict[str, float]:
    """Pretrain from scratch, or go on from the state in ``out``, and save the checkpoint there.

    Bound by steps and seeds, never by time. The checkpoint is bf16 safetensors with its processor.

    Args:
        plan: What to do.
        out: Folder for checkpoint and state; made if needed.
        report: Called after each step.

    Returns:
        Accuracy of honest validation questions by kind of question, as fractions.

    Raises:
        ResumeError: If ``out`` holds the state of another plan, or of other lessons.
    """
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(plan.threads)
    with _deterministic():
        run = _Run(plan, out, report)
        run.stage(VISION, plan.vision_steps)
        run.stage(LANGUAGE, plan.steps)
        return run.finish()


@contextmanager
def _deterministic() -> Iterator[None]:
    """Let torch add in one order only: else the gradients of indexing differ in their last digits."""
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)


class _Run:
    """A pretraining run: model, state, and the steps of its two stages."""

    def __init__(self, plan: PretrainingPlan, out: Path, report: Report | None) -> None:
        self.plan, self.out, self.report = plan, out, report
        self.encode = TextEncoder()
        self.model = build_model(plan.seed)
        self.validate = Validation(self.encode, VALIDATION_PICTURES)
        self.state = _read_state(out / STATE_FILE, plan)
        if self.state is not None:
            self.model.load_state_dict(self.state["model"])

    def stage(self, name: str, total: int) -> None:
        """Run the steps of one stage that are not done yet."""
        done = self._enter(name)
        if done >= total:
            return
        loss_of, named = {
            VISION: (self._vision_loss, self.model.model.visual.named_parameters()),
            LANGUAGE: (self._language_loss, self.model.model.language_model.named_parameters()),
        }[name]
        self.model.model.visual.requires_grad_(name == VISION)
        optimizer = MatrixOptimizer(named)
        if self.state is not None and self.state["stage"] == name:
            optimizer.load_state(self.state["optimizer"])
        painter = None
        for step in range(done, total):
            if painter is None or step % self.plan.redraw_every == 0:
                painter = self._painter(name, step)
            loss = loss_of(step, painter)
            loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
            optimizer.step(self._lr(name, step, total))
            self._after(name, step + 1, total, float(loss.detach()), optimizer)

    def _enter(self, name: str) -> int:
        if self.state is None:
            return 0
        if self.state["stage"] == name:
            return int(self.state["step"])
        return self.plan.vision_steps if name == VISION else 0

    def _painter(self, name: str, step: int) -> Painter:
        era = step // self.plan.redraw_every
        stage = (VISION, LANGUAGE).index(name)
        return Painter(TRAINING_DRAWINGS + (self.plan.seed * 2 + stage) * 10_000 + era, SPRITE_VARIANTS)

    def _random(self, name: str, step: int) -> tuple[random.Random, np.random.Generator]:
        rng = random.Random(f"{self.plan.seed}/{name}/{step}")
        return rng, np.random.default_rng(rng.getrandbits(64))

    def _vision_loss(self, step: int, painter: Painter) -> Tensor:
        rng, pixel_rng = self._random(VISION, step)
        scenes = [draw_scene(rng, alignment.STYLE, "train") for _ in range(self.plan.vision_images)]
        pixels = patches(painter.cells(scenes, pixel_rng))
        features = vision_features(self.model, pixels)
        words = self.model.model.language_model.embed_tokens.weight.detach()
        return alignment_loss(features, words, cell_targets(scenes), self.encode)[0]

    def _language_loss(self, step: int, painter: Painter) -> Tensor:
        rng, pixel_rng = self._random(LANGUAGE, step)
        paired = (
            step >= PAIRS_FROM * self.plan.steps
            and random.Random(f"{self.plan.seed}/pair/{step}").random() < self.plan.pair_share
        )
        draw = curriculum.pair_rows if paired else curriculum.single_rows
        pictures, rows = draw(rng, self.plan.rows, step / self.plan.steps)
        pixels = patches(painter.cells([scene for row in pictures for scene in row], pixel_rng))
        shape = (len(pictures), len(pictures[0]), IMAGE_TOKENS, HIDDEN)
        branches, again = pack_branches(rows, self.encode), recognitions(pictures, self.encode)
        with torch.no_grad():
            features = vision_features(self.model, pixels)
        logits = branch_logits(self.model, features.view(shape), branches, self.encode, again.slots)
        answers, seen = torch.split(logits, [len(branches.slots), len(again.slots)])
        loss = F.cross_entropy(answers, branches.targets)
        return loss + F.cross_entropy(seen, again.targets) if len(seen) else loss

    def _lr(self, name: str, step: int, total: int) -> float:
        warm_up = min(1.0, (step + 1) / WARM_UP_STEPS)
        share = 1.0 if name == VISION else self.plan.decay_share
        return self.plan.lr * warm_up * min(1.0, (1.0 - step / total) / share)

    def _after(self, name: str, step: int, total: int, loss: float, optimizer: MatrixOptimizer) -> None:
        accuracy: dict[str, float] = {}
        if step % self.plan.save_every == 0 or step == total:
            self._save_state(name, step, optimizer)
            accuracy = self._accuracy(name)
            logger.info("%s step %d of %d: loss %.3f, accuracy %s", name, step, total, loss, accuracy)
        if self.report is not None:
            self.report(Progress(name, step, total, loss, accuracy))

    @torch.no_grad()
    def _accuracy(self, name: str) -> dict[str, float]:
        if name == LANGUAGE:
            return self.validate(self.model)
        rng = random.Random("unseen drawings")
        scenes = [draw_scene(rng, alignment.STYLE, "evaluation") for _ in range(256)]
        pixels = patches(Painter(UNSEEN_DRAWINGS, variants=2).cells(scenes, np.random.default_rng(0)))
        words = self.model.model.language_model.embed_tokens.weight
        return alignment_loss(vision_features(self.model, pixels), words, cell_targets(scenes), self.encode)[
            1
        ]

    def _save_state(self, name: str, step: int, optimizer: MatrixOptimizer) -> None:
        content = {
            "plan": asdict(self.plan),
            "lessons": curriculum.lessons_digest(self.plan.seed),
            "stage": name,
            "step": step,
            "model": self.model.state_dict(),
            "optimizer": optimizer.state(),
        }
        fresh = self.out / f"{STATE_FILE}.new"
        torch.save(content, fresh)
        shutil.move(fresh, self.out / STATE_FILE)

    def finish(self) -> dict[str, float]:
        """Save weights in bf16, configuration, processor and chat template; validate what was saved."""
        self.model.to(torch.bfloat16).save_pretrained(self.out)
        build_processor().save_pretrained(self.out)
        return self.validate(self.model.to(torch.float32))


def _read_state(path: Path, plan: PretrainingPlan) -> dict[str, Any] | None:
    if not path.is_file():
        return None
    state: dict[str, Any] = torch.load(path, weights_only=True)
    if state["plan"] != asdict(plan):
        raise ResumeError(
            f"{path} belongs to another plan: {state['plan']}, not {asdict(plan)}. "
            "Use the same options to go on, or another folder to start anew."
        )
    if state.get("lessons") != curriculum.lessons_digest(plan.seed):
        raise ResumeError(
            f"{path} was taught other lessons: MiniWorld's scenes or lessons have changed "
            "since. Use another folder to start anew."
        )
    return state
