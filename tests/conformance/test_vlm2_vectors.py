import pytest

from halluc.benchmarks.vlm2 import Vlm2
from halluc.benchmarks.vlm2_subtasks import SUBTASKS
from halluc.data.records import AnswerKind, AnswerSpace
from halluc.metrics.counting import CountingSums, count_score, counting_scores, error_reason
from halluc.metrics.video_judge import JudgeSums, video_judge_scores
from halluc.parsing import official, strict
from halluc.parsing.readers import VLM2, VLM2_CHANGE

PROFILES = ["official", "vlmevalkit", "strict"]
HEADLINE = {
    "mat": "paired_accuracy",
    "trk": "paired_accuracy",
    "cpr": "paired_accuracy",
    "cnt": "score",
    "grp": "accuracy",
}
SHARES = {
    "paired_correct": ("paired_accuracy", "pairs"),
    "pair_correct": ("paired_accuracy", "pairs"),
    "positive_correct": ("positive_accuracy", "pairs"),
    "negative_correct": ("negative_accuracy", "pairs"),
    "valid": ("valid_rate", "n"),
}
CORRECT = {"cnt": "exact_accuracy", "grp": "accuracy"}
RECORD_BY_RECORD = {"parsed", "scores", "error_reason", "per_record"}


def records_of(data, subtask):
    """Name the subtask, and give counting records the length that the question file holds."""
    entry = data["subtasks"][subtask]
    lengths = {row["q_id"]: row["image_seq_len"] for row in entry.get("question_file", [])}
    records = [{**record, "subtask": subtask} for record in entry["records"]]
    for record in records:
        if record["q_id"] in lengths:
            record["image_seq_len"] = lengths[record["q_id"]]
    return records


@pytest.mark.parametrize("subtask", SUBTASKS)
@pytest.mark.parametrize("profile", PROFILES)
def test_scores_of_the_benchmark(vectors, score_records, subtask, profile):
    data = vectors.load("vlm2_bench.json")
    expected = data["subtasks"][subtask]["expected"][profile]
    scores = score_records(Vlm2, records_of(data, subtask), profile).scores
    shares = SHARES | ({"correct": (CORRECT[subtask[3:]], "n")} if subtask[3:] in CORRECT else {})
    names = {"score": HEADLINE[subtask[3:]], "total": "n"}
    for name in expected.keys() - RECORD_BY_RECORD:
        if name in shares:
            share, whole = shares[name]
            found = scores[f"{subtask}/{share}"] * scores[f"{subtask}/{whole}"]
        else:
            found = scores[f"{subtask}/{names.get(name, name)}"]
        vectors.equal(found, float(expected[name]), name)


@pytest.mark.parametrize("subtask", ["oc_cnt", "pc_cnt"])
@pytest.mark.parametrize("profile", PROFILES)
def test_counts_in_sheets_that_list_their_pictures(vectors, score_records, subtask, profile):
    records = records_of(vectors.load("vlm2_bench.json"), subtask)
    told = score_records(Vlm2, records, profile).scores
    for record in records:
        names = [f"{record['q_id']}_{place}.jpg" for place in range(record.pop("image_seq_len"))]
        record["image_path"] = str(names)
    vectors.equal(score_records(Vlm2, records, profile).scores, told)


@pytest.mark.parametrize("profile", ["official", "strict"])
def test_every_answer_is_read_as_the_reference_does(vectors, profile):
    data = vectors.load("vlm2_bench.json")
    for subtask in SUBTASKS:
        entry = data["subtasks"][subtask]
        texts = [record["model_answer"] for record in entry["records"]]
        expected = entry["expected"][profile]
        if "per_record" in expected:
            golds = [official.read_vlm2_option(record["gt_answer"]) for record in entry["records"]]
            right = [official.read_vlm2_option(t) == gold for t, gold in zip(texts, golds, strict=True)]
            vectors.equal(right, expected["per_record"], subtask)
        elif "parsed" in expected:
            kind = {"cnt": AnswerKind.COUNT, "grp": AnswerKind.CHOICE}.get(subtask[3:], AnswerKind.TRUE_FALSE)
            read = VLM2_CHANGE[profile] if subtask.startswith("gc") else VLM2[profile][kind]
            parsed = [read(text, AnswerSpace.choice(("", "", "", ""))) for text in texts]
            wanted = [None if value is None else str(value) for value in expected["parsed"]]
            vectors.equal(parsed, wanted, subtask)


@pytest.mark.parametrize(
    ("profile", "read"), [("official", official.read_vlm2_count), ("strict", strict.read_count)]
)
def test_counting_scores_record_by_record(vectors, profile, read):
    data = vectors.load("vlm2_bench.json")
    for subtask in ("oc_cnt", "pc_cnt"):
        records = records_of(data, subtask)
        expected = data["subtasks"][subtask]["expected"][profile]
        triples = [(read(r["model_answer"]), r["gt_answer"], r["image_seq_len"]) for r in records]
        vectors.equal([count_score(*triple) for triple in triples], expected["scores"], subtask)
        if profile == "official":
            vectors.equal([error_reason(*triple) for triple in triples], expected["error_reason"], subtask)


def test_average_of_the_eight_image_subtasks(vectors, score_records):
    data = vectors.load("vlm2_bench.json")
    records = [record for subtask in SUBTASKS for record in records_of(data, subtask)]
    scores = score_records(Vlm2, records, "official").scores
    vectors.equal(scores["average"], data["official_average_of_8_subtasks"])


def test_video_judge_scores(vectors):
    entry = vectors.load("vlm2_bench.json")["subtasks"]["pc_vid"]
    judged = [
        JudgeSums.of(record["type"], official.read_vlm2_video_score(record["score"]))
        for record in entry["records"]
    ]
    vectors.equal(video_judge_scores(sum(judged, start=JudgeSums(0, 0, 0, 0))), entry["expected"]["official"])


def test_complete_table_of_the_counting_score(vectors):
    for row in vectors.load("vlm2_bench_count_score.json")["rows"]:
        vectors.equal(count_score(row["predicted"], row["gold"], row["images"]), row["score"])
        scores = counting_scores(CountingSums.of(row["predicted"], row["gold"], row["images"]))
        vectors.equal(scores["valid_rate"] == 0.0, row["excluded_from_mean"])


def test_quirks(vectors):
    data = vectors.load("vlm2_bench_quirks.json")
    for case in data["true_false"]:
        text = case["response"]
        vectors.equal(official.read_vlm2_true_false(text), case["official"], text)
        vectors.equal(strict.read_true_false(text), case["strict"], text)
        for gold in "TF":
            vectors.equal(official.read_vlm2_change(text) == gold, case[f"gc_exact_{gold}"], text)
    for case in data["count"]:
        vectors.equal(official.read_vlm2_count(case["response"]), case["official"], case["response"])
        vectors.equal(strict.read_count(case["response"]), case["strict"], case["response"])
    for case in data["group"]:
        gold = official.read_vlm2_option(case["gold"])
        right = official.read_vlm2_option(case["response"]) == gold
        vectors.equal(right, case["official_correct"], case["response"])
        vectors.equal(strict.read_choice(case["response"]), case["strict"], case["response"])
