"""Answers to the exercises of notebook 03, as readers write them: wrong ones with the hint they deserve, and right ones
that look unlike the folded solution.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint that names it); `RIGHT[exercise]` lists (how, answer).
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


def _pairs(angles, block=lambda c, s: [[c, s], [-s, c]]):
    return torch.block_diag(*(torch.tensor(block(math.cos(a), math.sin(a)), dtype=torch.float64) for a in angles))


def _angles(k, d):
    return [k * 10000 ** (-2 * i / d) for i in range(d // 2)]


def _to_half(matrix):
    order = torch.arange(len(matrix)).view(-1, 2).T.flatten()  # column of the half layout -> interleaved column
    return matrix[order][:, order]


def _in_half(answer):
    """The same answer in the half layout, which the exercise asks for, in the type in which it came."""

    def reordered(k, d):
        matrix = answer(k, d)
        if matrix is None or np.shape(matrix) != (d, d):
            return matrix
        if isinstance(matrix, list):
            half = _to_half(torch.tensor(np.array([np.asarray(row) for row in matrix])))
            return list(half) if isinstance(matrix[0], torch.Tensor) else half.tolist()
        half = _to_half(torch.as_tensor(matrix))
        return half.numpy() if isinstance(matrix, np.ndarray) else half

    return reordered


def _interleaved(k, d):
    return _pairs(_angles(k, d))


def _says_nothing(k, d):
    print(_pairs(_angles(k, d)).round(decimals=2))


def _steps(k, d):  # k single steps, of which a negative k makes none
    matrix = torch.eye(d, dtype=torch.float64)
    for _ in range(k):
        matrix = matrix @ _pairs(_angles(1, d))
    return matrix


def _fitted(k, d, positions=512, dtype=torch.float64):
    p = torch.arange(positions, dtype=dtype)
    return torch.linalg.lstsq(sinusoidal(p, d), sinusoidal(p + k, d), driver="gelsd").solution.T


def _one_position(k, d):
    before, after = sinusoidal(torch.tensor([7.0, 7.0 + k]), d)
    return torch.outer(after, before) / before.dot(before)


def _only_cosines(k, d):
    return torch.tensor(_angles(k, d)).cos().repeat_interleave(2).diag()


def _blocks(k, d):
    a = torch.tensor(_angles(k, d))
    return torch.stack([a.cos(), a.sin(), -a.sin(), a.cos()], dim=-1).view(-1, 2, 2)


def _numpy_loop(k, d):
    matrix = np.zeros((d, d))
    for i in range(0, d, 2):
        c, s = np.cos(k / 10000 ** (i / d)), np.sin(k / 10000 ** (i / d))
        matrix[i, i], matrix[i, i + 1], matrix[i + 1, i], matrix[i + 1, i + 1] = c, s, -s, c
    return matrix


def _generator(k, d):
    speed = torch.tensor(_angles(1, d))
    return torch.matrix_exp(k * torch.block_diag(*(w * torch.tensor([[0.0, 1.0], [-1.0, 0.0]]) for w in speed)))


def _float32(k, d):
    a = k * 10000.0 ** (-torch.arange(0, d, 2) / d)
    rows = torch.zeros(d // 2, 2, d // 2, 2)
    i = torch.arange(d // 2)
    rows[i, 0, i, 0] = rows[i, 1, i, 1] = a.cos()
    rows[i, 0, i, 1], rows[i, 1, i, 0] = a.sin(), -a.sin()
    return rows.view(d, d)


def _steps_and_back(k, d):
    return torch.linalg.matrix_power(_pairs(_angles(1, d)), k)


def _transposed_numpy(k, d):
    return _numpy_loop(-k, d).T


def _four_quarters(k, d):
    cos, sin = torch.tensor(_angles(k, d)).cos().diag(), torch.tensor(_angles(k, d)).sin().diag()
    return torch.cat([torch.cat([cos, sin], 1), torch.cat([-sin, cos], 1)])


def _half(angles, block=lambda c, s: [[c, s], [-s, c]]):
    """Return a matrix in the half layout whose pairs turn by `angles`: four quarters, each a diagonal."""
    quarters = block(torch.as_tensor(angles).cos().diag(), torch.as_tensor(angles).sin().diag())
    return torch.cat([torch.cat(row, dim=1) for row in quarters])


def _speeds(exponent, base=10000.0):
    return lambda k, d: _half(k * base ** exponent(torch.arange(d // 2, dtype=torch.float64), d))


KEPT = {}


def _into_one_matrix(k, d):  # made once for every d, and filled anew
    matrix = KEPT.setdefault(d, torch.zeros(d, d, dtype=torch.float64))
    matrix[:] = _half(_angles(k, d))
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
    return np.block([[np.diag(turn.real), np.diag(turn.imag)], [-np.diag(turn.imag), np.diag(turn.real)]]).astype(np.float32)


WRONG = {
    "row_by_hand": [
        ("exponent doubled", _row(*(2 * 10000 ** (-4 * i / 6) for i in range(3))), "exponent is doubled"),
        ("half layout", [math.sin(a) for a in ANGLES] + [math.cos(a) for a in ANGLES], "layout"),
        ("sine and cosine swapped", sinusoidal(TWO, 6).view(3, 2).flip(-1).flatten(), "swapped"),
        ("position 1", sinusoidal(TWO - 1, 6), "position 1"),
        ("degrees", _row(*(math.radians(a) for a in ANGLES)), "degrees"),
        ("a speed for each column", [f(2 * 10000 ** (-j / 6)) for j, f in enumerate([math.sin, math.cos] * 3)],
         "a speed of its own"),
        ("sign of the exponent lost", _row(*(2 * 10000 ** (2 * i / 6) for i in range(3))), "sign of the exponent"),
        ("d/2 - 1", sinusoidal(TWO, 6, formula="tensor2tensor"), "The exponent divides by one pair too few"),
        ("integer division", _row(2, 2, 2), "All pairs take one speed"),
        ("angles, without sine and cosine", [a for a in ANGLES for _ in range(2)],
         "these two numbers cannot be sine and cosine of one angle"),
        ("the speeds of d = 4", _row(*(2 * 10000 ** (-2 * i / 4) for i in range(3))),
         "The exponent divides by one pair too few"),
        ("position 3", sinusoidal(TWO + 1, 6), "This is position 3"),
        ("one decimal", [round(value, 1) for value in _row(*ANGLES)], "two decimals"),
        ("all zeros", [0.0] * 6, "Whole numbers alone"),
        ("the first pair alone", PE_2[:2], "shape (6,), but it has (2,)"),
        ("one row too many brackets", [PE_2], "shape (6,), but it has (1, 6)"),
        ("in pairs", torch.tensor(PE_2).view(3, 2), "shape (6,), but it has (3, 2)"),
        ("half filled in", [0.91, -0.42, ..., ..., ..., ...], "should be a tensor"),
        ("text", "0.91, -0.42, 0.09, 1.00, 0.00, 1.00", "should be a tensor"),
        ("pairs counted from 1", _row(*(2 * 10000 ** (-2 * i / 6) for i in (1, 2, 3))), "Pairs are counted from 1"),
        ("no brackets: 10000 ** -2 * i / 6", _row(*(2 * (10000**-2 * i / 6) for i in range(3))), "without brackets"),
        ("division too late: 10000 ** (-2 * i) / 6", _row(*(2 * 10000 ** (-2 * i) / 6 for i in range(3))), "comes too late"),
        ("exponent halved", _row(*(2 * 10000 ** (-i / 6) for i in range(3))), "The exponent is halved"),
        ("base 1000", _row(*(2 * 1000 ** (-2 * i / 6) for i in range(3))), "it is 1,000"),
        ("one decimal", [0.9, -0.4, 0.1, 1.0, 0.0, 1.0], "give two decimals"),
        ("whole numbers", [1, 0, 0, 1, 0, 1], "fractions are cut off"),
        ("the minus of the cosine lost", [0.91, 0.42, 0.09, 1.00, 0.00, 1.00], "A sign is lost"),
    ],
    "shift_matrix": [
        ("transposed", lambda k, d: _pairs(_angles(k, d)).T, "shifts by -k"),
        ("the rotation of (x, y)", lambda k, d: _pairs(_angles(k, d), lambda c, s: [[c, -s], [s, c]]), "shifts by -k"),
        ("negative k taken as positive", lambda k, d: _pairs(_angles(abs(k), d)), "negative"),
        ("negative k left out", _steps, "k = -2"),
        ("k ignored", lambda k, d: _pairs(_angles(1, d)), "This shifts by 1"),
        ("identity", lambda k, d: torch.eye(d), "Nothing turns"),
        ("exponent doubled", lambda k, d: _pairs([k * 10000 ** (-4 * i / d) for i in range(d // 2)]),
         "The exponent is doubled"),
        ("sign of the exponent lost", lambda k, d: _pairs([k * 10000 ** (2 * i / d) for i in range(d // 2)]),
         "The sign of the exponent is lost"),
        ("one angle for all pairs", lambda k, d: _pairs([k] * (d // 2)), "All pairs take one speed"),
        ("degrees", lambda k, d: _pairs([math.radians(a) for a in _angles(k, d)]), "Your hands turn in degrees"),
        ("d/2 - 1", lambda k, d: _pairs([k * 10000 ** (-i / (d / 2 - 1)) for i in range(d // 2)]),
         "The exponent divides by one pair too few"),
        ("both sines positive", lambda k, d: _pairs(_angles(k, d), lambda c, s: [[c, s], [s, c]]),
         "The two sines have one sign"),
        ("a reflection", lambda k, d: _pairs(_angles(k, d), lambda c, s: [[c, s], [s, -c]]),
         "The two sines have one sign"),
        ("sine and cosine swapped", lambda k, d: _pairs(_angles(k, d), lambda c, s: [[s, c], [-c, s]]),
         "Sines stand where the cosines belong"),
        ("columns moved by k", lambda k, d: torch.eye(d).roll(k, 0), "Pairs are mixed"),
        ("cosines alone", _only_cosines, "Your matrix changes lengths"),
        ("all zeros", lambda k, d: torch.zeros(d, d), "Your matrix changes lengths"),
        ("random", lambda k, d: torch.randn(d, d, generator=torch.Generator().manual_seed(0)), "Pairs are mixed"),
        ("fits one position", _one_position, "Pairs are mixed"),
        ("fitted on too few positions", lambda k, d: _fitted(k, d, 4), "Pairs are mixed"),
        ("one block", lambda k, d: _pairs([k]), "shape (8, 8), but it has (2, 2)"),
        ("blocks side by side", _blocks, "shape (8, 8), but it has (4, 2, 2)"),
        ("the codes", lambda k, d: sinusoidal(torch.arange(k), d), "shape (8, 8), but it has (3, 8)"),
        ("prints, does not return", _says_nothing, "`return` missing"),
    ],
    "million": [
        ("swapped", (12, 500), "(base, d)"),
        ("more columns than needed", (10000, 512), "not needed"),
        ("64 columns", (10000, 64), "It works, but fewer columns will do"),
        ("14 columns", (10000, 14), "It works, but fewer columns will do"),
        ("ten columns", (500, 10), "come back together"),
        ("one hand", (10000, 2), "come back together"),
        ("all hands alike", (1, 12), "come back together"),
        ("a small base", (20, 16), "come back together"),
        ("hands too slow", (1e9, 12), "lower the base"),
        ("hands far too slow, sixteen columns", (1e12, 16), "lower the base"),
        ("odd", (500, 11), "even whole number"),
        ("half a column", (500, 12.5), "even whole number"),
        ("no columns", (500, 0), "even whole number"),
        ("base 0", (0, 12), "above 0"),
        ("base below 0", (-500, 12), "above 0"),
        ("base without end", (math.inf, 12), "base returned inf"),
        ("the number of columns alone", 12, "two numbers"),
        ("three numbers", (500, 12, 0.54), "two numbers"),
        ("text", "500, 12", "two numbers"),
        ("text in a pair", ("500", "12"), "base should return a number"),
        ("two bases", ([500, 1000], 12), "one number"),
        ("nothing", None, "two numbers"),
        ("three numbers", (500, 12, 0.54), "Give two numbers"),
        ("base 1", (1, 12), "come back together"),
        ("a negative base", (-500, 12), "above 0"),
    ],
}  # fmt: skip

RIGHT = {
    "row_by_hand": [
        ("two decimals", PE_2),
        ("a tuple", tuple(PE_2)),
        ("math.sin, all digits", _row(*ANGLES)),
        ("NumPy", np.array(PE_2, dtype=np.float32)),
        ("the package, float64", sinusoidal(TWO.double(), 6)),
        ("a list of tensors", list(sinusoidal(TWO, 6))),
        ("backwards, then turned round", np.array(PE_2[::-1])[::-1]),
        ("float32, NumPy", np.array(PE_2, dtype=np.float32)),
        ("three decimals, a tuple", tuple(round(wave, 3) for wave in _row(*ANGLES))),
    ],
    "shift_matrix": [
        ("a loop, NumPy", _numpy_loop),
        ("the matrix of -k, transposed, NumPy", _transposed_numpy),
        ("lists of lists", lambda k, d: _numpy_loop(k, d).tolist()),
        ("a list of rows", lambda k, d: list(_pairs(_angles(k, d)))),
        ("float32, without a loop", _float32),
        ("exponential of the generator", _generator),
        ("power of a single step", _steps_and_back),
        ("least squares on 512 positions", _fitted),
    ],
    "million": [
        ("a list, floats", [500.0, 12.0]),
        ("NumPy's numbers", (np.float32(500), np.int64(12))),
        ("an array", np.array([500, 12])),
        ("a tensor", torch.tensor([500.0, 12.0])),
        ("the paper's base", (10000, 12)),
        ("base below 1: pairs from slow to fast", (1 / 500, 12)),
        ("float32", torch.tensor([500.0, 12.0])),
        ("NumPy", np.array([500, 12])),
    ],
}  # fmt: skip

# The answers above turn pairs that stand side by side; the exercise asks for the half layout, as those below have it.
WRONG["shift_matrix"] = [(name, _in_half(answer), hint) for name, answer, hint in WRONG["shift_matrix"]] + [
    ("interleaved layout", _interleaved, "interleaved layout"),
    ("interleaved layout, transposed", lambda k, d: _interleaved(-k, d), "interleaved layout"),
    ("pairs counted from 1", _speeds(lambda i, d: -2 * (i + 1) / d), "Pairs are counted from 1"),
    ("no brackets in the exponent", lambda k, d: _half(k * (10000**-2 * torch.arange(d // 2) / d)), "lacks brackets"),
    ("exponent halved", _speeds(lambda i, d: -i / d), "The exponent is halved"),
    ("k + 1", lambda k, d: _half(_angles(k + 1, d)), "not by 3"),
    ("k ignored", lambda k, d: _half(_angles(1, d)), "This shifts by 1"),
    ("quarters not diagonal", _outer, "Are your quarters diagonal?"),
    ("whole numbers", lambda k, d: _half(_angles(k, d)).round().long(), "fractions are cut off"),
    ("float16", lambda k, d: _half(_angles(k, d)).half(), "compute in float32"),
    ("one matrix for all calls", _into_one_matrix, "calls share one tensor"),
    ("one quarter", lambda k, d: _half(_angles(k, d))[: d // 2, : d // 2], "should have shape (8, 8)"),
]
RIGHT["shift_matrix"] = [(name, _in_half(answer)) for name, answer in RIGHT["shift_matrix"]] + [
    ("four quarters", _four_quarters),
    ("a matrix exponential", _exponential),
    ("complex numbers, NumPy's float32", _complex_numbers),
]
