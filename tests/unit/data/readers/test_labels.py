import pytest

from halluc.data.readers.labels import asks_yes_no, read_label
from halluc.data.records import AnswerKind
from halluc.errors import RecordError

ASKED = "Is there a circle?"


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("Is there a circle?", True),
        ("do you see it?", True),
        ("Look. Are there two?\nAnswer the question using a single word or phrase.", True),
        ("Context: dogs run. In case of doubt, follow the image. Is the bus red?", True),
        ("Can a dog be seen?", True),
        ("Is it day or night?", False),
        ("Can you describe it?", False),
        ("Which one is it?", False),
        ("What is red?", False),
        ("Isabel is there?", False),
        ("It is red", False),
    ],
)
def test_what_asks_for_yes_or_no(prompt, expected):
    assert asks_yes_no(prompt) is expected


@pytest.mark.parametrize(
    "answer", ["Yes", "YES", "yes.", "Yes!", "Yes, there is.", "Yes - a big one", "true", "T", "Y"]
)
def test_yes_as_written(answer):
    space, gold, text = read_label(answer, ASKED)
    assert (space.kind, gold, text) == (AnswerKind.YES_NO, "yes", answer)


@pytest.mark.parametrize("answer", ["no", "NO.", "No; not one.", "False", "f", "N", " no "])
def test_no_as_written(answer):
    space, gold, text = read_label(answer, ASKED)
    assert (space.kind, gold, text) == (AnswerKind.YES_NO, "no", answer)


@pytest.mark.parametrize(("answer", "text"), [(True, "Yes"), (1, "Yes"), (False, "No"), (0, "No")])
def test_booleans_and_bits_are_written_out(answer, text):
    assert read_label(answer, ASKED)[1:] == (text.casefold(), text)


def test_a_boolean_is_yes_or_no_whatever_is_asked():
    assert read_label(True, "Check the circle.")[1:] == ("yes", "Yes")


@pytest.mark.parametrize("answer", ["maybe", 2, -1, "是", "Oui", "2"])
def test_one_word_that_is_neither_is_an_error(answer):
    with pytest.raises(RecordError, match="neither yes nor no"):
        read_label(answer, ASKED)


@pytest.mark.parametrize("answer", [None, "", "  ", [], {}])
def test_no_answer_is_an_error(answer):
    with pytest.raises(RecordError, match="expected text"):
        read_label(answer, "What?")


@pytest.mark.parametrize(
    ("answer", "prompt"),
    [
        ("red", "Which colour is it?"),
        ("true", "Which word is printed?"),
        ("T", "Which letter is printed?"),
        ("No idea what that is.", ASKED),
        ("No-one is there", ASKED),
        ("No, but a big red dog is.", "What do you see?"),
        ("night", "Is it day or night?"),
        ("The picture shows a cat.", ASKED),
    ],
)
def test_free_text_stays_free_text(answer, prompt):
    space, gold, text = read_label(answer, prompt)
    assert (space.kind, gold, text) == (AnswerKind.TEXT, None, answer)


@pytest.mark.parametrize(("answer", "text"), [(3, "3"), (0, "0"), (2.5, "2.5")])
def test_numbers_to_open_questions_are_text(answer, text):
    assert read_label(answer, "How many?")[1:] == (None, text)


@pytest.mark.parametrize(("answer", "gold"), [("T", "T"), ("False", "F"), ("true.", "T")])
def test_true_or_false_where_it_is_asked_for(answer, gold):
    space, found, text = read_label(answer, "Do both show a dog? Answer T or F.")
    assert (space.kind, found, text) == (AnswerKind.TRUE_FALSE, gold, answer)


def test_a_whole_file_of_yes_no():
    assert read_label("F", "Circle", must_be_yes_no=True)[1] == "no"
    assert read_label(0, "Circle", must_be_yes_no=True)[1:] == ("no", "No")
    with pytest.raises(RecordError, match="neither"):
        read_label("a long story", "Circle", must_be_yes_no=True)
