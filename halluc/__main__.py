"""``python -m halluc``: everything around training."""

import logging
import sys

import typer

from halluc.cli.benchmarks import benchmarks
from halluc.cli.build import build_app
from halluc.cli.check import check
from halluc.cli.compare import compare
from halluc.cli.evaluate import evaluate
from halluc.cli.score import score
from halluc.errors import HallucError, RunInterruptedError

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Dehallucination training for vision-language models. Training itself: python train.py --help",
)
app.add_typer(build_app, name="build")
app.command()(benchmarks)
app.command()(check)
app.command()(compare)
app.command()(score)
app.command(no_args_is_help=True)(evaluate)


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
