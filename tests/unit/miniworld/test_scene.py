import random

import pytest

from halluc.errors import ConfigError
from halluc.miniworld.scenes.inventory import CANONICAL_COLORS, COLOR_NAMES, KINDS, MATES
from halluc.miniworld.scenes.scene import (
    CELL_COUNT,
    Scene,
    SceneStyle,
    Thing,
    draw_scene,
    draw_sibling,
    has_held_out,
    is_held_out,
)


def scenes(style=None, split="train", count=200, seed=0):
    rng = random.Random(seed)
    return [draw_scene(rng, style or SceneStyle(), split) for _ in range(count)]


def test_a_tenth_of_the_combinations_is_held_out_for_every_kind_and_colour():
    triples = [(k, c, cell) for k in KINDS for c in COLOR_NAMES for cell in range(CELL_COUNT)]
    held_out = [triple for triple in triples if is_held_out(*triple)]
    assert 0.09 < len(held_out) / len(triples) < 0.11
    assert {kind for kind, _, _ in held_out} == set(KINDS)
    assert {color for _, color, _ in held_out} == set(COLOR_NAMES)
    assert {cell for _, _, cell in held_out} == set(range(CELL_COUNT))


def test_training_never_shows_a_held_out_combination_and_evaluation_always_does():
    assert not any(map(has_held_out, scenes(split="train")))
    assert all(map(has_held_out, scenes(split="evaluation")))


def test_siblings_keep_to_the_split():
    rng = random.Random(0)
    for split, expected in (("train", False), ("evaluation", True)):
        for scene in scenes(split=split, count=50):
            assert has_held_out(draw_sibling(rng, scene, SceneStyle(), split)) is expected


def test_a_sibling_shares_kinds_and_differs():
    rng = random.Random(0)
    pairs = [(s, draw_sibling(rng, s, SceneStyle(), "train")) for s in scenes(count=50)]
    kinds = [({t.kind for _, t in a.placed()}, {t.kind for _, t in b.placed()}) for a, b in pairs]
    assert sum(bool(a & b) for a, b in kinds) > 45
    assert all(a != b for a, b in pairs)


def test_the_seed_alone_decides():
    assert scenes(seed=3) == scenes(seed=3)
    assert scenes(seed=3) != scenes(seed=4)


def test_probabilities_of_one_are_certain():
    style = SceneStyle(mate=1.0, canonical=1.0, clutter=1.0, duplicate=0.0, largest=4)
    for scene in scenes(style, count=100):
        kinds = {thing.kind for _, thing in scene.placed()}
        assert all(MATES[kind] in kinds for kind in kinds)
        assert all(t.color == CANONICAL_COLORS.get(t.kind, t.color) for _, t in scene.placed())
        assert all(t.mood == "happy" for _, t in scene.placed() if t.kind == "face")
        assert scene.clutter
        assert all(scene.things[cell] is None for cell in scene.clutter)


def test_probabilities_of_zero_never_happen():
    style = SceneStyle(mate=0.0, duplicate=0.0, clutter=0.0, smallest=3, largest=3)
    for scene in scenes(style, count=100):
        kinds = [thing.kind for _, thing in scene.placed()]
        assert len(kinds) == len(set(kinds)) == 3
        assert scene.clutter == ()


def test_popularity_makes_kinds_uneven_unless_flat():
    def share(flat):
        style = SceneStyle(flat=flat, mate=0.0)
        found = [thing.kind for scene in scenes(style, count=400) for _, thing in scene.placed()]
        return found.count("tree") / len(found)

    assert share(flat=False) > 1.7 * share(flat=True)


def test_only_the_styles_kinds_occur():
    style = SceneStyle(kinds=("apple", "banana", "key"), smallest=2, largest=3)
    assert {t.kind for s in scenes(style, count=60) for _, t in s.placed()} == {"apple", "banana", "key"}


def test_an_impossible_style_is_refused():
    only_free = next(c for c in COLOR_NAMES if not any(is_held_out("apple", c, cell) for cell in (0,)))
    assert not has_held_out(Scene((Thing("apple", only_free, "small"), *[None] * 8)))
    with pytest.raises(ConfigError, match="no evaluation scene"):
        draw_scene(random.Random(0), SceneStyle(kinds=(), smallest=0, largest=0, duplicate=0.0), "evaluation")
