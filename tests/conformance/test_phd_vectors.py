import json
from collections import Counter
from pathlib import Path

import pytest

from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.phd import Phd

PARSERS = {"strict": "strict", "pope_official": "official"}
NAMES = {"phd_index": "index", "yes_recall": "yes_recall", "no_recall": "no_recall"}


def mode_of(name):
    return {"iac": "sec"}.get(name, name)


def questions_of(records, profile):
    """Build the benchmark, and its question to each record in their order."""
    rows = [Row(record, Path("phd.jsonl"), line) for line, record in enumerate(records, 1)]
    benchmark = Phd.from_rows(rows, profile)
    published = benchmark.published()
    return benchmark, [published[name] for row in rows for name in Phd.row_responses(row)]


@pytest.mark.parametrize("parser", PARSERS)
def test_scores_of_the_benchmark(vectors, score_records, parser):
    data = vectors.load("phd.json")
    expected = data["expected"][parser]
    result = score_records(Phd, data["records"], PARSERS[parser])
    for mode, metrics in expected["by_mode"].items():
        for theirs, ours in NAMES.items():
            vectors.equal(result.scores[f"{mode_of(mode)}/{ours}"], metrics[theirs], f"{mode}/{ours}")
        for task, cell in expected["by_mode_and_task"][mode].items():
            for theirs, ours in NAMES.items():
                vectors.equal(result.scores[f"{mode_of(mode)}/{task}/{ours}"], cell[theirs], f"{mode}/{task}")
    vectors.equal(result.scores["index"], expected["overall_mean_of_modes"])
    for theirs, ours in NAMES.items():
        vectors.equal(result.scores[f"pooled/{ours}"], expected["overall_pooled"][theirs])
    vectors.equal(result.scores["pooled/unparsed_rate"], expected["unparsed_rate"])


@pytest.mark.parametrize("parser", PARSERS)
def test_every_response_is_read_as_the_reference_does(vectors, parser):
    data = vectors.load("phd.json")
    benchmark, questions = questions_of(data["records"], PARSERS[parser])
    pairs = zip(questions, data["records"], strict=True)
    read = [benchmark.read(question, record["response"]) for question, record in pairs]
    vectors.equal(read, data["expected"][parser]["predictions"])


@pytest.mark.parametrize("parser", PARSERS)
def test_numbers_of_questions_by_gold_answer(vectors, parser):
    data = vectors.load("phd.json")
    _, questions = questions_of(data["records"], PARSERS[parser])
    cells = Counter((q.tags["mode"], q.tags["task"], q.gold) for q in questions)
    expected = data["expected"][parser]

    def compare(metrics, mode=None, task=None):
        for gold in ("yes", "no"):
            fitting = [
                count
                for (own_mode, own_task, own_gold), count in cells.items()
                if own_gold == gold and mode in {None, own_mode} and task in {None, own_task}
            ]
            vectors.equal(sum(fitting), metrics[f"n_{gold}"], f"{mode}/{task}/{gold}")

    compare(expected["overall_pooled"])
    for task, metrics in expected["by_task"].items():
        compare(metrics, task=task)
    for mode, metrics in expected["by_mode"].items():
        compare(metrics, mode_of(mode))
        for task, cell in expected["by_mode_and_task"][mode].items():
            compare(cell, mode_of(mode), task)


@pytest.mark.parametrize("parser", PARSERS)
def test_scores_by_task_and_means_of_tasks(vectors, score_records, parser):
    data = vectors.load("phd.json")
    expected = data["expected"][parser]
    for task, metrics in expected["by_task"].items():
        records = [record for record in data["records"] if record["task"] == task]
        scores = score_records(Phd, records, PARSERS[parser]).scores
        for theirs, ours in NAMES.items():
            vectors.equal(scores[f"pooled/{ours}"], metrics[theirs], task)
    scores = score_records(Phd, data["records"], PARSERS[parser]).scores
    for mode, value in expected["mean_of_task_indices_per_mode"].items():
        indices = [scores[f"{mode_of(mode)}/{task}/index"] for task in expected["by_mode_and_task"][mode]]
        vectors.equal(sum(indices) / len(indices), value, mode)


def test_prompts_and_gold_answers_of_the_published_layout(vectors, tmp_path):
    data = vectors.load("phd.json")
    (tmp_path / "data.json").write_text(json.dumps(data["samples"]))
    questions = Phd(tmp_path, prompt_profile="official").published().values()
    ours = sorted((mode_of(q.tags["mode"]), q.tags["task"], q.prompt, q.gold) for q in questions)
    theirs = sorted((mode_of(r["mode"]), r["task"], r["prompt"], r["answer"]) for r in data["records"])
    vectors.equal([list(row) for row in ours], [list(row) for row in theirs])
