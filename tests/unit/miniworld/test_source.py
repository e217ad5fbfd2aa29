import json
import random
import re
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from PIL import Image

from halluc.benchmarks.chair import Chair
from halluc.benchmarks.longhalqa import BINARY_TASKS, TASKS, LongHalQA
from halluc.benchmarks.own import OwnBenchmark
from halluc.benchmarks.phd import Phd
from halluc.benchmarks.pope import Pope
from halluc.benchmarks.vlm2 import Vlm2
from halluc.benchmarks.vstar import VStar
from halluc.builders.phd import phd_records
from halluc.data.readers.jsonl import JsonlSource
from halluc.errors import ConfigError, UnknownOptionError
from halluc.miniworld import source as source_module
from halluc.miniworld.files.evaluation_files import BENCHMARKS, write_evaluation
from halluc.miniworld.files.phd_rows import unusual_row
from halluc.miniworld.files.training_set import build_training_set
from halluc.miniworld.lessons.curriculum import pair_rows, single_rows
from halluc.miniworld.levels import LEVELS, find_level
from halluc.miniworld.measurement import SUBTASKS, miniworld_benchmarks
from halluc.miniworld.pretraining.tokenizer import TextEncoder, build_tokenizer
from halluc.miniworld.scenes.annotations import annotate
from halluc.miniworld.scenes.facts import Facts
from halluc.miniworld.scenes.gallery import Gallery, draw_where
from halluc.miniworld.scenes.inventory import MATES, RARE_KINDS
from halluc.miniworld.scenes.scene import has_held_out
from halluc.miniworld.source import LAYOUT, MiniWorld

SIZES = {
    "pope_images": 12,
    "phd_images": 6,
    "unusual_images": 2,
    "sequences": 5,
    "comparisons": 4,
    "text_images": 3,
    "detail_images": 3,
    "choice_images": 4,
    "training_images": 12,
    "training_sequences": 5,
}
SMALL = replace(LEVELS["normal"], **SIZES)


@pytest.fixture(scope="module", autouse=True)
def small_levels():
    """Data sets of a few pictures with few sprites; the rules are those of the real ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("halluc.miniworld.scenes.gallery.SPRITE_VARIANTS", 1)
        patch.setattr(source_module, "find_level", lambda name: replace(find_level(name), **SIZES))
        yield


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    root = tmp_path_factory.mktemp("miniworld")
    MiniWorld(root).prepare()
    return root


@pytest.fixture(scope="module")
def scenes(tmp_path_factory):
    return write_evaluation(SMALL, tmp_path_factory.mktemp("again"), 0)


def test_what_is_written_belongs_to_the_number_of_the_layout(world):
    digest = sha256()
    for path in sorted(world.rglob("*.json*")):
        digest.update(f"{path.relative_to(world)}\n{path.read_text()}".replace(str(world), "").encode())
    # Once this differs, raise LAYOUT: folders that were written before have other questions.
    assert (LAYOUT, digest.hexdigest()[:16]) == (3, "9e50fc554a56d3a2")


def test_the_benchmarks_read_what_is_written(world):
    pope = Pope(world / "pope").questions()
    assert Counter((q.tags["subset"], q.gold) for q in pope) == {
        (subset, gold): 36 for subset in ("random", "popular", "adversarial") for gold in ("yes", "no")
    }
    phd = Phd(world / "phd").questions()
    tasks = {(q.tags["mode"], q.tags["task"]) for q in phd}
    assert tasks == {
        (mode, task)
        for mode in ("base", "sec", "icc", "ccs")
        for task in ("object", "attribute", "sentiment", "positional", "counting")
    }
    assert Counter(q.gold for q in phd)["yes"] * 2 == len(phd)
    gated = Vlm2(world / "vlm2").questions()
    assert sum(q.tags["part"] == "coarse" for q in gated) == 5
    assert Counter(q.tags["task"] for q in LongHalQA(world / "longhalqa").questions()) == {
        task: 6 if task in BINARY_TASKS else 3 for task in TASKS
    }
    details = VStar(world / "vstar").questions()
    assert Counter(q.tags["subset"] for q in details) == {"direct_attributes": 3, "relative_position": 3}
    compared = Vlm2(world / "vlm2", gated_file=None, subtasks=SUBTASKS).questions()
    assert Counter(q.tags["subset"] for q in compared) == {"oc_cpr": 8, "oc_cnt": 4, "oc_grp": 4}
    assert {q.gold for q in compared if q.tags["subset"] == "oc_grp"} == set("ABCD")
    assert len(Chair(world / "chair").questions()) == 3
    choice = OwnBenchmark(world / "own").questions()
    assert set(q.gold for q in choice) == set("ABCD")


def test_gold_answers_of_pope_are_true(world, scenes):
    names = sorted(path.name for path in (world / "pope/images").iterdir())
    facts = {name: Facts(scene) for name, scene in zip(names, scenes["pope"], strict=True)}
    for subset in ("random", "popular", "adversarial"):
        for line in (world / f"pope/coco_pope_{subset}.json").read_text().splitlines():
            row = json.loads(line)
            kind = re.fullmatch(r"Is there an? (\w+) in the image\?", row["text"])[1]
            assert (row["label"] == "yes") is (kind in facts[row["image"]].by_kind)


def stems(words):
    return [word.removesuffix("s") for word in words]


def test_unusual_pictures_contradict_what_is_usual(world, scenes):
    rows = [row for row in json.loads((world / "phd/data.json").read_text()) if "ccs_description" in row]
    shown = [Facts(scene) for scene in scenes["phd"][SIZES["phd_images"] :]]
    assert len(rows) == len(shown) == 10
    for row, facts in zip(rows, shown, strict=True):
        words = {key: re.findall(r"\w+", row[key]) for key in ("yes_question", "no_question")}
        kinds = {
            key: next(w for w in found if w.removesuffix("s") in MATES).removesuffix("s")
            for key, found in words.items()
        }
        kind = kinds["yes_question"]
        assert facts.count(kind) > 0
        if row["task"] == "object":
            assert facts.count(kinds["no_question"]) == 0
            assert MATES[kind] == kinds["no_question"]
        elif row["task"] == "attribute":
            assert facts.thing(kind).color in words["yes_question"]
        elif row["task"] == "sentiment":
            assert (facts.thing(kind).color, facts.thing(kind).mood) == ("yellow", "sad")
        elif row["task"] == "counting":
            assert facts.count(kind) > 1
            assert "one" in words["no_question"]
        else:
            assert "below" in words["yes_question"]


def test_no_evaluation_scene_and_no_held_out_combination_occurs_in_training(scenes):
    training = set(build_training_set(SMALL, source_module.Path("images"), 0).scenes.values())
    rng = random.Random(0)
    for draw in (single_rows, pair_rows):
        training |= {scene for row in draw(rng, 100, 0.5)[0] for scene in row}
    evaluation = {scene for found in scenes.values() for scene in found}
    assert all(map(has_held_out, evaluation))
    assert not any(map(has_held_out, training))
    assert not training & evaluation


def test_the_same_seed_writes_the_same_bytes(world, tmp_path):
    MiniWorld(tmp_path / "again").prepare()
    MiniWorld(tmp_path / "other", seed=1).prepare()
    names = [path.relative_to(world) for path in world.rglob("*") if path.is_file()]
    assert len(names) > 60
    assert all((tmp_path / "again" / name).read_bytes() == (world / name).read_bytes() for name in names)
    for name in ("pope/coco_pope_random.json", "pope/images/miniworld_000000.png", "train/rows.jsonl"):
        assert (tmp_path / "other" / name).read_bytes() != (world / name).read_bytes()


def test_training_rows_can_be_read_back(world):
    samples = MiniWorld(world).samples()
    read = JsonlSource(world / "train/rows.jsonl").samples()
    assert [(s.question.id, s.question.prompt, s.answer, s.question.images) for s in read] == [
        (s.question.id, s.question.prompt, s.answer, s.question.images) for s in samples
    ]


def test_training_is_balanced_and_mixed(world):
    answers = Counter(sample.answer for sample in MiniWorld(world).samples())
    assert 0.45 < answers["Yes"] / (answers["Yes"] + answers["No"]) < 0.55
    assert {"A", "B", "C", "D"} <= answers.keys()
    assert any(len(answer.split()) > 5 for answer in answers)


def test_preferences_pair_right_with_wrong(world):
    preferences = MiniWorld(world).preferences()
    assert len(preferences) > 150
    for pair in preferences:
        assert pair.chosen != pair.rejected
        assert {pair.chosen, pair.rejected} <= {"Yes", "No"} or pair.chosen in "ABCDTF12"


def test_what_training_and_evaluation_ask_is_made_of_words(world):
    """No word of a builder's sentence is new to the pretrained model."""
    tokenizer = build_tokenizer()
    prompts = {sample.question.prompt for sample in MiniWorld(world).samples()}
    for benchmark in miniworld_benchmarks(world).values():
        prompts |= {question.prompt for question in benchmark.questions()}
    split = {piece for prompt in prompts for piece in tokenizer.tokenize(prompt) if piece.startswith("##")}
    assert split <= {"##s"}
    assert len(TextEncoder()) == len(tokenizer)


def test_hard_asks_nothing_about_its_unasked_kinds(tmp_path):
    level = replace(LEVELS["hard"], training_images=20, training_sequences=10)
    assert set(level.unasked_kinds) & set(RARE_KINDS)
    assert level.training_images < LEVELS["normal"].training_images
    text = " ".join(
        f"{sample.question.prompt} {sample.answer}"
        for sample in build_training_set(level, tmp_path, 0).samples
    )
    assert not any(re.search(rf"\b{kind}s?\b", text) for kind in level.unasked_kinds)
    assert re.search(r"\bapples?\b", text)


def trained(tmp_path, *leave_out):
    level = replace(LEVELS["normal"], training_images=40, training_sequences=0, leave_out=leave_out)
    return build_training_set(level, tmp_path, 0)


def test_false_contexts_can_be_left_out_of_training(tmp_path):
    everything, without = trained(tmp_path), trained(tmp_path, "icc")
    annotations = [annotate(name, scene) for name, scene in everything.scenes.items()]
    contexts = {(row["image"], row["context"]["icc"]) for row in phd_records(annotations, seed=0)}

    def asked_behind_false_contexts(training):
        texts = {(Path(s.question.images[0]).name, s.question.prompt) for s in training.samples}
        return sum(image == name and text in prompt for image, text in contexts for name, prompt in texts)

    assert without.scenes == everything.scenes
    assert asked_behind_false_contexts(everything) > 20
    assert asked_behind_false_contexts(without) == 0
    prompts = "\n".join(sample.question.prompt for sample in without.samples)
    assert "the context and the image content" in prompts  # specious and true contexts stay


def test_unusual_pictures_can_be_left_out_of_training(tmp_path):
    def unusual(training):
        rows = [unusual_row("sentiment", Facts(s), random.Random(0)) for s in training.scenes.values()]
        return sum(row is not None for row in rows)

    assert unusual(trained(tmp_path)) > unusual(trained(tmp_path, "ccs"))
    with pytest.raises(UnknownOptionError, match="ccs, icc, sec"):
        MiniWorld(tmp_path, leave_out=["base"])


def test_prepare_does_nothing_twice_and_begins_anew_for_another_seed(tmp_path):
    root = tmp_path / "world"
    MiniWorld(root).prepare()
    picture = root / "pope/images/miniworld_000000.png"
    before = picture.stat().st_mtime_ns, picture.read_bytes()
    MiniWorld(root).prepare()
    assert (picture.stat().st_mtime_ns, picture.read_bytes()) == before
    MiniWorld(root, seed=2).prepare()
    assert picture.read_bytes() != before[1]


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(ConfigError, match="not MiniWorld's"):
        MiniWorld(tmp_path).prepare()
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_wrong_options_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("halluc.miniworld.scenes.gallery.MAX_DRAWS", 20)
    with pytest.raises(UnknownOptionError, match="hard, normal"):
        find_level("easy")
    with pytest.raises(ConfigError, match="0 to 9999"):
        MiniWorld(tmp_path, seed=10_000)
    with pytest.raises(ConfigError, match="0 to 999999"):
        Gallery(tmp_path, 1_000_000)
    with pytest.raises(ConfigError, match="was accepted"):
        draw_where(random.Random(0), SMALL.style, "train", lambda scene: False)


def test_contact_sheets_are_written(world):
    for name in ("train", *BENCHMARKS):
        with Image.open(world / name / "contact_sheet.png") as sheet:
            assert sheet.width > 84
