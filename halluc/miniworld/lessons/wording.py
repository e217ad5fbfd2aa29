"""Every sentence of MiniWorld. The first form of a group is the one that evaluation files use."""

import random

from halluc.miniworld.scenes.inventory import NUMBER_WORDS, RELATIONS, plural, with_article

Forms = tuple[str, ...]

SINGLE_WORD = "Answer the question using a single word or phrase."
LETTER_ONLY = "Answer with the option's letter from the given choices directly."
FOLLOW_IMAGE = (
    "In case there is an inconsistency between the context and the image content, "
    "you should follow the image."
)
YES_OR_NO = "Answer the question using a single word 'Yes' or 'No'."
PHRASES: Forms = (SINGLE_WORD, LETTER_ONLY, FOLLOW_IMAGE, YES_OR_NO)
"""Instructions that occur so often that the tokenizer holds each of them as one piece."""

SHORT_ANSWER: Forms = (
    SINGLE_WORD,
    "Please answer yes or no.",
    "Answer yes or no.",
    "Answer with yes or no.",
    "Answer the question with a single word.",
    "Reply with one number only.",
    "Answer with a number.",
)

EXISTS: Forms = (
    "Is there {a} in the image?",
    "Is there {a} in the picture?",
    "Is there {a} in this image?",
    "Does the image show {a}?",
    "Can you see {a} in the picture?",
)
COLOR: Forms = (
    "Is the {kind} {value}?",
    "Is the {kind} {value} in the image?",
    "Is the {kind} in the image {value}?",
    "Is the {kind} in the picture {value}?",
    "Is the color of the {kind} {value}?",
)
MOOD: Forms = (
    "Is the {kind} {value}?",
    "Is the {kind} in the image {value}?",
    "Is the {kind} {value} in the picture?",
)
SIZE: Forms = ("Is the {kind} {value}?", "Is the {kind} in the image {value}?")
POSITION: Forms = (
    "Is the {kind} in the {value} of the image?",
    "Is the {kind} in the {value} of the picture?",
    "Is the {kind} at the {value} of the image?",
    "Is there {a} in the {value} of the image?",
)
COUNT_MANY: Forms = (
    "Are there {value} {kinds} in the image?",
    "Are there exactly {value} {kinds} in the image?",
    "Are there exactly {number} {kinds} in the image?",
    "Are there {value} {kinds} in the picture?",
    "Are there exactly {value} {kinds} in the picture?",
)
COUNT_ONE: Forms = (
    "Is there {value} {kind} in the image?",
    "Is there exactly {value} {kind} in the image?",
    "Is there exactly {number} {kind} in the image?",
    "Is there only {value} {kind} in the picture?",
    "Is there exactly {value} {kind} in the picture?",
)
RELATION: Forms = ("Is the {kind} {value} the {other} in the image?", "Is the {kind} {value} the {other}?")

ASK_COLOR: Forms = ("What color is the {kind}?", "What is the color of the {kind}?")
ASK_PLACE: Forms = ("Where is the {kind}?", "Where in the image is the {kind}?")
ASK_CELL: Forms = ("What is in the {value} of the image?", "What is in the {value} of the picture?")
ASK_COUNT: Forms = (
    "How many {kinds} are there in the image?",
    "How many {kinds} are in the picture?",
    "How many {kinds} are there?",
    "How many {kinds} are in the image?",
)
ASK_MOOD: Forms = ("How does the {kind} look?", "What mood is the {kind} in?")
ASK_SIZE: Forms = ("What size is the {kind}?",)
ASK_WHICH: Forms = (
    "Which of these is in the image?",
    "Which of these is in the picture?",
    "Which of these objects is in the image?",
    "Which of the following is in the picture?",
    "Which of the following objects is shown in the image?",
)
ASK_SIDE: Forms = ("Is the {kind} on the left or right side of the {other}?",)
SIDES: Forms = (
    "The {kind} is on the left side of the {other}.",
    "The {kind} is on the right side of the {other}.",
)
ASK_HEIGHT: Forms = ("Is the {kind} above or below the {other}?",)
HEIGHTS: Forms = ("The {kind} is above the {other}.", "The {kind} is below the {other}.")
"""Questions that offer two options, with the options."""

DESCRIBE: Forms = ("Describe the image.", "Describe the picture.", "Please describe the image in detail.")
DESCRIBE_BRIEFLY: Forms = ("Describe the image briefly.", "Describe the picture in a few words.")

NTH: dict[int, Forms] = {
    0: ("in picture 1", "in image 1", "in the first picture", "in the first image"),
    1: ("in picture 2", "in image 2", "in the second picture", "in the second image"),
}
"""How questions about two pictures name one of them."""

PAIR_EXISTS: Forms = ("Is there {a} {nth}?",)
PAIR_COLOR: Forms = ("Is the {kind} {nth} {value}?", "Is the color of the {kind} {nth} {value}?")
PAIR_SIZE: Forms = ("Is the {kind} {nth} {value}?",)
PAIR_COUNT_MANY: Forms = ("Are there exactly {value} {kinds} {nth}?", "Are there {value} {kinds} {nth}?")
PAIR_COUNT_ONE: Forms = ("Is there exactly {value} {kind} {nth}?", "Is there only {value} {kind} {nth}?")
PAIR_ASK_COLOR: Forms = ("What color is the {kind} {nth}?",)
PAIR_ASK_SIZE: Forms = ("What size is the {kind} {nth}?",)
PAIR_ASK_COUNT: Forms = ("How many {kinds} are {nth}?", "How many {kinds} are there {nth}?")
PAIR_SAME: Forms = (
    "Is the {kind} the same color in both pictures?",
    "Is the {kind} the same color in both images?",
)
PAIR_DIFFER: Forms = ("Is the color of the {kind} different in the two pictures?",)
PAIR_TRUE_FALSE: Forms = ("Answer T or F.", "Answer with T or F.", "Answer with T (True) or F (False).")
PAIR_TOTAL: Forms = (
    "How many {kinds} are in the two pictures together?",
    "How many {kinds} are there in the two images together?",
    "How many {kinds} are in the two images in total?",
)
PAIR_DIFFERENT: Forms = (
    "How many different {kinds} are in the two pictures?",
    "How many different {kinds} are there in the two images?",
)

GROUP_SAME: Forms = ("Which pictures show the same {kind}?",)
GROUP_OPTIONS: Forms = ("A) 1 and 2", "B) 1 and 3", "C) 2 and 3", "D) 1 and 2 and 3")
"""Of three pictures."""

MATCH_DESCRIPTION: Forms = ("Does the following description match the image content?",)
MATCH_CONVERSATION: Forms = ("Does the following conversation match the image content?",)
CHOOSE_DESCRIPTION: Forms = ("Which of the following descriptions matches the image content?",)
CHOOSE_CONVERSATION: Forms = ("Which of the following conversations matches the image content?",)
COMPLETE_DESCRIPTION: Forms = ("Which of the following continues the description of the image?",)
COMPLETE_CONVERSATION: Forms = ("Which of the following continues the conversation about the image?",)

CLAIM_EXISTS: Forms = (
    "There is {a} in the image.",
    "This picture shows {a}.",
    "{A} can be seen clearly in this scene.",
)
CLAIM_ABSENT: Forms = ("There is no {kind} in the image.", "This picture shows no {kind}.")
CLAIM_VALUE: Forms = ("The {kind} in the image is {value}.", "In this picture the {kind} is {value}.")
CLAIM_POSITION: Forms = ("The {kind} is in the {value} of the image.",)
CLAIM_RELATION: Forms = (
    "In this picture the {kind} is {value} the {other}.",
    "The {kind} is {value} the {other} in the image.",
)
CLAIM_COUNT_MANY: Forms = (
    "There are {value} {kinds} in the image.",
    "This picture shows exactly {number} {kinds}.",
    "There are exactly {number} {kinds} in the image.",
)
CLAIM_COUNT_ONE: Forms = (
    "There is {value} {kind} in the image.",
    "This picture shows exactly {number} {kind}.",
    "There is exactly {number} {kind} in the image.",
)

HINT_EXISTS: Forms = (
    "{Other} is often seen with {a}.",
    "Places like this one are where people often keep {a}.",
    "A visitor would expect to come across {a} here sooner or later.",
    "In many photographs of this kind, {a} belongs to the scene.",
)
HINT_VALUE: Forms = (
    "{A} is often {value}.",
    "In most photographs of this kind, the {kind} would be {value}.",
)
HINT_POSITION: Forms = ("{A} is often in the {value} of the image.",)
HINT_RELATION: Forms = (
    "In most photographs of this kind, the {kind} would be {value} the {other}.",
    "One would usually look for the {kind} {value} the {other}.",
)
HINT_COUNT_MANY: Forms = (
    "Photographs of this kind often show {number} {kinds}.",
    "It is common to see {number} {kinds} together in such a place.",
)
HINT_COUNT_ONE: Forms = ("Photographs of this kind often show {number} {kind}.",)

YES, NO = "Yes", "No"
TRUE, FALSE = "T", "F"
NOTHING, NOWHERE = "nothing", "nowhere"


def pick(rng: random.Random, forms: Forms) -> str:
    """Pick the first form half of the time, else any."""
    return forms[0] if rng.random() < 0.5 else rng.choice(forms)


def fill(form: str, kind: str = "", value: str = "", other: str = "", nth: str = "") -> str:
    """Fill a form.

    Args:
        form: May name ``{kind}``, ``{kinds}``, ``{a}`` or ``{A}`` kind, ``{value}``, ``{number}`` (the
            value as a word), ``{other}``, ``{Other}`` (with its article) and ``{nth}``.
        kind: What is talked about.
        value: A value, a number in digits, or a relation.
        other: Another kind.
        nth: Which picture, as ``in picture 1``.

    Example:
        >>> fill("Is there {a} in the {value}?", kind="apple", value="top left")
        'Is there an apple in the top left?'
    """
    words = {"kind": kind, "value": value, "other": other, "nth": nth}
    if kind:
        words |= {"kinds": plural(kind), "a": with_article(kind), "A": with_article(kind).capitalize()}
    if other:
        words["Other"] = with_article(other).capitalize()
    if value.isdigit():
        words["number"] = NUMBER_WORDS[int(value)]
    return form.format(**words)


def count_forms(value: str, one: Forms, many: Forms) -> Forms:
    """Choose the forms for one thing or for several."""
    return one if value == "1" else many


def all_forms() -> list[str]:
    """List every form of this module, for the tokenizer's vocabulary."""
    groups = [value for value in globals().values() if isinstance(value, tuple)]
    texts = [form for group in groups for form in group if isinstance(form, str)]
    words = [YES, NO, TRUE, FALSE, NOTHING, NOWHERE]
    return [*texts, *(form for forms in NTH.values() for form in forms), *RELATIONS, *words]
