"""Answers to the exercises of notebook 02, as readers write them, that its table of likely mistakes does not hold.

`WRONG[exercise]` lists (what is wrong, answer, part of a hint that no row gives); `RIGHT[exercise]` lists (how, answer).
"""

import math

import torch

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
        ("another column", {"unique": 1.0, "consistent": 0.0, "largest": 4095.0}, "columns"),
        ("a list", [1.0, 0.0, 4095.0], "dictionary"),
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
    ],
    "four_numbers": [("two hands, 0.6995 apart", _hands(18 * TURN, 21 * TURN), "Search over the two speeds")],
}

RIGHT = {
    "row": [("other order", {"bounded": 4095.0, "consistent": 0.0, "unique": 1.0})],
    "gray": [
        ("all bits turned round", lambda p, dim: 1 - _square_waves(p, dim).float()),
        ("columns in another order", lambda p, dim: _square_waves(p, dim).double().roll(2, -1)),
    ],
    "four_numbers": [
        ("fitted, still with gradients", _hands(28 * TURN, 31 * TURN).requires_grad_()),
        ("started elsewhere, the second hand backwards", _hands(0.091, -0.829, p=P + 17).tolist()),
    ],
}
