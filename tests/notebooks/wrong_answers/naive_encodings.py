"""Answers to the exercises of notebook 02, as readers write them: wrong ones with the hint they deserve, and right ones
that look unlike the folded solution.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint that names it); `RIGHT[exercise]` lists (how, answer).
"""

import math

import numpy as np
import torch

from posenc_helpers.encodings import binary, normalised, one_hot, random_codes, sinusoidal

# 1. row


def _row(unique=1.0, consistent=0.0, bounded=4095.0):
    return {"unique": unique, "consistent": consistent, "bounded": bounded}


# 2. gray(positions, dim)


def _bits(numbers, dim):
    return (torch.as_tensor(numbers)[:, None] >> torch.arange(dim) & 1).float()


def _prefix_xor(positions, dim):  # from Gray to binary, not from binary to Gray
    code, shift = positions.clone(), 1
    while shift < 64:
        code, shift = code ^ code >> shift, 2 * shift
    return _bits(code, dim)


def _johnson(positions, dim):
    place = positions[:, None] % (2 * dim) - torch.arange(dim)
    return ((place > 0) & (place <= dim)).float()


def _blinking(positions, dim):
    return torch.cat([positions[:, None] % 2, torch.zeros(len(positions), dim - 1)], dim=-1)


def _says_nothing(positions, dim):
    code = binary(positions ^ (positions >> 1), dim)
    print(code.shape)


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
GRID = torch.tensor([-1.0, 0.0, 1.0])


def _gray_of(whole):
    """Return an answer whose bits are those of `whole(positions)`."""
    return lambda positions, dim: _bits(whole(positions), dim)


def _sums_of_halves(positions, dim):  # bit i is 1 in every second and third quarter of its period
    halves = torch.floor(positions[:, None] / 2.0 ** torch.arange(dim + 1, dtype=torch.float64))
    return (halves[:, :-1] + halves[:, 1:]) % 2


def _mirrored(positions, dim):  # the table of d bits is that of d - 1 bits, down and up again
    table = np.zeros((1, 0), dtype=np.float32)
    for _ in range(dim):
        table = np.block([[table, np.zeros((len(table), 1))], [table[::-1], np.ones((len(table), 1))]])
    return table[positions.numpy()]


WRONG = {
    "row": [
        ("yes and no as 1 and 0", _row(1, 1, 0), "Is there an L"),
        ("yes and no as True and False", _row(True, False, 4095.0), "numbers, not yes or no"),
        ("in words", _row("yes", "yes", "no"), "unique should return a number"),
        ("does not depend on L, so 1", _row(consistent=1.0), "Is there an L"),
        ("consistent: the 32 new tokens", _row(consistent=32.0), "Is there an L"),
        ("bounded: without bound", _row(bounded=math.inf), "grows without bound"),
        ("bounded: not a number", _row(bounded=math.nan), "grows without bound"),
        ("bounded: the second column", _row(bounded=1.0), "only the second column"),
        ("bounded: 64 positions only", _row(bounded=63.0), "first 64"),
        ("bounded: counted from 1", _row(bounded=4096.0), "count from 0"),
        ("bounded: 0", _row(bounded=0.0), "largest absolute value"),
        ("bounded: the norm of the last code", _row(bounded=math.hypot(4095, 1)), "largest absolute value"),
        ("unique: 0", _row(unique=0.0), "Do they?"),
        ("unique: the largest distance", _row(unique=63.0), "smallest distance"),
        ("unique: both columns differ by 1", _row(unique=math.sqrt(2)), "the same for both"),
        ("unique: normalised by the length", _row(unique=1 / 63), "smallest distance"),
        ("one column not filled in, another added", {"unique": 1.0, "consistent": 0.0, "largest": 4095.0}, "columns"),
        ("a list", [1.0, 0.0, 4095.0], "dictionary"),
        ("a set", {1.0, 0.0, 4095.0}, "dictionary"),
        ("one number", 1.0, "dictionary"),
        ("a whole column", _row(unique=torch.arange(64)), "one number"),
        ("a minus sign", _row(bounded=-4095.0), "has no sign"),
        ("the middle position", _row(bounded=2047.5), "not the middle one"),
        ("the number of codes", _row(unique=4096.0), "unique is a distance"),
        ("infinite change", _row(consistent=math.inf), "returned inf"),
    ],
    "gray": [
        ("plain binary", binary, "plain binary code: from 7"),
        ("plain binary, highest bit first", lambda p, dim: binary(p, dim).flip(-1), "highest bit first"),
        ("always 0", lambda p, dim: torch.zeros(len(p), dim), "Every position gets the same code"),
        ("the shift alone", lambda p, dim: binary(p >> 1, dim), "Two neighbours share a code"),
        ("or in the place of exclusive or", lambda p, dim: binary(p | p >> 1, dim), "Two neighbours share a code"),
        ("and in the place of exclusive or", lambda p, dim: binary(p & p >> 1, dim), "Two neighbours share a code"),
        ("plus in the place of exclusive or", lambda p, dim: _bits(p + (p >> 1), dim), "You add; compare bit by bit"),
        ("shifted to the left", lambda p, dim: _bits(p ^ p << 1, dim), "Each bit is compared with the one below it"),
        ("shifted by two", lambda p, dim: _bits(p ^ p >> 2, dim),
         "Each bit is compared with the one two places above it"),
        ("the way back, from Gray to binary", _prefix_xor, "more than one bit flips"),
        ("one-hot, round and round", lambda p, dim: one_hot(p % dim, dim), "more than one bit flips"),
        ("random bits", lambda p, dim: (random_codes(p, dim, 200) > 0).long(), "Two neighbours share a code"),
        ("one bit that blinks", _blinking, "Two positions share a code"),
        ("a ring of 2 dim codes", _johnson, "Two positions share a code"),
        ("positions ignored", lambda p, dim: _square_waves(torch.arange(len(p)), dim),
         "You take a piece from the start of a table"),
        ("counted from the first position", lambda p, dim: _square_waves(p - p[0], dim),
         "You take a piece from the start of a table"),
        ("dim ignored", lambda p, dim: binary(p ^ p >> 1, 6 if len(p) < 70 else 8), "shape (200, 9)"),
        ("transposed", lambda p, dim: binary(p ^ p >> 1, dim).T, "shape (64, 6), but it has (6, 64)"),
        ("numbers, not bits", lambda p, dim: p ^ p >> 1, "shape (64, 6), but it has (64,)"),
        ("numbers in every column", lambda p, dim: (p ^ p >> 1)[:, None].expand(-1, dim), "nothing but 0 and 1"),
        ("-1 and 1", lambda p, dim: 2 * binary(p ^ p >> 1, dim) - 1, "nothing but 0 and 1"),
        ("text", lambda p, dim: [format(n ^ n >> 1, f"0{dim}b") for n in p.tolist()], "should be a tensor"),
        ("prints, does not return", _says_nothing, "`return` missing"),
        ("brackets around the wrong part", _gray_of(lambda p: (p ^ p) >> 1), "Every position gets the same code"),
        ("positions changed in place", _in_place, "changes its input positions in place"),
        ("bits along the first axis", lambda positions, dim: _bits(positions ^ (positions >> 1), dim).T, "looks transposed"),
        ("one bit too many", lambda positions, dim: _bits(positions ^ (positions >> 1), dim + 1), "off by one"),
        ("one bit too few", lambda positions, dim: _bits(positions ^ (positions >> 1), dim)[:, 1:], "off by one"),
        ("numbers, not bits", lambda positions, dim: positions ^ (positions >> 1), "An axis is missing"),
    ],
    "four_numbers": [
        ("all alike", torch.zeros(64, 4), "Two positions share a code"),
        ("the index", P[:, None].expand(-1, 4), "[-1, 1]"),
        ("normalised", normalised(P, 4, 64), "Neighbours nearly touch"),
        ("random", torch.rand(64, 4, generator=torch.Generator().manual_seed(0)) * 2 - 1, "depend on p - q alone"),
        ("a grid in some order", torch.cartesian_prod(GRID, GRID, GRID, GRID)[:64], "depend on p - q alone"),
        ("binary, four bits", binary(torch.arange(64) % 16, 4), "depend on p - q alone"),
        ("sines without cosines", torch.stack([(w * P).sin() for w in (2.7, 2.1, 1.3, 0.4)], -1), "depend on p - q alone"),
        ("the sinusoidal code, d = 4", sinusoidal(P, 4), "Search over the two speeds"),
        ("one hand, twice", _hands(TURN, TURN), "Positions far apart nearly touch"),
        ("one slow hand alone", torch.nn.functional.pad(_hands(TURN), (0, 2)), "Neighbours nearly touch"),
        ("two fast hands of like speed", _hands(2.5, 2.51), "of like speed"),
        ("hands that come back after 16", _hands(4 * TURN, 8 * TURN), "Two positions share a code"),
        ("the same in float32", _hands(4 * TURN, 8 * TURN, p=P.float()), "Two positions share a code"),
        ("hands two long", 2 * _hands(28 * TURN, 31 * TURN), "[-1, 1]"),
        ("fast enough, but rounded to one decimal", _hands(28 * TURN, 31 * TURN).round(decimals=1), "vary by"),
        ("63 positions", _hands(28 * TURN, 31 * TURN)[1:], "shape (64, 4), but it has (63, 4)"),
        ("transposed", _hands(28 * TURN, 31 * TURN).T, "shape (64, 4), but it has (4, 64)"),
        ("one column a hand, complex", torch.polar(torch.ones(64, 4).double(), P[:, None].expand(-1, 4)), "real numbers"),
        ("the two speeds", (2.7489, 3.0434), "shape (64, 4), but it has (2,)"),
        ("the function, not its result", _hands, "of type function"),
        ("divided by zero", _hands(28 * TURN, 31 * TURN) / P[:, None], "NaN or infinity"),
        ("degrees", torch.cat([_hands(math.radians(0.091)), _hands(math.radians(0.829))], dim=-1), "not degrees"),
        ("whole numbers", _hands(0.091, 0.829).long(), "fractions are cut off"),
        ("columns first", _hands(0.091, 0.829).T, "looks transposed"),
        ("a batch of one", _hands(0.091, 0.829)[None], "length 1 is too many"),
        ("complex hands", torch.polar(torch.ones(64, 2), torch.stack([0.091 * P, 0.829 * P], -1).float()), "complex"),
        ("the last position left out", _hands(0.091, 0.829)[:-1], "does a range end too early"),
    ],
}  # fmt: skip

RIGHT = {
    "row": [
        ("whole numbers", _row(1, 0, 4095)),
        ("other order", {"bounded": 4095.0, "consistent": 0.0, "unique": 1.0}),
        ("NumPy", _row(np.float32(1), np.float64(0), np.int64(4095))),
        ("tensors, measured", _row(torch.tensor(1.0), torch.zeros(1), torch.tensor(4095, dtype=torch.float64))),
        ("arrays of one number", _row(np.array([1.0]), np.zeros((1, 1)), np.array(4095))),
        ("whole numbers", _row(1, 0, 4095)),
        ("float32, int64 and an array", {"unique": np.float32(1), "consistent": np.int64(0), "bounded": np.array([4095.0])}),
    ],
    "gray": [
        ("exclusive or, own bits", lambda p, dim: _bits(p ^ p // 2, dim)),
        ("reflect and prefix, lists of lists", _reflected),
        ("one bit toggled a step", _toggled),
        ("NumPy, highest bit first", _numpy_highest_first),
        ("through text", _words),
        ("a list of rows", _rows),
        ("square waves, as booleans", _square_waves),
        ("neighbouring bits of plain binary compared", lambda p, dim: binary(p, dim + 1).diff(dim=-1).abs().to(torch.int8)),
        ("all bits turned round", lambda p, dim: 1 - _square_waves(p, dim).float()),
        ("columns in another order", lambda p, dim: _square_waves(p, dim).double().roll(2, -1)),
        ("begun elsewhere", lambda p, dim: _bits((p ^ p >> 1) ^ 5, dim)),
        ("quarters of periods, float64", _sums_of_halves),
        ("mirrored tables, NumPy's float32", _mirrored),
    ],
    "four_numbers": [
        ("two hands, float64", _hands(28 * TURN, 31 * TURN)),
        ("two hands, float32", _hands(28 * TURN, 31 * TURN, p=P.float())),
        ("lists", _hands(28 * TURN, 31 * TURN).tolist()),
        ("NumPy, columns turned round", _hands(28 * TURN, 31 * TURN).numpy()[:, ::-1]),
        ("backwards, from a phase", _hands(-28 * TURN, 31 * TURN, p=P + 0.3)),
        ("sines first", _hands(28 * TURN, 31 * TURN)[:, [1, 3, 0, 2]]),
        ("counted in turns", _hands(28 * TURN + 2 * math.pi, 31 * TURN)),
        ("fitted, still with gradients", _hands(28 * TURN, 31 * TURN).requires_grad_()),
        ("a list of rows", list(_hands(28 * TURN, 31 * TURN))),
        ("float32, NumPy", _hands(0.091, 0.829).float().numpy()),
        ("started elsewhere, the second hand backwards", _hands(0.091, -0.829, p=P + 17).tolist()),
    ],
}  # fmt: skip
