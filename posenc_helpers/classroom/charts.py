"""Pictures that several notebooks draw: matrices side by side, dots by row, labelled lines, accuracy against length.

Each describes itself in words with the numbers that it draws: `show` takes them where a cell gives none of its own.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.ticker import MaxNLocator
from torch import Tensor

from posenc_helpers.classroom.colours import BLACK, LINES, MAGNITUDE, MARKS, SIGNED, WHITE
from posenc_helpers.classroom.figures import counted, panels, spread_out, style

Seeds = Sequence[float]  # a measurement, one number a seed


class Look(NamedTuple):
    """How a line or a row of dots looks: size is that of a mark in points, an open mark is a ring, and on a log axis a mark
    stands `beside` its place by this factor, so that it covers no other."""

    colour: str
    line: str | tuple = "-"
    mark: str = "o"
    size: float = 5.5
    is_open: bool = False
    beside: float = 1.0


def looks_in_turn(names: Iterable[str], colour: Callable[[str], str]) -> dict[str, Look]:
    """Return a look for each name, in its colour, with the line styles and marks that come next in turn."""
    return {name: Look(colour(name), LINES[k % 5], MARKS[k % 5]) for k, name in enumerate(names)}


def heat(
    ax: Axes,
    table: Tensor,
    limits: tuple[float, float],
    cmap: str = SIGNED,
    numbers: Callable[[float], str] | None = None,
    aspect: str = "equal",
) -> AxesImage:
    """Draw a table (h, w) without a frame; `numbers` says what is written into a cell of this value, white on dark."""
    image = ax.imshow(table, cmap=cmap, vmin=limits[0], vmax=limits[1], interpolation="nearest", aspect=aspect)
    ax.spines[:].set_visible(False)
    for row, values in enumerate(table.tolist() if numbers else ()):
        for column, value in enumerate(values):
            if words := numbers(value):
                red, green, blue, _ = image.cmap(image.norm(value))
                ink = WHITE if 0.3 * red + 0.59 * green + 0.11 * blue < 0.5 else BLACK
                ax.text(column, row, words, ha="center", va="center", fontsize=11, color=ink)
    return image


@style()
def matrices(
    tables: Sequence[Tensor],
    titles: Sequence[str],
    value: str,
    limit: float | None = None,
    signed: bool = True,
    *,
    size: tuple[float, float] | None = None,
    axes: tuple[str, str] = ("query m", "key n"),
    ticks: int | str | None = 5,
    numbers: Callable[[float], str] | None = None,
    aspect: str = "equal",
    shrink: float = 0.75,
) -> Figure:
    """Draw matrices (L_q, L_k) side by side on one colour scale: signed with 0 in the middle, or from 0 up.

    `ticks` is the most that an axis has, "all" for every row and column, or "none"; None leaves them to Matplotlib.
    """
    tables = [table.detach().float() for table in tables]
    limit = max(float(table.abs().max()) for table in tables) if limit is None else limit
    low, cmap = (-limit, SIGNED) if signed else (0, MAGNITUDE)
    row = panels(*size or (min(9.2, 3.3 * len(tables) + 1), 2.7 if len(tables) > 3 else 3.4), len(tables))
    for ax, table, title in zip(row, tables, titles, strict=True):
        image = heat(ax, table, (low, limit), cmap, numbers, aspect)
        ax.set(title=title, xlabel=axes[1])
        for axis, count in ((ax.yaxis, len(table)), (ax.xaxis, table.shape[1])):
            if isinstance(ticks, int):
                axis.set_major_locator(MaxNLocator(ticks, integer=True))
            elif ticks:
                axis.set_ticks(range(count) if ticks == "all" else [])
    row[0].set_ylabel(axes[0])
    row[0].figure.colorbar(image, ax=row, label=value, shrink=shrink)
    spans = [_span(title, table) for title, table in zip(titles, tables, strict=True)]
    return described(row, f"{value.capitalize()} as {len(tables)} tables of {len(tables[0])} rows", spans)


def _span(title: str, table: Tensor) -> str:
    known = table[~table.isnan()]  # some cells may be empty
    return f"{title}, from {known.min():.2f} to {known.max():.2f}"


@style()
def lines(
    curves: dict[str, tuple[Sequence, Sequence]],
    axes: tuple[str, str],
    looks: dict[str, Look],
    *,
    size: tuple[float, float] = (9, 3.6),
    apart: float = 0.06,
    marks: bool = False,
    **limits: object,
) -> Figure:
    """Draw a line {name: (x, y)} each, with its name at its end; `axes` names x and y, `limits` go to `Axes.set`."""
    (ax,) = row = panels(*size)
    for name, (x, y) in curves.items():
        colour, line, mark, points, *_ = looks[name]
        ax.plot(x, y, color=colour, ls=line, marker=mark if marks else "", ms=points)
    first, last = min(float(x[0]) for x, _ in curves.values()), max(float(x[-1]) for x, _ in curves.values())
    ax.set(
        xlabel=axes[0],
        ylabel=axes[1],
        **{"xlim": (first - 0.02 * (last - first), last + 0.01 * (last - first))} | limits,
    )
    labels_at_right(ax, {name: (float(y[-1]), looks[name].colour) for name, (_, y) in curves.items()}, apart)
    ends = [f"{name} from {float(y[0]):.2f} to {float(y[-1]):.2f}" for name, (_, y) in curves.items()]
    return described(row, f"{axes[1]} against {axes[0]}", ends)


@style()
def accuracy_against_length(
    found: dict[str, dict[str, dict[int, Seeds]]],
    trained: int,
    chance: float,
    looks: dict[str, Look],
    *,
    size: tuple[float, float] = (9, 4.2),
    bands: bool = False,
    low: float = 0.0,
    apart: float = 0.06,
    axis: str = "length L (tokens)",
) -> Figure:
    """Draw accuracy against length (log scale): found[panel][method][length] holds one number a seed.

    A line goes through the means; seeds are marks or, with `bands`, an area from the lowest to the highest. The trained
    length and chance are marked, and accuracies start at `low`.
    """
    row = panels(*size, len(found))
    words = []
    for ax, (title, methods) in zip(row, found.items(), strict=True):
        ends = {}
        for name, seeds in methods.items():
            colour, line, mark, points, is_open, beside = looks[name]
            lengths = list(seeds)
            means = [mean(seeds[n]) for n in lengths]
            ax.plot(lengths, means, color=colour, ls=line, marker="o" if bands else "", ms=4)
            if bands:
                lowest, highest = ([end(seeds[n]) for n in lengths] for end in (min, max))
                ax.fill_between(lengths, lowest, highest, color=colour, alpha=0.15, lw=0)
            else:
                flat = [(n * beside, value) for n in lengths for value in seeds[n]]
                ax.plot(
                    *zip(*flat, strict=True), mark, color=colour, ms=points, mfc="none" if is_open else colour, zorder=3
                )
            ends[name] = (means[-1], colour)
            words.append(f"{title} {name} {means[0]:.2f} at {lengths[0]}, {means[-1]:.2f} at {lengths[-1]}".strip())
        counted(ax, "x", lengths)
        mark_trained(ax, trained, low + 0.02)
        ax.axhline(chance, color=BLACK, lw=1.5, ls="--")
        ax.text(lengths[0] * 1.03, chance + 0.01, "chance", va="bottom")
        ax.set(xlabel=axis, xlim=(0.93 * lengths[0], 1.06 * lengths[-1]), ylim=(low, 1.06), title=title)
        labels_at_right(ax, ends, apart)
    row[0].set_ylabel("accuracy")
    return described(row, f"Accuracy against length, trained at {trained}, chance {chance:.2g}", words)


def mark_trained(ax: Axes, trained: float, height: float, words: str = "trained length", va: str = "bottom") -> None:
    """Draw a dotted line where training ended, with words beside it at a height of the data."""
    ax.axvline(trained, color=BLACK, lw=1.5, ls=":")
    ax.text(trained * 1.04, height, words, va=va)


def in_rows(ax: Axes, names: Sequence[str]) -> None:
    """Give each name a row, the first on top, without ticks."""
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)


@style()
def dots_by_row(
    found: dict[str, dict[str, dict[str, Seeds]]],
    look: Callable[[str, str], Look],
    axis: str,
    *,
    size: tuple[float, float],
    name_of: Callable[[str], str] = str,
    apart: float = 0.0,
    **limits: object,
) -> Figure:
    """Draw found[panel][row][kind], one number a seed, as dots: `look` of a row and a kind, kinds so far `apart`."""
    row = panels(*size, len(found), sharey=True)
    words = []
    for ax, (title, rows) in zip(row, found.items(), strict=True):
        for y, (name, kinds) in enumerate(rows.items()):
            for k, (kind, values) in enumerate(kinds.items()):
                colour, _, mark, points, is_open, _ = look(name, kind)
                height = y + apart * (k - (len(kinds) - 1) / 2)
                fill = "none" if is_open else colour
                looks = {"color": colour, "ms": points, "mew": 2, "mfc": fill, "alpha": 1 if is_open else 0.7}
                ax.plot(
                    values, [height] * len(values), mark, label=None if y else kind, clip_on=False, zorder=3, **looks
                )
                words.append(f"{title} {name_of(name)} {kind} {mean(values):.2f}".strip())
        ax.set(title=title, **limits)
        in_rows(ax, [name_of(name) for name in rows])
    if len(found) == 1:
        row[0].set_xlabel(axis)
    else:
        row[0].figure.supxlabel(axis, fontsize=12)
    return described(row, axis, words)


def labels_at_right(ax: Axes, ends: dict[str, tuple[float, str]], apart: float = 0.055) -> None:
    """Write names beside the right ends (height, colour) of their lines, pushed apart where they would overlap.

    None of them leaves the height of the axes as long as there is room for all.
    """
    names = sorted(ends, key=lambda name: ends[name][0])
    scale = ax.transData - ax.transAxes  # from data to shares of the axes, 0 to 1, on a log axis too
    heights = {name: scale.transform((ax.get_xlim()[0], ends[name][0]))[1] for name in names}
    places = spread_out({name: max(0.0, height) for name, height in heights.items()}, apart)
    high = 1 + apart
    for name in reversed(names):
        places[name] = high = min(high - apart, places[name])
    for name in names:
        ax.text(1.01, places[name], name, transform=ax.transAxes, color=ends[name][1], va="center", fontsize=12)


def mean(values: Seeds) -> float:
    return sum(values) / len(values)


def described(row: Sequence[Axes], subject: str, parts: Sequence[str]) -> Figure:
    """Return the figure of these axes with what it shows in words: a subject, and the numbers of each part."""
    figure = row[0].figure
    figure.set_label(f"{subject}: {'; '.join(parts)}.")
    return figure
