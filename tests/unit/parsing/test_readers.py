import pytest

from halluc.data.records import AnswerKind, AnswerSpace
from halluc.parsing.readers import VLM2, read_strict_choice

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
