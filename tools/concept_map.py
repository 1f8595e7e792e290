"""The concept map of the course: which idea needs which. teaching/concepts.csv holds it; a table and a picture show it."""

import csv
import textwrap
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from posenc_helpers.classroom.colours import BLANK, BLUE, BROWN, GREEN, IDEA, INK, LEADING_IDEA, PINK, VERMILION, WORDS
from posenc_helpers.classroom.figures import panels, png, style
from tools.course import ROOT, notebook_paths

CONCEPTS = ROOT / "teaching" / "concepts.csv"
PICTURE = ROOT / "images" / "concept_map.png"
AND = " + "  # between the needs of an idea
WIDTH, HEIGHT = 1.9, 0.62  # of a box; an idea stands 2.2 to the right of the one before, a notebook 1.35 below

COLOURS = (BLUE, VERMILION, GREEN, PINK, BROWN, WORDS)  # of arrows, by the place of their idea in its row


@dataclass(frozen=True)
class Concept:
    """An idea, the notebook and cell that teach it, and the ideas without which it cannot be understood."""

    idea: str
    notebook: str  # two digits
    cell: str
    needs: tuple[str, ...]


def read_concepts() -> list[Concept]:
    """Return the ideas in the order of the course; each needs earlier ones only."""
    with open(CONCEPTS, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [Concept(r["idea"], r["notebook"], r["cell"], tuple(filter(None, r["needs"].split(AND)))) for r in rows]


def concept_table() -> str:
    """Return, as Markdown for a page in teaching/, the picture with its alternative text, and the same as a table."""
    concepts, names = read_concepts(), {path.stem[:2]: path.name for path in notebook_paths()}
    head = [f"![{alternative_text(concepts)}](../images/{PICTURE.name})", "", "| Idea | Notebook | Cell | Needs |"]
    rows = [
        f"| {row.idea} | [{row.notebook}](../notebooks/{names[row.notebook]}) | `{row.cell}` | {'; '.join(row.needs)} |"
        for row in concepts
    ]
    return "\n".join([*head, "|---|---|---|---|", *rows])


def alternative_text(concepts: list[Concept]) -> str:
    """Return what the picture shows, for someone who cannot see it: how many ideas and which of them carry most."""
    uses = {row.idea: sum(row.idea in other.needs for other in concepts) for row in concepts}
    most = sorted(uses, key=uses.get, reverse=True)[:5]
    listed = "; ".join(f"{idea}, needed by {uses[idea]}" for idea in most)
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
def drawn(concepts: list[Concept]) -> Figure:
    """Draw the ideas as boxes, a row a notebook, with arrows to those that need them; darker: needed by three or more."""
    numbers = sorted({row.notebook for row in concepts})
    place, seen = {}, dict.fromkeys(numbers, 0)
    for row in concepts:
        place[row.idea] = (2.2 * seen[row.notebook] + 1.5, -1.35 * numbers.index(row.notebook))
        seen[row.notebook] += 1
    uses = {row.idea: sum(row.idea in other.needs for other in concepts) for row in concepts}
    (ax,) = panels(13, 1.3 * len(numbers) + 0.4)
    ax.axis("off")
    ax.set(xlim=(-0.1, 2.2 * max(seen.values()) + 0.6), ylim=(-1.35 * len(numbers) + 0.8, 0.8))
    for idea, needs in direct_needs(concepts).items():
        for need in needs:
            _arrow(ax, place[need], place[idea], COLOURS[round((place[need][0] - 1.5) / 2.2)])
    for idea, (x, y) in place.items():
        corner = (x - WIDTH / 2, y - HEIGHT / 2)
        shade = LEADING_IDEA if uses[idea] >= 3 else IDEA if uses[idea] else BLANK
        ax.add_patch(FancyBboxPatch(corner, WIDTH, HEIGHT, "round,pad=0.05", facecolor=shade, edgecolor=INK))
        ax.text(x, y, textwrap.fill(idea, 18), ha="center", va="center", fontsize=11)
    for row, number in enumerate(numbers):
        ax.text(0, -1.35 * row, number, va="center", weight="bold", fontsize=15)
    return ax.figure


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


def draw(concepts: list[Concept], path: Path) -> None:
    """Write the picture of the map to `path`."""
    path.write_bytes(png(drawn(concepts), scale=1))
