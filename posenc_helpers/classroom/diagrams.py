"""The diagram of notebooks 01, 03 and 07: a Transformer layer and its three doors, the active ones lit."""

from collections.abc import Collection
from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from posenc_helpers.classroom.colours import BLUE, BOX, INK, QUIET, WHITE
from posenc_helpers.classroom.figures import panels, style

# The path of a token, left to right: (text, place of the box's centre, width). Doors sit between the boxes.
BOXES = [
    ("tokens", 0.6, 1.0),
    ("embedding", 2.2, 1.4),
    ("q, k, v", 5.0, 1.1),
    ("scores\nq · k / √d_head", 8.1, 1.9),
    ("softmax", 11.2, 1.2),
    ("average\nof values", 12.9, 1.4),
]
DOORS = {1: ("embed", 3.65), 2: ("rotate", 6.35), 3: ("bias", 9.85)}
WHAT = {1: "add to the\ntoken embeddings", 2: "transform\nqueries and keys", 3: "add to the\nattention scores"}
LIT, SHUT = BLUE, QUIET


@style()
def three_doors(active: Collection[int] = ()) -> Figure:
    """Draw the way from tokens to attention with doors 1, 2 and 3; doors in `active` are lit, the others shut.

    Raises ValueError for a door that does not exist.
    """
    unknown = set(active) - set(DOORS)
    if unknown:
        raise ValueError(f"active={sorted(active)} names door {sorted(unknown)[0]}; allowed: 1, 2, 3")
    (ax,) = panels(10, 2.9)
    ax.axis("off")
    ax.set(xlim=(0, 13.7), ylim=(-1.4, 2.2))
    arrow = {"arrowstyle": "-|>", "color": INK}
    for text, x, width in BOXES:
        ax.add_patch(
            FancyBboxPatch((x - width / 2, -0.42), width, 0.84, "round,pad=0.04", facecolor=BOX, edgecolor=INK)
        )
        ax.text(x, 0, text, ha="center", va="center")
    for (_, x, width), (_, next_x, next_width) in pairwise(BOXES):
        ax.annotate("", (next_x - next_width / 2 - 0.05, 0), (x + width / 2 + 0.05, 0), arrowprops=arrow)
    for door in DOORS:
        _draw_door(ax, door, lit=door in active)
    for left, right, text in ((0.1, 4.1, "once"), (4.3, 13.6, "in every layer")):
        ax.plot([left, left, right, right], [1.62, 1.78, 1.78, 1.62], color=INK, lw=1)
        ax.text((left + right) / 2, 1.86, text, ha="center", va="bottom")
    return ax.figure


def _draw_door(ax: Axes, door: int, lit: bool) -> None:
    name, x = DOORS[door]
    colour, line = (LIT, "-") if lit else (SHUT, ":")
    ax.annotate("", (x, 0.06), (x, 0.78), arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 2.5, "ls": line})
    ax.text(
        x,
        1.12,
        f"door {door}: {name}",
        ha="center",
        va="center",
        weight="bold" if lit else "normal",
        color=WHITE if lit else INK,
        bbox={"boxstyle": "round,pad=0.35", "facecolor": colour if lit else WHITE, "edgecolor": colour, "ls": line},
    )
    ax.text(x, -0.62, WHAT[door], ha="center", va="top", color=colour if lit else INK)
