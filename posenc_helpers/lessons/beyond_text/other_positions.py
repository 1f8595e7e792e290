"""Pictures of notebook 10 away from grids: who learned the toy, moments in time, ids of three axes, sounds, a graph."""

import math
from collections.abc import Sequence

import torch
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from torch import Tensor

from posenc_helpers.classroom import colours as hue
from posenc_helpers.classroom.charts import Look, dots_by_row, heat, matrices
from posenc_helpers.classroom.colours import MAGNITUDE, PALETTE
from posenc_helpers.classroom.figures import figure, panels, style

TOY = {
    "nope": ("none", PALETTE["nope"]),
    "sinusoidal": ("1-D sinusoidal", PALETTE["sinusoidal"]),
    "sinusoidal 2-D": ("2-D sinusoidal", hue.SKY),
    "learned": ("learned table", PALETTE["learned"]),
    "axial rope": ("axial RoPE", PALETTE["rope"]),
    "swin": ("Swin's table", hue.BROWN),
}
CHANCE = 0.5


def said(name: str) -> str:
    """Return what a row is called: "axial rope" is "axial RoPE", and "axial rope, squeezed" is "axial RoPE, squeezed"."""
    encoding, *how = name.split(", ")
    return ", ".join([TOY[encoding][0], *how])


@style()
def dots(found: dict[str, dict[str, Sequence[float]]]) -> Figure:
    """Draw accuracies: found[panel][encoding] holds one a seed; a panel each, a row an encoding, a dot a seed.

    An encoding that was changed, "axial rope, squeezed", has its colour and rings in place of dots.
    """
    low = min(0.35, min(min(seeds) for rows in found.values() for seeds in rows.values()) - 0.04)
    marks = [mark for mark in (0, 0.25, 0.5, 0.75, 1) if mark >= min(low, CHANCE)]
    panels_of = {title: {name: {"": seeds} for name, seeds in rows.items()} for title, rows in found.items()}
    look = lambda name, _: Look(TOY[name.split(", ")[0]][1], is_open=", " in name)  # noqa: E731
    size, axis = (9.2, 0.85 + 0.36 * len(next(iter(found.values())))), "accuracy, a dot a seed (dotted: guessing)"
    fig = dots_by_row(panels_of, look, axis, size=size, name_of=said, xlim=(low, 1.03))
    for ax in fig.axes:
        ax.axvline(CHANCE, color=hue.BLACK, lw=1.2, ls=":", zorder=1)
        ax.title.set_fontsize(12)
        ax.set_axisbelow(True)
        ax.set_xticks(marks, [f"{mark:g}" for mark in marks])
        ax.grid(axis="y", color=hue.SPAN, zorder=0)
    return fig


@style()
def by_wave(found: dict[str, dict[float, Sequence[float]]], fits: dict[str, Sequence[float]]) -> Figure:
    """Draw accuracies over the length of the fastest wave: found[panel][length] holds one a seed, a dot each.

    Lengths in fits[panel], whose code holds a wave as long as a row, have dots, the others rings.
    """
    colour = TOY["sinusoidal"][1]
    axes = panels(9.2, 3.2, len(found), sharey=True)
    for ax, (title, waves) in zip(axes, found.items(), strict=True):
        ax.axhline(CHANCE, color=hue.BLACK, lw=1.2, ls=":")
        for length, right in waves.items():
            look = {"facecolors": colour if length in fits[title] else "none", "edgecolors": colour}
            ax.scatter([length] * len(right), right, s=36, alpha=0.7, lw=1.2, zorder=3, **look)
        ax.set_title(title, fontsize=12)
        ax.set(ylim=(0.42, 1.03), xlim=(2, 6.6), xticks=[2, 3, 4, 5, 6])
        ax.set_yticks([0.5, 0.75, 1.0], ["0.5", "0.75", "1"])
    axes[0].set_ylabel("accuracy on left")
    axes[0].figure.supxlabel("patches until the fastest wave repeats (dots: a wave is as long as a row)", fontsize=12)
    return axes[0].figure


@style()
def by_place(found: dict[str, Tensor], trained: int) -> Figure:
    """Draw accuracies (n, n) by the columns of two shapes, a map each; dashed lines end the `trained` columns."""
    number = lambda right: "" if math.isnan(right) else f"{right:.1f}"  # noqa: E731  two shapes never share a column
    look = {
        "size": (9.2, 4.4),
        "axes": ("column of the square", "column of the circle"),
        "ticks": "all",
        "shrink": 0.85,
    }
    fig = matrices(list(found.values()), list(found), "accuracy on left", 1, False, numbers=number, **look)
    for ax in fig.axes[: len(found)]:
        ax.axvline(trained - 0.5, color=hue.VERMILION, lw=2, ls="--")
        ax.axhline(trained - 0.5, color=hue.VERMILION, lw=2, ls="--")
        ax.title.set_fontsize(12)
        ax.tick_params(length=0)
    return fig


@style()
def timeline(hours: Sequence[float]) -> Figure:
    """Draw events twice, as a model sees their numbers and as they happened, and lines that lead from one to the other."""
    places = [k * max(hours) / (len(hours) - 1) for k in range(len(hours))]
    (ax,) = panels(9.2, 2.5)
    near = 0  # how many events shortly before this one: their labels go one below the other
    for k, (place, hour) in enumerate(zip(places, hours, strict=True)):
        near = near + 1 if k and hour - hours[k - 1] < max(hours) / 15 else 0
        ax.plot([place, hour], [1, 0], color=hue.FAINT, lw=1.2, zorder=0)
        ax.annotate(f"{k}", (place, 1), (0, 9), textcoords="offset points", ha="center")
        ax.annotate(f"{hour:g}", (hour, 0), (0, -14 - 14 * near), textcoords="offset points", ha="center", va="center")
    ax.plot(places, [1] * len(hours), "o", color=PALETTE["index"], ms=9)
    ax.plot(hours, [0] * len(hours), "o", color=PALETTE["sinusoidal"], ms=9)
    ax.set_yticks([1, 0], ["number of the event", "when it happened (hour)"])
    ax.set(ylim=(-1.1, 1.5))
    ax.set_xticks([])
    ax.tick_params(axis="y", length=0)
    ax.spines[:].set_visible(False)
    return ax.figure


@style()
def id_table(ids: Tensor, parts: Sequence[tuple[str, int]]) -> Figure:
    """Draw the three ids of every token, ids (L, 3), a column a token; `parts` names runs of tokens and their lengths."""
    colours = {"text": hue.RULE, "image": hue.SKY, "video": hue.ORANGE}
    (ax,) = panels(9.2, 2.4)
    start = 0
    for name, count in parts:
        for token in range(start, start + count):
            for row, number in enumerate(ids[token].tolist()):
                ax.add_patch(Rectangle((token, row), 1, 1, fc=colours[name.split()[0]], ec=hue.WHITE, lw=2))
                ax.text(token + 0.5, row + 0.5, f"{number}", ha="center", va="center")
        ax.text(start + count / 2, -0.25, name, ha="center", va="bottom")
        start += count
    ax.set(xlim=(0, start), ylim=(3.1, -0.9), xlabel="token, in the order of the sequence")
    ax.set_yticks([0.5, 1.5, 2.5], ["time", "row", "column"])
    ax.set_xticks([])
    ax.tick_params(axis="y", length=0)
    ax.spines[:].set_visible(False)
    return ax.figure


@style()
def packed_row(places: Tensor, owner: Tensor, names: Sequence[str]) -> Figure:
    """Draw a row of packed pictures: the row and column (n, 2) of every token, coloured by its picture, owner (n,); and
    which token may attend to which: its own picture's, in that colour, and no other."""
    colours = [hue.SKY, hue.ORANGE, hue.GREEN]
    fig = figure(9.2, 3.4)
    left, right = fig.subplots(1, 2, width_ratios=[1.75, 1])
    for token, (place, who) in enumerate(zip(places.tolist(), owner.tolist(), strict=True)):
        for line, number in enumerate(place):
            left.add_patch(Rectangle((token, line), 1, 1, fc=colours[who], ec=hue.WHITE, lw=2))
            left.text(token + 0.5, line + 0.5, f"{number}", ha="center", va="center")
        for key in (owner == who).nonzero()[:, 0].tolist():
            right.add_patch(Rectangle((key, token), 1, 1, fc=colours[who], ec=hue.WHITE, lw=0.5))
    for who, name in enumerate(names):
        mine = (owner == who).nonzero()[:, 0]
        left.text(float(mine.float().mean()) + 0.5, -0.2, name, ha="center", va="bottom")
    n = len(places)
    left.set(xlim=(0, n), ylim=(3.0, -1.0), xlabel="token, in the order of the row")
    left.set_yticks([0.5, 1.5], ["row", "column"])
    right.set(xlim=(0, n), ylim=(n, 0), xlabel="key token", ylabel="query token", aspect="equal")
    right.set_title("coloured: may attend", fontsize=12)
    for ax in (left, right):
        ax.set_xticks([])
        ax.tick_params(length=0)
    right.set_yticks([])
    left.spines[:].set_visible(False)
    return fig


@style()
def fits(x: Sequence[float], points: Tensor, known: int, lines: dict[str, Tensor], labels: tuple[str, str]) -> Figure:
    """Draw points (n,), the first `known` of which were learned from, the others as rings; and up to three lines over
    all of them, {name: values}."""
    (ax,) = panels(9.2, 3.4)
    ax.axvspan(x[0], x[known - 1], color=hue.SPAN, zorder=0)
    ax.plot(x[:known], points[:known], "o", color=hue.INK, ms=4, zorder=3)
    ax.plot(x[known:], points[known:], "o", color=hue.INK, mfc=hue.WHITE, ms=5, zorder=3)
    looks = ((hue.BLUE, "-"), (hue.VERMILION, "--"), (hue.GREEN, "-."))
    for (name, line), (colour, dash) in zip(lines.items(), looks, strict=False):
        ax.plot(x, line, color=colour, ls=dash, lw=1.8)
        ax.text(x[-1], float(line[-1]), f"  {name}", color=colour, va="center")
    top = ax.get_ylim()[1] + 0.45
    ax.set_ylim(top=top)
    ax.text(x[0], top, " learned from (dots)", va="top", color=hue.INK)
    ax.text(x[known], top, " what came (rings)", va="top", color=hue.INK)
    ax.set(xlabel=labels[0], ylabel=labels[1])
    return ax.figure


@style()
def spectrogram(sound: Tensor, seconds: float, highest: float) -> Figure:
    """Draw a spectrogram (frequencies, frames), low notes at the bottom, with both axes in their own units."""
    (ax,) = panels(9.2, 3.0)
    image = ax.imshow(sound, origin="lower", aspect="auto", cmap=MAGNITUDE, extent=(0, seconds, 0, highest))
    ax.set(xlabel="time (seconds)", ylabel="frequency (hertz)")
    ax.spines[:].set_visible(False)
    ax.figure.colorbar(image, ax=ax, label="loudness")
    return ax.figure


@style()
def graph(edges: Sequence[tuple[int, int]], distance: Tensor) -> Figure:
    """Draw a graph, its nodes on a circle, beside the shortest-path distances (n, n) of its nodes."""
    n = len(distance)
    place = [(math.sin(2 * math.pi * k / n), math.cos(2 * math.pi * k / n)) for k in range(n)]
    left, right = panels(9.2, 3.3, 2)
    for a, b in edges:
        left.plot(*zip(place[a], place[b], strict=True), color=hue.INK, lw=2, zorder=0)
    left.scatter(*zip(*place, strict=True), s=700, color=hue.SKY)
    for k, (x, y) in enumerate(place):
        left.text(x, y, f"{k}", ha="center", va="center")
    left.set(aspect="equal", xlim=(-1.4, 1.4), ylim=(-1.35, 1.35), title="a graph")
    left.set_axis_off()
    heat(right, distance, (0, int(distance.max())), MAGNITUDE, "{:g}".format)
    right.set(title="edges on the shortest path", xlabel="node", ylabel="node", xticks=range(n), yticks=range(n))
    return left.figure


def shortest_paths(edges: Sequence[tuple[int, int]], nodes: int) -> Tensor:
    """Return the number of edges on the shortest path between any two nodes of a connected graph: (n, n), integers."""
    step = torch.zeros(nodes, nodes, dtype=torch.bool)
    for a, b in edges:
        step[a, b] = step[b, a] = True
    distance, reached = torch.zeros(nodes, nodes, dtype=torch.long), torch.eye(nodes, dtype=torch.bool)
    for far in range(1, nodes):
        now = (reached.float() @ step.float() > 0) | reached
        distance[now & ~reached] = far
        reached = now
    return distance
