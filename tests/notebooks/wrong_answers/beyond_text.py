"""Answers to the exercises of notebook 10: wrong ones with the hint they deserve, and right ones that look unlike the
folded solution.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint that names it); `RIGHT[exercise]` lists (how, answer).
"""

import math

import numpy as np
import torch
from torch.nn.functional import interpolate

from posenc_helpers.encodings.learned import resize_table

# 1. patch_counts: (square_picture, wide_picture, swin_rows)
# 2. interpolate_grid_positions(table, size, new_size)


def _resized(table, size, new_size, **how):
    how = {"size": new_size} | how if "scale_factor" not in how else how
    cells = table[1:].T.unflatten(1, size)[None]
    return interpolate(cells, mode="bicubic", **how)[0].flatten(1).T


def _skipped(table, size, new_size):
    if math.prod(size) == math.prod(new_size):
        return table
    return torch.cat([table[:1], _resized(table, size, new_size)])


def _scaled(table, size, new_size):
    scale = tuple(new / old for new, old in zip(new_size, size, strict=True))
    return torch.cat([table[:1], _resized(table, size, new_size, scale_factor=scale)])


# 3. hex_angles(positions, speeds)


def _hexagonal(positions, speeds, shift=0.5, row=3**0.5 / 2, degrees=(0, 60, 120)):
    r, c = positions.unbind(-1)
    x, y = c + shift * (r % 2), row * r
    along = torch.stack([x * math.cos(math.radians(a)) + y * math.sin(math.radians(a)) for a in degrees], -1)
    return (along[..., None] * speeds).flatten(1)


WRONG = {
    "patch_counts": [
        ("no class token", (576, 384, 225), "he class token is a token"),
        ("patches of the window", (577, 385, 64), "a row for each *difference*"),
        ("one line of the page", (577, 385, 15), "one line of the page; there"),
    ],
    "interpolate": [
        ("skipped for as many patches", _skipped, "othing was resized"),
        ("as a line", lambda t, s, n: torch.cat([t[:1], resize_table(t[1:], n[0] * n[1])]), "as one line"),
        ("class row forgotten", _resized, "Is the class row put back?"),
        ("scale rounded", _scaled, "Was a size rounded down"),
        ("swapped", lambda t, s, n: torch.cat([t[:1], _resized(t, s[::-1], n)]), "eight and width are swapped"),
    ],
    "hexagonal": [
        ("no half cell", lambda p, s: _hexagonal(p, s, shift=0.0), "dd rows stand half a cell to the right"),
        ("rows one apart", lambda p, s: _hexagonal(p, s, row=1.0), "rows are as far apart as cells"),
        ("right angles", lambda p, s: _hexagonal(p, s, degrees=(0, 90, 180)), "not 60 degrees apart"),
    ],
}
RIGHT = {
    "patch_counts": [("floats", (577.0, 385.0, 225.0)), ("array", tuple(np.array([577, 385, 225])))],
    "interpolate": [("float64", lambda t, s, n: torch.cat([t[:1].double(), _resized(t.double(), s, n)]))],
    "hexagonal": [("the other way round", lambda p, s: _hexagonal(p, s, degrees=(120, 60, 0)))],
}
