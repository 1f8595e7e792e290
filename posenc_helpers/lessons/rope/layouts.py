"""Pictures of notebook 06: which columns are a pair, the two layouts and the bug between them, reordered rows."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Arc, Rectangle
from torch import Tensor

from posenc_helpers.classroom import charts
from posenc_helpers.classroom.charts import Look, lines
from posenc_helpers.classroom.colours import GREEN, INK, ORANGE, PALETTE, PINK, SKY, SPAN
from posenc_helpers.classroom.figures import panels, style

PAIRS = (ORANGE, SKY, GREEN, PINK)  # one colour per pair of columns, Okabe and Ito


@style()
def layouts() -> Figure:
    """Draw eight columns three times: arcs join the columns that turn together, colours say which angle each takes."""
    half = [j % 4 for j in range(8)]
    rows = [
        ("interleaved", [j // 2 for j in range(8)], [(2 * i, 2 * i + 1) for i in range(4)]),
        ("half", half, [(i, i + 4) for i in range(4)]),
        ("mixed (a bug)", half, [(2 * i, 2 * i + 1) for i in range(4)]),
    ]
    (ax,) = panels(9, 4.6)
    for row, (name, angles, joined) in enumerate(rows):
        bottom = -2.5 * row
        ax.text(-0.7, bottom, name, ha="right", va="center", weight="bold")
        for column, angle in enumerate(angles):
            _box(ax, column, bottom, PAIRS[angle], f"x{column}")
            ax.text(column, bottom - 0.75, f"$w_{angle}$", ha="center", va="center")
        for left, right in joined:
            height = 0.4 + 0.13 * (right - left)
            arc = Arc(((left + right) / 2, bottom + 0.4), right - left, 2 * height, theta1=0, theta2=180, lw=2)
            ax.add_patch(arc)
    ax.set(xlim=(-3.3, 7.6), ylim=(-6.1, 1.1))
    ax.axis("off")
    return ax.figure


def matrices(tables: dict[str, Tensor]) -> Figure:
    """Draw square matrices side by side on one signed scale, each entry that is not 0 with its value."""
    looks = {"size": (9.2, 4.6), "axes": ("column of x, turned", "column of x"), "ticks": "all", "shrink": 0.8}
    number = lambda entry: f"{entry:.2f}" if entry else ""  # noqa: E731
    return charts.matrices(list(tables.values()), list(tables), "entry", 1.2, numbers=number, **looks)


def moved_scores(scores: dict[str, Tensor], back: int) -> Figure:
    """Draw one line per entry of scores (places,): q . k, the key so far `back`, while both move, the key from 0 on."""
    curves = {name: (range(back, back + len(line)), line) for name, line in scores.items()}
    looks = dict(zip(scores, (Look(PALETTE["rope"]), Look(INK, "--")), strict=True))
    m = next(iter(curves.values()))[0]
    axes = ("position m of the query (token)", f"score at n - m = {-back}")
    return lines(curves, axes, looks, xlim=(m[0], m[-1]))


def _box(ax: Axes, x: float, y: float, colour: str, words: str) -> None:
    ax.add_patch(Rectangle((x - 0.4, y - 0.4), 0.8, 0.8, facecolor=colour, edgecolor=INK))
    ax.text(x, y, words, ha="center", va="center")


@style()
def reordered_rows() -> Figure:
    """Draw the eight rows of W_q of one head above the same rows in the order of the half layout, joined by lines."""
    order = [0, 2, 4, 6, 1, 3, 5, 7]
    (ax,) = panels(9, 2.9)
    for place, row in enumerate(order):
        _box(ax, row, 0, PAIRS[row // 2], str(row))
        _box(ax, place, -2.4, PAIRS[row // 2], str(row))
        ax.plot([row, place], [-0.4, -2.0], color=PAIRS[row // 2], lw=2.5, zorder=0)
    for y, name in ((0, "interleaved"), (-2.4, "half")):
        ax.text(-0.7, y, name, ha="right", va="center", weight="bold")
    ax.set(xlim=(-3.0, 7.6), ylim=(-3.0, 0.6))
    ax.axis("off")
    return ax.figure


@style()
def changed_columns(changes: Tensor, places: list[int], rotary_dim: int) -> Figure:
    """Draw by how much each column changed (places, d_head), on a log scale: a mark for each that did, none for others."""
    (ax,) = panels(9, 3.0)
    for row, place, colour, marker in zip(changes, places, (PALETTE["rope"], PAIRS[1]), ("o", "D"), strict=True):
        moved = row.nonzero().flatten()
        ax.plot(moved, row[moved], marker, color=colour, ms=7, label=f"position {place:,}")
    ax.axvspan(rotary_dim - 0.5, changes.shape[1], color=SPAN)
    middle = (rotary_dim + changes.shape[1]) / 2
    ax.text(middle, 0.5, "do not turn", transform=ax.get_xaxis_transform(), ha="center", va="center")
    ax.legend(loc="upper right")
    ax.set(xlabel="column", ylabel="changed by", yscale="log", xlim=(-1, changes.shape[1]))
    ax.set_xticks(range(0, changes.shape[1] + 1, 8))
    return ax.figure
