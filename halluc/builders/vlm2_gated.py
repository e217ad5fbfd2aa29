"""Gated sequences from items of VLM2-Bench and somebody's annotations of the key attributes.

An item's own question becomes the coarse question; the fine questions come from the annotations, which
VLM2-Bench does not have.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from halluc.errors import RecordError

_TYPES = {"cnt": "count", "grp": "choice", "cpr": "true_false", "mat": "true_false", "trk": "true_false"}
_KEPT = ("attributes", "fine")

Located = tuple[str, Mapping[str, Any]]
"""Where a row stands, for messages, and the row."""


def sequences_of_vlm2(items: Iterable[Located], annotations: Iterable[Located]) -> list[dict[str, Any]]:
    """Join items with annotations into rows that ``build_gated`` understands.

    Args:
        items: Published records with ``q_id``, ``question``, ``gt_answer``, ``images`` and ``subtask`` (or
            VLMEvalKit's ``category``), as ``oc_cnt``; their ids are ``<subtask>/<q_id>``.
        annotations: ``{id, attributes: [{image, subject, attribute, value, wrong?}], fine?}``; ``image`` is
            the place of a picture in the item, from 0.

    Returns:
        ``{sequence_id, task, images, coarse, attributes, fine?}`` for each annotated item, in the order of
        the items; items without annotation are left out.

    Raises:
        RecordError: If an annotation repeats an id or fits no item, or an annotated item lacks what is
            needed; all problems are listed.
    """
    problems: list[str] = []
    given: dict[str, Located] = {}
    for where, annotation in annotations:
        name = str(annotation.get("id"))
        if name in given:
            problems.append(f"{where} (id {name}): annotates an item that {given[name][0]} annotates too")
        given[name] = (where, annotation)
    rows = []
    for where, item in items:
        name = _item_id(item)
        _, annotation = given.pop(name, ("", {}))
        if annotation:
            faults = _faults(item)
            problems += [f"{where} (id {name}): {fault}" for fault in faults]
            if not faults:
                rows.append(_row(name, item, annotation))
    problems += [f"{where} (id {name}): no item of this id" for name, (where, _) in given.items()]
    if problems:
        raise RecordError(f"{len(problems)} problems in items and annotations:", problems)
    return rows


def _item_id(item: Mapping[str, Any]) -> str:
    return f"{_subtask(item)}/{item.get('q_id', item.get('index'))}"


def _subtask(item: Mapping[str, Any]) -> str:
    return str(item.get("subtask", item.get("category", ""))).replace("-", "_")


def _faults(item: Mapping[str, Any]) -> list[str]:
    faults = [f"{field} is missing" for field in ("question", "gt_answer", "images") if not item.get(field)]
    if _subtask(item).rpartition("_")[2] not in _TYPES:
        faults.append(f"subtask {_subtask(item)!r} has no known kind of answer")
    return faults


def _row(name: str, item: Mapping[str, Any], annotation: Mapping[str, Any]) -> dict[str, Any]:
    kind = _TYPES[_subtask(item).rpartition("_")[2]]
    gold = item["gt_answer"]
    coarse = {"type": kind, "question": item["question"], "gold": gold if kind == "count" else str(gold)}
    kept = {field: annotation[field] for field in _KEPT if field in annotation}
    return {
        "sequence_id": name,
        "task": _subtask(item),
        "images": list(item["images"]),
        "coarse": coarse,
        **kept,
    }
