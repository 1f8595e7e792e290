"""The student edition of a notebook: solutions and answers go, and so does what answers a "Predict".

From a "Predict" to the end of its section no saved output is left: no picture, caption, table or line. The text that
follows the answer is folded, up to the next heading, and up to the end of the section where it quotes the number.
Stubs, checks, hints and all other saved outputs stay, pictures included.
"""

import itertools
import re
from collections.abc import Iterator
from copy import deepcopy

from nbformat import NotebookNode

from tools.course import address, badges
from tools.editions.folds import answer_folds, hints, replace_answers
from tools.grading.reading import ANSWER, SOLUTION, tags
from tools.notebooks import PREDICT, printed

YOURS = "**Your answer:** *double-click here and write it down.*"
AFTER = "Read this once you have run the cells above"
NUMBER = re.compile(r": (-?\d[\d,.]*(?:e[+-]?\d+)?) \([^()]*(?:\([^()]*\)[^()]*)?\)$")  # what `answer` measured


def student(notebook: NotebookNode, name: str) -> NotebookNode:
    """Return a copy of `notebook`, which is called `name` (with .ipynb), without anything that answers for the student."""
    cells = []
    for cell, asked, told, numbers in sections(deepcopy(notebook.cells)):
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
        if cell.cell_type == "markdown" and (told or (asked and quotes(cell.source, numbers))):
            cell.source = folded(cell.source)
        if cell.cell_type == "code" and asked:
            cell.outputs = []
        cells.append(cell)
    # A badge opens the course's own notebook, which has the solutions.
    cells[0].source = re.sub(r"\n{3,}", "\n\n", cells[0].source.replace(badges(address(), name), ""))
    made = deepcopy(notebook)
    made.cells = cells
    return made


def sections(cells: list[NotebookNode]) -> Iterator[tuple[NotebookNode, bool, bool, list[str]]]:
    """Yield each of `cells` with whether a "Predict" stands above it in its section, or it has the answer itself;
    whether the text follows an answer, with no heading in between; and the numbers of all answers of the section.
    """
    asked, told, numbers = False, False, []
    for k, cell in enumerate(cells):
        if cell.cell_type == "code":
            found = bool(predictions(cell))
            asked, told = asked or found, told or found
            yield cell, asked, told, numbers
            continue
        if begins_section(cell) or not k:
            rest = itertools.takewhile(lambda other: not begins_section(other), cells[k + 1 :])
            lines = [line for other in rest if other.cell_type == "code" for line in predictions(other)]
            asked, numbers = False, [match[1] for line in lines if (match := NUMBER.search(line))]
        told = told and not cell.source.startswith("#")
        yield cell, asked, told, numbers
        asked, told = asked or PREDICT in cell.source, told and PREDICT not in cell.source


def begins_section(cell: NotebookNode) -> bool:
    return cell.cell_type == "markdown" and cell.source.startswith(("# ", "## "))


def quotes(text: str, numbers: list[str]) -> bool:
    """Return whether `text` holds one of `numbers`; a single digit, which any text may hold, is none."""
    says = [re.escape(number) for number in numbers if len(re.sub(r"\D", "", number)) > 1 or number[0] == "-"]
    return bool(says) and bool(re.search(rf"(?<![\d.,])(?:{'|'.join(says)})(?![\d]|[.,]\d)", text))


def folded(text: str) -> str:
    """Return `text` folded, but for its heading and from a "Predict" on."""
    head, rest = re.match(r"((?:#+ [^\n]*\n+)*)(.*)", text, re.S).groups()
    begin = rest.rfind("\n\n", 0, rest.index(PREDICT)) + 2 if PREDICT in rest else len(rest)
    told, question = (rest[:begin], rest[begin:]) if begin > 1 else ("", rest)
    fold = f"<details><summary>{AFTER}</summary>\n\n{told.strip()}\n\n</details>" if told.strip() else ""
    return "\n\n".join(part.strip() for part in (head, fold, question) if part.strip())


def predictions(cell: NotebookNode) -> list[str]:
    """Return the lines that the code cell `cell` printed to answer a "Predict": those of `claims.answer`."""
    return [line for line in printed(cell) if line.startswith("=>  ")]


def _open_question(summary: str) -> str:
    """Return what stands in the place of an answer: its question, where the fold's title was one, and room to write."""
    return f"*{summary}*\n\n{YOURS}" if summary.endswith("?") else YOURS
