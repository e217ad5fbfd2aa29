import json
from pathlib import Path

import pytest

from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.phd import FOLLOW_IMAGE, Phd
from halluc.benchmarks.scoring.responses import score_responses
from halluc.data.records import Prediction
from halluc.errors import BenchmarkError, RecordError, SourceNotFoundError, UnknownOptionError

COCO = {
    "image_id": 7,
    "task": "object",
    "yes_question": "Is there a cat?",
    "no_question": "Is there a dog?",
    "context": {"iac": "Quiet.", "icc": "A dog barks."},
}
CCS = {
    "image_id": "3",
    "task": "attribute",
    "ccs_description": "Square wheels.",
    "yes_question": "Is it square?",
    "no_question": "Is it round?",
}
LEGACY = {"image_path": "images/CCS_images/4.png", "yes_question": "Y?", "no_question": "N?"}


@pytest.fixture
def root(tmp_path):
    for name in ("val2014/COCO_val2014_000000000007.jpg", "CCS_images/3.png", "CCS_images/4.png"):
        path = tmp_path / "images" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "data.json").write_text(json.dumps([COCO, CCS]))
    return tmp_path


def answers(benchmark, answer):
    return [Prediction(id=q.id, text="", parsed=answer(q)) for q in benchmark.questions()]


def test_each_record_is_asked_in_its_modes(root):
    ids = [question.id for question in Phd(root).questions()]
    assert ids == [f"{mode}/0/{gold}" for mode in ("base", "sec", "icc") for gold in ("yes", "no")] + [
        "ccs/1/yes",
        "ccs/1/no",
    ]


def test_a_question_behind_a_context(root):
    question = Phd(root, prompt_profile="official").published()["sec/0/no"]
    assert question.prompt == "Quiet." + FOLLOW_IMAGE + "Is there a dog?"
    assert FOLLOW_IMAGE.startswith(" In case")
    assert question.gold == "no"
    assert question.tags == {"mode": "sec", "task": "object"}
    assert question.images == (str(root / "images/val2014/COCO_val2014_000000000007.jpg"),)
    assert question.group == "val2014/COCO_val2014_000000000007.jpg"


def test_the_default_prompt_asks_for_a_short_answer(root):
    prompt = Phd(root).published()["base/0/yes"].prompt
    assert prompt == "Is there a cat?\nAnswer the question using a single word or phrase."


def test_train2014_is_preferred(root):
    train = root / "images/train2014/COCO_train2014_000000000007.jpg"
    train.parent.mkdir()
    train.touch()
    assert Phd(root).published()["base/0/yes"].images == (str(train),)


def test_sec_is_accepted_for_iac(root):
    (root / "data.json").write_text(json.dumps([{**COCO, "context": {"sec": "S.", "icc": "C."}}]))
    assert Phd(root).published()["sec/0/yes"].prompt.startswith("S. In case")


def test_the_older_ccs_layout(root):
    (root / "data_ccs.json").write_text(json.dumps([LEGACY]))
    (first, _) = Phd(root, file="data_ccs.json").questions()
    assert first.images == (str(root / "images/CCS_images/4.png"),)
    assert first.tags == {"mode": "ccs"}


def test_modes_can_be_chosen_and_iac_means_sec(root):
    assert {q.tags["mode"] for q in Phd(root, ("iac", "ccs")).questions()} == {"sec", "ccs"}
    with pytest.raises(UnknownOptionError, match=r"benchmark\.phd\.modes"):
        Phd(root, ("bsae",))


def test_missing_context_and_missing_question_are_listed(root):
    broken = [{**COCO, "context": {"icc": "C."}}, {k: v for k, v in CCS.items() if k != "no_question"}, CCS]
    (root / "data.json").write_text(json.dumps(broken))
    with pytest.raises(RecordError) as caught:
        Phd(root).questions()
    assert len(caught.value.problems) == 2
    assert "record 1 (id 7): context has no sec or iac" in caught.value.problems[0]
    assert "record 2 (id 3): no_question is missing" in caught.value.problems[1]


def test_missing_picture_and_missing_file(root):
    (root / "images/CCS_images/3.png").unlink()
    with pytest.raises(SourceNotFoundError, match=r"CCS_images/3\.png"):
        Phd(root).questions()
    with pytest.raises(SourceNotFoundError, match=r"Set benchmark\.phd\.root"):
        Phd(root, file="other.json").questions()


def test_scores_by_hand(root):
    benchmark = Phd(root)

    def answer(question):
        if question.tags["mode"] == "icc":
            return "yes"  # index 0
        if question.id == "ccs/1/no":
            return None  # no recall 0, index 0
        return question.gold

    scores = benchmark.score(answers(benchmark, answer))
    assert scores["base/object/index"] == scores["base/index"] == scores["sec/index"] == 1.0
    assert (scores["icc/yes_recall"], scores["icc/no_recall"], scores["icc/index"]) == (1.0, 0.0, 0.0)
    assert scores["ccs/attribute/unparsed_rate"] == 0.5
    assert scores["index"] == 0.5  # mean of 1, 1, 0, 0
    # pooled: yes recall 4/4, no recall 2/4
    assert scores["pooled/index"] == pytest.approx(2 / 3)
    assert scores["n"] == 8.0


def test_headline_is_undefined_if_a_mode_is(root, caplog):
    benchmark = Phd(root)
    given = [p for p in answers(benchmark, lambda q: q.gold) if p.id != "ccs/1/no"]
    scores = benchmark.score(given)
    assert "index" not in scores
    assert "ccs/index" not in scores
    assert scores["ccs/yes_recall"] == 1.0
    assert len(caplog.records) == 1


def test_headline_is_the_mean_of_the_modes_asked(root):
    benchmark = Phd(root, ("base",))
    assert benchmark.score(answers(benchmark, lambda q: q.gold))["index"] == 1.0


def test_nothing_to_score(root):
    assert Phd(root).score([])["n"] == 0.0
    assert "index" not in Phd(root).score([])


@pytest.mark.parametrize(("profile", "parsed"), [("official", "yes"), ("strict", None)])
def test_read_follows_the_profile(root, profile, parsed):
    benchmark = Phd(root, profile=profile)
    assert benchmark.read(benchmark.questions()[0], "Sorry.") == parsed


def rows(*records):
    return [Row(record, Path("r.jsonl"), line) for line, record in enumerate(records, 1)]


def test_records_with_responses():
    given = rows(
        {"mode": "iac", "task": "object", "question": "?", "answer": "yes", "response": "Yes"},
        {"mode": "sec", "task": "object", "question": "?", "answer": "no", "response": "Yes"},
    )
    scores = score_responses(Phd.from_rows(given), given).scores
    assert (scores["sec/object/yes_recall"], scores["sec/object/no_recall"], scores["index"]) == (
        1.0,
        0.0,
        0.0,
    )


def test_records_of_an_unknown_mode_are_refused():
    with pytest.raises(RecordError, match="mode 'xyz' is none of"):
        Phd.from_rows(rows({"mode": "xyz", "gold": "yes", "response": "Yes"})).published()


def test_unknown_id(root):
    with pytest.raises(BenchmarkError, match=r"looks like 'base/0/yes'"):
        Phd(root).score([Prediction(id="base/9/yes", text="yes", parsed="yes")])


def test_records_without_id_may_come_in_several_files():
    record = {"mode": "base", "question": "?", "answer": "yes", "response": "Yes"}
    given = [Row(record, Path(name), 1) for name in ("a.jsonl", "b.jsonl")]
    assert score_responses(Phd.from_rows(given), given).scores["base/n"] == 2.0


PUBLISHED_RECORD = {
    "mode": "iac",
    "task": "object",
    "image_id": "000000000007",
    "question": "Is there a cat?",
}


def test_published_records_have_the_same_id_in_every_file():
    record = {**PUBLISHED_RECORD, "answer": "yes", "response": "Yes"}
    names = [
        name
        for file, line in (("a.jsonl", 1), ("b.jsonl", 2))
        for name in Phd.row_responses(Row(record, Path(file), line))
    ]
    assert set(names) == set(Phd.from_rows(rows(record)).published()) == {"sec/000000000007/Is there a cat?"}


def test_repeated_published_records_are_refused():
    record = {**PUBLISHED_RECORD, "answer": "yes", "response": "Yes"}
    other = {**record, "image_id": "8"}
    with pytest.raises(RecordError, match="ids occur twice") as raised:
        Phd.from_rows(rows(record, other, record)).published()
    assert raised.value.problems == ("sec/000000000007/Is there a cat? (2 times)",)
