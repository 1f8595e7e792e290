"""What each explorer of this notebook shows at its settings, in a sentence with the numbers."""

from posenc_helpers.lessons.alibi.heads import as_fraction, head_at


def alibi_head(heads: int, head: int, length: int, content: float, causal: bool) -> str:
    """Describe `pictures.explorer`."""
    seen = head_at(heads, head, length, content, causal)
    best = int(seen.weights.argmax())
    away = int(seen.distance[best])
    return (
        f"Scores and weights of head {seen.head} of 0 to {heads - 1}, slope {as_fraction(seen.slope)}: the nearest "
        f"{seen.count} of {length} keys hold 90 % of the weight; the heaviest, at n - m = {away}, pays "
        f"{abs(away) * seen.slope:.2g} and has {seen.weights[best]:.2f}."
    )
