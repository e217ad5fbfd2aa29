from types import SimpleNamespace

import torch

from halluc.models.families.gemma3 import Gemma3


def test_image_tokens_are_marked():
    model = SimpleNamespace(config=SimpleNamespace(image_token_id=5))
    marked = Gemma3().text_arguments(model, torch.tensor([[2, 5, 5, 1]]), torch.tensor([4]), {})
    assert marked["token_type_ids"].tolist() == [[0, 1, 1, 0]]
