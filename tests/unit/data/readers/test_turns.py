import pytest

from halluc.data.readers.turns import reply_of
from halluc.errors import RecordError

USER = {"role": "user", "content": "Red?"}


@pytest.mark.parametrize(
    "value",
    [
        "Yes",
        {"from": "gpt", "value": "Yes"},
        [{"role": "assistant", "content": "Yes"}],
        [USER, {"role": "assistant", "content": [{"type": "text", "text": "Yes"}]}],
    ],
)
def test_replies(value):
    assert reply_of(value, "chosen") == "Yes"


def test_what_is_no_turn_passes_through():
    assert (reply_of(None, "chosen"), reply_of(True, "chosen")) == (None, True)


@pytest.mark.parametrize(
    "value", [[], [USER], {"role": "user", "content": "x"}, [{"role": "assistant", "content": ""}]]
)
def test_unusable_replies(value):
    with pytest.raises(RecordError, match="chosen"):
        reply_of(value, "chosen")
