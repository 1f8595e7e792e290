"""Likely mistakes in the exercises of notebook 10."""

import math
from collections.abc import Callable
from operator import not_

import torch
from torch import Tensor
from torch.nn.functional import interpolate, pad

from posenc_helpers.classroom.exercises.mistakes import Mistake

COUNTS = (577, 385, 225)


def counts(square: tuple[int, ...] = (), wide: tuple[int, ...] = (), swin: tuple[int, ...] = ()) -> list[tuple]:
    """Return answers to exercise 1 that are right but for one number, which is one of these."""
    numbers = (square, wide, swin)
    return [(*COUNTS[:k], number, *COUNTS[k + 1 :]) for k in range(3) for number in numbers[k]]


PATCHES = {
    "class token forgotten, twice, or in a window": Mistake(
        "A picture has one class token, which is a token beside its patches; a window has none.",
        *counts((576, 578), (384, 386), (226,)),
    ),
    "added": Mistake("Both axes are multiplied, not added.", *counts((48, 49), (40, 41), (29, 30))),
    "one axis": Mistake(
        "That is one axis alone. How many such lines are there?", *counts((24, 25), (24, 16, 25, 17), (15,))
    ),
    "a square": Mistake("This grid is not square.", *counts(wide=(577, 257))),
    "a count for other sizes": Mistake(
        "That is a count for other sizes. Which picture, which patches, which window are asked for?",
        *counts((197,), (197, 295), (169,)),
    ),
    "patches or pairs, not differences": Mistake(
        "The table has a row for each *difference* of two patches, which all pairs that differ by as much share.",
        *counts(swin=(64, 4096)),
    ),
    "differences counted wrongly": Mistake(
        "A difference of two patches runs from -7 to 7 on each axis of the window. Count these.",
        *counts(swin=(49, 196, 256, 289, 127)),
    ),
}


def resized(cells: Tensor, size: tuple[int, int], new: tuple[int, int], mode: str = "bicubic", **how) -> Tensor:
    """Return cells (h w, d) of a grid of `size` resized to `new`: (h' w', d)."""
    return interpolate(cells.T.unflatten(1, size)[None], size=new, mode=mode, **how)[0].flatten(1).T


def below_one(change: Callable = resized, **how) -> Callable:
    """Return an answer to exercise 2 that keeps one row and puts change(cells, size, new, **how) below it."""
    return lambda table, size, new: torch.cat([table[:1], change(table[1:], size, new, **how)])


def as_line(rows: Tensor, count: int, align_corners: bool) -> Tensor:
    return interpolate(rows.T[None], size=count, mode="linear", align_corners=align_corners)[0].T


def by_ratio(cells: Tensor, size: tuple[int, int], new: tuple[int, int]) -> Tensor:
    ratio = tuple(after / before for before, after in zip(size, new, strict=True))
    return resized(cells, size, None, scale_factor=ratio)


def scattered(cells: Tensor, size: tuple[int, int], new: tuple[int, int]) -> Tensor:
    return interpolate(cells.reshape(1, -1, *size), size=new, mode="bicubic")[0].flatten(1)


def square(table: Tensor, size: tuple[int, int], new: tuple[int, int]) -> Tensor:
    side, after = math.isqrt(math.prod(size)), math.isqrt(math.prod(new))
    return below_one()(table, (side, side), (after, after))


CLASS_ROW = {
    "class row not kept": Mistake(
        "The class row should come through unchanged, as row 0. It belongs to no place in the picture.",
        lambda *given: below_one()(*given)[1:],
        lambda *given: pad(below_one()(*given)[1:], (0, 0, 1, 0)),
        holds=lambda found, table: bool((found[0] - table[0]).abs().max() < 1e-4),
    )
}
GRIDS = {
    **CLASS_ROW,
    "old rows as they were": Mistake(
        "The old rows come as they were. On another grid, even of as many patches, patches stand at other places.",
        lambda table, size, new: table,
        lambda table, size, new: pad(table, (0, 0, 0, 1 + math.prod(new) - len(table))),
        below_one(lambda cells, size, new: cells.repeat(99, 1)[: math.prod(new)]),
    ),
    "stretched as one line": Mistake(
        "You stretch the patches as one line. Lay them out as a grid first, without the class row, which has no place.",
        below_one(lambda cells, size, new: as_line(cells, math.prod(new), align_corners=True)),
        below_one(lambda cells, size, new: as_line(cells, math.prod(new), align_corners=False)),
        lambda table, size, new: as_line(table, 1 + math.prod(new), align_corners=True),
        lambda table, size, new: as_line(table, 1 + math.prod(new), align_corners=False),
    ),
    "ratios of sizes": Mistake(
        "Rows are missing. Was a size rounded down on the way? Give sizes, not ratios of them.", below_one(by_ratio)
    ),
    "height and width swapped": Mistake(
        "Height and width are swapped somewhere; in a square picture that would not show.",
        below_one(lambda cells, size, new: resized(cells, size[::-1], new)),
        below_one(lambda cells, size, new: resized(cells, size, new[::-1])),
        below_one(lambda cells, size, new: resized(cells, size[::-1], new[::-1])),
        below_one(lambda cells, size, new: resized(cells, size, new).unflatten(0, new).transpose(0, 1).flatten(0, 1)),
    ),
    "another mode": Mistake(
        "That is another mode, such as bilinear or nearest; bicubic is asked for.",
        below_one(mode="bilinear"),
        below_one(mode="nearest"),
    ),
    "corners lined up, or smoothed": Mistake(
        "That is with align_corners=True or antialias=True. Line up the edges of the grid, and smooth nothing.",
        below_one(align_corners=True),
        below_one(antialias=True),
    ),
    "reshape for permute": Mistake(
        "The columns of the table and its places are mixed up: move axes with permute or .T, not with reshape.",
        below_one(lambda cells, size, new: scattered(cells, size, new).T),
        below_one(lambda cells, size, new: scattered(cells, size, new).reshape(-1, cells.shape[1])),
        below_one(lambda cells, size, new: resized(cells, size, new).T.reshape(-1, cells.shape[1])),
    ),
}
# These two are asked where an answer stops, and where other than one row stands before the grid.
SQUARE = {
    "square grids alone": Mistake(
        "Your code stops here, but takes square grids. Use both sizes as they come.", square, holds=not_
    )
}
BEFORE = {
    "one row before the grid, always": Mistake(
        "It stops, or gives other rows; it is right where one row is. Count them.", below_one(), holds=bool
    )
}


def hexagonal(
    positions: Tensor,
    speeds: Tensor,
    shift: float = 0.5,
    row: float = 3**0.5 / 2,
    turn: float = math.pi / 3,
    first: float = 0.0,
    directions: int = 3,
) -> Tensor:
    """Return the angles (n, 3 s) of cells (n, 2) of a hexagonal grid whose odd rows stand half a cell to the right.

    Each of the three directions, 0, 60 and 120 degrees from a row, has all of `speeds` (s,). Others make mistakes:
    shift of odd rows, distance of rows, turn between directions and the first of them (radians), how many there are.
    """
    r, c = positions.double().unbind(-1)
    x, y = c + shift * (r % 2), row * r  # (n,) each, where the middle of a cell lies
    angles = [first + k * turn for k in range(directions)]
    along = torch.stack([x * math.cos(a) + y * math.sin(a) for a in angles], dim=-1)  # (n, 3)
    return (along[..., None] * speeds.double()).flatten(-2)


def scores(angles: Tensor) -> Tensor:
    """Return the score of every two cells when queries and keys are ones: angles (n, pairs) -> (n, n)."""
    return (angles[:, None] - angles).cos().mean(-1)


def scored(hint: str, *wrong: Callable) -> Mistake:
    """Return a likely mistake in exercise 3: directions may come in any order, so it is seen in the scores."""
    alike = lambda given, angles: torch.allclose(given, scores(angles), rtol=0, atol=1e-4)  # noqa: E731
    return Mistake(hint, *wrong, holds=lambda given, *inputs: not any(alike(given, w(*inputs)) for w in wrong))


def changed(**numbers: float) -> Callable:
    return lambda cells, speeds: hexagonal(cells, speeds, **numbers)


HEXAGONS = {
    "odd rows not half a cell to the right": scored(
        "Odd rows stand half a cell to the right, even ones do not; yours stand elsewhere.",
        *(changed(shift=cells) for cells in (0.0, -0.5, 1.0)),
        lambda cells, speeds: hexagonal(cells + (cells // 2).flip(-1) * torch.tensor([0, 1]), speeds),
    ),
    "rows at another distance": scored(
        "The distance between your rows is another one: neighbours in two rows should be 1 apart, as in one row.",
        *(changed(row=apart) for apart in (1.0, 3**0.5, 0.5)),
        changed(row=1.0, shift=0.0),
    ),
    "directions missing": scored(
        "Give all three directions, and each of them all speeds.",
        changed(directions=1),
        changed(directions=2),
        changed(directions=2, turn=math.pi / 2),
    ),
    "directions not 60 degrees apart": scored(
        "Your directions are not 60 degrees apart. Are they in radians, as PyTorch takes them?",
        *(changed(turn=angle) for angle in (60.0, math.pi / 6, math.pi / 4, math.pi / 2)),
    ),
    "sine and cosine exchanged": scored(
        "Your directions are 60 degrees apart, but none runs along a row. Are sine and cosine exchanged?",
        changed(first=math.pi / 6),
    ),
    "speeds not used as they are": scored(
        "Cells are where they should be, but angles do not follow the speeds as they are given.",
        lambda cells, speeds: hexagonal(cells, torch.ones_like(speeds)),
        lambda cells, speeds: hexagonal(cells, 1 / speeds),
        lambda cells, speeds: hexagonal(cells, speeds**2),
        lambda cells, speeds: hexagonal(cells, 2 * math.pi * speeds),
    ),
    "row and column swapped": scored(
        "Row and column are swapped.", lambda cells, speeds: hexagonal(cells.flip(-1), speeds)
    ),
    "positions not used": scored(
        "All cells score alike: positions are not used.",
        lambda cells, speeds: torch.zeros(len(cells), 3 * len(speeds), dtype=torch.float64),
    ),
}

MISTAKES = {"patch_counts": PATCHES, "interpolate": GRIDS | SQUARE | BEFORE, "hexagonal": HEXAGONS}
