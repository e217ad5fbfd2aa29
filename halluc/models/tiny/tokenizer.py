"""A byte-level BPE tokenizer for tiny checkpoints, trained on sentences written here."""

from collections.abc import Iterator, Sequence
from itertools import product
from string import ascii_letters

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

_THINGS = ("circle", "square", "kite", "lamp", "boat", "tree", "mug", "cat", "door", "key", "drum", "leaf")
_COLOURS = ("red", "green", "blue", "black", "white", "yellow", "grey", "brown")
_FRAMES = (
    "Is there a {colour} {thing} in the picture? Please answer yes or no.",
    "Does the {thing} stand to the left of the {colour} door? Answer with Yes or No.",
    "What colour is the {thing}? A. {colour} B. white C. black D. none. Answer with the letter.",
    "How many {colour} {thing}s do you see in both images? Answer with one number.",
    "user system assistant model User: Assistant: The {thing} is {colour}. True. False. true false T F",
)


def corpus() -> Iterator[str]:
    """Yield the training sentences, always the same, in the same order."""
    for frame, colour, thing in product(_FRAMES, _COLOURS, _THINGS):
        yield frame.format(colour=colour, thing=thing)
    for answer in ("Yes", "yes", "YES", "No", "no", "NO"):
        yield from [answer, f"{answer}.", f"{answer}, {answer}"] * 20
    for number in range(100):
        yield f"{number} {number}"
    yield " ".join(ascii_letters)


def train_tokenizer(
    *,
    eos: str,
    pad: str,
    bos: str | None = None,
    controls: Sequence[str] = (),
    named: dict[str, str] | None = None,
    vocab_size: int = 512,
    adds_bos: bool = False,
) -> PreTrainedTokenizerFast:
    """Train a tokenizer whose control strings are those of one family.

    Args:
        eos: String that ends a turn or a text.
        pad: String that pads.
        bos: String that begins a text; None if the family has none.
        controls: Further control strings, such as image placeholders.
        named: Control strings that the tokenizer also offers as attributes, such as ``boi_token``.
        vocab_size: Number of tokens, control strings included.
        adds_bos: Whether tokenising writes ``bos`` by itself, as Llama's and Gemma's tokenizers do.
    """
    named = named or {}
    controls = [text for text in dict.fromkeys([pad, eos, bos, *controls, *named.values()]) if text]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=max(vocab_size, len(controls) + 384),
        special_tokens=controls,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(corpus(), trainer)
    if adds_bos and bos:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{bos} $A", special_tokens=[(bos, tokenizer.token_to_id(bos))]
        )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=eos,
        pad_token=pad,
        bos_token=bos,
        clean_up_tokenization_spaces=False,
        extra_special_tokens=named,
    )
