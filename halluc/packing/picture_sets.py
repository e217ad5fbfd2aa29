"""The pictures of a batch, and their features, each computed once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch import Tensor, nn

from halluc.models.families.pictures import Features, PictureHooks
from halluc.models.lvlm import Lvlm
from halluc.models.tensor_digest import tensor_digest
from halluc.models.vision_tower import tower_fingerprint, tower_is_frozen
from halluc.packing.feature_cache import FeatureCache


@dataclass(frozen=True, slots=True)
class PictureSets:
    """Hold the distinct sets of pictures that a batch is about.

    Attributes:
        tensors: What the processor made of each set.
        keys: What names the content of each set, for a feature cache; empty without one.
        computed: Features that were computed already, by index; of a frozen tower only.
    """

    tensors: tuple[Mapping[str, Tensor], ...]
    keys: tuple[str, ...]
    computed: dict[int, Features] = field(default_factory=dict)

    @classmethod
    def collect(cls, tensors: Sequence[Mapping[str, Tensor]], *, keyed: bool) -> "PictureSets":
        """Take picture sets, and name them by content if asked to.

        The tensors are the pictures after decoding, resizing and normalising, so a name changes with
        the pictures and with any setting of the processor.
        """
        keys = (tensor_digest(sorted(each.items())) for each in tensors) if keyed else ()
        return cls(tuple(tensors), tuple(keys))

    def sizes(self, index: int) -> dict[str, Tensor]:
        """Return what of a set is not pixels: grids, masks and counts, which places depend on."""
        return {name: t for name, t in self.tensors[index].items() if not t.is_floating_point()}

    def to(self, device: torch.device | str, non_blocking: bool = False) -> "PictureSets":
        """Return a copy on another device."""
        tensors = (
            {name: tensor.to(device, non_blocking=non_blocking) for name, tensor in each.items()}
            for each in self.tensors
        )
        return PictureSets(tuple(tensors), self.keys)


class FeatureSource:
    """Give the features of picture sets: from the batch, from the cache, or from the vision tower.

    Features of a frozen tower are computed without gradients and at most once a batch, however often
    it is scored (by the policy and by the reference). A tower that is trained, or that carries an
    adapter, is run anew each time.

    Args:
        lvlm: The model.
        hooks: How its family encodes pictures.
        cache: Where features of a frozen tower are kept across batches; None keeps none.
    """

    def __init__(self, lvlm: Lvlm, hooks: PictureHooks, cache: FeatureCache | None) -> None:
        self.lvlm = lvlm
        self.hooks = hooks
        self.cache = cache
        self._looked_up: tuple[nn.Module, bool] | None = None

    def joined(self, sets: PictureSets, indices: Sequence[int]) -> Features:
        """Return the features of the sets at ``indices``, joined in that order; nothing for no sets."""
        features = [self._features(sets, index) for index in indices]
        names = features[0].keys() if features else ()
        return {name: torch.cat([feature[name] for feature in features]) for name in names}

    @property
    def frozen(self) -> bool:
        """Whether the tower stays as it is; looked up anew whenever the model is wrapped anew."""
        if self._looked_up is None or self._looked_up[0] is not self.lvlm.model:
            self._looked_up = (self.lvlm.model, tower_is_frozen(self.lvlm))
        return self._looked_up[1]

    def _features(self, sets: PictureSets, index: int) -> Features:
        if not self.frozen:
            return self._encode(sets.tensors[index])
        if index not in sets.computed:
            with torch.no_grad():
                sets.computed[index] = self._frozen(sets, index)
        return sets.computed[index]

    def _frozen(self, sets: PictureSets, index: int) -> Features:
        if self.cache is None:
            return self._encode(sets.tensors[index])
        precision = str(self.lvlm.compute_dtype).removeprefix("torch.")
        key = f"{sets.keys[index]}-{self._fingerprint}-{precision}"
        return self.cache.get(key, lambda: self._encode(sets.tensors[index]), self.lvlm.device)

    @cached_property
    def _fingerprint(self) -> str:
        return tower_fingerprint(self.lvlm)

    def _encode(self, vision: Mapping[str, Tensor]) -> Features:
        dtype = self.lvlm.dtype
        joined = self.lvlm.family.vision_arguments([vision])
        cast = {name: t.to(dtype) if t.is_floating_point() else t for name, t in joined.items()}
        return self.hooks.encode(self.lvlm.hf_model, cast)
