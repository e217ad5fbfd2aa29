import pytest
import torch
from transformers import AutoConfig

from halluc.errors import ConfigError, UnknownOptionError
from halluc.models.adapters import LoraAdapter
from halluc.models.families.table import family_for
from halluc.models.quantization import Quantization, modules_outside_decoder
from halluc.models.tiny.build import FAMILIES
from halluc.packing.plain import PlainScorer
from halluc.packing.sequence import ScoredSequence

bnb = pytest.importorskip("bitsandbytes")


@pytest.mark.parametrize(
    ("family", "kept"),
    [
        ("qwen2_vl", ["lm_head", "model.visual"]),
        ("llava", ["lm_head", "model.multi_modal_projector", "model.vision_tower"]),
        ("idefics3", ["lm_head", "model.connector", "model.vision_model"]),
    ],
)
def test_what_stays_unquantised_is_named_in_full(family, kept, tiny_checkpoint):
    config = AutoConfig.from_pretrained(tiny_checkpoint(family))
    assert modules_outside_decoder(config, family_for(family)) == kept


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_output_layer_and_vision_are_kept_in_every_family(family, tiny_checkpoint):
    kept = modules_outside_decoder(AutoConfig.from_pretrained(tiny_checkpoint(family)), family_for(family))
    assert "lm_head" in kept
    assert sum("visual" in name or "vision" in name for name in kept) == 1
    assert not any("language_model" in name or "text_model" in name for name in kept)


@pytest.mark.parametrize(
    ("quantization", "kind"),
    [(Quantization(bits=4), bnb.nn.Linear4bit), (Quantization(bits=8), bnb.nn.Linear8bitLt)],
)
@pytest.mark.parametrize("family", ["qwen2_vl", "llava"])
def test_the_decoder_alone_is_quantised(family, quantization, kind, tiny_lvlm):
    lvlm = tiny_lvlm(family, quantization=quantization)
    names = [name for name, module in lvlm.hf_model.named_modules() if isinstance(module, kind)]
    assert len(names) == 2 * 7
    assert all(name.startswith("model.language_model.layers.") for name in names)


def test_qlora_trains_and_evaluates_in_turns_on_a_cpu(tiny_lvlm, ask, pictures):
    """Evaluation in between must not repack the weights, which would break the next training step."""
    torch.manual_seed(0)
    lvlm = tiny_lvlm(quantization=Quantization(bits=4, compute_dtype="float32"))
    LoraAdapter(r=4, lora_dropout=0.0).attach(lvlm)
    trainable = [parameter for parameter in lvlm.parameters() if parameter.requires_grad]
    optimizer = torch.optim.SGD(trainable, lr=0.05)
    scorer = PlainScorer(lvlm)
    batch = scorer.collate([ScoredSequence(ask("Is there a kite?", pictures[0]), "Yes")])
    losses = []
    for _ in range(3):
        loss = -scorer(batch).token_logps.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        with torch.no_grad(), lvlm.evaluating():
            scorer(batch)
        lvlm.train()
    assert losses[2] < losses[0]
    layers = [module for module in lvlm.modules() if isinstance(module, bnb.nn.Linear4bit)]
    assert not any(layer.support_avx512bf16_for_cpu for layer in layers)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"bits": 3}, ConfigError),
        ({"quant_type": "int4"}, UnknownOptionError),
        ({"compute_dtype": "bf16"}, UnknownOptionError),
    ],
)
def test_options_are_checked_at_once(wrong, error):
    with pytest.raises(error, match="quantization"):
        Quantization(**wrong)
