import pytest

from halluc.models.tiny.tokenizer import corpus, train_tokenizer


@pytest.fixture(scope="module")
def tokenizer():
    return train_tokenizer(eos="<e>", pad="<p>", bos="<b>", named={"boi_token": "<i>"}, adds_bos=True)


def test_the_corpus_is_always_the_same():
    assert list(corpus()) == list(corpus())


@pytest.mark.parametrize("word", ["Yes", "yes", "No", "no", "A", "7"])
def test_answers_are_one_token(tokenizer, word):
    assert len(tokenizer(word, add_special_tokens=False)["input_ids"]) == 1


def test_control_strings_are_one_token_each(tokenizer):
    ids = tokenizer("<i>x<e><p>", add_special_tokens=False)["input_ids"]
    assert len(ids) == 4
    assert tokenizer.boi_token == "<i>"


def test_the_beginning_of_text_is_added_when_asked(tokenizer):
    assert tokenizer("x")["input_ids"][0] == tokenizer.bos_token_id


@pytest.mark.parametrize("text", ["Ünïcode ☃ and\n\ttabs", "plain words", ""])
def test_any_text_survives(tokenizer, text):
    assert tokenizer.decode(tokenizer(text, add_special_tokens=False)["input_ids"]) == text
