"""Pictures of notebook 05: relative positions, buckets, the skew, terms of a score, learned biases, and what they cost."""

from collections.abc import Sequence

import torch
from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from torch import Tensor

from posenc_helpers.classroom.figures import LABELS, PALETTE, SIGNED, figure, spread_out, style
from posenc_helpers.encodings import t5_buckets

LINES, MARKERS = ("-", "--", ":", "-.", (0, (6, 2, 1, 2, 1, 2))), ("o", "s", "^", "D", "v")
INK = "#444444"


def label(name: str) -> str:
    """Return how a figure writes `name`, a method and perhaps a remark after a comma: "t5, D = 16" -> "T5, D = 16"."""
    method, comma, remark = name.partition(",")
    return LABELS.get(method, method) + comma + remark


def lines(
    x: Sequence[float],
    curves: dict[str, Sequence[float]],
    axes: tuple[str, str],
    colours: dict[str, str] | None = None,
    shift: dict[str, float] | None = None,
) -> Figure:
    """Draw one labelled line per entry of `curves`; `axes` names x and y, `shift` moves a label up or down."""
    with style():
        fig = figure(8.6, 3.6)
        ax = fig.add_subplot()
        for (name, curve), line, marker in zip(curves.items(), LINES, MARKERS, strict=False):
            colour = (colours or PALETTE)[name]
            ax.plot(x, curve, color=colour, ls=line, marker=marker)
            ax.text(x[-1], curve[-1] + (shift or {}).get(name, 0), f"  {label(name)}", color=colour, va="center")
        ax.set(xlabel=axes[0], ylabel=axes[1])
    return fig


def numbered(tables: Sequence[Tensor], titles: Sequence[str], limit: int) -> Figure:
    """Draw small integer matrices side by side, each number in its cell, on one signed colour scale."""
    with style():
        fig = figure(4.4 * len(tables), 4.2)
        axes = fig.subplots(1, len(tables))
        for ax, table, title in zip(axes, tables, titles, strict=True):
            image = ax.imshow(table, cmap=SIGNED, vmin=-limit, vmax=limit)
            for m, row in enumerate(table.tolist()):
                for n, value in enumerate(row):
                    colour = "white" if abs(value) > 0.7 * limit else "black"
                    ax.text(n, m, f"{value}", ha="center", va="center", color=colour, size=10)
            ax.set(title=title, xlabel="key position n")
            ax.set_xticks(range(table.shape[1])), ax.set_yticks(range(table.shape[0]))
            ax.spines[:].set_visible(False)
        axes[0].set_ylabel("query position m")
        fig.colorbar(image, ax=axes, label="n - m (tokens)", shrink=0.85)
    return fig


def bucket_functions(num_buckets: int = 32, max_distance: int = 128) -> Figure:
    """Draw T5's bucket of every relative position, bidirectional and causal, with the start of the last bucket."""
    relative = torch.arange(-150, 151)
    with style():
        fig = figure(9, 3.7)
        axes = fig.subplots(1, 2, sharey=True)
        for ax, both, title in zip(axes, (True, False), ("bidirectional", "causal"), strict=True):
            bucket = t5_buckets(relative, num_buckets, max_distance, both)
            ax.plot(relative, bucket, ".", color=PALETTE["t5"], ms=4)
            last = num_buckets // 2 - 1 if both else num_buckets - 1
            start = int((-relative)[bucket == last].min())  # the nearest distance in the last bucket of the left side
            ax.annotate(
                f"last bucket\nfrom {start} on",
                (-start, last),
                (-start + 8, last + (9 if both else -10)),
                ha="center",
                va="center",
                arrowprops={"arrowstyle": "->", "color": INK},
            )
            ax.axvline(0, color="#bbbbbb", lw=1, zorder=0)
            ax.set(title=title, xlabel="n - m (tokens)", ylim=(-1, num_buckets))
        axes[0].set_ylabel("bucket")
        axes[1].text(75, 2, "keys to the right:\nbucket 0, masked", ha="center", va="bottom")
    return fig


HEADS = ("near", "far", "left", "bands")


def bucket_bias(buckets: Tensor, relative: Tensor, head: str) -> Tensor:
    """Return an invented bias of every cell, the same within a bucket: the mean over the bucket of what `head` likes."""
    logarithm = relative.abs().float().log1p() / relative.abs().max().float().log1p()  # 0 ... 1
    likes = {"near": 1 - 2 * logarithm, "far": 2 * logarithm - 1, "left": -relative.sign() * (1 - logarithm)}
    if head == "bands":
        return 0.8 * (buckets % 3 - 1)  # three numbers: with two, bands of one token would look like a chessboard
    rows = int(buckets.max()) + 1
    total = torch.zeros(rows).index_add(0, buckets.flatten(), likes[head].flatten())
    count = torch.zeros(rows).index_add(0, buckets.flatten(), torch.ones(buckets.numel()))
    return (total / count.clamp(min=1))[buckets]


def shared_buckets(side: Tensor) -> tuple[int, int]:
    """Return the first distance that shares its bucket with the next, and the first of the last bucket; side (D,)."""
    return int((side[1:] == side[:-1]).int().argmax()), int((side == side.max()).int().argmax())


def bucket_explorer(buckets: int, max_distance: int, keys: str, head: str):
    """Build the bucket explorer: the bucket function and the bias matrix of one head. For `explore` (blitted)."""
    length, far = 40, 140
    fig = figure(9.2, 4.1)
    left, right = fig.subplots(1, 2, gridspec_kw={"width_ratios": [1.15, 1]})
    along = torch.arange(-far, far + 1)
    (dots,) = left.plot([], [], ".", color=PALETTE["t5"], ms=4)
    (shared,) = left.plot([], [], "o", color="#0072b2", ms=12, mfc="none", mew=2)
    left.set(title="T5's buckets; circle: the first to share", xlabel="n - m (tokens)", ylabel="bucket")
    left.set(xlim=(-far, far), ylim=(-1.5, 32.5))
    left.axvline(0, color="#bbbbbb", lw=1, zorder=0)
    colours = colormaps[SIGNED].with_extremes(bad="#dddddd")  # masked cells
    image = right.imshow(torch.zeros(length, length), cmap=colours, vmin=-1, vmax=1, interpolation="nearest")
    right.set(title="one head's bias", xlabel="key position n", ylabel="query position m")
    fig.colorbar(image, ax=right, label="bias", shrink=0.85)
    place = torch.arange(length)
    relative = place - place[:, None]

    def update(buckets, max_distance, keys, head):
        both = keys == "bidirectional"
        bucket = t5_buckets(along, buckets, max_distance, both)
        dots.set_data(along, bucket)
        side = bucket[: far + 1].flip(0)  # (far + 1,)  bucket of the keys 0, 1, 2 ... to the left
        first, _ = shared_buckets(side)
        shared.set_data([-first - 0.5], [side[first]])
        bias = bucket_bias(t5_buckets(relative, buckets, max_distance, both), relative, head)
        image.set_data(bias if both else bias.masked_fill(relative > 0, torch.nan))
        return [dots, shared, image]

    update(buckets, max_distance, keys, head)
    return fig, update


def skew_steps(length: int = 4) -> Figure:
    """Draw the causal skew: scores by distance, padded, the same memory read as rows of `length`, the first row dropped."""
    cells = [[(m, r - length + 1) for r in range(length)] for m in range(length)]  # (query, relative position)
    padded = [[(m, None), *cells[m]] for m in range(length)]
    flat = [cell for row in padded for cell in row]
    again = [flat[k * length : (k + 1) * length] for k in range(length + 1)]
    steps = [
        ("scores by distance", cells, "number in a cell:\nn - m"),
        ("(1) pad one column", padded, ""),
        (f"(2) read in rows of {length}", again, ""),
        ("(3) drop the first row", again[1:], "column: key n\nof query = row m"),
    ]
    shades = ["#0072b2", "#a85600", "#00694c", "#8e4585"]  # dark enough for white numbers
    with style():
        fig = figure(9.2, 3.3)
        for ax, (title, rows, below) in zip(fig.subplots(1, 4), steps, strict=True):
            for y, row in enumerate(rows):
                for x, (m, relative) in enumerate(row):
                    gone = relative is None or (title.startswith("(3)") and x > y)
                    box = {"facecolor": "#eeeeee" if gone else shades[m % 4], "edgecolor": "white", "lw": 2}
                    ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, **box))
                    text = "pad" if relative is None else f"{relative}"
                    ax.text(x, y, text, ha="center", va="center", size=11, color="#888888" if gone else "white",
                            weight="normal" if gone else "bold")  # fmt: skip
            ax.set(title=title, xlim=(-0.6, length + 0.6), ylim=(length + 0.6, -0.6), aspect="equal", xlabel=below)
            ax.title.set_fontsize(12)
            ax.set_xticks([]), ax.set_yticks([])
            ax.spines[:].set_visible(False)
    return fig


def learned_bias(
    x: Tensor, tables: Tensor, peak: tuple[int, str], unseen: tuple[float, float], words: str, axis: str
) -> Figure:
    """Draw trained biases, tables (seeds, rows, H), against x: a line a head, a marker a seed; grey: never trained."""
    with style():
        fig = figure(8.6, 3.8)
        ax = fig.add_subplot()
        ax.axvspan(*unseen, color="#eeeeee", zorder=0)
        method = "t5" if axis == "bucket" else "relative bias"
        for table, line, marker in zip(tables, LINES, MARKERS, strict=False):
            for column in table.T:
                ax.plot(x, column, color=PALETTE[method], ls=line, marker=marker, ms=6)
        top = float(tables.max())
        ax.text(peak[0], top * 1.12, peak[1], ha="center", va="bottom", weight="bold")
        ax.text(sum(unseen) / 2, top * 0.55, words, ha="center")
        ax.axhline(0, color="#999999", lw=1)
        ax.set(xlabel=axis, ylabel="learned bias", ylim=(None, top * 1.4))
        ax.xaxis.set_major_locator(MaxNLocator(10, integer=True))
    return fig


def costs(seconds: dict[tuple[str, int], float]) -> Figure:
    """Draw what each way costs: seconds[way, L] against L, and at the largest L as a multiple of q . k alone."""
    names, lengths = list(dict.fromkeys(name for name, _ in seconds)), sorted({length for _, length in seconds})
    last = lengths[-1]
    with style():
        fig = figure(9, 3.8)
        left, right = fig.subplots(1, 2, width_ratios=[1, 1.1])
        for name, line in zip(names, ("-", "-", "--", ":", "-.", "-"), strict=False):
            times = [1e3 * seconds[name, length] for length in lengths]
            left.plot(lengths, times, color=_method_colour(name), ls=line, marker="o", ms=4)
        for name, lift in ((names[0], 0.3), (names[-1], 1.8)):
            left.text(last, 1e3 * seconds[name, last] * lift, name, ha="right", va="center", color=_method_colour(name))
        guide = 1e3 * seconds[names[0], last] * 12
        left.plot(lengths, [guide * (length / last) ** 2 for length in lengths], color="black", lw=1, ls=":")
        left.text(last, 0.45 * guide, "as L²", ha="right", va="center")
        left.set(xscale="log", yscale="log", xlabel="length L (tokens)", ylabel="time (ms)")
        left.set_xticks(lengths, [str(length) for length in lengths])
        left.minorticks_off()
        left.margins(y=0.12)
        ratios = [seconds[name, last] / seconds[names[0], last] for name in names]
        for row, (name, ratio) in enumerate(zip(names, ratios, strict=True)):
            right.barh(row, ratio, color=_method_colour(name))
            right.text(ratio, row, f"  {ratio:.0f}", va="center")
        right.set_yticks(range(len(names)), names)
        right.invert_yaxis()
        right.set(xlabel=f"at L = {last}: time / time of {names[0]}", xlim=(0, 1.25 * max(ratios)))
    return fig


def trained_numbers(numbers: dict[str, int], label: str) -> Figure:
    """Draw how many numbers each method trains, a bar a method on a log scale; `label` names the axis."""
    with style():
        fig = figure(8.6, 3.3)
        ax = fig.add_subplot()
        for row, (name, count) in enumerate(numbers.items()):
            ax.barh(row, count, color=_method_colour(name), height=0.6)
            ax.text(count, row, f" {count:,}", va="center")
        ax.set_yticks(range(len(numbers)), list(numbers))
        ax.invert_yaxis()
        ax.set(xscale="log", xlim=(1e2, 1e9), xlabel=label)
    return fig


def _method_colour(name: str) -> str:
    known = {"bias table": "relative bias", "T5": "t5", "learned absolute": "learned"}
    method = known.get(name, "shaw" if "Shaw" in name else "")
    return PALETTE.get(method, INK)


def accuracy_against_length(results: dict[str, dict[int, list[float]]], trained: int, chance: float) -> Figure:
    """Draw accuracy against length (log scale): a line a method through its means, a marker a seed."""
    with style():
        fig = figure(9, 4.4)
        ax = fig.add_subplot()
        ends, colours = {}, {name: PALETTE.get(name.partition(",")[0], INK) for name in results}
        for (name, found), marker, line in zip(results.items(), MARKERS, LINES, strict=False):
            lengths = list(found)
            means = [sum(found[n]) / len(found[n]) for n in lengths]
            ax.plot(lengths, means, color=colours[name], ls=line)
            for n in lengths:
                ax.scatter([n] * len(found[n]), found[n], color=colours[name], marker=marker, s=30, zorder=3)
            ends[name] = means[-1]
        for name, height in spread_out(ends, 0.06).items():
            ax.text(lengths[-1] * 1.07, height, label(name), color=colours[name], va="center")
        ax.axvline(trained, color="black", lw=1.5, ls=":")
        ax.text(trained * 1.02, 0.02, "trained length", va="bottom")
        ax.axhline(chance, color="black", lw=1.5, ls="--")
        ax.text(lengths[-1], chance + 0.01, "chance", va="bottom", ha="right")
        ax.set(xscale="log", xlabel="length L (tokens)", ylabel="accuracy", ylim=(0, 1.08), xlim=(14, 300))
        ax.set_xticks(lengths, [str(n) for n in lengths])
        ax.minorticks_off()
    return fig
