"""Answers to the exercises of notebook 10: wrong ones with the hint they deserve, and right ones that look unlike the
folded solution.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint that names it); `RIGHT[exercise]` lists (how, answer).
"""

import math

import numpy as np
import torch
from torch.nn.functional import interpolate, pad

from posenc_helpers.encodings.grid import interpolate_grid

# 1. patch_counts: (square_picture, wide_picture, swin_rows)
# 2. interpolate_grid_positions(table, size, new_size)


def _resized(table, size, new_size, **how):
    how = {"size": new_size} | how if "scale_factor" not in how else how
    cells = table[1:].T.unflatten(1, size)[None]
    return interpolate(cells, mode="bicubic", **how)[0].flatten(1).T


def _cells(change, before=lambda cells: cells):
    """Return a function that is right but for what `change` does to the new cells, or `before` to the old ones."""

    def interpolated(table, size, new_size):
        old = before(table[1:].T.unflatten(1, size)[None])
        return torch.cat([table[:1], change(old, new_size)])

    return interpolated


def _rows(cells):
    return cells[0].flatten(1).T


def _mode(mode, **how):
    return _cells(lambda cells, new: _rows(interpolate(cells, size=new, mode=mode, **how)))


def _right(table, size, new_size):  # the lesson's `resize`, right where one row stands before the grid
    return torch.cat([table[:1], _resized(table, size, new_size)])


def _any(table, size, new_size, resized=None):
    before = len(table) - size[0] * size[1]
    rest = torch.cat([table[:1], table[before:]])  # (1 + h w, d), as `resized` wants it
    return torch.cat([table[:before], (resized or _resized)(rest, size, new_size)])


def _two(table, size, new_size):  # one row or two
    before = 2 if len(table) == size[0] * size[1] + 2 else 1
    return torch.cat([table[:before], _resized(table[before - 1 :], size, new_size)])


def _one_added(table, size, new_size):  # where there is none, one is made
    before = len(table) - size[0] * size[1]
    return _any(table, size, new_size) if before else torch.cat([table[:1], _any(table, size, new_size)])


def _line(table, rows):
    return interpolate(table.T[None], size=rows, mode="linear", align_corners=True)[0].T


def _square(table, size, new_size):
    side, new = (math.isqrt(h * w) for h, w in (size, new_size))
    return torch.cat([table[:1], _resized(table, (side, side), (new, new))])


def _scattered(table, size, new_size):
    cells = interpolate(table[1:].reshape(1, -1, *size), size=new_size, mode="bicubic")
    return torch.cat([table[:1], cells.reshape(-1, table.shape[1])])


def _class_resized(table, size, new_size):
    return _line(table, 1 + math.prod(new_size))


def _zeroed(table, size, new_size):
    table[0] = 0
    return _right(table, size, new_size)


def _separately(table, size, new_size):  # -> the cells alone
    cells = table[1:].unflatten(0, size)  # (h, w, d)
    for axis, length in enumerate(new_size):
        line = cells.movedim(axis, -1)  # (., d, length)
        line = interpolate(line[:, :, None], size=(1, length), mode="bicubic")[:, :, 0]
        cells = line.movedim(-1, axis)
    return cells.flatten(0, 1)


def _by_channel(table, size, new_size):
    maps = [interpolate(column.view(1, 1, *size), size=new_size, mode="bicubic").flatten() for column in table[1:].T]
    return torch.stack(maps, dim=-1)


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


def _points(positions):
    r, c = positions.unbind(-1)
    return c + 0.5 * (r % 2), r * 3**0.5 / 2


def _along(positions, speeds, point=_points, degrees=(0, 60, 120), turned=lambda x, y, a: x * a.cos() + y * a.sin(),
           finish=lambda along, speeds: (along[..., None] * speeds).flatten(1)):  # fmt: skip
    x, y = point(positions)
    a = torch.tensor(degrees).deg2rad()
    return finish(turned(x[:, None], y[:, None], a), speeds)


def _hex(**other):
    return lambda positions, speeds: _along(positions, speeds, **other)


def _corners_of_a_cube(positions, speeds):
    q, r = positions[:, 1] - (positions[:, 0] - positions[:, 0] % 2) // 2, positions[:, 0]
    along = torch.stack(
        [q + r / 2, q / 2 + r, (r - q) / 2], dim=-1
    )  # (n, 3), cells counted along two of six neighbours
    return torch.cat([along[:, k, None] * speeds for k in range(3)], dim=-1)


def _loops(positions, speeds):
    found = []
    for r, c in positions.tolist():
        z = complex(c + r % 2 / 2, r * math.sqrt(0.75))
        turned = [(z * complex(0.5, -math.sqrt(0.75)) ** k).real for k in range(3)]
        found.append([far * speed for far in turned for speed in speeds.tolist()])
    return found


def _moved_in_place(positions, speeds):
    positions = positions.T
    positions[1] += positions[0] % 2
    return _right_angles(positions.T, speeds)


def _right_angles(positions, speeds):
    return _hexagonal(positions, speeds)


WRONG = {
    "patch_counts": [
        ("no class token", (576, 384, 225), "he class token is a token"),
        ("patches of the window", (577, 385, 64), "a row for each *difference*"),
        ("one line of the page", (577, 385, 15), "one line of the page; there"),
        ("two class tokens", (578, 386, 225), "ne class token"),
        ("added", (49, 41, 225), "multiplied, not added"),
        ("one side", (25, 25, 225), "two sides"),
        ("pixels", (384 * 384 + 1, 336 * 224 + 1, 225), "ivide each side"),
        ("one side divided", (384 * 24 + 1, 336 * 16 + 1, 225), "ivide each side"),
        ("three colours", (3 * 576 + 1, 3 * 384 + 1, 225), "ivide each side"),
        ("patches of 16 in both", (577, 21 * 14 + 1, 225), "side is 14"),
        ("square", (577, 577, 225), "not square"),
        ("ViT's", (197, 385, 225), "ViT's count"),
        ("the class token in the wide one alone", (576, 385, 225), "384 x 384"),
        ("the class token in Swin", (577, 385, 226), "no class token"),
        ("pairs", (577, 385, 4096), "pairs of patches"),
        ("16 differences", (577, 385, 256), "from -7 to 7"),
        ("14 differences", (577, 385, 196), "from -7 to 7"),
        ("distances alone", (577, 385, 64), "each *difference*"),
        ("two lines", (577, 385, 30), "there are as many lines"),
        ("the window as one line", (577, 385, 127), "as one line"),
        ("a window of 7", (577, 385, 169), "7 x 7"),
        ("two answers", (577, 385), "three numbers"),
        ("one is missing", (577, 385, ...), "still the dots"),
        ("texts", ("577", "385", "225"), "should return a number"),
        ("sides", ((24, 24), (24, 16), (15, 15)), "one number"),
    ],
    "interpolate": [
        ("skipped for as many patches", _skipped, "othing was resized"),
        ("as a line", lambda t, s, n: torch.cat([t[:1], _line(t[1:], n[0] * n[1])]), "as one line"),
        ("class row forgotten", _resized, "Is the class row put back?"),
        ("scale rounded", _scaled, "Was a size rounded down"),
        ("swapped", lambda t, s, n: torch.cat([t[:1], _resized(t, s[::-1], n)]), "eight and width are swapped"),
        (
            "new sizes swapped",
            lambda t, s, n: torch.cat([t[:1], _resized(t, s, n[::-1])]),
            "eight and width are swapped",
        ),
        (
            "column by column",
            _cells(lambda cells, new: _rows(interpolate(cells, size=new, mode="bicubic").mT)),
            "eight and width are swapped",
        ),
        ("bilinear", _mode("bilinear"), "bilinear"),
        ("nearest", _mode("nearest"), "nearest old row"),
        ("areas", _mode("area"), "nearest old row"),
        ("corners lined up", _mode("bicubic", align_corners=True), "corners"),
        ("antialias", _mode("bicubic", antialias=True), "antialias"),
        ("square grids", _square, "takes square grids"),
        ("reshape for permute", _scattered, "move axes with permute"),
        (
            "reshape on the way out",
            _cells(lambda cells, new: interpolate(cells, size=new, mode="bicubic").reshape(-1, cells.shape[1])),
            "move axes with permute",
        ),
        ("class row resized with the rest", _class_resized, "stretch the class row together"),
        (
            "class row lost in zeros",
            lambda *given: pad(_right(*given)[1:], (0, 0, 1, 0)),
            "class row should come through",
        ),
        ("class row last", lambda *given: _right(*given).roll(-1, 0), "class row should come through"),
        ("class row twice", lambda t, *sizes: torch.cat([t[:1], _right(t, *sizes)]), "off by one"),
        ("zeroed in place", _zeroed, "changes its input table in place"),
        ("untouched", lambda t, s, n: t, "as many rows as before"),
        ("cut or padded", lambda t, s, n: pad(t, (0, 0, 0, 1 + n[0] * n[1] - len(t))), "he old rows come first"),
        ("repeated", lambda t, s, n: torch.cat([t[:1], t[1:].repeat(99, 1)[: n[0] * n[1]]]), "he old rows come first"),
        (
            "back to front",
            lambda *given: torch.cat([_right(*given)[:1], _right(*given)[1:].flip(0)]),
            "last to the first",
        ),
        ("transposed", lambda *given: _right(*given).T, "looks transposed"),
        ("a batch axis", lambda *given: _right(*given)[None], "length 1 is too many"),
        (
            "the grid as a picture",
            lambda t, s, n: interpolate(t[1:].T.unflatten(1, s)[None], size=n, mode="bicubic"),
            "shape",
        ),
        ("float16", lambda *given: _right(*given).half(), "float16"),
        ("a size that is written down", lambda t, s, n: _right(t, s, (14, 14)), "shape"),
        ("nothing returned", lambda *given: print(_right(*given).shape), "returned nothing"),
        ("the package", lambda t, s, n: interpolate_grid(t, s, n, len(t) - s[0] * s[1]), "Your code calls interpolate_grid"),
        ("the lesson's: one row", _right, "With 2 rows before a grid of 3 x 4: your code stops"),
        ("one row or two", _two, "With 0 rows before a grid of 2 x 5: your code stops"),
        ("a class row where there is none", _one_added, "With 0 rows before a grid of 2 x 5: the rows are others"),
    ],
    "hexagonal": [
        ("no half cell", lambda p, s: _hexagonal(p, s, shift=0.0), "dd rows stand half a cell to the right"),
        ("rows one apart", lambda p, s: _hexagonal(p, s, row=1.0), "rows are as far apart as cells"),
        (
            "even rows to the right",
            _hex(point=lambda p: (p[:, 1] + 0.5 * (1 - p[:, 0] % 2), p[:, 0] * 3**0.5 / 2)),
            "half a cell to the left",
        ),
        ("a whole cell", lambda p, s: _hexagonal(p, s, shift=1.0), "a whole cell"),
        (
            "every row half a cell further",
            _hex(point=lambda p: (p[:, 1] + 0.5 * p[:, 0], p[:, 0] * 3**0.5 / 2)),
            "shift each row",
        ),
        (
            "half cells cut to whole ones",
            _hex(point=lambda p: (p[:, 1] + p[:, 0] % 2 // 2, p[:, 0] * 3**0.5 / 2)),
            "dd rows stand half a cell to the right",
        ),
        ("rows and columns swapped", lambda p, s: _hexagonal(p.flip(-1), s), "Row and column are swapped"),
        ("rows root 3 apart", lambda p, s: _hexagonal(p, s, row=3**0.5), "rows are too far apart"),
        ("rows half apart", lambda p, s: _hexagonal(p, s, row=0.5), "neighbours"),
        ("a plain grid", lambda p, s: _hexagonal(p, s, shift=0.0, row=1.0), "as far apart as cells"),
        (
            "degrees for radians",
            _hex(turned=lambda x, y, a: x * a.rad2deg().cos() + y * a.rad2deg().sin()),
            "in degrees",
        ),
        ("two directions", lambda p, s: _hexagonal(p, s, degrees=(0, 60)), "two are too few"),
        ("two at right angles", lambda p, s: _hexagonal(p, s, degrees=(0, 90)), "two are too few"),
        ("one direction three times", lambda p, s: _hexagonal(p, s, degrees=(0, 0, 0)), "neighbours"),
        ("0, 30, 60", lambda p, s: _hexagonal(p, s, degrees=(0, 30, 60)), "not 60 degrees apart"),
        ("0, 45, 90", lambda p, s: _hexagonal(p, s, degrees=(0, 45, 90)), "neighbours"),
        ("sine and cosine exchanged", _hex(turned=lambda x, y, a: x * a.sin() + y * a.cos()), "ine and cosine"),
        ("x alone", _hex(turned=lambda x, y, a: x * a.cos()), "neighbours"),
        ("cosine in both", _hex(turned=lambda x, y, a: x * a.cos() + y * a.cos()), "neighbours"),
        ("no speeds", _hex(finish=lambda along, speeds: along.repeat(1, len(speeds))), "speeds are not used"),
        ("no speeds, three columns", _hex(finish=lambda along, speeds: along), "for each direction"),
        ("a speed for a direction", lambda p, s: _hexagonal(p, s)[:, : len(s)], "for each direction"),
        ("divided by the speeds", lambda p, s: _hexagonal(p, 1 / s), "divide by the speeds"),
        ("speeds squared", lambda p, s: _hexagonal(p, s**2), "neighbours score alike, but"),
        ("turns", lambda p, s: 2 * math.pi * _hexagonal(p, s), "neighbours score alike, but"),
        ("their cosines", lambda p, s: _hexagonal(p, s).cos(), "neighbours"),
        ("positions not used", lambda p, s: torch.ones(len(p), 3 * len(s)), "All cells score alike"),
        (
            "cells counted",
            lambda p, s: _hexagonal(torch.stack([torch.arange(len(p)) // 7, torch.arange(len(p)) % 7], -1), s),
            "count the cells yourself",
        ),
        ("an axis too many", lambda p, s: _hexagonal(p, s).unflatten(1, (3, -1)), "shape"),
        ("changed in place", _moved_in_place, "changes its input positions in place"),
        ("float16", lambda p, s: _hexagonal(p, s).half(), "float16"),
        ("whole numbers", lambda p, s: _hexagonal(p, s).long(), "fractions are cut off"),
        ("right angles", lambda p, s: _hexagonal(p, s, degrees=(0, 90, 180)), "not 60 degrees apart"),
    ],
}
RIGHT = {
    "patch_counts": [
        ("floats", (577.0, 385.0, 225.0)),
        ("array", tuple(np.array([577, 385, 225]))),
        ("a list", [24**2 + 1, 336 * 224 // 14**2 + 1, (2 * 8 - 1) ** 2]),
    ],
    "interpolate": [
        ("float64", lambda t, s, n: _any(t.double(), s, n)),
        ("one axis after the other", lambda t, s, n: _any(t, s, n, _separately)),
        ("column by column, NumPy", lambda t, s, n: _any(t, s, n, _by_channel).numpy()),
        ("a list of rows", lambda t, s, n: list(_any(t, s, n))),
    ],
    "hexagonal": [
        ("the other way round", lambda p, s: _hexagonal(p, s, degrees=(120, 60, 0))),
        ("by turning complex numbers, lists", _loops),
        ("0, 120, 240 degrees", lambda p, s: _hexagonal(p, s, degrees=(0, 120, 240))),
        ("cells counted along their neighbours", _corners_of_a_cube),
        (
            "float64, directions last",
            lambda p, s: _hexagonal(p.double(), s.double()).unflatten(1, (3, -1)).mT.flatten(1),
        ),
    ],
}
