import random
import re
from collections import Counter

from halluc.benchmarks.vstar import split_options
from halluc.miniworld.files.detail_rows import detail_row
from halluc.miniworld.scenes.facts import Facts
from halluc.miniworld.scenes.inventory import KINDS
from halluc.miniworld.scenes.scene import SceneStyle, draw_scene

STYLE = SceneStyle(smallest=3, largest=5)


def drawn(category, count=100):
    rng = random.Random(0)
    rows = []
    while len(rows) < count:
        facts = Facts(draw_scene(rng, STYLE, "evaluation"))
        row = detail_row(category, facts, rng)
        if row is not None:
            question, options = split_options(row["text"])
            rows.append((facts, question, options, row["label"]))
    return rows


def test_colours_are_true_and_letters_vary():
    letters = Counter()
    for facts, question, options, label in drawn("direct_attributes"):
        kind = re.fullmatch(r"What color is the (\w+)\?", question)[1]
        assert facts.thing(kind).color == options["ABCD".index(label)]
        assert len(set(options)) == 4
        letters[label] += 1
    assert min(letters.values()) > 10


def test_sides_are_true():
    words = Counter()
    for facts, _, options, label in drawn("relative_position"):
        right, wrong = options if label == "A" else reversed(options)
        kind, other = (word for word in re.findall(r"\w+", right) if word in KINDS)
        (row, column), (row2, column2) = divmod(facts.cell(kind), 3), divmod(facts.cell(other), 3)
        truth = {
            "left": column < column2,
            "right": column > column2,
            "above": row < row2,
            "below": row > row2,
        }
        (word,), (other_word,) = ([w for w in truth if f" {w} " in text] for text in (right, wrong))
        assert truth[word]
        assert not truth[other_word]
        words[word] += 1
    assert min(words.values()) > 5
