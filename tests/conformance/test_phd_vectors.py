import json

import pytest

from halluc.benchmarks.phd import Phd

PARSERS = {"strict": "strict", "pope_official": "official"}
NAMES = {"phd_index": "index", "yes_recall": "yes_recall", "no_recall": "no_recall"}


def mode_of(name):
    return {"iac": "sec"}.get(name, name)


@pytest.mark.parametrize("parser", PARSERS)
def test_scores_of_the_benchmark(vectors, score_records, parser):
    data = vectors.load("phd.json")
    expected = data["expected"][parser]
    result = score_records(Phd, data["records"], PARSERS[parser])
    for mode, metrics in expected["by_mode"].items():
        for theirs, ours in NAMES.items():
            vectors.equal(result.scores[f"{mode_of(mode)}/{ours}"], metrics[theirs], f"{mode}/{ours}")
        vectors.equal(result.scores[f"{mode_of(mode)}/n"], metrics["n_yes"] + metrics["n_no"])
        for task, cell in expected["by_mode_and_task"][mode].items():
            for theirs, ours in NAMES.items():
                vectors.equal(result.scores[f"{mode_of(mode)}/{task}/{ours}"], cell[theirs], f"{mode}/{task}")
    vectors.equal(result.scores["index"], expected["overall_mean_of_modes"])
    for theirs, ours in NAMES.items():
        vectors.equal(result.scores[f"pooled/{ours}"], expected["overall_pooled"][theirs])
    vectors.equal(result.scores["pooled/unparsed_rate"], expected["unparsed_rate"])


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
