"""What each explorer of this notebook shows at its settings, in a sentence with the numbers."""

import math

import torch

from posenc_helpers.encodings import frequencies
from posenc_helpers.lessons.rope.pictures import circles, score_at


def hands(m: int, n: int, move_both: int, pair: int, head_width: int, base: float, content: str) -> str:
    """Describe `pictures.hands_explorer`."""
    speed = frequencies(head_width, base, dtype=torch.float64)
    chosen = min(pair, len(speed) - 1)
    turned = math.degrees(abs(n - m) * speed[chosen].item()) % 360
    return (
        f"Three pairs of q and k as clock hands, and the score by distance, {content}: q at {m + move_both}, k at "
        f"{n + move_both}, score {score_at(n - m, speed, content):.2f} of the largest; in pair {chosen}, k has turned "
        f"{turned:.0f} degrees {'less' if n < m else 'more'} than q."
    )


def context(base: float, trained_length: int, rotary_width: int) -> str:
    """Describe `pictures.context_explorer`."""
    waves, slow = circles(base, trained_length, rotary_width)
    return (
        f"The length of a full circle for {len(waves)} pairs, and released models by their slowest pair: at base "
        f"{base:,.0f}, {int(slow.sum())} pairs finish no circle in {trained_length:,} tokens; the slowest would take "
        f"{waves[-1]:,.0f}."
    )
