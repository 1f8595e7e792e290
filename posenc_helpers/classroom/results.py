"""Figures of what the lab measured: loss against position, live curves, the rescue of RoPE."""

from collections.abc import Callable, Sequence

from IPython.display import display
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from posenc_helpers.classroom.figures import (
    LABELS,
    PALETTE,
    check_words,
    counted,
    figure,
    picture,
    show_caption,
    spread_out,
    style,
)
from posenc_helpers.lab.evaluation import octave_blocks
from posenc_helpers.lab.results import values_of
from posenc_helpers.lab.shootout import STEPS, TRAINED, Row

DASHED = {"t5 x8", "learned"}  # lines that need more than their colour


def _colour(name: str) -> str:
    return PALETTE.get(name, "black")  # a reader's own encoding has none


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


RESCUES = {"none": "nothing", "linear": "position\ninterpolation", "ntk": "NTK-aware", "by-parts": "NTK-by-parts",
           "yarn": "YaRN\n(paper's ramp)"}  # fmt: skip
TUNED = {0: ("no fine-tuning", "#1b1b1b"), 10: ("10 steps", "#7f7f7f"), 60: ("60 steps", "#c7c7c7")}
LEVELS = {"from the start": ("trained on 128\nfrom the start", ":")}


def rescue_bars(stored: Sequence[dict]) -> Figure:
    """Draw the loss of stretched RoPE models, a group of bars per method, a dot per seed: `load_results("rescue")`.

    A bar per number of fine-tuning steps, and a short line where the last of them is spent at the trained length, the
    control. A dotted line: a model trained at the long length from the start. Give the rows of one number of `steps`.
    """
    with style():
        fig = figure(9.2, 4.4)
        ax = fig.add_subplot()
        for shift, (steps, (name, colour)) in zip((-0.27, 0, 0.27), TUNED.items(), strict=True):
            for place, method in enumerate(RESCUES):
                found = values_of(stored, "loss", method=method, tuned=steps)
                mean = sum(found) / len(found)
                ax.bar(place + shift, mean, width=0.25, color=colour, label=name if place == 0 else None)
                ax.scatter([place + shift] * len(found), found, s=14, color="white", edgecolors="black", zorder=3)
                top = max(found)
                if steps == 60:
                    control = values_of(stored, "loss", method=f"{method}, at 32", tuned=steps)
                    level = sum(control) / len(control)
                    ends = [place + shift - 0.17, place + shift + 0.17]
                    label = "60 steps at 32 instead" if place == 0 else None
                    ax.plot(ends, [level, level], color="#d55e00", lw=3, zorder=2, label=label)
                    top = level if 0 < level - top < 0.25 else top  # the number stands above a line that is near
                box = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}  # one number lies on the dotted line
                ax.text(place + shift, top + 0.05, f"{mean:.2f}", ha="center", fontsize=10, bbox=box, zorder=1.5)
        for method, (name, dash) in LEVELS.items():
            found = values_of(stored, "loss", method=method)
            level = sum(found) / len(found)
            ax.axhline(level, color="#d55e00", lw=1.5, ls=dash, zorder=0)
            ax.text(len(RESCUES) - 0.48, level, name, va="center", fontsize=11, color="#d55e00")
        ax.set_xticks(range(len(RESCUES)), RESCUES.values())
        ax.set(ylabel="loss over 128 characters\n(nats a character)", xlim=(-0.5, len(RESCUES) - 0.5))
        ax.set_ylim(0, max(row["loss"] for row in stored if row["method"] in RESCUES) + 0.6)
        line, *bars = zip(*ax.get_legend_handles_labels(), strict=True)
        ax.legend(*zip(*bars, line, strict=True), loc="upper right", ncols=4, fontsize=11)
    return fig
