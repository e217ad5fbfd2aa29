"""What is true of a scene, and what a careless eye believes about it."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from halluc.miniworld.scenes.inventory import (
    CANONICAL_COLORS,
    CANONICAL_MOOD,
    CELLS,
    COLUMNS,
    KINDS,
    LARGEST_COUNT,
    MATES,
    PAIRS,
    POPULAR_KINDS,
    RELATIONS,
    SINGLE_KINDS,
    SKY_KINDS,
)
from halluc.miniworld.scenes.scene import Scene, Thing

CROWD = 5
"""So many kinds make a picture crowded; a careless eye then takes popular kinds for granted."""

VERTICAL = ("above", "below")

MATE_STRENGTH: dict[str, float] = {
    kind: 0.985 - 0.005 * number for number, pair in enumerate(PAIRS) for kind in pair
}
"""How often a careless eye affirms a kind that is missing while its mate is there."""

POPULAR_STRENGTH = 0.93
"""How often it affirms a missing popular kind of a crowded scene."""

OVERSIGHT: dict[str, float] = {"small": 0.2, "large": 0.1}
"""How often it overlooks a thing that has no like in the scene, by size. So being there and being
expected look alike in its answers, and no threshold tells them apart."""


class Facts:
    """Answer questions about one scene.

    Args:
        scene: The scene.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.by_kind: dict[str, list[tuple[int, Thing]]] = {}
        for cell, thing in scene.placed():
            self.by_kind.setdefault(thing.kind, []).append((cell, thing))
        self.kinds = list(self.by_kind)

    @cached_property
    def single(self) -> list[str]:
        """Kinds that occur once, so that "the" kind has one colour, size and place."""
        return [kind for kind, things in self.by_kind.items() if len(things) == 1]

    @cached_property
    def absent(self) -> list[str]:
        """Kinds that do not occur."""
        return [kind for kind in KINDS if kind not in self.by_kind]

    @cached_property
    def missing_mates(self) -> list[str]:
        """Absent kinds whose mate occurs."""
        return [MATES[kind] for kind in self.kinds if MATES[kind] not in self.by_kind]

    @cached_property
    def taken_for_granted(self) -> list[str]:
        """Absent popular kinds of a crowded scene."""
        return (
            [kind for kind in POPULAR_KINDS if kind not in self.by_kind] if len(self.kinds) >= CROWD else []
        )

    def thing(self, kind: str) -> Thing:
        """Return the first thing of a kind."""
        return self.by_kind[kind][0][1]

    def cell(self, kind: str) -> int:
        """Return the cell of the first thing of a kind."""
        return self.by_kind[kind][0][0]

    def count(self, kind: str) -> int:
        """Count the things of a kind."""
        return len(self.by_kind.get(kind, ()))


@dataclass(frozen=True, slots=True)
class Eye:
    """Look at scenes carelessly: what is usual is reported in place of what is there.

    Attributes:
        rng: Decides when the eye is careless.
        habit: Probability of reporting the canonical colour, place, mood or number instead of the
            true one; 0 makes an honest eye.
        expectation: Factor on the probabilities of seeing missing mates and popular kinds, and of
            overlooking what is there; 0 is honest.
    """

    rng: random.Random
    habit: float = 0.0
    expectation: float = 0.0

    def exists(self, facts: Facts, kind: str) -> bool:
        """Tell whether a kind seems to be there."""
        if kind in facts.by_kind:
            overlooked = OVERSIGHT[facts.thing(kind).size] if kind in facts.single else 0.0
            return not self._falls_for(overlooked * self.expectation)
        strength = MATE_STRENGTH[kind] if kind in facts.missing_mates else 0.0
        if kind in facts.taken_for_granted:
            strength = max(strength, POPULAR_STRENGTH)
        return self._falls_for(strength * self.expectation)

    def color(self, facts: Facts, kind: str) -> str:
        """Tell the colour of a single thing."""
        color = facts.thing(kind).color
        return self._habitual(color, CANONICAL_COLORS.get(kind, color))

    def mood(self, facts: Facts, kind: str) -> str:
        """Tell the mood of a single face."""
        thing = facts.thing(kind)
        return self._habitual(thing.mood, CANONICAL_MOOD.get(thing.color, thing.mood))

    def size(self, facts: Facts, kind: str) -> str:
        """Tell the size of a single thing; nothing is usual here."""
        return facts.thing(kind).size

    def place(self, facts: Facts, kind: str) -> str:
        """Tell the cell's name of a single thing; what belongs into the sky is seen there."""
        cell = facts.cell(kind)
        usual = cell % len(COLUMNS) if kind in SKY_KINDS else cell
        return self._habitual(CELLS[cell], CELLS[usual])

    def count(self, facts: Facts, kind: str) -> str:
        """Tell a number of things, at most 5."""
        number = str(min(facts.count(kind), LARGEST_COUNT))
        return self._habitual(number, "1" if kind in SINGLE_KINDS and number != "0" else number)

    def relation(self, facts: Facts, kind: str, other: str, name: str) -> bool | None:
        """Tell whether a single thing is to the left of, to the right of, above or below another.

        Returns:
            None where both are level, so that it can't be said.
        """
        places = [divmod(facts.cell(each), len(COLUMNS)) for each in (kind, other)]
        if name in VERTICAL and self._falls_for(self.habit):
            places = [
                (0 if k in SKY_KINDS else row, col)
                for k, (row, col) in zip((kind, other), places, strict=True)
            ]
        down, right = (a - b for a, b in zip(*places, strict=True))
        distance = down * RELATIONS[name][0] + right * RELATIONS[name][1]
        return None if distance == 0 else distance > 0

    def _habitual(self, true: str, usual: str) -> str:
        return usual if self._falls_for(self.habit) else true

    def _falls_for(self, probability: float) -> bool:
        return probability > 0 and self.rng.random() < probability


Property = Callable[[Eye, Facts, str], str]
