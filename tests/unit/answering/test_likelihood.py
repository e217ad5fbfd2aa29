import math

import pytest
import torch

from halluc.answering.forms import surface_forms
from halluc.answering.likelihood import LikelihoodAnswerer
from halluc.data.records import AnswerSpace
from halluc.errors import ConfigError
from halluc.packing.sequence import AnswerLogps


class Oracle:
    """Score sequences by a table from answer to probability, and remember what was asked."""

    def __init__(self, table):
        self.table = table
        self.asked = []
        self.bounds = []

    def collate(self, sequences, max_pixels=None):
        self.asked.append(list(sequences))
        self.bounds.append(max_pixels)
        return [self.table[sequence.answer] for sequence in sequences]

    def __call__(self, batch):
        assert not torch.is_grad_enabled()
        logps = torch.tensor([math.log(probability) for probability in batch])
        return AnswerLogps(logps, torch.arange(len(batch)), len(batch))


@pytest.fixture
def lvlm(tiny_lvlm):
    return tiny_lvlm()


YES_NO = {"Yes": 0.3, "yes": 0.1, "YES": 0.05, "No": 0.2, "no": 0.04, "NO": 0.01}


def test_spellings_add_up_and_are_normalised(lvlm, ask):
    (prediction,) = LikelihoodAnswerer(lvlm, Oracle(YES_NO)).answer([ask("Is it?", id="q1")])
    assert (prediction.id, prediction.text, prediction.parsed) == ("q1", "yes", "yes")
    assert prediction.probabilities == pytest.approx({"yes": 0.45 / 0.70, "no": 0.25 / 0.70}, abs=1e-6)
    assert prediction.mass == pytest.approx(0.70, abs=1e-6)


def test_spellings_only_have_to_begin_the_answer(lvlm, ask):
    oracle = Oracle(YES_NO)
    list(LikelihoodAnswerer(lvlm, oracle).answer([ask("Is it?")]))
    assert {sequence.ends_turn for sequence in oracle.asked[0]} == {False}


def test_ties_go_to_the_first_candidate(lvlm, ask):
    question = ask("Which?", space=AnswerSpace.choice(("x", "y")))
    (prediction,) = LikelihoodAnswerer(lvlm, Oracle({"A": 0.5, "B": 0.5})).answer([question])
    assert prediction.parsed == "A"


def test_tiny_probabilities_do_not_vanish(lvlm, ask):
    question = ask("Which?", space=AnswerSpace.choice(("x", "y")))
    (prediction,) = LikelihoodAnswerer(lvlm, Oracle({"A": 1e-300, "B": 3e-300})).answer([question])
    assert prediction.probabilities == pytest.approx({"A": 0.25, "B": 0.75}, abs=1e-3)


def test_numbers_that_begin_others_are_scored_to_the_end(lvlm, ask):
    """The tokenizer writes 11 as 1 and 1 or as one token; either way no probability counts twice."""
    encoder = lvlm.encoder
    question = ask("How many?", space=AnswerSpace.count(12, 1))
    first = {encoder.answer_ids(question, str(n))[0] for n in range(1, 13)}
    begins = len(first) < 12
    oracle = Oracle(dict.fromkeys(_every_count(), 0.01))
    list(LikelihoodAnswerer(lvlm, oracle).answer([question]))
    assert {sequence.ends_turn for sequence in oracle.asked[0]} == {begins}


def test_number_words_that_begin_others_are_scored_to_the_end(lvlm, ask, monkeypatch):
    """With one token a letter, "six" begins "sixteen"; all spellings then need the end of the turn."""
    monkeypatch.setattr(lvlm.encoder, "answer_ids", lambda question, answer: tuple(map(ord, answer)))
    oracle = Oracle(dict.fromkeys(_every_count(), 0.01))
    question = ask("How many?", space=AnswerSpace.count(16, 6))
    (prediction,) = LikelihoodAnswerer(lvlm, oracle).answer([question])
    assert {sequence.ends_turn for sequence in oracle.asked[0]} == {True}
    assert len(oracle.asked[0]) == 11 * 3
    assert prediction.mass == pytest.approx(0.33, abs=1e-6)


def test_spellings_with_equal_tokens_count_once(lvlm, ask, monkeypatch):
    """A tokenizer that lowers all letters knows one spelling only."""
    monkeypatch.setattr(lvlm.encoder, "answer_ids", lambda question, answer: tuple(answer.lower().encode()))
    oracle = Oracle({"Yes": 0.6, "No": 0.2})
    (prediction,) = LikelihoodAnswerer(lvlm, oracle).answer([ask("Is it?")])
    assert [sequence.answer for sequence in oracle.asked[0]] == ["Yes", "No"]
    assert prediction.probabilities == pytest.approx({"yes": 0.75, "no": 0.25}, abs=1e-6)


def test_a_letter_that_begins_its_own_word_counts_once(lvlm, ask, monkeypatch):
    """If T is a token of its own and begins True, then True is counted in T already."""
    monkeypatch.setattr(lvlm.encoder, "answer_ids", lambda question, answer: tuple(map(ord, answer)))
    table = {"T": 0.4, "true": 0.1, "F": 0.3, "false": 0.1}
    oracle = Oracle(table)
    question = ask("Is it?", space=AnswerSpace.true_false())
    (prediction,) = LikelihoodAnswerer(lvlm, oracle).answer([question])
    assert [sequence.answer for sequence in oracle.asked[0]] == ["T", "true", "F", "false"]
    assert prediction.mass == pytest.approx(0.9, abs=1e-6)


def test_questions_come_in_order_and_in_batches(lvlm, ask):
    oracle = Oracle(YES_NO | {"A": 0.1, "B": 0.2, "C": 0.1})
    spaces = [AnswerSpace.yes_no(), AnswerSpace.choice(("x", "y", "z")), AnswerSpace.yes_no()]
    questions = [ask("Is it?", id=str(n), space=spaces[n % 3]) for n in range(5)]
    answers = list(LikelihoodAnswerer(lvlm, oracle, batch_size=2).answer(questions, max_pixels=77))
    assert [prediction.id for prediction in answers] == ["0", "1", "2", "3", "4"]
    assert [prediction.parsed for prediction in answers] == ["yes", "B", "yes", "yes", "B"]
    assert len(oracle.asked) == 3
    assert oracle.bounds == [77, 77, 77]


def test_no_questions_no_answers(lvlm):
    assert list(LikelihoodAnswerer(lvlm, Oracle({})).answer([])) == []


def test_a_caller_may_stop_early(lvlm, ask):
    oracle = Oracle(YES_NO)
    answers = LikelihoodAnswerer(lvlm, oracle, batch_size=1).answer(
        [ask("Is it?", id=str(n)) for n in range(9)]
    )
    assert next(answers).id == "0"
    answers.close()
    assert len(oracle.asked) <= 3


def test_evaluation_mode_lasts_only_while_scoring(lvlm, ask):
    class Watching(Oracle):
        def __call__(self, batch):
            assert not lvlm.hf_model.training
            return super().__call__(batch)

    lvlm.train()
    answers = LikelihoodAnswerer(lvlm, Watching(YES_NO)).answer([ask("Is it?")])
    next(answers)
    assert lvlm.hf_model.training


def test_free_text_is_refused_before_anything_is_scored(lvlm, ask):
    oracle = Oracle(YES_NO)
    questions = [ask("Is it?"), ask("Describe it.", id="d1", space=AnswerSpace.text())]
    with pytest.raises(ConfigError, match=r"question d1 wants free text.*answering=greedy"):
        next(LikelihoodAnswerer(lvlm, oracle).answer(questions))
    assert oracle.asked == []


def test_the_batch_size_must_be_positive(lvlm):
    with pytest.raises(ConfigError, match=r"answering.batch_size"):
        LikelihoodAnswerer(lvlm, Oracle({}), batch_size=0)


def _every_count():
    return [form for forms in surface_forms(AnswerSpace.count(20)).values() for form in forms]
