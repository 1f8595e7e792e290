"""Pictures of notebook 01: the shuffled sentence, sums as walks, what a swap changes, who learns what, who uses which."""

from collections.abc import Sequence

import torch
from matplotlib.figure import Figure
from torch import Tensor

from posenc_helpers.classroom import colours as hue
from posenc_helpers.classroom.colours import MAGNITUDE, PALETTE, SIGNED, name_of
from posenc_helpers.classroom.figures import figure, panels, style
from posenc_helpers.lessons.why_order_matters.own_sentence import LIMIT, WIDTH, measure

WORD_COLOURS = (hue.BLUE, hue.VERMILION, hue.GREEN)  # told apart in colour-vision deficiency


def shuffled_sentence(sentence: str, order: str, own: str, causal_mask: bool, positions: bool) -> Figure:
    """Draw what sentence.js shows: the weights as typed and now, and each word's output, as typed above now."""
    found = measure(sentence, order, own, causal_mask, positions)
    count = len(found.words)
    fig = figure(9, 3.9)
    fig.set_layout_engine("none")  # the constrained layout cuts off the titles of square axes
    left, middle, right = (
        fig.add_axes((x, 0.345, w / 9, 2.2 / 3.9)) for x, w in ((0.08, 2.2), (0.41, 2.2), (0.68, 2.0))
    )
    for ax, title, words, (weights, _) in (
        (left, "as typed", found.words, found.typed),
        (middle, "now", found.moved, found.now),
    ):
        image = ax.imshow(weights.numpy(), cmap=MAGNITUDE, vmin=0, vmax=1)
        ax.set(title=f"{title}: query by key", xticks=range(count), yticks=range(count))
        ax.set_xticklabels(words, rotation=90)
        ax.set_yticklabels(words)
    fig.colorbar(image, cax=fig.add_axes((0.2, 0.13, 0.33, 0.03)), location="bottom", label="attention weight")
    pairs = torch.stack([found.typed[1][found.places], found.now[1]], dim=1)  # (L, 2, d)
    for place in range(count):
        halves, edges = pairs[place].numpy(), [place - 0.42, place, place + 0.42]
        strips = right.pcolormesh(range(WIDTH + 1), edges, halves, cmap=SIGNED, vmin=-LIMIT, vmax=LIMIT)
        by = found.apart[place].item()
        weight = "bold" if by >= 0.005 else "normal"
        right.text(WIDTH + 0.6, place, f"{by:.2f}", va="center", weight=weight)
    right.set(title="output: typed above now", xlim=(0, WIDTH), ylim=(count - 0.5, -0.5), xticks=[], yticks=[])
    right.text(WIDTH + 0.6, count - 0.3, "differs\nby", va="top")
    right.spines[:].set_visible(False)
    fig.colorbar(strips, cax=fig.add_axes((0.68, 0.13, 2.0 / 9, 0.03)), location="bottom", label="output, 16 columns")
    return fig


@style()
def walks(steps: dict[str, Tensor], orders: Sequence[str]) -> Figure:
    """Draw the sum of steps (2,) along column 0 ("a"), column 1 ("b") and both ("c") as a walk, a panel for each order."""
    axes = panels(8.4, 3.4, len(orders), sharey=True)
    beside = {"a": ((0, -16), "center"), "b": ((-8, 0), "right"), "c": ((12, -4), "left")}
    for ax, order in zip(axes, orders, strict=True):
        here = torch.zeros(2)
        for name in order:
            there, colour, (offset, side) = here + steps[name], WORD_COLOURS["abc".index(name)], beside[name]
            ax.annotate("", there.tolist(), here.tolist(), arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 3})
            middle = ((here + there) / 2).tolist()
            ax.annotate(f"weight x {name}", middle, offset, textcoords="offset points", ha=side, color=colour)
            here = there
        ax.plot(*here.tolist(), "o", color=hue.BLACK, ms=9)
        words = f"[{here[0]:.3f}, {here[1]:.3f}]"
        ax.annotate(words, here.tolist(), (-8, 8), textcoords="offset points", ha="right", weight="bold")
        ax.set(title=" ".join(order), xlabel="column 0", xlim=(-0.05, 1.1), ylim=(-0.12, 0.75))
    axes[0].set_ylabel("column 1")
    return axes[0].figure


@style()
def changed_words(changes: dict[str, Tensor], words: Sequence[str]) -> Figure:
    """Draw how much the output of each word changed, changes[title] (L,) in standard deviations, a panel per title.

    The first two words are those that swap: their bars have a colour of their own.
    """
    axes = panels(8.4, 3.0, len(changes), sharey=True)
    for ax, (title, values) in zip(axes, changes.items(), strict=True):
        colours = [hue.VERMILION] * 2 + [hue.BLUE] * (len(words) - 2)
        ax.bar(range(len(words)), values.tolist(), color=colours, width=0.6)
        for place, value in enumerate(values.tolist()):
            ax.text(place, value, f"{value:.2f}", ha="center", va="bottom")
        ax.set(title=title, xlabel=f"word ({words[0]} and {words[1]} swap)")
        ax.set(xticks=range(len(words)), xticklabels=list(words))
        ax.margins(y=0.15)
    axes[0].set_ylabel("change of its output\n(standard deviations)")
    return axes[0].figure


@style()
def who_solves_what(results: dict[str, dict[str, float]], chance: dict[str, float]) -> Figure:
    """Draw accuracies: results[task][model] from 0 to 1, one group of bars per task, with its chance level."""
    (ax,) = panels(9, 3.8)
    looks = ((-0.18, PALETTE["nope"], "//"), (0.18, PALETTE["sinusoidal"], ""))
    for group, (task, row) in enumerate(results.items()):
        for (shift, colour, hatch), (name, right) in zip(looks, row.items(), strict=True):
            x = group + shift
            ax.bar(x, right, width=0.32, color=colour, hatch=hatch, edgecolor=hue.WHITE)
            ax.text(x, right + 0.02, f"{name}\n{right:.2f}", ha="center", va="bottom", color=colour)
        ax.plot([group - 0.4, group + 0.4], [chance[task]] * 2, color=hue.BLACK, ls="--", lw=1.5)
        ax.text(group + 0.42, chance[task], "chance", va="center")
    ax.set(ylabel="accuracy on fresh examples", ylim=(0, 1.3), yticks=[0, 0.5, 1], xlim=(-0.6, len(results) - 0.3))
    ax.set_xticks(range(len(results)), list(results))
    return ax.figure


@style()
def learned_columns(rows: dict[str, dict[str, float]], columns: dict[str, str], rule: float) -> Figure:
    """Draw rows[encoding][column] of a scorecard, the mean and how far the seeds lie apart: columns[name] = label.

    `rule` is what "the nearer, the likelier" gets in the last column.
    """
    (ax,) = panels(8.4, 3.2)
    looks = (  # one at chance on the left, its numbers below it; one above on the right
        (-0.12, "o", {"xytext": (0, -32), "ha": "center"}),
        (0.12, "s", {"xytext": (12, 0), "ha": "left"}),
    )
    for (shift, mark, beside), (name, row) in zip(looks, rows.items(), strict=True):
        colour = PALETTE[name]
        for place, column in enumerate(columns):
            x, mean = place + shift, row[column]
            ax.plot(
                [x, x],
                [row[f"{column} lowest"], row[f"{column} highest"]],
                color=colour,
                lw=6,
                alpha=0.5,
                solid_capstyle="butt",
            )
            ax.plot(x, mean, mark, color=colour, ms=9)
            words = f"{mean:.2f}" if place else f"{name_of(name)} {mean:.2f}"
            ax.annotate(words, (x, mean), textcoords="offset points", va="center", color=colour, **beside)
    ax.axhline(0.5, color=hue.BLACK, ls="--", lw=1.5, zorder=0)
    ax.text(3.05, 0.515, "chance", va="bottom", ha="right")
    last = len(columns) - 1
    ax.plot([last - 0.3, last + 0.3], [rule, rule], color=hue.INK, lw=2.5)
    words = f"“the nearer,\nthe likelier” {rule:.2f}"
    ax.text(last + 0.35, rule, words, color=hue.INK, va="center")
    ax.set(ylim=(0.35, 1.07), xlim=(-0.6, 3.1), yticks=[0.5, 0.75, 1], ylabel="share that is right")
    ax.set_xticks(range(len(columns)), list(columns.values()))
    return ax.figure


@style()
def models_by_door(models: Sequence[tuple[str, int, int]]) -> Figure:
    """Draw (model, year, door) as dots, a row for each door; door 0 stands for none."""
    rows = {1: "door 1: embed", 2: "door 2: rotate", 3: "door 3: bias", 0: "no door"}
    heights = {door: -row for row, door in enumerate(rows)}
    (ax,) = panels(9, 3.4)
    for name, year, door in models:
        offset, side = (
            (8, "bottom") if year % 2 else (-8, "top")
        )  # neighbours in a row are a year apart: they take turns
        ax.plot(year, heights[door], "o", color=hue.BLUE if door else PALETTE["nope"], ms=10)
        ax.annotate(name, (year, heights[door]), (0, offset), textcoords="offset points", ha="center", va=side)
    ax.set(xlabel="year", xlim=(2015.9, 2025.9), ylim=(-3.6, 0.6), xticks=range(2017, 2026, 2))
    ax.set_yticks(list(heights.values()), list(rows.values()))
    ax.grid(axis="y", alpha=0.4)
    return ax.figure
