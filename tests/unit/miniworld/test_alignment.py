import math

import pytest
import torch

from halluc.miniworld.pretraining.alignment import ASPECTS, alignment_loss, cell_targets
from halluc.miniworld.pretraining.tokenizer import TextEncoder
from halluc.miniworld.scenes.inventory import COLOR_NAMES, KINDS
from halluc.miniworld.scenes.scene import Scene, Thing

SCENE = Scene(
    (Thing("key", "blue", "large"), *[None] * 6, Thing("face", "red", "small", "sad"), None), clutter=(3,)
)


def test_targets_of_cells():
    targets = cell_targets([SCENE]).tolist()
    assert targets[0] == [KINDS.index("key"), COLOR_NAMES.index("blue"), 1, 0, 0, -100]
    assert targets[7] == [KINDS.index("face"), COLOR_NAMES.index("red"), 0, 2, 1, 1]
    assert targets[3] == [len(KINDS), -100, -100, 1, 0, -100]


def test_every_word_is_one_token():
    encode = TextEncoder()
    assert all(len(encode(word)) == 1 for words in ASPECTS for word in words)


def test_features_without_information_give_the_loss_of_chance():
    loss, _ = alignment_loss(
        torch.zeros(1, 9, 16), torch.randn(500, 16), cell_targets([SCENE]), TextEncoder()
    )
    assert float(loss) == pytest.approx(sum(math.log(len(words)) for words in ASPECTS), rel=1e-5)


def test_features_that_are_the_words_give_full_accuracy():
    encode, targets = TextEncoder(), cell_targets([SCENE])
    words = torch.eye(500)
    features = torch.stack(
        [
            sum(words[encode(ASPECTS[i][index])[0]] for i, index in enumerate(row) if index >= 0)
            for row in targets.tolist()
        ]
    )
    loss, accuracy = alignment_loss(features[None], words, targets, encode)
    assert set(accuracy.values()) == {1.0}
    assert float(loss) < 1e-4
