import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halluc.data.readers.placeholders import mark_images, place_images
from halluc.errors import RecordError


@pytest.mark.parametrize(
    ("text", "count", "expected"),
    [
        ("Is it red?", 0, ("Is it red?", ())),
        ("Is it red?", 2, ("Is it red?", ())),
        ("<image>\nIs it red?", 1, ("Is it red?", ())),
        (" <image> <image>\n\nSame?", 2, ("Same?", ())),
        ("Is it red?\n<image>", 1, ("Is it red?", (10,))),
        ("<image>A or <image>B?", 2, ("A or B?", (0, 5))),
        ("First: <image> second: <image>.", 2, ("First:  second: .", (7, 16))),
        ("  One <image><image> two", 2, ("One  two", (4, 4))),
    ],
)
def test_marks_become_offsets(text, count, expected):
    assert place_images(text, count) == expected


@pytest.mark.parametrize(("text", "count"), [("<image>x", 0), ("<image>x", 2), ("<image><image>x", 1)])
def test_other_numbers_are_refused(text, count):
    with pytest.raises(RecordError, match=f"placeholders but {count} pictures"):
        place_images(text, count)


@pytest.mark.parametrize("text", ["", " \n", "<image>"])
def test_no_text_is_refused(text):
    with pytest.raises(RecordError, match="empty"):
        place_images(text, 1)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.text("ab <?\n"), min_size=2, max_size=4).map("<image>".join), st.booleans())
def test_marks_come_back_where_they_were(text, trailing):
    text = f"x{text}" + (" y" if trailing else "z")
    count = text.count("<image>")
    prompt, offsets = place_images(text, count)
    assert mark_images(prompt, offsets) == text.strip()
    assert "<image>" not in prompt
