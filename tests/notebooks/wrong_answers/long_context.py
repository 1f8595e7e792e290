"""Answers to the exercises of notebook 09, as readers write them: wrong ones with the hint they deserve, and right ones
that look unlike the folded solution.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint that names it); `RIGHT[exercise]` lists (how, answer).
"""

import math

import numpy as np
import torch

WRONG = {
    # 1. [angle of pair 0, angle of pair 1, position in training]
    "interpolated": [
        ("multiplied", [48, 4.8, 48], "factor is multiplied"),
        ("nothing divided", [12, 1.2, 12], "before interpolation"),
        ("the slow pair alone", [12, 0.3, 3], "Pair 0 is left as it was"),
        ("the fast pair alone", [3, 1.2, 3], "Pair 1 is left as it was"),
        ("the new place", [3, 0.3, 12], "where that token stands now"),
        ("two numbers", [3, 0.3], "shape (3,)"),
    ],
    # 2. new_base(base, s, d_head, pair)
    "new_base": [
        ("s times the base", lambda base, s, d, pair: s * base, "multiplied by s"),
        ("always the slowest pair", lambda base, s, d, pair: base * s ** (d / (d - 2)), "whichever pair is asked"),
        ("upside down", lambda base, s, d, pair: base * s ** (2 * pair / d), "upside down"),
        ("columns for pairs", lambda base, s, d, pair: base * s ** (d / pair), "off by a factor of 2"),
        ("faster", lambda base, s, d, pair: base / s ** (d / (2 * pair)), "gets faster"),
        ("counted from 1", lambda base, s, d, pair: base * s ** (d / (2 * pair + 2)), "counted from 1"),
        ("base ignored", lambda base, s, d, pair: 10_000.0 * s ** (d / (2 * pair)), "does not matter"),
        ("nothing", lambda base, s, d, pair: None, "returned nothing"),
    ],
    # 3. (alpha, beta)
    "choice": [
        ("the notebook's", (1.0, 2.0), "the notebook's own"),
        ("in the wrong order", (2.0, 1.0), "Alpha is above beta"),
        ("Llama's", (1.0, 32.0), "worse there"),
        ("zero", (0.0, 1.0), "above 0"),
    ],
}

RIGHT = {
    "interpolated": [("a tensor", torch.tensor([3.0, 0.3, 3.0])), ("NumPy", np.array([12 / 4, 12 / 40, 3]))],
    "new_base": [
        ("by logarithms", lambda base, s, d, pair: math.exp(math.log(base) + math.log(s) * d / pair / 2)),
        ("a tensor", lambda base, s, d, pair: torch.tensor(base, dtype=torch.float64) * s ** (0.5 * d / pair)),
    ],
    "choice": [("a list", [0.25, 1.0]), ("a tensor", torch.tensor([0.5, 2.0]))],
}
