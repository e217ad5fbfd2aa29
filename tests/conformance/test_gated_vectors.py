from pathlib import Path

import pytest

from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.gated_sequences import responses_of
from halluc.benchmarks.vlm2 import Vlm2

NAMES = {
    "sequences": "sequences",
    "sum": "gated_sum",
    "mean": "gated_mean",
    "gate_open_rate": "gate_open_rate",
    "ungated_mean": "fine_accuracy",
    "mean_fine_accuracy_when_open": "fine_accuracy_when_open",
}


@pytest.mark.parametrize("profile", ["official", "strict"])
def test_scores_of_the_benchmark(vectors, score_records, profile):
    data = vectors.load("gated_hallucination.json")
    scores = score_records(Vlm2, data["sequences"], profile).scores
    expected = data["expected"][profile]
    for theirs, ours in NAMES.items():
        vectors.equal(scores[ours], expected["overall"][theirs], ours)
        for task, metrics in expected["by_task"].items():
            vectors.equal(scores[f"gated/{task}/{ours}"], metrics[theirs], f"{task}/{ours}")


@pytest.mark.parametrize("profile", ["official", "strict"])
def test_each_sequence(vectors, score_records, profile):
    data = vectors.load("gated_hallucination.json")
    for sequence, expected in zip(data["sequences"], data["expected"][profile]["per_sequence"], strict=True):
        scores = score_records(Vlm2, [sequence], profile).scores
        questions = Vlm2.from_rows([Row(sequence, Path("f"), 1)]).published().values()
        vectors.equal({q.tags["sequence"] for q in questions}, {expected["sequence_id"]})
        vectors.equal(scores["gated_sum"], expected["score"], expected["sequence_id"])
        vectors.equal(scores["fine_accuracy"], expected["fine_accuracy"], expected["sequence_id"])
        vectors.equal(scores["gate_open_rate"] == 1.0, expected["gate_open"], expected["sequence_id"])


def test_responses_are_found_inside_the_sequence(vectors):
    sequence = vectors.load("gated_hallucination.json")["sequences"][0]
    found = responses_of(Row(sequence, Path("f"), 1))
    expected = [sequence["coarse"]["response"], *(part["response"] for part in sequence["fine"])]
    vectors.equal(list(found.values()), expected)
