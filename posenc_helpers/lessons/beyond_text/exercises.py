"""Checks of notebook 10: counts of patches, a table at another resolution, and angles on a hexagonal grid."""

import math

import torch
from torch import Generator, Tensor

from posenc_helpers.classroom.exercises.answers import as_number, as_tensor, watched
from posenc_helpers.classroom.exercises.checking import NotYet, Outcome, need, run_check
from posenc_helpers.classroom.exercises.forbidden import forbidding
from posenc_helpers.encodings.grid import grid_positions, interpolate_grid
from posenc_helpers.encodings.learned import resize_table


def check_patch_counts(answer) -> Outcome:
    """Check three counts: tokens at 384 x 384 (patches of 16), at 336 x 224 (of 14), rows of Swin's table for 8 x 8."""

    def test() -> None:
        need(isinstance(answer, tuple | list) and len(answer) == 3, "Give three numbers.")
        names = ("384 x 384 pixels: ", "336 x 224 pixels: ", "A window of 8 x 8: ")
        square, wide, swin = (as_number(value, name.rstrip(": ")) for value, name in zip(answer, names, strict=True))
        sides = {names[0]: (384 // 16, 384 // 16, square), names[1]: (336 // 14, 224 // 14, wide)}
        for where, (h, w, given) in sides.items():
            cells = h * w
            need(given != cells, "Those are the patches. The class token is a token, too.", where)
            need(given != cells + 2, "One class token, not two.", where)
            need(given not in (h + w, h + w + 1), "Rows and columns are multiplied, not added.", where)
            need(given not in (h, w, h + 1, w + 1), "That is one side of the grid. The grid has two sides.", where)
            need(given not in (h * h + 1, w * w + 1) or h == w, "This grid is not square.", where)
            need(given != (336 // 16) * (224 // 16) + 1 or h == w, "Those would be patches of 16; here their side is 14.",
                 where)  # fmt: skip
            need(given != 197, "That is ViT's count at 224 pixels and patches of 16.", where)
            need(given == cells + 1, "Divide each side by the side of a patch first.", where)
        where = names[2]
        need(
            swin != 64, "Those are the patches of the window. The table has a row for each *difference* of two.", where
        )
        need(swin != 64**2, "Those are the pairs of patches; pairs at the same place relative to each other share a row.",
             where)  # fmt: skip
        need(swin not in (29, 30), "Both axes are multiplied, not added: there are as many lines as differences on one.",
             where)  # fmt: skip
        need(swin != 127, "You count the window as one line. It is a grid.", where)
        need(swin != 226, "There is no class token here: only patches of one window.", where)
        need(swin != 15, "That is one line of the page; there are as many lines.", where)
        need(
            swin not in (49, 196, 256, 289),
            "A difference of two patches runs from -7 to 7 on each axis. Count these.",
            where,
        )
        need(swin != 169, "That is the table of a window of 7 x 7.", where)
        need(swin == 225, "Count the differences on one axis, then the pairs of them.", where)

    given = ... if isinstance(answer, tuple) and all(part is ... for part in answer) else answer
    return run_check("counts", given, test, "Tokens are an area, plus one; Swin's rows are an area of differences.")


def check_interpolate(answer) -> Outcome:
    """Check `interpolate_grid_positions(table, size, new_size)`: rows before the grid kept, grid resized in 2-D, bicubic."""

    def test() -> None:
        generator = Generator().manual_seed(10)
        ask = watched(forbidding(answer, "Resize the grid yourself, without the package.", package=True))
        for d, size, new in ((5, (2, 3), (4, 6)), (3, (3, 5), (7, 4)), (6, (4, 4), (2, 8)), (4, (37, 2), (43, 3)),
                             (7, (4, 6), (4, 6))):  # fmt: skip
            table = torch.randn(1 + size[0] * size[1], d, generator=generator)
            where = f"From {size[0]} x {size[1]} to {new[0]} x {new[1]}: "
            given = _table(_asked(ask, table, size, new, where), where, len(table), (1 + new[0] * new[1], d))
            _hint_table(given, table, size, new, where)
        for before, d, size, new in ((2, 3, (3, 4), (5, 2)), (0, 4, (2, 5), (6, 3)), (5, 2, (4, 3), (3, 4))):
            table = torch.randn(before + size[0] * size[1], d, generator=generator)
            _check_before(ask, table, size, new, before)

    return run_check(
        "interpolate_grid_positions", answer, test, "What stands before the grid stays, the grid is resized as a picture."
    )


def _check_before(ask, table: Tensor, size: tuple[int, int], new: tuple[int, int], before: int) -> None:
    """Raise NotYet unless `ask` keeps `before` rows, having been right where one row stands before the grid."""
    where, rest = f"With {before} rows before a grid of {size[0]} x {size[1]}: ", "It is right where one row is. Count them."
    try:
        given = ask(table, size, new)
    except (RuntimeError, IndexError, ValueError):
        raise NotYet(f"Your code stops. {rest}", where, name="one row before the grid, always") from None
    wanted = interpolate_grid(table, size, new, prefix=before)
    fits = getattr(given, "shape", wanted.shape) == wanted.shape
    given = as_tensor(given, "the new table", tuple(wanted.shape), whole=False) if fits else None
    need(fits and bool((given - wanted).abs().max() < 1e-4), f"The rows are others. {rest}", where,
         name="one row before the grid, always")  # fmt: skip


def _asked(ask, table: Tensor, size: tuple[int, int], new: tuple[int, int], where: str):
    """Return what `ask` gives, with a hint where it stops at this grid and runs on a square one."""
    try:
        return ask(table, size, new)
    except RuntimeError as error:
        try:
            ask(torch.ones(17, 3), (4, 4), (6, 6))
        except Exception:
            raise error from None
        raise NotYet("Your code stops here, but takes square grids. Use both sizes as they come.", where) from None


def _table(given, where: str, before: int, shape: tuple[int, int]) -> Tensor:
    """Return `given` as a tensor of `shape`, with a hint where its rows say how they were made."""
    rows = getattr(given, "shape", (shape[0],))
    need(len(rows) != 2 or rows[0] != shape[0] - 1, "A row is missing. Is the class row put back?", where)
    need(len(rows) != 2 or rows[0] != before or before == shape[0], "The table has as many rows as before.", where)
    need(len(rows) != 2 or rows[0] >= shape[0] or rows[1] != shape[1], "Rows are missing. Was a size rounded down on the "
         "way? Give sizes, not ratios of them.", where)  # fmt: skip
    return as_tensor(given, "the new table", shape, whole=False)


def _hint_table(given: Tensor, table: Tensor, size: tuple[int, int], new: tuple[int, int], where: str) -> None:
    """Raise NotYet unless `given` is the class row of `table` and its grid at `new`, resized."""
    near = lambda other, mine=given: other.shape == mine.shape and bool((mine - other).abs().max() < 1e-4)  # noqa: E731
    right = interpolate_grid(table, size, new)
    if near(right):
        return
    cells, rows = table[1:], given[1:]
    need(near(table[:1], given[:1]), "The class row should come through unchanged, as row 0. It belongs to no place in the "
         "picture.", where)  # fmt: skip
    need(not (given.shape == table.shape and near(table) and size != new), "Nothing was resized. As many patches as "
         "before are not the same grid as before.", where)  # fmt: skip
    whole = [resize_table(table, len(given), corners) for corners in (True, False)]
    need(not any(near(line) for line in whole), "You stretch the class row together with the patches, as one line. It "
         "belongs to no place in the picture.", where)  # fmt: skip
    need(len(given) < len(table) or size == new or not near(table, given[: len(table)]), "The old rows come first, as they "
         "were. On another grid, patches stand at other places.", where)  # fmt: skip
    lines = [resize_table(cells, len(rows), corners) for corners in (True, False)]
    need(not any(near(line, rows) for line in lines), "You stretch the patches as one line. Lay them out as a grid first.",
         where)  # fmt: skip
    swapped = interpolate_grid(table, size[::-1], new[::-1])[1:]
    turned = interpolate_grid(table, size[::-1], new)[1:]
    wide = interpolate_grid(table, size, new[::-1])[1:]
    crossed = right[1:].unflatten(0, new).transpose(0, 1).flatten(0, 1)
    need(not any(near(other, rows) for other in (swapped, turned, wide, crossed)), "Height and width are swapped somewhere; "
         "in a square picture that would not show.", where)  # fmt: skip
    need(not near(interpolate_grid(table, size, new, mode="bilinear")[1:], rows), "That is bilinear; bicubic is asked "
         "for.", where)  # fmt: skip
    grid = cells.T.unflatten(1, size)[None]
    corners = torch.nn.functional.interpolate(grid, size=new, mode="bicubic", align_corners=True)[0].flatten(1).T
    need(not near(corners, rows), "You line up the corners of the grid, as align_corners=True does. Line up its edges.",
         where)  # fmt: skip
    smooth = torch.nn.functional.interpolate(grid, size=new, mode="bicubic", antialias=True)[0].flatten(1).T
    need(not near(smooth, rows), "That is with antialias=True, which makes other weights; leave it out.", where)
    nearest = torch.nn.functional.interpolate(grid, size=new, mode="nearest")[0].flatten(1).T
    need(not near(nearest, rows), "You copy the nearest old row; rows between two old ones should be mixtures.", where)
    scattered = cells.reshape(1, -1, *size)
    mixed = torch.nn.functional.interpolate(scattered, size=new, mode="bicubic")[0]
    late = right[1:].T.reshape(rows.shape)
    ways = (mixed.flatten(1).T, mixed.reshape(rows.shape), mixed.permute(1, 2, 0).flatten(0, 1), late)
    need(not any(near(way, rows) for way in ways), "The columns of the table and its places are mixed up: move axes with "
         "permute or .T, not with reshape.", where)  # fmt: skip
    need(not near(right[1:].flip(0), rows), "Your patches run from the last to the first.", where)
    need(False, "The class row is right; the grid is another one than the old grid, resized.", where)


SIXTH = math.pi / 3


def hexagonal(positions: Tensor, speeds: Tensor, shift=0.5, row=3**0.5 / 2, turn=SIXTH, first=0.0) -> Tensor:
    """Return the angles (n, 3 s) of cells (n, 2) of a hexagonal grid whose odd rows stand half a cell to the right.

    Each of the three directions, 0, 60 and 120 degrees from a row, has all of `speeds` (s,). Other numbers make mistakes:
    shift of odd rows, distance of rows, first direction and turn between directions (radians).
    """
    r, c = positions.double().unbind(-1)
    x, y = c + shift * (r % 2), row * r  # (n,) each, where the middle of a cell lies
    angles = [first + k * turn for k in range(3)]
    along = torch.stack([x * math.cos(a) + y * math.sin(a) for a in angles], dim=-1)  # (n, 3)
    return (along[..., None] * speeds.double()).flatten(-2)


def check_hexagonal(answer) -> Outcome:
    """Check `hex_angles(positions, speeds)` by what scores see: cosines of differences, summed over the pairs."""

    def test() -> None:
        ask = watched(answer)
        for h, w, speeds in ((5, 7, [1.0, 0.25]), (6, 4, [0.8, 0.3, 0.05])):
            cells, speed = grid_positions(h, w), torch.tensor(speeds)
            given, count = ask(cells, speed), len(speeds)
            columns = tuple(getattr(given, "shape", ()))[1:]
            need(columns != (2 * count,), "Give all three directions: two are too few.")
            need(columns not in ((3,), (count,)) or count == 3, "Give a column for each speed, for each direction.")
            given = as_tensor(given, "hex_angles(positions, speeds)", (h * w, 3 * count), whole=False)
            _hint_hexagonal(_scores(given), cells, speed)

    return run_check("hex_angles", answer, test, "All six neighbours score alike: the grid has three directions.")


def _scores(angles: Tensor) -> Tensor:
    """Return the score of every two cells when queries and keys are ones: angles (n, pairs) -> (n, n)."""
    return (angles[:, None] - angles).cos().mean(-1)


def _hint_hexagonal(scores: Tensor, cells: Tensor, speeds: Tensor) -> None:
    like = lambda **other: bool((_scores(hexagonal(cells, speeds, **other)) - scores).abs().max() < 1e-4)  # noqa: E731
    if like():
        return
    need(not like(shift=0.0), "Odd rows stand half a cell to the right, and yours do not.")
    need(not like(shift=-0.5), "Your odd rows stand half a cell to the left.")
    need(not like(shift=1.0), "Your odd rows stand a whole cell to the right.")
    need(not (like(row=1.0) or like(row=1.0, shift=0.0)), "Your rows are as far apart as cells in a row. On a hexagonal "
         "grid they are closer.")  # fmt: skip
    need(not like(row=3**0.5), "Your rows are too far apart: neighbours in two rows should be 1 apart.")
    need(not like(first=math.pi / 6), "Your directions are 60 degrees apart, but none runs along a row. Are sine and "
         "cosine exchanged?")  # fmt: skip
    need(not like(turn=60.0), "Your directions are in degrees; PyTorch takes radians.")
    need(not (like(turn=math.pi / 6) or like(turn=math.pi / 2)), "Your directions are not 60 degrees apart.")
    r, c = cells.double().unbind(-1)
    for given, hint in ((torch.ones_like(speeds), "The speeds are not used."),
                        (1 / speeds, "You divide by the speeds. A fast pair turns further.")):  # fmt: skip
        need(bool((_scores(hexagonal(cells, given)) - scores).abs().max() > 1e-4), hint)
    count = torch.arange(len(cells))
    for other, what in ((torch.stack([c, r], -1), "Row and column are swapped."),
                        (torch.stack([count // 7, count % 7], -1), "You count the cells yourself. Read their positions."),
                        (torch.stack([r, c + r // 2], -1), "You shift each row by half a cell more than the last. Here "
                         "odd rows are shifted, even ones not.")):  # fmt: skip
        need(bool((_scores(hexagonal(other, speeds)) - scores).abs().max() > 1e-4), what)
    need(float(scores.min()) < 0.999, "All cells score alike: positions are not used.")
    inside = int(((cells == torch.tensor([2, 2])).all(-1)).nonzero())
    right, left = scores[inside, inside + 1], scores[inside, inside - 1]
    if abs(right - left) > 1e-4:
        raise NotYet("The neighbours left and right of a cell score differently.", "Cell (2, 2): ")
    width = int(cells[:, 1].max()) + 1
    around = torch.stack([scores[inside, inside + step] for step in (1, -1, -width, -width - 1, width, width - 1)])
    need(float(around.max() - around.min()) < 1e-4, "Its six neighbours should score alike.", "Cell (2, 2): ")
    need(False, "The six neighbours score alike, but scores farther away are others: check speeds and directions.")
