from halluc.benchmarks.amber import Amber


def test_scores_of_the_benchmark(vectors, score_records):
    data = vectors.load("amber_discriminative.json")
    scores = score_records(Amber, data["records"], "official").scores
    for group, metrics in data["expected"]["official"].items():
        for name, percent in metrics.items():
            key = name if group == "overall" else f"{group}/{name}"
            vectors.equal(scores[key] * 100, percent, key)


def test_strict_reading_only_adds_right_answers(vectors, score_records):
    records = vectors.load("amber_discriminative.json")["records"]
    officially = score_records(Amber, records, "official").scores["accuracy"]
    strictly = score_records(Amber, records, "strict").scores
    vectors.equal(strictly["accuracy"] > officially, True)
    by_hand = sum(r["response"].strip(" .").lower().split(",")[0] == r["truth"] for r in records) / len(
        records
    )
    vectors.equal(strictly["accuracy"], by_hand)
