"""A progress bar on the terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from halluc.report.screen import SCREEN


@contextmanager
def progress(title: str, total: int, *, done: int = 0, shown: bool = True) -> Iterator[Callable[[], None]]:
    """Show how many of ``total`` are done; yields a function that counts one more."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, transient=True, disable=not shown, console=SCREEN) as bar:
        task = bar.add_task(title, total=total, completed=done)
        yield lambda: bar.advance(task)
