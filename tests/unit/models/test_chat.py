import pytest
from transformers import AutoProcessor

from halluc.errors import ModelSupportError
from halluc.models.chat import TemplateChat, content_parts
from halluc.models.families.table import family_for

END = "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
PARTS = "{% for p in m['content'] %}{{ '<|image_pad|>' if p['type'] == 'image' else p['text'] }}{% endfor %}"


@pytest.fixture
def chat_of(tiny_checkpoint):
    """Return a function from a template to a chat on the tiny Qwen2-VL's tokenizer."""

    def make(template):
        processor = AutoProcessor.from_pretrained(tiny_checkpoint("qwen2_vl"))
        processor.chat_template = template
        return TemplateChat(processor, "<|image_pad|>")

    return make


@pytest.mark.parametrize(
    ("family", "lead", "end"),
    [
        ("qwen2_vl", "", "<|im_end|>"),
        ("llava", " ", "</s>"),  # its template writes no end of turn
        ("llava_next", " ", "</s>"),
        ("llava_onevision", "", "<|im_end|>"),  # its answered turns open with another space
        ("idefics3", " ", "<end_of_utterance>"),
        ("gemma3", "", "<end_of_turn>"),
        ("mllama", "", "<|eot_id|>"),
        ("paligemma", "", "<eos>"),
    ],
)
def test_the_frame_of_an_answer(family, lead, end, tiny_checkpoint):
    frame = family_for(family).chat(AutoProcessor.from_pretrained(tiny_checkpoint(family))).frame
    assert (frame.lead, frame.end) == (lead, end)


def test_text_before_the_end_of_turn_belongs_to_the_answer(chat_of):
    frame = chat_of("{% for m in messages %}[" + PARTS + "]\n<|im_end|>rest{% endfor %}").frame
    assert frame.end == "]\n<|im_end|>"


def test_a_template_whose_answer_stands_elsewhere_is_refused(chat_of):
    chat = chat_of("{% for m in messages %}" + PARTS + "{% endfor %}" + END)
    with pytest.raises(ModelSupportError, match="doesn't write an answer right behind"):
        _ = chat.frame


def test_content_parts_without_offsets_put_all_pictures_first(ask):
    parts = content_parts(ask("Same?", "a.png", "b.png"))
    assert parts == [{"type": "image"}, {"type": "image"}, {"type": "text", "text": "Same?"}]


def test_content_parts_at_offsets(ask):
    parts = content_parts(ask("In  and  or", "a.png", "b.png", "c.png", image_offsets=(3, 8, 11)))
    shape = [part.get("text", "*") for part in parts]
    assert shape == ["In ", "*", " and ", "*", " or", "*"]


def test_neighbouring_pictures_at_one_offset(ask):
    parts = content_parts(ask("Hey you", "a.png", "b.png", image_offsets=(4, 4)))
    assert [part.get("text", "*") for part in parts] == ["Hey ", "*", "*", "you"]


def test_system_text_is_kept(tiny_checkpoint, ask):
    chat = family_for("qwen2_vl").chat(AutoProcessor.from_pretrained(tiny_checkpoint("qwen2_vl")))
    text = chat.render(ask("Hi?", system="Be brief."))
    assert text.startswith("<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi?")


def test_system_text_goes_in_as_a_string_where_a_list_would_be_printed(chat_of, ask):
    head = "{% set s = messages[0]['content'] if messages[0]['role'] == 'system' else '' %}{{ s }}|"
    loop = "{% for m in messages if m['role'] != 'system' %}" + PARTS + "{% endfor %}" + END
    text = chat_of(head + loop).render(ask("Hi?", system="Be brief."))
    assert text == "Be brief.|Hi?<|im_start|>assistant\n"


def test_dropped_system_text_is_an_error(chat_of, ask):
    chat = chat_of("{% for m in messages if m['role'] != 'system' %}" + PARTS + "{% endfor %}" + END)
    with pytest.raises(ModelSupportError, match=r"question q1.*drops the system text"):
        chat.render(ask("Hi?", id="q1", system="Be brief."))


def test_a_template_that_raises_is_an_error_by_id(chat_of, ask):
    chat = chat_of("{{ raise_exception('no images with system') }}")
    with pytest.raises(ModelSupportError, match=r"question q1.*no images with system"):
        chat.render(ask("Hi?", id="q1"))


def test_a_template_without_picture_slots_is_an_error(chat_of, ask):
    chat = chat_of("{% for m in messages %}{{ m['content'][-1]['text'] }}{% endfor %}" + END)
    with pytest.raises(ModelSupportError, match=r"wrote 0 picture placeholders.*for 1 pictures"):
        chat.render(ask("Hi?", "a.png"))


MOVING = (
    "{% for m in messages %}{% for p in m['content'] if p['type'] == 'image' %}<|image_pad|>{% endfor %}"
    "{% for p in m['content'] if p['type'] == 'text' %}{{ p['text'] }}{% endfor %}{% endfor %}" + END
)


def test_a_template_that_moves_pictures_to_the_front_is_refused(chat_of, ask):
    with pytest.raises(ModelSupportError, match=r"question q1.*moves pictures.*image_offsets"):
        chat_of(MOVING).render(ask("In this", "a.png", id="q1", image_offsets=(3,)))


def test_it_is_allowed_where_they_belong_there(chat_of, ask):
    text = chat_of(MOVING).render(ask("In this", "a.png", image_offsets=(0,)))
    assert text.startswith("<|image_pad|>In this")
