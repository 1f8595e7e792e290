"""Pictures of notebook 10 on grids: a scene and its patches, maps of a grid, Swin's numbers, the toy's pictures."""

from collections.abc import Sequence

import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from torch import Tensor

from posenc_helpers.classroom.charts import matrices
from posenc_helpers.classroom.colours import BLUE, BRIGHTNESS, RULE, SHADES, VEIL, VERMILION, WHITE
from posenc_helpers.classroom.figures import panels, style
from posenc_helpers.encodings.grid import grid_positions


def scene(height: int = 96, width: int = 144) -> Tensor:
    """Return a picture of a house under the sun: (3, height, width), red, green, blue from 0 to 1."""
    y, x = torch.linspace(0, 1, height)[:, None], torch.linspace(0, 1.5, width)[None]  # (H, 1), (1, W)
    sky = [0.35 + 0.5 * y, 0.6 + 0.3 * y, 0.95 + 0 * y]
    picture = torch.stack([colour.expand(height, width) for colour in sky])  # (3, H, W)

    def paint(where: Tensor, red: float, green: float, blue: float) -> None:
        for channel, value in zip(picture, (red, green, blue), strict=True):
            channel.masked_fill_(where.expand(height, width), value)

    paint((x - 1.2) ** 2 + (y - 0.2) ** 2 < 0.12**2, 1.0, 0.85, 0.2)  # sun
    paint(y > 0.75 - 0.12 * torch.sin(2.2 * x), 0.35, 0.6, 0.3)  # hill
    paint(((x - 0.55).abs() < 0.25) & (y > 0.48) & (y < 0.82), 0.8, 0.35, 0.3)  # wall
    paint(((x - 0.55).abs() < (y - 0.2)) & (y < 0.48), 0.45, 0.25, 0.2)  # roof
    paint(((x - 0.55).abs() < 0.07) & (y > 0.62) & (y < 0.82), 0.25, 0.15, 0.1)  # door
    return picture


def cut(picture: Tensor, side: int) -> Tensor:
    """Return the patches of a picture (3, h P, w P), row by row: (h * w, 3, P, P)."""
    return picture.unfold(1, side, side).unfold(2, side, side).permute(1, 2, 0, 3, 4).flatten(0, 1)


def joined(patches: Tensor, rows: int) -> Tensor:
    """Return the picture (3, h P, w P) that patches (h * w, 3, P, P) make in `rows` rows."""
    return patches.unflatten(0, (rows, -1)).permute(2, 0, 3, 1, 4).flatten(1, 2).flatten(2, 3)


@style()
def pictures(named: dict[str, Tensor], side: int = 0, numbered: bool = False, height: float = 3.2) -> Figure:
    """Draw pictures (3, H, W) side by side; `side` draws the edges of patches, `numbered` writes their numbers."""
    axes = panels(9.2, height, len(named))
    for ax, (title, picture) in zip(axes, named.items(), strict=True):
        tall, wide = picture.shape[-2:]
        ax.imshow(picture.permute(1, 2, 0).clamp(0, 1).numpy(), extent=(0, wide, tall, 0), interpolation="nearest")
        if side:
            _edges(ax, tall, wide, side, color=WHITE, lw=1.2)
        for p, (r, c) in enumerate(grid_positions(tall // side, wide // side).tolist() if numbered else ()):
            look = {"color": WHITE, "weight": "bold", "fontsize": 13, "bbox": {"fc": VEIL, "ec": "none", "pad": 2}}
            ax.text((c + 0.5) * side, (r + 0.5) * side, f"{p}", ha="center", va="center", **look)
        ax.set_title(title)
        ax.set_axis_off()
    return axes[0].figure


@style()
def maps(
    named: dict[str, Tensor],
    label: str,
    signed: bool = True,
    mark: tuple[int, int] | None = None,
    numbers: bool = False,
    height: float = 3.2,
) -> Figure:
    """Draw maps (h, w) side by side on one scale; `mark` frames a cell, `numbers` writes each cell's value."""
    written = "{:g}".format if numbers else None
    look = {"size": (9.2, height), "axes": ("row", "column"), "ticks": "none", "numbers": written, "shrink": 0.85}
    fig = matrices(list(named.values()), list(named), label, None, signed, **look)
    for ax in fig.axes[: len(named)]:
        ax.title.set_fontsize(12)
        if mark:
            ax.add_patch(Rectangle((mark[1] - 0.5, mark[0] - 0.5), 1, 1, fill=False, ec=BLUE, lw=2.5))
    return fig


@style()
def window_numbers(index: Tensor, h: int = 2, w: int = 2) -> Figure:
    """Draw how Swin numbers relative places: the window, the table as a page, and the index (n, n) of every pair."""
    window, page, pairs = panels(9.2, 3.7, 3, width_ratios=[0.8, 1.1, 1.2])
    for p, (r, c) in enumerate(grid_positions(h, w).tolist()):
        window.add_patch(Rectangle((c - 0.5, r - 0.5), 1, 1, fc=RULE, ec=WHITE, lw=3))
        window.text(c, r, f"patch {p}", ha="center", va="center")
    window.set(title=f"a window of {h} x {w}", xlim=(-0.6, w - 0.4), ylim=(h - 0.4, -0.6))
    for number, (r, c) in enumerate(grid_positions(2 * h - 1, 2 * w - 1).tolist()):
        _cell(page, r, c, number, f"{number}\n({r - h + 1}, {c - w + 1})")
    page.set(title="a page of numbers", xlim=(-0.6, 2 * w - 1.4), ylim=(2 * h - 1.4, -0.6))
    page.set(xlabel="small: (dy, dx), key minus query")
    for m, row in enumerate(index.tolist()):
        for n, number in enumerate(row):
            _cell(pairs, m, n, number, f"{number}")
    pairs.set(title="which number for which pair", xlabel="key patch", ylabel="query patch")
    pairs.set(xlim=(-0.6, h * w - 0.4), ylim=(h * w - 0.4, -0.6))
    for ax in (window, page, pairs):
        ticks = range(h * w) if ax is pairs else []
        ax.set(aspect="equal", xticks=ticks, yticks=ticks)
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
    return page.figure


def _cell(ax: Axes, r: int, c: int, number: int, text: str) -> None:
    ax.add_patch(Rectangle((c - 0.5, r - 0.5), 1, 1, fc=SHADES[number % len(SHADES)], ec=WHITE, lw=3))
    ax.text(c, r, text, ha="center", va="center", color=WHITE, fontsize=11)


@style()
def toy_pictures(pictures: Tensor, said: Sequence[str], side: int) -> Figure:
    """Draw pictures (B, h P, w P) of shapes in a row, each under its right answer, with the edges of their patches."""
    axes = panels(9.2, 2.2, len(pictures))
    for ax, picture, answer in zip(axes, pictures, said, strict=True):
        tall, wide = picture.shape
        ax.imshow(picture, cmap=BRIGHTNESS, vmin=-1, vmax=1.5, extent=(0, wide, tall, 0), interpolation="nearest")
        _edges(ax, tall, wide, side, color=VERMILION, lw=0.6)
        ax.set_title(answer, fontsize=12)
        ax.set_axis_off()
    return axes[0].figure


def _edges(ax: Axes, tall: int, wide: int, side: int, **look: object) -> None:
    """Draw the edges of the patches of a picture."""
    ax.vlines(range(0, wide + 1, side), 0, tall, **look)
    ax.hlines(range(0, tall + 1, side), 0, wide, **look)
