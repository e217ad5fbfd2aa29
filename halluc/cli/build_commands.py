"""``python -m halluc build``: all its commands, imported when they are called."""

from typing import ClassVar

import typer

from halluc.cli.lazy import LazyCommand, LazyGroup

_BUILD = "halluc.cli.build"


class BuildCommands(LazyGroup):
    """What can be built."""

    lazy: ClassVar[dict[str, LazyCommand]] = {
        "pope": LazyCommand(f"{_BUILD}:build_pope", "Polling questions from annotations."),
        "choice": LazyCommand(f"{_BUILD}:build_choice", "Multiple-choice samples from annotations."),
        "pairs": LazyCommand(f"{_BUILD}:build_preference_pairs", "Preference pairs from samples."),
        "gated": LazyCommand(f"{_BUILD}:build_gated_file", "Gated sequences from key attributes."),
        "vlm2-gated": LazyCommand(
            "halluc.cli.build_vlm2:build_vlm2_gated", "Gated sequences from VLM2-Bench items."
        ),
        "phd": LazyCommand(f"{_BUILD}:build_phd", "PhD records from annotations."),
        "heldout": LazyCommand(f"{_BUILD}:build_heldout_files", "All three benchmarks, held-out pictures."),
        "miniworld": LazyCommand("halluc.cli.build_miniworld:build_miniworld", "The drawn world."),
        "tiny": LazyCommand("halluc.cli.build_tiny:build_tiny_checkpoint", "A random tiny checkpoint."),
    }


build_app = typer.Typer(
    cls=BuildCommands, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)


@build_app.callback()
def describe() -> None:
    """Build training data, benchmark files and checkpoints."""
