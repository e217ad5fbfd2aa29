import random

import pytest
from PIL import Image
from transformers import AutoProcessor

from halluc.miniworld.lessons import wording
from halluc.miniworld.lessons.curriculum import pair_rows, single_rows
from halluc.miniworld.pretraining.tokenizer import (
    ASSISTANT,
    END,
    UNKNOWN,
    USER,
    TextEncoder,
    build_processor,
    build_tokenizer,
    build_vocabulary,
)


@pytest.fixture(scope="module")
def tokenizer():
    return build_tokenizer()


def test_every_piece_has_one_number():
    assert len(build_vocabulary()) == len(set(build_vocabulary())) == len(TextEncoder())


def test_a_common_instruction_is_one_piece(tokenizer):
    text = f"Is there an apple?\n{wording.SINGLE_WORD}"
    assert tokenizer.tokenize(text) == ["Is", "there", "an", "apple", "?", wording.SINGLE_WORD]


def test_case_matters_and_plurals_share_their_stem(tokenizer):
    assert tokenizer.tokenize("A apples a") == ["A", "apple", "##s", "a"]
    assert tokenizer.tokenize("Yes yes") == ["Yes", "yes"]


def test_any_english_can_be_encoded(tokenizer):
    text = 'Zebras, "quoted" & (odd) #42%: don\'t!'
    pieces = tokenizer.tokenize(text)
    assert UNKNOWN not in pieces
    assert "".join(piece.removeprefix("##") for piece in pieces) == text.replace(" ", "")


def test_what_pretraining_asks_and_answers_is_made_of_words(tokenizer):
    """No word of a lesson falls apart into characters, except for the plural s."""
    rng = random.Random(0)
    rows = [row for draw in (single_rows, pair_rows) for row in draw(rng, 60, 1.0)[1]]
    texts = {text for row in rows for lesson in row for text in (*lesson.parts, lesson.answer)}
    for text in texts:
        pieces = [piece for piece in tokenizer.tokenize(text) if piece.startswith("##")]
        assert set(pieces) <= {"##s"}, text


def test_answers_decode_to_what_was_said(tokenizer):
    for answer in ("Yes", "a red apple", "A blue boat, an orange sun.", "top left", "2", "T"):
        assert tokenizer.decode(tokenizer.encode(answer)) == answer


def test_the_encoder_agrees_with_the_tokenizer(tokenizer):
    encode = TextEncoder()
    for text in ("Is the key red?", f"{USER}Is it?{ASSISTANT}No{END}"):
        assert list(encode(text)) == tokenizer.encode(text)


def test_the_processor_survives_saving_and_renders_a_conversation(tmp_path):
    build_processor().save_pretrained(tmp_path)
    processor = AutoProcessor.from_pretrained(tmp_path)
    asked = {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "Is the key red?"}]}
    said = {"role": "assistant", "content": "No"}
    prompt = processor.apply_chat_template([asked], tokenize=False, add_generation_prompt=True)
    whole = processor.apply_chat_template([asked, said], tokenize=False)
    assert whole == f"{prompt}No{END}"
    encoded = processor(text=[prompt], images=[Image.new("RGB", (84, 84))], return_tensors="pt")
    assert encoded["image_grid_thw"].tolist() == [[1, 6, 6]]
    assert (
        encoded["input_ids"].tolist()[0].count(processor.tokenizer.convert_tokens_to_ids("<|image_pad|>"))
        == 9
    )


def test_system_text_and_parts_of_text_are_rendered():
    turns = [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "content": [{"type": "text", "text": "First"}, {"type": "image"}, {"type": "text", "text": "?"}],
        },
    ]
    text = build_processor().apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    picture = "<|vision_start|><|image_pad|><|vision_end|>"
    assert text == f"<|system|>Be brief.<|user|>First{picture}?<|assistant|>"
