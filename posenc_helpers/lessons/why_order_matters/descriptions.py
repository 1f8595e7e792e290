"""What each explorer of this notebook shows at its settings, in a sentence with the numbers."""

from posenc_helpers.lessons.why_order_matters.pictures import SENTENCE, shuffled


def shuffle(order: tuple[int, ...], causal_mask: bool, positions: bool) -> str:
    """Describe `pictures.shuffled_sentence`."""
    _, _, before, after = shuffled(order, causal_mask, positions)
    apart = (before - after).norm(dim=-1) > 0.01
    which = "all five crosses lie in their circles" if not apart.any() else f"{int(apart.sum())} of 5 words moved"
    return (
        f"Two tables of attention weights, “{' '.join(SENTENCE)}” and “{' '.join(SENTENCE[word] for word in order)}”, "
        f"and the outputs of both: {which}; largest difference {(before - after).abs().max():.2f}."
    )
