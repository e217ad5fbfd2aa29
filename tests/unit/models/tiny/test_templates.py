from jinja2 import Template

from halluc.models.tiny.templates import chatml, named_speakers, turns

TALK = [
    {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "Hi?"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "Yes"}]},
]


def test_chatml_turns():
    text = Template(chatml("<i>")).render(messages=TALK)
    assert text == "<|im_start|>user\n<i>Hi?<|im_end|>\n<|im_start|>assistant\nYes<|im_end|>\n"


def test_named_speakers_leave_the_space_to_the_answer():
    prompt = Template(named_speakers("<i>", tail="!")).render(messages=TALK[:1], add_generation_prompt=True)
    assert prompt == "user: <i>Hi?!assistant:"


def test_pictures_may_be_moved_first_and_the_opening_may_differ():
    template = turns("<i>", head="[ROLE] ", tail="", opening="[me]", images_first=True)
    turned = [{"role": "user", "content": TALK[0]["content"][::-1]}]
    assert Template(template).render(messages=turned, add_generation_prompt=True) == "[user] <i>Hi?[me]"


def test_a_speaker_may_be_renamed_and_the_beginning_marked():
    template = turns("<i>", head="[ROLE]", tail="", begin="^", assistant="model")
    assert Template(template).render(messages=TALK) == "^[user]<i>Hi?[model]Yes"
