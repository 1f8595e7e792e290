"""Pictures of notebook 04: rows that never move, a table as it is trained, its ruler, longer tables, ids and masks."""

import torch
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from torch import Tensor

from posenc_helpers.classroom.figures import PALETTE, SIGNED, figure, spread_out, style

LEARNED = PALETTE["learned"]
_MASK = ListedColormap(["#eeeeee", PALETTE["sinusoidal"], PALETTE["rope"]])  # shut, own text, another text
_SLOT = ListedColormap(["#dddddd", "#cfe3f5"])  # padding, a real token
LIMIT = 0.4  # of the colours of a table, the same in every picture


def moved(distance: Tensor, trained: int) -> Figure:
    """Draw how far every row of a table moved in training, distance (rows,), with the first row that no text reached."""
    with style():
        fig = figure(8.6, 3.2)
        ax = fig.add_subplot()
        ax.bar(range(len(distance)), distance, color=LEARNED, width=0.8)
        ax.axvline(trained - 0.5, color="black", ls=":", lw=1.5)
        ax.text(trained, 0.9 * distance.max(), f"no text reached row {trained}\nor any row after it:\nmoved by 0",
                va="top")  # fmt: skip
        ax.set(xlabel="position p (row of the table)", ylabel="distance from the start", xlim=(-1, len(distance)))
    return fig


def masks(named: dict[str, Tensor], documents: Tensor) -> Figure:
    """Draw boolean masks (L, L) side by side, True = may attend, with the document of every token, -1 = padding."""
    names = ["pad" if d < 0 else f"{'AB'[d]}{(documents[:k] == d).sum()}" for k, d in enumerate(documents.tolist())]
    with style():
        fig = figure(8.4, 4)
        for ax, (title, mask) in zip(fig.subplots(1, len(named)), named.items(), strict=True):
            other = mask & (documents[:, None] != documents)  # (L, L)  attends to another text, or to padding
            ax.imshow(mask.float() + other.float(), cmap=_MASK, vmin=0, vmax=2)
            for row, column in other.nonzero().tolist():
                ax.text(column, row, "×", ha="center", va="center", color="white", weight="bold")
            ax.set(title=title, xlabel="key", ylabel="query")
            ax.set_xticks(range(len(names)), names)
            ax.set_yticks(range(len(names)), names)
            _tiles(ax, *mask.shape)
    return fig


def slots(batches: dict[str, tuple[Tensor, Tensor]]) -> Figure:
    """Draw padded batches side by side, title -> (ids, mask), (B, L) each: the id in every slot, padding in grey."""
    with style():
        fig = figure(8.6, 1.9)
        axes = fig.subplots(1, len(batches), squeeze=False)[0]
        for ax, (title, (ids, mask)) in zip(axes, batches.items(), strict=True):
            ax.imshow(mask.numpy(), cmap=_SLOT, vmin=0, vmax=1)
            for row, numbers in enumerate(ids.tolist()):
                for slot, number in enumerate(numbers):
                    weight, colour = ("bold", "black") if mask[row, slot] else ("normal", "#666666")
                    ax.text(slot, row, str(number), ha="center", va="center", weight=weight, color=colour)
            ax.set(title=title, xlabel="slot", xticks=range(mask.shape[1]), yticks=range(len(mask)))
            ax.set_yticklabels([f"text {row + 1}" for row in range(len(mask))])
            _tiles(ax, *mask.shape)
    return fig


def _tiles(ax: Axes, rows: int, columns: int) -> None:
    """Part the cells of an image by white lines, without a frame."""
    ax.set_xticks(torch.arange(columns + 1) - 0.5, minor=True)
    ax.set_yticks(torch.arange(rows + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="white", lw=1.5)
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)


def similarity(table: Tensor) -> Tensor:
    """Return the cosine similarity of every two rows: table (L, d) -> (L, L)."""
    return torch.cosine_similarity(table[:, None], table[None], dim=-1)


def growing(tables: dict[str, Tensor]) -> Figure:
    """Draw tables (L, d) above and the cosine similarity of their rows below, one column per entry of `tables`."""
    with style():
        fig = figure(2.15 * len(tables) + 0.6, 5)
        axes = fig.subplots(2, len(tables), squeeze=False)
        for (above, below), (title, table) in zip(axes.T, tables.items(), strict=True):
            image = _signed(above, table, LIMIT)
            cosines = _signed(below, similarity(table), 1)
            above.set(title=title, xlabel="column")
            below.set_xlabel("position q")
        axes[0, 0].set_ylabel("position p (token)")
        axes[1, 0].set_ylabel("position p (token)")
        fig.colorbar(image, ax=axes[0], label="value", extend="both")
        fig.colorbar(cosines, ax=axes[1], label="cosine")
    return fig


def _signed(ax: Axes, data: Tensor, limit: float):
    ax.spines[:].set_visible(False)
    return ax.imshow(data, cmap=SIGNED, vmin=-limit, vmax=limit, aspect="auto", interpolation="nearest")


def ruler(coordinates: list[Tensor], shares: list[float]) -> Figure:
    """Draw each row's place along the direction in which a table varies most, one line a seed; `shares` of variance."""
    with style():
        fig = figure(8.6, 3.6)
        ax = fig.add_subplot()
        for seed, (places, share, line) in enumerate(zip(coordinates, shares, ("-", "--", ":"), strict=False)):
            ax.plot(places, color=LEARNED, ls=line, marker="o", ms=4, label=f"seed {seed}: {share:.0%} of the variance")
        ax.axhline(0, color="#999999", lw=1)
        ax.legend(loc="upper right")
        ax.set(xlabel="position p (token)", ylabel="place on the ruler")
    return fig


def loss_against_position(curves: dict[str, Tensor], trained: int, ylim=(1.2, 3.8)) -> Figure:
    """Draw mean loss at every position, name (of PALETTE, or "blind") -> (L,), with the trained length marked."""
    colours = PALETTE | {"blind": PALETTE["nope"]}
    with style():
        fig = figure(8.6, 3.8)
        ax = fig.add_subplot()
        for (name, loss), line in zip(curves.items(), ("-", "--", "-."), strict=False):
            ax.plot(loss, color=colours[name], ls=line)
        for name, height in spread_out({name: loss[-6:].mean().item() for name, loss in curves.items()}, 0.15).items():
            ax.text(len(loss) + 0.5, height, name, color=colours[name], va="center")
        ax.axvline(trained - 0.5, color="black", ls=":", lw=1.5)
        ax.text(trained - 1.5, ylim[1], "trained", ha="right", va="top")
        ax.text(trained + 0.5, ylim[1], "never trained", va="top")
        ax.set(xlabel="position p (token)", ylabel="loss (nats)", xlim=(0, len(loss) - 1), ylim=ylim)
    return fig


def training_curves(curves: dict[str, list[float]]) -> Figure:
    """Draw the training loss of up to three models, name -> loss of every step, as means of ten steps."""
    looks = {"learned": (LEARNED, "-"), "large start": (LEARNED, ":"), "sinusoidal": (PALETTE["sinusoidal"], "--")}
    with style():
        fig = figure(8.6, 3.8)
        ax = fig.add_subplot()
        for name, losses in curves.items():
            colour, line = looks[name]
            ax.plot(*_smooth(losses), color=colour, ls=line, label=name)
        ax.legend(loc="upper right")
        ax.set(xlabel="training step", ylabel="training loss (nats)", xlim=(0, len(losses)), ylim=(1.3, 3.3))
    return fig


def _smooth(losses: list[float], over: int = 10) -> tuple[Tensor, Tensor]:
    """Return means of ten steps (of all, if there are fewer) and the step at which each mean ends."""
    over = min(over, len(losses))
    means = torch.tensor(losses).unfold(0, over, 1).mean(-1)
    return torch.arange(len(means)) + over, means


def fine_tuning(curves: dict[str, dict[int, list[float]]], lengths: tuple[int, ...]) -> Figure:
    """Draw what texts of each of `lengths` lose against steps of fine-tuning, name -> {steps: [loss at each length]}.

    Losses are differences from the loss on short texts before, so that 0 is the line to reach; one panel per length.
    """
    looks = {"random rows": ("#777777", "-.", "o"), "stretched": (LEARNED, "-", "s"),
             "ruler continued": ("black", "--", "^"), "large start, stretched": (LEARNED, ":", "D"),
             "large start, random rows": ("#777777", ":", "v")}  # fmt: skip
    with style():
        fig = figure(8.6, 4.2)
        axes = fig.subplots(1, len(lengths), sharey=True)
        for k, (ax, length) in enumerate(zip(axes, lengths, strict=True)):
            for name, losses in curves.items():
                colour, line, mark = looks[name]
                ax.plot(list(losses), [at[k] for at in losses.values()], color=colour, ls=line, marker=mark, label=name)
            ax.axhline(0, color="black", lw=1)
            ax.set(title=f"texts of {length}", xlabel="steps of fine-tuning")
        axes[0].set_ylabel("loss above the old one at 32 (nats)")
        fig.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return fig


def training_explorer(tables: dict[int, Tensor], losses: list[float], pairs: float):
    """Return the `build` of the training explorer for `explore` (blitted): tables {step: (L, d)}, the loss of every step.

    `pairs` is the loss of guessing from the last character alone, drawn as a line.
    """

    def build(step: int):
        fig = figure(9.2, 3.7)
        left, middle, right = fig.subplots(1, 3, width_ratios=[1, 1, 1.1])
        image = _signed(left, tables[step], LIMIT)
        cosines = _signed(middle, similarity(tables[step]), 1)
        fig.colorbar(image, ax=left, location="bottom", label="value", extend="both")
        fig.colorbar(cosines, ax=middle, location="bottom", label="cosine of rows")
        left.set(title="table", xlabel="column", ylabel="position p (token)")
        middle.set(title="similarity", xlabel="position q")
        right.plot(*_smooth(losses), color="#666666")
        right.axhline(pairs, color="black", ls=":", lw=1.5)
        right.text(len(losses), pairs + 0.04, "last character alone", ha="right")
        (cursor,) = right.plot([step, step], [0, 10], color=LEARNED, lw=3)
        number = right.text(-0.12, -0.235, "", transform=right.transAxes, va="top")
        number.set_in_layout(False)
        right.set(title="loss", xlabel="step", ylabel="nats", xlim=(-5, len(losses) + 5), ylim=(1.2, 3.5))

        def update(step: int):
            rows = similarity(tables[step])
            image.set_data(tables[step])
            cosines.set_data(rows)
            cursor.set_xdata([step, step])
            number.set_text(
                f"step {step}: std of the table {tables[step].std():.3f}\n"
                f"cosine of neighbours {rows.diagonal(1).mean():.2f}\nof rows 16 apart {rows.diagonal(16).mean():.2f}"
            )
            return [image, cosines, cursor, number]

        update(step)
        return fig, update

    return build
