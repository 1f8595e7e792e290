"""Answers to the exercises of notebook 09, as readers write them, that its table of likely mistakes does not hold.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint); `RIGHT[exercise]` lists (how, answer).
"""

import math

import numpy as np
import torch


def _searched(base, s, d, pair):
    low, high = base, base * s**d
    for _ in range(400):
        middle = math.sqrt(low) * math.sqrt(high)
        slower = (middle / base) ** (2 * pair / d)
        low, high = (middle, high) if slower < s else (low, middle)
    return low


WRONG = {
    # 1. [angle of pair 0, angle of pair 1, position in training]
    "interpolated": [
        ("multiplied, the place too", [48, 4.8, 48], "factor is multiplied"),
        ("pair 0 divided by another number", [6, 0.3, 3], "angle of pair 0 is another one"),
        ("pair 1 divided by another number", [3, 0.6, 3], "angle of pair 1 is another one"),
        ("the stretch for a place", [3, 0.3, 4], "No token of training"),
        ("two numbers", [3, 0.3], "shape (3,)"),
        ("angles in brackets", [[3, 0.3], 3], "found should be a tensor"),
    ],
    # 2. new_base(base, s, d_head, pair)
    "new_base": [
        ("base fixed", lambda base, s, d, pair: 10_000.0 * s ** (d / (2 * pair)), "times slower"),
        ("minus", lambda base, s, d, pair: -base * s ** (d / (2 * pair)), "above 0"),
        (
            "a row of bases",
            lambda base, s, d, pair: [base * s ** (d / (2 * i)) for i in range(1, d // 2)],
            "one number",
        ),
        ("text", lambda base, s, d, pair: str(base * s ** (d / (2 * pair))), "should return a number"),
    ],
    # 3. (alpha, beta)
    "choice": [
        ("alpha alone", 0.25, "shape (2,)"),
        ("by name", {"alpha": 0.25, "beta": 1.0}, "chosen should be a tensor"),
    ],
}

RIGHT = {
    "interpolated": [
        ("a tensor", torch.tensor([3.0, 0.3, 3.0])),
        ("NumPy", np.array([12 / 4, 12 / 40, 3])),
        ("a tuple, from speeds", (12 * 1 / 4, 12 * 100 ** (-1 / 2) / 4, 12 / 4)),
        ("tensors and a number", [*(12 / 4 * torch.tensor([1, 0.1])), 3]),
        ("three tensors", list(torch.tensor([3, 0.3])) + [torch.tensor(3)]),
    ],
    "new_base": [
        ("by logarithms", lambda base, s, d, pair: math.exp(math.log(base) + math.log(s) * d / pair / 2)),
        ("a tensor", lambda base, s, d, pair: torch.tensor(base, dtype=torch.float64) * s ** (0.5 * d / pair)),
        ("from the slower speed", lambda base, s, d, pair: (base ** (-2 * pair / d) / s) ** (-d / (2 * pair))),
        ("by halving", _searched),
        ("float32, one entry", lambda base, s, d, pair: torch.tensor([base]) * s ** torch.tensor([d / (2 * pair)])),
        ("a whole number", lambda base, s, d, pair: round(base * s ** (d / (2 * pair)))),
    ],
    "choice": [("a list", [0.25, 1.0]), ("a tensor", torch.tensor([0.5, 2.0])), ("NumPy", np.array([0.25, 1.0]))],
}
