import pytest
import torch
from transformers import AutoProcessor

from halluc.errors import ModelSupportError
from halluc.models.families.paligemma import PaliGemma


@pytest.fixture(scope="module")
def chat(tiny_checkpoint):
    return PaliGemma().chat(AutoProcessor.from_pretrained(tiny_checkpoint("paligemma")))


def test_pictures_come_before_the_beginning_of_text(chat, ask):
    assert chat.render(ask("answer en Is it red?", "a.png")) == "<image><bos>answer en Is it red?\n"
    assert chat.render(ask("Same?", "a.png", "b.png")) == "<image><image><bos>Same?\n"


def test_without_pictures_the_text_begins_at_once(chat, ask):
    assert chat.render(ask("Is it red?")) == "<bos>Is it red?\n"


def test_pictures_inside_the_text_keep_their_places(chat, ask):
    assert chat.render(ask("In this one", "a.png", image_offsets=(7,))) == "In this<image><bos> one\n"


def test_system_text_has_no_place(chat, ask):
    with pytest.raises(ModelSupportError, match=r"question q1.*system text"):
        chat.render(ask("Is it red?", id="q1", system="Be brief."))


def test_the_prompt_is_type_0_and_the_answer_type_1():
    ids = torch.zeros(2, 4, dtype=torch.long)
    types = PaliGemma().text_arguments(None, ids, torch.tensor([3, 1]), {})["token_type_ids"]
    assert types.tolist() == [[0, 0, 0, 1], [0, 1, 1, 1]]


def test_positions_begin_at_one():
    ids = torch.zeros(1, 3, dtype=torch.long)
    assert PaliGemma().position_ids(None, ids, ids, {}).tolist() == [[1, 2, 3]]
