"""What each explorer of this notebook shows at its settings, in a sentence with the numbers."""

from posenc_helpers.lessons.why_order_matters.own_sentence import measure


def shuffle(sentence: str, order: str, own: str, causal_mask: bool, positions: bool) -> str:
    """Describe `pictures.shuffled_sentence`, and what sentence.js shows."""
    found = measure(sentence, order, own, causal_mask, positions)
    if found is None:
        return "Type a word, or up to eight."
    other = int((found.apart >= 0.005).sum())
    switches = f"{'causal' if causal_mask else 'no'} mask, {'' if positions else 'no '}positions"
    have = "has" if other == 1 else "have"
    which = f"{other} of {len(found.words)} words {have} another output" if other else "every word keeps its output"
    at = f" ({found.moved[int(found.apart.argmax())]})" if other else ""
    return (
        f"Weights and outputs of “{' '.join(found.moved)}” beside “{' '.join(found.words)}”, {switches}: {which}; "
        f"largest difference {found.apart.max():.2f}{at}.{' Words after the eighth are not read.' if found.left else ''}"
    )
