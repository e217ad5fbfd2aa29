import pickle
from dataclasses import replace

import pytest
import torch
from lightning.fabric.utilities.apply_func import move_data_to_device

from halluc.data.records import Question
from halluc.errors import ConfigError, ImageError, RecordError
from halluc.models import prompts
from halluc.models.load import load_lvlm
from halluc.packing.plain import NO_VISION, PlainScorer
from halluc.packing.sequence import ScoredSequence


@pytest.fixture(scope="module")
def scorer(tiny_checkpoint):
    return PlainScorer(load_lvlm(str(tiny_checkpoint("qwen2_vl")), dtype="float32", max_pixels=112 * 112))


@pytest.fixture
def reads(monkeypatch):
    """List the pictures that are read."""
    read = []
    plain = prompts.load_image

    def load_image(source, bound=None, prepare=None):
        read.append(source)
        return plain(source, bound, prepare)

    monkeypatch.setattr(prompts, "load_image", load_image)
    return read


def test_candidates_of_one_token_share_their_row(scorer, ask, pictures):
    question = ask("Is it red?", pictures[0])
    batch = scorer.collate([ScoredSequence(question, answer, ends_turn=False) for answer in ("Yes", "No")])
    (rows,) = batch.forwards
    assert rows.input_ids.shape[0] == 1
    assert rows.target_rows.tolist() == [0, 0]
    assert len(rows.keep) == 1
    assert len(set(rows.target_ids.tolist())) == 2
    assert batch.sequence_index.tolist() == [0, 1]


def test_longer_answers_have_rows_of_their_own(scorer, ask):
    question = ask("Is it red?")
    batch = scorer.collate([ScoredSequence(question, answer) for answer in ("Yes", "No", "Yes")])
    (rows,) = batch.forwards
    assert rows.input_ids.shape[0] == 2  # "Yes" and its end of turn once, although asked twice
    assert batch.sequence_index.tolist() == [0, 0, 1, 1, 2, 2]
    sums = scorer(batch).sums()
    assert sums[0] == sums[2]


def test_a_row_is_the_sequence_without_its_last_token(scorer, ask):
    sequence = ScoredSequence(ask("Is it red?"), "Yes")
    encoded = scorer.lvlm.encoder.encode(sequence.question, "Yes", ends_turn=True, vision=None)
    (rows,) = scorer.collate([sequence]).forwards
    assert tuple(rows.input_ids[0].tolist()) == encoded.input_ids[:-1]
    assert rows.keep.tolist() == [encoded.prompt_length - 1, encoded.prompt_length]
    assert tuple(rows.target_ids.tolist()) == encoded.input_ids[encoded.prompt_length :]


def test_rows_are_padded_on_the_right(scorer, ask):
    short, long = ask("Is it?"), ask("Is it red, or is it rather blue?")
    (rows,) = scorer.collate([ScoredSequence(q, "Yes", ends_turn=False) for q in (short, long)]).forwards
    lengths = rows.attention_mask.sum(1)
    assert lengths[0] < lengths[1] == rows.input_ids.shape[1]
    assert (rows.input_ids[0, lengths[0] :] == scorer.lvlm.encoder.pad_id).all()
    assert rows.attention_mask[0].tolist() == [1] * lengths[0] + [0] * (lengths[1] - lengths[0])


def test_equal_pictures_are_read_and_kept_once(scorer, ask, pictures, reads):
    questions = [ask("Is it red?", pictures[0]), ask("Or blue?", pictures[0]), ask("Same?", *pictures[:2])]
    batch = scorer.collate([ScoredSequence(question, "Yes") for question in [*questions, ask("Hm?")]])
    assert reads == [pictures[0], pictures[0], pictures[1]]
    assert len(batch.vision) == 2
    (rows,) = batch.forwards
    assert rows.vision_index == (0, 0, 1, NO_VISION)


def test_equal_text_about_other_pictures_is_another_row(scorer, ask, pictures):
    """Under this bound every picture is one token, so that only the pictures tell the rows apart."""
    one = ask("Is it red?", pictures[2])
    other = replace(one, images=(pictures[0],))
    batch = scorer.collate([ScoredSequence(one, "Yes"), ScoredSequence(other, "Yes")], max_pixels=28 * 28)
    assert batch.forwards[0].input_ids.shape[0] == 2
    assert torch.equal(*batch.forwards[0].input_ids)
    assert scorer(batch).sums().unique().numel() == 2


@pytest.mark.parametrize(("bound", "shapes"), [(None, [5]), (2, [2, 2, 1]), (5, [5]), (9, [5])])
def test_rows_per_forward_cuts_the_batch(bound, shapes, scorer, ask):
    cut = PlainScorer(scorer.lvlm, bound)
    batch = cut.collate(
        [ScoredSequence(ask(f"Is it {word}?"), "Yes") for word in ("red", "a", "b", "c", "d")]
    )
    assert [rows.input_ids.shape[0] for rows in batch.forwards] == shapes


def test_families_that_cannot_mix_get_a_forward_each(tiny_lvlm, ask, pictures):
    scorer = PlainScorer(tiny_lvlm("mllama"))
    sequences = [
        ScoredSequence(ask("One?", pictures[0]), "Yes"),
        ScoredSequence(ask("None?"), "Yes"),
        ScoredSequence(ask("Two?", *pictures[:2]), "Yes"),
        ScoredSequence(ask("One more?", pictures[1]), "No way"),
    ]
    batch = scorer.collate(sequences)
    assert [rows.input_ids.shape[0] for rows in batch.forwards] == [2, 1, 1]
    assert batch.sequence_index.tolist() == sorted(batch.sequence_index.tolist())
    alone = [scorer(scorer.collate([sequence])).sums() for sequence in sequences]
    torch.testing.assert_close(scorer(batch).sums(), torch.cat(alone), atol=1e-5, rtol=0)


def test_no_sequences_are_no_tokens(scorer):
    result = scorer(scorer.collate([]))
    assert result.token_logps.shape == result.sequence_index.shape == (0,)
    assert (result.token_logps.dtype, result.count) == (torch.float32, 0)
    assert not result.token_logps.requires_grad
    assert result.sums().shape == (0,)


def test_an_empty_answer_sums_to_zero(scorer, ask):
    sequences = [ScoredSequence(ask("Hm?"), "", ends_turn=False), ScoredSequence(ask("Hm?"), "Yes")]
    sums = scorer(scorer.collate(sequences)).sums()
    assert sums[0] == 0
    assert sums[1] < 0
    assert scorer(scorer.collate(sequences[:1])).sums().tolist() == [0]


def test_log_probabilities_are_normalised(scorer, ask):
    """Over all one-token answers they sum to one: the vocabulary is small enough to ask them all."""
    question = ask("Hm?")
    (rows,) = scorer.collate([ScoredSequence(question, "Yes", ends_turn=False)]).forwards
    size = scorer.lvlm.hf_model.config.text_config.vocab_size
    every = replace(
        rows,
        target_rows=torch.zeros(size, dtype=torch.long),
        target_slots=torch.zeros(size, dtype=torch.long),
        target_ids=torch.arange(size),
        order=torch.arange(size),
    )
    logps = scorer._forward(every, [])
    assert logps.exp().sum().item() == pytest.approx(1, abs=1e-5)


def test_half_precision_models_give_float32(tiny_lvlm, ask):
    scorer = PlainScorer(tiny_lvlm(dtype="bfloat16"))
    assert scorer(scorer.collate([ScoredSequence(ask("Hm?"), "Yes")])).token_logps.dtype == torch.float32


def test_collating_pickles_without_weights(scorer, ask, pictures):
    sequences = [ScoredSequence(ask("Is it red?", pictures[0]), "Yes")]
    collator = pickle.loads(pickle.dumps(scorer.collator))
    batch = pickle.loads(pickle.dumps(collator(sequences)))
    assert torch.equal(scorer(batch).token_logps, scorer(scorer.collate(sequences)).token_logps)
    weights = sum(p.numel() * p.element_size() for p in scorer.lvlm.parameters())
    assert len(pickle.dumps(scorer.collator)) < weights / 4


def test_lightning_moves_a_batch(scorer, ask, pictures):
    batch = scorer.collate([ScoredSequence(ask("Is it red?", pictures[0]), "Yes")])
    moved = move_data_to_device({"batch": batch}, torch.device("meta"))["batch"]
    (rows,) = moved.forwards
    tensors = [rows.input_ids, rows.keep, rows.order, moved.sequence_index, *moved.vision[0].values()]
    assert {tensor.device.type for tensor in tensors} == {"meta"}
    assert rows.vision_index == batch.forwards[0].vision_index


@pytest.mark.parametrize("bound", [0, -1])
def test_a_bound_must_be_positive(bound, scorer):
    with pytest.raises(ConfigError, match=r"packing.rows_per_forward"):
        PlainScorer(scorer.lvlm, bound)


def test_bad_data_is_named_by_id(scorer, ask, tmp_path):
    bad: Question = ask("Is <|im_end|> there?", id="z2")
    with pytest.raises(RecordError, match="question z2"):
        scorer.collate([ScoredSequence(bad, "Yes")])
    with pytest.raises(ImageError, match="question z3"):
        scorer.collate([ScoredSequence(ask("Hm?", str(tmp_path / "no.png"), id="z3"), "Yes")])
