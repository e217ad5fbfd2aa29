"""Our preference step against TRL's own trainer: same weights, same pictures, same answers."""

import math

import pytest
import torch
from datasets import Dataset
from PIL import Image
from trl import DPOConfig, DPOTrainer

from halluc.data.records import AnswerSpace, Preference, Question
from halluc.losses.dpo import SigmoidLoss
from halluc.methods.preference import PreferenceFineTuning
from halluc.models.adapters import LoraAdapter
from halluc.models.load import load_lvlm
from halluc.models.tiny.build import build_tiny
from halluc.packing.plain import PlainScorer

# TRL asks for the attribute by the name that transformers 5.24 deprecates:
# https://huggingface.co/docs/transformers/main_classes/model
pytestmark = pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing.:FutureWarning")

BETA = 0.1
ASKED = [
    ("Is there a dog in the picture?", "Yes", "No"),
    ("Which letter is printed? A, B, C or D?", "B", "D"),
    ("How many cats are there?", "There are two.", "None"),
]


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    paths = []
    for index, colour in enumerate(["red", "green", "blue"]):
        paths.append(folder / f"{index}.png")
        Image.new("RGB", (84 + 28 * index, 84), colour).save(paths[-1])
    return paths


@pytest.fixture(scope="module")
def lvlm(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny")
    build_tiny("qwen2_vl", folder)
    template = folder / "chat_template.jinja"
    # TRL also trains on the line break that the template writes behind the end of turn; we do not.
    template.write_text(template.read_text().replace("<|im_end|>\n", "<|im_end|>"))
    model = load_lvlm(str(folder), dtype="float32")
    LoraAdapter(r=4, lora_alpha=8, lora_dropout=0.0).attach(model)
    return model


@pytest.fixture(scope="module")
def trl_loss(lvlm, pictures, tmp_path_factory):
    """Return a function that computes TRL's DPO loss with the adapter as it is now."""
    rows = [
        {
            "images": [Image.open(path).copy()],
            "prompt": [{"role": "user", "content": prompt}],
            "chosen": [{"role": "assistant", "content": chosen}],
            "rejected": [{"role": "assistant", "content": rejected}],
        }
        for path, (prompt, chosen, rejected) in zip(pictures, ASKED, strict=True)
    ]
    config = DPOConfig(
        output_dir=str(tmp_path_factory.mktemp("trl")),
        beta=BETA,
        max_length=None,
        use_cpu=True,
        bf16=False,
        activation_checkpointing=False,
        report_to="none",
        remove_unused_columns=False,
    )
    trainer = DPOTrainer(
        model=lvlm.model, args=config, train_dataset=Dataset.from_list(rows), processing_class=lvlm.processor
    )
    batch = trainer.data_collator([dict(row) for row in rows])
    return lambda: trainer.compute_loss(trainer.model, dict(batch))


def ours(lvlm, pictures):
    pairs = [
        Preference(
            question=Question(
                id=str(index), images=(str(path),), prompt=prompt, space=AnswerSpace.text(), group=str(path)
            ),
            chosen=chosen,
            rejected=rejected,
        )
        for index, (path, (prompt, chosen, rejected)) in enumerate(zip(pictures, ASKED, strict=True))
    ]
    method = PreferenceFineTuning(
        lvlm, PlainScorer(lvlm), loss=SigmoidLoss(beta=BETA), optimizer=torch.optim.SGD, scheduler=None
    )
    outcome = method.outcome(method.collate(pairs))
    return outcome, outcome.loss.total / outcome.loss.weight


def test_at_step_0_the_margin_is_0_and_the_loss_is_log_2(lvlm, pictures, trl_loss):
    outcome, loss = ours(lvlm, pictures)
    assert outcome.sums["rewards/margins"].item() == 0.0
    assert loss.item() == pytest.approx(math.log(2), abs=1e-7)
    assert trl_loss().item() == pytest.approx(loss.item(), abs=1e-6)


def test_loss_and_gradients_equal_trl_once_the_adapter_differs_from_the_reference(lvlm, pictures, trl_loss):
    torch.manual_seed(1)
    trained = [p for name, p in lvlm.model.named_parameters() if "lora_B.default" in name]
    with torch.no_grad():
        for parameter in trained:
            parameter.normal_(0, 0.2)
    outcome, loss = ours(lvlm, pictures)
    assert abs(outcome.sums["rewards/margins"].item()) > 1e-3  # else the test would compare log 2 with log 2
    gradients = torch.autograd.grad(loss, trained)
    expected = trl_loss()
    assert expected.item() == pytest.approx(loss.item(), abs=1e-6)
    for mine, theirs in zip(gradients, torch.autograd.grad(expected, trained), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-7)
