"""One question at a time, as evaluation harnesses such as lmms-eval do it."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from transformers import GenerationConfig

from halluc.bench.contestant import Contestant
from halluc.bench.workload import Workload
from halluc.models.lvlm import Lvlm

ONE_FORWARD = "one forward a question"
ONE_GENERATION = "one generation a question"
NEW_TOKENS = 2
"""An answer and the end of its turn."""


def one_by_one(lvlm: Lvlm, workload: Workload) -> list[Contestant]:
    """Return both ways: a forward for the first token's probabilities, and greedy generation.

    Each question is prepared beforehand; its picture is encoded with it, as these harnesses do. The
    model must be in evaluation mode.
    """
    prompts = [_inputs(lvlm, workload, number) for number in range(len(workload.questions))]
    candidates = torch.tensor(_first_tokens(lvlm, workload), device=lvlm.device)

    def read(logits: list[Tensor]) -> Tensor:
        logps = torch.stack(logits).float().log_softmax(-1)
        return logps.gather(1, candidates).reshape(-1)

    def forward(inputs: dict[str, Any]) -> Tensor:
        logits: Tensor = lvlm.model(**inputs, logits_to_keep=1, use_cache=False).logits
        return logits[0, -1]

    def generate(inputs: dict[str, Any]) -> Tensor:
        output = lvlm.model.generate(**inputs, generation_config=_greedy(lvlm))
        logits: Tensor = output.logits[0]
        return logits[0]

    def contestant(name: str, answer: Callable[[dict[str, Any]], Tensor]) -> Contestant:
        def step() -> Tensor:
            with torch.no_grad():
                return read([answer(dict(inputs)) for inputs in prompts])

        return Contestant(name, step)

    return [contestant(ONE_FORWARD, forward), contestant(ONE_GENERATION, generate)]


def _inputs(lvlm: Lvlm, workload: Workload, number: int) -> dict[str, Any]:
    question = workload.questions[number]
    vision = lvlm.encoder.vision(question)
    assert vision is not None
    input_ids = torch.tensor([lvlm.encoder.encode_prompt(question, vision)], device=lvlm.device)
    tensors = {name: tensor.to(lvlm.device) for name, tensor in vision.tensors.items()}
    lengths = torch.tensor([input_ids.shape[1]], device=lvlm.device)
    return lvlm.inputs(input_ids, torch.ones_like(input_ids), lengths, [tensors])


def _first_tokens(lvlm: Lvlm, workload: Workload) -> list[list[int]]:
    """Return the first token of ``Yes`` and of ``No`` behind each prompt."""
    return [
        [lvlm.encoder.answer_ids(question, answer)[0] for answer in ("Yes", "No")]
        for question in workload.questions
    ]


def _greedy(lvlm: Lvlm) -> GenerationConfig:
    return GenerationConfig(
        max_new_tokens=NEW_TOKENS,
        do_sample=False,
        eos_token_id=lvlm.encoder.end_of_turn_id,
        pad_token_id=lvlm.encoder.pad_id,
        return_dict_in_generate=True,
        output_logits=True,
    )
