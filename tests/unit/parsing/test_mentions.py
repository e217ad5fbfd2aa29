import pytest

from halluc.errors import RecordError, SourceNotFoundError
from halluc.parsing.mentions import ObjectMentions, read_synonyms, singular_word

OBJECTS = ObjectMentions(
    {"dog": ("puppy",), "hot dog": (), "cup": (), "dining table": ("table",), "person": ("man",)}
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Two dogs beside a cup.", ["dog", "cup"]),
        ("A hot dog, and a DOG.", ["hot dog", "dog"]),
        ("Puppies; a puppy's bowl", ["dog"]),  # "puppy's" is another word
        ("People and men at the tables", ["person", "person", "dining table"]),
        ("a dining-table", ["dining table"]),
        ("doghouse cupboard", []),
        ("", []),
    ],
)
def test_mentions(text, found):
    assert OBJECTS.find(text) == found


@pytest.mark.parametrize(
    ("plural", "singular"),
    [
        ("knives", "knife"),
        ("buses", "bus"),
        ("boxes", "box"),
        ("couches", "couch"),
        ("tennis", "tennis"),
        ("gas", "gas"),
    ],
)
def test_singular(plural, singular):
    assert singular_word(plural) == singular


def test_a_word_for_two_objects_is_refused():
    with pytest.raises(RecordError, match="'cat' stands for 'cat' and for 'kitten'"):
        ObjectMentions({"cat": (), "kitten": ("cat",)})


def test_synonym_file(tmp_path):
    (tmp_path / "s.txt").write_text("\ufeffdog, puppy, hound\n\n cup,mug \n")
    assert read_synonyms(tmp_path / "s.txt") == {"dog": ("puppy", "hound"), "cup": ("mug",)}
    with pytest.raises(SourceNotFoundError):
        read_synonyms(tmp_path / "none.txt")
