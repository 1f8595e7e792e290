"""What an encoding costs at the size of a real model, counted: numbers, memory of a table, multiplications.

Per layer and for all heads, one text of `length` tokens, nothing fused: see `Cost`. Settings as released where the course
has a model of it: T5 shares one table of 32 buckets among all layers, Shaw clips at 16, Transformer-XL has W_R in each.
"""

from typing import NamedTuple

from posenc_helpers.checks import check_choice, check_count

BYTES = 2  # of a number in bfloat16 or float16
CLIP, BUCKETS = 16, 32
COSTED = ("learned", "sinusoidal", "shaw", "transformer-xl", "t5", "kerple", "alibi", "rope")


class Cost(NamedTuple):
    """parameters: trained numbers of the whole model. memory: bytes of the largest table that one layer (or, for door 1,
    the whole model) adds, if it is stored. work: multiplications and additions of one layer, as a share of the layer's
    own multiplications."""

    parameters: int
    memory: int
    work: float


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
    # projections and feed-forward net: 4 d^2 and 8 d^2 a token; scores and the mixing of values: 2 d a pair of tokens
    layer = 12 * length * width**2 + 2 * pairs * width
    rows = {  # parameters, numbers stored, operations a layer
        "learned": (length * width, length * width, length * width / layers),
        "sinusoidal": (0, length * width, length * width / layers),
        "shaw": (layers * 2 * (2 * CLIP + 1) * head_width, pairs * heads, 2 * pairs * width),
        "transformer-xl": (layers * (width**2 + 2 * width), pairs * heads, pairs * width + length * width**2),
        "t5": (BUCKETS * heads, pairs * heads, pairs * heads),
        "kerple": (2 * heads, pairs * heads, 4 * pairs * heads),
        "alibi": (0, pairs * heads, 2 * pairs * heads),
        "rope": (0, length * head_width, 6 * length * width),
    }
    parameters, stored, operations = rows[encoding]
    return Cost(parameters, BYTES * stored, operations / layer)
