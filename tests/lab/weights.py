"""The weights of a model as they are now, to be held against later ones."""

import torch
from torch import Tensor, nn


def weights(model: nn.Module, without: str = "?") -> dict[str, Tensor]:
    """Return copies of all weights by name, or of those `without` a word in their name."""
    return {name: weight.detach().clone() for name, weight in model.named_parameters() if without not in name}


def same(a: dict[str, Tensor], b: dict[str, Tensor]) -> bool:
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)
