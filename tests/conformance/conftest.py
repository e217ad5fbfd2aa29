"""Vectors and cases from outside the repository: where they are, and how many values were checked.

``HALLUC_VECTORS`` and ``HALLUC_CASES`` name the folders. Without them these tests skip, unless
``HALLUC_REQUIRE_CONFORMANCE=1`` turns that into a failure.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from halluc.benchmarks.files.rows import Row, read_rows
from halluc.benchmarks.scoring.responses import ResponseScores, score_responses

TOLERANCE = 1e-9
PROPERTY = "conformance_values"


class Folder:
    """Load reference files, and compare with what they expect, leaf by leaf."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.checked = 0

    def load(self, name: str) -> Any:
        return json.loads((self.path / name).read_text(encoding="utf-8"))

    def rows(self, name: str) -> list[Row]:
        return read_rows(self.path / name, "HALLUC_CASES")

    def equal(self, actual: Any, expected: Any, where: str = "", tolerance: float = TOLERANCE) -> None:
        if isinstance(expected, Mapping):
            for name, value in expected.items():
                self.equal(actual[name], value, f"{where}/{name}", tolerance)
        elif isinstance(expected, list):
            assert len(actual) == len(expected), where
            for place, (one, other) in enumerate(zip(actual, expected, strict=True)):
                self.equal(one, other, f"{where}[{place}]", tolerance)
        elif isinstance(expected, float):
            assert actual == pytest.approx(expected, abs=tolerance), where
            self.checked += 1
        else:
            assert actual == expected, where
            self.checked += 1


def _folder(variable: str, request: pytest.FixtureRequest) -> Iterator[Folder]:
    name = os.environ.get(variable, "")
    if not Path(name).is_dir() or not name:
        reason = f"{variable} names no folder: {name!r}"
        if os.environ.get("HALLUC_REQUIRE_CONFORMANCE") == "1":
            pytest.fail(f"{reason}, but HALLUC_REQUIRE_CONFORMANCE=1")
        pytest.skip(reason)
    folder = Folder(Path(name))
    yield folder
    request.node.user_properties.append((PROPERTY, folder.checked))
    assert folder.checked > 0, "this test compared nothing"


@pytest.fixture
def vectors(request: pytest.FixtureRequest) -> Iterator[Folder]:
    yield from _folder("HALLUC_VECTORS", request)


@pytest.fixture
def cases(request: pytest.FixtureRequest) -> Iterator[Folder]:
    yield from _folder("HALLUC_CASES", request)


@pytest.fixture
def score_records() -> Callable[..., ResponseScores]:
    """Score published records with responses, the way ``halluc score`` does."""

    def score(kind: Any, records: Sequence[Mapping[str, Any]], profile: str) -> ResponseScores:
        rows = [Row(record, Path("vectors.jsonl"), line) for line, record in enumerate(records, 1)]
        return score_responses(kind.from_rows(rows, profile), rows)

    return score


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    # A property that a fixture adds at its end is in the report of the teardown, which has no status.
    reports = [report for report in terminalreporter.stats.get("", []) if report.when == "teardown"]
    checked = [value for report in reports for name, value in report.user_properties if name == PROPERTY]
    if checked:
        terminalreporter.write_line(f"conformance: {sum(checked)} values in {len(checked)} tests checked")
