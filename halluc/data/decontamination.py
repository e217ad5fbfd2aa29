"""Leave out of training every picture that an evaluation asks about, whatever its name there."""

import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from halluc.data.coco_names import coco_id, is_surely_coco
from halluc.data.images import image_key, image_size, is_data_uri, read_source, source_name
from halluc.data.records import Preference, Sample

logger = logging.getLogger(__name__)

R = TypeVar("R", Sample, Preference)

_Probe = tuple[tuple[int, int], bytes | None]
_TAIL = 64  # bytes; the entropy-coded end of a JPEG survives renaming and the loss of metadata


@dataclass(frozen=True, slots=True)
class DecontaminationReport:
    """Say what was left out, and why.

    Attributes:
        kept: Number of records that stay.
        left_out: Number of records that go.
        pictures: Training picture to the reason: ``same_file``, ``coco_id`` or ``content``.
        ids: Ids of the questions that go.
    """

    kept: int
    left_out: int
    pictures: Mapping[str, str] = field(default_factory=dict)
    ids: tuple[str, ...] = ()

    def counts(self) -> dict[str, int]:
        """Return reason to number of pictures."""
        reasons = list(self.pictures.values())
        return {reason: reasons.count(reason) for reason in dict.fromkeys(reasons)}

    def summary(self) -> str:
        """Return one line for people."""
        if not self.pictures:
            return f"no training picture occurs in the evaluation; {self.kept} records stay"
        reasons = ", ".join(f"{reason} {count}" for reason, count in self.counts().items())
        names = ", ".join(source_name(name) for name in list(self.pictures)[:5])
        return (
            f"{len(self.pictures)} training pictures occur in the evaluation ({reasons}; as {names}); "
            f"{self.left_out} records are left out, {self.kept} stay"
        )


def decontaminate(
    records: Sequence[R], evaluation_images: Iterable[str], workers: int | None = None
) -> tuple[list[R], DecontaminationReport]:
    """Leave out the records of which a picture, a rejected one included, occurs in the evaluation.

    A picture occurs there if it is the same file, if both names hold the same COCO id (at least one of
    them must be surely COCO's: ``COCO_val2014_…`` or twelve digits), or if the decoded pixels are equal.
    Headers are read first; only pictures that may be equal by size (two JPEGs: also by their last bytes)
    are decoded, each once. So a JPEG is found under another name, without its metadata, or saved
    losslessly in another format; compressed or scaled anew it is found by its COCO id alone.

    Args:
        records: Samples or preferences.
        evaluation_images: Sources of all pictures that any benchmark asks about.
        workers: Threads for reading and decoding; None takes one a core.

    Returns:
        The records that stay, in order, and what was left out; the summary is logged, as a warning if
        something was.

    Raises:
        ImageError: If a picture can't be read; names it.
    """
    training = list(dict.fromkeys(image for record in records for image in _images_of(record)))
    found = find_shared(training, evaluation_images, workers)
    gone = [record for record in records if any(image in found for image in _images_of(record))]
    names = {id(record) for record in gone}
    kept = [record for record in records if id(record) not in names]
    report = DecontaminationReport(len(kept), len(gone), found, tuple(record.question.id for record in gone))
    (logger.warning if gone else logger.info)("%s", report.summary())
    return kept, report


def find_shared(
    training: Sequence[str], evaluation: Iterable[str], workers: int | None = None
) -> dict[str, str]:
    """Return the training pictures that occur in the evaluation, with the reason; see ``decontaminate``."""
    asked = list(dict.fromkeys(evaluation))
    found = _by_name(training, asked)
    rest = [image for image in training if image not in found]
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        keys = _by_content(rest, asked, pool)
    return {image: found.get(image) or keys[image] for image in training if image in found or image in keys}


def _by_name(training: Sequence[str], evaluation: Sequence[str]) -> dict[str, str]:
    files = {_real(image) for image in evaluation}
    sure = {coco_id(image) for image in evaluation if is_surely_coco(image)}
    any_coco = {coco_id(image) for image in evaluation}
    found: dict[str, str] = {}
    for image in training:
        number = coco_id(image)
        if _real(image) in files:
            found[image] = "same_file"
        elif number is not None and number in (any_coco if is_surely_coco(image) else sure):
            found[image] = "coco_id"
    return found


def _by_content(
    training: Sequence[str], evaluation: Sequence[str], pool: ThreadPoolExecutor
) -> dict[str, str]:
    if not training or not evaluation:
        return {}
    asked = dict(zip(evaluation, pool.map(_probe, evaluation), strict=True))
    probes = dict(zip(training, pool.map(_probe, training), strict=True))
    candidates = _alike(probes, asked.values())
    keys = set(pool.map(image_key, _alike(asked, probes.values())))
    matches = zip(candidates, pool.map(image_key, candidates), strict=True)
    return {image: "content" for image, key in matches if key in keys}


def _probe(image: str) -> _Probe:
    """Read what is cheap to know of a picture: its size and, of a JPEG, the end of its data."""
    size = image_size(image)
    if is_data_uri(image):
        content = read_source(image)
        head, tail = content[:3], content[-_TAIL:]
    else:
        with open(image, "rb") as file:
            head = file.read(3)
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - _TAIL))
            tail = file.read()
    return size, tail if head == b"\xff\xd8\xff" else None


def _alike(probes: Mapping[str, _Probe], others: Iterable[_Probe]) -> list[str]:
    """Return the pictures that may equal one of the others: two JPEGs by their ends, else by size."""
    ends: dict[tuple[int, int], set[bytes | None]] = {}
    for size, tail in others:
        ends.setdefault(size, set()).add(tail)
    return [
        image
        for image, (size, tail) in probes.items()
        if size in ends and (tail is None or None in ends[size] or tail in ends[size])
    ]


def _real(image: str) -> str:
    return image if is_data_uri(image) else os.path.realpath(image)


def _images_of(record: Sample | Preference) -> tuple[str, ...]:
    rejected = record.rejected_images if isinstance(record, Preference) else None
    return record.question.images + (rejected or ())
