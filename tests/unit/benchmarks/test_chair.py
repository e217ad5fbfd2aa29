import json
from pathlib import Path

import pytest

from halluc.benchmarks.chair import Chair
from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.scoring.intervals import intervals
from halluc.benchmarks.scoring.responses import score_responses
from halluc.data.records import AnswerKind, Prediction
from halluc.errors import RecordError, SourceNotFoundError, UnknownOptionError

SCENES = [{"image": "a.jpg", "objects": ["cup", "cup", "dog"]}, {"image": "b.jpg", "objects": ["door"]}]


@pytest.fixture
def root(tmp_path):
    (tmp_path / "scenes.jsonl").write_text("\n".join(map(json.dumps, SCENES)))
    (tmp_path / "images").mkdir()
    for scene in SCENES:
        (tmp_path / "images" / scene["image"]).touch()
    return tmp_path


def chair(root, **options):
    return Chair(root, file="scenes.jsonl", **options)


def answers(benchmark, *texts):
    asked = benchmark.questions()
    return [
        Prediction(id=q.id, text=t, parsed=benchmark.read(q, t)) for q, t in zip(asked, texts, strict=True)
    ]


def test_questions(root):
    first, second = chair(root).questions()
    assert (first.id, first.space.kind, first.gold) == ("a.jpg", AnswerKind.TEXT, None)
    assert first.prompt == "Please describe this image in detail."
    assert second.images == (str(root / "images" / "b.jpg"),)


def test_scores_by_hand(root):
    benchmark = chair(root)
    scores = benchmark.score(answers(benchmark, "A cup and two dogs at a door.", "A door."))
    assert scores == {
        "chair_i": 0.25, "chair_s": 0.5, "cover": 1.0, "mentions_each": 2.0, "n": 2.0, "unparsed_rate": 0.0
    }  # fmt: skip


def test_synonyms(root):
    (root / "words.txt").write_text("dog, puppy\n")
    with_words, without = chair(root, synonyms="words.txt"), chair(root)
    given = answers(without, "A puppy.", "A puppy.")
    assert with_words.score(given)["chair_i"] == 0.5
    assert without.score(given)["mentions_each"] == 0.0


def test_silence_covers_nothing_and_is_counted(root):
    benchmark = chair(root)
    scores = benchmark.score(answers(benchmark, " ", "A door."))
    assert (scores["chair_s"], scores["cover"], scores["unparsed_rate"]) == (0.0, 1 / 3, 0.5)
    assert intervals(benchmark, answers(benchmark, "", "A cup."), resamples=50)["chair_s"].high <= 1.0


def test_responses_with_their_objects():
    rows = [
        Row({**scene, "response": text}, Path("r.jsonl"), n)
        for n, (scene, text) in enumerate(zip(SCENES, ["A cup.", "A dog."], strict=True), 1)
    ]
    assert score_responses(Chair.from_rows(rows), rows).scores["chair_i"] == 0.5


def test_predictions_of_a_run_are_called_by_their_ids():
    record = {"id": "a.jpg", "image": "/data/images/a.jpg", "tags": {"objects": "cup"}, "response": "A cup."}
    assert Chair.row_responses(Row(record, Path("chair.jsonl"), 1)) == {"a.jpg": "A cup."}
    published = {"id": 7, "image": "a.jpg", "objects": ["cup"], "response": "A cup."}
    assert Chair.row_responses(Row(published, Path("r.jsonl"), 1)) == {"a.jpg": "A cup."}


def test_errors(root, tmp_path):
    with pytest.raises(SourceNotFoundError):
        Chair(tmp_path).questions()
    with pytest.raises(UnknownOptionError):
        chair(root, prompt_profile="long")
    with pytest.raises(RecordError, match="objects must be a list"):
        Chair.from_rows([Row({"image": "a.jpg"}, Path("r.jsonl"), 1)]).published()
