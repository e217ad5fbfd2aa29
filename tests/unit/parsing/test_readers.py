import pytest
from hypothesis import given
from hypothesis import strategies as st

from halluc.data.records import AnswerKind, AnswerSpace
from halluc.parsing.readers import AMBER, LONGHALQA, VLM2, VSTAR, YES_NO, read_strict_choice

GROUPS = AnswerSpace.choice(("1 and 2", "None"))


@pytest.mark.parametrize("profile", VLM2)
def test_every_kind_of_coarse_and_fine_question_has_a_reader(profile):
    kinds = {AnswerKind.YES_NO, AnswerKind.TRUE_FALSE, AnswerKind.COUNT, AnswerKind.CHOICE}
    assert set(VLM2[profile]) == kinds
    assert VLM2[profile][AnswerKind.COUNT]("2", AnswerSpace.count(4)) == "2"
    assert VLM2[profile][AnswerKind.COUNT]("many", AnswerSpace.count(4)) is None


def test_a_count_may_lie_outside_the_candidates():
    assert VLM2["strict"][AnswerKind.COUNT]("nine", AnswerSpace.count(4)) == "9"


def test_an_official_option_that_is_no_letter_is_unparsed():
    read = VLM2["official"][AnswerKind.CHOICE]
    assert read("A) 1 and 2", GROUPS) == "A"
    assert read("(A) 1 and 2", GROUPS) is None


def test_strict_choice_reads_four_letters_even_where_two_are_offered():
    assert read_strict_choice("C", GROUPS) == "C"
    assert read_strict_choice("E", AnswerSpace.choice(("", "", "", "", ""))) == "E"


@given(st.text(alphabet=st.sampled_from("AaBbTtFf1.2 ()[]*'’\"<>/think,:\nyesnoor and²٣"), max_size=40))
def test_no_text_makes_a_reader_fail(text):
    two = AnswerSpace.choice(("red", "blue"))
    for read in (*YES_NO.values(), *AMBER.values()):
        assert read(text) in {"yes", "no", None}
    for readers in (*VLM2.values(), *LONGHALQA.values()):
        for read in readers.values():
            assert isinstance(read(text, two), str | None)
    for read in VSTAR.values():
        assert read(text, two) in {*"ABCD", None}


@given(
    st.sampled_from("ABCD"),
    st.sampled_from(["{}", "({})", "{}.", "**{}**", "Answer: {}", "The answer is ({}).", "{}) red"]),
)
def test_a_plainly_stated_letter_is_read_strictly(letter, form):
    assert read_strict_choice(form.format(letter), GROUPS) == letter
