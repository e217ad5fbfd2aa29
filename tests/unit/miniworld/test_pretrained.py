import json

import pytest
import torch
from PIL import Image
from safetensors.torch import load_file
from transformers import AutoModelForImageTextToText, AutoProcessor

from halluc.miniworld.lessons.curriculum import lessons_digest
from halluc.miniworld.pretrained import CHECKPOINT, RECORD_FILE, load_miniworld
from halluc.miniworld.pretraining.run import PretrainingPlan
from halluc.miniworld.pretraining.tokenizer import CHAT_TEMPLATE, build_tokenizer


@pytest.fixture(scope="module")
def record():
    return json.loads((CHECKPOINT / RECORD_FILE).read_text())


def test_the_checkpoint_loads_by_the_plain_auto_classes_and_answers():
    model = AutoModelForImageTextToText.from_pretrained(CHECKPOINT, dtype=torch.float32)
    processor = AutoProcessor.from_pretrained(CHECKPOINT)
    turns = [
        {
            "role": "user",
            "content": [{"type": "image"}, {"type": "text", "text": "Is there a key in the image?"}],
        }
    ]
    prompt = processor.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    batch = processor(
        text=[prompt], images=[Image.new("RGB", (84, 84), (160, 170, 180))], return_tensors="pt"
    )
    answer = model.generate(**batch, max_new_tokens=3, do_sample=False)[0, batch["input_ids"].shape[1] :]
    assert processor.tokenizer.decode(answer, skip_special_tokens=True) in ("Yes", "No")


def test_the_checkpoint_is_small_and_in_bfloat16():
    files = list(CHECKPOINT.iterdir())
    assert sum(file.stat().st_size for file in files) < 5_000_000
    assert {file.suffix for file in files} <= {".json", ".jinja", ".safetensors"}
    assert {tensor.dtype for tensor in load_file(CHECKPOINT / "model.safetensors").values()} == {
        torch.bfloat16
    }


def test_the_checkpoint_speaks_the_language_of_the_code():
    processor = AutoProcessor.from_pretrained(CHECKPOINT)
    assert processor.tokenizer.get_vocab() == build_tokenizer().get_vocab()
    assert processor.chat_template == CHAT_TEMPLATE


def test_the_record_names_the_command_of_the_default_plan(record):
    plan = PretrainingPlan(**record["plan"])
    assert record["command"].startswith("python -m halluc pretrain ")
    assert f"--steps {plan.steps}" in record["command"]
    assert plan == PretrainingPlan()


def test_the_code_still_teaches_what_the_checkpoint_learned(record):
    assert record["lessons"] == lessons_digest(record["plan"]["seed"])


def test_the_recorded_model_is_competent_and_ill(record):
    scores = record["scores"]["normal"]
    assert scores["pope/pooled/recall"] >= 0.85
    assert scores["pope/random/accuracy"] >= 0.85
    assert scores["own/accuracy"] >= 0.6
    assert scores["pope/adversarial/accuracy"] <= 0.75
    assert scores["phd/icc/index"] <= 0.5
    assert scores["phd/ccs/index"] <= 0.5


def test_load_miniworld_reads_pictures_as_nine_tokens():
    lvlm = load_miniworld()
    assert lvlm.max_pixels == 7056
    assert next(lvlm.parameters()).dtype == torch.float32
