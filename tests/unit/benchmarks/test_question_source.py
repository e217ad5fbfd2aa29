from pathlib import Path

import pytest

from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.question_source import QuestionSource, Reading
from halluc.data.records import AnswerSpace, Prediction, Question
from halluc.errors import BenchmarkError, RecordError, SourceNotFoundError, UnknownOptionError


def question(name, *, image=None, **tags):
    images = () if image is None else (str(image),)
    return Question(id=name, images=images, prompt="?", space=AnswerSpace.yes_no(), gold="yes", tags=tags)


def source(*questions, problems=(), **options):
    return QuestionSource("pope", lambda: Reading(list(questions), list(problems)), **options)


def answer(name):
    return Prediction(id=name, text="yes", parsed="yes")


def test_files_are_read_once_and_not_before_they_are_needed():
    calls = []

    def read():
        calls.append(1)
        return Reading([question("a")])

    lazy = QuestionSource("pope", read)
    assert not calls
    lazy.every()
    lazy.askable()
    lazy.match([answer("a")])
    assert calls == [1]


def test_match_keeps_published_order_and_takes_any_subset():
    matched = source(question("a"), question("b"), question("c")).match([answer("c"), answer("a")])
    assert [q.id for q, _ in matched] == ["a", "c"]


def test_unknown_and_repeated_ids_are_refused():
    questions = source(question("a"))
    with pytest.raises(BenchmarkError, match=r"1 of 2 predictions have an unknown id, as z.*looks like 'a'"):
        questions.match([answer("a"), answer("z")])
    with pytest.raises(BenchmarkError, match="1 predictions repeat an id"):
        questions.match([answer("a"), answer("a")])


def test_repeated_question_ids_are_refused():
    with pytest.raises(RecordError, match=r"a \(2 times\)"):
        source(question("a"), question("a"), question("b")).every()


def test_missing_pictures_are_counted_and_the_first_named(tmp_path):
    questions = source(*(question(str(n), image=tmp_path / f"{n}.png") for n in range(9)))
    with pytest.raises(
        SourceNotFoundError, match=r"(?s)9 pictures are missing.*0\.png.*bad_rows=skip"
    ) as caught:
        questions.askable()
    assert "4.png" in str(caught.value)
    assert "5.png" not in str(caught.value)
    assert len(questions.every()) == 9


def test_missing_pictures_can_be_skipped_and_are_counted(tmp_path, caplog):
    (tmp_path / "there.png").touch()
    questions = source(
        question("a", image=tmp_path / "there.png"),
        question("b", image=tmp_path / "gone.png"),
        bad_rows="skip",
    )
    assert [q.id for q in questions.askable()] == ["a"]
    assert questions.skipped_score() == {"skipped": 1.0}
    assert "gone.png" in caplog.text


def test_all_unusable_rows_are_listed():
    problems = [f"f, record {n}: bad" for n in range(20)]
    with pytest.raises(RecordError, match="20 rows are unusable") as caught:
        source(question("a"), problems=problems).every()
    assert caught.value.problems == tuple(problems)


def test_unusable_rows_can_be_skipped_and_are_counted(caplog):
    questions = source(question("a"), problems=["f, record 7: bad"], bad_rows="skip")
    assert list(questions.every()) == ["a"]
    assert questions.skipped_score() == {"skipped": 1.0}
    assert "record 7" in caplog.text


def test_nothing_skipped_gives_no_score():
    assert source(question("a")).skipped_score() == {}


@pytest.mark.parametrize("wrong", ["ignore", True, None])
def test_bad_rows_must_be_a_choice(wrong):
    with pytest.raises(UnknownOptionError, match=r"benchmark\.pope\.bad_rows.*error, skip"):
        source(bad_rows=wrong)


def test_torn_wholes_are_refused():
    questions = source(
        question("a", pair="1"), question("b", pair="1"), question("c"), question("d", pair="2")
    )
    questions.refuse_torn(questions.match([answer("a"), answer("b"), answer("c")]), "pair")
    with pytest.raises(BenchmarkError, match="1 questions have no prediction, as b"):
        questions.refuse_torn(questions.match([answer("a"), answer("d")]), "pair")
    questions.refuse_torn(questions.match([answer("a"), answer("d")]), "pair", needless={"b"})


def test_a_row_that_fails_half_way_adds_no_question():
    def make(row):
        yield question(f"{row.line}/1")
        if row.line == 2:
            raise RecordError("no second question")
        yield question(f"{row.line}/2")

    reading = Reading()
    reading.add([Row({}, Path("f.json"), line) for line in (1, 2, 3)], make)
    assert [q.id for q in reading.questions] == ["1/1", "1/2", "3/1", "3/2"]
    assert reading.problems == ["f.json, record 2: no second question"]
