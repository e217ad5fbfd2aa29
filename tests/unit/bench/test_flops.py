"""Operations counted by hand, and by PyTorch's own counter."""

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from halluc.bench.flops import ModelCost, Work, model_cost, rows_work, trees_work
from halluc.data.records import AnswerSpace, Question
from halluc.models.families.pictures import PICTURES
from halluc.packing.picture_sets import FeatureSource
from halluc.packing.plain import PlainScorer
from halluc.packing.sequence import ScoredSequence
from halluc.packing.tree_scorer import TreeScorer


def test_passes_by_hand():
    """Three tokens, of which two are kept, that see 1 + 2 + 3 tokens."""
    cost = ModelCost(token=10.0, pair=100.0, logits=1000.0, picture=7.0)
    work = Work(tokens=3, pairs=6, kept=2, rows=1)

    assert cost.forward(work) == 30 + 600 + 2000
    assert cost.backward(work) == 30 + 1200 + 2000
    assert cost.forward_backward(work) == 30 + 600 + 2000 + 30 + 1200 + 2000


@pytest.fixture
def sequences(pictures):
    question = Question(id="q", images=(pictures[2],), prompt="Is there a cat?", space=AnswerSpace.yes_no())
    return [ScoredSequence(question, answer, ends_turn=True) for answer in ("Yes", "No")]


def test_rows_and_trees_of_two_answers(sequences, tiny_lvlm):
    """Both answers are a token; the end of turn is predicted from it, so a row ends with the answer."""
    lvlm = tiny_lvlm()
    prompt = len(
        lvlm.encoder.encode_prompt(sequences[0].question, lvlm.encoder.vision(sequences[0].question))
    )
    length = prompt + 1

    rows = rows_work(PlainScorer(lvlm).collate(sequences))
    trees = trees_work(TreeScorer(lvlm).collate(sequences))

    assert rows == Work(tokens=2 * length, pairs=length * (length + 1), kept=4, rows=2)
    assert trees == Work(tokens=prompt + 2, pairs=prompt * (prompt + 1) // 2 + 2 * length, kept=3, rows=1)


def test_model_cost_agrees_with_the_counter_of_pytorch(sequences, tiny_lvlm):
    """PyTorch counts attention over all pairs, and so do we for this comparison."""
    lvlm = tiny_lvlm()
    batch = TreeScorer(lvlm).collate(sequences)
    cost = model_cost(lvlm, batch.pictures, FeatureSource(lvlm, PICTURES["qwen2_vl"], None))
    work = trees_work(batch)
    dense = Work(work.tokens, work.tokens**2, work.kept, work.rows)

    with FlopCounterMode(display=False) as counter, sdpa_kernel(SDPBackend.MATH), torch.no_grad():
        TreeScorer(lvlm)(batch)

    # The counter also sees the rotary frequencies, one multiplication a frequency, axis and token.
    assert counter.get_total_flops() == pytest.approx(cost.forward(dense) + cost.picture, rel=1e-3)
