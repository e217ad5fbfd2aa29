import pytest

from halluc.benchmarks.vstar import VStar, split_options
from halluc.data.records import AnswerSpace
from halluc.metrics.option_likelihood import choose_option
from halluc.parsing.readers import VSTAR

PROFILES = ["lmms_eval", "vlmevalkit", "strict"]


@pytest.mark.parametrize("profile", PROFILES)
def test_scores_of_the_benchmark(vectors, score_records, profile):
    data = vectors.load("vstar_bench.json")
    scores = score_records(VStar, data["records"], profile).scores
    expected = data["expected"][profile]
    vectors.equal(scores["accuracy"], expected["overall"])
    for category in ("direct_attributes", "relative_position"):
        vectors.equal(scores[f"{category}/accuracy"], expected[category])
    if "unparsed_rate" in expected:
        vectors.equal(scores["unparsed_rate"], expected["unparsed_rate"])


@pytest.mark.parametrize("profile", PROFILES)
def test_every_response_is_read_as_the_reference_does(vectors, profile):
    data = vectors.load("vstar_bench.json")
    read = [VSTAR[profile](r["response"], AnswerSpace.choice(tuple(r["options"]))) for r in data["records"]]
    vectors.equal(read, data["expected"][profile]["predictions"])


def test_options_are_found_in_the_text(vectors):
    for record in vectors.load("vstar_bench.json")["records"]:
        vectors.equal(list(split_options(record["text"])[1]), record["options"])


@pytest.mark.parametrize("profile", PROFILES)
def test_quirks(vectors, profile):
    space = AnswerSpace.choice(("red", "blue", "dark gray", "cotton"))
    for case in vectors.load("vstar_bench_quirks.json")["cases"]:
        vectors.equal(VSTAR[profile](case["response"], space), case[profile], case["response"])


def test_likelihood_protocol(vectors):
    data = vectors.load("vstar_likelihood.json")
    chosen = []
    for item in data["items"]:
        chosen.append(choose_option(item["option_token_nll"]))
        vectors.equal(chosen[-1], item["chosen_by_mean"])
        by_sum = choose_option(item["option_token_nll"], length_normalized=False)
        vectors.equal(by_sum, item["chosen_by_sum"])
        vectors.equal(chosen[-1] == 0, item["correct_official"])
    vectors.equal(chosen.count(0) / len(chosen), data["expected_accuracy"])
