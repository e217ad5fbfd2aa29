import pytest

from halluc.errors import UnknownOptionError
from halluc.parsing.profiles import pick
from halluc.parsing.readers import YES_NO


def test_pick_returns_the_named_thing():
    assert pick("benchmark.pope.profile", "strict", YES_NO) is YES_NO["strict"]


@pytest.mark.parametrize("wrong", ["Strict", "", False, None, 1, ["strict"]])
def test_pick_lists_the_choices(wrong):
    with pytest.raises(
        UnknownOptionError, match=r"benchmark\.pope\.profile is .*lmms_eval, official, strict, vlmevalkit"
    ):
        pick("benchmark.pope.profile", wrong, YES_NO)
