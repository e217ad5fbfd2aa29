import pytest

from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.longhalqa import BINARY_TASKS, TASKS, LongHalQA
from halluc.data.records import AnswerSpace
from halluc.metrics.yes_no import count_yes_no
from halluc.parsing import official, strict

PROFILES = ["official", "strict"]
COMPARED_APART = {"TP", "FP", "TN", "FN", "predictions"}


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("profile", PROFILES)
def test_scores_of_the_benchmark(vectors, score_records, task, profile):
    entry = vectors.load("longhalqa.json")["tasks"][task]
    records = [{**record, "task": task} for record in entry["records"]]
    scores = score_records(LongHalQA, records, profile).scores
    for name, value in entry["expected"][profile].items():
        if name not in COMPARED_APART:
            vectors.equal(scores[f"{task}/{name.removeprefix('mc_')}"], value, name)
    vectors.equal("binary" if task in BINARY_TASKS else "choice", entry["type"])


@pytest.mark.parametrize("task", BINARY_TASKS)
def test_confusion_counts(vectors, task):
    entry = vectors.load("longhalqa.json")["tasks"][task]
    words = {"yes": True, "no": False, None: None}
    counts = count_yes_no(
        [words[strict.read_yes_no(record["response"])] for record in entry["records"]],
        [record["answer"].lower() == "yes" for record in entry["records"]],
    )
    ours = {"TP": counts.true_yes, "FP": counts.false_yes, "TN": counts.true_no, "FN": counts.missed_yes}
    expected = entry["expected"]["strict"]
    vectors.equal(ours, {name: expected[name] for name in ours})


@pytest.mark.parametrize("task", TASKS)
def test_every_response_is_read_as_the_reference_does(vectors, task):
    entry = vectors.load("longhalqa.json")["tasks"][task]
    texts = [record["response"] for record in entry["records"]]
    expected = entry["expected"]
    if task in BINARY_TASKS:
        read = [official.read_longhalqa_yes_no(text) or "wrong response" for text in texts]
        strictly = [strict.read_yes_no(text) for text in texts]
    else:
        read = [official.read_longhalqa_choice(text) for text in texts]
        strictly = [strict.read_choice(text) for text in texts]
    vectors.equal(read, expected["official"]["predictions"])
    vectors.equal(strictly, expected["strict"]["predictions"])


@pytest.mark.parametrize("task", TASKS)
def test_first_prompt(vectors, task, tmp_path):
    entry = vectors.load("longhalqa.json")["tasks"][task]
    row = Row({**entry["records"][0], "task": task}, tmp_path, 1)
    (question,) = LongHalQA.from_rows([row]).published().values()
    vectors.equal(question.prompt, entry["first_prompt"])


def test_quirks(vectors):
    data = vectors.load("longhalqa_quirks.json")
    for case in data["binary"]:
        outcome = official.read_longhalqa_yes_no(case["response"]) or "wrong response"
        vectors.equal(outcome, case["official"], case["response"])
        vectors.equal(strict.read_yes_no(case["response"]), case["strict"], case["response"])
    for case in data["choice"]:
        vectors.equal(official.read_longhalqa_choice(case["response"]), case["official"], case["response"])
        vectors.equal(strict.read_choice(case["response"]), case["strict"], case["response"])


def test_an_official_first_character_that_is_no_letter_is_unparsed(vectors, tmp_path):
    """The script's "(" is wrong whatever the gold letter; the benchmark calls it unparsed."""
    for case in vectors.load("longhalqa_quirks.json")["choice"]:
        record = {
            "task": "lhqa_complete_description",
            "question_id": 1,
            "question": "q",
            "answer": "A",
            "response": "",
        }
        options = {f"choice_{letter}": letter for letter in "abcd"}
        benchmark = LongHalQA.from_rows([Row(record | options, tmp_path, 1)], "official")
        (question,) = benchmark.published().values()
        assert question.space == AnswerSpace.choice(("a", "b", "c", "d"))
        letter = case["official"] if case["official"] in set("ABCD") else None
        vectors.equal(benchmark.read(question, case["response"]), letter, case["response"])
