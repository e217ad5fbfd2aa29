import math

import pytest
import torch

from halluc.answering.option_likelihood import OptionLikelihoodAnswerer
from halluc.data.records import AnswerSpace
from halluc.errors import ConfigError
from halluc.packing.plain import PlainScorer
from halluc.packing.sequence import AnswerLogps


class Oracle:
    """Score answers by a table from answer to the log-probabilities of its tokens."""

    def __init__(self, table):
        self.table = table
        self.asked = []

    def collate(self, sequences, max_pixels=None):
        self.asked += sequences
        return [self.table[sequence.answer] for sequence in sequences]

    def __call__(self, batch):
        assert not torch.is_grad_enabled()
        tokens = [value for row in batch for value in row]
        index = [place for place, row in enumerate(batch) for _ in row]
        return AnswerLogps(torch.tensor(tokens), torch.tensor(index), len(batch))


LONG = {"the red one": [-0.5, -0.5, -0.5, -0.5], "blue": [-0.6, -0.6]}


@pytest.fixture
def lvlm(tiny_lvlm):
    return tiny_lvlm()


def choice(ask, *options, **fields):
    return ask("Which?", space=AnswerSpace.choice(options), **fields)


def test_means_are_compared_unless_told_otherwise(lvlm, ask):
    question = choice(ask, *LONG)
    (by_mean,) = OptionLikelihoodAnswerer(lvlm, Oracle(LONG)).answer([question])
    (by_sum,) = OptionLikelihoodAnswerer(lvlm, Oracle(LONG), length_normalized=False).answer([question])
    assert (by_mean.parsed, by_mean.text) == ("A", "the red one")
    assert (by_sum.parsed, by_sum.text) == ("B", "blue")


def test_probabilities_are_those_of_whole_answers(lvlm, ask):
    (prediction,) = OptionLikelihoodAnswerer(lvlm, Oracle(LONG)).answer([choice(ask, *LONG)])
    red, blue = math.exp(-2.0), math.exp(-1.2)
    assert prediction.probabilities == pytest.approx({"A": red / (red + blue), "B": blue / (red + blue)})
    assert prediction.mass == pytest.approx(red + blue)


def test_the_order_of_options_plays_no_part(lvlm, ask):
    one, other = choice(ask, *LONG), choice(ask, *reversed(LONG))
    texts = [p.text for p in OptionLikelihoodAnswerer(lvlm, Oracle(LONG)).answer([one, other])]
    assert texts == ["the red one", "the red one"]


def test_batches_keep_questions_apart_and_the_end_of_the_turn_is_scored(lvlm, ask):
    oracle = Oracle(LONG | {"x": [-1.0], "y": [-0.1], "z": [-3.0]})
    questions = [choice(ask, *LONG), choice(ask, "x", "y", "z"), choice(ask, "z", "x")]
    parsed = [p.parsed for p in OptionLikelihoodAnswerer(lvlm, oracle, batch_size=2).answer(questions)]
    assert parsed == ["A", "B", "B"]
    assert all(sequence.ends_turn for sequence in oracle.asked)


def test_it_is_what_a_model_gives_option_by_option(lvlm, ask, pictures):
    options = ("a red cup", "dog", "the blue and green door")
    question = ask("Which?", pictures[2], space=AnswerSpace.choice(options))
    scorer = PlainScorer(lvlm)
    (prediction,) = OptionLikelihoodAnswerer(lvlm, scorer).answer([question])
    means = []
    for option in options:
        ids = lvlm.encoder.answer_ids(question, option)
        (alone,) = OptionLikelihoodAnswerer(lvlm, scorer).answer(
            [ask("Which?", pictures[2], space=AnswerSpace.choice((option,)))]
        )
        means.append(math.log(alone.mass) / (len(ids) + 1))
    assert prediction.text == options[means.index(max(means))]


def test_what_has_no_options_is_refused(lvlm, ask):
    with pytest.raises(ConfigError, match=r"question yn has no option texts"):
        list(OptionLikelihoodAnswerer(lvlm, Oracle({})).answer([ask("Is it?", id="yn")]))
    with pytest.raises(ConfigError, match="batch_size"):
        OptionLikelihoodAnswerer(lvlm, Oracle({}), batch_size=0)
