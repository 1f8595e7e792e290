"""Pictures of notebook 04: rows that never move, a table as it is trained, its ruler, longer tables, ids and masks."""

import torch
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from torch import Tensor

from posenc_helpers.classroom.charts import Look, heat, labels_at_right
from posenc_helpers.classroom.colours import BLACK, GREY, LINES, PALE_BLUE, PALETTE, QUIET, RULE, SPAN, WHITE, WORDS
from posenc_helpers.classroom.figures import figure, panels, style

LEARNED = PALETTE["learned"]
_MASK = ListedColormap([SPAN, PALETTE["sinusoidal"], PALETTE["rope"]])  # shut, own text, another text
_SLOT = ListedColormap([RULE, PALE_BLUE])  # padding, a real token
SEED_LINES = ("-", "--", ":")
LOOKS = {
    "learned": Look(LEARNED),
    "large start": Look(LEARNED, ":"),
    "sinusoidal": Look(PALETTE["sinusoidal"], "--"),
    "random rows": Look(GREY, "-.", "o"),
    "stretched": Look(LEARNED, "-", "s"),
    "ruler continued": Look(BLACK, "--", "^"),
    "large start, stretched": Look(LEARNED, ":", "D"),
    "large start, random rows": Look(GREY, ":", "v"),
}
LIMIT = 0.4  # of the colours of a table, the same in every picture


@style()
def moved(distance: Tensor, trained: int) -> Figure:
    """Draw how far every row of a table moved in training, distance (rows,), with the first row that no text reached."""
    (ax,) = panels(8.6, 3.2)
    ax.bar(range(len(distance)), distance, color=LEARNED, width=0.8)
    ax.axvline(trained - 0.5, color=BLACK, ls=":", lw=1.5)
    words = f"no text reached row {trained}\nor any row after it:\nmoved by 0"
    ax.text(trained, 0.9 * distance.max(), words, va="top")
    ax.set(xlabel="position p (row of the table)", ylabel="distance from the start", xlim=(-1, len(distance)))
    return ax.figure


@style()
def masks(named: dict[str, Tensor], documents: Tensor) -> Figure:
    """Draw boolean masks (L, L) side by side, True = may attend, with the document of every token, -1 = padding."""
    names = ["pad" if d < 0 else f"{'AB'[d]}{(documents[:k] == d).sum()}" for k, d in enumerate(documents.tolist())]
    axes = panels(8.4, 4, len(named))
    for ax, (title, mask) in zip(axes, named.items(), strict=True):
        other = mask & (documents[:, None] != documents)  # (L, L)  attends to another text, or to padding
        heat(ax, mask.float() + other.float(), (0, 2), _MASK)
        for row, column in other.nonzero().tolist():
            ax.text(column, row, "×", ha="center", va="center", color=WHITE, weight="bold")
        ax.set(title=title, xlabel="key", ylabel="query")
        _tiles(ax, names, names)
    return axes[0].figure


@style()
def slots(batches: dict[str, tuple[Tensor, Tensor]]) -> Figure:
    """Draw padded batches side by side, title -> (ids, mask), (B, L) each: the id in every slot, padding in grey."""
    axes = panels(8.6, 1.9, len(batches))
    for ax, (title, (ids, mask)) in zip(axes, batches.items(), strict=True):
        heat(ax, mask, (0, 1), _SLOT)
        for row, numbers in enumerate(ids.tolist()):
            for slot, number in enumerate(numbers):
                weight, colour = ("bold", BLACK) if mask[row, slot] else ("normal", WORDS)
                ax.text(slot, row, str(number), ha="center", va="center", weight=weight, color=colour)
        ax.set(title=title, xlabel="slot")
        _tiles(ax, [f"text {row + 1}" for row in range(len(mask))], [str(slot) for slot in range(mask.shape[1])])
    return axes[0].figure


def _tiles(ax: Axes, rows: list[str], columns: list[str]) -> None:
    """Part the cells of an image by white lines, and name its rows and columns."""
    for axis, names in ((ax.yaxis, rows), (ax.xaxis, columns)):
        axis.set_ticks(range(len(names)), names)
        axis.set_ticks(torch.arange(len(names) + 1) - 0.5, minor=True)
    ax.grid(which="minor", color=WHITE, lw=1.5)
    ax.tick_params(which="both", length=0)


def similarity(table: Tensor) -> Tensor:
    """Return the cosine similarity of every two rows: table (L, d) -> (L, L)."""
    return torch.cosine_similarity(table[:, None], table[None], dim=-1)


@style()
def growing(tables: dict[str, Tensor]) -> Figure:
    """Draw tables (L, d) above and the cosine similarity of their rows below, one column per entry of `tables`."""
    fig = figure(2.15 * len(tables) + 0.6, 5)
    axes = fig.subplots(2, len(tables), squeeze=False)
    for (above, below), (title, table) in zip(axes.T, tables.items(), strict=True):
        image = heat(above, table, (-LIMIT, LIMIT), aspect="auto")
        cosines = heat(below, similarity(table), (-1, 1), aspect="auto")
        above.set(title=title, xlabel="column")
        below.set_xlabel("position q")
    for first in axes[:, 0]:
        first.set_ylabel("position p (token)")
    fig.colorbar(image, ax=axes[0], label="value", extend="both")
    fig.colorbar(cosines, ax=axes[1], label="cosine")
    return fig


@style()
def ruler(coordinates: list[Tensor], shares: list[float]) -> Figure:
    """Draw each row's place along the direction in which a table varies most, one line a seed; `shares` of variance."""
    (ax,) = panels(8.6, 3.6)
    for seed, (places, share, line) in enumerate(zip(coordinates, shares, SEED_LINES, strict=False)):
        ax.plot(places, color=LEARNED, ls=line, marker="o", ms=4, label=f"seed {seed}: {share:.0%} of the variance")
    ax.axhline(0, color=QUIET, lw=1)
    ax.legend(loc="upper right")
    ax.set(xlabel="position p (token)", ylabel="place on the ruler")
    return ax.figure


@style()
def loss_against_position(curves: dict[str, Tensor], trained: int) -> Figure:
    """Draw mean loss at every position, name (of PALETTE, or "blind") -> (L,), with the trained length marked."""
    colours, top = PALETTE | {"blind": PALETTE["nope"]}, 3.8
    (ax,) = panels(8.6, 3.8)
    for (name, loss), line in zip(curves.items(), LINES, strict=False):
        ax.plot(loss, color=colours[name], ls=line)
    ax.axvline(trained - 0.5, color=BLACK, ls=":", lw=1.5)
    ax.text(trained - 1.5, top, "trained", ha="right", va="top")
    ax.text(trained + 0.5, top, "never trained", va="top")
    ax.set(xlabel="position p (token)", ylabel="loss (nats)", xlim=(0, len(loss) - 1), ylim=(1.2, top))
    labels_at_right(ax, {name: (loss[-6:].mean().item(), colours[name]) for name, loss in curves.items()})
    return ax.figure


@style()
def training_curves(curves: dict[str, list[float]]) -> Figure:
    """Draw the training loss of up to three models, name -> loss of every step, as means of ten; steps 80 to 160 shaded."""
    (ax,) = panels(8.6, 3.8)
    for name, losses in curves.items():
        ax.plot(*_smooth(losses), color=LOOKS[name].colour, ls=LOOKS[name].line, label=name)
    ax.axvspan(80, 160, color=SPAN, lw=0, label="steps 80 to 160")
    ax.legend(loc="upper right")
    ax.set(xlabel="training step", ylabel="training loss (nats)", xlim=(0, len(losses)), ylim=(1.3, 3.3))
    return ax.figure


def _smooth(losses: list[float], over: int = 10) -> tuple[Tensor, Tensor]:
    """Return means of ten steps (of all, if there are fewer) and the step at which each mean ends."""
    over = min(over, len(losses))
    means = torch.tensor(losses).unfold(0, over, 1).mean(-1)
    return torch.arange(len(means)) + over, means


@style()
def fine_tuning(curves: dict[str, dict[int, list[float]]], lengths: tuple[int, ...]) -> Figure:
    """Draw what texts of each of `lengths` lose against steps of fine-tuning, name -> {steps: [loss at each length]}.

    Losses are differences from the loss on short texts before, so that 0 is the line to reach; one panel per length.
    """
    axes = panels(8.6, 4.2, len(lengths), sharey=True)
    for k, (ax, length) in enumerate(zip(axes, lengths, strict=True)):
        for name, losses in curves.items():
            colour, line, mark, *_ = LOOKS[name]
            ax.plot(list(losses), [at[k] for at in losses.values()], color=colour, ls=line, marker=mark, label=name)
        ax.axhline(0, color=BLACK, lw=1)
        ax.set(title=f"texts of {length}", xlabel="steps of fine-tuning")
    axes[0].set_ylabel("loss above the old one at 32 (nats)")
    axes[0].figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return axes[0].figure


def training_explorer(tables: dict[int, Tensor], losses: list[float], pairs: float):
    """Return the `build` of the training explorer for `explore` (blitted): tables {step: (L, d)}, the loss of every step.

    `pairs` is the loss of guessing from the last character alone, drawn as a line.
    """

    def build(step: int):
        left, middle, right = panels(9.2, 3.7, 3, width_ratios=[1, 1, 1.1])
        image = heat(left, tables[step], (-LIMIT, LIMIT), aspect="auto")
        cosines = heat(middle, similarity(tables[step]), (-1, 1), aspect="auto")
        left.figure.colorbar(image, ax=left, location="bottom", label="value", extend="both")
        left.figure.colorbar(cosines, ax=middle, location="bottom", label="cosine of rows")
        left.set(title="table", xlabel="column", ylabel="position p (token)")
        middle.set(title="similarity", xlabel="position q")
        right.plot(*_smooth(losses), color=WORDS)
        right.axhline(pairs, color=BLACK, ls=":", lw=1.5)
        right.text(len(losses), pairs + 0.04, "last character alone", ha="right")
        (cursor,) = right.plot([step, step], [0, 10], color=LEARNED, lw=3)
        number = right.text(-0.12, -0.235, "", transform=right.transAxes, va="top")
        number.set_in_layout(False)
        right.set(title="loss", xlabel="step", ylabel="nats", xlim=(-5, len(losses) + 5), ylim=(1.2, 3.5))

        def update(step: int):
            rows, (size, near, far) = measured(tables[step])
            image.set_data(tables[step])
            cosines.set_data(rows)
            cursor.set_xdata([step, step])
            of_table = f"step {step}: std of the table {size}"
            number.set_text(f"{of_table}\ncosine of neighbours {near}\nof rows 16 apart {far}")
            return [image, cosines, cursor, number]

        update(step)
        return left.figure, update

    return build


def measured(table: Tensor) -> tuple[Tensor, tuple[str, str, str]]:
    """Return the similarity of the rows of table (L, d), and three numbers: of its size, of rows 1 and 16 apart."""
    rows = similarity(table)
    return rows, (f"{table.std():.3f}", f"{rows.diagonal(1).mean():.2f}", f"{rows.diagonal(16).mean():.2f}")
