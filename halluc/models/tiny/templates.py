"""Chat templates for tiny checkpoints, each with the outer form and the quirks of its family's."""

_MIXED = (
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}IMAGE{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}"
)
_IMAGES_FIRST = (
    "{% for part in message['content'] if part['type'] == 'image' %}IMAGE{% endfor %}"
    "{% for part in message['content'] if part['type'] == 'text' %}{{ part['text'] }}{% endfor %}"
)


def turns(
    image: str,
    *,
    head: str,
    tail: str,
    begin: str = "",
    assistant: str = "assistant",
    opening: str | None = None,
    images_first: bool = False,
) -> str:
    """Write a template whose turns all have one head and one tail.

    Args:
        image: Placeholder of one picture.
        head: What opens a turn; ``ROLE`` stands for the speaker's name.
        tail: What closes a turn; may be empty.
        begin: What opens the conversation.
        assistant: Name of the answering speaker.
        opening: What asks for an answer; None takes the head without a space at its end.
        images_first: Whether pictures are moved before all text, as LLaVA's templates do.
    """
    speaker = f"{{{{ '{assistant}' if message['role'] == 'assistant' else message['role'] }}}}"
    parts = _IMAGES_FIRST if images_first else _MIXED
    if opening is None:
        opening = head.replace("ROLE", assistant).rstrip(" ")
    turn = head.replace("ROLE", speaker) + parts.replace("IMAGE", image) + tail
    return (
        f"{begin}{{% for message in messages %}}{turn}{{% endfor %}}"
        f"{{% if add_generation_prompt %}}{opening}{{% endif %}}"
    )


def chatml(image: str) -> str:
    """Write turns between ``<|im_start|>`` and ``<|im_end|>`` (Qwen-VL, InternVL)."""
    return turns(image, head="<|im_start|>ROLE\n", tail="<|im_end|>\n")


def named_speakers(image: str, tail: str, *, images_first: bool = False) -> str:
    """Write turns as ``user: …`` (LLaVA with its pictures first, Idefics with its end of utterance)."""
    return turns(image, head="ROLE: ", tail=tail, images_first=images_first)
