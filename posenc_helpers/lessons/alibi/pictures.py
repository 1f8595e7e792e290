"""Pictures of notebook 07: biases and weights, slopes, windows, the shortcut, cut context, far tokens, the relatives."""

import math

import torch
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator
from torch import Tensor

from posenc_helpers.classroom import colours as hue
from posenc_helpers.classroom.charts import Look, accuracy_against_length, dots_by_row, heat, lines, mark_trained, mean
from posenc_helpers.classroom.colours import LINES, MAGNITUDE, PALETTE, name_of
from posenc_helpers.classroom.figures import counted, figure, panels, style
from posenc_helpers.encodings import alibi_slopes
from posenc_helpers.lessons.alibi.heads import as_fraction, head_at, nearest_keys

NEAR, FAR, SECOND = PALETTE["alibi"], hue.INK, hue.VERMILION
TASKS = {  # a large ring shows what lies on it
    "alibi": Look(PALETTE["alibi"], "-", "o", 6),
    "t5 x8": Look(PALETTE["t5 x8"], "--", "s", 11, is_open=True),
    "learned slopes": Look(hue.INK, "-.", "x", 9),
}


@style()
def bias_and_weights(bias: Tensor, weights: Tensor) -> Figure:
    """Draw a small bias (L, L) and the weights (L, L) that it makes, each number written in its cell."""
    axes = panels(8.6, 3.9, 2)
    titles, limits = ("bias: -slope x (m - n)", "weights: softmax of a row"), ((bias.min().item(), 0), (0, 1))
    for ax, data, title, ends in zip(axes, (bias, weights), titles, limits, strict=True):
        later = torch.ones_like(data).triu(1).bool()
        image = heat(ax, data.masked_fill(later, math.nan), ends, MAGNITUDE)
        for m, n in torch.cartesian_prod(torch.arange(len(data)), torch.arange(len(data))).tolist():
            words, size = (f"{data[m, n] + 0:.2f}", 12) if n <= m else ("masked", 9)
            ink = hue.WHITE if n <= m and image.norm(float(data[m, n])) < 0.5 else hue.BLACK
            ax.text(n, m, words, ha="center", va="center", color=ink, fontsize=size)
        ax.set(title=title, xlabel="key position n", xticks=range(len(data)), yticks=range(len(data)))
        ax.set_ylabel("query position m")
        ax.figure.colorbar(image, ax=ax, shrink=0.8)
    return axes[0].figure


@style()
def slopes(heads: int, changed: Tensor) -> Figure:
    """Draw the slopes of `heads` heads under both formulas on a log scale; beside them how much heads change, (H,).

    `changed`: by what share of itself each head's output changes when the formulas are exchanged.
    """
    left, right = panels(9.2, 3.6, 2)
    left.plot(range(heads), alibi_slopes(heads), "o", color=NEAR, ms=7)
    left.plot(range(heads), alibi_slopes(heads, "paper"), "x", color=SECOND, ms=7, mew=2)
    left.set(title=f"{heads} heads", xlabel="head h", ylabel="slope (score per token)", yscale="log")
    left.set(ylim=(2.0**-8.5, 1.2))
    left.set_yticks([2.0**-k for k in range(0, 9, 2)], [f"1/{2**k}" if k else "1" for k in range(0, 9, 2)])
    left.minorticks_off()
    left.text(0.03, 0.13, "● released code", color=NEAR, transform=left.transAxes)
    left.text(0.03, 0.03, "x paper's formula", color=SECOND, transform=left.transAxes)
    right.bar(range(len(changed)), changed.tolist(), color=FAR, width=0.9)
    right.set(title=f"{len(changed)} heads, formulas exchanged", xlabel="head h", ylabel="change of output (share)")
    for ax in (left, right):
        ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    return left.figure


@style()
def weight_tables(tables: dict[str, Tensor]) -> Figure:
    """Draw attention weights (L, L), one heatmap a title, on one colour scale; masked cells (weight 0) stay white."""
    axes = panels(9.4, 3.0 if len(tables) > 3 else 3.6, len(tables), sharey=True)
    for ax, (title, weights) in zip(axes, tables.items(), strict=True):
        image = heat(ax, weights.masked_fill(weights == 0, math.nan) ** 0.5, (0, 1), MAGNITUDE)
        ax.set_title(title, fontsize=12)
        ax.set_xlabel("key n")
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_locator(MaxNLocator(4, integer=True))
    axes[0].set_ylabel("query m")
    bar = axes[0].figure.colorbar(image, ax=axes, label="weight (uneven scale)", shrink=0.8)
    bar.set_ticks([w**0.5 for w in (0, 0.05, 0.2, 0.5, 1)], labels=["0", "0.05", "0.2", "0.5", "1"])
    return axes[0].figure


@style()
def windows(slopes: Tensor, length: int) -> Figure:
    """Draw the weight that the nearest keys hold at zero content, one curve a head, and mark where it passes 0.9."""
    distance = torch.arange(length)
    (ax,) = panels(9, 4.2)
    for h, slope in enumerate(slopes.double()):
        weights = (-slope * distance).softmax(0)  # (L,)  nearest first
        held = weights.cumsum(0)
        count = nearest_keys(weights, distance)
        ax.plot(distance + 1, held, color=NEAR)
        ax.plot([count], [held[count - 1]], "o", color=FAR, ms=6, zorder=3)
        ax.annotate(f"{count}", (count, held[count - 1]), (6, -5), textcoords="offset points", va="top")
        half = max(1.35, math.log(2) / slope.item())  # the name stands on its curve
        box = {"fc": hue.WHITE, "ec": "none", "pad": 1}
        ax.text(half, 0.45, f"head {h}", color=NEAR, ha="center", va="center", fontsize=11, bbox=box)
    ax.axhline(0.9, color=FAR, lw=1, ls="--")
    ax.text(1.02, 0.91, "0.9", va="bottom", color=FAR)
    ax.set(
        xscale="log", xlim=(1, length), ylim=(0, 1.04), xlabel="number of nearest keys", ylabel="share of the weight"
    )
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f}"))
    return ax.figure


def explorer(heads: int, head: int, length: int, content: float, causal: bool):
    """Build the explorer of one head: its bias row, its weights, its window. For `explore` (redraws its artists)."""
    fig = figure(9.2, 4.6)
    top, bottom = fig.subplots(2, 1, sharex=True)
    shades = []
    for ax in (top, bottom):
        shades.append(
            ax.add_patch(Rectangle((0, 0), 1, 1, color=hue.PALE_GREEN, lw=0, transform=ax.get_xaxis_transform()))
        )
        ax.yaxis.set_label_coords(-0.065, 0.5)  # stays where numbers of any width leave it
        ax.yaxis.set_major_locator(MaxNLocator(4))
    (dots,) = top.plot([], [], ".", color=hue.QUIET, ms=5)
    (line,) = top.plot([], [], color=NEAR)
    sticks = bottom.vlines([], 0, [], color=NEAR)
    top.set_title("line: bias.  dots: bias + content", fontsize=12, color=FAR, loc="left")
    top.set_ylabel("score")
    top.tick_params(axis="x", length=0)  # the lower axes has them
    bottom.set(ylabel="weight", xlabel="key minus query, n - m (tokens)")
    heaviest = bottom.text(0.01, 0.86, "", transform=bottom.transAxes, color=FAR)
    name = top.set_title(" ", fontsize=12, loc="right")

    def update(heads, head, length, content, causal):
        h, slope, distance, bias, scores, weights, count = head_at(heads, head, length, content, causal)
        reach, last = int(distance.abs().sort().values[count - 1]), int(distance[-1])
        for shade in shades:
            shade.set_x(-reach - 0.5)
            shade.set_width(reach + min(reach, last) + 1)
        dots.set_data(distance, scores)
        line.set_data(distance, bias)
        sticks.set_segments([[(d, 0), (d, w)] for d, w in zip(distance.tolist(), weights.tolist(), strict=True)])
        sticks.set_linewidth(max(1.0, min(6.0, 300 / length)))
        name.set_text(f"head {h} of 0 to {heads - 1}: slope {as_fraction(slope)}.  90 % in {count} of {length} keys")
        best = int(weights.argmax())
        heaviest.set_text(f"heaviest key: n - m = {int(distance[best])}, weight {weights[best]:.2f}")
        top.set_ylim(min(-9.0, 1.05 * bias.min().item()), max(3.0, scores.max().item()) + 1)
        bottom.set_ylim(0, max(0.05, 1.25 * weights.max().item()))
        bottom.set_xlim(distance[0].item() - 0.5, last + 0.5)
        return [*shades, top.yaxis, bottom.xaxis, bottom.yaxis, dots, line, sticks, name, heaviest]

    update(heads, head, length, content, causal)
    return fig, update


@style()
def keys_needed(found: dict[str, dict[int, list[float]]], trained: int) -> Figure:
    """Draw mean loss against the number of keys that every token may see, one line a model, a dot a measurement."""
    (ax,) = panels(9, 3.8)
    for name, losses in found.items():
        colour, means = PALETTE.get(name, FAR), {count: mean(seeds) for count, seeds in losses.items()}
        first = next(iter(means.items()))
        ax.plot(list(means), list(means.values()), "o-", color=colour)
        ax.annotate(name_of(name), first, (52, 7), textcoords="offset points", color=colour)
        for count, loss in means.items():
            ax.annotate(f"{loss:.2f}", (count, loss), (9, 7), textcoords="offset points")
    mark_trained(ax, trained, 2.4, va="top")
    counted(ax, "x", list(losses))
    ax.set(xlabel="keys that every token may see, in each layer", xlim=(0.8, 700), ylabel="mean loss (nats)")
    return ax.figure


@style()
def strips(rows: dict[str, dict[str, list[float]]], label: str) -> Figure:
    """Draw values as dots, a row a name and a marker a kind: {name: {kind: values}}; `label` names the axis."""
    kinds = next(iter(rows.values()))
    looks = dict(zip(kinds, (Look(FAR, mark="o"), Look(PALETTE["t5"], mark="s"), Look(NEAR, mark="x")), strict=False))
    rings = {kind: look._replace(size=8, is_open=True) for kind, look in looks.items()}
    fig = dots_by_row({"": rows}, lambda name, kind: rings[kind], label, size=(9.2, 1 + 0.4 * len(rows)))
    fig.axes[0].grid(axis="y", color=hue.RULE, lw=1)
    if len(kinds) > 1:
        fig.axes[0].legend(loc="upper right", fontsize=12)
    return fig


def two_tasks(tasks: list[tuple[str, dict[str, dict[int, float]], int, float]]) -> Figure:
    """Draw accuracy against length, one task a panel: (title, {method: {length: accuracy}}, trained, chance)."""
    found = {
        title: {name_of(name): {n: [value] for n, value in values.items()} for name, values in methods.items()}
        for title, methods, _, _ in tasks
    }
    looks = {name_of(name): look for name, look in TASKS.items()}
    return accuracy_against_length(found, *tasks[0][2:], looks, size=(9.2, 3.9))


@style()
def left_over(curves: dict[str, Tensor]) -> Figure:
    """Draw what two heads leave at distances 1 to L, one taken from the other, as shares of that at 2: {slopes: (L,)}."""
    (ax,) = panels(9, 3.4)
    for (name, left), colour, line, end in zip(curves.items(), (FAR, NEAR), LINES, (8, 2), strict=False):
        share = left / left[1]
        ax.plot(range(1, len(left) + 1), share, "o", color=colour, ls=line)
        ax.annotate(name, (end, share[end - 1]), (10, 6), textcoords="offset points", color=colour)
    ax.axvline(2, color=hue.BLACK, lw=1, ls=":")
    ax.set(xticks=range(1, len(left) + 1), ylim=(0, 1.25), xlabel="distance m - n (tokens)")
    ax.set_ylabel("what is left (at 2: 1)")
    return ax.figure


def relatives(curves: dict[str, Tensor]) -> Figure:
    """Draw biases against distance, one curve a method, {name: (L,)}, distances 0 to L - 1, each with its name."""
    shown = {name: (range(len(curve)), curve) for name, curve in curves.items()}
    looks = dict(zip(curves, map(Look, (NEAR, SECOND, FAR, PALETTE["t5"]), LINES), strict=False))
    axes, longest = ("distance |m - n| (tokens)", "bias, minus its value at distance 0"), max(map(len, curves.values()))
    return lines(shown, axes, looks, size=(9.2, 4), xlim=(0, longest))
