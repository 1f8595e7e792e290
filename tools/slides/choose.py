"""Which cells of a notebook become slides: those that its structure asks for, and those of teaching/slides.csv.

Always on a slide: the title, the explorers, "Spot the bug" and its answer, the exercises, the summary. After a cell with
a "Predict" comes the first code cell below it, where its answer stands.
"""

import csv
import re
from dataclasses import dataclass, field

from nbformat import NotebookNode

from tools.course import ROOT
from tools.notebooks import PREDICT, asks, in_sight, is_deeper, is_folded
from tools.pages.collect import explorer_cells
from tools.pages.playable import playable_cells

CHOICES = ROOT / "teaching" / "slides.csv"
ALWAYS = ("title", "exercises", "summary")


@dataclass
class Slide:
    """`lead` is the cell that is shown; `cells` are all that it stands for, up to the next slide: its speaker notes."""

    kind: str  # title, text, predict, code, picture, result, explorer, bug, bug-answer, exercises, summary
    lead: NotebookNode
    heading: str
    text: str = ""  # what teaching/slides.csv writes in place of the cell's own words
    cells: list[NotebookNode] = field(default_factory=list)

    def part(self) -> list[NotebookNode]:
        """Return the cells from the one that is shown to the next heading or question: what belongs to it."""
        rest = self.cells[self.cells.index(self.lead) :]
        ends = (k for k, cell in enumerate(rest) if k and opens(cell))
        return rest[: next(ends, None)]


def read_choices() -> dict[tuple[str, str], str]:
    """Return {(notebook, cell): text} of teaching/slides.csv."""
    with open(CHOICES, encoding="utf-8", newline="") as file:
        return {(row["notebook"], row["cell"]): row["text"] for row in csv.DictReader(file)}


def choose(notebook: NotebookNode, name: str, choices: dict[tuple[str, str], str]) -> list[Slide]:
    """Return the slides of `notebook`, which is called `name`.

    Raises ValueError for a chosen cell that the notebook's core does not have.
    """
    shown = [cell for cell in in_sight(notebook) if not is_deeper(cell)]  # no collapsed section, nor its heading
    cells = [cell for cell in shown if cell.id not in ("setup", "imports") and not asks(cell)]
    texts = {cell: text for (here, cell), text in choices.items() if here == name}
    if unknown := texts.keys() - {cell.id for cell in cells}:
        raise ValueError(
            f"teaching/slides.csv: {name} has no cells {sorted(unknown)} outside of its collapsed sections"
        )
    leads = find_leads(cells, texts, {*explorer_cells(notebook), *playable_cells(notebook)})
    numbers = sorted(leads)
    firsts = [first_of(cells, number, numbers) for number in numbers]
    slides = []
    for number, first, end in zip(numbers, firsts, [*firsts[1:], len(cells)], strict=True):
        lead, heading = cells[number], heading_of(cells[: number + 1])
        slides.append(Slide(leads[number], lead, heading, texts.get(lead.id, ""), cells[first:end]))
    return slides


def find_leads(cells: list[NotebookNode], texts: dict[str, str], explorers: set[str]) -> dict[int, str]:
    """Return {number of a cell that is shown: kind of its slide}."""
    leads: dict[int, str] = {}
    bugs = next(k for k, cell in enumerate(cells) if cell.id == "bugs-run")
    answers = next(k for k, cell in enumerate(cells) if cell.id.startswith("bugs-answer"))
    for k, cell in enumerate(cells):
        if cell.id in ALWAYS:
            leads[k] = cell.id
        elif cell.id in explorers:
            leads[k] = "explorer"
        elif bugs <= k < answers and cell.cell_type == "code" and not is_folded(cell):
            leads[k] = "bug"
        elif k == answers:
            leads[k] = "bug-answer"
        elif cell.id in texts:
            leads[k] = kind_of(cell)
    for k in [k for k, kind in leads.items() if kind == "predict"]:
        leads.setdefault(next(n for n in range(k + 1, len(cells)) if cells[n].cell_type == "code"), "result")
    return leads


def kind_of(cell: NotebookNode) -> str:
    """Return the kind of slide that a chosen cell becomes, by what it is."""
    if cell.cell_type == "markdown":
        return "predict" if PREDICT in cell.source else "text"
    if has_picture(cell):
        return "picture"
    return "result" if is_folded(cell) or "answer(" in cell.source else "code"


def first_of(cells: list[NotebookNode], number: int, leads: list[int]) -> int:
    """Return where the slide of cell `number` begins: at the text right above it, if that has no slide of its own."""
    above = number - 1
    if cells[number].cell_type == "code" and cells[above].cell_type == "markdown" and above not in leads:
        return above
    return number


def opens(cell: NotebookNode) -> bool:
    """Return whether something new begins with `cell`: a section, or a question."""
    return cell.cell_type == "markdown" and (cell.source.startswith("#") or PREDICT in cell.source)


def has_picture(cell: NotebookNode) -> bool:
    return any("image/png" in output.get("data", {}) for output in cell.get("outputs", []))


def heading_of(cells: list[NotebookNode]) -> str:
    """Return the first heading of the last of `cells` that has one."""
    texts = [cell.source for cell in reversed(cells) if cell.cell_type == "markdown"]
    return next(match[1] for text in texts if (match := re.search(r"^#+ (.+)$", text, flags=re.M)))
