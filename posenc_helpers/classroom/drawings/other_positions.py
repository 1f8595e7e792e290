"""Pictures of notebook 10 away from grids: who learned the toy, moments in time, ids of three axes, sounds, a graph."""

import math
from collections.abc import Sequence

import torch
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from torch import Tensor

from posenc_helpers.classroom.drawings.beyond_text import write_numbers
from posenc_helpers.classroom.figures import MAGNITUDE, PALETTE, figure, style

INK = "#444444"
TOY = {"nope": ("none", PALETTE["nope"]), "sinusoidal": ("1-D sinusoidal", PALETTE["sinusoidal"]),
       "sinusoidal 2-D": ("2-D sinusoidal", "#56b4e9"), "learned": ("learned table", PALETTE["learned"]),
       "axial rope": ("axial RoPE", PALETTE["rope"]), "swin": ("Swin's table", "#8c6d31")}  # fmt: skip


def dots(found: dict[str, dict[str, Sequence[float]]], chance: float = 0.5) -> Figure:
    """Draw accuracies: found[panel][encoding] holds one a seed; a panel each, a row an encoding, a dot a seed."""
    names = list(next(iter(found.values())))
    with style():
        fig = figure(9.2, 0.85 + 0.36 * len(names))
        for ax, (title, rows) in zip(fig.subplots(1, len(found), sharey=True), found.items(), strict=True):
            ax.axvline(chance, color="black", lw=1.2, ls=":")
            for y, name in enumerate(names):
                ax.scatter(rows[name], [y] * len(rows[name]), s=42, color=TOY[name][1], alpha=0.6, lw=0, clip_on=False)
            ax.set_title(title, fontsize=12)
            ax.set(xlim=(0.35, 1.03), ylim=(len(names) - 0.5, -0.5))
            ax.set_xticks([0.5, 0.75, 1.0], ["0.5", "0.75", "1"])
            ax.grid(axis="y", color="#eeeeee", zorder=0)
            ax.tick_params(axis="y", length=0)
        fig.axes[0].set_yticks(range(len(names)), [TOY[name][0] for name in names])
        fig.supxlabel("accuracy, a dot a seed (dotted: guessing)", fontsize=12)
    return fig


def by_place(found: dict[str, Tensor], trained: int) -> Figure:
    """Draw accuracies (n, n) by the columns of two shapes, a map each; dashed lines end the `trained` columns."""
    with style():
        fig = figure(9.2, 4.0)
        for ax, (title, right) in zip(fig.subplots(1, len(found), squeeze=False)[0], found.items(), strict=True):
            image = ax.imshow(right.numpy(), cmap=MAGNITUDE, vmin=0, vmax=1, interpolation="nearest")
            write_numbers(image, right, ".1f")  # not on the diagonal: two shapes never share a column
            ax.axvline(trained - 0.5, color="#d55e00", lw=2, ls="--")
            ax.axhline(trained - 0.5, color="#d55e00", lw=2, ls="--")
            ax.set_title(title, fontsize=12)
            ax.set(xticks=range(len(right)), yticks=range(len(right)), xlabel="column of the circle")
            ax.tick_params(length=0)
            ax.spines[:].set_visible(False)
        fig.axes[0].set_ylabel("column of the square")
        fig.colorbar(image, ax=fig.axes, label="accuracy on left", shrink=0.85)
    return fig


def timeline(hours: Sequence[float], unit: str = "hour") -> Figure:
    """Draw events twice, as a model sees their numbers and as they happened, and lines that lead from one to the other."""
    places = [k * max(hours) / (len(hours) - 1) for k in range(len(hours))]
    with style():
        fig = figure(9.2, 2.5)
        ax = fig.add_subplot()
        near = 0  # how many events shortly before this one: their labels go one below the other
        for k, (place, hour) in enumerate(zip(places, hours, strict=True)):
            near = near + 1 if k and hour - hours[k - 1] < max(hours) / 15 else 0
            ax.plot([place, hour], [1, 0], color="#bbbbbb", lw=1.2, zorder=0)
            ax.annotate(f"{k}", (place, 1), (0, 9), textcoords="offset points", ha="center")
            ax.annotate(
                f"{hour:g}", (hour, 0), (0, -14 - 14 * near), textcoords="offset points", ha="center", va="center"
            )
        ax.plot(places, [1] * len(hours), "o", color=PALETTE["index"], ms=9)
        ax.plot(hours, [0] * len(hours), "o", color=PALETTE["sinusoidal"], ms=9)
        ax.set_yticks([1, 0], ["number of the event", f"when it happened ({unit})"])
        ax.set(ylim=(-1.1, 1.5))
        ax.set_xticks([])
        ax.tick_params(axis="y", length=0)
        ax.spines[:].set_visible(False)
    return fig


def id_table(ids: Tensor, parts: Sequence[tuple[str, int]]) -> Figure:
    """Draw the three ids of every token, ids (L, 3), a column a token; `parts` names runs of tokens and their lengths."""
    colours = {"text": "#dddddd", "image": "#56b4e9", "video": "#e69f00"}
    with style():
        fig = figure(9.2, 2.4)
        ax = fig.add_subplot()
        start = 0
        for name, count in parts:
            for token in range(start, start + count):
                for row, number in enumerate(ids[token].tolist()):
                    ax.add_patch(Rectangle((token, row), 1, 1, fc=colours[name.split()[0]], ec="white", lw=2))
                    ax.text(token + 0.5, row + 0.5, f"{number}", ha="center", va="center")
            ax.text(start + count / 2, -0.25, name, ha="center", va="bottom")
            start += count
        ax.set(xlim=(0, start), ylim=(3.1, -0.9), xlabel="token, in the order of the sequence")
        ax.set_yticks([0.5, 1.5, 2.5], ["time", "row", "column"])
        ax.set_xticks([])
        ax.tick_params(axis="y", length=0)
        ax.spines[:].set_visible(False)
    return fig


def fits(
    x: Sequence[float], seen: Tensor, lines: dict[str, tuple[Tensor, str]], end: float, labels: tuple[str, str]
) -> Figure:
    """Draw points (n,) that were learned from, left of `end`, and lines {name: (values, colour)} that go on beyond it."""
    with style():
        fig = figure(9.2, 3.0)
        ax = fig.add_subplot()
        ax.axvspan(x[0], end, color="#eeeeee", zorder=0)
        ax.plot(x[: len(seen)], seen, "o", color=INK, ms=4)
        for (name, (line, colour)), dash in zip(lines.items(), ("-", "--", "-."), strict=False):
            ax.plot(x, line, color=colour, ls=dash)
            ax.text(x[-1], float(line[-1]), f" {name}", color=colour, va="center")
        ax.text(x[0], ax.get_ylim()[1], " learned from", va="top", color=INK)
        ax.set(xlabel=labels[0], ylabel=labels[1])
    return fig


def spectrogram(sound: Tensor, seconds: float, highest: float) -> Figure:
    """Draw a spectrogram (frequencies, frames), low notes at the bottom, with both axes in their own units."""
    with style():
        fig = figure(9.2, 3.0)
        ax = fig.add_subplot()
        image = ax.imshow(sound, origin="lower", aspect="auto", cmap=MAGNITUDE, extent=(0, seconds, 0, highest))
        ax.set(xlabel="time (seconds)", ylabel="frequency (hertz)")
        ax.spines[:].set_visible(False)
        fig.colorbar(image, ax=ax, label="loudness")
    return fig


def graph(edges: Sequence[tuple[int, int]], distance: Tensor) -> Figure:
    """Draw a graph, its nodes on a circle, beside the shortest-path distances (n, n) of its nodes."""
    n = len(distance)
    place = [(math.sin(2 * math.pi * k / n), math.cos(2 * math.pi * k / n)) for k in range(n)]
    with style():
        fig = figure(9.2, 3.3)
        left, right = fig.subplots(1, 2)
        for a, b in edges:
            left.plot(*zip(place[a], place[b], strict=True), color=INK, lw=2, zorder=0)
        left.scatter(*zip(*place, strict=True), s=700, color="#56b4e9")
        for k, (x, y) in enumerate(place):
            left.text(x, y, f"{k}", ha="center", va="center")
        left.set(aspect="equal", xlim=(-1.4, 1.4), ylim=(-1.35, 1.35), title="a graph")
        left.set_axis_off()
        write_numbers(right.imshow(distance, cmap=MAGNITUDE), distance)
        right.set(title="edges on the shortest path", xlabel="node", ylabel="node", xticks=range(n), yticks=range(n))
        right.spines[:].set_visible(False)
    return fig


def shortest_paths(edges: Sequence[tuple[int, int]], nodes: int) -> Tensor:
    """Return the number of edges on the shortest path between any two nodes of a connected graph: (n, n), integers."""
    step = torch.zeros(nodes, nodes, dtype=torch.bool)
    for a, b in edges:
        step[a, b] = step[b, a] = True
    distance, reached = torch.zeros(nodes, nodes, dtype=torch.long), torch.eye(nodes, dtype=torch.bool)
    for far in range(1, nodes):
        now = (reached.float() @ (step | reached).float() > 0) | reached
        distance[now & ~reached] = far
        reached = now
    return distance
