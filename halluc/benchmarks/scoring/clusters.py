"""Which questions share images, and so may be torn apart neither in sampling nor in resampling."""

from collections.abc import Iterable

from halluc.data.records import Question


def image_clusters(questions: Iterable[Question]) -> list[int]:
    """Number the sets of questions that are linked by a shared image or group (union-find).

    Args:
        questions: In any order.

    Returns:
        Number of each question's cluster, from 0 in order of appearance.
    """
    parent: dict[str, str] = {}

    def root(node: str) -> str:
        while parent.setdefault(node, node) != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    firsts = []
    for question in questions:
        first, *others = _links(question)
        firsts.append(first)
        for other in others:
            parent[root(other)] = root(first)
    numbers: dict[str, int] = {}
    return [numbers.setdefault(root(first), len(numbers)) for first in firsts]


def _links(question: Question) -> list[str]:
    links = [f"image:{image}" for image in question.images]
    if question.group or not links:
        links.append(f"group:{question.group or question.id}")
    return links
