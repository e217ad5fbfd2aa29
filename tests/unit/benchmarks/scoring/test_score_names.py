from halluc.benchmarks.scoring.score_names import defined, mean_of, prefixed


def test_mean_is_undefined_where_one_group_is():
    first = {"f1": 0.5, "recall": 1.0, "n": 2.0}
    second = {"f1": None, "recall": 0.0, "n": 4.0}
    assert mean_of([first, second]) == {"f1": None, "recall": 0.5, "n": 6.0}
    assert mean_of([]) == {}


def test_defined_warns_once(caplog):
    scores = prefixed("random", {"f1": None, "recall": None, "accuracy": 0.5})
    assert defined("pope", scores) == {"random/accuracy": 0.5}
    assert len(caplog.records) == 1
    assert "random/f1, random/recall" in caplog.text


def test_defined_is_silent_when_all_is_well(caplog):
    assert defined("pope", {"n": 0.0}) == {"n": 0.0}
    assert not caplog.records
