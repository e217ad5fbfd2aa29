import json
import logging
import shutil

import pytest
import torch

from halluc.answering.generate import GreedyAnswerer
from halluc.errors import ConfigError
from halluc.models.load import load_lvlm


@pytest.fixture
def lvlm(tiny_lvlm):
    return tiny_lvlm()


def force(lvlm, *tokens):
    """Make the model say these token ids in turn, whatever it is asked."""
    said = []

    def hook(module, arguments, output):
        forced = torch.full_like(output.logits, -1.0)
        forced[..., tokens[len(said) % len(tokens)]] = 1.0
        said.append(1)
        output.logits = forced
        return output

    lvlm.hf_model.register_forward_hook(hook)


def token(lvlm, text):
    (one,) = lvlm.processor.tokenizer(text, add_special_tokens=False)["input_ids"]
    return one


def test_the_answer_ends_with_the_turn(lvlm, ask, caplog):
    force(lvlm, token(lvlm, "Yes"), token(lvlm, "<|im_end|>"), token(lvlm, "No"))
    (prediction,) = GreedyAnswerer(lvlm, max_new_tokens=9).answer([ask("Is it?", id="q1")])
    assert (prediction.id, prediction.text, prediction.parsed) == ("q1", "Yes", None)
    assert "cut" not in caplog.text


def test_space_around_the_answer_is_dropped(lvlm, ask):
    force(lvlm, token(lvlm, " No"), token(lvlm, "<|im_end|>"))
    (prediction,) = GreedyAnswerer(lvlm).answer([ask("Is it?")])
    assert prediction.text == "No"


def test_an_endless_answer_is_cut_and_counted(lvlm, ask, caplog):
    force(lvlm, token(lvlm, "Yes"))
    with caplog.at_level(logging.WARNING, logger="halluc.answering.generate"):
        answers = list(GreedyAnswerer(lvlm, max_new_tokens=3).answer([ask("Is it?"), ask("Or?")]))
    assert [prediction.text for prediction in answers] == ["YesYesYes"] * 2
    assert "2 of 2 answers were cut at max_new_tokens=3" in caplog.text


def test_an_answer_that_ends_with_the_last_token_is_whole(lvlm, ask, caplog):
    force(lvlm, token(lvlm, "Yes"), token(lvlm, "<|im_end|>"))
    list(GreedyAnswerer(lvlm, max_new_tokens=2).answer([ask("Is it?")]))
    assert "cut" not in caplog.text


def test_an_answer_may_be_empty(lvlm, ask):
    force(lvlm, token(lvlm, "<|im_end|>"))
    (prediction,) = GreedyAnswerer(lvlm).answer([ask("Is it?")])
    assert prediction.text == ""


def test_a_template_without_end_of_turn_stops_at_the_end_of_text(tiny_lvlm, ask):
    lvlm = tiny_lvlm("llava")
    force(lvlm, token(lvlm, " Yes"), token(lvlm, "</s>"))
    (prediction,) = GreedyAnswerer(lvlm, max_new_tokens=9).answer([ask("Is it?")])
    assert prediction.text == "Yes"


def test_published_generation_settings_do_not_matter(tiny_checkpoint, tmp_path, ask, pictures):
    questions = [ask("Is there a kite?", pictures[0]), ask("Is a circle round?")]
    texts = []
    for number, settings in enumerate(
        [
            {},
            {
                "repetition_penalty": 9.0,
                "no_repeat_ngram_size": 1,
                "temperature": 0.1,
                "top_k": 1,
                "do_sample": True,
            },
        ]
    ):
        folder = shutil.copytree(tiny_checkpoint("qwen2_vl"), tmp_path / str(number))
        path = folder / "generation_config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | settings))
        lvlm = load_lvlm(str(folder), dtype="float32", max_pixels=112 * 112)
        texts.append([p.text for p in GreedyAnswerer(lvlm, max_new_tokens=24).answer(questions)])
    assert texts[0] == texts[1]


def test_the_mode_of_the_model_is_restored(lvlm, ask):
    lvlm.train()
    list(GreedyAnswerer(lvlm, max_new_tokens=1).answer([ask("Is it?")]))
    assert lvlm.hf_model.training


def test_no_questions_no_answers(lvlm):
    assert list(GreedyAnswerer(lvlm).answer([])) == []


@pytest.mark.parametrize("wrong", [{"batch_size": 0}, {"max_new_tokens": 0}])
def test_numbers_must_be_positive(lvlm, wrong):
    with pytest.raises(ConfigError, match="answering has"):
        GreedyAnswerer(lvlm, **wrong)
