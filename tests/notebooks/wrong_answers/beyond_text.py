"""Answers to the exercises of notebook 10, as readers write them, that its table of likely mistakes does not hold.

`WRONG[exercise]` lists (what is wrong, answer, part of a hint that no row gives); `RIGHT[exercise]` lists (how, answer).
"""

import math

import numpy as np
import torch
from torch.nn.functional import interpolate

from posenc_helpers.encodings.grid import interpolate_grid

# 1. patch_counts: (square_picture, wide_picture, swin_rows)
# 2. interpolate_grid_positions(table, size, new_size)


def _resized(table, size, new_size):
    cells = table[1:].T.unflatten(1, size)[None]
    return interpolate(cells, size=new_size, mode="bicubic")[0].flatten(1).T


def _right(table, size, new_size):  # the lesson's `resize`, right where one row stands before the grid
    return torch.cat([table[:1], _resized(table, size, new_size)])


def _any(table, size, new_size, resized=_resized):
    before = len(table) - size[0] * size[1]
    rest = torch.cat([table[:1], table[before:]])  # (1 + h w, d), as `resized` wants it
    return torch.cat([table[:before], resized(rest, size, new_size)])


def _two(table, size, new_size):  # one row or two
    before = 2 if len(table) == size[0] * size[1] + 2 else 1
    return torch.cat([table[:before], _resized(table[before - 1 :], size, new_size)])


def _separately(table, size, new_size):  # -> the cells alone
    cells = table[1:].unflatten(0, size)  # (h, w, d)
    for axis, length in enumerate(new_size):
        line = cells.movedim(axis, -1)  # (., d, length)
        line = interpolate(line[:, :, None], size=(1, length), mode="bicubic")[:, :, 0]
        cells = line.movedim(-1, axis)
    return cells.flatten(0, 1)


# 3. hex_angles(positions, speeds)


def _hexagonal(positions, speeds, degrees=(0, 60, 120)):
    r, c = positions.unbind(-1)
    x, y = c + r % 2 / 2, 3**0.5 / 2 * r
    along = torch.stack([x * math.cos(math.radians(a)) + y * math.sin(math.radians(a)) for a in degrees], -1)
    return (along[..., None] * speeds).flatten(1)


WRONG = {
    "patch_counts": [
        ("pixels", (384 * 384 + 1, 336 * 224 + 1, 225), "ivide each side"),
        ("two answers", (577, 385), "three numbers"),
    ],
    "interpolate": [
        ("class row mixed", lambda t, *sizes: torch.cat([t.mean(0)[None], _right(t, *sizes)[1:]]), "class row should"),
        (
            "back to front",
            lambda *given: torch.cat([_right(*given)[:1], _right(*given)[1:].flip(0)]),
            "another one than",
        ),
        (
            "the package",
            lambda t, s, n: interpolate_grid(t, s, n, len(t) - s[0] * s[1]),
            "Your code calls interpolate_grid",
        ),
        ("one row or two", _two, "With 0 rows before a grid of 2 x 5: it stops"),
    ],
    "hexagonal": [
        ("x alone", lambda p, s: _hexagonal(p * torch.tensor([0, 1]), s), "neighbours should score alike"),
        ("speeds cubed", lambda p, s: _hexagonal(p, s**3), "neighbours score alike, but"),
        ("every column twice", lambda p, s: _hexagonal(p, s).repeat(1, 2), "shape"),
    ],
}

RIGHT = {
    "patch_counts": [("array", tuple(np.array([577, 385, 225])))],
    "interpolate": [("one axis after the other", lambda t, s, n: _any(t, s, n, _separately))],
    "hexagonal": [
        ("the other way round", lambda p, s: _hexagonal(p, s, degrees=(120, 60, 0))),
        ("0, 120, 240 degrees", lambda p, s: _hexagonal(p, s, degrees=(0, 120, 240))),
        (
            "float64, directions last",
            lambda p, s: _hexagonal(p.double(), s.double()).unflatten(1, (3, -1)).mT.flatten(1),
        ),
    ],
}
