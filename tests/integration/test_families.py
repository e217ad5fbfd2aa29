"""What every family must do, on a random checkpoint of its real architecture."""

from dataclasses import replace

import pytest
import torch
from PIL import Image

from halluc.answering.generate import GreedyAnswerer
from halluc.answering.likelihood import LikelihoodAnswerer
from halluc.data.records import AnswerSpace
from halluc.errors import ModelSupportError
from halluc.models.adapters import LoraAdapter
from halluc.models.chat import content_parts
from halluc.models.tiny.build import FAMILIES
from halluc.packing.plain import PlainScorer
from halluc.packing.sequence import ScoredSequence

EVERY = pytest.mark.parametrize("family", sorted(FAMILIES))
MOVES_PICTURES = {"llava", "llava_next", "llava_onevision"}  # so do their published chat templates
DECODER_LINEARS = {"mllama": 3 * 7}


@pytest.fixture
def sequences(ask, pictures):
    """Mix no, one and two pictures, shared prompts, shared rows, and an answer of several tokens."""
    first, second, _ = pictures
    what = ask("What is left?", second)
    return [
        ScoredSequence(ask("Is there a red kite in the picture? Answer yes or no.", first), "Yes"),
        ScoredSequence(ask("Is a circle round?"), "No"),
        ScoredSequence(ask("Are both pictures the same?", first, second), "No, they differ."),
        ScoredSequence(what, "Yes", ends_turn=False),
        ScoredSequence(what, "No", ends_turn=False),
        ScoredSequence(what, "The door."),
        ScoredSequence(ask("Is there a blue drum?", first), "No"),
    ]


def logps_of(scorer, sequences):
    with torch.no_grad():
        return scorer(scorer.collate(sequences))


def naive_logps(lvlm, sequence):
    """Compute an answer's log-probabilities the plain way: the processor, one forward, log_softmax.

    Only the processor's public call is used for the prompt; the answer's tokens are those that the
    whole text has more.
    """
    processor, model = lvlm.processor, lvlm.hf_model
    question = sequence.question
    images = [[Image.open(path).convert("RGB") for path in question.images]] if question.images else None
    if processor.chat_template:
        conversation = [{"role": "user", "content": content_parts(question)}]
        prompt = processor.apply_chat_template(conversation, add_generation_prompt=True, tokenize=False)
    else:
        prompt = "<image>" * len(question.images) + question.prompt
    begun = bool(processor.tokenizer.bos_token and prompt.startswith(processor.tokenizer.bos_token))
    full = prompt + lvlm.encoder.chat.frame.lead + sequence.answer
    full += lvlm.encoder.chat.frame.end if sequence.ends_turn else ""
    options = {"return_tensors": "pt", "add_special_tokens": not begun}
    if lvlm.family.resizes:
        options["images_kwargs"] = {"size": {"shortest_edge": 28 * 28, "longest_edge": 112 * 112}}
    if processor.chat_template:
        start = processor(text=[prompt], images=images, **options)["input_ids"].shape[1]
        inputs = processor(text=[full], images=images, **options)
    elif images:
        inputs = processor(text=[prompt], images=images, suffix=[sequence.answer])
        inputs.pop("labels")
        inputs.convert_to_tensors("pt")
        start = int((inputs["token_type_ids"] == 0).sum())
    else:  # PaliGemma's processor wants a picture; its prompt is then the text between these two tokens
        ids = processor.tokenizer(f"<bos>{question.prompt}\n", add_special_tokens=False)["input_ids"]
        start = len(ids)
        ids += processor.tokenizer(sequence.answer + "<eos>", add_special_tokens=False)["input_ids"]
        types = [0] * start + [1] * (len(ids) - start)
        inputs = {"input_ids": torch.tensor([ids]), "token_type_ids": torch.tensor([types])}
    ids = inputs["input_ids"][0]
    end = len(ids) if sequence.ends_turn or processor.chat_template else len(ids) - 1
    with torch.no_grad():
        logits = model(**inputs).logits[0].float()
    return logits.log_softmax(-1)[torch.arange(start - 1, end - 1), ids[start:end]]


@EVERY
def test_log_probabilities_equal_a_naive_computation(family, tiny_lvlm, sequences):
    lvlm = tiny_lvlm(family)
    ours = logps_of(PlainScorer(lvlm), sequences)
    assert ours.count == len(sequences)
    for index, sequence in enumerate(sequences):
        expected = naive_logps(lvlm, sequence)
        got = ours.token_logps[ours.sequence_index == index]
        torch.testing.assert_close(got, expected, atol=1e-5, rtol=1e-5)


@EVERY
def test_log_probabilities_do_not_depend_on_the_batch(family, tiny_lvlm, sequences):
    lvlm = tiny_lvlm(family)
    together = logps_of(PlainScorer(lvlm), sequences).sums()
    alone = torch.cat([logps_of(PlainScorer(lvlm), [sequence]).sums() for sequence in sequences])
    cut = logps_of(PlainScorer(lvlm, rows_per_forward=2), sequences).sums()
    turned = logps_of(PlainScorer(lvlm), sequences[::-1]).sums().flip(0)
    for other in (alone, cut, turned):
        torch.testing.assert_close(together, other, atol=1e-5, rtol=0)


@EVERY
def test_another_picture_gives_other_log_probabilities(family, tiny_lvlm, ask, pictures):
    scorer = PlainScorer(tiny_lvlm(family))
    first, _, third = pictures
    one, other = (ScoredSequence(ask("Is there a kite?", image), "Yes") for image in (first, third))
    changes = logps_of(scorer, [one]).sums() - logps_of(scorer, [other]).sums()
    assert changes.abs().item() > 1e-4


@EVERY
def test_adapter_is_on_the_decoder_alone_and_training_lowers_the_loss(family, tiny_lvlm, sequences):
    torch.manual_seed(0)
    lvlm = tiny_lvlm(family)
    report = LoraAdapter(r=4, lora_dropout=0.0).attach(lvlm)
    assert report.count == DECODER_LINEARS.get(family, 2 * 7)
    assert all(name.startswith(lvlm.decoder_name + ".layers.") for name in report.names)
    trainable = [parameter for parameter in lvlm.parameters() if parameter.requires_grad]
    assert sum(parameter.numel() for parameter in trainable) == report.parameters
    optimizer = torch.optim.SGD(trainable, lr=0.02)
    scorer = PlainScorer(lvlm)
    batch = scorer.collate(sequences)
    losses = []
    for _ in range(3):
        loss = -scorer(batch).token_logps.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[2] < losses[1] < losses[0]
    with_gradient = {name for name, parameter in lvlm.named_parameters() if parameter.grad is not None}
    assert with_gradient == {name for name, p in lvlm.named_parameters() if p.requires_grad}
    assert all("lora_" in name for name in with_gradient)


@EVERY
def test_likelihood_answers_do_not_depend_on_the_batch(family, tiny_lvlm, ask, pictures):
    lvlm = tiny_lvlm(family)
    first, second, _ = pictures
    questions = [
        ask("Is there a red kite in the picture?", first),
        ask("Is a circle round? True or False.", space=AnswerSpace.true_false()),
        ask("Which one? A. kite B. door C. drum", first, second, space=AnswerSpace.choice(("a", "b", "c"))),
        ask("How many?", second, space=AnswerSpace.count(12)),
    ]
    scorer = PlainScorer(lvlm)
    together = list(LikelihoodAnswerer(lvlm, scorer).answer(questions))
    alone = list(LikelihoodAnswerer(lvlm, scorer, batch_size=1).answer(questions))
    assert [prediction.id for prediction in together] == [question.id for question in questions]
    for prediction, other, question in zip(together, alone, questions, strict=True):
        assert tuple(prediction.probabilities) == question.space.candidates
        assert sum(prediction.probabilities.values()) == pytest.approx(1)
        assert prediction.probabilities == pytest.approx(other.probabilities, abs=1e-5)
        assert 0 < prediction.mass < 1


@EVERY
def test_greedy_answers_do_not_depend_on_the_batch(family, tiny_lvlm, ask, pictures, monkeypatch):
    lvlm = tiny_lvlm(family)
    # Random models like control tokens, which decoding would hide: compare the token ids instead.
    monkeypatch.setattr(lvlm.processor.tokenizer, "decode", lambda row, **_: str(row))
    first, second, _ = pictures
    questions = [
        ask("Is there a red kite in the picture? Look closely before you answer.", first),
        ask("Is a circle round?"),
        ask("Same?", first, second),
        ask("What is it?", second),
        ask("And this, what colour has the drum that stands in front?", first),
    ]
    together = [p.text for p in GreedyAnswerer(lvlm, max_new_tokens=6).answer(questions)]
    alone = [p.text for p in GreedyAnswerer(lvlm, batch_size=1, max_new_tokens=6).answer(questions)]
    assert together == alone
    assert len(set(together)) > 1


@EVERY
def test_greedy_text_is_the_argmax_of_the_scorer(family, tiny_lvlm, ask, pictures):
    """The first generated token is the one that scoring finds most probable."""
    lvlm = tiny_lvlm(family)
    question = ask("Is there a red kite in the picture?", pictures[0])
    vision = lvlm.encoder.vision(question)
    prompt = torch.tensor([lvlm.encoder.encode_prompt(question, vision)])
    width = prompt.shape[1]
    with torch.no_grad():
        logits = lvlm(
            prompt,
            torch.ones_like(prompt),
            torch.tensor([width]),
            [vision.tensors],
            torch.tensor([width - 1]),
        )
    best = lvlm.processor.tokenizer.decode([int(logits.argmax())], skip_special_tokens=True).strip()
    (prediction,) = GreedyAnswerer(lvlm, max_new_tokens=1).answer([question])
    assert prediction.text == best


@EVERY
def test_pictures_of_any_shape_are_used(family, tiny_lvlm, ask, tmp_path):
    """Tiny, narrow and wide pictures are scored: none dropped, none cut (an error would show here)."""
    scorer = PlainScorer(tiny_lvlm(family))
    sequences = []
    for width, height in [(2, 2), (5, 40), (332, 27), (28, 28), (27, 29)]:
        path = tmp_path / f"{width}x{height}.png"
        Image.new("RGB", (width, height), (200, 30, 40)).save(path)
        sequences.append(ScoredSequence(ask("Is it red?", str(path), id=path.stem), "Yes"))
    logps = logps_of(scorer, sequences).sums()
    assert torch.isfinite(logps).all()
    alone = logps_of(scorer, sequences[2:3]).sums()
    torch.testing.assert_close(logps[2:3], alone, atol=1e-5, rtol=0)


@EVERY
def test_interleaved_pictures_keep_their_places_or_are_refused(family, tiny_lvlm, ask, pictures):
    scorer = PlainScorer(tiny_lvlm(family))
    question = ask("First a kite, then a door.", *pictures[:2], image_offsets=(5, 18))
    if family in MOVES_PICTURES:
        with pytest.raises(ModelSupportError, match="moves pictures"):
            scorer.collate([ScoredSequence(question, "Yes")])
        return
    moved = replace(question, image_offsets=(0, 5))
    here, there = logps_of(scorer, [ScoredSequence(q, "Yes") for q in (question, moved)]).sums()
    assert abs(here - there) > 1e-5
