"""The student edition of a notebook: solutions and answers go, and so do the saved outputs that answer a "Predict".

Stubs, checks, hints and all other saved outputs stay, pictures included.
"""

import re
from copy import deepcopy

from nbformat import NotebookNode

from tools.course import address, badges
from tools.editions.folds import answer_folds, hints, replace_answers
from tools.grading.reading import ANSWER, SOLUTION, tags
from tools.notebooks import PREDICT, printed

YOURS = "**Your answer:** *double-click here and write it down.*"


def student(notebook: NotebookNode, name: str) -> NotebookNode:
    """Return a copy of `notebook`, which is called `name` (with .ipynb), without anything that answers for the student."""
    cells, asked = [], False
    for cell in deepcopy(notebook.cells):
        if cell.cell_type == "markdown":
            asked = PREDICT in cell.source or (asked and not cell.source.startswith(("# ", "## ")))
        if ANSWER in tags(cell):
            if not answer_folds(cell):
                continue  # code that shows the bugs, or text about them
            cell.source = YOURS
        elif SOLUTION in tags(cell):
            cell.source = hints(cell)
            if not cell.source:
                continue  # a key of a homework sheet
        elif answer_folds(cell):
            cell.source = replace_answers(cell, _open_question)
        if cell.cell_type == "code" and (asked or predictions(cell)):  # also a table or a picture above the answer
            asked = asked and not predictions(cell)
            cell.outputs = []
        cells.append(cell)
    # A badge opens the course's own notebook, which has the solutions.
    cells[0].source = re.sub(r"\n{3,}", "\n\n", cells[0].source.replace(badges(address(), name), ""))
    made = deepcopy(notebook)
    made.cells = cells
    return made


def predictions(cell: NotebookNode) -> list[str]:
    """Return the lines that the code cell `cell` printed to answer a "Predict": those of `claims.answer`."""
    return [line for line in printed(cell) if line.startswith("=>  ")]


def _open_question(summary: str) -> str:
    """Return what stands in the place of an answer: its question, where the fold's title was one, and room to write."""
    return f"*{summary}*\n\n{YOURS}" if summary.endswith("?") else YOURS
