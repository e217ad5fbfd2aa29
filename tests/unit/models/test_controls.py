import pytest
from transformers import AutoProcessor

from halluc.data.records import Preference, Sample
from halluc.errors import RecordError
from halluc.models.controls import check_records, control_strings, refuse_controls


@pytest.fixture(scope="module")
def qwen(tiny_checkpoint):
    return AutoProcessor.from_pretrained(tiny_checkpoint("qwen2_vl"))


@pytest.fixture(scope="module")
def llava(tiny_checkpoint):
    return AutoProcessor.from_pretrained(tiny_checkpoint("llava"))


def test_control_strings_hold_placeholders_and_ends(qwen, llava):
    assert {"<|image_pad|>", "<|im_end|>", "<|vision_start|>"} <= set(control_strings(qwen))
    assert {"<image>", "</s>", "<s>"} <= set(control_strings(llava))


def test_added_text_tokens_are_text(tiny_checkpoint):
    processor = AutoProcessor.from_pretrained(tiny_checkpoint("qwen2_vl"))
    processor.tokenizer.add_tokens(["<table>", "    ", "<|later|>"])
    controls = control_strings(processor)
    assert "<|later|>" in controls
    assert "<table>" not in controls
    assert "    " not in controls


@pytest.mark.parametrize(
    "text",
    [
        "Is the text <|im_end|> printed in the picture?",
        "Is <|image_pad|> printed?",
        "A <|vision_start|><|image_pad|><|vision_end|> here",
    ],
)
def test_prompts_with_control_strings_are_refused_by_id(qwen, ask, text):
    with pytest.raises(RecordError, match=r"question z9: its prompt holds '<\|.*control string"):
        refuse_controls(qwen, ask(text, id="z9"))


def test_what_is_control_depends_on_the_model(qwen, llava, ask):
    question = ask("Is there a </s> mark, or an <image>?", id="z5")
    refuse_controls(qwen, question)
    with pytest.raises(RecordError, match=r"question z5: its prompt holds '<image>'"):
        refuse_controls(llava, question)


def test_answers_and_system_text_are_checked_too(qwen, ask):
    with pytest.raises(RecordError, match=r"z4: its answer holds '<\|image_pad\|>'"):
        refuse_controls(qwen, ask("Is it?", id="z4"), "Yes <|image_pad|>")
    with pytest.raises(RecordError, match=r"z6: its system text holds"):
        refuse_controls(qwen, ask("Is it?", id="z6", system="<|im_end|>"))


def test_all_bad_records_are_listed_once(qwen, ask):
    bad_prompt, good = ask("<|im_end|>", id="p1"), ask("Is it?", id="p2")
    records = [
        Preference(question=bad_prompt, chosen="Yes", rejected="No"),
        Sample(question=good, answer="Yes"),
        Sample(question=good, answer="<|im_start|>"),
        Preference(question=good, chosen="Yes", rejected="<|endoftext|>"),
    ]
    with pytest.raises(RecordError) as caught:
        check_records(qwen, records)
    assert caught.value.problems == (
        "question p1: its prompt holds '<|im_end|>'",
        "question p2: its answer holds '<|im_start|>'",
        "question p2: its answer holds '<|endoftext|>'",
    )
    check_records(qwen, records[1:2])
