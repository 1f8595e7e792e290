"""The loss against the position as a chart: a live run in front of stored ones."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from posenc_helpers.classroom.charts import labels_at_right, mark_trained
from posenc_helpers.classroom.colours import GUIDE, WHITE, WORDS, colour_of, line_of, name_of
from posenc_helpers.classroom.figures import counted, panels, style
from posenc_helpers.lab.evaluation import octave_blocks
from posenc_helpers.lab.shootout import TRAINED, Row


@style()
def loss_against_position(
    rows: Sequence[Row], stored: Sequence[dict] = (), trained: int = TRAINED, yardsticks: dict[int, float] | None = None
) -> Figure:
    """Draw the loss of each encoding at every position, the live run in front, stored runs as bands behind.

    `rows` as `shootout` returns them (several seeds are averaged), `stored` as `load_results("shootout")`. Far positions
    are averaged, eight points an octave. `yardsticks`: {order: loss} of n-grams.
    """
    (ax,) = panels(9, 5)
    names = list(dict.fromkeys(row.encoding for row in rows))
    ends = {}
    for name in names:
        band = _band(stored, name)
        if band:
            ax.fill_between(*band, color=colour_of(name), alpha=0.25, lw=0)
        x, y = _line(rows, name)
        ax.plot(x, y, color=colour_of(name), ls=line_of(name))
        ends[name] = y[-1]
    for order, loss in (yardsticks or {}).items():
        ax.axhline(loss, color=GUIDE, lw=1, ls=":", zorder=0)
        box = {"fc": WHITE, "ec": "none", "pad": 1}
        ax.text(0.56, loss, f"{order}-gram", color=WORDS, va="center", fontsize=11, zorder=1, bbox=box)
    ax.set(xlabel="position p (character)", ylabel="loss (nats a character)")
    last = max(row.position for row in rows) + 1
    counted(ax, "x", [2**k for k in range(last.bit_length()) if 2**k <= last])
    ax.margins(y=0.07)
    ax.set_xlim(0.55, last)  # room for the names of the yardsticks
    mark_trained(ax, trained, ax.get_ylim()[1], f"trained on {trained}", va="top")
    labels_at_right(ax, {name_of(name): (end, colour_of(name)) for name, end in ends.items()})
    return ax.figure


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
