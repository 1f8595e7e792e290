"""Answers to the exercises of notebook 03, as readers write them, that its table of likely mistakes does not hold.

`WRONG[exercise]` lists (what is wrong, answer, part of a hint that no row gives); `RIGHT[exercise]` lists (how, answer).
"""

import math

import torch

from posenc_helpers.encodings import sinusoidal

# 1. row


def _row(*angles):
    return [wave for angle in angles for wave in (math.sin(angle), math.cos(angle))]


ANGLES = [2 * 10000 ** (-2 * i / 6) for i in range(3)]
PE_2 = [0.91, -0.42, 0.09, 1.00, 0.00, 1.00]


# 2. shift_matrix(k, d)


def _angles(k, d):
    return [k * 10000 ** (-2 * i / d) for i in range(d // 2)]


def _fitted(k, d):
    p = torch.arange(512, dtype=torch.float64)
    before, after = (sinusoidal(places, d, layout="half") for places in (p, p + k))
    return torch.linalg.lstsq(before, after, driver="gelsd").solution.T


def _four_quarters(k, d):
    angle = torch.tensor(_angles(k, d), dtype=torch.float64)
    cos, sin = angle.cos().diag(), angle.sin().diag()
    return torch.cat([torch.cat([cos, sin], 1), torch.cat([-sin, cos], 1)])


KEPT = {}


def _into_one_matrix(k, d):  # made once for every d, and filled anew
    matrix = KEPT.setdefault(d, torch.zeros(d, d, dtype=torch.float64))
    matrix[:] = _four_quarters(k, d)
    return matrix


WRONG = {
    "row_by_hand": [
        ("angles, without sine and cosine", [a for a in ANGLES for _ in range(2)], "cannot be sine and cosine"),
        ("another speed in the middle", _row(ANGLES[0], 1, ANGLES[2]), "sine and cosine of another angle"),
    ],
    "shift_matrix": [
        ("columns moved by k", lambda k, d: torch.eye(d).roll(k, 0), "Pairs are mixed"),
        ("a pair mirrored", lambda k, d: _four_quarters(k, d).abs(), "M PE(0) should be PE(k)"),
        ("one matrix for all calls", _into_one_matrix, "calls share one tensor"),
    ],
    "million": [("the number of columns alone", 12, "two numbers")],
}

RIGHT = {
    "row_by_hand": [("two decimals", PE_2), ("math.sin, all digits", _row(*ANGLES))],
    "shift_matrix": [
        ("power of a single step", lambda k, d: torch.linalg.matrix_power(_four_quarters(1, d), k)),
        ("least squares on 512 positions", _fitted),
    ],
    "million": [("the paper's base", (10000, 12)), ("base below 1: pairs from slow to fast", (1 / 500, 12))],
}
