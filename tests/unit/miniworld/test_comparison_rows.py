import random
from collections import Counter
from itertools import product

from halluc.miniworld.files.comparison_rows import group_row, pair_rows
from halluc.miniworld.scenes.facts import Facts
from halluc.miniworld.scenes.inventory import KINDS
from halluc.miniworld.scenes.scene import SceneStyle, draw_scene, draw_sibling

STYLE = SceneStyle(smallest=3, largest=5, canonical=0.3)
SINGULAR = {f"{kind}s": kind for kind in KINDS} | {kind: kind for kind in KINDS}


def drawn(count=200):
    rng = random.Random(0)
    for number in range(count):
        first = draw_scene(rng, STYLE, "evaluation")
        scenes = [first, *(draw_sibling(rng, first, STYLE, "evaluation") for _ in range(2))]
        yield rng, str(number), [Facts(scene) for scene in scenes]


def colors(question, facts):
    (kind,) = {SINGULAR[word] for word in question.replace("?", " ").split() if word in SINGULAR}
    return [picture.thing(kind).color for picture in facts]


def test_statement_and_negation_never_agree_and_counts_are_true():
    counted = Counter()
    for rng, name, facts in drawn():
        rows = list(pair_rows(name, ["1.png", "2.png"], facts[:2], rng))
        if not rows:
            continue
        statement, negation, count = rows
        different = len(set(colors(count["question"], facts[:2])))
        assert [row["q_id"] for row in rows] == [f"{name}_p", f"{name}_n", name]
        assert statement["gt_answer"] == ("T" if different == 1 else "F")
        assert negation["gt_answer"] == ("F" if different == 1 else "T")
        assert count["gt_answer"] == str(different)
        counted[different] += 1
    assert min(counted.values()) > 30


def test_the_right_group_is_that_of_one_colour():
    letters = Counter()
    for (rng, name, facts), wanted in product(drawn(), "ABCD"):
        row = group_row(name, ["1.png", "2.png", "3.png"], facts, wanted, rng)
        if row is None:
            continue
        shown = colors(row["question"].partition("?")[0], facts)
        letter, _, group = row["gt_answer"].partition(") ")
        places = [int(place) - 1 for place in group.split(" and ")]
        assert len({shown[place] for place in places}) == 1
        assert all(shown[place] != shown[places[0]] for place in {0, 1, 2} - set(places))
        assert letter == wanted
        letters[letter] += 1
    assert set(letters) == set("ABCD")
