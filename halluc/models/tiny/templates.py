"""Chat templates for tiny checkpoints, each in the outer form that its family uses."""

_PARTS = (
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}IMAGE{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}"
)


def turns(image: str, *, head: str, tail: str, begin: str = "", assistant: str = "assistant") -> str:
    """Write a template whose turns all have one head and one tail.

    Args:
        image: Placeholder of one picture.
        head: What opens a turn; ``ROLE`` stands for the speaker's name.
        tail: What closes a turn; may be empty.
        begin: What opens the conversation.
        assistant: Name of the answering speaker.
    """
    role = "{{ ROLE_OF }}".replace(
        "ROLE_OF", f"'{assistant}' if message['role'] == 'assistant' else message['role']"
    )
    return (
        begin
        + "{% for message in messages %}"
        + head.replace("ROLE", role)
        + _PARTS.replace("IMAGE", image)
        + tail
        + "{% endfor %}{% if add_generation_prompt %}"
        + head.replace("ROLE", assistant).rstrip(" ")
        + "{% endif %}"
    )


def chatml(image: str) -> str:
    """Write turns between ``<|im_start|>`` and ``<|im_end|>`` (Qwen-VL, InternVL, LLaVA-OneVision)."""
    return turns(image, head="<|im_start|>ROLE\n", tail="<|im_end|>\n")


def named_speakers(image: str, tail: str) -> str:
    """Write turns as ``user: …`` (LLaVA with an empty tail, Idefics with its end of utterance)."""
    return turns(image, head="ROLE: ", tail=tail)
