"""Pictures of notebook 08: where models break, what a window changes, shares, early tokens, tasks, a summary."""

import math
from collections import Counter
from collections.abc import Sequence

from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from torch import Tensor

from posenc_helpers.classroom import colours as hue
from posenc_helpers.classroom.charts import Look, accuracy_against_length, in_rows, lines, mean
from posenc_helpers.classroom.colours import PALETTE, line_of, name_of
from posenc_helpers.classroom.figures import counted, panels, style
from posenc_helpers.lab.models import Model
from posenc_helpers.lab.results import values_of
from posenc_helpers.lab.shootout import CONTESTANTS, FAR, STEPS, TRAINED

ORDER = ("learned", "sinusoidal", "rope", "t5", "nope", "alibi", "t5 x8")  # as they break
SIGHTS = {
    "all keys": Look(hue.VERMILION, mark="o"),
    "last 32 keys": Look(hue.BLUE, mark="s"),
    "no new distance": Look(hue.GREEN, mark="D"),
    "log-scaled": Look(hue.INK, mark="X"),
}


@style()
def breaks(stored: Sequence[dict]) -> Figure:
    """Draw where each model breaks, a dot a seed, from `load_results("shootout")`; at the right those that never do."""
    (ax,) = panels(9, 3.7)
    never = 800
    for row, name in enumerate(ORDER):
        found = values_of(stored, "at", encoding=name, what="break")
        for seed, at in enumerate(found):
            height = row + 0.5 * (seed / max(1, len(found) - 1) - 0.5)
            place, inside = (never, "none") if at is None else (at, None)
            ax.plot(place, height, "o", color=PALETTE[name], ms=6, mfc=inside)
    in_rows(ax, [name_of(name) for name in ORDER])
    counted(ax, "x", [32, 64, 128, 256, 512])
    ax.axvline(TRAINED, color=hue.BLACK, lw=1.5, ls=":")
    ax.axvspan(600, 1100, color=hue.SPAN, zorder=0)
    ax.text(never, -0.62, "never", ha="center", va="bottom")
    ax.set(xlim=(29, 1100), xlabel="position at which the loss is 0.3 nats above that in training (character)")
    return ax.figure


@style()
def rises(theirs: dict[str, list[float]], ours: dict[str, list[float]], titles: Sequence[str]) -> Figure:
    """Draw by how much losses rise beyond the trained length: a panel a title, published bars grey, ours in colour."""
    axes = panels(9.2, 3.4, len(titles), sharex=True, sharey=True)
    for place, (ax, title) in enumerate(zip(axes, titles, strict=True)):
        for row, name in enumerate(theirs):
            for shift, found, colour in ((-0.2, theirs, hue.PUBLISHED), (0.2, ours, PALETTE[name])):
                rise = found[name][place]
                ax.barh(row + shift, rise, height=0.36, color=colour)
                ax.text(max(0, rise), row + shift, f" {rise:+.2f}", va="center", fontsize=11)
        ax.axvline(0, color=hue.BLACK, lw=1)
        ax.set(title=title, xlabel="loss added (nats)")
        ax.margins(x=0.14)
    in_rows(axes[0], [name_of(name) for name in theirs])
    axes[0].text(0.98, 0.3, "grey: published\ncolour: ours", transform=axes[0].transAxes, ha="right", va="center")
    return axes[0].figure


@style()
def sights(stored: Sequence[dict], whats: Sequence[str], names: Sequence[str]) -> Figure:
    """Draw the loss over 512 characters of `load_results("windowed")`: a mark each of `whats`, a line over its seeds."""
    (ax,) = panels(9, 1.5 + 0.42 * len(names))
    for row, name in enumerate(names):
        for place, what in enumerate(whats):
            if found := [r["loss"] for r in stored if (r["encoding"], r["what"]) == (name, what)]:
                colour, _, mark, *_ = SIGHTS[what]
                height = row + 0.22 * (place - (len(whats) - 1) / 2)
                ax.plot([min(found), max(found)], [height, height], color=colour, lw=2)
                words = what if name == "rope" else None
                ax.plot(mean(found), height, mark, color=colour, ms=9, ls="", label=words)
        ax.axhline(row + 0.5, color=hue.RULE, lw=1)
    in_rows(ax, [name_of(name) for name in names])
    ax.set(xlabel="loss over 512 characters (nats a character)")
    ax.figure.legend(loc="outside upper center", ncols=len(whats), frameon=False)
    return ax.figure


@style()
def shares() -> Figure:
    """Draw the weight of one key with score 4 among others with 0, against their number; as it is and log-scaled."""
    counts = range(TRAINED, FAR + 1)
    curves = {
        "score 4": [weight_of_one(4.0, n) for n in counts],
        "score 4 ln n / ln 32": [weight_of_one(4.0 * math.log(n) / math.log(TRAINED), n) for n in counts],
    }
    looks = dict(zip(curves, (Look(hue.VERMILION), Look(hue.INK)), strict=True))
    axes, limits = ("keys in sight, n", "weight of the one key"), {"ylim": (0, 1), "xlim": (TRAINED, FAR)}
    fig = lines({name: (counts, line) for name, line in curves.items()}, axes, looks, size=(8, 3.3), **limits)
    counted(fig.axes[0], "x", [32, 64, 128, 256, 512])
    return fig


def weight_of_one(score: float, keys: int) -> float:
    """Return the softmax weight of one key with `score` where the other keys - 1 have score 0."""
    return math.exp(score) / (math.exp(score) + keys - 1)


@style()
def early_tokens(losses: Tensor, means: Tensor, lengths: Sequence[int]) -> Figure:
    """Draw the loss at each position (L,) and the mean up to it (L,); the means at `lengths` are marked and written."""
    places = range(1, len(losses) + 1)
    (ax,) = panels(8, 3.4)
    ax.plot(places, losses.tolist(), color=hue.INK, ls="--")
    ax.plot(places, means.tolist(), color=hue.BLUE)
    low, high = losses.min().item(), losses.max().item()
    for length in lengths:
        at = length, means[length - 1].item()
        ax.plot(*at, "o", color=hue.BLUE, ms=8)
        ax.annotate(f"{at[1]:.2f}", at, (0, 9), textcoords="offset points", ha="center", color=hue.BLUE)
    ax.text(12, low - 0.03, "at the position: flat from here on", color=hue.INK, va="top")
    ax.text(7, means[6].item() + 0.05, "mean over the text so far: what is reported", color=hue.BLUE, va="bottom")
    counted(ax, "x", [2**k for k in range(10)])
    ax.set(xlabel="position, or length of the text (character)", ylabel="loss (nats)", xlim=(1, len(losses)))
    ax.set_ylim(low - 0.25, high + 0.1)
    return ax.figure


def tasks(recall: Sequence[dict], lag: Sequence[dict]) -> Figure:
    """Draw the accuracy on both tasks against the length: means of stored seeds, bands from the lowest to the highest."""
    found = {
        title: {
            name_of(name): {
                n: values_of(rows, "accuracy", encoding=name, length=n, steps=STEPS)
                for n in sorted({row["length"] for row in rows})
            }
            for name in ORDER
        }
        for title, rows in (("recall: the first token", recall), ("lag: the token 2 back", lag))
    }
    looks = {name_of(name): Look(PALETTE[name], line_of(name)) for name in ORDER}
    return accuracy_against_length(found, 16, 1 / 8, looks, size=(9.6, 4), bands=True, apart=0.075)


@style()
def summary(rows: dict[str, dict[str, tuple[float, float, float]]], left: dict[str, dict[str, float]]) -> Figure:
    """Draw a table: a row each encoding, a column each task and length, (mean, lowest, highest) written in its cell.

    `left` (0 to 1) shades a cell: how much of what can be learned is there. `rows` and `left` have the same keys.
    """
    columns = list(next(iter(rows.values())))
    (ax,) = panels(9.8, 1.2 + 0.56 * len(rows))
    for y, (name, found) in enumerate(rows.items()):
        for x, column in enumerate(columns):
            average, low, high = found[column]
            share = min(1.0, max(0.0, left[name][column]))
            shade = tuple(1 - share * (1 - channel) for channel in to_rgb(hue.BLUE))
            ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, fc=shade, ec=hue.WHITE, lw=2))
            look = {"ha": "center", "va": "center", "color": hue.WHITE if share > 0.6 else hue.BLACK}
            ax.text(x, y - 0.1, f"{average:.2f}", fontsize=13, **look)
            if high - low >= 0.05:
                ax.text(x, y + 0.28, f"{low:.2f} to {high:.2f}", fontsize=8.5, **look)
    in_rows(ax, [name_of(name) for name in rows])
    ax.set_xticks(range(len(columns)), columns)
    ax.xaxis.tick_top()
    ax.tick_params(axis="x", length=0)
    ax.set_xlim(-0.5, len(columns) - 0.5)
    ax.spines[:].set_visible(False)
    return ax.figure


@style()
def declared(models: Sequence[Model], named: Sequence[Model]) -> Figure:
    """Draw by how many times their training length models declare: a dot each, stacked, those of `named` by name."""
    ratio = {model.model: model.declared_context / model.trained_context for model in models}
    by_name = sorted((model.model for model in named), key=lambda name: -ratio[name])
    stacks = Counter(round(times, 2) for name, times in ratio.items() if name not in by_name)
    (ax,) = panels(8.6, 1.5 + 0.14 * max(stacks.values()))
    for times, height in stacks.items():
        ax.plot([times] * height, range(height), "o", color=hue.INK, ms=8)
        ax.text(times * 1.09, height - 1, f"{height} models", va="center", color=hue.INK)
    for row, name in enumerate(by_name):  # each in a row of its own, so that no name covers another
        ax.plot(ratio[name], 2 * row, "o", color=PALETTE["rope"], ms=8)
        ax.text(ratio[name] * 1.09, 2 * row, name, va="center", color=PALETTE["rope"])
    counted(ax, "x", [1, 2, 4, 8, 16, 32])
    ax.set(xlabel="declared length over longest training text", xlim=(0.85, 90), yticks=[])
    ax.set_ylim(-1, max(stacks.values()))
    ax.spines["left"].set_visible(False)
    return ax.figure


def standing(bet: Sequence[str], losses: dict[str, float]) -> int:
    """Return how many of the 21 pairs of a bet (best first) stand in the order of `losses`.

    Raises ValueError for a bet that does not name each of the seven once.
    """
    if sorted(bet) != sorted(CONTESTANTS):
        raise ValueError(f"bet={list(bet)!r} must name each of the seven once: {', '.join(CONTESTANTS)}")
    pairs = [(better, worse) for place, better in enumerate(bet) for worse in bet[place + 1 :]]
    return sum(losses[better] < losses[worse] for better, worse in pairs)
