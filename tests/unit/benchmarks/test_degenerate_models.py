"""Models that give one answer to everything: on every benchmark numbers that mean something, no crash."""

import math
from pathlib import Path

import pytest

from halluc.benchmarks.amber import Amber
from halluc.benchmarks.chair import Chair
from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.longhalqa import LongHalQA
from halluc.benchmarks.own import OwnBenchmark
from halluc.benchmarks.phd import Phd
from halluc.benchmarks.pope import Pope
from halluc.benchmarks.scoring.intervals import intervals
from halluc.benchmarks.vlm2 import Vlm2
from halluc.benchmarks.vlm2_videos import Vlm2Videos
from halluc.benchmarks.vstar import VStar
from halluc.data.records import Prediction
from halluc.metrics.bootstrap import is_count
from halluc.report.benchmark_facts import benchmark_facts

YES_NO = ("yes", "no")
OPTIONS = {f"choice_{letter}": f"text {letter}" for letter in "abcd"}

VSTAR_TEXT = "Which?\n(A) red\n(B) blue"


def pope(golds=YES_NO):
    return [
        {"subset": subset, "question_id": n, "image": f"{n % 3}.jpg", "label": gold}
        for subset in ("random", "popular")
        for n, gold in enumerate(golds * 3)
    ]


def phd(golds=YES_NO):
    return [
        {"id": f"{mode}/{n}/{gold}", "mode": mode, "task": "object", "image_id": n // 2, "label": gold}
        for mode in ("base", "icc")
        for n, gold in enumerate(golds * 3)
    ]


def vlm2(golds=YES_NO):
    sequences = [
        {
            "sequence_id": f"s{n}", "task": "oc", "images": [f"{n}a.jpg", f"{n}b.jpg"],
            "coarse": {"type": "count", "question": "?", "gold": 1 + n % 2},
            "fine": [{"question": "?", "gold": gold} for gold in golds],
        }
        for n in range(4)
    ]  # fmt: skip
    halves = [
        {"subtask": "oc_cpr", "q_id": f"{n}_{half}", "question": "?", "gt_answer": gold}
        for n in range(3)
        for half, gold in (("p", "T"), ("n", "F"))
    ]
    counts = [
        {"subtask": "oc_cnt", "q_id": n, "question": "?", "gt_answer": 1, "image_seq_len": 3} for n in "01"
    ]
    return [*sequences, *halves, *counts]


def longhalqa(golds=YES_NO):
    binary = [
        {
            "task": "lhqa_discrim_object_binary",
            "question_id": n,
            "question": "?",
            "gold": gold,
            "image": f"{n}.jpg",
        }
        for n, gold in enumerate(golds * 2)
    ]
    choice = [
        {"task": "lhqa_complete_description", "question_id": n, "question": "?", "gold": gold, **OPTIONS}
        for n, gold in enumerate("BC")
    ]
    return binary + choice


def vstar(golds=("A", "B")):
    return [
        {
            "category": "relative_position",
            "question_id": n,
            "text": VSTAR_TEXT,
            "image": f"{n}.jpg",
            "label": gold,
        }
        for n, gold in enumerate("AB" if golds == YES_NO else "BB")
    ]


def amber(golds=YES_NO):
    return [
        {"id": n, "image": f"{n}.jpg", "query": "?", "type": "discriminative-attribute-state", "truth": gold}
        for n, gold in enumerate(golds * 2)
    ]


def chair(golds=YES_NO):
    return [{"image": f"{n}.jpg", "objects": [gold, "cup"]} for n, gold in enumerate(golds * 2)]


def videos(golds=YES_NO):
    return [{"vid": f"{n}_AB", "question": "?", "gt_answer": gold} for n, gold in enumerate(golds * 2)]


def own(golds=YES_NO):
    binary = [{"id": f"b{n}", "question": f"{n}?", "answer": gold} for n, gold in enumerate(golds * 2)]
    choices = [{"id": f"c{n}", "question": f"{n}?", "choices": ["x", "y"], "answer": "x"} for n in range(2)]
    return binary + choices


RECORDS = {
    "vlm2_videos": (Vlm2Videos, videos),
"chair": (Chair, chair), "own": (OwnBenchmark, own),
           "pope": (Pope, pope), "phd": (Phd, phd), "vlm2": (Vlm2, vlm2), "longhalqa": (LongHalQA, longhalqa),
           "vstar": (VStar, vstar), "amber": (Amber, amber)}  # fmt: skip
CASES = [(name, profile) for name in RECORDS for profile in benchmark_facts()[name].profiles]
MODELS = {"always yes": "Yes", "always no": "No", "always A": "A", "empty": "", "silent": None,
          "refuses": "I'm sorry, but I can't help with that.", "prose": "…" * 3000}  # fmt: skip


def built(name, profile, golds=YES_NO):
    kind, records = RECORDS[name]
    rows = [Row(record, Path(f"{name}.jsonl"), line) for line, record in enumerate(records(golds), 1)]
    return kind.from_rows(rows, profile)


def answered(benchmark, text):
    return [
        Prediction(id=q.id, text=text, parsed=None if text is None else benchmark.read(q, text))
        for q in benchmark.published().values()
    ]


def sane(scores):
    for name, value in scores.items():
        assert math.isfinite(value), name
        if not is_count(name) and not name.endswith(("gated_sum", "mentions_each")):
            assert 0 <= value <= 1, name


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("name", "profile"), CASES)
def test_one_answer_to_everything(name, profile, model):
    benchmark = built(name, profile)
    predictions = answered(benchmark, MODELS[model])
    sane(benchmark.score(predictions))
    for found in intervals(benchmark, predictions, resamples=50).values():
        assert 0 <= found.low <= found.high
        assert math.isfinite(found.high)


@pytest.mark.parametrize("gold", YES_NO)
@pytest.mark.parametrize(("name", "profile"), CASES)
def test_one_class_only(name, profile, gold):
    benchmark = built(name, profile, (gold,))
    for text in ("Yes", "No", None):
        predictions = answered(benchmark, text)
        sane(benchmark.score(predictions))
        intervals(benchmark, predictions, resamples=20)


@pytest.mark.parametrize(("name", "profile"), CASES)
def test_no_questions(name, profile):
    benchmark = RECORDS[name][0].from_rows([], profile)
    scores = benchmark.score([])
    assert all(value == 0.0 and is_count(key) for key, value in scores.items()), scores
    assert intervals(benchmark, []) == {}


@pytest.mark.parametrize(
    ("name", "model", "score", "value"),
    [
        ("pope", "Yes", "accuracy", 0.5),
        ("pope", "No", "pooled/f1", 0.0),
        ("pope", None, "accuracy", 0.0),
        ("phd", "Yes", "index", 0.0),
        ("phd", "No", "index", 0.0),
        ("phd", "", "pooled/unparsed_rate", 1.0),
        ("vlm2", "Yes", "gated_mean", 0.0),
        ("vstar", "A", "accuracy", 0.5),
        ("amber", "No", "recall", 1.0),
        ("amber", "No", "accuracy", 0.5),
        ("longhalqa", "No", "lhqa_discrim_object_binary/precision", 0.0),
    ],
)
def test_known_values_under_the_strict_profile(name, model, score, value):
    benchmark = built(name, "strict")
    assert benchmark.score(answered(benchmark, model))[score] == value
