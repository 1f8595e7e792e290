"""What each explorer of this notebook shows at its settings, in a sentence with the numbers."""

from posenc_helpers.lessons.sinusoidal.pictures import LENGTH, collisions, compared


def clocks(p: int, q: int, width: int, base: float) -> str:
    """Describe `pictures.clock_still`, as clocks.js does."""
    speed, together, product, distance = compared(p, q, width, base)
    return (
        f"Clock hands, table rows and dot product of positions {p} and {q}: {together} of {len(speed)} hands point the same "
        f"way; {abs(p - q)} apart the dot product is {product:.2f} of its largest, the distance of the codes {distance:.2f}."
    )


def bases(base: float, width: int) -> str:
    """Describe `pictures.base_explorer`."""
    turns, distance, slow, nearest = collisions(base, width)
    return (
        f"Turns of {len(turns)} hands and the distance of two codes, within {LENGTH} tokens, at base {base:,.0f}: the "
        f"fastest hand turns {turns[0]:.0f} times, {slow} hands finish no turn; the closest two codes are "
        f"{distance.min():.3g} apart (in the picture, over √d: {distance.min() / width**0.5:.3g}), at |p - q| = {nearest}."
    )
