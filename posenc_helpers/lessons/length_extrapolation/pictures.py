"""Pictures of notebook 08: where models break, what a window changes, shares, early tokens, tasks, a summary."""

import math
from collections import Counter
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from torch import Tensor

from posenc_helpers.classroom.charts import DASHED, labels_at_right
from posenc_helpers.classroom.figures import LABELS, PALETTE, counted, figure, style
from posenc_helpers.lab.models import Model
from posenc_helpers.lab.results import values_of
from posenc_helpers.lab.shootout import CONTESTANTS, FAR, TRAINED

ORDER = ("learned", "sinusoidal", "rope", "t5", "nope", "alibi", "t5 x8")  # as they break
DARK = "#444444"
SIGHTS = {"all keys": ("o", "#d55e00"), "last 32 keys": ("s", "#0072b2"), "no new distance": ("D", "#009e73"),
          "log-scaled": ("X", "#444444")}  # fmt: skip


def name_of(encoding: str) -> str:
    """Return how an encoding is written in figures."""
    return LABELS.get(encoding, encoding)


def _in_rows(ax: Axes, names: Sequence[str]) -> None:
    ax.set_yticks(range(len(names)), [name_of(name) for name in names])
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)


def breaks(stored: Sequence[dict]) -> Figure:
    """Draw where each model breaks, a dot a seed, from `load_results("shootout")`; at the right those that never do."""
    with style():
        fig = figure(9, 3.7)
        ax = fig.add_subplot()
        never = 800
        for row, name in enumerate(ORDER):
            found = values_of(stored, "at", encoding=name, what="break")
            for seed, at in enumerate(found):
                height = row + 0.5 * (seed / max(1, len(found) - 1) - 0.5)
                ax.plot(
                    never if at is None else at,
                    height,
                    "o",
                    color=PALETTE[name],
                    ms=6,
                    mfc="none" if at is None else None,
                )
        _in_rows(ax, ORDER)
        counted(ax, "x", [32, 64, 128, 256, 512])
        ax.axvline(TRAINED, color="black", lw=1.5, ls=":")
        ax.axvspan(600, 1100, color="#eeeeee", zorder=0)
        ax.text(never, -0.62, "never", ha="center", va="bottom")
        ax.set(xlim=(29, 1100), xlabel="position at which the loss is 0.3 nats above that in training (token)")
    return fig


def rises(theirs: dict[str, list[float]], ours: dict[str, list[float]], titles: Sequence[str]) -> Figure:
    """Draw by how much losses rise beyond the trained length: a panel a title, published bars grey, ours in colour."""
    names = list(theirs)
    with style():
        fig = figure(9.2, 3.4)
        axes = fig.subplots(1, len(titles), sharex=True, sharey=True)
        for place, (ax, title) in enumerate(zip(axes, titles, strict=True)):
            for row, name in enumerate(names):
                for shift, found, colour in ((-0.2, theirs, "#b8b8b8"), (0.2, ours, PALETTE[name])):
                    rise = found[name][place]
                    ax.barh(row + shift, rise, height=0.36, color=colour)
                    ax.text(max(0, rise), row + shift, f" {rise:+.2f}", va="center", fontsize=11)
            ax.axvline(0, color="black", lw=1)
            ax.set(title=title, xlabel="loss added (nats)")
            ax.margins(x=0.14)
        _in_rows(axes[0], names)
        axes[0].text(0.98, 0.3, "grey: published\ncolour: ours", transform=axes[0].transAxes, ha="right", va="center")
    return fig


def sights(stored: Sequence[dict], whats: Sequence[str], names: Sequence[str]) -> Figure:
    """Draw the loss over 512 characters of `load_results("windowed")`: a mark each of `whats`, a line over its seeds."""
    with style():
        fig = figure(9, 1.5 + 0.42 * len(names))
        ax = fig.add_subplot()
        for row, name in enumerate(names):
            for place, what in enumerate(whats):
                if not any((r["encoding"], r["what"]) == (name, what) for r in stored):
                    continue
                found = values_of(stored, "loss", encoding=name, what=what)
                marker, colour = SIGHTS[what]
                height = row + 0.22 * (place - (len(whats) - 1) / 2)
                ax.plot([min(found), max(found)], [height, height], color=colour, lw=2)
                ax.plot(sum(found) / len(found), height, marker, color=colour, ms=9, ls="",
                        label=what if row == names.index("rope") else None)  # fmt: skip
            ax.axhline(row + 0.5, color="#dddddd", lw=1)
        _in_rows(ax, names)
        ax.set(xlabel="loss over 512 characters (nats a character)")
        fig.legend(loc="outside upper center", ncols=len(whats), frameon=False)
    return fig


def shares(score: float = 4.0, trained: int = TRAINED, far: int = FAR) -> Figure:
    """Draw the weight of one key with `score` among others with 0, against their number; as it is and log-scaled."""
    counts = range(trained, far + 1)
    with style():
        fig = figure(8, 3.3)
        ax = fig.add_subplot()
        for times, colour, words in ((lambda n: 1.0, "#d55e00", "score 4"),
                                     (lambda n: math.log(n) / math.log(trained), DARK, "score 4 ln n / ln 32")):  # fmt: skip
            line = [weight_of_one(score * times(n), n) for n in counts]
            ax.plot(counts, line, color=colour)
            ax.text(far * 1.03, line[-1], words, color=colour, va="center")
        counted(ax, "x", [32, 64, 128, 256, 512])
        ax.set(ylim=(0, 1), xlim=(trained, far), xlabel="keys in sight, n", ylabel="weight of the one key")
    return fig


def weight_of_one(score: float, keys: int) -> float:
    """Return the softmax weight of one key with `score` where the other keys - 1 have score 0."""
    return math.exp(score) / (math.exp(score) + keys - 1)


def early_tokens(losses: Tensor, means: Tensor, lengths: Sequence[int]) -> Figure:
    """Draw the loss at each position (L,) and the mean up to it (L,); the means at `lengths` are marked and written."""
    places = range(1, len(losses) + 1)
    with style():
        fig = figure(8, 3.4)
        ax = fig.add_subplot()
        ax.plot(places, losses.tolist(), color=DARK, ls="--")
        ax.plot(places, means.tolist(), color="#0072b2")
        low, high = losses.min().item(), losses.max().item()
        for length in lengths:
            mean = means[length - 1].item()
            ax.plot(length, mean, "o", color="#0072b2", ms=8)
            ax.annotate(f"{mean:.2f}", (length, mean), (0, 9), textcoords="offset points", ha="center", color="#0072b2")
        ax.text(12, low - 0.03, "at the position: flat from here on", color=DARK, va="top")
        ax.text(7, means[6].item() + 0.05, "mean over the text so far: what is reported", color="#0072b2", va="bottom")
        counted(ax, "x", [2**k for k in range(10)])
        ax.set(xlabel="position, or length of the text (token)", ylabel="loss (nats)", xlim=(1, len(losses)))
        ax.set_ylim(low - 0.25, high + 0.1)
    return fig


def tasks(recall: Sequence[dict], lag: Sequence[dict], steps: int = 300) -> Figure:
    """Draw the accuracy on both tasks against the length: means of stored seeds, bands from the lowest to the highest."""
    with style():
        fig = figure(9.6, 4)
        for ax, rows, title in zip(fig.subplots(1, 2), (recall, lag), ("recall: the first token",
                                   "lag: the token 2 back"), strict=True):  # fmt: skip
            lengths = sorted({row["length"] for row in rows})
            ends = {}
            for name in ORDER:
                found = [values_of(rows, "accuracy", encoding=name, length=n, steps=steps) for n in lengths]
                line = [sum(f) / len(f) for f in found]
                ax.fill_between(
                    lengths, [min(f) for f in found], [max(f) for f in found], color=PALETTE[name], alpha=0.15, lw=0
                )
                ax.plot(lengths, line, color=PALETTE[name], ls="--" if name in DASHED else "-", marker="o", ms=4)
                ends[name_of(name)] = (line[-1], PALETTE[name])
            counted(ax, "x", lengths)
            ax.axhline(1 / 8, color="#888888", lw=1, ls=":", zorder=0)
            ax.text(lengths[0], 1 / 8 - 0.02, "chance", color="#666666", va="top", fontsize=11)
            ax.set(title=title, ylim=(0, 1.05), xlim=(lengths[0], lengths[-1]), xlabel="length (token); trained on 16")
            labels_at_right(ax, ends, apart=0.075)
        fig.axes[0].set_ylabel("accuracy")
    return fig


def summary(rows: dict[str, dict[str, tuple[float, float, float]]], left: dict[str, dict[str, float]]) -> Figure:
    """Draw a table: a row each encoding, a column each task and length, (mean, lowest, highest) written in its cell.

    `left` (0 to 1) shades a cell: how much of what can be learned is there. `rows` and `left` have the same keys.
    """
    columns = list(next(iter(rows.values())))
    with style():
        fig = figure(9.8, 1.2 + 0.56 * len(rows))
        ax = fig.add_subplot()
        for y, (name, found) in enumerate(rows.items()):
            for x, column in enumerate(columns):
                mean, low, high = found[column]
                share = min(1.0, max(0.0, left[name][column]))
                shade = tuple(1 - share * (1 - channel) for channel in (0.0, 0.447, 0.698))
                ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, fc=shade, ec="white", lw=2))
                colour = "white" if share > 0.6 else "black"
                ax.text(x, y - 0.1, f"{mean:.2f}", ha="center", va="center", color=colour, fontsize=13)
                if high - low >= 0.05:
                    ax.text(
                        x, y + 0.28, f"{low:.2f} to {high:.2f}", ha="center", va="center", color=colour, fontsize=8.5
                    )
        _in_rows(ax, list(rows))
        ax.set_xticks(range(len(columns)), columns)
        ax.xaxis.tick_top()
        ax.tick_params(axis="x", length=0)
        ax.set_xlim(-0.5, len(columns) - 0.5)
        ax.spines[:].set_visible(False)
    return fig


def declared(models: Sequence[Model], named: Sequence[Model]) -> Figure:
    """Draw by how many times their training length models declare: a dot each, stacked, those of `named` by name."""
    ratio = {model.model: model.declared_context / model.trained_context for model in models}
    by_name = sorted((model.model for model in named), key=lambda name: -ratio[name])
    stacks = Counter(round(times, 2) for name, times in ratio.items() if name not in by_name)
    with style():
        fig = figure(8.6, 1.5 + 0.14 * max(stacks.values()))
        ax = fig.add_subplot()
        for times, height in stacks.items():
            ax.plot([times] * height, range(height), "o", color=DARK, ms=8)
            ax.text(times * 1.09, height - 1, f"{height} models", va="center", color=DARK)
        for row, name in enumerate(by_name):  # each in a row of its own, so that no name covers another
            ax.plot(ratio[name], 2 * row, "o", color=PALETTE["rope"], ms=8)
            ax.text(ratio[name] * 1.09, 2 * row, name, va="center", color=PALETTE["rope"])
        counted(ax, "x", [1, 2, 4, 8, 16, 32])
        ax.set(xlabel="declared length over longest training text", xlim=(0.85, 90), yticks=[])
        ax.set_ylim(-1, max(stacks.values()))
        ax.spines["left"].set_visible(False)
    return fig


def standing(bet: Sequence[str], losses: dict[str, float]) -> int:
    """Return how many of the 21 pairs of a bet (best first) stand in the order of `losses`.

    Raises ValueError for a bet that does not name each of the seven once.
    """
    if sorted(bet) != sorted(CONTESTANTS):
        raise ValueError(f"bet={list(bet)!r} must name each of the seven once: {', '.join(CONTESTANTS)}")
    pairs = [(better, worse) for place, better in enumerate(bet) for worse in bet[place + 1 :]]
    return sum(losses[better] < losses[worse] for better, worse in pairs)
