import pytest

from halluc.metrics.option_likelihood import choose_option


def test_mean_and_sum_differ():
    options = [[1.0, 1.0, 1.0], [2.0]]
    assert choose_option(options) == 0
    assert choose_option(options, length_normalized=False) == 1


def test_the_first_of_equals_wins():
    assert choose_option([[2.0], [1.0, 1.0], [1.0]]) == 1


@pytest.mark.parametrize("options", [[], [[]], [[1.0], []]])
def test_nothing_to_choose_from(options):
    with pytest.raises(ValueError, match="at least one token"):
        choose_option(options)
