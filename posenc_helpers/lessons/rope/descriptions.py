"""What each explorer of this notebook shows at its settings, in a sentence with the numbers."""

import math

import torch

from posenc_helpers.encodings import frequencies
from posenc_helpers.lessons.rope.pictures import OFFSETS, circles, score_at


def hands(m: int, n: int, move_both: int, pair: int, head_width: int, base: float, content: str) -> str:
    """Describe `pictures.hands_still`, as hands.js does."""
    speed = frequencies(head_width, base, dtype=torch.float64)
    chosen = min(pair, len(speed) - 1)
    turned = math.degrees(abs(n - m) * speed[chosen].item()) % 360
    best = max(OFFSETS.tolist(), key=lambda apart: score_at(apart, speed, content))
    return (
        f"Clock hands in {len(speed)} pairs, and the score by distance, {content}: q at {m + move_both:,}, "
        f"k at {n + move_both:,}, score {score_at(n - m, speed, content):.2f} of the largest"
        f"{f', unchanged by moving both by {move_both:,}' if move_both else ''}; highest, "
        f"{score_at(best, speed, content):.2f}, at n - m = {best:.0f}. In pair {chosen} "
        f"(circle in {2 * math.pi / speed[chosen]:,.0f} tokens) k has turned {turned:.0f} degrees "
        f"{'less' if n < m else 'more'} than q."
    )


def context(base: float, trained_length: int, rotary_width: int) -> str:
    """Describe `pictures.context_explorer`."""
    waves, slow = circles(base, trained_length, rotary_width)
    return (
        f"The length of a full circle for {len(waves)} pairs, and released models by their slowest pair: at base "
        f"{base:,.0f}, {int(slow.sum())} pairs finish no circle in {trained_length:,} tokens; the slowest would take "
        f"{waves[-1]:,.0f}."
    )
