"""The terminal that messages and progress bars share, so that neither breaks the other's lines."""

import logging

from rich.console import Console

SCREEN = Console(stderr=True)
"""Standard error: what a command prints as its result stays apart."""

STYLES = {logging.WARNING: "yellow", logging.ERROR: "bold red", logging.CRITICAL: "bold red"}


class ScreenHandler(logging.Handler):
    """Print log messages above a running progress bar; long lines are left to the terminal."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one message."""
        SCREEN.print(
            self.format(record),
            style=STYLES.get(record.levelno),
            soft_wrap=True,
            markup=False,
            highlight=False,
        )
