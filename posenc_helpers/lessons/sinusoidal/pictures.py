"""Pictures of notebook 03: clock hands, the table as waves, what dot products see, the base, and where it breaks."""

import math

import torch
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Wedge
from torch import Tensor

from posenc_helpers.classroom.figures import PALETTE, SIGNED, figure, style
from posenc_helpers.encodings import frequencies, sinusoidal
from posenc_helpers.lab.probes import explained

FIRST, SECOND = "#0072b2", "#d55e00"  # the two positions that are compared


def clocks(hands: list[tuple[str, float]], before: list[float] | None = None) -> Figure:
    """Draw one clock face per entry of `hands`, (label, turns since noon): hand upwards at 0, turning clockwise.

    `before` adds a pale hand at so many turns to each face, and the slice through which the hand has turned since.
    """
    with style():
        fig = figure(2.1 * len(hands), 2.6)
        for k, ax in enumerate(fig.subplots(1, len(hands), squeeze=False)[0]):
            label, turns = hands[k]
            _face(ax, label)
            if before is not None:
                noon, there, here = 90, -360 * before[k], -360 * turns  # degrees, counted as Matplotlib does
                ax.add_patch(Wedge((0, 0), 0.55, noon + here, noon + there, facecolor="#cfe3f0"))
                _hand(ax, before[k], "#9aa7b0")
            _hand(ax, turns, FIRST)
    return fig


def _hand(ax, turns: float, colour: str) -> None:
    angle = 2 * math.pi * turns
    ax.plot([0, math.sin(angle)], [0, math.cos(angle)], color=colour, lw=4, solid_capstyle="round")


def _face(ax, label: str) -> None:
    ax.add_patch(Circle((0, 0), 1.08, facecolor="#f7f7f7", edgecolor="#444444", lw=1.5))
    ax.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal", title=label)
    ax.axis("off")


def table(codes: Tensor, base: float = 10000.0) -> Figure:
    """Draw codes (L, d) as a heatmap whose columns are labelled by pair index and wavelength."""
    dim = codes.shape[-1]
    with style():
        fig = figure(9.2, 4.2)
        ax = fig.add_subplot()
        image = ax.imshow(codes, cmap=SIGNED, vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
        fig.colorbar(image, ax=ax, label="value")
        ax.set(xlabel="pair index i, and the wavelength of the pair in tokens", ylabel="position p (token)")
        pairs = torch.linspace(0, dim / 2 - 1, 8).round().long()
        waves = 2 * math.pi / frequencies(dim, base)
        ax.set_xticks((2 * pairs + 0.5).tolist(), [f"{i}\n{waves[i]:,.0f}" for i in pairs.tolist()])
        ax.spines[:].set_visible(False)
    return fig


def waves(dim: int, pairs: list[int], length: int) -> Figure:
    """Draw sine (solid) and cosine (dashed) of some pairs over positions 0 to length - 1, one row a pair."""
    positions = torch.linspace(0, length - 1, 600)
    codes = sinusoidal(positions, dim)
    with style():
        fig = figure(9, 1.15 * len(pairs) + 0.5)
        for ax, i in zip(fig.subplots(len(pairs), 1, sharex=True), pairs, strict=True):
            ax.plot(positions, codes[:, 2 * i], color=FIRST)
            ax.plot(positions, codes[:, 2 * i + 1], color=FIRST, ls="--")
            ax.set(ylim=(-1.15, 1.15), yticks=[-1, 0, 1], ylabel="value")
            ax.text(1.01, 0.5, f"i = {i}", transform=ax.transAxes, va="center")
        ax.set(
            xlabel="position p (token);  solid: column 2i (sine), dashed: column 2i + 1 (cosine)", xlim=(0, length - 1)
        )
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
    with style():
        fig = figure(9.2, 3.9)
        axes = fig.subplots(1, 2)
        for ax, data, title in zip(axes, (left, right), titles, strict=True):
            image = ax.imshow(data, cmap=SIGNED, vmin=-limit, vmax=limit, aspect="auto", interpolation="nearest")
            ax.set(title=title, xlabel=columns)
            ax.spines[:].set_visible(False)
        axes[0].set_ylabel("position p (token)")
        fig.colorbar(image, ax=axes, label=value)
    return fig


def similarity(dim: int, bases: list[float], length: int) -> Figure:
    """Draw PE(p) . PE(q) / (d/2) against p - q for several bases, each curve with its label."""
    offsets = torch.arange(-length, length + 1)
    with style():
        fig = figure(9, 4)
        ax = fig.add_subplot()
        for base, colour, line in zip(
            bases, (FIRST, SECOND, PALETTE["binary"], "#444444"), ("-", "--", "-.", ":"), strict=False
        ):
            curve = (offsets[:, None] * frequencies(dim, base)).cos().mean(-1)  # (2 L + 1,)
            ax.plot(offsets, curve, color=colour, ls=line)
            ax.text(length + 1, curve[-1], f" base {base:,.0f}", color=colour, va="center")
        ax.axhline(0, color="#999999", lw=1)
        ax.set(xlabel="p - q (tokens)", ylabel="dot product / (d/2)", ylim=(-0.6, 1.05), xlim=(-length, length))
    return fig


def said_places(said: dict[str, Tensor]) -> Figure:
    """Draw the places that a probe says (B, L) against the true ones, a panel and its R² for each entry."""
    with style():
        fig = figure(9.2, 3.1)
        axes = fig.subplots(1, len(said), sharey=True)
        for ax, (name, places) in zip(axes, said.items(), strict=True):
            true = torch.arange(places.shape[1]).expand_as(places)
            ax.axline((0, 0), slope=1, color="#bbbbbb", lw=1.5, zorder=0)
            ax.scatter(true.flatten(), places.flatten(), s=9, alpha=0.15, color=PALETTE["sinusoidal"], lw=0)
            ax.set(title=f"{name}\nR² = {explained(places):.2f}", xlabel="true place", xticks=[0, 5, 10, 15])
        axes[0].set(ylabel="place, by the probe", ylim=(-3, places.shape[1] + 2))
    return fig


def accuracy_against_length(results: dict[str, dict[int, list[float]]], trained: int, chance: float) -> Figure:
    """Draw accuracy against length (log scale), one line a task through its means and a dot a seed."""
    with style():
        fig = figure(9, 4)
        ax = fig.add_subplot()
        free = ((1.35, 0.92), (1.06, 0.66))  # where no line runs: above the first, below the second
        for (name, found), marker, line, place in zip(results.items(), "os", ("-", "--"), free, strict=False):
            lengths = list(found)
            means = [sum(found[n]) / len(found[n]) for n in lengths]
            ax.plot(lengths, means, color=PALETTE["sinusoidal"], ls=line)
            for n in lengths:
                ax.scatter([n] * len(found[n]), found[n], color=PALETTE["sinusoidal"], marker=marker, s=40, zorder=3)
            sign = {"o": "●", "s": "■"}[marker]
            ax.text(lengths[0] * place[0], place[1], f"{sign} {name}", color=PALETTE["sinusoidal"], va="center")
        ax.axvline(trained, color="black", lw=1.5, ls=":")
        ax.text(trained * 1.02, 0.36, "trained length", va="bottom")
        ax.axhline(chance, color="black", lw=1.5, ls="--")
        ax.text(lengths[0] * 1.02, chance + 0.01, "chance", va="bottom")
        ax.set(xscale="log", xlabel="length L (tokens)", ylabel="accuracy", ylim=(0.35, 1.04))
        ax.set_xticks(lengths, [str(n) for n in lengths])
        ax.minorticks_off()
    return fig


def clock_explorer(p: int, q: int, width: int, base: float):
    """Build the clock explorer: hands of p and q, both rows of the table, their similarity. For `explore` (blitted)."""
    shown, length = 6, 128
    fig = figure(9.2, 4.9)
    grid = fig.add_gridspec(2, shown, height_ratios=[1, 1.35])
    faces, moving = [], []
    for k in range(shown):
        ax = fig.add_subplot(grid[0, k])
        _face(ax, " ")
        hands = [ax.plot([0, 0], [0, 1], color=c, lw=w, ls=s)[0] for c, w, s in ((SECOND, 6, "-"), (FIRST, 2.5, "-"))]
        label = ax.text(0, 1.25, "", ha="center", va="bottom")
        faces.append((ax.patches[0], hands, label))
        moving += [ax.patches[0], *hands, label]
    heat = fig.add_subplot(grid[1, : shown // 2])
    image = heat.imshow(torch.zeros(2, 2), cmap=SIGNED, vmin=-1, vmax=1, aspect="auto", extent=(0, 1, length, 0))
    rows = [heat.plot([0, 1], [0, 0], color=c, lw=w)[0] for c, w in ((SECOND, 4), (FIRST, 2))]
    heat.set(xticks=[0, 1], xticklabels=["column 0 (fast)", "column d - 1 (slow)"], ylabel="position (token)")
    heat.set_ylim(length, 0)
    for label, side in zip(heat.get_xticklabels(), ("left", "right"), strict=True):
        label.set_horizontalalignment(side)
    line = fig.add_subplot(grid[1, shown // 2 :])
    (curve,) = line.plot([], [], color=FIRST)
    (dot,) = line.plot([], [], "o", color=SECOND, ms=10)
    number = line.text(0.5, 1.02, "", transform=line.transAxes, ha="center", va="bottom")
    line.set(xlabel="p - q (tokens)", ylabel="dot product / (d/2)", xlim=(-length, length), ylim=(-0.75, 1.1))
    moving += [image, *rows, curve, dot, number]
    offsets = torch.arange(-length, length + 1)

    def update(p, q, width, base):
        speed = frequencies(width, base)  # (d/2,)
        pairs = torch.linspace(0, width // 2 - 1, min(shown, width // 2)).round().long().tolist()
        for k, (face, hands, label) in enumerate(faces):
            visible = k < len(pairs)
            for artist in (face, *hands, label):
                artist.set_visible(visible)
            if visible:
                for hand, place in zip(hands, (q, p), strict=True):
                    angle = (place * speed[pairs[k]]).item()
                    hand.set_data([0, math.sin(angle)], [0, math.cos(angle)])
                wave = 2 * math.pi / speed[pairs[k]].item()
                label.set_text(f"i = {pairs[k]}\n{wave:,.0f} tokens")
        image.set_data(sinusoidal(torch.arange(length), width, base))
        for row, place in zip(rows, (q, p), strict=True):
            row.set_ydata([place + 0.5] * 2)
        similar = (offsets[:, None] * speed).cos().mean(-1)  # (2 L + 1,)
        curve.set_data(offsets, similar)
        here = ((p - q) * speed).cos().mean().item()
        dot.set_data([p - q], [here])
        distance = (sinusoidal(torch.tensor(p), width, base) - sinusoidal(torch.tensor(q), width, base)).norm().item()
        number.set_text(f"p - q = {p - q}: dot product {here:.2f}, distance {distance:.2f}")
        return moving

    update(p, q, width, base)
    return fig, update


def distances(offsets: Tensor, speed: Tensor) -> Tensor:
    """Return how far codes `offsets` (K,) tokens apart are from one another, at these speeds (d/2,): (K,)."""
    return (4 * (offsets[:, None] * speed / 2).sin() ** 2).sum(-1).sqrt()


def base_explorer(base: float, width: int):
    """Build the base explorer: hands that move, similarity near and far, collisions. For `explore` (blitted)."""
    length = 1000
    fig = figure(9.2, 3.7)
    left, right = fig.subplots(1, 2)
    (turns,) = left.plot([], [], "o-", color=FIRST)
    once = left.axhline(1, color="black", ls="--", lw=1.5)
    left.text(0.98, 1.1, "one full turn", ha="right", va="bottom", transform=left.get_yaxis_transform())
    left.set(
        xlabel="pair i / (d/2 - 1): fast to slow",
        ylabel="turns within 1000 tokens",
        yscale="log",
        xlim=(0, 1),
        ylim=(1e-5, 400),
    )
    (nearest,) = right.plot([], [], color=SECOND)
    number = right.text(0.98, 0.97, "", ha="right", va="top", transform=right.transAxes)
    right.set(xlabel="|p - q| (tokens)", ylabel="distance of the codes / √d", xlim=(0, length), ylim=(0, 2.1))
    offsets = torch.arange(1, length, dtype=torch.float64)
    moving = [turns, nearest, number, once]

    def update(base, width):
        speed = frequencies(width, base, dtype=torch.float64)  # (d/2,)
        turns.set_data(torch.linspace(0, 1, width // 2), length * speed / (2 * math.pi))
        distance = distances(offsets, speed)  # (L - 1,)
        nearest.set_data(offsets, distance / width**0.5)
        slow = (length * speed < 2 * math.pi).double().mean().item()
        number.set_text(
            f"smallest: {distance.min() / width**0.5:.3f} (at |p - q| = {int(offsets[distance.argmin()])})\n"
            f"hands below one turn: {slow:.0%}"
        )
        return moving

    update(base, width)
    return fig, update
