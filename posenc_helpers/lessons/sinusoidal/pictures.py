"""Pictures of notebook 03: clock hands, the table as waves, what dot products see, the base, and where it breaks."""

import math
from pathlib import Path

import torch
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Wedge
from torch import Tensor

from posenc_helpers.classroom import charts
from posenc_helpers.classroom import colours as hue
from posenc_helpers.classroom.charts import Look, heat, lines, matrices
from posenc_helpers.classroom.colours import LINES, PALETTE, SIGNED
from posenc_helpers.classroom.figures import figure, panels, style
from posenc_helpers.encodings import frequencies, sinusoidal
from posenc_helpers.lab.probes import explained

FIRST, SECOND = hue.BLUE, hue.VERMILION  # the two positions that are compared
CLOCKS = Path(__file__).with_name("clocks.js")  # what clock_still shows, to be played with
LENGTH = 1000  # tokens that the explorer of bases looks at


@style()
def clocks(hands: list[tuple[str, float]], before: list[float] | None = None) -> Figure:
    """Draw one clock face per entry of `hands`, (label, turns since noon): hand upwards at 0, turning clockwise.

    `before` adds a pale hand at so many turns to each face, and the slice through which the hand has turned since.
    """
    lines = 1 + max(label.count("\n") for label, _ in hands)
    row = panels(2.1 * len(hands), 2.3 + 0.3 * lines, len(hands))
    for k, (ax, (label, turns)) in enumerate(zip(row, hands, strict=True)):
        _face(ax, label)
        if before is not None:
            noon, there, here = 90, -360 * before[k], -360 * turns  # degrees, counted as Matplotlib does
            ax.add_patch(Wedge((0, 0), 0.55, noon + here, noon + there, facecolor=hue.PALE_SLICE))
            _hand(ax, before[k], hue.PALE_HAND)
        _hand(ax, turns, FIRST)
    return row[0].figure


def _hand(ax, turns: float, colour: str, lw: float = 4) -> None:
    angle = 2 * math.pi * turns
    ax.plot([0, math.sin(angle)], [0, math.cos(angle)], color=colour, lw=lw, solid_capstyle="round")


def _face(ax, label: str) -> None:
    ax.add_patch(Circle((0, 0), 1.08, facecolor=hue.FACE, edgecolor=hue.INK, lw=1.5))
    ax.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal", title=label)
    ax.axis("off")


@style()
def table(codes: Tensor, base: float = 10000.0) -> Figure:
    """Draw codes (L, d) as a heatmap whose columns are labelled by pair index and wavelength."""
    dim = codes.shape[-1]
    (ax,) = panels(9.2, 4.2)
    ax.figure.colorbar(heat(ax, codes, (-1, 1), aspect="auto"), ax=ax, label="value")
    ax.set(xlabel="pair index i, and the wavelength of the pair in tokens", ylabel="position p (token)")
    pairs = torch.linspace(0, dim / 2 - 1, 8).round().long()
    waves = 2 * math.pi / frequencies(dim, base)
    ax.set_xticks((2 * pairs + 0.5).tolist(), [f"{i}\n{waves[i]:,.0f}" for i in pairs.tolist()])
    return ax.figure


@style()
def waves(dim: int, pairs: list[int], length: int) -> Figure:
    """Draw sine (solid) and cosine (dashed) of some pairs over positions 0 to length - 1, one row a pair."""
    positions = torch.linspace(0, length - 1, 600)
    codes = sinusoidal(positions, dim)
    fig = figure(9, 1.15 * len(pairs) + 0.5)
    for ax, i in zip(fig.subplots(len(pairs), 1, sharex=True), pairs, strict=True):
        ax.plot(positions, codes[:, 2 * i], color=FIRST)
        ax.plot(positions, codes[:, 2 * i + 1], color=FIRST, ls="--")
        ax.set(ylim=(-1.15, 1.15), yticks=[-1, 0, 1], ylabel="value")
        ax.text(1.01, 0.5, f"i = {i}", transform=ax.transAxes, va="center")
    ax.set_xlabel("position p (token);  solid: column 2i (sine), dashed: column 2i + 1 (cosine)")
    ax.set_xlim(0, length - 1)
    return fig


def two_tables(
    left: Tensor,
    right: Tensor,
    titles: tuple[str, str],
    columns: str = "column",
    value: str = "value",
    limit: float = 1.0,
) -> Figure:
    """Draw two matrices side by side on one signed colour scale; rows are positions, `columns` says what columns are."""
    axes = ("position p (token)", columns)
    return matrices(
        [left, right], titles, value, limit, size=(9.2, 3.9), axes=axes, ticks=None, aspect="auto", shrink=1.0
    )


@style()
def similarity(dim: int, bases: list[float], length: int) -> Figure:
    """Draw PE(p) . PE(q) / (d/2) against p - q for several bases, each curve with its label."""
    offsets = torch.arange(-length, length + 1)
    curves = {f"base {base:,.0f}": (offsets, _product(offsets, frequencies(dim, base))) for base in bases}
    colours = (FIRST, SECOND, hue.GREEN, hue.INK)
    looks = {name: Look(colour, LINES[k]) for k, (name, colour) in enumerate(zip(curves, colours, strict=False))}
    limits = {"ylim": (-0.6, 1.05), "xlim": (-length, length)}
    fig = lines(curves, ("p - q (tokens)", "dot product / (d/2)"), looks, size=(9, 4), **limits)
    fig.axes[0].axhline(0, color=hue.QUIET, lw=1)
    return fig


def _product(offsets: Tensor, speed: Tensor) -> Tensor:
    """Return the dot product over d/2 of codes `offsets` (K,) apart, at these speeds (d/2,): (K,)."""
    return (offsets[:, None] * speed).cos().mean(-1)


@style()
def said_places(said: dict[str, Tensor]) -> Figure:
    """Draw the places that a probe says (B, L) against the true ones, a panel and its R² for each entry."""
    row = panels(9.2, 3.1, len(said), sharey=True)
    for ax, (name, places) in zip(row, said.items(), strict=True):
        true = torch.arange(places.shape[1]).expand_as(places)
        ax.axline((0, 0), slope=1, color=hue.FAINT, lw=1.5, zorder=0)
        ax.scatter(true.flatten(), places.flatten(), s=9, alpha=0.15, color=PALETTE["sinusoidal"], lw=0)
        ax.set(title=f"{name}\nR² = {explained(places):.2f}", xlabel="true place", xticks=[0, 5, 10, 15])
    row[0].set(ylabel="place, by the probe", ylim=(-3, places.shape[1] + 2))
    return row[0].figure


def accuracy_against_length(results: dict[str, dict[int, list[float]]], trained: int, chance: float) -> Figure:
    """Draw accuracy against length (log scale), one line a task through its means and a dot a seed."""
    looks, panel = {}, {}
    for (task, found), sign, line, mark in zip(results.items(), "●■", LINES, "os", strict=False):
        name = f"{sign} {task}"
        looks[name], panel[name] = Look(PALETTE["sinusoidal"], line, mark, 6.3), found
    return charts.accuracy_against_length({"": panel}, trained, chance, looks, size=(9, 4), low=0.35)


def ranked_by_place(found: dict[str, dict[str, list[float]]]) -> Figure:
    """Draw found[group][places], shares of pairs ranked right, a mark a model: the first places filled, others open."""
    kinds = list(next(iter(found.values())))

    def look(group: str, kind: str) -> Look:
        return Look(FIRST, mark="o", size=8) if kind == kinds[0] else Look(SECOND, mark="s", size=8, is_open=True)

    label = "share of pairs ranked right (texts of 32 tokens)"
    fig = charts.dots_by_row({"": found}, look, label, size=(9.2, 3.1), apart=0.3, xlim=(0.2, 1.02))
    (ax,) = fig.axes
    ax.axvline(0.5, color=hue.BLACK, ls="--", lw=1.5, zorder=0)
    ax.text(0.505, -0.45, "guessing", va="top")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
    return fig


def compared(p: int, q: int, width: int, base: float) -> tuple[Tensor, int, float, float]:
    """Return the speeds (d/2,), how many hands of p and q point the same way, their dot product / (d/2), their distance."""
    speed = frequencies(width, base, dtype=torch.float64)
    together = ((p - q) * speed).cos()
    apart = (4 * ((p - q) * speed / 2).sin() ** 2).sum().sqrt().item()
    return speed, int((together > 0.99).sum()), together.mean().item(), apart


@style()
def clock_still(p: int, q: int, width: int, base: float) -> Figure:
    """Draw what clocks.js draws: hands of p and q, both rows of the table, their similarity."""
    shown, length = 6, 128
    speed, _, product, distance = compared(p, q, width, base)
    fig = figure(9.2, 4.9)
    grid = fig.add_gridspec(2, shown, height_ratios=[1, 1.35])
    for k, pair in enumerate(torch.linspace(0, width // 2 - 1, min(shown, width // 2)).round().long().tolist()):
        ax = fig.add_subplot(grid[0, k])
        _face(ax, f"i = {pair}\n{2 * math.pi / speed[pair].item():,.0f} tokens")
        for place, colour, lw in ((q, SECOND, 6), (p, FIRST, 2.5)):
            _hand(ax, (place * speed[pair]).item() / (2 * math.pi), colour, lw)
    left = fig.add_subplot(grid[1, : shown // 2])
    codes = sinusoidal(torch.arange(length), width, base)
    left.imshow(codes, cmap=SIGNED, vmin=-1, vmax=1, aspect="auto", extent=(0, 1, length, 0))
    for place, colour, lw in ((q, SECOND, 4), (p, FIRST, 2)):
        left.plot([0, 1], [place + 0.5] * 2, color=colour, lw=lw)
    left.set(xticks=[0, 1], xticklabels=["column 0 (fast)", "column d - 1 (slow)"], ylabel="position (token)")
    for label, side in zip(left.get_xticklabels(), ("left", "right"), strict=True):
        label.set_horizontalalignment(side)
    right = fig.add_subplot(grid[1, shown // 2 :])
    offsets = torch.arange(-length, length + 1)
    right.plot(offsets, _product(offsets, speed), color=FIRST)
    right.plot([p - q], [product], "o", color=SECOND, ms=10)
    right.set_title(f"p - q = {p - q}: dot product {product:.2f}, distance {distance:.2f}", fontsize=12)
    right.set(xlabel="p - q (tokens)", ylabel="dot product / (d/2)", xlim=(-length, length), ylim=(-0.75, 1.1))
    return fig


def collisions(base: float, width: int) -> tuple[Tensor, Tensor, int, int]:
    """Return what hands do within LENGTH tokens: their turns (d/2,), how far codes 1, 2 ... tokens apart are from one
    another (LENGTH - 1,), how many hands finish no turn, and how many tokens lie between the closest codes."""
    speed = frequencies(width, base, dtype=torch.float64)  # (d/2,)
    offsets = torch.arange(1, LENGTH, dtype=torch.float64)
    distance = (4 * (offsets[:, None] * speed / 2).sin() ** 2).sum(-1).sqrt()
    slow = int((LENGTH * speed < 2 * math.pi).sum())
    return LENGTH * speed / (2 * math.pi), distance, slow, int(distance.argmin()) + 1


def base_explorer(base: float, width: int):
    """Build the base explorer: hands that move, similarity near and far, collisions. For `explore` (blitted)."""
    left, right = panels(9.2, 3.7, 2)
    (curve,) = left.plot([], [], "o-", color=FIRST)
    once = left.axhline(1, color=hue.BLACK, ls="--", lw=1.5)
    left.text(0.98, 1.1, "one full turn", ha="right", va="bottom", transform=left.get_yaxis_transform())
    left.set(xlabel="pair i / (d/2 - 1): fast to slow", xlim=(0, 1))
    left.set(ylabel="turns within 1000 tokens", yscale="log", ylim=(1e-5, 400))
    (nearest,) = right.plot([], [], color=SECOND)
    number = right.text(0.98, 0.97, "", ha="right", va="top", transform=right.transAxes)
    right.set(xlabel="|p - q| (tokens)", ylabel="distance of the codes / √d", xlim=(0, LENGTH), ylim=(0, 2.1))

    def update(base, width):
        turns, distance, slow, closest = collisions(base, width)
        curve.set_data(torch.linspace(0, 1, len(turns)), turns)
        nearest.set_data(range(1, LENGTH), distance / width**0.5)
        number.set_text(
            f"smallest: {distance.min() / width**0.5:.3f} √d = {distance.min():.3g}, at |p - q| = {closest}\n"
            f"hands below one turn: {slow / len(turns):.0%}"
        )
        return [curve, nearest, number, once]

    update(base, width)
    return left.figure, update
