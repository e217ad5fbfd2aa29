"""Reading of answers as the benchmarks' own published scripts do it, faults included.

Each function names the script whose rule it follows and what goes wrong in it. Numbers read this way
compare with published tables; for anything else the strict profile is the honest one.
"""

import re

from halluc.parsing.numerals import NUMBER_WORDS, whole_number

_TRUTH = re.compile(r"\b(t|f|true|false)\b", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_NUMBER_WORD = re.compile(rf"\b({'|'.join(NUMBER_WORDS)})\b")
_BRACKETED_CAPITAL = re.compile(r"\([A-Z]\)")
_JUDGE_SCORE = re.compile(r"Score:\s*(\d+)")


def read_pope(text: str | None) -> str:
    """Read "yes" or "no" by POPE's word rule (RUCAIBox/POPE ``evaluate.py``); never unparsed.

    Only the text before the first full stop counts. It is "no" if one of the tokens ``No``, ``no`` or
    ``not`` stands between single spaces, otherwise "yes". So these are all "yes": an empty text, a
    refusal, ``NO``, ``No!``, "cannot", a "no" in the second sentence. And "Yes, no doubt" is "no".

    Example:
        >>> read_pope("There is not a dog."), read_pope("NO."), read_pope("")
        ('no', 'yes', 'yes')
    """
    first_sentence = (text or "").split(".")[0]
    tokens = first_sentence.replace(",", "").split(" ")
    return "no" if {"No", "no", "not"} & set(tokens) else "yes"


def read_longhalqa_yes_no(text: str | None) -> str | None:
    """Read "yes" or "no" by how the text begins (hanqiu-hq/LongHalQA ``utils.py``).

    None stands for the script's "wrong response". "Nothing" and "Not sure" are "no", "Yesterday" is
    "yes", and a quoted or emphasised answer is none.

    Example:
        >>> read_longhalqa_yes_no("Nothing"), read_longhalqa_yes_no("**No**")
        ('no', None)
    """
    start = (text or "").lower().strip()
    return next((answer for answer in ("yes", "no") if start.startswith(answer)), None)


def read_longhalqa_choice(text: str | None) -> str:
    """Take the first character of the stripped text as the letter (hanqiu-hq/LongHalQA ``utils.py``).

    The result need not be a letter: "(A)" gives "(", "Answer: B" gives "A", an empty text gives "".

    Example:
        >>> read_longhalqa_choice("Answer: B"), read_longhalqa_choice("(A)")
        ('A', '(')
    """
    return (text or "").strip()[:1]


def read_vlm2_change(text: str | None) -> str | None:
    """Read "T" or "F" of a general-cue question: the text must be exactly that (VLM2-Bench ``code/gc``).

    "T.", "True" and "t" are wrong.

    Example:
        >>> read_vlm2_change("T"), read_vlm2_change("T.")
        ('T', None)
    """
    return text if text in {"T", "F"} else None


def read_vlm2_true_false(text: str | None) -> str | None:
    """Read "T" or "F" of a comparison question (VLM2-Bench ``code/oc/eval/eval_cpr``).

    Exactly one of the whole words t, f, true, false must occur, in any case. The "t" of "can't" is a
    whole word for this rule and so a T; "True. True." is rejected.

    Example:
        >>> read_vlm2_true_false("I can't tell"), read_vlm2_true_false("True. True.")
        ('T', None)
    """
    found = _TRUTH.findall(text or "")
    return found[0][0].upper() if len(found) == 1 else None


def read_vlm2_count(text: str | None) -> int | None:
    """Read a count (VLM2-Bench ``code/oc/eval/eval_cnt``): exactly one number must be found.

    Every run of digits is a number, and all number words of the text together are one more. So "one
    or two" is 3, "One cup in image one" is 2, "-1" is 1; "two (2)", "1.0" and the word zero are
    rejected. The result may lie outside the range of the question.

    Example:
        >>> read_vlm2_count("one or two"), read_vlm2_count("1.0"), read_vlm2_count("twenty one")
        (3, None, 21)
    """
    lowered = (text or "").lower()
    numbers = [whole_number(digits) for digits in _DIGITS.findall(lowered)]
    in_words = _joined_value(_NUMBER_WORD.findall(lowered))
    if in_words:
        numbers.append(in_words)
    return numbers[0] if len(numbers) == 1 else None


def _joined_value(number_words: list[str]) -> int:
    """Add up number words; "hundred" and "thousand" multiply what stands before them."""
    total = pending = 0
    for word in number_words:
        value = NUMBER_WORDS[word]
        if value < 100:
            pending += value
        else:
            total += (pending or 1) * value
            pending = 0
    return total + pending


def read_vlm2_option(text: str | None) -> str | None:
    """Read the option of a grouping question (VLM2-Bench ``code/oc/eval/eval_grp``).

    The answer is the text before the first ")", stripped, and need not be a letter; None if two or
    more capitals stand in brackets. "A) 1; B) 2" is A, "(A) 1" is "(A" and so never right.

    Example:
        >>> read_vlm2_option("A) 1 and 2"), read_vlm2_option("(A) 1"), read_vlm2_option("(A) or (B)")
        ('A', '(A', None)
    """
    text = text or ""
    if len(_BRACKETED_CAPITAL.findall(text)) > 1:
        return None
    return text.split(")")[0].strip()


def read_vlm2_video_score(text: str | None) -> int | None:
    """Read what the judge of a video description wrote (VLM2-Bench ``code/pc/video/eval``).

    The spelling is exact: "score: 1" in lower case is not found, and the script drops that record.

    Example:
        >>> read_vlm2_video_score("Score: 2"), read_vlm2_video_score("score: 2")
        (2, None)
    """
    found = _JUDGE_SCORE.search(text or "")
    return whole_number(found[1]) if found else None


def read_amber(text: str | None) -> str | None:
    """Read "yes" or "no" of AMBER (``inference.py``): the text must be exactly ``Yes`` or ``No``.

    Example:
        >>> read_amber("No"), read_amber("No."), read_amber("no")
        ('no', None, None)
    """
    return {"Yes": "yes", "No": "no"}.get(text or "")
