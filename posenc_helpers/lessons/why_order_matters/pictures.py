"""Pictures of notebook 01: the shuffled sentence, sums as walks, what a swap changes, who learns what, who uses which."""

from collections.abc import Iterator, Sequence

import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from torch import Generator, Tensor

from posenc_helpers.classroom import colours as hue
from posenc_helpers.classroom.colours import MAGNITUDE, PALETTE, name_of
from posenc_helpers.classroom.figures import figure, panels, style
from posenc_helpers.encodings import sinusoidal

SENTENCE = ("one", "dog", "bites", "two", "men")
WORD_COLOURS = (hue.BLUE, hue.VERMILION, hue.GREEN, hue.PINK, hue.INK)  # told apart in colour-vision deficiency
WIDTH = 16


def shuffled(order: tuple[int, ...], causal_mask: bool, positions: bool) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Attend to five words as written, and in `order`: weights (5, 5) of both; outputs (5, d) of both, word by word."""
    generator = Generator().manual_seed(3)  # chosen so that the five outputs stand well apart
    words = torch.randn(len(SENTENCE), WIDTH, generator=generator)  # (5, d)
    w_q, w_k, w_v = (torch.randn(WIDTH, WIDTH, generator=generator) / WIDTH**0.5 for _ in range(3))

    def attention(x):
        if positions:
            x = x + sinusoidal(torch.arange(len(x)), WIDTH)
        scores = 2 * (x @ w_q) @ (x @ w_k).T / WIDTH**0.5  # (5, 5)
        if causal_mask:
            scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf)
        weights = scores.softmax(dim=-1)
        return weights, weights @ x @ w_v

    order = list(order)
    (weights, outputs), (new_weights, new_outputs) = attention(words), attention(words[order])
    return weights, new_weights, outputs, new_outputs[torch.tensor(order).argsort()]  # where each word went


def shuffled_sentence(order: tuple[int, ...], causal_mask: bool, positions: bool):
    """Build the shuffle explorer: attention before and after a shuffle, and the outputs matched word by word.

    `order` says which word stands where after the shuffle. Returns (figure, update) for `explore`.
    """
    fig = figure(9, 3.9)
    fig.set_layout_engine("none")  # the constrained layout cuts off the titles of square axes
    left, middle, right = (fig.add_axes((x, 0.345, 2.2 / 9, 2.2 / 3.9)) for x in (0.08, 0.405, 0.74))  # 2.2 inches each
    images = [ax.imshow([[0.0] * 5] * 5, cmap=MAGNITUDE, vmin=0, vmax=1, aspect="equal") for ax in (left, middle)]
    fig.colorbar(images[1], cax=fig.add_axes((0.2, 0.13, 0.33, 0.03)), location="bottom", label="attention weight")
    for ax, title in ((left, "as written"), (middle, "shuffled")):
        ax.set(title=f"{title}: query by key", xticks=range(5), yticks=range(5), xticklabels=[], yticklabels=[])
        ax.spines[:].set_visible(False)
    # words are texts of their own, not tick labels, so that a step redraws them alone
    _, moved = ([*_words_beside(ax)] for ax in (left, middle))
    before = right.scatter([0] * 5, [0] * 5, s=150, facecolors="none", edgecolors=WORD_COLOURS, linewidths=2)
    after = right.scatter([0] * 5, [0] * 5, s=70, marker="x", c=WORD_COLOURS, linewidths=2)
    right.set(xlabel="output, column 0\n(o as written, x shuffled)", ylabel="output, column 1")
    right.set(xlim=(-2.9, 2.9), ylim=(-2.9, 2.9), xticks=[-2, 0, 2], yticks=[-2, 0, 2])
    number = right.text(0.5, 1.03, "", transform=right.transAxes, ha="center", va="bottom", weight="bold")

    def update(order, causal_mask, positions):
        weights, new_weights, outputs, matched = shuffled(order, causal_mask, positions)
        for image, data in zip(images, (weights, new_weights), strict=True):
            image.set_data(data.numpy())
        for text, word in zip(moved, [*order, *order], strict=True):
            text.set(text=SENTENCE[word], color=WORD_COLOURS[word])
        before.set_offsets(outputs[:, :2].numpy())
        after.set_offsets(matched[:, :2].numpy())
        number.set_text(f"largest difference {(outputs - matched).abs().max():.2f}")
        return [*images, *moved, before, after, number]

    update(order, causal_mask, positions)
    return fig, update


def _words_beside(ax: Axes) -> Iterator[Text]:
    """Write the sentence under the columns of `ax`, then beside its rows, each word in the colour of its output."""
    below = {"transform": ax.get_xaxis_transform(), "rotation": 90, "ha": "center", "va": "top"}
    beside = {"transform": ax.get_yaxis_transform(), "ha": "right", "va": "center"}
    for k, (word, colour) in enumerate(zip(SENTENCE, WORD_COLOURS, strict=True)):
        yield ax.text(k, -0.05, word, color=colour, weight="bold", **below)
    for k, (word, colour) in enumerate(zip(SENTENCE, WORD_COLOURS, strict=True)):
        yield ax.text(-0.05, k, word, color=colour, weight="bold", **beside)


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
