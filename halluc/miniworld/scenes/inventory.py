"""What there is in MiniWorld, and what usually goes with what: the priors that a model can fall for."""

COLORS: dict[str, tuple[int, int, int]] = {
    "red": (215, 40, 40),
    "green": (40, 165, 60),
    "blue": (45, 75, 220),
    "yellow": (240, 215, 40),
    "purple": (145, 55, 185),
    "orange": (245, 135, 25),
    "black": (25, 25, 25),
    "white": (250, 250, 250),
}
"""Colour names and their RGB values, 0 to 255."""

COLOR_NAMES: tuple[str, ...] = tuple(COLORS)
UNSEEN_COLORS: tuple[str, ...] = ("brown", "pink", "gray")
"""Colours that are asked about and that nothing has."""

SIZES: tuple[str, ...] = ("small", "large")
MOODS: tuple[str, ...] = ("happy", "sad")
ROWS: tuple[str, ...] = ("top", "middle", "bottom")
COLUMNS: tuple[str, ...] = ("left", "center", "right")
CELLS: tuple[str, ...] = tuple(f"{row} {column}" for row in ROWS for column in COLUMNS)
"""Names of the 3 x 3 cells in reading order."""

PAIRS: tuple[tuple[str, str], ...] = (
    ("fork", "spoon"),
    ("apple", "banana"),
    ("star", "moon"),
    ("house", "tree"),
    ("boat", "anchor"),
    ("cup", "bowl"),
    ("sun", "cloud"),
    ("face", "hat"),
    ("key", "lock"),
    ("heart", "arrow"),
)
"""Kinds that go together; the first pairs are the most inseparable to a careless eye."""

KINDS: tuple[str, ...] = tuple(kind for pair in PAIRS for kind in pair)
MATES: dict[str, str] = {**dict(PAIRS), **{b: a for a, b in PAIRS}}

POPULARITY: dict[str, float] = {
    **dict.fromkeys(KINDS, 1.0),
    **{"tree": 4.0, "cup": 3.5, "sun": 3.0, "apple": 2.5},
    **{"lock": 0.5, "anchor": 0.5, "arrow": 0.5, "heart": 0.5},
}
"""Relative frequency of each kind when drawn; uneven, so that popular negatives mean something."""

POPULAR_KINDS: tuple[str, ...] = ("tree", "cup", "sun", "apple")
RARE_KINDS: tuple[str, ...] = ("lock", "anchor", "arrow", "heart")
"""Drawn at the hard level only; the rest makes up the normal level."""

CANONICAL_COLORS: dict[str, str] = {
    "apple": "red",
    "banana": "yellow",
    "tree": "green",
    "cloud": "white",
    "sun": "orange",
    "spoon": "black",
    "boat": "blue",
    "face": "yellow",
}
SKY_KINDS: tuple[str, ...] = ("sun", "cloud", "star", "moon")
"""Kinds whose canonical place is the top row."""

SINGLE_KINDS: tuple[str, ...] = ("sun", "moon", "house")
"""Kinds of which there is canonically one."""

RELATIONS: dict[str, tuple[int, int]] = {
    "to the left of": (0, -1),
    "to the right of": (0, 1),
    "above": (-1, 0),
    "below": (1, 0),
}
"""Relation to its direction in (rows, columns)."""

FACE = "face"
CANONICAL_MOOD: dict[str, str] = {"yellow": "happy"}
"""The mood that a face of this colour canonically has."""

LARGEST_COUNT = 5
NUMBER_WORDS: tuple[str, ...] = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
)


def plural(kind: str) -> str:
    """Return the plural of a kind; all kinds are regular."""
    return f"{kind}s"


def with_article(noun: str) -> str:
    """Put "a" or "an" before a noun, by its first letter as POPE does."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
