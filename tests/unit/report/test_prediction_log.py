import pytest

from halluc.data.records import AnswerSpace, Prediction, Question
from halluc.errors import ResumeError
from halluc.report.prediction_log import PredictionLog
from halluc.report.results import read_predictions

QUESTIONS = [
    Question(id=name, images=(), prompt=f"Is it {name}?", space=AnswerSpace.yes_no(), gold="yes")
    for name in "abc"
]


def unanswered(questions, predictions):
    return [question for question in questions if question.id not in predictions]


def answer(name, text="yes"):
    return Prediction(id=name, text=text, parsed=text, probabilities={"yes": 0.75, "no": 0.25}, mass=0.5)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "predictions" / "full" / "x.jsonl"


def test_the_finished_file_is_in_published_order(path):
    with PredictionLog(path, QUESTIONS, {"a": "select"}, unanswered) as log:
        for name in "cab":
            log.append(answer(name))
    rows = read_predictions(path)
    assert [(row["id"], row["part"]) for row in rows] == [("a", "select"), ("b", None), ("c", None)]
    assert list(path.parent.iterdir()) == [path]


def test_what_was_answered_is_not_open_any_more(path):
    with PredictionLog(path, QUESTIONS, {}, unanswered) as log:
        log.append(answer("b"))
    assert not path.exists()
    with PredictionLog(path, QUESTIONS, {}, unanswered) as log:
        assert [question.id for question in unanswered(QUESTIONS, log.predictions)] == ["a", "c"]
        assert log.predictions == {"b": answer("b")}


def test_a_torn_last_line_is_asked_again(path):
    with PredictionLog(path, QUESTIONS, {}, unanswered) as log:
        log.append(answer("a"))
        log.append(answer("b"))
    unfinished = path.with_name("x.jsonl.unfinished")
    unfinished.write_bytes(unfinished.read_bytes()[:-9])
    with PredictionLog(path, QUESTIONS, {}, unanswered) as log:
        assert [question.id for question in unanswered(QUESTIONS, log.predictions)] == ["b", "c"]
        log.append(answer("b"))
        log.append(answer("c"))
    assert len(read_predictions(path)) == 3


def test_line_separators_inside_an_answer_are_kept(path):
    text = "one\u2028two\x85three\nfour"
    with PredictionLog(path, QUESTIONS[:1], {}, unanswered) as log:
        log.append(Prediction(id="a", text=text))
    with PredictionLog(path, QUESTIONS[:1], {}, unanswered) as log:
        assert log.predictions["a"].text == text


def test_answers_to_other_words_are_refused(path):
    with PredictionLog(path, QUESTIONS, {}, unanswered) as log:
        log.append(answer("a"))
    others = [Question(id="a", images=(), prompt="Otherwise?", space=AnswerSpace.yes_no(), gold="yes")]
    with pytest.raises(ResumeError, match="answers a, which is not asked now, or not in these words"):
        PredictionLog(path, others, {}, unanswered).__enter__()


def test_a_finished_file_is_not_made_longer(path):
    with PredictionLog(path, QUESTIONS[:2], {}, unanswered) as log:
        log.append(answer("a"))
        log.append(answer("b"))
    with pytest.raises(ResumeError, match="lacks 1 questions"):
        PredictionLog(path, QUESTIONS, {}, unanswered).__enter__()


def test_what_is_not_due_is_left_out_of_the_finished_file(path):
    def due(questions, predictions):
        return [] if "b" in predictions else unanswered(questions, predictions)

    with PredictionLog(path, QUESTIONS, {}, due) as log:
        log.append(answer("c"))
        log.append(answer("b"))
    assert [row["id"] for row in read_predictions(path)] == ["b", "c"]
    with PredictionLog(path, QUESTIONS, {}, due) as log:
        assert set(log.predictions) == {"b", "c"}
    with pytest.raises(ResumeError, match="finished, but lacks 1 questions"):
        PredictionLog(path, QUESTIONS, {}, unanswered).__enter__()
