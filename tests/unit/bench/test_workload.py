"""The work that all ways are given."""

from pathlib import Path

from PIL import Image

from halluc.bench.workload import draw_workload


def test_questions_differ_and_share_their_picture(tmp_path: Path):
    workload = draw_workload(tmp_path, k=12, image_px=56)

    assert len({question.prompt for question in workload.questions}) == 12
    (images,) = {question.images for question in workload.questions}
    with Image.open(images[0]) as picture:
        assert picture.size == (56, 56)


def test_the_same_seed_draws_the_same(tmp_path: Path):
    first, again, other = (draw_workload(tmp_path, k=6, image_px=28, seed=seed) for seed in (1, 1, 2))

    assert first == again
    assert first.questions != other.questions


def test_pairs_are_all_chosen_then_all_rejected(tmp_path: Path):
    workload = draw_workload(tmp_path, k=4, image_px=28)

    answers = [sequence.answer for sequence in workload.pairs()]
    assert answers[:4] == list(workload.chosen)
    assert all(
        {chosen, other} == {"Yes", "No"} for chosen, other in zip(answers[:4], answers[4:], strict=True)
    )
    assert [s.answer for s in workload.candidates()] == ["Yes", "No"] * 4
    assert not any(sequence.ends_turn for sequence in workload.candidates())
