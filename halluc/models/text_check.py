"""Check all training texts before the first step, not when their turn comes."""

from collections.abc import Iterator, Sequence

from transformers import ProcessorMixin

from halluc.data.records import Preference, Sample
from halluc.errors import RecordError
from halluc.models.controls import refuse_controls


def check_texts(processor: ProcessorMixin, records: Sequence[Sample | Preference]) -> None:
    """Refuse records whose texts hold one of the tokenizer's control strings.

    Raises:
        RecordError: With all such records, each by its id.
    """
    problems = []
    for record in records:
        for answer in _answers(record):
            try:
                refuse_controls(processor, record.question, answer)
            except RecordError as error:
                problems.append(str(error))
                break
    if problems:
        raise RecordError(f"{len(problems)} of {len(records)} training records can't be tokenised:", problems)


def _answers(record: Sample | Preference) -> Iterator[str]:
    if isinstance(record, Sample):
        yield record.answer
    else:
        yield record.chosen
        yield record.rejected
