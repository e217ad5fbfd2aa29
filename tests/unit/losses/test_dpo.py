import math

import pytest
import torch

from halluc.errors import ConfigError
from halluc.losses.dpo import SigmoidLoss
from halluc.losses.pairs import PairLogps


def logps(chosen, rejected, reference_chosen, reference_rejected):
    values = (chosen, rejected, reference_chosen, reference_rejected)
    return PairLogps(*(torch.tensor(v, dtype=torch.float64) for v in values))


def test_untrained_policy_has_margin_0_and_loss_log_2():
    out = SigmoidLoss()(logps([-3.0, -7.0], [-2.0, -1.0], [-3.0, -7.0], [-2.0, -1.0]))
    torch.testing.assert_close(out.losses, torch.full((2,), math.log(2), dtype=torch.float64))
    assert (out.chosen_rewards - out.rejected_rewards).abs().max() == 0


def test_published_example():
    # beta 0.1; log-ratios 1.0 and -0.5, margin 0.15: -log(1 / (1 + exp(-0.15)))
    out = SigmoidLoss(beta=0.1)(logps([-10.0], [-12.0], [-11.0], [-11.5]))
    assert out.losses.item() == pytest.approx(math.log(1 + math.exp(-0.15)))
    assert out.chosen_rewards.item() == pytest.approx(0.1)
    assert out.rejected_rewards.item() == pytest.approx(-0.05)


def test_label_smoothing_mixes_both_orders():
    args = ([-10.0], [-12.0], [-11.0], [-11.5])
    expected = 0.9 * math.log(1 + math.exp(-0.15)) + 0.1 * math.log(1 + math.exp(0.15))
    assert SigmoidLoss(beta=0.1, label_smoothing=0.1)(logps(*args)).losses.item() == pytest.approx(expected)


def test_large_margins_stay_finite():
    out = SigmoidLoss(beta=1.0)(logps([0.0, -2000.0], [-2000.0, 0.0], [0.0, 0.0], [0.0, 0.0]))
    assert torch.isfinite(out.losses).all()
    assert out.losses[1].item() == pytest.approx(2000.0)


@pytest.mark.parametrize("options", [{"beta": 0.0}, {"beta": -1.0}, {"label_smoothing": 0.5}])
def test_values_outside_their_range_are_refused(options):
    with pytest.raises(ConfigError, match=r"method\.loss\."):
        SigmoidLoss(**options)
