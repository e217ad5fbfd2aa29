import pytest

from halluc.parsing.labels import read_yes_no_label


@pytest.mark.parametrize("value", ["yes", "YES.", "Yes, there is.", True, 1, "true", "T", "y", " Y. "])
def test_yes(value):
    assert read_yes_no_label(value) == "yes"


@pytest.mark.parametrize("value", ["no", "NO.", "No, there is not.", False, 0, "False", "f", "N"])
def test_no(value):
    assert read_yes_no_label(value) == "no"


@pytest.mark.parametrize("value", ["maybe", "", None, 2, -1, 1.0, "Oui", "是", ["yes"]])
def test_neither(value):

    assert read_yes_no_label(value) is None
