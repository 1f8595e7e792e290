"""What an encoding costs at the size of a real model, counted: numbers, memory of a table, operations.

One text of `length` tokens, nothing fused: see `Cost`. Settings as released: T5 shares one table of 32 buckets among all
layers, Shaw clips at 16, Transformer-XL has W_R in each and, as in its authors' code, a row of W R a distance.
Operations are multiplications and additions, each counted as one. They are no seconds.
"""

from typing import NamedTuple

from posenc_helpers.checks import check_choice, check_count

BYTES = 2  # of a number in bfloat16 or float16
CLIP, BUCKETS = 16, 32
COSTED = ("learned", "sinusoidal", "shaw", "transformer-xl", "t5", "kerple", "alibi", "rope")


class Cost(NamedTuple):
    """parameters: trained numbers of the whole model. memory: bytes of the largest table that one layer (or, for door 1,
    the whole model) adds, if it is stored. work: operations of one layer, as a share of the layer's own."""

    parameters: int
    memory: int
    work: float


def own_numbers(width: int) -> int:
    """Return the weights of one layer: four projections of width x width, and a net through four times the width."""
    return 12 * width**2


def own_operations(length: int, width: int) -> int:
    """Return the operations of one layer: two a weight and token; scores and the mixing of values, 4 d a pair of tokens."""
    return 2 * length * own_numbers(width) + 4 * length**2 * width


def cost(encoding: str, length: int, width: int, heads: int, layers: int) -> Cost:
    """Return what `encoding` (of COSTED) adds to a Transformer of these sizes.

    Raises ValueError for another encoding, counts below 1, and heads that do not divide the width.
    """
    check_choice("encoding", encoding, COSTED)
    for name, count in {"length": length, "width": width, "heads": heads, "layers": layers}.items():
        check_count(name, count)
    if width % heads:
        raise ValueError(f"heads={heads} does not divide width={width}")
    head_width, pairs = width // heads, length * length
    layer = own_operations(length, width)
    vectors = 2 * (2 * CLIP + 1) * length * width  # a product of q, or of the weights, with each of Shaw's 33 vectors
    rows = {  # parameters, numbers stored, operations a layer
        "learned": (length * width, length * width, length * width / layers),
        "sinusoidal": (0, length * width, length * width / layers),
        "shaw": (layers * 2 * (2 * CLIP + 1) * head_width, pairs * heads, 2 * vectors + 2 * pairs * heads),
        "transformer-xl": (
            layers * (width**2 + 2 * width),
            pairs * heads,
            2 * length * width**2 + 2 * pairs * width + pairs * heads,
        ),
        "t5": (BUCKETS * heads, pairs * heads, pairs * heads),
        "kerple": (2 * heads, pairs * heads, 4 * pairs * heads),
        "alibi": (0, pairs * heads, 2 * pairs * heads),
        "rope": (0, length * head_width, 6 * length * width),
    }
    parameters, stored, operations = rows[encoding]
    return Cost(parameters, BYTES * stored, operations / layer)
