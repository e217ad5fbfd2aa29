"""The beginnings of the published question files, each in its own layout, beside the vectors."""

import json
import shutil

import pytest

from halluc.benchmarks.phd import Phd
from halluc.benchmarks.pope import SUBSETS, Pope
from halluc.benchmarks.vstar import VStar


@pytest.fixture
def samples(vectors):
    folder = vectors.path.parent / "data"
    if not folder.is_dir():
        vectors.checked += 1
        pytest.skip(f"no published samples at {folder}")
    return folder


@pytest.mark.parametrize("source", ["coco", "aokvqa", "gqa"])
def test_pope(vectors, samples, source):
    questions = list(Pope(samples / "pope", source=source).published().values())
    vectors.equal(len(questions), 900)
    vectors.equal([q.tags["subset"] for q in questions[::300]], list(SUBSETS))
    first = questions[:300]
    vectors.equal(sum(q.gold == "yes" for q in first), 150)
    vectors.equal(len({q.group for q in first}), 50)
    vectors.equal([q.id for q in first[:2]], ["random/1", "random/2"])


def test_pope_images_are_shared_by_the_coco_subsets(vectors, samples):
    questions = Pope(samples / "pope").published().values()
    groups = [{q.group for q in questions if q.tags["subset"] == subset} for subset in SUBSETS]
    vectors.equal(groups[0] == groups[1] == groups[2], True)


def test_phd_current_layout(vectors, samples):
    questions = Phd(samples / "phd", file="two_records_current_layout.json").published()
    vectors.equal(len(questions), 8)
    vectors.equal(questions["ccs/1/yes"].images[0].endswith("images/CCS_images/232.png"), True)
    vectors.equal(questions["sec/0/no"].prompt.startswith("(a paragraph of noise) In case there is"), True)


def test_phd_legacy_layout(vectors, samples):
    questions = Phd(samples / "phd", file="ccs_first_38_legacy_layout.json").published()
    vectors.equal(len(questions), 76)
    vectors.equal({q.tags["mode"] for q in questions.values()} == {"ccs"}, True)


def test_vstar(vectors, samples, tmp_path):
    shutil.copy(samples / "vstar" / "two_questions.jsonl", tmp_path / "test_questions.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "test_questions.jsonl").read_text().splitlines()]
    questions = list(VStar(tmp_path).published().values())
    vectors.equal([q.prompt for q in questions], [row["text"] for row in rows])
    vectors.equal([q.gold for q in questions], [row["label"] for row in rows])
    vectors.equal([len(q.space.options) for q in questions], [4, 4])
