from halluc.metrics.choice import ChoiceCounts, choice_scores, count_choice

NOTHING = ChoiceCounts(0, 0, 0)


def test_by_hand():
    pairs = [("A", "A"), ("B", "C"), (None, "C"), ("D", "D"), ("A", "B")]
    counts = sum((count_choice(*pair) for pair in pairs), start=NOTHING)
    assert counts == ChoiceCounts(right=2, wrong=2, unparsed=1)
    scores = choice_scores(counts)
    assert scores == {"accuracy": 0.4, "unparsed_rate": 0.2, "n": 5.0}


def test_without_answers():
    assert choice_scores(NOTHING) == {"accuracy": None, "unparsed_rate": None, "n": 0.0}
