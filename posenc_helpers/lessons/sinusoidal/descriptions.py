"""What each explorer of this notebook shows at its settings, in a sentence with the numbers."""

import math

import torch

from posenc_helpers.encodings import frequencies, sinusoidal
from posenc_helpers.lessons.sinusoidal.pictures import distances


def clocks(p: int, q: int, width: int, base: float) -> str:
    """Describe `pictures.clock_explorer`."""
    speed = frequencies(width, base)
    rows = sinusoidal(torch.tensor([p, q]), width, base)  # (2, d)
    together = int((((p - q) * speed).cos() > 0.99).sum())
    return (
        f"Clock hands, table rows and dot product of positions {p} and {q}: {together} of {len(speed)} hands point the same "
        f"way; {abs(p - q)} apart the dot product is {rows.prod(0).sum() / (width / 2):.2f} of its largest, the distance "
        f"{(rows[0] - rows[1]).norm():.2f}."
    )


def bases(base: float, width: int) -> str:
    """Describe `pictures.base_explorer`."""
    length = 1000
    speed = frequencies(width, base, dtype=torch.float64)
    offsets = torch.arange(1, length, dtype=torch.float64)
    distance = distances(offsets, speed)
    slow = int((length * speed < 2 * math.pi).sum())
    return (
        f"Turns of {len(speed)} hands and the distance of two codes, within 1000 tokens, at base {base:,.0f}: the fastest "
        f"hand turns {length * speed[0] / (2 * math.pi):.0f} times, {slow} hands finish no turn; the closest two codes are "
        f"{distance.min():.3g} apart (in the picture, over √d: {distance.min() / width**0.5:.3g}), at |p - q| = "
        f"{int(offsets[distance.argmin()])}."
    )
