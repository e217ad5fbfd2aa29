import base64
import json
import logging
from pathlib import Path

import pytest
from PIL import Image

from halluc.data.readers.jsonl import JsonlSource
from halluc.data.records import AnswerKind
from halluc.errors import ConfigError, RecordError, SourceNotFoundError, UnknownOptionError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.png", "b.png"):
        Image.new("RGB", (4, 4)).save(tmp_path / name)
    return tmp_path


def source(folder: Path, *rows: dict, **options) -> JsonlSource:
    path = folder / "rows.jsonl"
    path.write_text("\n".join(json.dumps({"id": f"r{number}", **row}) for number, row in enumerate(rows)))
    return JsonlSource(path, **options)


def row(**more: object) -> dict:
    return {"image": "a.png", "question": "Is it red?", "answer": "No", **more}


def pair(**more: object) -> dict:
    return {"image": "a.png", "prompt": "Is it red?", "chosen": "No", "rejected": "Yes", **more}


def test_own_rows_become_samples(folder: Path):
    (sample,) = source(folder, row(weight=2)).samples()
    question = sample.question
    assert (question.id, question.prompt, question.gold, sample.answer, sample.weight) == (
        "r0",
        "Is it red?",
        "no",
        "No",
        2.0,
    )
    assert question.images == (str(folder / "a.png"),)
    assert question.group == str(folder / "a.png")


def test_rows_without_a_picture_are_used(folder: Path):
    (sample,) = source(folder, {"question": "Two plus two?", "answer": "4"}).samples()
    assert (sample.question.images, sample.question.group) == ((), "")


def test_all_bad_rows_are_listed_at_once(folder: Path):
    (folder / "bad.png").write_bytes(b"")
    rows = [
        row(),
        row(image="gone.png"),
        row(answer="maybe"),
        row(weight=0),
        row(weight="heavy"),
        row(weight=True),
        row(image="bad.png"),
        row(question="<image><image>Red?"),
        row(answer="No <image>"),
    ]
    with pytest.raises(RecordError, match=r"unusable rows: 8 \(1 usable\).*on_bad_rows=skip") as caught:
        source(folder, *rows).samples()
    found = " ".join(caught.value.problems)
    assert all(f"rows.jsonl:{number + 1} (id r{number})" in found for number in range(1, 9))


def test_skipping_logs_the_same_list(folder: Path, caplog):
    rows = [row(), row(answer=None)]
    with pytest.raises(RecordError) as caught:
        source(folder, *rows).samples()
    assert [sample.question.id for sample in source(folder, *rows, on_bad_rows="skip").samples()] == ["r0"]
    assert caught.value.problems[0] in caplog.text
    assert "skipped 1, used 1" in caplog.text


def test_nothing_usable_is_an_error_even_when_skipping(folder: Path):
    with pytest.raises(RecordError, match="no usable row"):
        source(folder, row(answer=None), on_bad_rows="skip").samples()
    with pytest.raises(RecordError, match="no usable row"):
        source(folder).samples()


def test_pictures_need_not_be_decoded(folder: Path):
    (folder / "bad.png").write_bytes(b"")
    assert len(source(folder, row(image="bad.png"), check_images=False).samples()) == 1


def test_choices_are_written_and_the_letter_is_learnt(folder: Path):
    (sample,) = source(folder, row(question="What is it?", choices=["cat", "dog"], answer=1)).samples()
    assert sample.question.prompt == (
        "What is it?\nA. cat\nB. dog\nAnswer with the option's letter from the given choices directly."
    )
    assert (sample.question.space.options, sample.question.gold, sample.answer) == (("cat", "dog"), "B", "B")


def test_choices_in_the_text_leave_prompt_and_answer_alone(folder: Path):
    text = "What is it?\nA. cat\nB. dog"
    samples = source(
        folder, row(question=text, answer="b"), row(question=text, answer="A furry thing")
    ).samples()
    assert [(s.question.prompt, s.question.gold, s.answer) for s in samples] == [
        (text, "B", "b"),
        (text, None, "A furry thing"),
    ]
    with pytest.raises(RecordError, match="'C' names none"):
        source(folder, row(question=text, answer="C")).samples()


def test_integers_from_one(folder: Path):
    rows = [row(question="What?", choices=["cat", "dog"], answer=1)]
    assert source(folder, *rows, choice_index_base=1).samples()[0].answer == "A"


def test_shuffling_keeps_the_right_text_and_moves_the_worse_letter_along(folder: Path):
    rows = [
        {"image": "a.png", "question": f"{n}?", "choices": ["w", "x", "y", "z"], "chosen": "B", "rejected": 3}
        for n in range(12)
    ]
    pairs = source(folder, *rows, shuffle_choices=0).preferences()
    for preference in pairs:
        options = dict(zip("ABCD", preference.question.space.options, strict=True))
        assert (options[preference.chosen], options[preference.rejected]) == ("x", "z")
        assert f"\n{preference.chosen}. x\n" in preference.question.prompt
    assert len({preference.chosen for preference in pairs}) > 1
    assert pairs == source(folder, *rows, shuffle_choices=0).preferences()


def test_a_letter_that_never_changes_is_told(folder: Path, caplog):
    rows = [row(question=f"{n}?", choices=["right", "wrong"], answer=0) for n in range(8)]
    source(folder, *rows).samples()
    assert "the right option is A in all 8 multiple-choice rows" in caplog.text
    caplog.clear()
    source(folder, *rows[:7]).samples()
    assert caplog.text == ""


def test_repeated_ids(folder: Path, caplog):
    rows = [
        row(id="same"),
        row(id="same"),
        row(id="other"),
        row(id="other", question="Is it blue?"),
        row(id="other", question="Is it green?"),
        row(id="talk", question="Describe it.", answer="A cat."),
        row(id="talk", question="Describe it.", answer="A black cat."),
    ]
    with caplog.at_level(logging.WARNING):
        samples = source(folder, *rows).samples()
    assert [sample.question.id for sample in samples] == [
        "same",
        "other",
        "other#2",
        "other#3",
        "talk",
        "talk#2",
    ]
    assert "repeats row 1" in caplog.text
    assert caplog.text.count("named other#") == 2


def test_contradictions_are_errors_on_both_rows(folder: Path):
    rows = [row(id="x"), row(id="x", answer="Yes"), row()]
    with pytest.raises(RecordError, match="unusable rows: 2") as caught:
        source(folder, *rows).samples()
    assert ["rows.jsonl:1" in caught.value.problems[0], "rows.jsonl:2" in caught.value.problems[1]] == [
        True,
        True,
    ]
    assert len(source(folder, *rows, on_bad_rows="skip").samples()) == 1


def test_several_questions_in_a_row(folder: Path):
    talk = {
        "image": "a.png",
        "conversations": [
            {"from": "human", "value": "<image>\nIs it red?"},
            {"from": "gpt", "value": "No"},
            {"from": "human", "value": "Is it blue?"},
            {"from": "gpt", "value": "Yes"},
        ],
    }
    with pytest.raises(RecordError, match=r"holds 2 questions.*many_turns=split"):
        source(folder, talk).samples()
    samples = source(folder, talk, many_turns="split").samples()
    assert [(s.question.id, s.question.prompt, s.answer) for s in samples] == [
        ("r0/1", "Is it red?", "No"),
        ("r0/2", "Is it blue?", "Yes"),
    ]
    assert len({s.question.group for s in samples}) == 1


def test_answer_spaces_by_setting(folder: Path):
    (sample,) = source(folder, row(), answer_space="text").samples()
    assert (sample.question.space.kind, sample.question.gold, sample.answer) == (AnswerKind.TEXT, None, "No")
    with pytest.raises(RecordError, match="neither yes nor no"):
        source(folder, row(question="Which colour?", answer="dark red"), answer_space="yes_no").samples()


def test_preferences(folder: Path):
    found = source(
        folder,
        pair(),
        pair(rejected_images=["b.png"], rejected="No"),
        pair(chosen=[{"role": "assistant", "content": "No"}], rejected=True),
        {**row(), "rejected_response": "Yes"},
    ).preferences()
    assert [(p.chosen, p.rejected, p.rejected_images) for p in found] == [
        ("No", "Yes", None),
        ("No", "No", (str(folder / "b.png"),)),
        ("No", "Yes", None),
        ("No", "Yes", None),
    ]
    assert found[0].question.gold == "no"


def test_pairs_without_signal_are_left_out_aloud(folder: Path, caplog):
    rows = [
        pair(),
        pair(rejected=" No "),
        pair(rejected="No", rejected_images=["a.png"]),
        pair(rejected="no"),
    ]
    assert [p.question.id for p in source(folder, *rows).preferences()] == ["r0", "r3"]
    assert caplog.text.count("chosen equals rejected; left out") == 2
    assert "(id r3): chosen and rejected differ in case only" in caplog.text


def test_bad_pairs_are_listed(folder: Path):
    rows = [pair(), pair(rejected=""), row(), pair(chosen=None), pair(rejected_images=["a.png", "b.png"])]
    rows.append(pair(rejected_images=["gone.png"]))
    rows.append(pair(answer="Yes"))
    rows.append(pair(rejected=["x"]))
    with pytest.raises(RecordError, match=r"unusable rows: 7 \(1 usable\)") as caught:
        source(folder, *rows).preferences()
    assert all(f"(id r{number})" in " ".join(caught.value.problems) for number in range(1, 8))


def test_no_rejected_at_all_names_the_command(folder: Path):
    with pytest.raises(RecordError, match=r"python -m halluc build pairs .*rows\.jsonl"):
        source(folder, row()).preferences()


def test_preference_rows_serve_as_samples(folder: Path):
    assert [sample.answer for sample in source(folder, pair(), pair(rejected="")).samples()] == ["No", "No"]


def test_findings_do_not_stop(folder: Path):
    found = source(folder, row(), row(answer=None), row(id="r0")).findings()
    assert (found.usable, len(found.problems), len(found.notices)) == (1, 1, 1)
    found = source(folder, pair(), pair(rejected=""), pair(rejected="No")).findings()
    assert (found.usable, len(found.problems), len(found.notices)) == (1, 1, 1)


@pytest.mark.parametrize("option", ["on_bad_rows", "answer_space", "many_turns"])
def test_unknown_words_are_refused(folder: Path, option):
    with pytest.raises(UnknownOptionError, match=f"data.{option} is 'maybe'"):
        source(folder, row(), **{option: "maybe"})


def test_other_wrong_settings(folder: Path):
    with pytest.raises(ConfigError, match="choice_index_base is 2"):
        source(folder, row(), choice_index_base=2)
    with pytest.raises(SourceNotFoundError, match="Image root not found"):
        source(folder, row(), image_root=folder / "nowhere")
    with pytest.raises(SourceNotFoundError, match="Data file not found"):
        JsonlSource(folder / "nowhere.jsonl").samples()


def test_data_uris_group_by_content(folder: Path):
    uri = "data:image/png;base64," + base64.b64encode((folder / "a.png").read_bytes()).decode()
    first, second = source(folder, row(image=uri), row(image=uri, question="Is it blue?")).samples()
    assert first.question.group == second.question.group
    assert len(first.question.group) == 16
