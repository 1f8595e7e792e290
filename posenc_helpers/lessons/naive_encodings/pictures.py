"""Pictures of notebook 02: five codes, their norms and distances, drowned words, and what models learn from them."""

from functools import lru_cache

import torch
from matplotlib.figure import Figure
from torch import Tensor

from posenc_helpers.classroom.figures import MAGNITUDE, PALETTE, SIGNED, figure, style
from posenc_helpers.encodings import binary, index, normalised, one_hot, random_codes, sinusoidal
from posenc_helpers.lab.probes import linear_probe, word_and_code

CODES = {
    "index": lambda length, dim: index(torch.arange(length), dim),
    "normalised": lambda length, dim: normalised(torch.arange(length), dim, length),
    "random": lambda length, dim: random_codes(torch.arange(length), dim, length),
    "one-hot": lambda length, dim: one_hot(torch.arange(length), dim),
    "binary": lambda length, dim: binary(torch.arange(length), dim),
    "sinusoidal": lambda length, dim: sinusoidal(torch.arange(length), dim),
}
LONGEST = 64  # positions and columns that the explorer of codes has room for
STYLES = {"index": "-", "normalised": "--", "random": ":", "one-hot": "-.", "binary": (0, (5, 1, 1, 1))}


def heatmaps(codes: dict[str, Tensor]) -> Figure:
    """Draw one heatmap per entry of `codes`, name -> (L, d), each with its own colour bar."""
    with style():
        fig = figure(1.85 * len(codes), 3.4)
        for ax, (name, code) in zip(fig.subplots(1, len(codes)), codes.items(), strict=True):
            signed = bool(code.min() < 0)
            limit = code.abs().max().item()
            image = ax.imshow(
                code, cmap=SIGNED if signed else MAGNITUDE, vmin=-limit if signed else 0, vmax=limit, aspect="auto"
            )
            fig.colorbar(
                image, ax=ax, location="bottom", ticks=[-limit, 0, limit] if signed else [0, limit], format="%.2g"
            )
            ax.set(title=name, xlabel="column")
            ax.spines[:].set_visible(False)
        fig.axes[0].set_ylabel("position p (token)")
    return fig


def squeezed(lengths: tuple[int, ...], marked: int = 3) -> Figure:
    """Draw a row of dots per length: where the positions of such a text stand between 0 and 1, one position marked."""
    with style():
        fig = figure(8, 0.9 + 0.45 * len(lengths))
        ax = fig.add_subplot()
        for row, length in enumerate(lengths):
            places = normalised(torch.arange(length), 1, length)[:, 0]  # (L,)
            ax.scatter(places, [row] * length, s=40, color=PALETTE["normalised"])
            ax.scatter(places[marked], row, s=110, color="black", zorder=3)
            ax.annotate(f"{marked}", (places[marked], row), (0, 8), textcoords="offset points", ha="center", weight="bold")
        ax.set(xlabel="normalised code of each position", ylim=(len(lengths) - 0.5, -0.7))
        ax.set_yticks(range(len(lengths)), [f"{length} tokens" for length in lengths])
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)
    return fig


def hamming_against_distance(differing: Tensor) -> Figure:
    """Draw, for every pair of positions, differing bits (L, L) against |p - q|: a cloud, with the mean as a line."""
    length = len(differing)
    apart = (torch.arange(length)[:, None] - torch.arange(length)).abs()  # (L, L)
    with style():
        fig = figure(8, 3.8)
        ax = fig.add_subplot()
        ax.scatter(apart.flatten(), differing.flatten(), s=12, color=PALETTE["binary"], alpha=0.25)
        mean = [differing.diagonal(k).float().mean() for k in range(length)]
        ax.plot(range(length), mean, color="black")
        for p, q in ((7, 8), (0, 32)):
            bits = int(differing[p, q])
            ax.annotate(f"{p} and {q}", (abs(p - q), bits), (22, 6 if bits > 1 else -4), textcoords="offset points",
                        arrowprops={"arrowstyle": "-"}, weight="bold")  # fmt: skip
        ax.set(xlabel="distance |p - q| (tokens)", ylabel="bits that differ", ylim=(-0.6, differing.max() + 0.6))
        ax.set_title("a dot for every pair of positions, and their mean at each distance")
    return fig


def against_neighbours(curves: dict[str, list[float]]) -> Figure:
    """Draw curves[label] = [mean distance of codes 2, 3 ... apart, that of neighbours being 1], a panel each."""
    with style():
        fig = figure(9.2, 3.2)
        for ax, (label, values) in zip(fig.subplots(1, len(curves), sharey=True), curves.items(), strict=True):
            apart = range(2, 2 + len(values))
            ax.axhspan(0, 1, color=PALETTE["normalised"], alpha=0.3, lw=0)
            ax.text(33, 0.45, "nearer than neighbours", ha="center", va="center")
            ax.plot(apart, values, color="#0072b2")
            ax.set(title=label, xlabel="distance |p - q| (tokens)", xlim=(0, apart[-1] + 1), ylim=(0, 2.7))
        fig.axes[0].set_ylabel("distance in the code\n(neighbours: 1)")
    return fig


def learned_from(results: dict[str, dict[str, list[float]]], order_alone: float) -> Figure:
    """Draw accuracies at the trained length and at twice it: results[encoding][column] = one number a seed.

    `order_alone` is what "yes if B comes after A" earns on distance, beside chance.
    """
    panels = {"which came first?": ("order", "order beyond"), "is B 3 after A?": ("distance", "beyond")}
    with style():
        fig = figure(9.2, 4.4)
        for ax, (title, columns) in zip(fig.subplots(1, 2, sharey=True), panels.items(), strict=True):
            for row, (name, found) in enumerate(results.items()):
                for column, marker, shift in zip(columns, ("o", "s"), (0.14, -0.14), strict=True):
                    filled = PALETTE[name] if marker == "o" else "white"
                    ax.scatter(found[column], [row + shift] * len(found[column]), s=50, marker=marker, color=filled,
                               edgecolors=PALETTE[name], linewidths=2, clip_on=False, zorder=3)  # fmt: skip
            lines = {"chance": 0.5} if title.startswith("which") else {"chance": 0.5, "order alone": order_alone}
            for label, value in lines.items():
                ax.axvline(value, color="black", ls="--", lw=1.5)
                ax.text(value, -0.55, label, ha="center", va="bottom")
            ax.set(xlim=(0.4, 1.02), ylim=(len(results) - 0.5, -0.5))
            ax.set_title(title, pad=24)
            ax.set_yticks(range(len(results)), list(results))
        fig.supxlabel("accuracy on fresh examples    (filled: 16 tokens, as trained;  empty: 32 tokens)", fontsize=12)
    return fig


def yes_against_gap(panels: dict[str, tuple[str, dict[int, list[float]]]], asked: int = 3) -> Figure:
    """Draw the share of yes against the gap: panels[title] = (encoding, {gap: one share a seed}), a line for the means."""
    with style():
        fig = figure(9.2, 3.4)
        for ax, (title, (name, found)) in zip(fig.subplots(1, len(panels), sharey=True), panels.items(), strict=True):
            gaps = list(found)
            ax.axvline(asked, color="black", ls=":", lw=1.5)
            for gap in gaps:
                ax.scatter([gap] * len(found[gap]), found[gap], s=30, color=PALETTE[name], alpha=0.5, clip_on=False)
            ax.plot(gaps, [sum(found[gap]) / len(found[gap]) for gap in gaps], color=PALETTE[name], ls=STYLES[name])
            ax.set(title=title, xlabel="B stands so many after A", ylim=(-0.03, 1.03), xticks=gaps)
        fig.axes[0].set_ylabel("share of yes")
    return fig


def two_bugs(alone: Tensor, beside: Tensor, rounded: Tensor, start: int) -> Figure:
    """Draw positions (3,) of a text alone and beside a longer one, and positions (N,) from `start` on as they come out."""
    with style():
        fig = figure(9.2, 3.2)
        left, right = fig.subplots(1, 2)
        left.plot(alone, "o-", color=PALETTE["index"])
        left.plot(beside, "s--", color=PALETTE["normalised"])
        for values, label, up in ((alone, "alone", 4), (beside, "beside a text of 5", -44)):
            left.annotate(label, (len(values) - 1, values[-1]), (-6, up), textcoords="offset points", ha="right")
        left.set(title="batch_positions", xlabel="token", xticks=range(len(alone)), ylabel="position", ylim=(-0.05, 1.15))
        right.plot(range(start, start + len(rounded)), rounded.float(), "o", color="#0072b2", ms=5)
        right.set(title="half_precision_positions", xlabel="token", ylabel="position")
        right.grid(alpha=0.4)
    return fig


def codes_explorer(encoding: str, length: int, width: int, position: int):
    """Build the code explorer: heatmap with one row marked, norms, distances to that row. For `explore`.

    All axes stand still, so that a step redraws curves alone: norms in those of an embedding, distances as shares.
    """
    fig = figure(9.2, 3.6)
    left, middle, right = fig.subplots(1, 3)
    image = left.imshow([[0, 1]], aspect="auto", cmap=MAGNITUDE)
    (row,) = left.plot([], [], color="#d55e00", lw=2)
    left.set(xlim=(-0.5, LONGEST - 0.5), ylim=(LONGEST - 0.5, -0.5), xlabel="column", ylabel="position p (token)")
    left.set_title("the code")
    middle.axhline(1, color="black", ls="--", lw=1.5)
    middle.text(LONGEST - 1, 1.2, "an embedding", ha="right", va="bottom")
    middle.set_yscale("symlog", linthresh=0.1)
    middle.set(xlim=(-2, LONGEST + 1), ylim=(-0.02, 100), xlabel="position p (token)", title="norm of code / embedding")
    middle.set_yticks([0, 0.1, 1, 10, 100], ["0", "0.1", "1", "10", "100"])
    right.set(xlim=(-2, LONGEST + 1), ylim=(-0.06, 1.1), xlabel="other position q (token)", yticks=[0, 0.5, 1])
    right.set(title="distance to marked code", ylabel="share of the largest")
    curves = [ax.plot([], [], color="#0072b2")[0] for ax in (middle, right)]
    dots = [ax.plot([], [], "o", color="#d55e00", ms=9)[0] for ax in (middle, right)]

    def update(encoding, length, width, position):
        norm, distance, code = around(encoding, length, width, position)
        image.set(data=code.numpy(), extent=(-0.5, width - 0.5, length - 0.5, -0.5))
        image.set_clim(code.min().item(), code.max().item())
        row.set_data([-0.5, width - 0.5], [position, position])
        for curve, dot, values in zip(curves, dots, (norm / width**0.5, distance / distance.max()), strict=True):
            values = values.numpy()
            curve.set_data(range(length), values)
            dot.set_data([position], values[[position]])
        return [image, row, *curves, *dots]

    update(encoding, length, width, position)
    return fig, update


def around(encoding: str, length: int, width: int, position: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return the norms (L,) of a code, the distances (L,) of its rows to that of `position`, and the code (L, d)."""
    if position >= length:
        raise ValueError(f"position={position} must be below length={length}")
    code = CODES[encoding](length, width)  # (L, d)
    return code.norm(dim=-1), (code - code[position]).norm(dim=-1), code


@lru_cache(maxsize=32)
def drowned(embedding_size: float, vocabulary: int) -> tuple[float, float, float, float, float]:
    """Return the norms of word and code in embedding_size * word + code, and how often it is found: nearest, two probes."""
    embeddings, code, words, places = word_and_code(vocabulary)
    sums = embedding_size * embeddings[words] + code[places]  # (V L, d)
    nearest = (torch.cdist(sums, embedding_size * embeddings).argmin(-1) == words).float().mean().item()
    norms = (embedding_size * embeddings.norm(dim=-1).mean().item(), code.norm(dim=-1).mean().item())
    return *norms, nearest, *(linear_probe(sums, labels) for labels in (words, places))


def drowning_explorer(embedding_size: float, vocabulary: int):
    """Build the explorer of drowned words: who still finds the word in embedding_size * word + code? For `explore`."""
    fig = figure(9.2, 3.2)
    left, right = fig.subplots(1, 2, width_ratios=[1, 1.3])
    rows = ["word", "position code"]
    norm_bars = left.barh(rows, [1, 1], color=["#444444", PALETTE["sinusoidal"]], height=0.55)
    left.set(xlabel="norm", xscale="log", xlim=(0.03, 40))
    found = ["nearest embedding", "linear probe: word", "linear probe: place"]
    share_bars = right.barh(found, [1, 1, 1], color=["#d55e00", "#444444", PALETTE["sinusoidal"]], height=0.55)
    right.set(xlabel="share found", xlim=(0, 1.15))
    numbers = [right.text(0, k, "", va="center") for k in range(3)]
    moving = [*norm_bars, *share_bars, *numbers]

    def update(embedding_size, vocabulary):
        word, code, *shares = drowned(embedding_size, vocabulary)
        for bar, size in zip(norm_bars, (word, code), strict=True):
            bar.set_width(size)
        for bar, number, share in zip(share_bars, numbers, shares, strict=True):
            bar.set_width(share)
            number.set(x=share + 0.02, text=f"{share:.2f}")
        return moving

    update(embedding_size, vocabulary)
    return fig, update
