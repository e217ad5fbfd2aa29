"""Rows of published question files and of response files, and the fields that they use."""

import ast
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halluc.data.readers.encoding import not_utf8
from halluc.errors import RecordError, SourceNotFoundError
from halluc.parsing.labels import read_yes_no_label

GOLD_FIELDS = ("label", "gold", "gt_answer", "truth")
RESPONSE_FIELDS = ("response", "model_answer", "answer", "prediction")
ID_FIELDS = ("id", "question_id", "q_id", "index", "sequence_id", "image_id")
TEXT_FIELDS = ("text", "question", "query")
IMAGE_FIELDS = ("images", "image_path", "image", "image_id")
"""Fields that tell which images a record is about; ``image`` of a sheet may be the picture itself."""

_FIELDS_OF_A_RECORD = {*GOLD_FIELDS, *RESPONSE_FIELDS, *ID_FIELDS, *TEXT_FIELDS}
_SHOWN = 5
_TAKE_OUT = "Write its list {!r} to a file of its own"
_FORMATS = (
    "Formats that are read: JSON Lines (one object a line, as lmms-eval's samples) and one JSON array of "
    "objects; for answers also VLMEvalKit's .xlsx and .tsv."
)


@dataclass(frozen=True, slots=True)
class Row:
    """Hold one record with the place it came from.

    Attributes:
        record: Field to value, as published.
        file: The file.
        line: Its line from 1 on (JSON Lines), or its place in the array from 1 on.
    """

    record: Mapping[str, Any]
    file: Path
    line: int

    @property
    def where(self) -> str:
        """Name file, line and, if there is one, id, for messages."""
        name = next((self.record[key] for key in ID_FIELDS if self.record.get(key) not in (None, "")), None)
        return f"{self.file}, record {self.line}" + ("" if name is None else f" (id {name})")

    @property
    def gold_field(self) -> str | None:
        """Name the field of the right answer; None if the record holds none.

        ``answer`` is the gold only where something else is the response.
        """
        found = next((name for name in GOLD_FIELDS if name in self.record), None)
        if found is None and "answer" in self.record and self.record.keys() & {*RESPONSE_FIELDS} > {"answer"}:
            return "answer"
        return found

    @property
    def response(self) -> str | None:
        """Return what the model answered; None if it is missing or null."""
        gold = self.gold_field
        fields = (name for name in RESPONSE_FIELDS if name != gold and name in self.record)
        value = self.record.get(next(fields, ""))
        return None if value is None else str(value)

    def image_names(self) -> list[str]:
        """Return the images that the record is about, by the first field that tells; empty if none does.

        In the cells of a sheet lists are text, which is read as a list.
        """
        return next(filter(None, (_names(self.record.get(field)) for field in IMAGE_FIELDS)), [])

    def image_name(self) -> str | None:
        """Return one name for all images of the record, joined by ``|``; None if nothing tells them."""
        return "|".join(self.image_names()) or None

    def name_in(self, subset: Callable[[], str], text_fields: Sequence[str] = ()) -> str:
        """Return the id of this row's question: ``<subset>/<question_id>``, or a whole ``id`` as it is.

        A record that holds its gold answer but no id is named by its image and question text, so that it
        has the same id in every model's file; where one of them is missing, by its file and place.

        Args:
            subset: Finds the subset; not called where the id is whole.
            text_fields: Fields that may hold the text which, with the image, tells a question from all
                others of its subset; none if no field does.

        Raises:
            RecordError: If a mere response has neither ``question_id`` nor ``id``.
        """
        if not self.record.keys() & {"question_id", "id"} and self.gold_field is not None:
            return f"{subset()}/{self._content(text_fields) or f'{self.file.name}:{self.line}'}"
        if "question_id" not in self.record and "/" in (name := self.text("id")):
            return name
        return f"{subset()}/{self.text('question_id', 'id')}"

    def _content(self, text_fields: Sequence[str]) -> str | None:
        texts = (" ".join(str(self.record.get(field) or "").split()) for field in text_fields)
        image, text = self.image_name(), next(filter(None, texts), "")
        return f"{image}/{text}" if image and text else None

    def text(self, *names: str) -> str:
        """Return the first of the named fields that the record holds, as text.

        Raises:
            RecordError: If it holds none of them, or an empty one.
        """
        value = next((self.record[name] for name in names if name in self.record), None)
        if value is None or not str(value).strip():
            raise RecordError(f"{self.where}: {' or '.join(names)} is missing or empty.")
        return str(value)

    def yes_no_gold(self, default: str = "") -> str:
        """Return the right answer as "yes" or "no".

        Args:
            default: Its field where no other is known to hold it, in a file of questions only.

        Raises:
            RecordError: If the gold field is missing, or neither beyond doubt.
        """
        value = self.record.get(self.gold_field or default)
        gold = read_yes_no_label(value)
        if gold is None:
            raise RecordError(f"{self.where}: label {value!r} is neither yes nor no.")
        return gold


def _names(value: object) -> list[str]:
    """Return the names in a field: a list, a list as text, or one name."""
    if isinstance(value, str) and value.startswith("["):
        try:
            value = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            return [str(value)]
    names = value if isinstance(value, list) else [value]
    return [str(name) for name in names if name not in (None, "")]


def read_rows(path: Path, option: str) -> list[Row]:
    """Read a file of records: JSON Lines, or one JSON array.

    A byte-order mark, CRLF line ends and blank lines are fine.

    Args:
        path: The file.
        option: The config key that leads to it, for the message if it is missing.

    Raises:
        SourceNotFoundError: If there is no such file.
        RecordError: If it is no UTF-8 text or no JSON. Every broken line is listed; of a file that is of
            another format altogether, the first few.
    """
    if not path.is_file():
        raise SourceNotFoundError(f"No file {path}. Set {option} to where the published files are.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise not_utf8(path) from error
    if text.lstrip().startswith("["):
        return _rows_of_array(text, path)
    return _rows_of_lines(text, path)


def _rows_of_array(text: str, path: Path) -> list[Row]:
    try:
        records = json.loads(text)
    except json.JSONDecodeError as error:
        raise RecordError(f"{path} is no valid JSON array: {error}.") from error
    wrong = [f"{path}, record {i}: no object" for i, r in enumerate(records, 1) if not isinstance(r, dict)]
    if 2 * len(wrong) > len(records):
        raise _other_format(path, "an array of other things than objects", wrong)
    if wrong:
        raise RecordError(f"{path} holds records that are no objects:", wrong)
    return [Row(record, path, place) for place, record in enumerate(records, 1)]


def _rows_of_lines(text: str, path: Path) -> list[Row]:
    rows, wrong = [], []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            wrong.append(f"{path}, line {number}: {error}")
            continue
        if isinstance(record, dict):
            rows.append(Row(record, path, number))
        else:
            wrong.append(f"{path}, line {number}: no object")
    _refuse_other_formats(text, path, rows, wrong)
    if wrong:
        raise RecordError(f"{path} holds {len(wrong)} lines that are no JSON objects:", wrong)
    return rows


def _refuse_other_formats(text: str, path: Path, rows: Sequence[Row], wrong: Sequence[str]) -> None:
    """Refuse a file that is one JSON object around its records, or whose lines mostly are no objects."""
    if wrong and (whole := _whole_object(text)) is not None:
        around = _lists_of_objects(whole)
        advice = _TAKE_OUT.format(around[0]) if around else "Put it on one line"
        raise _other_format(path, f"one JSON object over several lines. {advice}")
    if len(rows) == 1 and not wrong and not rows[0].record.keys() & _FIELDS_OF_A_RECORD:
        around = _lists_of_objects(rows[0].record)
        if around:
            raise _other_format(path, f"one JSON object around its records. {_TAKE_OUT.format(around[0])}")
    if len(wrong) > len(rows):
        advice = ". Save a .csv sheet with tabs, as .tsv" if path.suffix.lower() == ".csv" else ""
        raise _other_format(path, f"{len(wrong)} lines that are no JSON objects{advice}", wrong)


def _whole_object(text: str) -> dict[str, Any] | None:
    try:
        whole = json.loads(text)
    except json.JSONDecodeError:
        return None
    return whole if isinstance(whole, dict) else None


def _lists_of_objects(record: Mapping[str, Any]) -> list[str]:
    """Name the fields that hold a list of objects and nothing else."""
    lists = {key: value for key, value in record.items() if isinstance(value, list) and value}
    return [key for key, items in lists.items() if all(isinstance(item, dict) for item in items)]


def _other_format(path: Path, found: str, wrong: Sequence[str] = ()) -> RecordError:
    """Make the error for a file that has none of the formats; a few of its broken lines show what it has."""
    more = [f"and {len(wrong) - _SHOWN} more"] if len(wrong) > _SHOWN else []
    return RecordError(f"{path} holds {found}. {_FORMATS}", [*wrong[:_SHOWN], *more])
