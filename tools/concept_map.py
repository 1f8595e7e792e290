"""The concept map of the course: which idea needs which. teaching/concepts.csv holds it; a table and a picture show it."""

import csv
import textwrap
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from posenc_helpers.classroom.colours import BLANK, BLUE, BROWN, GREEN, IDEA, INK, LEADING_IDEA, PINK, VERMILION, WORDS
from posenc_helpers.classroom.figures import panels, png, style
from tools.course import ROOT, notebook_paths

PICTURE = ROOT / "images" / "concept_map.png"
WIDTH, HEIGHT = 1.9, 0.62  # of a box
RIGHT, DOWN = 2.2, 1.35  # from an idea to the next one in its row, from a notebook to the next
COLOURS = (BLUE, VERMILION, GREEN, PINK, BROWN, WORDS)  # of arrows, by the place of their idea in its row


class Concept(NamedTuple):
    """An idea, the notebook and cell that teach it, and the ideas without which it cannot be understood."""

    idea: str
    notebook: str  # two digits
    cell: str
    needs: tuple[str, ...]


def read_concepts() -> list[Concept]:
    """Return the ideas in the order of the course; each needs earlier ones only."""
    with open(ROOT / "teaching" / "concepts.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [Concept(**row | {"needs": tuple(filter(None, row["needs"].split(" + ")))}) for row in rows]


def concept_table() -> str:
    """Return, as Markdown for a page in teaching/, the picture with its alternative text, and the same as a table."""
    concepts, names = read_concepts(), {path.stem[:2]: path.name for path in notebook_paths()}
    head = [f"![{alternative_text(concepts)}](../images/{PICTURE.name})", "", "| Idea | Notebook | Cell | Needs |"]
    rows = [
        f"| {row.idea} | [{row.notebook}](../notebooks/{names[row.notebook]}) | `{row.cell}` | {'; '.join(row.needs)} |"
        for row in concepts
    ]
    return "\n".join([*head, "|---|---|---|---|", *rows])


def uses(concepts: list[Concept]) -> dict[str, int]:
    """Return {idea: how many others need it}."""
    return {row.idea: sum(row.idea in other.needs for other in concepts) for row in concepts}


def alternative_text(concepts: list[Concept]) -> str:
    """Return what the picture shows, for someone who cannot see it: how many ideas and which of them carry most."""
    most = sorted(uses(concepts).items(), key=lambda item: item[1], reverse=True)[:5]
    listed = "; ".join(f"{idea}, needed by {count}" for idea, count in most)
    rows = len({row.notebook for row in concepts})
    return (
        f"Concept map: {len(concepts)} ideas in {rows} rows, a row a notebook, with an arrow from each idea to those that"
        f" need it. Needed most: {listed}. The table below the picture says the same in words."
    )


def direct_needs(concepts: list[Concept]) -> dict[str, list[str]]:
    """Return {idea: needs}, less those that another need brings along: so the picture has fewer lines and says the same."""
    behind: dict[str, set[str]] = {}  # all that an idea needs, at any remove
    for row in concepts:
        behind[row.idea] = set(row.needs).union(*(behind[need] for need in row.needs))
    return {
        row.idea: [need for need in row.needs if not any(need in behind[other] for other in row.needs)]
        for row in concepts
    }


@style()
def draw(concepts: list[Concept]) -> None:
    """Write the picture: ideas as boxes, a row a notebook, arrows to those that need them; darker: needed by 3 or more."""
    rows: dict[str, list[str]] = {}  # the ideas of each notebook
    for concept in concepts:
        rows.setdefault(concept.notebook, []).append(concept.idea)
    (ax,) = panels(13, 1.3 * len(rows) + 0.4)
    ax.axis("off")
    ax.set(xlim=(-0.1, RIGHT * max(map(len, rows.values())) + 0.6), ylim=(-DOWN * len(rows) + 0.8, 0.8))
    place, colour = {}, {}
    for row, (number, ideas) in enumerate(rows.items()):
        ax.text(0, -DOWN * row, number, va="center", weight="bold", fontsize=15)
        for column, idea in enumerate(ideas):
            place[idea], colour[idea] = (RIGHT * column + 1.5, -DOWN * row), COLOURS[column]
    for idea, needs in direct_needs(concepts).items():
        for need in needs:
            _arrow(ax, place[need], place[idea], colour[need])
    for idea, count in uses(concepts).items():
        x, y = place[idea]
        shade = LEADING_IDEA if count >= 3 else IDEA if count else BLANK
        corner = (x - WIDTH / 2, y - HEIGHT / 2)
        ax.add_patch(FancyBboxPatch(corner, WIDTH, HEIGHT, "round,pad=0.05", facecolor=shade, edgecolor=INK))
        ax.text(x, y, textwrap.fill(idea, 18), ha="center", va="center", fontsize=11)
    PICTURE.write_bytes(png(ax.figure, scale=1))


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float], colour: str) -> None:
    """Draw an arrow from one box to another: sideways to the next one, over the heads of a row, or down to another row."""
    (x0, y0), (x1, y1) = start, end
    half_width, half_height = WIDTH / 2 + 0.05, HEIGHT / 2 + 0.05
    if y0 > y1:
        tail, tip, bend = (x0, y0 - half_height), (x1, y1 + half_height), 0.06
    elif x1 - x0 < 3:
        tail, tip, bend = (x0 + half_width, y0), (x1 - half_width, y1), 0
    else:
        tail, tip, bend = (x0 + 0.4, y0 + half_height), (x1 - 0.4, y1 + half_height), -0.12
    arrow = {"arrowstyle": "-|>", "color": colour, "lw": 1.6, "connectionstyle": f"arc3,rad={bend}"}
    ax.annotate("", tip, tail, arrowprops=arrow | {"shrinkA": 0, "shrinkB": 0}, zorder=0)
