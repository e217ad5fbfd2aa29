"""What is known about each benchmark: its size, its licence, where it is had."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class BenchmarkFacts:
    """Hold what a table of benchmarks shows.

    Attributes:
        benchmark: Name in the config.
        title: Published name.
        questions: How many there are.
        images: How many pictures they show.
        metrics: What is computed.
        profiles: Readers of answers that it has.
        licence: Of the data, as published.
        source: Where it is had.
        size: Of the download; empty where it is not known.
    """

    benchmark: str
    title: str
    questions: str
    images: str
    metrics: str
    profiles: tuple[str, ...]
    licence: str
    source: str
    size: str


@cache
def benchmark_facts() -> dict[str, BenchmarkFacts]:
    """Return the shipped facts by the benchmark's name."""
    text = files("halluc.report").joinpath("benchmark_facts.json").read_text(encoding="utf-8")
    rows = [BenchmarkFacts(**{**row, "profiles": tuple(row["profiles"])}) for row in json.loads(text)]
    return {row.benchmark: row for row in rows}
