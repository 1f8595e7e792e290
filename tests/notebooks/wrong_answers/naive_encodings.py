"""Answers to the exercises of notebook 02, as readers write them, that its table of likely mistakes does not hold.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint); `RIGHT[exercise]` lists (how, answer).
"""

import math

import numpy as np
import torch

from posenc_helpers.encodings import binary, sinusoidal

# 1. row


def _row(unique=1.0, consistent=0.0, bounded=4095.0):
    return {"unique": unique, "consistent": consistent, "bounded": bounded}


# 2. gray(positions, dim)


def _bits(numbers, dim):
    return (numbers[:, None] >> torch.arange(dim) & 1).float()


def _prefix_xor(positions, dim):  # from Gray to binary, not from binary to Gray
    code, shift = positions.clone(), 1
    while shift < 64:
        code, shift = code ^ code >> shift, 2 * shift
    return _bits(code, dim)


def _johnson(positions, dim):
    place = positions[:, None] % (2 * dim) - torch.arange(dim)
    return ((place > 0) & (place <= dim)).float()


def _in_place(positions, dim):
    positions ^= positions >> 1
    return binary(positions, dim)


def _reflected(positions, dim):
    code = [[]]
    for _ in range(dim):
        code = [[0, *row] for row in code] + [[1, *row] for row in reversed(code)]
    return [code[p] for p in positions]


def _toggled(positions, dim):
    table, row = [[0] * dim], [0] * dim
    for p in range(1, max(positions) + 1):
        lowest = (p & -p).bit_length() - 1
        row[lowest] = 1 - row[lowest]
        table.append(list(row))
    return np.array(table)[positions]


def _numpy_highest_first(positions, dim):
    p = np.asarray(positions)
    return ((p ^ p >> 1)[:, None] >> np.arange(dim) & 1)[:, ::-1]


def _words(positions, dim):
    return [[int(bit) for bit in format(p ^ p >> 1, f"0{dim}b")] for p in positions.tolist()]


def _rows(positions, dim):
    return [binary(p ^ p >> 1, dim) for p in positions]


def _square_waves(positions, dim):  # bit i of the Gray code is a square wave of half a period's delay
    return torch.stack([(positions + 2**i) // 2 ** (i + 1) % 2 == 1 for i in range(dim)], dim=-1)


# 3. codes


P = torch.arange(64.0, dtype=torch.float64)


def _hands(*speeds, p=P):
    return torch.stack([wave for speed in speeds for wave in ((speed * p).cos(), (speed * p).sin())], dim=-1)


TURN = 2 * math.pi / 64  # with whole multiples of it, position 64 would be position 0 again


WRONG = {
    "row": [
        ("yes and no as True and False", _row(True, False, 4095.0), "a number, but it returned a yes or no"),
        ("in words", _row("yes", "yes", "no"), "unique should return a number"),
        ("another column", {"unique": 1.0, "consistent": 0.0, "largest": 4095.0}, "columns"),
        ("a list", [1.0, 0.0, 4095.0], "dictionary"),
        ("a whole column", _row(unique=torch.arange(64)), "one number"),
    ],
    "gray": [
        ("the way back, from Gray to binary", _prefix_xor, "one bit should flip"),
        ("a ring of 2 dim codes", _johnson, "Two positions share a code"),
        (
            "turned round in a short piece",
            lambda p, dim: _square_waves(p, dim) ^ (len(p) < 5),
            "which others are asked",
        ),
        ("numbers in every column", lambda p, dim: (p ^ p >> 1)[:, None].expand(-1, dim), "nothing but 0 and 1"),
        ("dim ignored", lambda p, dim: binary(p ^ p >> 1, 6 if len(p) < 70 else 8), "shape (200, 9)"),
        ("text", lambda p, dim: [format(n ^ n >> 1, f"0{dim}b") for n in p.tolist()], "should be a tensor"),
        ("positions changed in place", _in_place, "changes its input positions in place"),
    ],
    "four_numbers": [
        ("the sinusoidal code, d = 4", sinusoidal(P, 4), "Search over the two speeds"),
        ("63 positions", _hands(28 * TURN, 31 * TURN)[1:], "shape (64, 4), but it has (63, 4)"),
        ("the function, not its result", _hands, "of type function"),
        ("divided by zero", _hands(28 * TURN, 31 * TURN) / P[:, None], "NaN or infinity"),
        ("whole numbers", _hands(0.091, 0.829).long(), "fractions are cut off"),
    ],
}

RIGHT = {
    "row": [
        ("whole numbers", _row(1, 0, 4095)),
        ("other order", {"bounded": 4095.0, "consistent": 0.0, "unique": 1.0}),
        ("NumPy", _row(np.float32(1), np.float64(0), np.int64(4095))),
        ("arrays of one number", _row(np.array([1.0]), np.zeros((1, 1)), np.array(4095))),
    ],
    "gray": [
        ("exclusive or, own bits", lambda p, dim: _bits(p ^ p // 2, dim)),
        ("reflect and prefix, lists of lists", _reflected),
        ("one bit toggled a step", _toggled),
        ("NumPy, highest bit first", _numpy_highest_first),
        ("through text", _words),
        ("a list of rows", _rows),
        ("square waves, as booleans", _square_waves),
        (
            "neighbouring bits of plain binary compared",
            lambda p, dim: binary(p, dim + 1).diff(dim=-1).abs().to(torch.int8),
        ),
        ("all bits turned round", lambda p, dim: 1 - _square_waves(p, dim).float()),
        ("columns in another order", lambda p, dim: _square_waves(p, dim).double().roll(2, -1)),
    ],
    "four_numbers": [
        ("two hands, float64", _hands(28 * TURN, 31 * TURN)),
        ("two hands, float32", _hands(28 * TURN, 31 * TURN, p=P.float())),
        ("lists", _hands(28 * TURN, 31 * TURN).tolist()),
        ("NumPy, columns turned round", _hands(28 * TURN, 31 * TURN).numpy()[:, ::-1]),
        ("fitted, still with gradients", _hands(28 * TURN, 31 * TURN).requires_grad_()),
        ("started elsewhere, the second hand backwards", _hands(0.091, -0.829, p=P + 17).tolist()),
    ],
}
