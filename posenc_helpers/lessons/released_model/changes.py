"""What can be done to a released model's queries and keys without training: other layouts, bases, counts, cures, pairs."""

import torch
from torch import Tensor

from posenc_helpers.encodings import frequencies, rotate_pairs
from posenc_helpers.encodings.precision import angles
from posenc_helpers.encodings.rope_scaling import by_parts, linear, ntk_aware, yarn, yarn_attention_factor
from posenc_helpers.lessons.released_model.smollm2 import Turn

PAIRS, BASE, DECLARED = 32, 100_000.0, 8192
W = frequencies(2 * PAIRS, BASE)  # (32,) radians a token, fastest first


def turning(w: Tensor = W, start: int = 0, layout: str = "interleaved", times: float = 1.0, scale: float = 1.0) -> Turn:
    """Return a turn of x (heads, L, 64): token number p, counted from `start`, by (start + p) * times * w.

    `scale` multiplies what was turned, as YaRN's attention factor does. Raises ValueError for an unknown layout.
    """

    def turn(x: Tensor) -> Tensor:
        positions = (start + torch.arange(x.shape[-2])) * times
        return rotate_pairs(x, angles(positions, w), layout, scale)

    return turn


def only(fastest: int = PAIRS, slowest: int = PAIRS) -> Tensor:
    """Return the frequencies with all pairs standing still but the `fastest`, or the `slowest`, so many of them."""
    number = torch.arange(PAIRS)
    return torch.where((number < fastest) & (number >= PAIRS - slowest), W, 0.0)


def stretched(method: str, factor: float) -> Turn:
    """Return the turn of a cure of notebook 09: "interpolation", "NTK-aware", "by parts" or "YaRN" (as released)."""
    if method == "YaRN":
        return turning(yarn(W, factor, DECLARED), scale=yarn_attention_factor(factor))
    cures = {
        "interpolation": lambda: linear(W, factor),
        "NTK-aware": lambda: ntk_aware(W, factor),
        "by parts": lambda: by_parts(W, factor, DECLARED),
    }
    return turning(cures[method]())


CHANGES: dict[str, Turn] = {
    "as released": turning(),
    "the other layout": turning(layout="half"),
    "not turned": turning(torch.zeros(PAIRS)),
    "turned backwards": turning(times=-1),
    "counted from 5,000": turning(start=5_000),
    "counted from 100,000": turning(start=100_000),
    "positions doubled": turning(times=2),
    "base 10,000": turning(frequencies(2 * PAIRS, 1e4)),
    "base 1,000,000": turning(frequencies(2 * PAIRS, 1e6)),
    "fastest 16 turn": turning(only(fastest=16)),
    "slowest 16 turn": turning(only(slowest=16)),
    **{
        f"{method}, {factor}": stretched(method, factor)
        for method in ("interpolation", "NTK-aware", "by parts", "YaRN")
        for factor in (2, 4)
    },
}
