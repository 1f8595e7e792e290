"""Pictures of notebook 11: encodings near and far, pairs of seeds, one curve beside all others, models by year."""

import math
from collections import Counter
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from posenc_helpers.classroom.charts import labels_at_right
from posenc_helpers.classroom.figures import LABELS, PALETTE, figure, style
from posenc_helpers.lab.models import Model
from posenc_helpers.lab.shootout import TRAINED, Row

NEAR, FAR = "#999999", "#0072b2"
FAMILIES = {  # family -> (colour, methods of data/models.csv)
    "a vector a position": ("#cc79a7", ("sinusoidal", "learned")),
    "a bias a distance": ("#009e73", ("shaw", "transformer-xl", "t5", "deberta", "swin", "swin-v2", "alibi")),
    "rotated pairs": ("#d55e00", ("rope", "axial-rope", "m-rope")),
    "none": ("#666666", ("none",)),
}
WRITTEN = LABELS | {"swin": "Swin", "swin-v2": "Swin v2", "axial-rope": "RoPE on a grid", "m-rope": "M-RoPE",
                    "none": "no positions"}  # fmt: skip


def near_and_far(
    rows: dict[str, dict[str, Sequence[float]]], far: str, recall: str, marked: Sequence[str] = ()
) -> Figure:
    """Draw loss near and far, and recall, of each encoding: a row each, a dot each seed, best far loss on top.

    `rows`: {name: {"near": losses, "far": losses, "recall": accuracies}}, one number a seed, empty where it ends. `far`
    and `recall` name the two axes; names in `marked` are written bold.
    """
    worst = float("inf")
    order = sorted(rows, key=lambda name: -_mean(rows[name]["far"]) if rows[name]["far"] else -worst)
    with style():
        fig = figure(9, 1.6 + 0.25 * len(rows))
        left, right = fig.subplots(1, 2, width_ratios=[1.5, 1], sharey=True)
        for y, name in enumerate(order):
            near, loss = rows[name]["near"], rows[name]["far"]
            if loss:
                left.plot([_mean(near), _mean(loss)], [y, y], color="#dddddd", lw=5, zorder=0, solid_capstyle="round")
            _dots(left, near, y, NEAR, "|", 60)
            _dots(left, loss, y, FAR, "o", 22)
            _dots(right, rows[name]["recall"], y, FAR, "o", 22)
            if not loss:
                left.text(_mean(near) + 0.08, y, "its table ends", va="center", fontsize=10, color="#666666")
        left.set_ylim(-0.7, len(order) - 0.3)
        left.set_yticks(range(len(order)), [LABELS.get(name, name) for name in order])
        for tick, name in zip(left.get_yticklabels(), order, strict=True):
            tick.set_fontweight("bold" if name in marked else "normal")
        left.set(xlabel=far)
        right.set(xlabel=recall, xlim=(-0.04, 1.04))
        right.axvline(1 / 8, color="black", ls=":", lw=1)
        right.text(1 / 8, 1.0, "chance", fontsize=10, va="bottom", ha="center", transform=right.get_xaxis_transform())
        for ax in (left, right):
            ax.grid(axis="x", color="#eeeeee")
            ax.tick_params(axis="y", length=0)
    return fig


def _dots(ax: Axes, values: Sequence[float], y: float, colour: str, mark: str, size: float) -> None:
    ax.scatter(values, [y] * len(values), color=colour, marker=mark, s=size, alpha=0.75, zorder=3)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def pairs_of_seeds(pairs: dict[str, tuple[Sequence[float], Sequence[float]]]) -> Figure:
    """Draw, for each comparison "A against B", a line a seed from A's loss to B's: {title: (A, B)}."""
    with style():
        fig = figure(9, 3.4)
        for ax, (title, (first, second)) in zip(
            fig.subplots(1, len(pairs), squeeze=False)[0], pairs.items(), strict=True
        ):
            for a, b in zip(first, second, strict=True):
                ax.plot([0, 1], [a, b], color="#0072b2" if a < b else "#d55e00", marker="o", lw=1.5)
            wins = sum(a < b for a, b in zip(first, second, strict=True))
            ax.set_xticks([0, 1], [LABELS.get(name, name) for name in title.split(" against ")])
            ax.set(title=f"first is lower in {wins} of {len(first)} seeds", xlim=(-0.3, 1.3), ylabel="loss (nats)")
    return fig


def prices(biases: dict[str, Tensor]) -> Figure:
    """Draw what each head adds to a score by distance: {name: bias of the last query (H, L)}, a panel each."""
    with style():
        fig = figure(9, 3.4)
        axes = fig.subplots(1, len(biases), sharey=True, squeeze=False)[0]
        for ax, (name, bias) in zip(axes, biases.items(), strict=True):
            for head, taken in enumerate(bias.flip(-1)):  # (L,)  from the query back
                ax.plot(taken, color=f"C{head}", ls=("-", "--", "-.", ":")[head % 4])
                place = int((0.45 + 0.14 * head) * (taken > -20).sum())  # beside one another, not one above another
                ax.text(place, taken[place] + 0.3, f"head {head}", color=f"C{head}", va="bottom", fontsize=11)
            ax.set(title=name, xlabel="distance m - n (tokens)", xlim=(0, bias.shape[-1]), ylim=(-20, 1.5))
        axes[0].set_ylabel("added to the score")
    return fig


def beside_all(rows: Sequence[Row], stored: Sequence[dict], trained: int = TRAINED) -> Figure:
    """Draw the curve of one's own encodings (`rows` of `shootout`, or of one's own making) in front of the stored ones.

    `stored` as `load_results("shootout")`: lines of the means over its seeds, in grey or in the colour of the method. Each
    point is the mean of an octave of positions: 9 to 16, 17 to 32, 33 to 64, ...
    """
    own = list(dict.fromkeys(row.encoding for row in rows))
    with style():
        fig = figure(9, 4.6)
        ax, ends = fig.add_subplot(), {}
        for name in dict.fromkeys(row["encoding"] for row in stored):
            points = _stored_curve(stored, name)
            ax.plot(*zip(*points, strict=True), color=PALETTE.get(name, "#999999"), lw=2, alpha=0.45)
            ends[LABELS.get(name, name)] = (points[-1][1], PALETTE.get(name, "#999999"))
        marks = {"-": ("o", ""), "--": ("s", " (dashed)"), "-.": ("D", " (dash-dot)"), ":": ("^", " (dotted)")}
        for name, line in zip(own, marks, strict=False):
            points = _own_curve(rows, name)
            ax.plot(*zip(*points, strict=True), color="black", lw=2.5, ls=line, marker=marks[line][0], ms=6)
            ends[name + marks[line][1]] = (points[-1][1], "black")
        ax.axvspan(trained, 512, color="#eeeeee", zorder=-1, lw=0)
        ax.set(xscale="log", xlabel="position p (token), an octave a point", ylabel="loss (nats a character)",
               xlim=(8, 512), ylim=(1.2, 3.4))  # fmt: skip
        ticks = [2**k for k in range(3, 10)]
        ax.set_xticks(ticks, [str(tick) for tick in ticks])
        ax.minorticks_off()
        ax.text(trained * 0.96, 3.35, f"trained on {trained}", va="top", ha="right")
        ax.text(trained * 1.04, 3.35, "never seen", va="top")
        labels_at_right(ax, ends)
    return fig


def octaves(losses: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return (middle, mean loss) of each octave of positions from 8 on, from (index from 0 on, loss) in rising order.

    The loss at index p was read after p + 1 characters, at position p + 1; octave k holds indices 2^k to 2^(k + 1) - 1.
    """
    found: dict[int, list[float]] = {}
    for index, loss in losses:
        if index >= 8:
            found.setdefault(int(math.log2(index)), []).append(loss)
    return [(2 ** (octave + 0.5), _mean(of)) for octave, of in sorted(found.items())]


def _stored_curve(stored: Sequence[dict], name: str) -> list[tuple[float, float]]:
    """Return the octaves of the mean over seeds. The blocks that are stored are of one size within an octave."""
    found: dict[float, list[float]] = {}
    for row in stored:
        if row["encoding"] == name and row["what"] == "position":
            found.setdefault(row["at"], []).append(row["loss"])
    return octaves([(at, _mean(losses)) for at, losses in sorted(found.items())])


def _own_curve(rows: Sequence[Row], name: str) -> list[tuple[float, float]]:
    return octaves(sorted((row.position, row.loss) for row in rows if row.encoding == name))


def by_year(models: Sequence[Model]) -> Figure:
    """Draw how many models of data/models.csv use each method, by the year of their release: a disc each."""
    methods = [(method, colour) for colour, names in FAMILIES.values() for method in names][::-1]
    counts = Counter((model.year, model.method) for model in models if model.year)
    years = range(min(year for year, _ in counts), max(year for year, _ in counts) + 1)
    with style():
        fig = figure(9, 4.6)
        ax = fig.add_subplot()
        for y, (method, colour) in enumerate(methods):
            for year in years:
                if count := counts[year, method]:
                    ax.scatter(year, y, s=70 + 34 * count, color=colour)
                    ax.text(year, y, str(count), ha="center", va="center", color="white", fontsize=10, weight="bold")
        ax.set_yticks(range(len(methods)), [WRITTEN.get(method, method) for method, _ in methods])
        for tick, (_, colour) in zip(ax.get_yticklabels(), methods, strict=True):
            tick.set_color(colour)
        top = len(methods)
        for family, (colour, names) in FAMILIES.items():
            ax.text(years[-1] + 0.75, top - (len(names) + 1) / 2, family, color=colour, va="center")
            top -= len(names)
            if top:
                ax.axhline(top - 0.5, color="#dddddd", lw=1, zorder=0)
        ax.set_xticks(list(years))
        ax.set(xlabel="year of release", xlim=(years[0] - 0.6, years[-1] + 0.6), ylim=(-0.7, len(methods) - 0.3))
        ax.tick_params(axis="y", length=0)
    return fig
