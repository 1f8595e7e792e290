"""How alike the patches of a grid are to one of them, by encoding: what notebook 10 maps and its explorer shows."""

import torch
from matplotlib.patches import Rectangle
from torch import Tensor
from torch.nn import functional

from posenc_helpers.checks import check_choice
from posenc_helpers.classroom.colours import BLUE, SIGNED
from posenc_helpers.classroom.figures import figure
from posenc_helpers.encodings import grid_positions, sinusoidal, sinusoidal_2d
from posenc_helpers.encodings.grid import interpolate_grid
from posenc_helpers.encodings.grid_rope import axial_angles, axial_frequencies, mixed_angles
from posenc_helpers.encodings.learned import resize_table

WIDTH, BASE = 64, 10.0
ENCODINGS = ("1-D sinusoidal", "2-D sinusoidal", "axial RoPE", "mixed RoPE")
TABLES = ENCODINGS[:2]  # what can be stored as a table and resized
RESIZED = {"as a grid": "grid", "as one line": "line", "computed anew": "anew"}
# Of 32 pairs: speeds as in axial RoPE, each pair reading the grid in a direction of its own (learned, in a model).
TURNED = torch.arange(WIDTH // 2) * torch.pi * (3 - 5**0.5)
MIXED = torch.stack([TURNED.cos(), TURNED.sin()]) * axial_frequencies(WIDTH, BASE)[0].repeat(2)  # (2, 32)
MOST = (20, 24)  # rows and columns of the largest grid


def table_of(encoding: str, rows: int, columns: int) -> Tensor:
    """Return the codes (h * w, 64) of a grid whose dot products over 32 are its similarities; of RoPE the cos and sin
    of its angles, whose products are the scores of queries and keys of ones. Raises ValueError for another encoding."""
    check_choice("encoding", encoding, ENCODINGS)
    places = grid_positions(rows, columns)  # (n, 2)
    if encoding == "1-D sinusoidal":
        return sinusoidal(torch.arange(len(places)), WIDTH, BASE)
    if encoding == "2-D sinusoidal":
        return sinusoidal_2d(places, WIDTH, BASE)
    axial = encoding == "axial RoPE"
    angle = axial_angles(places, axial_frequencies(WIDTH, BASE)) if axial else mixed_angles(places, MIXED)  # (n, 32)
    return torch.cat([angle.cos(), angle.sin()], dim=-1)


def similarity(table: Tensor, rows: int, query: int) -> Tensor:
    """Return the cosine of each row of table (h * w, d) with row `query`, as a grid (h, w)."""
    unit = functional.normalize(table, dim=-1)
    return (unit @ unit[query]).unflatten(0, (rows, -1))


def resized(table: Tensor, size: tuple[int, int], new_size: tuple[int, int], how: str, encoding: str) -> Tensor:
    """Return the table of another grid: resized as a "grid" or a "line", or computed "anew", as RoPE always is."""
    if how == "anew" or encoding not in TABLES:
        return table_of(encoding, *new_size)
    if how == "grid":
        return interpolate_grid(table, size, new_size, prefix=0)
    return resize_table(table, new_size[0] * new_size[1], align_corners=False)


def seen(encoding: str, rows: int, columns: int, query: int, times: float, resize: str) -> dict:
    """Return what the explorer shows: the patch, both maps, and the patch of the larger grid at the same place."""
    query = min(query, rows * columns - 1)
    new = round(rows * times), round(columns * times)
    r, c = divmod(query, columns)
    there = min(new[0] - 1, int((r + 0.5) * times)), min(new[1] - 1, int((c + 0.5) * times))
    table = table_of(encoding, rows, columns)
    larger = resized(table, (rows, columns), new, resize, encoding)
    return {
        "place": (r, c),
        "there": there,
        "map": similarity(table, rows, query),
        "larger": similarity(larger, new[0], there[0] * new[1] + there[1]),
    }


def build(encoding: str, rows: int, columns: int, query: int, times: float, resize: str):
    """Build the explorer of grids: how alike all patches are to one, before and after resizing. For `explore`."""
    fig = figure(9.2, 3.8)
    images, frames, titles = [], [], []
    for ax in fig.subplots(1, 2):
        images.append(ax.imshow(torch.zeros(2, 2), cmap=SIGNED, vmin=-1, vmax=1, interpolation="nearest"))
        frames.append(ax.add_patch(Rectangle((0, 0), 1, 1, fill=False, ec=BLUE, lw=2.5)))
        titles.append(ax.set_title(" ", fontsize=12))
        ax.set(xlim=(-0.5, MOST[1] + 0.5), ylim=(MOST[0] + 0.5, -0.5))
        ax.set_xticks([]), ax.set_yticks([])
        ax.spines[:].set_visible(False)
    fig.colorbar(images[0], ax=fig.axes, label="cosine with the framed patch", shrink=0.85)

    def update(**values):
        now = seen(**values)
        names = (f"{values['encoding']}", "resized, or computed anew")
        for image, frame, title, place, shown, name in zip(
            images, frames, titles, (now["place"], now["there"]), (now["map"], now["larger"]), names, strict=True
        ):
            h, w = shown.shape
            image.set_data(shown)
            top, left = (MOST[0] - h) / 2, (MOST[1] - w) / 2
            image.set_extent((left, left + w, top + h, top))
            frame.set_xy((left + place[1], top + place[0]))
            title.set_text(f"{name}: {h} x {w}")
        return [*images, *frames, *titles]

    update(encoding=encoding, rows=rows, columns=columns, query=query, times=times, resize=resize)
    return fig, update


def words(encoding: str, rows: int, columns: int, query: int, times: float, resize: str) -> str:
    """Describe the explorer in a sentence with its numbers: the patch, and its neighbours in both grids."""
    now = seen(encoding, rows, columns, query, times, resize)

    def around(shown: Tensor, place: tuple[int, int]) -> str:
        r, c = place
        right, below = c + 1 if c + 1 < shown.shape[1] else c - 1, r + 1 if r + 1 < len(shown) else r - 1
        sides = "right" if right > c else "left", "below" if below > r else "above"
        return f"the patch to the {sides[0]} has {shown[r, right]:.2f}, the one {sides[1]} {shown[below, c]:.2f}"

    h, w = now["larger"].shape
    return (
        f"{encoding} on {rows} x {columns} patches, asked at row {now['place'][0]}, column {now['place'][1]}: "
        f"{around(now['map'], now['place'])}. On {h} x {w}: {around(now['larger'], now['there'])}."
    )
