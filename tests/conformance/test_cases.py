"""Small cases from bug reports that concern reading answers and scoring."""

import shutil

import pytest

from halluc.benchmarks.phd import FOLLOW_IMAGE, Phd
from halluc.benchmarks.pope import Pope
from halluc.benchmarks.scoring.responses import score_responses
from halluc.data.records import Prediction
from halluc.errors import BenchmarkError, SourceNotFoundError
from halluc.metrics.phd_index import phd_scores
from halluc.metrics.yes_margin import accuracy_at, auroc, best_threshold
from halluc.metrics.yes_no import count_yes_no, yes_no_scores
from halluc.parsing import strict
from halluc.parsing.labels import read_yes_no_label

SIX_DIGITS = 1e-6
BINARY = ("n", "accuracy", "precision", "recall", "f1", "yes_ratio")


def pope_scores(folder, *names):
    rows = [row for name in names for row in folder.rows(name)]
    return score_responses(Pope.from_rows(rows), rows)


def test_case_10_yes_no_label_forms(cases):
    expected = cases.load("10_yes_no_label_forms/expected.json")
    read = {
        row.record["id"]: read_yes_no_label(row.record["answer"])
        for row in cases.rows("10_yes_no_label_forms/eval.jsonl")
    }
    for answer in ("yes", "no"):
        cases.equal([name for name, label in read.items() if label == answer], expected[answer])
    refused = expected["other_language_map_or_error"] + expected["must_error_by_id"]
    cases.equal([name for name, label in read.items() if label is None], sorted(refused))


def test_case_16_yes_no_parse(cases):
    for row in cases.rows("16_yes_no_parse/predictions.jsonl"):
        outcome = strict.read_yes_no(row.record["prediction"]) or "unparsed"
        cases.equal(outcome, row.record["strict"], row.record["id"])
        assert outcome in row.record["accepted"]


def test_case_17_choice_parse(cases):
    for row in cases.rows("17_mcq_parse/predictions.jsonl"):
        outcome = strict.read_choice(row.record["prediction"]) or "unparsed"
        cases.equal(outcome, row.record["strict"], row.record["id"])
        assert outcome in row.record["accepted"]


@pytest.mark.parametrize("name", ["always_yes", "always_no", "never_parsed", "perfect", "perfect_but_wordy"])
def test_case_18_degenerate_models(cases, name):
    expected = cases.load("18_degenerate_models/expected.json")[name]
    scores = pope_scores(cases, f"18_degenerate_models/{name}.jsonl").scores
    cases.equal(
        {key: scores[f"pooled/{key}"] for key in BINARY},
        {key: expected[key] for key in BINARY},
        tolerance=SIX_DIGITS,
    )
    cases.equal(scores["pooled/unparsed_rate"] * 10, expected["unparsed"])
    rows = cases.rows(f"18_degenerate_models/{name}.jsonl")
    words = {"yes": True, "no": False}
    counts = count_yes_no(
        [words.get(strict.read_yes_no(row.record["prediction"])) for row in rows],
        [words[row.record["gold"]] for row in rows],
    )
    recalls = phd_scores(counts)
    cases.equal(recalls["yes_recall"], expected["yes_recall"])
    cases.equal(recalls["no_recall"], expected["no_recall"])
    cases.equal(recalls["index"], expected["phd_index"])


def test_case_18_one_class_only_has_no_index_and_a_warning(cases, caplog):
    rows = cases.rows("18_degenerate_models/one_class_only.jsonl")
    made = [type(row)({**row.record, "mode": "base"}, row.file, row.line) for row in rows]
    scores = score_responses(Phd.from_rows(made), made).scores
    cases.equal(scores["base/yes_recall"], 1.0)
    assert "base/no_recall" not in scores
    assert "index" not in scores
    assert len([r for r in caplog.records if "base/no_recall" in r.message]) == 1


def test_case_18_empty_is_a_clear_error(cases):
    rows = cases.rows("18_degenerate_models/empty.jsonl")
    cases.equal(len(rows), 0)
    with pytest.raises(BenchmarkError, match="nothing to score"):
        score_responses(Pope.from_rows(rows), rows)


@pytest.fixture
def phd_case(cases, tmp_path):
    shutil.copytree(cases.path / "19_phd_records", tmp_path / "phd")
    return tmp_path / "phd"


def test_case_19_missing_picture_stops_and_is_named(cases, phd_case):
    with pytest.raises(SourceNotFoundError, match="COCO_val2014_000000999999"):
        Phd(phd_case).questions()
    cases.checked += 1


def test_case_19_phd_records(cases, phd_case):
    expected = cases.load("19_phd_records/expected.json")
    benchmark = Phd(phd_case, prompt_profile="official", bad_rows="skip")
    questions = benchmark.questions()
    for mode, count in expected["modes"].items():
        ours = "sec" if mode == "iac" else mode
        cases.equal(sum(q.tags["mode"] == ours for q in questions), count, mode)
    by_id = {q.id: q for q in questions}
    cases.equal(by_id["base/0/yes"].images[0], str(phd_case / expected["image_for_139"]))
    cases.equal(by_id["base/1/yes"].images[0], str(phd_case / expected["image_for_164"]))
    cases.equal(
        by_id["sec/1/no"].prompt,
        "Dining rooms often have several chairs." + FOLLOW_IMAGE + "Are there three chairs in the image?",
    )
    scores = benchmark.score([Prediction(id=q.id, text=q.gold, parsed=q.gold) for q in questions])
    cases.equal(scores["skipped"], 6.0)
    cases.equal(scores["index"], 1.0)


def test_case_20_pope_averages(cases):
    expected = cases.load("20_pope_averages/expected.json")
    names = ("random", "popular", "adversarial")
    scores = pope_scores(cases, *(f"20_pope_averages/{name}.jsonl" for name in names)).scores
    for group in (*names, "pooled"):
        ours = {key: scores[f"{group}/{key}"] for key in BINARY}
        cases.equal(ours, {key: expected[group][key] for key in BINARY}, group, SIX_DIGITS)
    for key, value in expected["macro_mean_of_splits"].items():
        cases.equal(scores[f"macro/{key}"], value, key, SIX_DIGITS)


@pytest.mark.parametrize("world_size", [1, 2, 3, 4, 8])
def test_case_23_uneven_shards(cases, world_size):
    expected = cases.load("23_uneven_shards/expected.json")
    rows = cases.rows("23_uneven_shards/predictions.jsonl")
    benchmark = Pope.from_rows(rows)
    shards = [list(benchmark.published().values())[rank::world_size] for rank in range(world_size)]
    answers = {name: text for row in rows for name, text in benchmark.row_responses(row).items()}
    gathered = [
        Prediction(id=q.id, text=answers[q.id], parsed=answers[q.id]) for shard in shards for q in shard
    ]
    scores = benchmark.score(gathered)
    cases.equal(scores["accuracy"], expected["true_accuracy"], tolerance=SIX_DIGITS)
    cases.equal(scores["pooled/n"], expected["n"])
    with pytest.raises(BenchmarkError, match="repeat an id"):
        benchmark.score([*gathered, gathered[0]])


def test_case_25_yes_bias_calibration(cases):
    expected = cases.load("25_yes_bias_calibration/expected.json")
    rows = [row.record for row in cases.rows("25_yes_bias_calibration/margins.jsonl")]
    margins = [row["logit_yes_minus_no"] for row in rows]
    labels = [row["gold"] == "yes" for row in rows]
    counts = count_yes_no([margin > 0 for margin in margins], labels)
    at_zero = {**yes_no_scores(counts), **phd_scores(counts), "n": counts.n}
    at_zero["phd_index"] = at_zero["index"]
    wanted = {key: value for key, value in expected["at_threshold_0"].items() if key != "unparsed"}
    cases.equal(at_zero, wanted, tolerance=SIX_DIGITS)
    cases.equal(accuracy_at(0.0, margins, labels), wanted["accuracy"])
    cases.equal(auroc(margins, labels), expected["auroc"])
    best = best_threshold(margins, labels)
    cases.equal([best.low, best.high], expected["best_threshold_interval"])
    cases.equal(best.accuracy, expected["accuracy_at_best"])
    cases.equal(accuracy_at(0.85, margins, labels), 1.0)
