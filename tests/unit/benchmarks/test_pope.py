import json
from pathlib import Path

import pytest

from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.pope import Pope
from halluc.benchmarks.scoring.responses import score_responses
from halluc.data.records import Prediction, Preparation
from halluc.errors import BenchmarkError, RecordError, SourceNotFoundError, UnknownOptionError


def record(number, label, image="a.jpg"):
    return {"question_id": number, "image": image, "text": f"Is there a thing {number}?", "label": label}


RECORDS = [record(1, "yes"), record(2, "no"), record(3, "yes", "b.jpg"), record(4, "no", "b.jpg")]


@pytest.fixture
def root(tmp_path):
    """Publish the same four questions as JSON Lines (random) and as an indented array (popular)."""
    (tmp_path / "coco_pope_random.json").write_text("\n".join(json.dumps(r) for r in RECORDS))
    (tmp_path / "coco_pope_popular.json").write_text(json.dumps(RECORDS, indent=4))
    (tmp_path / "images").mkdir()
    for name in ("a.jpg", "b.jpg"):
        (tmp_path / "images" / name).touch()
    return tmp_path


def pope(root, **options):
    return Pope(root, ("random", "popular"), **options)


def answers(benchmark, *parsed):
    questions = benchmark.questions()
    return [Prediction(id=q.id, text=p, parsed=p) for q, p in zip(questions, parsed, strict=True)]


def test_both_published_layouts_give_the_same_questions(root):
    first, *_, last = pope(root).questions()
    assert (first.id, last.id) == ("random/1", "popular/4")
    assert first.prompt == "Is there a thing 1?\nAnswer the question using a single word or phrase."
    assert first.images == (str(root / "images" / "a.jpg"),)
    assert (first.gold, first.group, first.tags) == ("yes", "a.jpg", {"subset": "random"})
    assert last.group == "b.jpg"


@pytest.mark.parametrize("prompt_profile", [None, "short_answer", "official", "vlmevalkit", "lmms_eval"])
def test_only_the_lmms_eval_prompt_form_brings_its_pictures(root, prompt_profile):
    benchmark = pope(root, **({} if prompt_profile is None else {"prompt_profile": prompt_profile}))
    expected = Preparation.LMMS_EVAL if prompt_profile == "lmms_eval" else Preparation.NONE
    assert {q.preparation for q in benchmark.questions()} == {benchmark.preparation} == {expected}


def test_the_short_answer_form_is_worded_as_lmms_evals(root):
    forms = [pope(root, prompt_profile=name).questions() for name in ("short_answer", "lmms_eval")]
    assert [q.prompt for q in forms[0]] == [q.prompt for q in forms[1]]


@pytest.mark.parametrize("folder", ["output/coco", "coco", "seem/gqa"])
def test_the_published_tree_is_searched(tmp_path, folder):
    source = "gqa" if "gqa" in folder else "coco"
    name = "gqa_pope_seem_random.json" if source == "gqa" else "coco_pope_random.json"
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / name).write_text(json.dumps(RECORDS))
    assert len(Pope(tmp_path, ("random",), source=source).published()) == 4


def test_missing_file_says_where_and_what_to_do(tmp_path):
    with pytest.raises(SourceNotFoundError, match=r"coco_pope_random\.json.*Set benchmark\.pope\.root"):
        Pope(tmp_path).questions()


def test_building_reads_nothing(tmp_path):
    assert Pope(tmp_path / "nowhere").profile == "strict"


def test_missing_pictures_stop_before_any_question_is_asked(root):
    (root / "images" / "b.jpg").unlink()
    with pytest.raises(SourceNotFoundError, match=r"(?s)1 pictures are missing.*b\.jpg.*image_root"):
        pope(root).questions()


def test_a_picture_outside_the_root_is_refused(root):
    (root / "coco_pope_random.json").write_text(json.dumps([record(1, "yes", "../../etc/passwd")]))
    with pytest.raises(RecordError, match="outside"):
        pope(root).questions()


def test_all_bad_rows_are_listed(root):
    bad = [
        record(1, "maybe"),
        record(2, None),
        {"question_id": 3, "label": "yes", "image": "a.jpg"},
        record(4, "no"),
    ]
    (root / "coco_pope_random.json").write_text(json.dumps(bad))
    with pytest.raises(RecordError) as caught:
        pope(root).questions()
    assert ["(id 1)" in caught.value.problems[0], "(id 3)" in caught.value.problems[2]] == [True, True]
    assert len(caught.value.problems) == 3


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"profile": False}, "profile"),
        ({"profile": "vlm2"}, "profile"),
        ({"prompt_profile": "x"}, "prompt_profile"),
    ],
)
def test_wrong_names_are_refused_when_built(tmp_path, options, key):
    with pytest.raises(UnknownOptionError, match=rf"benchmark\.pope\.{key} is .*lmms_eval"):
        Pope(tmp_path, **options)


def test_scores_by_hand(root):
    benchmark = pope(root)
    scores = benchmark.score(answers(benchmark, "yes", "no", "yes", "no", "yes", "yes", "no", None))
    assert scores["random/accuracy"] == scores["random/f1"] == 1.0
    # popular: TP 1, FP 1, FN 1, one unparsed no
    assert scores["popular/accuracy"] == 0.25
    assert scores["popular/precision"] == scores["popular/recall"] == scores["popular/f1"] == 0.5
    assert (scores["popular/yes_ratio"], scores["popular/unparsed_rate"]) == (0.5, 0.25)
    assert scores["macro/accuracy"] == scores["accuracy"] == 0.625
    assert scores["macro/f1"] == 0.75
    assert scores["pooled/f1"] == pytest.approx(0.75)
    assert (scores["random/n"], scores["macro/n"], scores["pooled/n"]) == (4.0, 8.0, 8.0)


def test_macro_and_pooled_differ_when_subsets_differ_in_size(root):
    (root / "coco_pope_popular.json").write_text(json.dumps(RECORDS[:2]))
    benchmark = pope(root)
    scores = benchmark.score(answers(benchmark, "yes", "no", "yes", "no", "no", "yes"))
    assert scores["macro/accuracy"] == 0.5
    assert scores["pooled/accuracy"] == pytest.approx(4 / 6)


def test_scores_do_not_depend_on_the_order_of_predictions(root):
    benchmark = pope(root)
    given = answers(benchmark, "yes", "yes", "no", "no", None, "yes", "no", "no")
    assert benchmark.score(given) == benchmark.score(given[::-1])


def test_a_subset_of_the_questions_can_be_scored(root):
    benchmark = pope(root)
    scores = benchmark.score(answers(benchmark, *["yes"] * 8)[:2])
    assert scores["random/n"] == scores["pooled/n"] == 2.0
    assert "popular/accuracy" not in scores


def test_a_class_that_does_not_occur_gives_no_key_and_one_warning(root, caplog):
    benchmark = pope(root)
    only_no = [p for p in answers(benchmark, *["no"] * 8) if p.id in {"random/2", "random/4"}]
    scores = benchmark.score(only_no)
    assert "random/recall" not in scores
    assert "macro/f1" not in scores
    assert scores["accuracy"] == 1.0
    assert len(caplog.records) == 1


def test_nothing_to_score(root):
    assert pope(root).score([]) == {"pooled/n": 0.0}


def test_likelihood_answers_bring_auroc(root):
    benchmark = Pope(root, ("random",))
    given = [
        Prediction(id=q.id, text="yes", parsed="yes", probabilities={"yes": p, "no": 1 - p}, mass=0.9)
        for q, p in zip(benchmark.questions(), (0.9, 0.6, 0.8, 0.7), strict=True)
    ]
    scores = benchmark.score(given)
    assert scores["accuracy"] == 0.5
    assert scores["random/auroc"] == scores["macro/auroc"] == scores["pooled/best_threshold_accuracy"] == 1.0


def test_unknown_id(root):
    with pytest.raises(BenchmarkError, match="unknown id"):
        pope(root).score([Prediction(id="adversarial/1", text="yes", parsed="yes")])


@pytest.mark.parametrize(
    ("profile", "text", "parsed"),
    [
        ("strict", "NO.", "no"),
        ("official", "NO.", "yes"),
        ("lmms_eval", "NO.", None),
        ("vlmevalkit", "**no**", None),
    ],
)
def test_read_follows_the_profile(root, profile, text, parsed):
    benchmark = pope(root, profile=profile)
    assert benchmark.read(benchmark.questions()[0], text) == parsed


def test_lmms_eval_shows_the_true_yes_ratio_beside_its_own(root):
    benchmark = pope(root, profile="lmms_eval")
    scores = benchmark.score(answers(benchmark, *["no"] * 8))
    assert (scores["pooled/yes_ratio"], scores["pooled/predicted_yes_ratio"]) == (0.5, 0.0)


def rows(name, *records):
    return [Row(record, Path(name), line) for line, record in enumerate(records, 1)]


def test_records_without_subset_take_it_from_their_file():
    given = rows("coco_pope_popular.json", {**RECORDS[0], "answer": "Yes"})
    given += rows("my_split.jsonl", {**RECORDS[1], "answer": "Yes"})
    result = score_responses(Pope.from_rows(given), given)
    assert result.scores["popular/accuracy"] == 1.0
    assert result.scores["my_split/accuracy"] == 0.0


def test_records_of_the_hub_layout():
    given = rows(
        "x.jsonl",
        {"question_id": "7", "question": "?", "answer": "no", "category": "random", "response": "no"},
    )
    assert score_responses(Pope.from_rows(given), given).scores["random/accuracy"] == 1.0


def test_records_without_id_are_called_by_their_content():
    given = {"image": "a.jpg", "text": "Is there a dog?", "label": "yes", "category": "random"}
    (name,) = Pope.from_rows(rows("x.jsonl", given)).published()
    assert Pope.row_responses(*rows("y.jsonl", {**given, "response": "no"})) == {name: "no"}
    assert name == "random/a.jpg/Is there a dog?"
    with pytest.raises(RecordError, match="ids occur twice"):
        Pope.from_rows(rows("x.jsonl", given, given)).published()


def test_an_empty_category_is_no_subset():
    bad = {"question_id": 2, "category": " ", "label": "yes", "response": "no"}
    with pytest.raises(RecordError, match=r"x\.jsonl, record 1 \(id 2\): subset or category is empty"):
        Pope.from_rows(rows("x.jsonl", bad)).published()
    with pytest.raises(RecordError, match="is empty"):
        Pope.row_responses(*rows("x.jsonl", bad))


def test_a_category_may_not_be_missing_in_a_file_that_names_others():
    good, bad = ({"question_id": n, "label": "yes", "response": "no"} for n in (1, 2))
    given = [*rows("x.jsonl", {**good, "category": "random"}, bad), *rows("coco_pope_random.json", good)]
    with pytest.raises(RecordError, match="1 records name no subset") as raised:
        Pope.from_rows(given)
    assert raised.value.problems == ("x.jsonl, record 2 (id 2)",)


def test_other_subsets_are_said_aloud_once(caplog):
    Pope.from_rows(rows("coco_pope_random.json", *RECORDS))
    assert not caplog.records
    given = [{**record, "subset": name} for record, name in zip(RECORDS, "xyxx", strict=True)]
    Pope.from_rows([*rows("a.jsonl", *given), *rows("coco_pope_random.json", *RECORDS)])
    (message,) = [record.getMessage() for record in caplog.records]
    assert message.startswith(
        "4 records are of subsets other than random, popular, adversarial: x (3), y (1)."
    )


def test_an_answer_alone_is_never_taken_for_its_own_gold():
    with pytest.raises(RecordError, match="label None"):
        Pope.from_rows(rows("x.jsonl", {"question_id": 1, "answer": "yes"})).published()


def test_bad_record_is_named():
    with pytest.raises(RecordError, match=r"x\.jsonl, record 1: label 'perhaps'"):
        Pope.from_rows(rows("x.jsonl", {"label": "perhaps", "response": "no"})).published()
