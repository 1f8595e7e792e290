"""Pictures that several notebooks draw: matrices side by side, loss against position, curves that grow."""

from collections.abc import Callable, Sequence

from IPython.display import display
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from torch import Tensor

from posenc_helpers.classroom.figures import (
    LABELS,
    MAGNITUDE,
    PALETTE,
    SIGNED,
    check_words,
    counted,
    figure,
    picture,
    show_caption,
    spread_out,
    style,
)
from posenc_helpers.lab.evaluation import octave_blocks
from posenc_helpers.lab.shootout import STEPS, TRAINED, Row

DASHED = {"t5 x8", "learned"}  # lines that need more than their colour


def _colour(name: str) -> str:
    return PALETTE.get(name, "black")  # a reader's own encoding has none


def matrices(
    tables: Sequence[Tensor], titles: Sequence[str], value: str, limit: float | None = None, signed: bool = True
) -> Figure:
    """Draw matrices (L_q, L_k) side by side on one colour scale: signed with 0 in the middle, or from 0 up."""
    tables = [table.detach() for table in tables]
    limit = max(float(table.abs().max()) for table in tables) if limit is None else limit
    with style():
        fig = figure(min(9.2, 3.3 * len(tables) + 1), 2.7 if len(tables) > 3 else 3.4)
        axes = fig.subplots(1, len(tables))
        for ax, table, title in zip(axes, tables, titles, strict=True):
            low, colours = (-limit, SIGNED) if signed else (0, MAGNITUDE)
            image = ax.imshow(table, cmap=colours, vmin=low, vmax=limit, interpolation="nearest")
            ax.set(title=title, xlabel="key n")
            for axis in (ax.xaxis, ax.yaxis):
                axis.set_major_locator(MaxNLocator(5, integer=True))
            ax.spines[:].set_visible(False)
        axes[0].set_ylabel("query m")
        fig.colorbar(image, ax=axes, label=value, shrink=0.75)
    return fig


def loss_against_position(
    rows: Sequence[Row],
    stored: Sequence[dict] = (),
    trained: int = TRAINED,
    yardsticks: dict[int, float] | None = None,
) -> Figure:
    """Draw the loss of each encoding at every position, the live run in front, stored runs as bands behind.

    `rows` as `shootout` returns them (several seeds are averaged), `stored` as `load_results("shootout")`. Far positions
    are averaged, eight points an octave. `yardsticks`: {order: loss} of n-grams.
    """
    with style():
        fig = figure(9, 5)
        ax = fig.add_subplot()
        names = list(dict.fromkeys(row.encoding for row in rows))
        ends = {}
        for name in names:
            band = _band(stored, name)
            if band:
                ax.fill_between(*band, color=_colour(name), alpha=0.25, lw=0)
            x, y = _line(rows, name)
            ax.plot(x, y, color=_colour(name), ls="--" if name in DASHED else "-")
            ends[name] = y[-1]
        for order, loss in (yardsticks or {}).items():
            ax.axhline(loss, color="#888888", lw=1, ls=":", zorder=0)
            ax.text(0.56, loss, f"{order}-gram", color="#666666", va="center", fontsize=11, zorder=1,
                    bbox={"fc": "white", "ec": "none", "pad": 1})  # fmt: skip
        ax.axvline(trained, color="black", lw=1.5, ls=":")
        ax.set(xlabel="position p (token)", ylabel="loss (nats a character)")
        last = max(row.position for row in rows) + 1
        counted(ax, "x", [2**k for k in range(last.bit_length()) if 2**k <= last])
        ax.margins(y=0.07)
        ax.set_xlim(0.55, last)  # room for the names of the yardsticks
        top = ax.get_ylim()[1]
        ax.text(trained * 1.04, top, f"trained on {trained}", va="top")
        labels_at_right(ax, {LABELS.get(name, name): (end, _colour(name)) for name, end in ends.items()})
    return fig


def _line(rows: Sequence[Row], name: str) -> tuple[list[float], list[float]]:
    """Return positions (counted from 1, for a log axis) and losses: means over seeds and over blocks of positions."""
    found: dict[int, list[float]] = {}
    for row in rows:
        if row.encoding == name:
            found.setdefault(row.position, []).append(row.loss)
    x, y = [], []
    for start, stop in octave_blocks(max(found) + 1):
        losses = [loss for position in range(start, stop) for loss in found[position]]
        x.append((start + stop + 1) / 2)
        y.append(sum(losses) / len(losses))
    return x, y


def _band(stored: Sequence[dict], name: str) -> tuple[list[float], list[float], list[float]] | None:
    """Return positions, lowest and highest stored loss of an encoding, or None where nothing is stored."""
    found: dict[float, list[float]] = {}
    for row in stored:
        if row["encoding"] == name and row["what"] == "position":
            found.setdefault(row["at"] + 1, []).append(row["loss"])
    if not found:
        return None
    positions = sorted(found)
    return positions, [min(found[p]) for p in positions], [max(found[p]) for p in positions]


def labels_at_right(ax: Axes, ends: dict[str, tuple[float, str]], apart: float = 0.055) -> None:
    """Write names beside the right ends (height, colour) of their lines, pushed apart where they would overlap.

    None of them leaves the height of the axes as long as there is room for all.
    """
    bottom, top = ax.get_ylim()
    names = sorted(ends, key=lambda name: ends[name][0])
    places = spread_out({name: max(0.0, (ends[name][0] - bottom) / (top - bottom)) for name in names}, apart)  # 0 to 1
    high = 1 + apart
    for name in reversed(names):
        places[name] = high = min(high - apart, places[name])
    for name in names:
        ax.text(1.01, places[name], name, transform=ax.transAxes, color=ends[name][1], va="center", fontsize=12)


def growing_curve(
    alt: str = "Training loss of each encoding against the training step.",
    caption: str = "Loss in training, the mean of ten steps, as it falls.",
) -> Callable[[list[Row]], None]:
    """Return a function for `shootout(on_progress=...)` that shows a picture and then lets its lines grow.

    It shows the training loss (mean of ten steps) against the step, and `caption` once under the picture, of which the
    last stays in the notebook. Raises ValueError where either text is missing.
    """
    check_words("alt", alt)
    check_words("caption", caption)
    handle = None

    def draw(rows: list[Row]) -> None:
        nonlocal handle
        bundle, metadata = picture(learning_curves(rows), alt)
        if handle is None:
            handle = display(bundle, metadata=metadata, raw=True, display_id=True)
            show_caption(caption)
        else:
            handle.update(bundle, metadata=metadata, raw=True)

    return draw


def learning_curves(rows: Sequence[Row], steps: int = STEPS) -> Figure:
    """Draw the training loss of each encoding against the step, from rows whose `position` is the step."""
    with style():
        names = list(dict.fromkeys(row.encoding for row in rows))
        fig = figure(8, max(2.6, 1.6 + 0.2 * len(names)))  # room for a name each
        ax = fig.add_subplot()
        ends = {}
        seed = rows[-1].seed
        for name in names:
            line = [(row.position, row.loss) for row in rows if row.encoding == name and row.seed == seed]
            ax.plot(*zip(*line, strict=True), color=_colour(name), ls="--" if name in DASHED else "-")
            ends[LABELS.get(name, name)] = (line[-1][1], _colour(name))
        ax.set(xlabel="training step", ylabel="loss (nats a character)", xlim=(0, steps), ylim=(1.4, 3.4))
        labels_at_right(ax, ends, apart=0.27 / fig.get_figheight())
    return fig
