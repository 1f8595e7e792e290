"""Pictures of notebook 11: encodings near and far, pairs of seeds, one curve beside all others, models by year."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from posenc_helpers.classroom import colours as hue
from posenc_helpers.classroom.charts import labels_at_right, mean
from posenc_helpers.classroom.colours import HEADS, LINES, PALETTE, colour_of, name_of
from posenc_helpers.classroom.figures import counted, panels, style
from posenc_helpers.lab.models import Model
from posenc_helpers.lab.shootout import TRAINED, Row

NEAR, FAR = hue.QUIET, hue.BLUE
FAMILIES = {  # family -> (colour, methods of data/models.csv)
    "a vector a position": (PALETTE["learned"], ("sinusoidal", "learned")),
    "a bias a distance": (PALETTE["alibi"], ("shaw", "transformer-xl", "t5", "deberta", "swin", "swin-v2", "alibi")),
    "rotated pairs": (PALETTE["rope"], ("rope", "axial-rope", "m-rope")),
    "none": (hue.WORDS, ("none",)),
}
WRITTEN = {
    "swin": "Swin",
    "swin-v2": "Swin v2",
    "axial-rope": "RoPE on a grid",
    "m-rope": "M-RoPE",
    "none": "no positions",
}


@style()
def near_and_far(
    rows: dict[str, dict[str, Sequence[float]]], far: str, recall: str, marked: Sequence[str] = ()
) -> Figure:
    """Draw loss near and far, and recall, of each encoding: a row each, a dot each seed, best far loss on top.

    `rows`: {name: {"near": losses, "far": losses, "recall": accuracies}}, one number a seed, empty where it ends. `far`
    and `recall` name the two axes; names in `marked` are written bold.
    """
    order = sorted(rows, key=lambda name: -mean(rows[name]["far"] or [math.inf]))
    left, right = panels(9, 1.6 + 0.25 * len(rows), 2, width_ratios=[1.5, 1], sharey=True)
    for y, name in enumerate(order):
        near, loss = rows[name]["near"], rows[name]["far"]
        if loss:
            left.plot([mean(near), mean(loss)], [y, y], color=hue.RULE, lw=5, zorder=0, solid_capstyle="round")
        else:
            left.text(mean(near) + 0.08, y, "its table ends", va="center", fontsize=10, color=hue.WORDS)
        _dots(left, near, y, NEAR, "|", 60)
        _dots(left, loss, y, FAR, "o", 22)
        _dots(right, rows[name]["recall"], y, FAR, "o", 22)
    left.set_ylim(-0.7, len(order) - 0.3)
    left.set_yticks(range(len(order)), [name_of(name) for name in order])
    for tick, name in zip(left.get_yticklabels(), order, strict=True):
        tick.set_fontweight("bold" if name in marked else "normal")
    left.set(xlabel=far)
    right.set(xlabel=recall, xlim=(-0.04, 1.04))
    right.axvline(1 / 8, color=hue.BLACK, ls=":", lw=1)
    right.text(1 / 8, 1.0, "chance", fontsize=10, va="bottom", ha="center", transform=right.get_xaxis_transform())
    for ax in (left, right):
        ax.grid(axis="x", color=hue.SPAN)
        ax.tick_params(axis="y", length=0)
    return left.figure


def _dots(ax: Axes, values: Sequence[float], y: float, colour: str, mark: str, size: float) -> None:
    ax.scatter(values, [y] * len(values), color=colour, marker=mark, s=size, alpha=0.75, zorder=3)


@style()
def pairs_of_seeds(pairs: dict[str, tuple[Sequence[float], Sequence[float]]]) -> Figure:
    """Draw, for each comparison "A against B", a line a seed from A's loss to B's: {title: (A, B)}."""
    axes = panels(9, 3.4, len(pairs))
    for ax, (title, (first, second)) in zip(axes, pairs.items(), strict=True):
        for a, b in zip(first, second, strict=True):
            ax.plot([0, 1], [a, b], color=hue.BLUE if a < b else hue.VERMILION, marker="o", lw=1.5)
        wins = sum(a < b for a, b in zip(first, second, strict=True))
        ax.set_xticks([0, 1], [name_of(name) for name in title.split(" against ")])
        ax.set(title=f"first is lower in {wins} of {len(first)} seeds", xlim=(-0.3, 1.3), ylabel="loss (nats)")
    return axes[0].figure


@style()
def prices(biases: dict[str, Tensor]) -> Figure:
    """Draw what each head adds to a score by distance: {name: bias of the last query (H, L)}, a panel each."""
    axes = panels(9, 3.4, len(biases), sharey=True)
    for ax, (name, bias) in zip(axes, biases.items(), strict=True):
        for head, (taken, colour, line) in enumerate(zip(bias.flip(-1), HEADS, LINES, strict=False)):  # (L,)  back
            ax.plot(taken, color=colour, ls=line)
            place = int((0.45 + 0.14 * head) * (taken > -20).sum())  # beside one another, not one above another
            up, side = (-0.9, "top") if head == 2 else (0.3, "bottom")  # ALiBi's head 3 runs close above head 2
            ax.text(place, taken[place] + up, f"head {head}", color=colour, va=side, fontsize=11)
        ax.set(title=name, xlabel="distance m - n (tokens)", xlim=(0, bias.shape[-1]), ylim=(-20, 1.5))
    axes[0].set_ylabel("added to the score")
    return axes[0].figure


@style()
def beside_all(rows: Sequence[Row], stored: Sequence[dict]) -> Figure:
    """Draw the curve of one's own encodings (`rows` of `shootout`, or of one's own making) in front of the stored ones.

    `stored` as `load_results("shootout")`: lines of the means over its seeds, in grey or in the colour of the method. Each
    point is the mean of an octave of positions: 9 to 16, 17 to 32, 33 to 64, ...
    """
    (ax,), ends = panels(9, 4.6), {}
    for name in dict.fromkeys(row["encoding"] for row in stored):
        of_name = [row for row in stored if row["encoding"] == name and row["what"] == "position"]
        points = octaves((row["at"], row["loss"]) for row in of_name)
        ax.plot(*zip(*points, strict=True), color=colour_of(name, hue.QUIET), lw=2, alpha=0.45)
        ends[name_of(name)] = (points[-1][1], colour_of(name, hue.QUIET))
    looks = (("-", "o", ""), ("--", "s", " (dashed)"), ("-.", "D", " (dash-dot)"), (":", "^", " (dotted)"))
    for name, (line, mark, words) in zip(dict.fromkeys(row.encoding for row in rows), looks, strict=False):
        points = octaves((row.position, row.loss) for row in rows if row.encoding == name)
        ax.plot(*zip(*points, strict=True), color=hue.BLACK, lw=2.5, ls=line, marker=mark, ms=6)
        ends[name + words] = (points[-1][1], hue.BLACK)
    ax.axvspan(TRAINED, 512, color=hue.SPAN, zorder=-1, lw=0)
    counted(ax, "x", [2**k for k in range(3, 10)])
    ax.set(xlabel="position p (token), an octave a point", xlim=(8, 512))
    ax.set(ylabel="loss (nats a character)", ylim=(1.2, 3.4))
    ax.text(TRAINED * 0.96, 3.35, f"trained on {TRAINED}", va="top", ha="right")
    ax.text(TRAINED * 1.04, 3.35, "never seen", va="top")
    labels_at_right(ax, ends)
    return ax.figure


def octaves(losses: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return (middle, mean loss) of each octave of positions from 8 on, from (index from 0 on, loss).

    The loss at index p was read after p + 1 characters, at position p + 1; octave k holds indices 2^k to 2^(k + 1) - 1.
    A loss may also be that of a block of positions: blocks are of one size within an octave.
    """
    found: dict[int, list[float]] = {}
    for index, loss in losses:
        if index >= 8:
            found.setdefault(int(math.log2(index)), []).append(loss)
    return [(2 ** (octave + 0.5), mean(of)) for octave, of in sorted(found.items())]


@style()
def by_year(models: Sequence[Model]) -> Figure:
    """Draw how many models of data/models.csv use each method, by the year of their release: a disc each."""
    methods = [(method, colour) for colour, names in FAMILIES.values() for method in names][::-1]
    counts = Counter((model.year, model.method) for model in models if model.year)
    years = range(min(year for year, _ in counts), max(year for year, _ in counts) + 1)
    (ax,) = panels(9, 4.6)
    for y, (method, colour) in enumerate(methods):
        for year in years:
            if count := counts[year, method]:
                ax.scatter(year, y, s=70 + 34 * count, color=colour)
                ax.text(year, y, str(count), ha="center", va="center", color=hue.WHITE, fontsize=10, weight="bold")
    ax.set_yticks(range(len(methods)), [WRITTEN.get(method, name_of(method)) for method, _ in methods])
    for tick, (_, colour) in zip(ax.get_yticklabels(), methods, strict=True):
        tick.set_color(colour)
    top = len(methods)
    for family, (colour, names) in FAMILIES.items():
        ax.text(years[-1] + 0.75, top - (len(names) + 1) / 2, family, color=colour, va="center")
        top -= len(names)
        if top:
            ax.axhline(top - 0.5, color=hue.RULE, lw=1, zorder=0)
    ax.set_xticks(list(years))
    ax.set(xlabel="year of release", xlim=(years[0] - 0.6, years[-1] + 0.6), ylim=(-0.7, len(methods) - 0.3))
    ax.tick_params(axis="y", length=0)
    return ax.figure
