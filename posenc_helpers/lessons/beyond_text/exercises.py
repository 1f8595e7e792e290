"""Exercises of notebook 10: counts of patches, a table at another resolution, and angles on a hexagonal grid."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.answers import as_number, as_tensor, watched
from posenc_helpers.classroom.exercises.checking import NotYet, check, need
from posenc_helpers.classroom.exercises.forbidden import forbidding
from posenc_helpers.classroom.exercises.mistakes import name_mistake, refuse
from posenc_helpers.classroom.exercises.questions import drawn, whole
from posenc_helpers.encodings.grid import grid_positions, interpolate_grid
from posenc_helpers.lessons.beyond_text.mistakes import (
    BEFORE,
    CLASS_ROW,
    COUNTS,
    GRIDS,
    HEXAGONS,
    PATCHES,
    SQUARE,
    hexagonal,
    scores,
)


@check("counts", "Tokens are an area, plus one; Swin's rows are an area of differences.")
def check_patch_counts(answer) -> None:
    """Check three counts: tokens at 384 x 384 (patches of 16), at 336 x 224 (of 14), rows of Swin's table for 8 x 8."""
    need(isinstance(answer, tuple | list) and len(answer) == 3, "Give three numbers.")
    names = ("384 x 384 pixels", "336 x 224 pixels", "A window of 8 x 8")
    divide = "Divide each side by the side of a patch first."
    hints = (divide, divide, "Count the differences on one axis, then the pairs of them.")
    given = [as_number(value, name) for value, name in zip(answer, names, strict=True)]
    for k, where in enumerate(names):
        one = torch.tensor([*COUNTS[:k], given[k], *COUNTS[k + 1 :]])  # judged one by one, the others right
        name_mistake(PATCHES, one, where=f"{where}: ")
        need(given[k] == COUNTS[k], hints[k], f"{where}: ")


GRID_SIZES = ((5, (2, 3), (4, 6)), (3, (3, 5), (7, 4)), (6, (4, 4), (2, 8)), (4, (37, 2), (43, 3)), (7, (4, 6), (4, 6)))


@check("interpolate_grid_positions", "What stands before the grid stays, the grid is resized as a picture.")
def check_interpolate(answer) -> None:
    """Check `interpolate_grid_positions(table, size, new_size)`: rows before the grid kept, grid resized in 2-D, bicubic."""
    generator = drawn(10)
    ask = watched(forbidding(answer, "Resize the grid yourself, without the package.", package=True))
    for d, size, new in GRID_SIZES:
        table = torch.randn(1 + math.prod(size), d, generator=generator)
        _check_grid(ask, table, size, new, f"From {size[0]} x {size[1]} to {new[0]} x {new[1]}: ")
    first, columns, *sides = (whole(generator, 2, 9) for _ in range(6))
    other = first, columns, tuple(sides[:2]), tuple(sides[2:])
    for before, d, size, new in ((2, 3, (3, 4), (5, 2)), (0, 4, (2, 5), (6, 3)), (5, 2, (4, 3), (3, 4)), other):
        table = torch.randn(before + math.prod(size), d, generator=generator)
        where = f"With {before} rows before a grid of {size[0]} x {size[1]}: "
        refuse(BEFORE, _keeps(before, ask, table, size, new), where=where)


def _check_grid(ask: Callable, table: Tensor, size: tuple[int, int], new: tuple[int, int], where: str) -> None:
    """Raise NotYet unless `ask` keeps the one row before the grid, and resizes the grid."""
    try:
        given = ask(table, size, new)
    except RuntimeError:
        ask(torch.ones(17, 3), (4, 4), (6, 6))  # stops again where the shape of the grid is not the reason
        refuse(SQUARE, True, where=where)
    right = interpolate_grid(table, size, new)
    shape = tuple(getattr(given, "shape", ()))
    found = as_tensor(given, "the new table", shape if len(shape) == 2 else tuple(right.shape), whole=False)
    if found.shape == right.shape and (found - right).abs().max() < 1e-4:
        return
    name_mistake(GRIDS, found, (table, size, new), where, within=1e-4)
    as_tensor(given, "the new table", tuple(right.shape))
    refuse(CLASS_ROW, found, table, where=where)
    raise NotYet("The class row is right; the grid is another one than the old grid, resized.", where)


def _keeps(before: int, ask: Callable, table: Tensor, size: tuple[int, int], new: tuple[int, int]) -> bool:
    """Whether `ask` keeps the `before` rows of `table` and resizes the grid below them."""
    right = interpolate_grid(table, size, new, prefix=before)
    try:
        given = ask(table, size, new)
    except (RuntimeError, IndexError, ValueError):
        return False
    if getattr(given, "shape", right.shape) != right.shape:
        return False
    return bool((as_tensor(given, "the new table", tuple(right.shape), whole=False) - right).abs().max() < 1e-4)


@check("hex_angles", "All six neighbours score alike: the grid has three directions.")
def check_hexagonal(answer) -> None:
    """Check `hex_angles(positions, speeds)` by what scores see: cosines of differences, summed over the pairs."""
    ask = watched(answer)
    generator = drawn(100)
    other = torch.rand(whole(generator, 1, 5), generator=generator).tolist()
    sides = whole(generator, 4, 9), whole(generator, 4, 9)
    for h, w, speeds in ((5, 7, [1.0, 0.25]), (6, 4, [0.8, 0.3, 0.05]), (*sides, other)):
        cells, speed = grid_positions(h, w), torch.tensor(speeds)
        given, shape = ask(cells, speed), (h * w, 3 * len(speeds))
        columns = given.shape[1] if getattr(given, "ndim", 0) == 2 else shape[1]
        angles = as_tensor(given, "hex_angles(positions, speeds)", (h * w, columns), whole=False)
        found = scores(angles)
        if columns == shape[1] and torch.allclose(found, scores(hexagonal(cells, speed)), rtol=0, atol=1e-4):
            continue
        refuse(HEXAGONS, found, cells, speed)
        as_tensor(given, "hex_angles(positions, speeds)", shape)
        inside = 2 * w + 2  # cell (2, 2)
        around = found[inside, [inside + step for step in (1, -1, -w, -w - 1, w, w - 1)]]
        need(bool(around.max() - around.min() < 1e-4), "Its six neighbours should score alike.", "Cell (2, 2): ")
        raise NotYet("The six neighbours score alike, but cells farther away do not score as they should.")
