"""Pictures of notebook 07: biases and weights, slopes, windows, the shortcut, cut context, far tokens, the relatives."""

import math
from typing import NamedTuple

import torch
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator
from torch import Generator, Tensor

from posenc_helpers.classroom.figures import LABELS, MAGNITUDE, PALETTE, figure, spread_out, style
from posenc_helpers.encodings import alibi_slopes

NEAR, FAR, SECOND = "#009e73", "#444444", "#d55e00"
SHAPES = {"alibi": ("o", 6, NEAR, "-"), "t5 x8": ("s", 11, PALETTE["t5 x8"], "--"),  # a large open one shows what lies on it
          "learned slopes": ("x", 9, FAR, "-.")}  # fmt: skip
LINES = ("-", "--", "-.", ":")


def as_fraction(slope: float) -> str:
    """Return a slope as a reader thinks of it: 1/2 ... 1/256 for powers of two, three digits for others."""
    power = -math.log2(slope)
    return f"1/{2 ** round(power)}" if abs(power - round(power)) < 1e-6 and power > 0.5 else f"{slope:.3f}"


def nearest_keys(weights: Tensor, distances: Tensor, share: float = 0.9) -> int:
    """Return how many of the nearest keys together hold `share` of the weight: weights and distances (L_k,)."""
    held = weights[distances.abs().argsort(stable=True)].double().cumsum(0)  # (L_k,)  from the nearest on
    return int((held < share * held[-1] - 1e-9).sum()) + 1


def bias_and_weights(bias: Tensor, weights: Tensor) -> Figure:
    """Draw a small bias (L, L) and the weights (L, L) that it makes, each number written in its cell."""
    length = len(bias)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    with style():
        fig = figure(8.6, 3.9)
        for ax, data, title, top in zip(
            fig.subplots(1, 2), (bias, weights), ("bias: -slope x (m - n)", "weights: softmax of a row"), (0, 1), strict=True
        ):
            shown = data.masked_fill(~past, math.nan)
            image = ax.imshow(shown, cmap=MAGNITUDE, vmin=top + bias.min().item() if top == 0 else 0, vmax=top)
            for m in range(length):
                for n in range(length):
                    text = f"{data[m, n]:.2f}" if n <= m else "masked"
                    dark = n <= m and (image.norm(float(data[m, n])) < 0.5)
                    ax.text(n, m, text, ha="center", va="center", color="white" if dark else "black",
                            fontsize=12 if n <= m else 9)  # fmt: skip
            ax.set(title=title, xlabel="key position n", xticks=range(length), yticks=range(length))
            ax.spines[:].set_visible(False)
            fig.colorbar(image, ax=ax, shrink=0.8)
            ax.set_ylabel("query position m")
    return fig


def slopes(heads: int, changed: Tensor) -> Figure:
    """Draw the slopes of `heads` heads under both formulas on a log scale; beside them how much heads change, (H,).

    `changed`: by what share of itself each head's output changes when the formulas are exchanged.
    """
    with style():
        fig = figure(9.2, 3.6)
        left, right = fig.subplots(1, 2)
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
    return fig


def weight_tables(tables: dict[str, Tensor]) -> Figure:
    """Draw attention weights (L, L), one heatmap a title, on one colour scale; masked cells (weight 0) stay white."""
    with style():
        fig = figure(9.4, 3.0 if len(tables) > 3 else 3.6)
        axes = fig.subplots(1, len(tables), sharey=True)
        for ax, (title, weights) in zip(axes, tables.items(), strict=True):
            shown = weights.masked_fill(weights == 0, math.nan) ** 0.5
            image = ax.imshow(shown, cmap=MAGNITUDE, vmin=0, vmax=1, interpolation="nearest")
            ax.set_title(title, fontsize=12)
            ax.set_xlabel("key n")
            ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
            ax.yaxis.set_major_locator(MaxNLocator(4, integer=True))
            ax.spines[:].set_visible(False)
        axes[0].set_ylabel("query m")
        bar = fig.colorbar(image, ax=axes, label="weight (uneven scale)", shrink=0.8)
        bar.set_ticks([w**0.5 for w in (0, 0.05, 0.2, 0.5, 1)], labels=["0", "0.05", "0.2", "0.5", "1"])
    return fig


def windows(slopes: Tensor, length: int) -> Figure:
    """Draw the weight that the nearest keys hold at zero content, one curve a head, and mark where it passes 0.9."""
    distance = torch.arange(length)
    with style():
        fig = figure(9, 4.2)
        ax = fig.add_subplot()
        for h, slope in enumerate(slopes.double()):
            weights = (-slope * distance).softmax(0)  # (L,)  nearest first
            held = weights.cumsum(0)
            count = nearest_keys(weights, distance)
            ax.plot(distance + 1, held, color=NEAR)
            ax.plot([count], [held[count - 1]], "o", color=FAR, ms=6, zorder=3)
            ax.annotate(f"{count}", (count, held[count - 1]), (6, -5), textcoords="offset points", va="top")
            half = max(1.35, math.log(2) / slope.item())  # the name stands on its curve
            ax.text(half, 0.45, f"head {h}", color=NEAR, ha="center", va="center", fontsize=11,
                    bbox={"fc": "white", "ec": "none", "pad": 1})  # fmt: skip
        ax.axhline(0.9, color=FAR, lw=1, ls="--")
        ax.text(1.02, 0.91, "0.9", va="bottom", color=FAR)
        ax.set(xscale="log", xlim=(1, length), ylim=(0, 1.04), xlabel="number of nearest keys", ylabel="share of the weight")
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f}"))
    return fig


NOISE = torch.randn(1024, generator=Generator().manual_seed(3))  # what words might add to the scores


class Head(NamedTuple):
    """What one head sees: its number and slope, distances, bias, scores and weights (L,), keys that hold 90 %."""

    head: int
    slope: float
    distance: Tensor
    bias: Tensor
    scores: Tensor
    weights: Tensor
    count: int


def head_at(heads: int, head: int, length: int, content: float, causal: bool) -> Head:
    """Return what head `head` of `heads`, or the last, sees from the last of `length` tokens (both ways: the middle)."""
    head = min(head, heads - 1)
    slope = alibi_slopes(heads)[head].item()
    distance = torch.arange(length) - (length - 1 if causal else length // 2)  # (L,)  key minus query
    bias = -slope * distance.abs()
    scores = bias + content * NOISE[-length:]
    weights = scores.softmax(0)
    return Head(head, slope, distance, bias, scores, weights, nearest_keys(weights, distance))


def explorer(heads: int, head: int, length: int, content: float, causal: bool):
    """Build the explorer of one head: its bias row, its weights, its window. For `explore` (redraws its artists)."""
    fig = figure(9.2, 4.6)
    top, bottom = fig.subplots(2, 1, sharex=True)
    shades = [Rectangle((0, 0), 1, 1, color="#e8f3ef", lw=0, transform=ax.get_xaxis_transform()) for ax in (top, bottom)]
    for ax, shade in zip((top, bottom), shades, strict=True):
        ax.add_patch(shade)
        ax.yaxis.set_label_coords(-0.065, 0.5)  # stays where numbers of any width leave it
        ax.yaxis.set_major_locator(MaxNLocator(4))
    (dots,) = top.plot([], [], ".", color="#999999", ms=5)
    (line,) = top.plot([], [], color=NEAR)
    bars = bottom.vlines([], 0, [], color=NEAR)
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
        bars.set_segments([[(d, 0), (d, w)] for d, w in zip(distance.tolist(), weights.tolist(), strict=True)])
        bars.set_linewidth(max(1.0, min(6.0, 300 / length)))
        name.set_text(f"head {h} of 0 to {heads - 1}: slope {as_fraction(slope)}.  90 % in {count} of {length} keys")
        best = int(weights.argmax())
        heaviest.set_text(f"heaviest key: n - m = {int(distance[best])}, weight {weights[best]:.2f}")
        top.set_ylim(min(-9.0, 1.05 * bias.min().item()), max(3.0, scores.max().item()) + 1)
        bottom.set_ylim(0, max(0.05, 1.25 * weights.max().item()))
        bottom.set_xlim(distance[0].item() - 0.5, last + 0.5)
        return [*shades, top.yaxis, bottom.xaxis, bottom.yaxis, dots, line, bars, name, heaviest]

    update(heads, head, length, content, causal)
    return fig, update


def keys_needed(found: dict[str, dict[int, list[float]]], trained: int) -> Figure:
    """Draw mean loss against the number of keys that every token may see, one line a model, a dot a measurement."""
    with style():
        fig = figure(9, 3.8)
        ax = fig.add_subplot()
        for name, losses in found.items():
            counts = list(losses)
            means = [sum(losses[n]) / len(losses[n]) for n in counts]
            ax.plot(counts, means, "o-", color=PALETTE.get(name, FAR))
            ax.annotate(LABELS.get(name, name), (counts[0], means[0]), (52, 7), textcoords="offset points",
                        color=PALETTE.get(name, FAR))  # fmt: skip
            for count, mean in zip(counts, means, strict=True):
                ax.annotate(f"{mean:.2f}", (count, mean), (9, 7), textcoords="offset points")
        ax.axvline(trained, color="black", lw=1.5, ls=":")
        ax.text(trained * 1.04, 2.4, "trained length", va="top")
        ax.set(xscale="log", xlim=(0.8, 700), ylabel="mean loss (nats)")
        ax.set_xlabel("keys that every token may see, in each layer")
        ax.set_xticks(counts, [str(n) for n in counts])
        ax.minorticks_off()
    return fig


def strips(rows: dict[str, dict[str, list[float]]], label: str) -> Figure:
    """Draw values as dots, a row a name and a marker a kind: {name: {kind: values}}; `label` names the axis."""
    with style():
        fig = figure(9.2, 1 + 0.4 * len(rows))
        ax = fig.add_subplot()
        for kind, marker, colour in zip(next(iter(rows.values())), "osx", (FAR, PALETTE["t5"], NEAR), strict=False):
            for y, values in enumerate(rows.values()):
                ax.plot(values[kind], [y] * len(values[kind]), marker, color=colour, ms=8, mew=2, mfc="none",
                        label=None if y else kind)  # fmt: skip
        ax.set_yticks(range(len(rows)), rows)
        ax.set(xlabel=label, ylim=(len(rows) - 0.5, -0.5))
        ax.grid(axis="y", color="#dddddd", lw=1)
        if ax.get_legend_handles_labels()[0][1:]:
            ax.legend(loc="upper right", fontsize=12)
    return fig


def two_tasks(panels: list[tuple[str, dict[str, dict[int, float]], int, float]]) -> Figure:
    """Draw accuracy against length, one task a panel: (title, {method: {length: accuracy}}, trained, chance)."""
    with style():
        fig = figure(9.2, 3.9)
        for ax, (title, found, trained, chance) in zip(fig.subplots(1, len(panels), sharey=True), panels, strict=True):
            _accuracy(ax, found, trained, chance, title)
            if ax is not fig.axes[0]:
                ax.set_ylabel("")
        fig.axes[0].legend(loc="center", fontsize=12, bbox_to_anchor=(0.5, 0.54))  # one legend for all panels
    return fig


def _accuracy(ax, found: dict[str, dict[int, float]], trained: int, chance: float, title: str) -> None:
    for name, values in found.items():
        marker, size, colour, line = SHAPES[name]
        lengths = list(values)
        ax.plot(lengths, list(values.values()), marker=marker, ls=line, color=colour, ms=size, mew=2,
                mfc="none" if marker == "s" else colour, label=LABELS.get(name, name))  # fmt: skip
    ax.axvline(trained, color="black", lw=1.5, ls=":")
    ax.text(trained * 1.03, 0.02, "trained length", va="bottom")
    ax.axhline(chance, color="black", lw=1.5, ls="--")
    ax.text(lengths[-1], chance + 0.015, "chance", va="bottom", ha="right")
    ax.set(xscale="log", xlabel="length L (tokens)", ylabel="accuracy", ylim=(0, 1.08), title=title)
    ax.set_xticks(lengths, [str(n) for n in lengths])
    ax.minorticks_off()


def contrast(first: float, second: float, length: int = 257) -> Tensor:
    """Return e^(-s d) of the flatter slope minus that of the steeper one, scaled to cancel at d = 1: (L,), from d = 0."""
    distance = torch.arange(length, dtype=torch.float64)
    flat, steep = sorted((first, second))
    return (flat * (1 - distance)).exp() - (steep * (1 - distance)).exp()


def contrasts(pairs: dict[str, tuple[float, float]]) -> Figure:
    """Draw, for each of two pairs of slopes, what is left of heads that cancel at distance 1: largest distance marked."""
    with style():
        fig = figure(9, 3.4)
        ax = fig.add_subplot()
        for (name, pair), colour, line in zip(pairs.items(), (FAR, NEAR), LINES, strict=False):
            left = contrast(*pair)
            top = int(left[1:].argmax()) + 1
            ax.plot(range(1, len(left)), left[1:] / left[top], color=colour, ls=line)
            ax.plot([top], [1], "o", color=colour, ms=8)
            ax.annotate(f"{name}: {top}", (top, 1), (0, 10), textcoords="offset points", color=colour,
                        ha="left" if top < 20 else "center")  # fmt: skip
        ax.axvline(2, color="black", lw=1, ls=":")
        ax.set(xscale="log", xlim=(0.95, 256), ylim=(0, 1.25), xlabel="distance m - n (tokens)")
        ax.set_ylabel("what is left (largest: 1)")
        ax.set_xticks([2**power for power in range(9)], [str(2**power) for power in range(9)])
        ax.minorticks_off()
    return fig


def relatives(curves: dict[str, Tensor]) -> Figure:
    """Draw biases against distance, one curve a method, {name: (L,)}, distances 0 to L - 1, each with its name."""
    with style():
        fig = figure(9.2, 4)
        ax = fig.add_subplot()
        length = max(map(len, curves.values()))
        heights = spread_out({name: float(curve[-1]) for name, curve in curves.items()}, 1.2)
        for (name, curve), colour, line in zip(curves.items(), (NEAR, SECOND, FAR, PALETTE["t5"]), LINES, strict=False):
            ax.plot(torch.arange(len(curve)), curve, color=colour, ls=line)
            ax.text(length * 1.01, heights[name], name, color=colour, va="center")
        ax.set(xlabel="distance |m - n| (tokens)", ylabel="bias, minus its value at distance 0", xlim=(0, length))
    return fig
