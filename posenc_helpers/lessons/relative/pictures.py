"""Pictures of notebook 05: relative positions, buckets, the skew, terms of a score, learned biases, and what they cost."""

from collections.abc import Sequence

import torch
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from torch import Tensor

from posenc_helpers.classroom import charts
from posenc_helpers.classroom import colours as hue
from posenc_helpers.classroom.charts import looks_in_turn, matrices
from posenc_helpers.classroom.colours import LINES, MARKS, PALETTE, SHADES, SIGNED, name_of
from posenc_helpers.classroom.figures import counted, panels, style
from posenc_helpers.encodings import t5_buckets


def label(name: str) -> str:
    """Return how a figure writes `name`, a method and perhaps a remark after a comma: "t5, D = 16" -> "T5, D = 16"."""
    method, comma, remark = name.partition(",")
    return name_of(method) + comma + remark


def lines(x: Sequence[float], curves: dict[str, Sequence[float]], axes: tuple[str, str]) -> Figure:
    """Draw one labelled line per entry of `curves`; `axes` names x and y."""
    shown = {label(name): (x, curve) for name, curve in curves.items()}
    colours = {label(name): PALETTE[name] for name in curves}
    return charts.lines(shown, axes, looks_in_turn(shown, colours.get), size=(8.6, 3.6), marks=True)


def numbered(tables: Sequence[Tensor], titles: Sequence[str], limit: int) -> Figure:
    """Draw small integer matrices side by side, each number in its cell, on one signed colour scale."""
    axes, size = ("query position m", "key position n"), (4.4 * len(tables), 4.2)
    return matrices(
        tables, titles, "n - m (tokens)", limit, size=size, axes=axes, ticks="all", numbers="{:.0f}".format, shrink=0.85
    )


@style()
def bucket_functions(num_buckets: int = 32, max_distance: int = 128) -> Figure:
    """Draw T5's bucket of every relative position, bidirectional and causal, with the start of the last bucket."""
    relative = torch.arange(-150, 151)
    axes = panels(9, 3.7, 2, sharey=True)
    for ax, both, title in zip(axes, (True, False), ("bidirectional", "causal"), strict=True):
        bucket = t5_buckets(relative, num_buckets, max_distance, both)
        ax.plot(relative, bucket, ".", color=PALETTE["t5"], ms=4)
        last = num_buckets // 2 - 1 if both else num_buckets - 1
        start = int((-relative)[bucket == last].min())  # the nearest distance in the last bucket of the left side
        words, place = f"last bucket\nfrom {start} on", (-start + 8, last + (9 if both else -10))
        arrow = {"arrowstyle": "->", "color": hue.INK}
        ax.annotate(words, (-start, last), place, ha="center", va="center", arrowprops=arrow)
        ax.axvline(0, color=hue.FAINT, lw=1, zorder=0)
        ax.set(title=title, xlabel="n - m (tokens)", ylim=(-1, num_buckets))
    axes[0].set_ylabel("bucket")
    axes[1].text(75, 2, "keys to the right:\nbucket 0, masked", ha="center", va="bottom")
    return axes[0].figure


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


def shared_buckets(buckets: int, max_distance: int, both: bool) -> tuple[int, int, int, int]:
    """Return the first distance to the left that shares its bucket with the next, the last that shares it, the first of
    the last bucket, and the number of the bucket that is shared first."""
    side = t5_buckets(-torch.arange(400), buckets, max_distance, both)  # (400,)
    first = int((side[1:] == side[:-1]).int().argmax())
    shared = int((side == side[first]).sum())
    return first, first + shared - 1, int((side == side.max()).int().argmax()), int(side[first])


def bucket_explorer(buckets: int, max_distance: int, keys: str, head: str):
    """Build the bucket explorer: the bucket function and the bias matrix of one head. For `explore` (blitted)."""
    length, far = 40, 140
    left, right = panels(9.2, 4.1, 2, width_ratios=[1.15, 1])
    along = torch.arange(-far, far + 1)
    (dots,) = left.plot([], [], ".", color=PALETTE["t5"], ms=4)
    (shared,) = left.plot([], [], "o", color=hue.BLUE, ms=12, mfc="none", mew=2)
    left.set(title="T5's buckets; circle: the first to share", xlabel="n - m (tokens)", ylabel="bucket")
    left.set(xlim=(-far, far), ylim=(-1.5, 32.5))
    left.axvline(0, color=hue.FAINT, lw=1, zorder=0)
    colours = colormaps[SIGNED].with_extremes(bad=hue.RULE)  # masked cells
    image = right.imshow(torch.zeros(length, length), cmap=colours, vmin=-1, vmax=1, interpolation="nearest")
    right.set(title="one head's bias", xlabel="key position n", ylabel="query position m")
    left.figure.colorbar(image, ax=right, label="bias", shrink=0.85)
    place = torch.arange(length)
    relative = place - place[:, None]

    def update(buckets, max_distance, keys, head):
        both = keys == "bidirectional"
        dots.set_data(along, t5_buckets(along, buckets, max_distance, both))
        first, _, _, bucket = shared_buckets(buckets, max_distance, both)
        shared.set_data([-first - 0.5], [bucket])
        bias = bucket_bias(t5_buckets(relative, buckets, max_distance, both), relative, head)
        image.set_data(bias if both else bias.masked_fill(relative > 0, torch.nan))
        return [dots, shared, image]

    update(buckets, max_distance, keys, head)
    return left.figure, update


@style()
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
    axes = panels(9.2, 3.3, 4)
    for ax, (title, rows, below) in zip(axes, steps, strict=True):
        for y, row in enumerate(rows):
            for x, (m, relative) in enumerate(row):
                gone = relative is None or (title.startswith("(3)") and x > y)
                colour, ink, weight = (hue.SPAN, hue.GUIDE, "normal") if gone else (SHADES[m % 4], hue.WHITE, "bold")
                ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor=hue.WHITE, lw=2))
                text = "pad" if relative is None else f"{relative}"
                ax.text(x, y, text, ha="center", va="center", size=11, color=ink, weight=weight)
        ax.set(title=title, xlim=(-0.6, length + 0.6), ylim=(length + 0.6, -0.6), aspect="equal", xlabel=below)
        ax.title.set_fontsize(12)
        ax.set_xticks([]), ax.set_yticks([])
        ax.spines[:].set_visible(False)
    return axes[0].figure


@style()
def learned_bias(
    x: Tensor, tables: Tensor, peak: tuple[int, str], unseen: tuple[float, float], words: str, axis: str
) -> Figure:
    """Draw trained biases, tables (seeds, rows, H), against x: a line a head, a marker a seed; grey: never trained."""
    (ax,) = panels(8.6, 3.8)
    ax.axvspan(*unseen, color=hue.SPAN, zorder=0)
    method = "t5" if axis == "bucket" else "relative bias"
    for table, line, mark in zip(tables, LINES, MARKS, strict=False):
        ax.plot(x, table.detach(), color=PALETTE[method], ls=line, marker=mark, ms=6)
    top = float(tables.max())
    ax.text(peak[0], top * 1.12, peak[1], ha="center", va="bottom", weight="bold")
    ax.text(sum(unseen) / 2, top * 0.55, words, ha="center")
    ax.axhline(0, color=hue.QUIET, lw=1)
    ax.set(xlabel=axis, ylabel="learned bias", ylim=(None, top * 1.4))
    ax.xaxis.set_major_locator(MaxNLocator(10, integer=True))
    return ax.figure


@style()
def costs(seconds: dict[tuple[str, int], float]) -> Figure:
    """Draw what each way costs: seconds[way, L] against L, and at the largest L as a multiple of q . k alone."""
    names, lengths = list(dict.fromkeys(name for name, _ in seconds)), sorted({length for _, length in seconds})
    last = lengths[-1]
    left, right = panels(9, 3.8, 2, width_ratios=[1, 1.1])
    for name, line in zip(names, ("-", "-", "--", ":", "-.", "-"), strict=False):
        times = [1e3 * seconds[name, length] for length in lengths]
        left.plot(lengths, times, color=_method_colour(name), ls=line, marker="o", ms=4)
    for name, lift in ((names[0], 0.3), (names[-1], 1.8)):
        left.text(last, 1e3 * seconds[name, last] * lift, name, ha="right", va="center", color=_method_colour(name))
    guide = 1e3 * seconds[names[0], last] * 12
    left.plot(lengths, [guide * (length / last) ** 2 for length in lengths], color=hue.BLACK, lw=1, ls=":")
    left.text(last, 0.45 * guide, "as L²", ha="right", va="center")
    left.set(yscale="log", xlabel="length L (tokens)", ylabel="time (ms)")
    counted(left, "x", lengths)
    left.margins(y=0.12)
    ratios = [seconds[name, last] / seconds[names[0], last] for name in names]
    _bars(right, dict(zip(names, ratios, strict=True)), "  {:.0f}", 0.8)
    right.set(xlabel=f"at L = {last}: time / time of {names[0]}", xlim=(0, 1.25 * max(ratios)))
    return left.figure


@style()
def trained_numbers(numbers: dict[str, int], label: str) -> Figure:
    """Draw how many numbers each method trains, a bar a method on a log scale; `label` names the axis."""
    (ax,) = panels(8.6, 3.3)
    _bars(ax, numbers, " {:,}", 0.6)
    ax.set(xscale="log", xlim=(1e2, 1e9), xlabel=label)
    return ax.figure


def _method_colour(name: str) -> str:
    known = {"bias table": "relative bias", "T5": "t5", "learned absolute": "learned"}
    method = known.get(name, "shaw" if "Shaw" in name else "")
    return PALETTE.get(method, hue.INK)


def accuracy_against_length(results: dict[str, dict[int, list[float]]], trained: int, chance: float) -> Figure:
    """Draw accuracy against length (log scale): a line a method through its means, a marker a seed."""
    panel = {label(name): found for name, found in results.items()}
    colours = {label(name): PALETTE.get(name.partition(",")[0], hue.INK) for name in results}
    return charts.accuracy_against_length(
        {"": panel}, trained, chance, looks_in_turn(panel, colours.get), size=(9, 4.4)
    )


def _bars(ax: Axes, lengths: dict[str, float], words: str, height: float) -> None:
    """Draw a bar a method, the first on top, each with its number."""
    ax.barh(list(lengths), list(lengths.values()), color=[_method_colour(name) for name in lengths], height=height)
    for row, length in enumerate(lengths.values()):
        ax.text(length, row, words.format(length), va="center")
    ax.invert_yaxis()
