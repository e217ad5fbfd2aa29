"""Gated image sequences: balanced fine yes/no questions from the key attributes of each picture.

Reference:
    The gated score of VLM2-Bench sequences (CMU MSCV 2025, team 15); a wrong coarse answer makes the
    whole sequence score 0.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from halluc.builders.attributes import attribute_name, attribute_of
from halluc.builders.wording import singular
from halluc.errors import RecordError

_TRUE_FALSE = {"t": "T", "true": "T", "f": "F", "false": "F"}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyAttribute:
    """Hold what one picture of a sequence shows.

    Attributes:
        image: Place of the picture in the sequence, from 0.
        subject: What has the attribute, in either number.
        attribute: "color", "number", "text", "pattern", … ; any other word is taken as an adjective's.
        value: The true value.
        wrong: A wrong value given by hand; None leaves the choice to the builder.
    """

    image: int
    subject: str
    attribute: str
    value: str
    wrong: str | None = None

    @property
    def name(self) -> str:
        """Return the attribute's one name."""
        return attribute_name(self.attribute)

    @property
    def canonical(self) -> str:
        """Return the value in the form in which values are compared."""
        return attribute_of(self.attribute).canonical(self.value)

    @property
    def thing(self) -> str:
        """Return the subject in the form in which subjects are compared."""
        return singular(self.subject).casefold()

    def question(self, value: str) -> str:
        """Ask whether the picture shows a value; pictures are numbered from 1."""
        return attribute_of(self.attribute).ask(self.subject, value, self.image + 1)


def build_gated(rows: Iterable[tuple[str, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Build the gated records of a file of sequences.

    A row is ``{sequence_id, images, coarse: {type, question, gold}, attributes: [{image, subject,
    attribute, value, wrong?}]}``; ``task`` and hand-written ``fine`` questions are kept. A record is
    ``{sequence_id, task, images, coarse, fine: [{question, gold, attribute, image}]}``; a coarse count that
    exceeds the number of pictures gets ``largest``, the largest answer that is read.

    Each attribute gives one question with its true value and one with a wrong value. The wrong value is,
    in this order: the one given by hand; a value that another picture of the sequence has for the same
    attribute, of the same subject first; the most confusable value of the attribute's table; a value that
    the attribute has elsewhere in the file. It never is a value that the picture shows. Numbers are taken
    from the same subject only.

    Args:
        rows: Pairs of where a row stands, for messages, and the row.

    Raises:
        RecordError: If rows are unusable; all problems of all rows are listed.
    """
    problems: list[str] = []
    parsed: list[tuple[Mapping[str, Any], str, list[KeyAttribute]]] = []
    seen: set[str] = set()
    for where, row in rows:
        label = f"{where} (sequence {row.get('sequence_id')})"
        faults, attributes = _read_row(row)
        key = str(row.get("sequence_id"))
        faults += [f"sequence_id {key} occurs twice"] if key in seen else []
        seen.add(key)
        problems += [f"{label}: {fault}" for fault in faults]
        parsed.append((row, label, attributes))
    elsewhere = _values_by_attribute(chain.from_iterable(attributes for _, _, attributes in parsed))
    records = []
    for row, label, attributes in parsed:
        fine = [dict(question) for question in row.get("fine") or []] if not problems else []
        for attribute in attributes:
            wrong = _wrong_value(attribute, attributes, elsewhere)
            if wrong is None:
                problems.append(f"{label}: {_no_wrong_value(attribute)}")
            else:
                fine += _questions(attribute, wrong)
        records.append(_record(row, fine))
    if problems:
        raise RecordError(f"{len(problems)} problems in the sequences:", problems)
    return records


def _read_row(row: Mapping[str, Any]) -> tuple[list[str], list[KeyAttribute]]:
    """Return everything that is wrong with a row, and its usable attributes."""
    faults: list[str] = []
    if not isinstance(row.get("sequence_id"), str | int) or row["sequence_id"] == "":
        faults.append(f"sequence_id is {row.get('sequence_id')!r}; expected text")
    images = row.get("images")
    if not isinstance(images, list) or len(images) < 2 or not all(isinstance(i, str) and i for i in images):
        faults.append(f"images is {images!r}; expected at least two file names")
        images = []
    faults += _coarse_faults(row.get("coarse"))
    given = row.get("attributes") or []
    fine = row.get("fine") or []
    if not isinstance(given, list) or not isinstance(fine, list) or not [*given, *fine]:
        return [*faults, "it has no attributes to ask about"], []
    faults += [fault for number, item in enumerate(fine) for fault in _fine_faults(item, number)]
    attributes: list[KeyAttribute] = []
    for number, item in enumerate(given):
        try:
            attributes.append(_read_attribute(item, len(images)))
        except RecordError as error:
            faults.append(f"attributes[{number}]: {error}")
    return faults + _repeats(attributes), attributes


def _read_attribute(item: object, images: int) -> KeyAttribute:
    if not isinstance(item, dict):
        raise RecordError(f"expected an object, found {item!r}")
    image = item.get("image")
    if type(image) is not int or not 0 <= image < images:
        raise RecordError(f"image is {image!r}; expected the place of a picture, 0 to {images - 1}")
    texts: dict[str, str] = {}
    for field in ("subject", "attribute", "value", "wrong"):
        value = item.get(field)
        if field == "wrong" and value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
            raise RecordError(f"{field} is {value!r}; expected text")
        texts[field] = str(value).strip()
    attribute = KeyAttribute(image=image, **texts)
    true_value = attribute.canonical
    if (
        attribute.wrong is not None
        and attribute_of(attribute.attribute).canonical(attribute.wrong) == true_value
    ):
        raise RecordError(f"wrong equals the value {attribute.value!r}")
    return attribute


def _coarse_faults(coarse: object) -> list[str]:
    if (
        not isinstance(coarse, dict)
        or not isinstance(coarse.get("question"), str)
        or not coarse["question"].strip()
    ):
        return [f"coarse is {coarse!r}; expected an object with type, question and gold"]
    kind, gold = coarse.get("type"), coarse.get("gold")
    text = str(gold).strip()
    fits = {
        "count": not isinstance(gold, bool) and text.isdigit(),
        "true_false": isinstance(gold, str) and text.casefold() in _TRUE_FALSE,
        "choice": isinstance(gold, str) and text[:1].isupper(),
    }
    if kind not in fits:
        return [f"coarse.type is {kind!r}; expected one of {', '.join(fits)}"]
    return [] if fits[kind] else [f"coarse.gold is {gold!r}, which answers no {kind} question"]


def _fine_faults(item: object, number: int) -> list[str]:
    if (
        not isinstance(item, dict)
        or not isinstance(item.get("question"), str)
        or item.get("gold") not in ("yes", "no")
    ):
        return [f"fine[{number}] is {item!r}; expected an object with question, and gold yes or no"]
    return []


def _repeats(attributes: Sequence[KeyAttribute]) -> list[str]:
    faults = []
    seen: dict[tuple[int, str, str], set[str]] = {}
    for attribute in attributes:
        values = seen.setdefault((attribute.image, attribute.thing, attribute.name), set())
        place = f"the {attribute.name} of {attribute.subject} in picture {attribute.image}"
        if attribute.canonical in values:
            faults.append(f"{place} is given twice as {attribute.value}")
        elif values and attribute.name == "number":
            faults.append(f"{place} is given as {attribute.value} and as {', '.join(sorted(values))}")
        values.add(attribute.canonical)
    return faults


def _values_by_attribute(attributes: Iterable[KeyAttribute]) -> dict[str, list[str]]:
    """Return attribute to its values, most frequent first, ties by name."""
    counts: dict[str, Counter[str]] = {}
    for attribute in attributes:
        counts.setdefault(attribute.name, Counter())[attribute.canonical] += 1
    return {name: sorted(found, key=lambda value: (-found[value], value)) for name, found in counts.items()}


def _wrong_value(
    attribute: KeyAttribute, sequence: Sequence[KeyAttribute], elsewhere: Mapping[str, Sequence[str]]
) -> str | None:
    rules = attribute_of(attribute.attribute)
    if attribute.wrong is not None:
        return attribute.wrong
    alike = [other for other in sequence if other.name == attribute.name]
    if attribute.name == "number":
        alike = [other for other in alike if other.thing == attribute.thing]
    true_here = {other.canonical for other in alike if other.image == attribute.image}
    siblings = sorted(
        (other for other in alike if other.image != attribute.image),
        key=lambda other: other.thing != attribute.thing,
    )
    candidates = [other.value for other in siblings] + list(rules.hard_values(attribute.value))
    if attribute.name not in ("number", "text"):
        candidates += elsewhere.get(attribute.name, [])
    return next((value for value in candidates if rules.canonical(value) not in true_here), None)


def _questions(attribute: KeyAttribute, wrong: str) -> list[dict[str, Any]]:
    return [
        {
            "question": attribute.question(value),
            "gold": gold,
            "attribute": attribute.name,
            "image": attribute.image,
        }
        for value, gold in ((attribute.value, "yes"), (wrong, "no"))
    ]


def _record(row: Mapping[str, Any], fine: list[dict[str, Any]]) -> dict[str, Any]:
    coarse = row["coarse"] if isinstance(row.get("coarse"), dict) else {}
    return {
        "sequence_id": str(row.get("sequence_id")),
        "task": str(row.get("task") or coarse.get("type")),
        "images": row.get("images"),
        "coarse": _coarse(coarse, row.get("images")),
        "fine": fine,
    }


def _coarse(coarse: Mapping[str, Any], images: object) -> dict[str, Any]:
    """Copy the coarse question; say where its answers end if a count exceeds the number of pictures."""
    copied = dict(coarse)
    bound = len(images) if isinstance(images, list) else 0
    if coarse.get("type") == "count" and str(coarse.get("gold")).isdigit() and int(coarse["gold"]) > bound:
        copied.setdefault("largest", max(9, 2 * int(coarse["gold"])))  # never the gold count itself
    return copied


def _no_wrong_value(attribute: KeyAttribute) -> str:
    return (
        f"no wrong value is known for {attribute.name} {attribute.value!r} of {attribute.subject} in picture "
        f'{attribute.image}. Give one as "wrong" beside the value'
    )
