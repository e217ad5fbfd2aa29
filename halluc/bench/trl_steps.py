"""The same training step in TRL's own trainers, on a copy of the same weights."""

import copy
import importlib.util
import tempfile
from typing import Any

import torch
from PIL import Image
from torch import Tensor

from halluc.bench.contestant import Contestant
from halluc.bench.ours import BETA
from halluc.bench.workload import Workload
from halluc.models.lvlm import Lvlm

SFT = "TRL SFTTrainer"
DPO = "TRL DPOTrainer"


def trl_installed() -> bool:
    """Say whether TRL is there to be compared with; it is an optional dependency."""
    return importlib.util.find_spec("trl") is not None


def trl_sft(lvlm: Lvlm, workload: Workload) -> Contestant:
    """Return TRL's step of supervised fine-tuning; it gives the loss."""
    from trl import SFTConfig, SFTTrainer  # noqa: PLC0415 - optional, and slow to import

    rows = [
        _row(question.prompt, completion=answer, picture=question.images[0])
        for question, answer in zip(workload.questions, workload.chosen, strict=True)
    ]
    return _contestant(SFT, SFTTrainer, SFTConfig(**_settings(lvlm)), lvlm, rows)


def trl_dpo(lvlm: Lvlm, workload: Workload) -> Contestant:
    """Return TRL's step of preference fine-tuning, the adapter switched off as reference."""
    from trl import DPOConfig, DPOTrainer  # noqa: PLC0415 - optional, and slow to import

    answers = zip(workload.questions, workload.chosen, workload.rejected, strict=True)
    rows = [
        _row(question.prompt, chosen=chosen, rejected=rejected, picture=question.images[0])
        for question, chosen, rejected in answers
    ]
    return _contestant(DPO, DPOTrainer, DPOConfig(beta=BETA, **_settings(lvlm)), lvlm, rows)


def _row(prompt: str, *, picture: str, **answers: str) -> dict[str, Any]:
    said = {name: [{"role": "assistant", "content": text}] for name, text in answers.items()}
    with Image.open(picture) as opened:
        return {"images": [opened.convert("RGB")], "prompt": [{"role": "user", "content": prompt}], **said}


def _settings(lvlm: Lvlm) -> dict[str, Any]:
    return {
        "output_dir": tempfile.mkdtemp(),
        "max_length": None,
        "use_cpu": lvlm.device.type == "cpu",
        "bf16": False,  # the weights have their number format already
        "activation_checkpointing": False,
        "report_to": "none",
        "remove_unused_columns": False,
    }


def _contestant(name: str, trainer_class: Any, config: Any, lvlm: Lvlm, rows: list[Any]) -> Contestant:  # noqa: ANN401 - TRL is untyped
    from datasets import Dataset  # noqa: PLC0415 - comes with TRL

    model = copy.deepcopy(lvlm.model)  # the trainer patches its model's forward
    weights = {key: parameter.detach().clone() for key, parameter in model.named_parameters()}
    for key, parameter in model.named_parameters():
        if "lora_B" in key:  # the trainer takes the adapter that it is given as the reference
            parameter.data.zero_()
    trainer = trainer_class(
        model=model,
        args=config,
        train_dataset=Dataset.from_list(rows),
        processing_class=lvlm.processor,
    )
    model.load_state_dict(weights, strict=False)
    model.train()
    batch = trainer.data_collator([dict(row) for row in rows])
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=0.0, fused=True)

    def step() -> Tensor:
        optimizer.zero_grad()
        loss: Tensor = trainer.compute_loss(model, trainer._prepare_inputs(dict(batch)))
        loss.backward()  # type: ignore[no-untyped-call]  # PyTorch
        optimizer.step()
        return loss.detach().float().reshape(1)

    return Contestant(name, step)
