"""Pictures of notebook 02: five codes, their norms and distances, drowned words, and what models learn from them."""

from functools import lru_cache

import torch
from matplotlib.figure import Figure
from torch import Tensor

from posenc_helpers.classroom.charts import Look, dots_by_row, heat, in_rows, mean
from posenc_helpers.classroom.colours import BLACK, BLUE, INK, MAGNITUDE, PALETTE, SIGNED, VERMILION, line_of
from posenc_helpers.classroom.figures import panels, style
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


@style()
def heatmaps(codes: dict[str, Tensor]) -> Figure:
    """Draw one heatmap per entry of `codes`, name -> (L, d), each with its own colour bar."""
    axes = panels(1.85 * len(codes), 3.4, len(codes))
    for ax, (name, code) in zip(axes, codes.items(), strict=True):
        limit = code.abs().max().item()
        low, cmap, ticks = (-limit, SIGNED, [-limit, 0, limit]) if code.min() < 0 else (0, MAGNITUDE, [0, limit])
        image = heat(ax, code, (low, limit), cmap, aspect="auto")
        ax.figure.colorbar(image, ax=ax, location="bottom", ticks=ticks, format="%.2g")
        ax.set(title=name, xlabel="column")
    axes[0].set_ylabel("position p (token)")
    return axes[0].figure


@style()
def squeezed(lengths: tuple[int, ...], marked: int = 3) -> Figure:
    """Draw a row of dots per length: where the positions of such a text stand between 0 and 1, one position marked."""
    (ax,) = panels(8, 0.9 + 0.45 * len(lengths))
    for row, length in enumerate(lengths):
        places = normalised(torch.arange(length), 1, length)[:, 0]  # (L,)
        ax.scatter(places, [row] * length, s=40, color=PALETTE["normalised"])
        ax.scatter(places[marked], row, s=110, color=BLACK, zorder=3)
        ax.annotate(f"{marked}", (places[marked], row), (0, 8), textcoords="offset points", ha="center", weight="bold")
    in_rows(ax, [f"{length} tokens" for length in lengths])
    ax.set(xlabel="normalised code of each position", ylim=(len(lengths) - 0.5, -0.7))
    ax.spines["left"].set_visible(False)
    return ax.figure


@style()
def bits_that_flip(differing: Tensor) -> Figure:
    """Draw differing bits (L, L) of neighbours, a bar for each step p to p + 1; beside them bars of three pairs."""
    pairs = ((31, 32), (7, 8), (0, 32))
    left, right = panels(9.2, 3.4, 2, sharey=True, width_ratios=[2.4, 1])
    steps = differing.diagonal(1).tolist()  # one number for each p
    left.bar(range(len(steps)), steps, color=PALETTE["binary"])
    shown = {p: q for p, q in pairs if q == p + 1}
    left.bar(list(shown), [steps[p] for p in shown], color=BLACK)
    for p, q in shown.items():
        left.annotate(f"{p} to {q}", (p, steps[p]), (0, 3), textcoords="offset points", ha="center", weight="bold")
    left.set(title="neighbours: every step from p to p + 1", xlabel="position p (token)", ylabel="bits that differ")
    colours = [BLACK if q == p + 1 else PALETTE["binary"] for p, q in pairs]
    right.bar([f"{p}, {q}" for p, q in pairs], [int(differing[p, q]) for p, q in pairs], color=colours, width=0.6)
    for k, (p, q) in enumerate(pairs):
        right.annotate(f"{differing[p, q]}", (k, int(differing[p, q])), (0, 3), textcoords="offset points", ha="center")
    right.set(title="neighbours, and 32 apart", xlabel="two positions", ylim=(0, max(steps) + 0.9))
    return left.figure


@style()
def against_neighbours(curves: dict[str, list[float]]) -> Figure:
    """Draw curves[label] = [mean distance of codes 2, 3 ... apart, that of neighbours being 1], a panel each."""
    axes = panels(9.2, 3.2, len(curves), sharey=True)
    for ax, (label, values) in zip(axes, curves.items(), strict=True):
        apart = range(2, 2 + len(values))
        ax.axhspan(0, 1, color=PALETTE["normalised"], alpha=0.3, lw=0)
        ax.text(33, 0.45, "nearer than neighbours", ha="center", va="center")
        ax.plot(apart, values, color=BLUE)
        ax.set(title=label, xlabel="distance |p - q| (tokens)", xlim=(0, apart[-1] + 1), ylim=(0, 2.7))
    axes[0].set_ylabel("distance in the code\n(neighbours: 1)")
    return axes[0].figure


@style()
def learned_from(results: dict[str, dict[str, list[float]]], order_alone: float) -> Figure:
    """Draw accuracies at the trained length and at twice it: results[encoding][column] = one number a seed.

    `order_alone` is what "yes if B comes after A" earns on distance, beside chance.
    """
    columns = {"which came first?": ("order beyond", "order"), "is B 3 after A?": ("beyond", "distance")}
    found = {
        title: {name: {column: row[column] for column in pair} for name, row in results.items()}
        for title, pair in columns.items()
    }
    fig = dots_by_row(
        found,
        lambda name, column: Look(PALETTE[name], "", *(("s", 6, True) if "beyond" in column else ("o", 6))),
        "accuracy on fresh examples    (filled: 16 tokens, as trained;  empty: 32 tokens)",
        size=(9.2, 4.4),
        apart=0.28,
        xlim=(0.4, 1.02),
    )
    for ax, lines in zip(fig.axes, ({"chance": 0.5}, {"chance": 0.5, "order alone": order_alone}), strict=True):
        for label, value in lines.items():
            ax.axvline(value, color=BLACK, ls="--", lw=1.5, zorder=0)
            ax.text(value, -0.55, label, ha="center", va="bottom")
        ax.set_title(ax.get_title(), pad=24)
    return fig


@style()
def yes_against_gap(gaps_of: dict[str, tuple[str, dict[int, list[float]]]]) -> Figure:
    """Draw the share of yes against the gap: gaps_of[title] = (encoding, {gap: one share a seed}), a line for the means."""
    axes = panels(9.2, 3.4, len(gaps_of), sharey=True)
    for ax, (title, (name, found)) in zip(axes, gaps_of.items(), strict=True):
        ax.axvline(3, color=BLACK, ls=":", lw=1.5)
        ax.text(2.88, 1.0, "asked for", ha="right", va="top")
        for gap, shares in found.items():
            ax.scatter([gap] * len(shares), shares, s=30, color=PALETTE[name], alpha=0.5, clip_on=False)
        ax.plot(list(found), [mean(shares) for shares in found.values()], color=PALETTE[name], ls=line_of(name))
        ax.set(title=title, xlabel="B stands so many after A", ylim=(-0.03, 1.03), xticks=list(found))
    axes[0].set_ylabel("share of yes")
    return axes[0].figure


@style()
def two_bugs(alone: Tensor, beside: Tensor, rounded: Tensor, start: int) -> Figure:
    """Draw positions (3,) of a text alone and beside a longer one, and positions (N,) from `start` on as they come out."""
    left, right = panels(9.2, 3.2, 2)
    left.plot(alone, "o-", color=PALETTE["index"])
    left.plot(beside, "s--", color=PALETTE["normalised"])
    for values, label, up in ((alone, "alone", 4), (beside, "beside a text of 5", -44)):
        left.annotate(label, (len(values) - 1, values[-1]), (-6, up), textcoords="offset points", ha="right")
    left.set(title="batch_positions", xlabel="token", xticks=range(len(alone)), ylabel="position", ylim=(-0.05, 1.15))
    right.plot(range(start, start + len(rounded)), rounded.float(), "o", color=BLUE, ms=5)
    right.set(title="half_precision_positions", xlabel="token", ylabel="position")
    right.grid(alpha=0.4)
    return left.figure


def codes_explorer(encoding: str, length: int, width: int, position: int):
    """Build the code explorer: heatmap with one row marked, norms, distances to that row. For `explore`.

    All axes stand still, so that a step redraws curves alone: norms in those of an embedding, distances as shares.
    """
    left, middle, right = panels(9.2, 3.6, 3)
    image = left.imshow([[0, 1]], aspect="auto", cmap=MAGNITUDE)
    (row,) = left.plot([], [], color=VERMILION, lw=2)
    left.set(xlim=(-0.5, LONGEST - 0.5), ylim=(LONGEST - 0.5, -0.5), xlabel="column", ylabel="position p (token)")
    left.set_title("the code")
    middle.axhline(1, color=BLACK, ls="--", lw=1.5)
    middle.text(LONGEST - 1, 1.2, "an embedding", ha="right", va="bottom")
    middle.set_yscale("symlog", linthresh=0.1)
    middle.set(xlim=(-2, LONGEST + 1), ylim=(-0.02, 100), xlabel="position p (token)", title="norm of code / embedding")
    middle.set_yticks([0, 0.1, 1, 10, 100], ["0", "0.1", "1", "10", "100"])
    right.set(xlim=(-2, LONGEST + 1), ylim=(-0.06, 1.1), xlabel="other position q (token)", yticks=[0, 0.5, 1])
    right.set(title="distance to marked code", ylabel="share of the largest")
    curves = [ax.plot([], [], color=BLUE)[0] for ax in (middle, right)]
    dots = [ax.plot([], [], "o", color=VERMILION, ms=9)[0] for ax in (middle, right)]

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
    return left.figure, update


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
    left, right = panels(9.2, 3.2, 2, width_ratios=[1, 1.3])
    rows = ["word", "position code"]
    norm_bars = left.barh(rows, [1, 1], color=[INK, PALETTE["sinusoidal"]], height=0.55)
    left.set(xlabel="norm", xscale="log", xlim=(0.03, 40))
    found = ["nearest embedding", "linear probe: word", "linear probe: place"]
    share_bars = right.barh(found, [1, 1, 1], color=[VERMILION, INK, PALETTE["sinusoidal"]], height=0.55)
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
    return left.figure, update
