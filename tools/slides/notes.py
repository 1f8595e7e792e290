"""Speaker notes: the minutes of the instructor's guide, and the full text of the cells that a slide stands for."""

import html
import re

from nbformat import NotebookNode

from tools.course import ROOT
from tools.grading.reading import SOLUTION, tags
from tools.notebooks import printed
from tools.slides.choose import Slide
from tools.slides.words import as_html, inline

GUIDE = ROOT / "teaching" / "guide"
PLAN = re.compile(r"^## (\d+ minutes)$(.*?)(?=^## |\Z)", re.M | re.S)
CELLS = re.compile(r"`([\w-]+)`(?: to `([\w-]+)`)?")
ROW = re.compile(r"^\| *(\d+[-–]\d+) *\|([^|\n]*)\|([^|\n]*)\|", re.M)


def read_plan(name: str, notebook: NotebookNode) -> dict[str, list[str]]:
    """Return {cell: ["50 minutes, 0-7: Count hands", ...]} from the guide's page of a notebook, if there is one.

    A row of a plan is | minutes | `first` to `last`, `other` | what to do |; what does not read like this is left out.
    """
    file, found = GUIDE / f"{name}.md", {}
    if not file.is_file():
        return found
    order = [cell.id for cell in notebook.cells]
    for plan, table in PLAN.findall(file.read_text(encoding="utf-8")):
        for minutes, cells, words in ROW.findall(table):
            for first, last in CELLS.findall(cells):
                if first in order and (last or first) in order:
                    for cell in order[order.index(first) : order.index(last or first) + 1]:
                        found.setdefault(cell, []).append(f"{plan}, {minutes}: {words.strip()}")
    return found


def notes(slide: Slide, plan: dict[str, list[str]]) -> str:
    """Return the speaker notes of a slide as HTML. Solutions of exercises stand in no note: a deck may be handed out."""
    said = plan.get(slide.lead.id, [])
    parts = [f"<p><strong>{inline(line)}</strong></p>" for line in said]
    for cell in slide.cells:
        if cell.cell_type == "markdown" and SOLUTION not in tags(cell):
            parts.append(as_html(spoken(cell.source, folds=slide.kind != "exercises", card=cell.id == "title")))
        elif cell.cell_type == "code" and (lines := printed(cell)):
            parts.append(f"<pre>{html.escape(chr(10).join(lines))}</pre>")
    return "\n".join(parts)


def spoken(markdown: str, folds: bool, card: bool) -> str:
    """Return a cell's text for the notes: folds opened or left out, headings as bold lines, no pictures.

    `card` keeps only the tables: what stands on the first cell beside them are links.
    """
    text = re.sub(r"\[?!\[[^\]]*\]\([^)]*\)(\]\([^)]*\))?", "", markdown)
    if not folds:
        text = re.sub(r"<details>.*?</details>", "", text, flags=re.S)
    text = re.sub(r"<details>\s*<summary>(.*?)</summary>", r"**\1**", text, flags=re.S).replace("</details>", "")
    text = re.sub(r"^#+ (.+)$", r"**\1**", text, flags=re.M)
    return "\n".join(re.findall(r"^\|.*$", text, flags=re.M)) if card else text
