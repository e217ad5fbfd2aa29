"""Small faults met in public tools: what must happen with users' files. Read from $HALLUC_CASES."""

import json
import os
from pathlib import Path

import pytest

from halluc.data.images import load_image
from halluc.data.readers.jsonl import JsonlSource
from halluc.errors import RecordError


@pytest.fixture(scope="module")
def cases() -> Path:
    folder = Path(os.environ.get("HALLUC_CASES", ""))
    if os.environ.get("HALLUC_CASES") and folder.is_dir():
        return folder
    if os.environ.get("HALLUC_REQUIRE_CONFORMANCE") == "1":
        pytest.fail(f"HALLUC_CASES is no folder: {folder}")
    pytest.skip("HALLUC_CASES is not set to the folder of cases")


def expected(case: Path) -> dict:
    return json.loads((case / "expected.json").read_text(encoding="utf-8"))


def used(path: Path, **options) -> dict:
    """Return id to sample of the usable rows."""
    return {
        sample.question.id: sample for sample in JsonlSource(path, on_bad_rows="skip", **options).samples()
    }


def refused(path: Path, **options) -> str:
    """Return the list of all bad rows, as the default policy raises it."""
    with pytest.raises(RecordError) as caught:
        JsonlSource(path, **options).samples()
    return "\n".join(caught.value.problems)


def named(identifier: str, problems: str) -> bool:
    return f"(id {identifier})" in problems


def test_01_mark_and_line_ends(cases: Path):
    want = expected(cases / "01_bom_crlf")
    samples = used(cases / "01_bom_crlf/train.jsonl")
    assert list(samples) == want["ids"]
    assert [sample.answer for sample in samples.values()] == want["answers"]


def test_02_broken_line(cases: Path):
    want = expected(cases / "02_blank_and_broken_lines")
    path = cases / "02_blank_and_broken_lines/train.jsonl"
    assert len(used(path)) == want["good_rows"]
    assert f"train.jsonl:{want['bad_line_number']}:" in refused(path)


def test_03_not_finite(cases: Path):
    want = expected(cases / "03_nan_infinity")
    path = cases / "03_nan_infinity/train.jsonl"
    assert list(used(path)) == want["usable_ids"]
    problems = refused(path)
    assert all(named(identifier, problems) for identifier in want["must_be_named_in_the_report"])


def test_04_repeated_ids(cases: Path, caplog):
    path = cases / "04_duplicate_ids/eval.jsonl"
    assert list(used(path)) == ["q1", "q2", "q2#2"]
    assert "(id q1): repeats row 1" in caplog.text
    assert "(id q2): id was used before" in caplog.text
    assert "(id q3): contradicts row 5" in refused(path)


def test_05_paths(cases: Path):
    want = expected(cases / "05_image_paths")
    path, root = cases / "05_image_paths/train.jsonl", cases / "05_image_paths" / want["image_root"]
    assert set(want["loadable"]) <= set(used(path, image_root=root))
    problems = refused(path, image_root=root)
    assert all(named(identifier, problems) for identifier in want["missing_or_refused"])


def test_06_base64_and_urls(cases: Path, monkeypatch):
    monkeypatch.setattr("socket.socket", None)
    want = expected(cases / "06_base64_and_url")
    path = cases / "06_base64_and_url/train.jsonl"
    samples = used(path)
    for identifier in want["must_load"]:
        picture = load_image(samples[identifier].question.images[0])
        assert picture.size == tuple(want["decoded_size"])
        assert picture.getpixel((16, 16)) == tuple(want["decoded_pixel"])
    problems = refused(path)
    refusable = want["must_error_naming_id"] + want["must_not_touch_the_network_unless_enabled"]
    assert all(named(identifier, problems) for identifier in refusable)
    assert all(
        (identifier in samples) != named(identifier, problems) for identifier in want["load_or_clear_error"]
    )


def test_07_nine_shapes(cases: Path):
    case = cases / "07_conversation_formats"
    want = expected(case)
    found = {}
    for path in sorted(case.glob("*.jsonl")):
        if path.stem != "gpt_first":
            found |= used(path)
    for identifier in [*want["same_question_answer_and_image"], "f9"]:
        question = found[identifier].question
        assert (question.prompt, found[identifier].answer) == (want["question"], want["answer"])
        assert len(question.images) == want["images"]
        assert question.image_offsets == ()
    assert found[want["system_kept"]].question.system == "Answer with one word."
    assert "begins with the assistant" in refused(case / "gpt_first.jsonl")


def test_08_placeholders(cases: Path):
    want = expected(cases / "08_placeholder_mismatch")
    path = cases / "08_placeholder_mismatch/train.jsonl"
    samples, problems = used(path), refused(path)
    assert set(samples) == {*want["ok"], *want["repairable_by_prepending"]}
    assert all(named(identifier, problems) for identifier in want["must_be_rejected_by_id"])
    assert [Path(image).name for image in samples["m6"].question.images] == want["m6_order"]
    assert samples["m6"].question.image_offsets == (7, 16, 24)
    assert [Path(image).name for image in samples["m7"].question.images] == ["a.png"]


def test_09_gold_forms(cases: Path):
    want = expected(cases / "09_mcq_gold_forms")
    path = cases / "09_mcq_gold_forms/eval.jsonl"
    samples, problems = used(path), refused(path)
    for identifier in want["gold_letter_B"]:
        assert samples[identifier].question.gold == "B"
        assert samples[identifier].question.space.options == ("square", "circle", "star", "cross")
    assert all(named(identifier, problems) for identifier in [*want["must_error_by_id"], "g7"])


def test_10_yes_no_labels(cases: Path):
    want = expected(cases / "10_yes_no_label_forms")
    path = cases / "10_yes_no_label_forms/eval.jsonl"
    golds = {identifier: sample.question.gold for identifier, sample in used(path).items()}
    assert golds == {identifier: gold for gold in ("yes", "no") for identifier in want[gold]}
    problems = refused(path)
    bad = want["must_error_by_id"] + want["other_language_map_or_error"]
    assert all(named(identifier, problems) for identifier in bad)
    yaml = used(cases / "10_yes_no_label_forms/labels.yaml")
    assert {identifier: sample.question.gold for identifier, sample in yaml.items()} == want["yaml"]


def test_11_options_are_text(cases: Path):
    samples = used(cases / "11_option_text_none_na/eval.tsv")
    options = {identifier: list(sample.question.space.options) for identifier, sample in samples.items()}
    assert options == expected(cases / "11_option_text_none_na")["options"]


def test_12_image_modes(cases: Path):
    want = expected(cases / "12_image_modes")
    samples = JsonlSource(cases / "12_image_modes/train.jsonl").samples()
    assert len(samples) == 11
    for sample in samples:
        (source,) = sample.question.images
        picture = load_image(source)
        assert (picture.mode, list(picture.size)) == (want["every_file_loads_as"], want["size"])
        assert all(value >= 255 - want["right_half_is_white_within"] for value in picture.getpixel((56, 24)))
        if Path(source).name in want["left_half_is_red_within_40_for"]:
            red, green, blue = picture.getpixel((8, 24))
            assert (red >= 215, green <= 40, blue <= 40) == (True, True, True)


def test_13_broken_pictures(cases: Path):
    want = expected(cases / "13_broken_images")
    path = cases / "13_broken_images/train.jsonl"
    assert list(used(path)) == want["load"]
    problems = refused(path)
    assert all(named(identifier, problems) for identifier in want["unreadable"])


def test_14_animations(cases: Path):
    want = expected(cases / "14_animated")
    samples = JsonlSource(cases / "14_animated/train.jsonl").samples()
    assert len(samples) == 3
    for sample in samples:
        assert len(sample.question.images) == want["images_per_row"]
        assert load_image(sample.question.images[0]).getpixel((5, 5)) == tuple(want["pixel"])


def test_15_small_pictures(cases: Path):
    samples = JsonlSource(cases / "15_small_images/train.jsonl").samples()
    assert len(samples) == expected(cases / "15_small_images")["rows"]
    for sample in samples:
        size = Path(sample.question.images[0]).stem.removeprefix("s_")
        picture = load_image(sample.question.images[0], 1_000_000)
        assert f"{picture.width}x{picture.height}" == size


def test_27_placeholders_in_text(cases: Path):
    problems = refused(cases / "27_special_strings_in_text/train.jsonl")
    assert all(named(identifier, problems) for identifier in ("z1", "z4"))
    assert all(
        len(s.question.images) == 1 for s in used(cases / "27_special_strings_in_text/train.jsonl").values()
    )


def test_28_preferences(cases: Path, caplog):
    want = expected(cases / "28_preference_pairs")
    path = cases / "28_preference_pairs/pairs.jsonl"
    pairs = {pair.question.id: pair for pair in JsonlSource(path, on_bad_rows="skip").preferences()}
    assert set(pairs) == {*want["valid"], *want["warn_case_only"]}
    for identifier in want["image_only_preference"]:
        assert pairs[identifier].chosen == pairs[identifier].rejected
        assert pairs[identifier].rejected_images
    assert all(
        f"(id {i}): chosen equals rejected" in caplog.text for i in want["no_signal_reported_and_skipped"]
    )
    assert all(f"(id {i}): chosen and rejected differ in case" in caplog.text for i in want["warn_case_only"])
    with pytest.raises(RecordError) as caught:
        JsonlSource(path).preferences()
    assert all(named(identifier, "\n".join(caught.value.problems)) for identifier in want["invalid_by_id"])


def test_29_gold_always_first(cases: Path, caplog):
    want = expected(cases / "29_gold_always_first")
    path = cases / "29_gold_always_first/eval.jsonl"
    JsonlSource(path).samples()
    assert "the right option is A in all 12" in caplog.text
    shuffled = JsonlSource(path, shuffle_choices=0).samples()
    always_a = sum(sample.question.gold == "A" for sample in shuffled) / len(shuffled)
    assert always_a < want["with_shuffle_on_seed_0_always_A_model_accuracy_is_below"]
    for number, sample in enumerate(shuffled):
        index = "ABCD".index(sample.question.gold or "")
        assert sample.question.space.options[index] == f"right {number}"
    assert shuffled == JsonlSource(path, shuffle_choices=0).samples()
