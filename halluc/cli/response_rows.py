"""Response files as commands take them: their rows, and the benchmark that can score them."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hydra.utils import get_class
from omegaconf import OmegaConf

from halluc.benchmarks.files.response_files import read_responses
from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.published import PublishedBenchmark
from halluc.benchmarks.scoring.responses import holds_gold, require_same_gold
from halluc.cli.configs import benchmark_entry
from halluc.errors import BenchmarkError, ConfigError, RecordError

logger = logging.getLogger(__name__)

LEFT_TO_THE_COMMAND = ("_target_", "root", "image_root", "profile")


def response_rows(files: Sequence[Path]) -> list[Row]:
    """Read all rows of some response files.

    Raises:
        BenchmarkError: If they hold none.
        HallucError: If one is missing or can't be read.
    """
    rows = [row for file in files for row in read_responses(file)]
    if not rows:
        raise BenchmarkError(f"There is nothing to score in {', '.join(map(str, files))}.")
    return rows


def benchmark_for(
    rows: Sequence[Row], name: str, *, profile: str, root: Path | None, options: Sequence[str]
) -> PublishedBenchmark:
    """Build a benchmark that can score response rows.

    Args:
        rows: The rows; without ``root`` they have to hold their gold answers.
        name: Name of the benchmark in the config.
        profile: How answers are read.
        root: Folder of the published questions; None takes the questions from the rows.
        options: Options of the benchmark as ``name=value``, with ``root``.

    Raises:
        ConfigError: If neither rows nor ``root`` tell the gold answers.
        UnknownOptionError: If there is no such benchmark or profile.
    """
    entry = benchmark_entry(name)
    kind: Any = get_class(entry["_target_"])
    built: PublishedBenchmark
    if root is None:
        if options:
            raise ConfigError(f"--option {' '.join(options)} has no use without --root. Leave it out.")
        _require_gold(rows)
        built = kind.from_rows(rows, profile)
    else:
        plain = {key: entry[key] for key in entry if key not in LEFT_TO_THE_COMMAND}
        arguments = OmegaConf.merge(plain, OmegaConf.from_dotlist(list(options)))
        built = kind(root, profile=profile, **{str(key): value for key, value in arguments.items()})
        _require_same_gold(built, [row for row in rows if holds_gold(row)], profile)
    return built


def _require_same_gold(asked: PublishedBenchmark, rows: Sequence[Row], profile: str) -> None:
    """Hold gold answers that rows bring along against those of the published questions."""
    if not rows:
        return
    try:
        answered = type(asked).from_rows(rows, profile)
        require_same_gold(asked, answered, "--root and in the files")
    except RecordError:
        logger.warning(
            "Gold answers in the files were not held against those of --root: %d records are not whole.",
            len(rows),
        )


def _require_gold(rows: Sequence[Row]) -> None:
    bare = [row for row in rows if not holds_gold(row)]
    if bare:
        raise ConfigError(
            f"{len(bare)} of {len(rows)} rows hold no gold answer, first: {bare[0].where}. "
            f"Give --root with the folder of the published questions, or whole records with their gold."
        )
