import pytest

from halluc.benchmarks.pope import FORMULAS, Pope
from halluc.metrics.yes_no import count_yes_no
from halluc.parsing import lmms_eval
from halluc.parsing.readers import YES_NO

PROFILES = ["strict", "official", "lmms_eval", "vlmevalkit"]
ANSWERS = {"yes": True, "no": False, None: None}


def expected_outcome(profile, text):
    """Bring a reference's own spelling of "unparsed" to None."""
    if profile == "lmms_eval":
        return text if text in {"yes", "no"} else None
    return None if text == "unknown" else text


@pytest.mark.parametrize("profile", PROFILES)
def test_quirks_are_read_as_the_reference_does(vectors, profile):
    for case in vectors.load("pope_quirks.json")["cases"]:
        outcome = YES_NO[profile](case["response"])
        vectors.equal(outcome, expected_outcome(profile, case[profile]), case["name"])
        if profile == "lmms_eval":
            vectors.equal(lmms_eval.normalize(case["response"]), case[profile], case["name"])


@pytest.mark.parametrize("profile", PROFILES)
def test_every_response_is_read_as_the_reference_does(vectors, profile):
    data = vectors.load("pope.json")
    read = [YES_NO[profile](record["response"]) for record in data["records"]]
    reference = data["expected"][profile]["predictions"]
    vectors.equal(read, [expected_outcome(profile, text) for text in reference])


@pytest.mark.parametrize("profile", PROFILES)
def test_scores_of_the_benchmark(vectors, score_records, profile):
    data = vectors.load("pope.json")
    scores = score_records(Pope, data["records"], profile).scores
    for subset, metrics in data["expected"][profile]["metrics"].items():
        group = "pooled" if subset == "Overall" else subset
        for name, value in metrics.items():
            if name.islower():
                vectors.equal(scores[f"{group}/{name}"], value, f"{subset}/{name}")


@pytest.mark.parametrize("profile", ["strict", "official"])
def test_confusion_counts(vectors, profile):
    data = vectors.load("pope.json")
    for subset, metrics in data["expected"][profile]["metrics"].items():
        records = [record for record in data["records"] if record["subset"] == subset]
        counts = count_yes_no(
            [ANSWERS[YES_NO[profile](record["response"])] for record in records],
            [record["label"] == "yes" for record in records],
        )
        vectors.equal(counts.true_yes, metrics["TP"])
        vectors.equal(counts.false_yes, metrics["FP"])
        vectors.equal(counts.true_no, metrics["TN"])
        vectors.equal(counts.missed_yes, metrics["FN"])
        vectors.equal(FORMULAS[profile](counts)["f1"], metrics["f1"])


@pytest.mark.parametrize("profile", PROFILES)
def test_mean_over_the_coco_subsets_is_macro(vectors, score_records, profile):
    data = vectors.load("pope.json")
    coco = [record for record in data["records"] if record["subset"].startswith("coco")]
    scores = score_records(Pope, coco, profile).scores
    for name, value in data["expected"][profile]["mean_over_coco_subsets"].items():
        vectors.equal(scores[f"macro/{name}"], value, name)
    vectors.equal(scores["accuracy"], data["expected"][profile]["mean_over_coco_subsets"]["accuracy"])
