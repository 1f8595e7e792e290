"""Answers to the exercises of notebook 03, as readers write them, that its table of likely mistakes does not hold.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint); `RIGHT[exercise]` lists (how, answer).
"""

import math

import numpy as np
import torch

from posenc_helpers.encodings import sinusoidal

# 1. row


def _row(*angles):
    return [wave for angle in angles for wave in (math.sin(angle), math.cos(angle))]


TWO = torch.tensor(2)
ANGLES = [2 * 10000 ** (-2 * i / 6) for i in range(3)]
PE_2 = [0.91, -0.42, 0.09, 1.00, 0.00, 1.00]


# 2. shift_matrix(k, d)


def _angles(k, d):
    return [k * 10000 ** (-2 * i / d) for i in range(d // 2)]


def _fitted(k, d):
    p = torch.arange(512, dtype=torch.float64)
    before, after = (sinusoidal(places, d, layout="half") for places in (p, p + k))
    return torch.linalg.lstsq(before, after, driver="gelsd").solution.T


def _numpy_loop(k, d):
    matrix = np.zeros((d, d))
    for i in range(d // 2):
        sine, cosine, angle = i, i + d // 2, k / 10000 ** (2 * i / d)
        matrix[sine, sine] = matrix[cosine, cosine] = np.cos(angle)
        matrix[sine, cosine], matrix[cosine, sine] = np.sin(angle), -np.sin(angle)
    return matrix


def _four_quarters(k, d):
    angle = torch.tensor(_angles(k, d), dtype=torch.float64)
    cos, sin = angle.cos().diag(), angle.sin().diag()
    return torch.cat([torch.cat([cos, sin], 1), torch.cat([-sin, cos], 1)])


KEPT = {}


def _into_one_matrix(k, d):  # made once for every d, and filled anew
    matrix = KEPT.setdefault(d, torch.zeros(d, d, dtype=torch.float64))
    matrix[:] = _four_quarters(k, d)
    return matrix


def _outer(k, d):  # the letters of einsum name two axes where one is meant
    cos, sin = torch.tensor(_angles(k, d)).cos(), torch.tensor(_angles(k, d)).sin()
    both = [[torch.einsum("i,j->ij", a, torch.ones(d // 2)) for a in row] for row in ((cos, sin), (-sin, cos))]
    return torch.cat([torch.cat(row, dim=1) for row in both])


def _exponential(k, d):  # a turn is the exponential of its generator
    speeds = torch.tensor(_angles(1, d), dtype=torch.float64)
    quarter_turn = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)
    return torch.linalg.matrix_exp(k * torch.kron(quarter_turn, speeds.diag()))


def _complex_numbers(k, d):
    turn = np.exp(1j * np.array(_angles(k, d)))
    return np.block([[np.diag(turn.real), np.diag(turn.imag)], [-np.diag(turn.imag), np.diag(turn.real)]]).astype(
        np.float32
    )


WRONG = {
    "row_by_hand": [
        ("angles, without sine and cosine", [a for a in ANGLES for _ in range(2)], "cannot be sine and cosine"),
        ("another speed in the middle", _row(ANGLES[0], 1, ANGLES[2]), "sine and cosine of another angle"),
        ("the first pair alone", PE_2[:2], "shape (6,), but it has (2,)"),
        ("half filled in", [0.91, -0.42, ..., ..., ..., ...], "should be a tensor"),
    ],
    "shift_matrix": [
        ("columns moved by k", lambda k, d: torch.eye(d).roll(k, 0), "Pairs are mixed"),
        ("quarters not diagonal", _outer, "Are your quarters diagonal?"),
        ("a pair mirrored", lambda k, d: _four_quarters(k, d).abs(), "M PE(0) should be PE(k)"),
        ("the codes", lambda k, d: sinusoidal(torch.arange(k), d), "shape (8, 8), but it has (3, 8)"),
        ("float16", lambda k, d: _four_quarters(k, d).half(), "compute in float32"),
        ("one matrix for all calls", _into_one_matrix, "calls share one tensor"),
    ],
    "million": [
        ("base without end", (math.inf, 12), "base returned inf"),
        ("the number of columns alone", 12, "two numbers"),
        ("three numbers", (500, 12, 0.54), "two numbers"),
        ("text in a pair", ("500", "12"), "base should return a number"),
        ("two bases", ([500, 1000], 12), "one number"),
    ],
}

RIGHT = {
    "row_by_hand": [
        ("two decimals", PE_2),
        ("a tuple", tuple(PE_2)),
        ("math.sin, all digits", _row(*ANGLES)),
        ("the package, float64", sinusoidal(TWO.double(), 6)),
        ("a list of tensors", list(sinusoidal(TWO, 6))),
        ("backwards, then turned round", np.array(PE_2[::-1])[::-1]),
        ("float32, NumPy", np.array(PE_2, dtype=np.float32)),
        ("three decimals, a tuple", tuple(round(wave, 3) for wave in _row(*ANGLES))),
    ],
    "shift_matrix": [
        ("a loop, NumPy", _numpy_loop),
        ("the matrix of -k, transposed, lists of lists", lambda k, d: _numpy_loop(-k, d).T.tolist()),
        ("a list of rows", lambda k, d: list(_four_quarters(k, d))),
        ("power of a single step", lambda k, d: torch.linalg.matrix_power(_four_quarters(1, d), k)),
        ("least squares on 512 positions", _fitted),
        ("four quarters, float32", lambda k, d: _four_quarters(k, d).float()),
        ("a matrix exponential", _exponential),
        ("complex numbers, NumPy's float32", _complex_numbers),
    ],
    "million": [
        ("a list, floats", [500.0, 12.0]),
        ("NumPy's numbers", (np.float32(500), np.int64(12))),
        ("an array", np.array([500, 12])),
        ("a tensor", torch.tensor([500.0, 12.0])),
        ("the paper's base", (10000, 12)),
        ("base below 1: pairs from slow to fast", (1 / 500, 12)),
    ],
}
