"""How a released model's queries and keys turn, and how else they can be turned without training."""

import torch
from torch import Tensor

from posenc_helpers.encodings import frequencies, rotate_pairs
from posenc_helpers.encodings.precision import angles
from posenc_helpers.lessons.released_model.smollm2 import Turn

PAIRS, BASE = 32, 100_000.0
W = frequencies(2 * PAIRS, BASE)  # (32,) radians a token, fastest first


def turning(w: Tensor = W, start: int = 0, layout: str = "interleaved", times: float = 1.0, scale: float = 1.0) -> Turn:
    """Return a turn of x (heads, L, 64): token number p, counted from `start`, by (start + p) * times * w.

    `scale` multiplies what was turned, as YaRN's attention factor does. Raises ValueError for an unknown layout.
    """

    def turn(x: Tensor) -> Tensor:
        positions = (start + torch.arange(x.shape[-2])) * times
        return rotate_pairs(x, angles(positions, w), layout, scale)

    return turn
