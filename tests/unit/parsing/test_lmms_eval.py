import pytest

from halluc.parsing import lmms_eval


@pytest.mark.parametrize(
    ("text", "expected"), [(" No\n", "no"), ("no.", None), ("yes no", None), (None, None)]
)
def test_read_yes_no(text, expected):
    assert lmms_eval.read_yes_no(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Both", "B"),
        ("It's option: c", "C"),
        ("It is [C]", "C"),
        ("So, C it is", "C"),
        ("the answer is blue", "B"),
        ("my pick? (d)", "D"),
        ("(A) or (C)", "A"),
        ("no idea", None),
        ("one b", "B"),
        ("none", None),
        ("", None),
        (None, None),
    ],
)
def test_read_choice(text, expected):
    assert lmms_eval.read_choice(text) == expected
