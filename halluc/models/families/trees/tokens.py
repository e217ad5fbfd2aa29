"""The tokens of one forward over token trees, as the hooks of a family see them."""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class TreeTokens:
    """Hold a forest in pre-order: a token may attend to the ones before it in its own sequence.

    All that depends on pictures is settled in a sequence's *head*: its tokens up to the last picture
    token (the first token alone where there is none). Heads are rows, so a family computes them the
    way that it computes any rows, and each slot takes its value at its own place in its own head.

    Shape letters: ``N`` slots, ``H`` heads, ``P`` tokens of the longest head, ``I`` slots that hold a
    picture token.

    Attributes:
        input_ids: Token of each slot, shape ``[N]``, int64.
        depths: Place of each slot in its own sequences, shape ``[N]``, int64.
        allowed: Which slot (row) may attend to which (column), shape ``[N, N]``, bool.
        head_ids: Heads, padded on the right with any token, shape ``[H, P]``, int64.
        head_lengths: Number of tokens of each head, at least 1, shape ``[H]``, int64.
        head_of: Head of the sequences that each slot belongs to, shape ``[N]``, int64.
        feature_rows: Row of the joined picture features for each picture token, shape ``[I]``, int64.
    """

    input_ids: Tensor
    depths: Tensor
    allowed: Tensor
    head_ids: Tensor
    head_lengths: Tensor
    head_of: Tensor
    feature_rows: Tensor

    @property
    def head_mask(self) -> Tensor:
        """1 for tokens of a head and 0 for its padding, shape ``[H, P]``, int64."""
        columns = torch.arange(self.head_ids.shape[1], device=self.head_ids.device)
        return (columns < self.head_lengths[:, None]).long()

    @property
    def beyond_head(self) -> Tensor:
        """How many tokens each slot lies behind the end of its head, negative inside, shape ``[N]``."""
        return self.depths - self.head_lengths[self.head_of]

    @property
    def head_columns(self) -> Tensor:
        """Column of each slot in its head; the last one for slots behind it, shape ``[N]``."""
        return self.depths.minimum(self.head_lengths[self.head_of] - 1)
