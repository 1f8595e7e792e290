"""Answers to the exercises of notebook 09, as readers write them: wrong ones with the hint they deserve, and right ones
that look unlike the folded solution.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint that names it); `RIGHT[exercise]` lists (how, answer).
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
        ("multiplied", [48, 4.8, 48], "factor is multiplied"),
        ("nothing divided", [12, 1.2, 12], "before interpolation"),
        ("the slow pair alone", [12, 0.3, 3], "Pair 0 is left as it was"),
        ("the fast pair alone", [3, 1.2, 3], "Pair 1 is left as it was"),
        ("the new place", [3, 0.3, 12], "where that token stands now"),
        ("two numbers", [3, 0.3], "shape (3,)"),
        ("multiplied, the place right", [48, 4.8, 3], "factor is multiplied"),
        ("the other way", [3, 0.3, 48], "the other way"),
        ("pairs swapped", [0.3, 3, 3], "two pairs are swapped"),
        ("whole columns for pairs", [3, 0.03, 3], "Pair 1 is too slow"),
        ("divided twice", [0.75, 0.075, 3], "divided twice"),
        ("degrees", [171.89, 17.19, 3], "degrees"),
        ("turns", [0.4775, 0.04775, 3], "turns"),
        ("speeds", [0.25, 0.025, 3], "speeds"),
        ("speeds before division", [1, 0.1, 3], "speeds"),
        ("whole numbers", [3, 0, 3], "Was a fraction cut off?"),
        ("the stretch for a place", [3, 0.3, 4], "No token of training"),
        ("angles in brackets", [[3, 0.3], 3], "found should be a tensor"),
        ("angles and place of one pair", [3, 3], "shape (3,)"),
        ("by name", {"pair 0": 3, "pair 1": 0.3, "position": 3}, "found should be a tensor"),
        ("texts", ["3", "0.3", "3"], "found should be a tensor"),
        ("nothing", None, "found"),
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
        ("nothing", lambda base, s, d, pair: print(base * s ** (d / (2 * pair))), "returned nothing"),
        ("whole-number division", lambda base, s, d, pair: base * s ** (d // (2 * pair)), "cuts to a whole number"),
        (
            "counted from 1, the other way",
            lambda base, s, d, pair: base * s ** (d / (2 * pair - 2 or 1)),
            "off by one pair",
        ),
        ("twice the slowest's", lambda base, s, d, pair: base * s ** (d / pair / 4), "off by a factor of 2"),
        ("minus", lambda base, s, d, pair: -base * s ** (d / (2 * pair)), "above 0"),
        ("unchanged", lambda base, s, d, pair: base, "comes back as it was"),
        ("how many times", lambda base, s, d, pair: s ** (d / (2 * pair)), "how many times larger"),
        ("the pair's speed", lambda base, s, d, pair: base ** (-2 * pair / d) / s, "the pair's speed"),
        ("the factor inside the power", lambda base, s, d, pair: (base * s) ** (d / (2 * pair)), "turns"),
        ("no power", lambda base, s, d, pair: base * s * d / (2 * pair), "turns"),
        ("power of the base", lambda base, s, d, pair: base**s, "turns"),
        ("128 columns", lambda base, s, d, pair: base * s ** (64 / pair), "off by a factor of 2"),
        ("ten times", lambda base, s, d, pair: base * 10 ** (d / (2 * pair)), "turns"),
        (
            "a row of bases",
            lambda base, s, d, pair: [base * s ** (d / (2 * i)) for i in range(1, d // 2)],
            "one number",
        ),
        ("text", lambda base, s, d, pair: str(base * s ** (d / (2 * pair))), "should return a number"),
    ],
    # 3. (alpha, beta)
    "choice": [
        ("the notebook's", (1.0, 2.0), "the notebook's own"),
        ("in the wrong order", (2.0, 1.0), "Alpha is above beta"),
        ("Llama's", (1.0, 32.0), "worse there"),
        ("zero", (0.0, 1.0), "above 0"),
        ("minus", (-1.0, 1.0), "above 0"),
        ("alpha alone", 0.25, "shape (2,)"),
        ("with its loss", (0.25, 1.0, 2.2), "shape (2,)"),
        ("the notebook's, a tensor", torch.tensor([1.0, 2.0]), "the notebook's own"),
        ("nearly the notebook's", (1.0, 1.95), "about as good"),
        ("all divided", (100.0, 200.0), "worse there"),
        ("none divided", (1e-6, 1e-6), "worse there"),
        ("lengths for turns", (64, 256), "worse there"),
        ("by name", {"alpha": 0.25, "beta": 1.0}, "chosen should be a tensor"),
        ("the function", lambda alpha, beta: (0.25, 1.0), "chosen should be a tensor"),
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
    "choice": [
        ("a list", [0.25, 1.0]),
        ("a tensor", torch.tensor([0.5, 2.0])),
        ("NumPy", np.array([0.25, 1.0])),
    ],
}
