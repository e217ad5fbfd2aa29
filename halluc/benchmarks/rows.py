"""Rows of published question files and of response files, and the fields that they use."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halluc.errors import RecordError, SourceNotFoundError
from halluc.parsing.labels import read_yes_no_label

GOLD_FIELDS = ("label", "gold", "gt_answer", "truth")
RESPONSE_FIELDS = ("response", "model_answer", "answer", "prediction")
ID_FIELDS = ("id", "question_id", "q_id", "index", "sequence_id", "image_id")
TEXT_FIELDS = ("text", "question", "query")


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

    def name_in(self, subset: Callable[[], str]) -> str:
        """Return the id of this row's question: ``<subset>/<question_id>``, or a whole ``id`` as it is.

        A record that holds its gold answer but no id is named by its file and place.

        Args:
            subset: Finds the subset; not called where the id is whole.

        Raises:
            RecordError: If a mere response has neither ``question_id`` nor ``id``.
        """
        if not self.record.keys() & {"question_id", "id"} and self.gold_field is not None:
            return f"{subset()}/{self.file.name}:{self.line}"
        if "question_id" not in self.record and "/" in (name := self.text("id")):
            return name
        return f"{subset()}/{self.text('question_id', 'id')}"

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


def read_rows(path: Path, option: str) -> list[Row]:
    """Read a file of records: JSON Lines, or one JSON array.

    A byte-order mark, CRLF line ends and blank lines are fine.

    Args:
        path: The file.
        option: The config key that leads to it, for the message if it is missing.

    Raises:
        SourceNotFoundError: If there is no such file.
        RecordError: If it is no JSON; every broken line is listed.
    """
    if not path.is_file():
        raise SourceNotFoundError(f"No file {path}. Set {option} to where the published files are.")
    text = path.read_text(encoding="utf-8-sig")
    if text.lstrip().startswith("["):
        return _rows_of_array(text, path)
    return _rows_of_lines(text, path)


def _rows_of_array(text: str, path: Path) -> list[Row]:
    try:
        records = json.loads(text)
    except json.JSONDecodeError as error:
        raise RecordError(f"{path} is no valid JSON array: {error}.") from error
    wrong = [f"{path}, record {i}: no object" for i, r in enumerate(records, 1) if not isinstance(r, dict)]
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
    if wrong:
        raise RecordError(f"{path} holds {len(wrong)} lines that are no JSON objects:", wrong)
    return rows
