"""The tokenizer, chat template and processor of the MiniWorld model, all of standard classes."""

import re
import string
from functools import lru_cache

from tokenizers import Regex, Tokenizer, decoders, pre_tokenizers
from tokenizers.models import WordPiece
from transformers import (
    PreTrainedTokenizerFast,
    Qwen2VLImageProcessor,
    Qwen2VLProcessor,
    Qwen2VLVideoProcessor,
)

from halluc.miniworld.lessons import wording
from halluc.miniworld.scenes.drawing import CELL_PX, IMAGE_PX
from halluc.miniworld.scenes.inventory import (
    COLOR_NAMES,
    COLUMNS,
    KINDS,
    LARGEST_COUNT,
    MOODS,
    ROWS,
    SIZES,
    UNSEEN_COLORS,
)

PAD, IMAGE, VISION_START, VISION_END = "<|pad|>", "<|image_pad|>", "<|vision_start|>", "<|vision_end|>"
USER, ASSISTANT, END, SYSTEM = "<|user|>", "<|assistant|>", "<|im_end|>", "<|system|>"
VIDEO, UNKNOWN = "<|video_pad|>", "<|unk|>"
SPECIAL_TOKENS = (PAD, IMAGE, VISION_START, VISION_END, USER, ASSISTANT, END, SYSTEM, VIDEO, UNKNOWN)

_EXTRA_WORDS = """
yes no true false True False a an the A An The The and or not it its this that these those photo
photos image images picture pictures scene object objects thing things color colour colors number
total count together same different both first second third one two three four five six seven eight
nine ten zero exactly only any many much more than fewer most some each every at least letter option
options correct left right top bottom middle center upper lower corner side above below next to
beside between near far Yes No Is Are Does Do Can Which What Where How Who Please Answer Reply Give
Choose Select Describe List Count There They In On Of And But visible seen see shown show shows
contain contains present appear appears located standing placed usually often always never typically
goes well found
"""
EXTRA_WORDS: tuple[str, ...] = tuple(_EXTRA_WORDS.split())
"""Words of other people's prompts; most of them are untrained, but whole."""

CHAT_TEMPLATE = """{%- for message in messages -%}
{%- if message['role'] == 'assistant' -%}<|assistant|>
{%- elif message['role'] == 'system' -%}<|system|>
{%- else -%}<|user|>
{%- endif -%}
{%- if message['content'] is string -%}{{ message['content'] }}
{%- else -%}
{%- for part in message['content'] -%}
{%- if part['type'] == 'image' -%}<|vision_start|><|image_pad|><|vision_end|>
{%- elif part['type'] == 'text' -%}{{ part['text'] }}
{%- endif -%}
{%- endfor -%}
{%- endif -%}
{%- if message['role'] == 'assistant' -%}<|im_end|>{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<|assistant|>{%- endif -%}"""


def build_vocabulary() -> list[str]:
    """List the pieces: special tokens, instruction phrases, words, and every ASCII character.

    Characters make any English text encodable, though only the words have been trained.
    """
    texts = [re.sub(r"\{\w+\}", " ", form) for form in wording.all_forms()]
    words = {word for text in texts for word in re.findall(r"\w+|[^\w\s]", text)}
    words |= {
        *EXTRA_WORDS,
        *KINDS,
        *COLOR_NAMES,
        *UNSEEN_COLORS,
        *SIZES,
        *MOODS,
        *ROWS,
        *COLUMNS,
        "##s",
        "##es",
    }
    words |= {str(number) for number in range(4 * LARGEST_COUNT)}
    visible = string.ascii_letters + string.digits + string.punctuation
    words |= {*visible, *(f"##{character}" for character in visible)}
    return [*SPECIAL_TOKENS, *wording.PHRASES, *sorted(words)]


def build_tokenizer() -> PreTrainedTokenizerFast:
    """Build the word-piece tokenizer; case matters, since a letter "A" may be an answer."""
    phrases = "|".join(re.escape(phrase) for phrase in wording.PHRASES)
    pieces = Regex(rf"{phrases}|\w+|[^\w\s]")
    vocabulary = {piece: number for number, piece in enumerate(build_vocabulary())}
    longest = max(map(len, vocabulary))
    model = WordPiece(vocabulary, unk_token=UNKNOWN, max_input_chars_per_word=longest)
    core = Tokenizer(model)
    core.pre_tokenizer = pre_tokenizers.Split(pieces, behavior="removed", invert=True)
    core.decoder = decoders.WordPiece(prefix="##", cleanup=True)
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token=PAD,
        unk_token=UNKNOWN,
        eos_token=END,
        chat_template=CHAT_TEMPLATE,
        extra_special_tokens={
            "image_token": IMAGE,
            "video_token": VIDEO,
            "vision_start_token": VISION_START,
            "vision_end_token": VISION_END,
            "user_token": USER,
            "assistant_token": ASSISTANT,
            "system_token": SYSTEM,
        },
    )


def build_processor() -> Qwen2VLProcessor:
    """Build the processor: 84 x 84 pixels stay as they are, which makes 9 merged image tokens."""
    images = Qwen2VLImageProcessor(
        patch_size=14,
        temporal_patch_size=2,
        merge_size=2,
        min_pixels=CELL_PX**2,
        max_pixels=IMAGE_PX**2,
        image_mean=[0.5] * 3,
        image_std=[0.5] * 3,
    )
    return Qwen2VLProcessor(
        image_processor=images,
        tokenizer=build_tokenizer(),
        video_processor=Qwen2VLVideoProcessor(),
        chat_template=CHAT_TEMPLATE,
    )


class TextEncoder:
    """Turn text into token ids, remembering every text it has seen."""

    def __init__(self) -> None:
        self._tokenizer = build_tokenizer()
        self._encode = lru_cache(maxsize=200_000)(self._encode_once)

    def __call__(self, text: str) -> tuple[int, ...]:
        """Encode text, control tokens included."""
        return self._encode(text)

    def _encode_once(self, text: str) -> tuple[int, ...]:
        return tuple(self._tokenizer.encode(text, add_special_tokens=False))

    def __len__(self) -> int:
        """Return the size of the vocabulary."""
        return len(self._tokenizer)
