"""Answers to the exercises of notebook 09, as readers write them, that its table of likely mistakes does not hold.

`WRONG[exercise]` lists (what is wrong, answer, part of a hint that no row gives); `RIGHT[exercise]` lists (how, answer).
"""

import math

import torch

WRONG = {
    # 1. [angle of pair 0, angle of pair 1, position in training]
    "interpolated": [
        ("pair 0 divided by another number", [6, 0.3, 3], "angle of pair 0 is another one"),
        ("pair 1 divided by another number", [3, 0.6, 3], "angle of pair 1 is another one"),
        ("the stretch for a place", [3, 0.3, 4], "No token of training"),
    ],
    # 2. new_base(base, s, d_head, pair)
    "new_base": [
        ("base fixed", lambda base, s, d, pair: 10_000.0 * s ** (d / (2 * pair)), "times slower"),
        ("minus", lambda base, s, d, pair: -base * s ** (d / (2 * pair)), "above 0"),
    ],
    # 3. (alpha, beta)
    "choice": [("alpha alone", 0.25, "shape (2,)")],
}

RIGHT = {
    "interpolated": [("tensors and a number", [*(12 / 4 * torch.tensor([1, 0.1])), 3])],
    "new_base": [("by logarithms", lambda base, s, d, pair: math.exp(math.log(base) + math.log(s) * d / pair / 2))],
    "choice": [("a list", [0.25, 1.0])],
}
