"""The annotations that V*-Bench ships beside its pictures, in the released layout."""

import json
from collections import Counter

import pytest

from halluc.benchmarks.vstar import VStar
from halluc.data.records import Prediction
from halluc.errors import ConfigError, RecordError, SourceNotFoundError

FOLDERS = ("direct_attributes", "relative_position")
SUFFIX = "\nAnswer with the option's letter from the given choices directly."
GLOVE = {
    "target_object": ["glove"],
    "bbox": [[564, 142, 155, 157]],
    "question": "What is the material of the glove?",
    "options": ["rubber", "cotton", "kevlar", "leather"],
}
DUSTPAN = {
    **GLOVE,
    "question": "What is the color of the dustpan?",
    "options": ["blue", "red", "white", "a b"],
}
SIDE = {**GLOVE, "question": "Left or right?", "options": ["left", "right"]}
RELEASED = {
    "direct_attributes/sa_86101": DUSTPAN,
    "direct_attributes/sa_4690": GLOVE,
    "relative_position/sa_6183": SIDE,
}
PUBLISHED = [  # as test_questions.jsonl has it: other options first, numbered in an order of its own
    (
        "direct_attributes/sa_4690",
        "What is the material of the glove?",
        ("rubber", "cotton", "kevlar", "leather"),
    ),
    ("direct_attributes/sa_86101", "What is the color of the dustpan?", ("a b", "red", "blue", "white")),
    ("relative_position/sa_6183", "Left or right?", ("right", "left")),
]
LABELS = "ACB"


@pytest.fixture
def root(tmp_path):
    for name, annotation in RELEASED.items():
        path = tmp_path / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(annotation, indent=1))
        path.with_suffix(".jpg").touch()
    return tmp_path


def write_question_file(root):
    rows = []
    for number, ((name, question, options), label) in enumerate(zip(PUBLISHED, LABELS, strict=True)):
        lines = [f"({letter}) {option}" for letter, option in zip("ABCD", options, strict=False)]
        rows.append(
            {"image": f"{name}.jpg", "text": "\n".join([question, *lines]) + SUFFIX, "label": label,
             "category": name.split("/")[0], "question_id": str(number)}
        )  # fmt: skip
    (root / "test_questions.jsonl").write_text("\n".join(map(json.dumps, rows)))


def gold_text(question):
    return question.space.options["ABCD".index(question.gold)]


def test_questions_as_released(root):
    first, second, last = VStar(root, annotations=FOLDERS, shuffle_choices=None).questions()
    assert [q.id for q in (first, second, last)] == [
        "direct_attributes/sa_4690",
        "direct_attributes/sa_86101",
        "relative_position/sa_6183",
    ]
    assert first.prompt == (
        "What is the material of the glove?\n(A) rubber\n(B) cotton\n(C) kevlar\n(D) leather" + SUFFIX
    )
    assert first.images == (str(root / "direct_attributes/sa_4690.jpg"),)
    assert [q.gold for q in (first, second, last)] == ["A", "A", "A"]
    assert (last.space.options, last.tags) == (("left", "right"), {"subset": "relative_position"})


def test_the_letter_follows_the_right_option_into_another_order(root):
    for number in range(40):
        path = root / f"direct_attributes/x{number}.json"
        path.write_text(json.dumps(GLOVE))
        path.with_suffix(".jpg").touch()
    questions = VStar(root, annotations=FOLDERS[:1]).questions()
    gloves = [q for q in questions if "glove" in q.prompt]
    assert {gold_text(q) for q in gloves} == {"rubber"}
    assert Counter(q.gold for q in gloves).keys() == set("ABCD")
    assert VStar(root, annotations=FOLDERS[:1]).questions() == questions
    assert VStar(root, annotations=FOLDERS[:1], shuffle_choices=1).questions() != questions


def test_question_file_and_annotations_ask_the_same(root):
    write_question_file(root)
    of_file = {q.id: q for q in VStar(root).questions()}
    of_annotations = {q.id: q for q in VStar(root, annotations=FOLDERS).questions()}
    assert (
        of_annotations.keys()
        == of_file.keys()
        == {
            "direct_attributes/0",
            "direct_attributes/1",
            "relative_position/2",
        }
    )
    for name, question in of_file.items():
        other = of_annotations[name]
        assert gold_text(other) == gold_text(question)
        assert sorted(other.space.options) == sorted(question.space.options)
        assert (other.images, other.group, other.tags) == (question.images, question.group, question.tags)


def test_the_same_answers_score_the_same(root):
    write_question_file(root)
    said = {"direct_attributes/0": "rubber", "direct_attributes/1": "red", "relative_position/2": "left"}
    scores = []
    for benchmark in (VStar(root), VStar(root, annotations=FOLDERS)):
        letters = {q.id: "ABCD"[q.space.options.index(said[q.id])] for q in benchmark.questions()}
        scores.append(benchmark.score([Prediction(id=n, text="", parsed=p) for n, p in letters.items()]))
    assert scores[0] == scores[1]
    assert scores[0]["accuracy"] == pytest.approx(2 / 3)
    assert scores[0]["direct_attributes/accuracy"] == 0.5


def test_the_likelihood_protocol_asks_the_bare_question(root):
    first, *_ = VStar(root, annotations=FOLDERS, prompt_profile="likelihood").questions()
    assert first.prompt == "What is the material of the glove?"


def test_pictures_may_lie_elsewhere_and_have_another_suffix(root, tmp_path):
    elsewhere = tmp_path / "pictures"
    (elsewhere / "direct_attributes").mkdir(parents=True)
    picture = elsewhere / "direct_attributes/sa_4690.png"
    picture.touch()
    benchmark = VStar(root, annotations=FOLDERS[:1], image_root=elsewhere)
    assert benchmark.published()["direct_attributes/sa_4690"].images == (str(picture),)
    with pytest.raises(SourceNotFoundError, match=r"pictures/direct_attributes/sa_86101\.jpg"):
        benchmark.questions()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{", "no valid JSON"),
        ("[1]", "no JSON object"),
        (json.dumps({**GLOVE, "question": " "}), "question is missing or empty"),
        (json.dumps({**GLOVE, "options": ["only"]}), "Give 2 to 4 texts, the right one first"),
        (json.dumps({**GLOVE, "options": ["a", "b", "c", "d", "e"]}), "Give 2 to 4 texts"),
        (json.dumps({**GLOVE, "options": ["a", " "]}), "Give 2 to 4 texts"),
        (json.dumps({"question": "?"}), "options is None"),
    ],
)
def test_unusable_annotations_are_listed(root, content, problem):
    (root / "direct_attributes/sa_4690.json").write_text(content)
    with pytest.raises(RecordError) as caught:
        VStar(root, annotations=FOLDERS).questions()
    (line,) = caught.value.problems
    assert problem in line
    assert "direct_attributes/sa_4690.json" in line
    assert len(VStar(root, annotations=FOLDERS, bad_rows="skip").questions()) == 2


def test_a_folder_without_annotations(root):
    with pytest.raises(SourceNotFoundError, match=r"benchmark\.vstar\.annotations=null"):
        VStar(root, annotations=["OCR"]).questions()
    missing = VStar(root, annotations=["OCR", *FOLDERS]).question_files()
    assert [path.name for path in missing] == ["*.json", "sa_4690.json", "sa_86101.json", "sa_6183.json"]
    assert [path.is_file() for path in missing] == [False, True, True, True]


def test_a_dataset_and_annotations_contradict_each_other(root):
    with pytest.raises(ConfigError, match="Set one of them to null"):
        VStar(root, dataset="lmms-lab/vstar-bench", annotations=FOLDERS)


def test_options_of_several_lines_stay_one_option(root):
    (root / "relative_position/sa_6183.json").write_text(
        json.dumps({**SIDE, "options": ["to the\n left ", "right"]})
    )
    (question,) = VStar(root, annotations=FOLDERS[1:], shuffle_choices=None).questions()
    assert question.space.options == ("to the left", "right")
