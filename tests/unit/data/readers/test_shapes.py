import pytest

from halluc.data.readers.exchange import Exchange
from halluc.data.readers.shapes import SHAPES, normalise
from halluc.errors import RecordError

ONE = [Exchange(prompt="<image>Red?", answer="Yes", images=("a.png",))]
USER = {"role": "user", "content": "<image>Red?"}
REPLY = {"role": "assistant", "content": "Yes"}


@pytest.mark.parametrize(
    "fields",
    [
        {"image": "a.png", "question": "<image>Red?", "answer": "Yes"},
        {"image_path": "a.png", "prompt": "<image>Red?", "answer": "Yes"},
        {"images": ["a.png"], "prompt": [USER], "answer": "Yes"},
        {"images": ["a.png"], "query": "<image>Red?", "response": "Yes", "history": []},
        {"images": ["a.png"], "instruction": "<image>Red?", "input": "", "output": "Yes"},
        {"images": "a.png", "messages": [USER, REPLY]},
        {
            "image": "a.png",
            "conversations": [{"from": "human", "value": "<image>Red?"}, {"from": "gpt", "value": "Yes"}],
        },
        {
            "image": "a.png",
            "conversations": [USER, {"role": "model", "content": [{"type": "text", "text": "Yes"}]}],
        },
        {
            "messages": [
                {
                    "role": "user",
                    "content": [{"type": "image", "image": "a.png"}, {"type": "text", "text": "Red?"}],
                },
                REPLY,
            ]
        },
        {"images": ["a.png"], "messages": [{"role": "user", "content": [{"type": "image"}, "Red?"]}, REPLY]},
        {
            "messages": [
                {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "a.png"}}, "Red?"]},
                REPLY,
            ]
        },
    ],
)
def test_shapes_of_one_question(fields):
    assert normalise(fields) == ONE


def test_each_shape_is_told_by_its_own_keys():
    rows = [{"conversations": []}, {"messages": []}, {"query": ""}, {"instruction": ""}, {"question": ""}]
    for fields in rows:
        assert sum(shape.matches(fields) for shape in SHAPES) == 1


def test_system_text_is_kept():
    turns = [{"role": "system", "content": "Be short."}, USER, REPLY]
    assert normalise({"images": ["a.png"], "messages": turns})[0].system == "Be short."
    for keys in ({"question": "x"}, {"query": "x"}, {"instruction": "x"}):
        assert normalise({**keys, "system": "Be short."})[0].system == "Be short."


def test_input_stands_below_the_instruction_and_user_turns_are_joined():
    assert normalise({"instruction": "Look.", "input": "Red?", "output": "No"})[0].prompt == "Look.\nRed?"
    turns = [{"role": "user", "content": "<image>"}, {"role": "user", "content": "Red?"}, REPLY]
    assert normalise({"images": ["a.png"], "messages": turns})[0].prompt == "<image>\nRed?"


def test_several_questions_come_apart():
    found = normalise(
        {"image": "a.png", "messages": [USER, REPLY, {"role": "user", "content": "Blue?"}, REPLY]}
    )
    assert [(exchange.prompt, exchange.images) for exchange in found] == [
        ("<image>Red?", ("a.png",)),
        ("Blue?", ("a.png",)),
    ]
    found = normalise({"query": "Blue?", "response": "No", "history": [["Red?", "Yes"]]})
    assert [(exchange.prompt, exchange.answer) for exchange in found] == [("Red?", "Yes"), ("Blue?", "No")]


def test_an_open_prompt_has_no_answer_yet():
    assert normalise({"prompt": [USER], "images": ["a.png"]})[0].answer is None


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"foo": 1}, "its keys are foo; expected"),
        ({}, "its keys are none"),
        ({"question": ""}, "question is ''"),
        ({"question": 3}, "question is 3"),
        ({"question": "a", "prompt": "b"}, "both question and prompt"),
        ({"question": "a", "image": "a.png", "images": ["a.png"]}, "both images and image"),
        ({"question": "a", "image": None}, "image is null"),
        ({"question": "a", "videos": ["v.mp4"]}, "video"),
        ({"query": "a", "history": "x"}, "history"),
        ({"instruction": None}, "instruction is None"),
        ({"messages": []}, "list of turns"),
        ({"messages": "hi"}, "list of turns"),
        ({"messages": ["hi"]}, "expected a turn"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "role 'tool'"),
        ({"messages": [{"role": ["user"], "content": "x"}]}, "role"),
        ({"messages": [{"role": "user", "content": ""}]}, r"messages\[1\] is ''"),
        ({"messages": [REPLY, USER]}, "begins with the assistant"),
        ({"messages": [USER, REPLY, REPLY]}, "two assistant turns"),
        ({"messages": [USER, {"role": "system", "content": "x"}]}, "may only stand first"),
        ({"messages": [{"role": "system", "content": "x"}]}, "no user turn"),
        ({"messages": [{"role": "user", "content": [{"type": "audio"}]}]}, "type text or image"),
        (
            {
                "images": ["a"],
                "messages": [{"role": "user", "content": [{"type": "image", "image": "b"}, "x"]}],
            },
            "both beside and inside",
        ),
    ],
)
def test_unusable_rows(fields, message):
    with pytest.raises(RecordError, match=message):
        normalise(fields)
