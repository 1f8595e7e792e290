"""The speeds that come of the usual mistakes in base ** (-2 i / d), for the exercises of notebooks 03 and 06."""

import math

import torch
from torch import Tensor

STILL = "The exponent lacks brackets: ** binds before * and /."


def mistaken_speeds(d: int) -> dict[str, Tensor]:
    """Return hint -> the speeds (d/2,) of whoever makes that mistake, the likeliest mistakes first; float64, base 10,000."""
    i, base = torch.arange(d // 2, dtype=torch.float64), 10000.0
    right = base ** (-2 * i / d)
    return {
        "The exponent is doubled: i counts pairs, not columns.": right**2,
        "The exponent is halved: i counts pairs, and a pair is two columns.": right**0.5,
        "The sign of the exponent is lost: pair 0 is the fastest, and hands get slower from pair to pair.": 1 / right,
        "Pairs are counted from 1: the first is pair 0, the fastest.": base ** (-2 * (i + 1) / d),
        "The exponent is cut to a whole number: // is not /.": base ** (-2 * i // d),
        "All pairs take one speed: each has its own. (Whole-number division in the exponent?)": 1 + 0 * i,
        STILL: base**-2 * i / d,
        "The division in the exponent comes too late: it lacks brackets.": base ** (-2 * i) / d,
        "The speeds are in reverse order: pair 0 is the fastest.": right.flip(0),
        "The exponent divides by one pair too few, as in tensor2tensor's formula.": base ** (-i / max(1, d // 2 - 1)),
        "The base is not 10,000: it is e.": math.e ** (-2 * i / d),
        "The base is not 10,000: it is 1,000.": 1000.0 ** (-2 * i / d),
        "The base is not 10,000: it is 500,000.": 500000.0 ** (-2 * i / d),
        "Your hands turn in degrees: the angles are radians.": right * math.pi / 180,
    }
