"""Pictures of notebook 01: the shuffled sentence, and who solves which task."""

import torch
from matplotlib.figure import Figure
from torch import Generator, Tensor

from posenc_helpers.classroom.figures import MAGNITUDE, PALETTE, figure, style
from posenc_helpers.encodings import sinusoidal

SENTENCE = ("one", "dog", "bites", "two", "men")
WORD_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#444444")  # told apart in colour-vision deficiency
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
    left, middle, right = fig.subplots(1, 3)
    images = [ax.imshow(torch.zeros(5, 5), cmap=MAGNITUDE, vmin=0, vmax=1, aspect="equal") for ax in (left, middle)]
    fig.colorbar(images[1], ax=[left, middle], location="bottom", label="attention weight", shrink=0.6, aspect=30)
    for ax, title in ((left, "as written"), (middle, "shuffled")):
        ax.set(title=f"{title}: query by key", xticks=range(5), yticks=range(5))
        ax.spines[:].set_visible(False)
    before = right.scatter([0] * 5, [0] * 5, s=150, facecolors="none", edgecolors=WORD_COLOURS, linewidths=2)
    after = right.scatter([0] * 5, [0] * 5, s=70, marker="x", c=WORD_COLOURS, linewidths=2)
    right.set(xlabel="output, column 0\n(o as written, x shuffled)", ylabel="output, column 1", box_aspect=1)
    right.set(xlim=(-2.9, 2.9), ylim=(-2.9, 3.4))
    number = right.text(0.5, 0.98, "", transform=right.transAxes, ha="center", va="top", weight="bold")

    def update(order, causal_mask, positions):
        weights, new_weights, outputs, matched = shuffled(order, causal_mask, positions)
        for ax, image, data, standing in (
            (left, images[0], weights, range(5)),
            (middle, images[1], new_weights, order),
        ):
            image.set_data(data)
            names = [SENTENCE[word] for word in standing]
            ax.set_xticks(range(5), names, rotation=90)
            ax.set_yticks(range(5), names)
            for ticks in (ax.get_xticklabels(), ax.get_yticklabels()):
                for tick, word in zip(ticks, standing, strict=True):
                    tick.set(color=WORD_COLOURS[word], weight="bold")  # the colour of the word's circle and cross
        before.set_offsets(outputs[:, :2])
        after.set_offsets(matched[:, :2])
        number.set_text(f"largest difference {(outputs - matched).abs().max():.2f}")

    update(order, causal_mask, positions)
    return fig, update


def who_solves_what(results: dict[str, dict[str, float]], chance: dict[str, float]) -> Figure:
    """Draw accuracies: results[task][model] from 0 to 1, one group of bars per task, with its chance level."""
    with style():
        fig = figure(9, 3.8)
        ax = fig.add_subplot()
        names = list(next(iter(results.values())))
        colours = [PALETTE["nope"], PALETTE["sinusoidal"]]
        for group, (task, row) in enumerate(results.items()):
            for k, name in enumerate(names):
                x = group + 0.36 * (k - 0.5)
                ax.bar(x, row[name], width=0.32, color=colours[k], hatch=("//" if k == 0 else ""), edgecolor="white")
                ax.text(x, row[name] + 0.02, f"{name}\n{row[name]:.2f}", ha="center", va="bottom", color=colours[k])
            ax.plot([group - 0.4, group + 0.4], [chance[task]] * 2, color="black", ls="--", lw=1.5)
            ax.text(group + 0.42, chance[task], "chance", va="center")
        ax.set(ylabel="accuracy on fresh examples", ylim=(0, 1.3), yticks=[0, 0.5, 1], xlim=(-0.6, len(results) - 0.3))
        ax.set_xticks(range(len(results)), list(results))
    return fig
