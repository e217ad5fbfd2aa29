"""CHAIR: how much of what a description mentions is not there."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChairCounts:
    """Count over descriptions.

    Attributes:
        descriptions: Number of descriptions.
        with_hallucination: Of them, those that mention an object that is not there.
        mentions: Mentions of known objects, repeated ones each time.
        hallucinated: Of them, those of objects that are not there.
        present: Objects that are there, each once a description.
        covered: Of them, those that are mentioned.
    """

    descriptions: int
    with_hallucination: int
    mentions: int
    hallucinated: int
    present: int
    covered: int


def count_chair(mentions: Sequence[str], present: Collection[str]) -> ChairCounts:
    """Count one description.

    Args:
        mentions: Objects mentioned, as often as they are mentioned.
        present: Objects that are there.
    """
    hallucinated = sum(name not in present for name in mentions)
    return ChairCounts(
        descriptions=1,
        with_hallucination=int(hallucinated > 0),
        mentions=len(mentions),
        hallucinated=hallucinated,
        present=len(set(present)),
        covered=len(set(present) & set(mentions)),
    )


def chair_scores(counts: ChairCounts) -> dict[str, float | None]:
    """Compute CHAIR's two rates, and how much is described at all.

    Silence hallucinates nothing, so a rate without ``cover`` and ``mentions_each`` says little.

    Args:
        counts: Sums over descriptions.

    Returns:
        ``chair_i``: share of mentions that are hallucinated, 0.0 without mentions; ``chair_s``: share of
        descriptions with a hallucination; ``cover``: share of present objects that are mentioned, None
        if none is present; all fractions in [0, 1], lower is better for the first two.
        ``mentions_each``: mean mentions a description; ``n``. None without descriptions.

    Reference:
        Rohrbach et al., Object Hallucination in Image Captioning, arXiv 1809.02156, section 3.1; cover
        as in AMBER, arXiv 2311.07397.

    Example:
        >>> scores = chair_scores(count_chair(["cup", "dog", "cup"], ["cup", "door"]))
        >>> scores["chair_s"], round(scores["chair_i"], 3), scores["cover"]
        (1.0, 0.333, 0.5)
    """
    n = counts.descriptions
    if not n:
        return {**dict.fromkeys(("chair_i", "chair_s", "cover", "mentions_each")), "n": 0.0}
    return {
        "chair_i": counts.hallucinated / counts.mentions if counts.mentions else 0.0,
        "chair_s": counts.with_hallucination / n,
        "cover": counts.covered / counts.present if counts.present else None,
        "mentions_each": counts.mentions / n,
        "n": float(n),
    }
