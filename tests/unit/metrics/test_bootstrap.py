import numpy as np
import pytest
import scipy.stats

from halluc.errors import ConfigError
from halluc.metrics.bootstrap import (
    Interval,
    bootstrap_differences,
    bootstrap_intervals,
    is_count,
    resampled_weights,
)
from halluc.metrics.choice import ChoiceCounts, choice_scores
from halluc.metrics.tally import Tally
from halluc.metrics.weighted import Sums

RIGHT, WRONG = ChoiceCounts(1, 0, 0), ChoiceCounts(0, 1, 0)


def tally(clusters, right):
    """Score accuracy; ``clusters`` and ``right`` are aligned, one entry a question."""
    units = [RIGHT if one else WRONG for one in right]
    count = int(max(clusters, default=-1)) + 1
    return Tally(
        count, {"all": Sums(list(clusters), units, count, ChoiceCounts)}, lambda t: choice_scores(t["all"])
    )


def test_every_resample_draws_as_many_clusters_as_there_are():
    weights = np.hstack(list(resampled_weights(50, 300, seed=0)))
    assert weights.shape == (50, 300)
    assert set(weights.sum(axis=0)) == {50.0}
    assert weights.mean() == pytest.approx(1.0)
    assert weights.var() == pytest.approx(49 / 50, rel=0.05)  # binomial(50, 1/50)


def test_portions_do_not_matter_to_the_number_of_resamples():
    assert sum(part.shape[1] for part in resampled_weights(400_000, 5, seed=0)) == 5


def test_one_question_an_image_is_scipy():
    right = np.random.default_rng(1).random(200) < 0.7
    ours = bootstrap_intervals(tally(range(200), right), resamples=20_000)["accuracy"]
    theirs = scipy.stats.bootstrap(
        (right.astype(float),), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    assert ours.low == pytest.approx(theirs.low, abs=0.006)  # one answer is 0.005
    assert ours.high == pytest.approx(theirs.high, abs=0.006)  # one answer is 0.005


def clustered(rng, clusters=120, questions=6):
    """Draw answers that depend on their image: half of the images are hard."""
    chance = np.where(rng.random(clusters) < 0.5, 0.9, 0.4)
    return np.repeat(np.arange(clusters), questions), rng.random(clusters * questions) < np.repeat(
        chance, questions
    )


def test_coverage_on_500_clustered_data_sets():
    rng = np.random.default_rng(0)
    covered = ignorant = 0
    for seed in range(500):
        numbers, right = clustered(rng)
        found = _fast_interval(numbers, right, seed)
        covered += found.low <= 0.65 <= found.high
        error = 1.96 * np.sqrt(right.mean() * (1 - right.mean()) / len(right))
        ignorant += abs(right.mean() - 0.65) <= error
    assert 0.93 <= covered / 500 <= 0.97
    assert ignorant / 500 < 0.9  # an interval that ignores the images is too narrow


def _fast_interval(numbers, right, seed):
    """Give the clusters' counts as one unit each, so that 500 data sets take a moment."""
    counts = np.bincount(numbers, weights=right).astype(int)
    total = np.bincount(numbers)
    pairs = zip(counts.tolist(), total.tolist(), strict=True)
    units = [ChoiceCounts(right, n - right, 0) for right, n in pairs]
    made = Tally(
        len(units),
        {"all": Sums(range(len(units)), units, len(units), ChoiceCounts)},
        lambda t: {"accuracy": t["all"].right / t["all"].n},
    )
    return bootstrap_intervals(made, resamples=400, seed=seed)["accuracy"]


def test_clusters_widen_the_interval():
    right = [True, True, True, False, False, False] * 10
    apart = bootstrap_intervals(tally(range(60), right))["accuracy"]
    together = bootstrap_intervals(tally([i // 3 for i in range(60)], right))["accuracy"]
    assert together.high - together.low > 1.3 * (apart.high - apart.low)


def test_the_seed_decides():
    given = tally(range(40), [n % 3 == 0 for n in range(40)])
    assert bootstrap_intervals(given, seed=1) == bootstrap_intervals(given, seed=1)
    assert bootstrap_intervals(given, seed=1) != bootstrap_intervals(given, seed=2)


def test_counts_have_no_interval_and_alike_answers_no_width():
    found = bootstrap_intervals(tally(range(5), [True] * 5))
    assert found == {"accuracy": Interval(1.0, 1.0), "unparsed_rate": Interval(0.0, 0.0)}


@pytest.mark.parametrize("clusters", [[], [0, 0, 0]])
def test_fewer_than_two_clusters_have_no_interval(clusters):
    assert bootstrap_intervals(tally(clusters, [True] * len(clusters))) == {}


def test_a_score_that_most_resamples_lack_has_no_interval():
    sums = Sums(range(3), [RIGHT, WRONG, WRONG], 3, ChoiceCounts)
    made = Tally(3, {"all": sums}, lambda t: {"rare": 1.0 if t["all"].right >= 2 else None})
    assert bootstrap_intervals(made) == {}


def test_shared_noise_cancels_in_a_difference():
    numbers, right = clustered(np.random.default_rng(3))
    better = right.copy()
    better[np.flatnonzero(~right)[:20]] = True
    found = bootstrap_differences(tally(numbers, right), tally(numbers, better))["accuracy"]
    alone = bootstrap_intervals(tally(numbers, right))["accuracy"]
    assert found.change == pytest.approx(20 / 720)
    assert found.interval.low > 0
    assert found.interval.high - found.interval.low < 0.5 * (alone.high - alone.low)


def test_no_change_is_no_difference():
    numbers, right = clustered(np.random.default_rng(3))
    same = bootstrap_differences(tally(numbers, right), tally(numbers, right))["accuracy"]
    assert (same.change, same.interval) == (0.0, Interval(0.0, 0.0))


def test_different_questions_are_refused():
    with pytest.raises(ConfigError, match="2 and 3 clusters"):
        bootstrap_differences(tally(range(2), [True] * 2), tally(range(3), [True] * 3))


def test_options_that_cannot_be():
    for options in ({"confidence": 95}, {"resamples": 0}):
        with pytest.raises(ConfigError):
            bootstrap_intervals(tally(range(2), [True] * 2), **options)


@pytest.mark.parametrize(
    ("name", "answer"), [("n", True), ("random/n", True), ("skipped", True), ("f1", False)]
)
def test_is_count(name, answer):
    assert is_count(name) is answer
