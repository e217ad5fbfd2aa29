"""Who says whether a description of a video is right: anything that gives a score."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Protocol

from halluc.benchmarks.files.rows import read_rows
from halluc.errors import RecordError


class VideoJudge(Protocol):
    """Score descriptions of two people in a video."""

    def score(self, name: str, question: str, gold: str, description: str) -> int | None:
        """Return 0 or 1 for a two-part video, 0 to 2 for a three-part one; None if no score was found.

        Args:
            name: Id of the video.
            question: What was asked.
            gold: What the video shows.
            description: What the model wrote.
        """
        ...


class FileJudge:
    """Take scores from a file that another program, or a person, has written about these descriptions.

    Args:
        path: JSON Lines of ``{id, score}``; ``score`` may be null.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)

    def score(self, name: str, question: str, gold: str, description: str) -> int | None:
        """Look the score up.

        Raises:
            RecordError: If the file has no row for the video, or a score that is no whole number.
        """
        if name not in self._scores:
            raise RecordError(f"{self._path} has no row with id {name}. Judge every video, or write null.")
        return self._scores[name]

    @cached_property
    def _scores(self) -> Mapping[str, int | None]:
        scores: dict[str, int | None] = {}
        for row in read_rows(self._path, "benchmark.vlm2_videos.judge.path"):
            value = row.record.get("score")
            if value is not None and (type(value) is not int or not 0 <= value <= 2):
                raise RecordError(f"{row.where}: score {value!r} is neither 0, 1, 2 nor null.")
            scores[row.text("id")] = value
        return scores
