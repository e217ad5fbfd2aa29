"""``python -m halluc``: everything around training."""

import logging
import sys
from typing import ClassVar

import typer

from halluc.cli.lazy import LazyCommand, LazyGroup
from halluc.errors import HallucError, RunInterruptedError


class Commands(LazyGroup):
    """The commands; each is a function, or an app of its own, in ``halluc/cli``."""

    lazy: ClassVar[dict[str, LazyCommand]] = {
        "score": LazyCommand("halluc.cli.score:score", "Score responses made by any tool."),
        "evaluate": LazyCommand("halluc.cli.evaluate:evaluate", "Measure a model without training it."),
        "compare": LazyCommand("halluc.cli.compare:compare", "Compare runs question by question."),
        "benchmarks": LazyCommand("halluc.cli.benchmarks:benchmarks", "List the benchmarks and their files."),
        "check": LazyCommand("halluc.cli.check:check", "List all unusable rows of a data file."),
        "build": LazyCommand("halluc.cli.build_commands:build_app", "Build data, benchmarks, checkpoints."),
        "bench": LazyCommand("halluc.cli.bench:bench", "Time token trees beside other ways."),
        "pretrain": LazyCommand("halluc.cli.pretrain:pretrain", "Pretrain MiniWorld's small model."),
    }


app = typer.Typer(cls=Commands, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.callback()
def describe() -> None:
    """Dehallucination training for vision-language models. Training itself: python train.py --help."""


def main() -> None:
    """Run the command; a known error is shown as its message, with exit status 1."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    try:
        app()
    except RunInterruptedError as error:
        typer.secho(str(error), err=True, fg="yellow")
        sys.exit(130)
    except HallucError as error:
        typer.secho(f"{type(error).__name__}: {error}", err=True, fg="red")
        sys.exit(1)


if __name__ == "__main__":
    main()
