"""The CSV log of a run, which a resumed run continues."""

import csv
import warnings
from pathlib import Path

from lightning.pytorch.loggers import CSVLogger
from lightning.pytorch.utilities import rank_zero_only

FILE_NAME = "metrics.csv"


def csv_logger(run_dir: str) -> CSVLogger:
    """Log to ``metrics.csv`` in the run directory.

    Rows of an earlier part of the run are written again, since Lightning's logger starts its file
    anew; ``forget_after`` drops those that the resumed run will repeat.
    """
    rows = read_rows(Path(run_dir))
    logger = CSVLogger(save_dir=run_dir, name="", version="", flush_logs_every_n_steps=10)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Experiment logs directory")  # it is meant to be there
        _replay(logger, rows)
    return logger


def read_rows(run_dir: Path) -> list[dict[str, float]]:
    """Read ``metrics.csv``; each row holds ``step`` and what was logged at it."""
    path = run_dir / FILE_NAME
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as lines:
        return [{k: float(v) for k, v in row.items() if v} for row in csv.DictReader(lines)]


def forget_after(run_dir: Path, step: int) -> None:
    """Drop the rows of training steps from ``step`` on: the resumed run logs them again.

    Evaluations (rows without a training loss) at ``step`` itself are kept; they are not repeated.
    """
    rows = read_rows(run_dir)
    kept = [r for r in rows if r["step"] < step or (r["step"] == step and "train/loss" not in r)]
    if len(kept) < len(rows):
        names = sorted({name for row in kept for name in row})
        with (run_dir / FILE_NAME).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=names)
            writer.writeheader()
            writer.writerows(kept)


@rank_zero_only
def _replay(logger: CSVLogger, rows: list[dict[str, float]]) -> None:
    for row in rows:
        logger.log_metrics({k: v for k, v in row.items() if k != "step"}, step=int(row["step"]))
    logger.save()
