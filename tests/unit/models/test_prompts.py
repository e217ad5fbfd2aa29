import pickle

import pytest
import torch
from PIL import Image
from transformers import AddedToken, AutoProcessor

from halluc.data.preparation import pad_to_square
from halluc.data.records import Preparation
from halluc.errors import ImageError, RecordError
from halluc.models.families.table import family_for
from halluc.models.picture_preparation import mean_colour
from halluc.models.prompts import PromptEncoder, picture_ids
from halluc.models.tiny.build import FAMILIES


@pytest.fixture(scope="module")
def encoders(tiny_checkpoint):
    """Return a function from a family to its encoder, loaded once."""
    made = {}

    def encoder(family):
        if family not in made:
            processor = AutoProcessor.from_pretrained(tiny_checkpoint(family))
            made[family] = PromptEncoder(processor, family_for(family), 112 * 112)
        return made[family]

    return encoder


def decoded(encoder, ids):
    return encoder.processor.tokenizer.decode(ids)


def test_an_answer_is_the_rest_of_the_whole_text(encoders, ask):
    encoder = encoders("qwen2_vl")
    encoded = encoder.encode(ask("Is it red?"), "Yes, it is.", ends_turn=True, vision=None)
    prompt, answer = encoded.input_ids[: encoded.prompt_length], encoded.input_ids[encoded.prompt_length :]
    assert decoded(encoder, prompt) == "<|im_start|>user\nIs it red?<|im_end|>\n<|im_start|>assistant\n"
    assert decoded(encoder, answer) == "Yes, it is.<|im_end|>"
    assert answer[-1] == encoder.end_of_turn_id


def test_without_the_end_of_turn_nothing_follows_the_answer(encoders, ask):
    encoder = encoders("qwen2_vl")
    encoded = encoder.encode(ask("Is it red?"), "Yes", ends_turn=False, vision=None)
    assert decoded(encoder, encoded.input_ids[encoded.prompt_length :]) == "Yes"


def test_an_empty_answer_is_the_end_of_turn_or_nothing(encoders, ask):
    encoder = encoders("qwen2_vl")
    ended = encoder.encode(ask("Hm?"), "", ends_turn=True, vision=None)
    assert ended.input_ids[ended.prompt_length :] == (encoder.end_of_turn_id,)
    nothing = encoder.encode(ask("Hm?"), "", ends_turn=False, vision=None)
    assert len(nothing.input_ids) == nothing.prompt_length


def test_a_template_that_leads_with_a_space_merges_it_into_the_answer(encoders, ask):
    """After "assistant:" the token is " Yes", not " " and "Yes", since the whole text is tokenised."""
    encoder = encoders("llava")
    ids = encoder.answer_ids(ask("Is it?"), "Yes")
    assert [decoded(encoder, [token]) for token in ids] == [" Yes"]


def test_a_token_across_the_boundary_belongs_to_the_answer(encoders, ask, monkeypatch):
    """If prompt and answer merge into one token, the prompt gives it up."""
    encoder = encoders("qwen2_vl")
    chat = encoder.chat
    monkeypatch.setattr(chat, "render", lambda question: question.prompt)
    encoded = encoder.encode(ask("Please say ye"), "s", ends_turn=False, vision=None)
    assert decoded(encoder, encoded.input_ids) == "Please say yes"
    assert decoded(encoder, encoded.input_ids[encoded.prompt_length :]) == " yes"


def test_pictures_become_as_many_tokens_as_the_processor_says(encoders, ask, pictures):
    encoder = encoders("qwen2_vl")
    question = ask("Same?", pictures[0], pictures[1])
    vision = encoder.vision(question)
    ids = encoder.encode_prompt(question, vision)
    image_id = encoder.processor.tokenizer.convert_tokens_to_ids("<|image_pad|>")
    # 60 x 90 becomes 56 x 84 (2 x 3 tokens of 28 pixels); 150 x 60 becomes 140 x 56 (5 x 2 tokens)
    assert ids.count(image_id) == 2 * 3 + 5 * 2
    assert vision.tensors["image_grid_thw"].tolist() == [[1, 6, 4], [1, 4, 10]]


@pytest.mark.parametrize(("max_pixels", "tokens"), [(None, 16), (56 * 56, 4), (112 * 112, 16)])
def test_the_pixel_bound_can_be_overridden(encoders, ask, pictures, max_pixels, tokens):
    encoder = encoders("qwen2_vl")
    question = ask("What?", pictures[2])
    ids = encoder.encode_prompt(question, encoder.vision(question, max_pixels))
    assert ids.count(encoder.processor.tokenizer.convert_tokens_to_ids("<|image_pad|>")) == tokens


def test_pictures_of_other_families_are_scaled_before_the_processor(encoders, ask, pictures, monkeypatch):
    bounds = []
    monkeypatch.setattr(
        "halluc.models.prompts.load_image",
        lambda source, bound, prepare: bounds.append(bound) or Image.new("RGB", (30, 30)),
    )
    encoders("llava").vision(ask("What?", pictures[2]), 900)
    encoders("qwen2_vl").vision(ask("What?", pictures[2]), 900)
    assert bounds == [900, None]


def test_lmms_evals_pictures_are_those_of_a_jpeg_file(encoders, ask, pictures, tmp_path):
    encoder = encoders("qwen2_vl")
    with Image.open(pictures[0]) as opened:
        opened.save(tmp_path / "same.jpg", quality=85)
    expected = encoder.vision(ask("What?", str(tmp_path / "same.jpg"))).tensors["pixel_values"]
    found = encoder.vision(ask("What?", pictures[0], preparation=Preparation.LMMS_EVAL))
    plain = encoder.vision(ask("What?", pictures[0]))
    assert torch.equal(found.tensors["pixel_values"], expected)
    assert not torch.equal(plain.tensors["pixel_values"], expected)


def test_lmms_eval_hands_pictures_to_other_families_as_they_are(encoders, ask, pictures):
    encoder = encoders("llava")
    found = encoder.vision(ask("What?", pictures[0], preparation=Preparation.LMMS_EVAL))
    plain = encoder.vision(ask("What?", pictures[0]))
    assert torch.equal(found.tensors["pixel_values"], plain.tensors["pixel_values"])


@pytest.mark.parametrize("family", ["qwen2_vl", "llava", "gemma3"])
def test_squares_are_those_of_a_padded_file(encoders, ask, pictures, tmp_path, family):
    encoder = encoders(family)
    with Image.open(pictures[1]) as opened:
        colour = mean_colour(encoder.processor)
        pad_to_square(opened.convert("RGB"), colour).save(tmp_path / "square.png")
    expected = encoder.vision(ask("What?", str(tmp_path / "square.png"))).tensors["pixel_values"]
    found = encoder.vision(ask("What?", pictures[1], preparation=Preparation.SQUARE))
    plain = encoder.vision(ask("What?", pictures[1])).tensors["pixel_values"]
    assert torch.equal(found.tensors["pixel_values"], expected)
    assert plain.shape != expected.shape or not torch.equal(plain, expected)


def test_a_text_question_has_no_pictures(encoders, ask):
    assert encoders("qwen2_vl").vision(ask("Hm?")) is None


def test_an_unreadable_picture_is_named_by_id(encoders, ask, tmp_path):
    with pytest.raises(ImageError, match=r"question i7: .*gone.png"):
        encoders("qwen2_vl").vision(ask("Hm?", str(tmp_path / "gone.png"), id="i7"))


def test_a_picture_that_the_processor_refuses_is_named_by_id(encoders, ask, tmp_path):
    Image.new("RGB", (3000, 4)).save(tmp_path / "thin.png")
    with pytest.raises(ImageError, match=r"question i8: Qwen2VLProcessor can't prepare.*3000x4"):
        encoders("qwen2_vl").vision(ask("Hm?", str(tmp_path / "thin.png"), id="i8"))


def test_control_strings_are_refused(encoders, ask):
    encoder = encoders("qwen2_vl")
    with pytest.raises(RecordError, match="question c1: its prompt holds"):
        encoder.encode_prompt(ask("<|im_end|>", id="c1"), None)
    with pytest.raises(RecordError, match="question c2: its answer holds"):
        encoder.encode(ask("Hm?", id="c2"), "<|im_end|>", ends_turn=True, vision=None)


def test_the_beginning_of_text_stands_once(encoders, ask):
    for family in ("llava", "gemma3", "mllama", "paligemma"):  # added by the tokenizer, or by the template
        encoder = encoders(family)
        ids = encoder.encode_prompt(ask("Is it?"), None)
        assert ids.count(encoder.processor.tokenizer.bos_token_id) == 1, family


def test_an_encoder_pickles(encoders, ask):
    encoder = encoders("qwen2_vl")
    copy = pickle.loads(pickle.dumps(encoder))
    assert copy.encode_prompt(ask("Is it?"), None) == encoder.encode_prompt(ask("Is it?"), None)


def test_padding_falls_back_to_the_end_of_text(encoders):
    encoder = encoders("llava_next")
    tokenizer = encoder.processor.tokenizer
    assert encoder.pad_id == tokenizer.convert_tokens_to_ids("<pad>")
    tokenizer.pad_token = None
    assert encoder.pad_id == tokenizer.convert_tokens_to_ids("</s>")


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_spliced_tokens_equal_those_of_the_expanded_text(family, encoders, ask, pictures, monkeypatch):
    """Spliced or not, and for all but Gemma-3 they are: the tokens are those of the whole text."""
    encoder = encoders(family)
    question = ask("  Same?\n\nLook.", *pictures[:2])
    vision = encoder.vision(question)
    ids = encoder.encode_prompt(question, vision)
    placeholder = encoder.family.placeholder(encoder.processor)
    spliced = [picture_ids(encoder.processor.tokenizer, placeholder, text) for text in vision.expansions]
    assert all(tokens is None for tokens in spliced) == (family == "gemma3")
    monkeypatch.setattr("halluc.models.prompts.picture_ids", lambda *_: None)
    assert encoder.encode_prompt(question, vision) == ids


def test_tokens_that_swallow_space_are_not_spliced(encoders):
    tokenizer = encoders("internvl").processor.tokenizer
    assert picture_ids(tokenizer, "<IMG_CONTEXT>", "<img><IMG_CONTEXT></img>") is not None
    tokenizer.add_tokens([AddedToken("<greedy>", rstrip=True, special=True)])
    assert picture_ids(tokenizer, "<IMG_CONTEXT>", "<img><greedy>") is None
    assert picture_ids(tokenizer, "<IMG_CONTEXT>", "<img>text") is None


def test_a_prompt_is_rendered_and_tokenised_once_for_all_its_answers(encoders, ask, monkeypatch):
    encoder = encoders("qwen2_vl")
    asked = ask("Is it rendered once?")
    rendered, render = [], encoder.chat.render
    monkeypatch.setattr(encoder.chat, "render", lambda q: rendered.append(q.prompt) or render(q))
    apart = {answer: encoder.encode(asked, answer, ends_turn=True, vision=None) for answer in ("Yes", "No")}
    assert rendered == ["Is it rendered once?"]
    fresh = PromptEncoder(encoder.processor, encoder.family, encoder.max_pixels)
    assert fresh.encode(asked, "No", ends_turn=True, vision=None) == apart["No"]
    assert encoder.encode(ask("Is it another?"), "No", ends_turn=True, vision=None) != apart["No"]
    assert len(rendered) == 2
