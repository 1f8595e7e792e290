"""`python -m tools.questions`: write QUESTIONS.md, what readers ask and the cells that answer it, from data/questions.csv.

A row of the file is one claim, named by what it says in the saved output of its cell; a row without a claim names a cell
whose figure or table answers. The first row of a question also holds its topic, the question and the answer.
"""

import csv
import re
from typing import NamedTuple

import nbformat
from nbformat import NotebookNode

from posenc_helpers.lab.files import replace_file
from tools.course import ROOT, notebook_paths

SOURCE = ROOT / "data" / "questions.csv"
PAGE = ROOT / "QUESTIONS.md"
INTRODUCTION = """\
# Questions that readers ask

Each answer is short. Below it stand the cells that show it: the notebook, the cell's id, the section, and the lines that the
cell prints, with their bounds in place of what was measured. Unfold a section that is "Going deeper", and a line such as
`ok  2 of 2: ...`, which holds others. In JupyterLab a link leads to its cell, elsewhere to the notebook.
The words are in [the glossary](GLOSSARY.md).
"""
# What a cell prints of a claim: "ok  STATEMENT", "=>  STATEMENT: MEASURED (BOUND)"
LINE = re.compile(
    r"^\s*(?:ok|=>)  (?P<statement>.*?)(?:: \S+ \((?P<bound>(?:below|above|within|exactly) .*)\))?$", re.M
)


class Question(NamedTuple):
    """What is asked, the answer, and what shows it: (notebook "02", cell id, claim), the claim "" for a figure."""

    id: str
    topic: str
    question: str
    answer: str
    shown: list[tuple[str, str, str]]


def rows() -> list[dict[str, str]]:
    """Return the rows of the file."""
    with open(SOURCE, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def load_questions() -> list[Question]:
    """Return the questions in the order of the file."""
    questions: dict[str, Question] = {}
    for row in rows():
        first = Question(row["id"], row["topic"], row["question"], row["answer"], [])
        questions.setdefault(row["id"], first).shown.append((row["notebook"], row["cell"], row["claim"]))
    return list(questions.values())


def printed(cell: NotebookNode) -> str:
    """Return the text of the saved output of `cell`: what was printed, what is folded, captions and descriptions."""
    texts = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.get("outputs", [])]
    return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(texts))


def claims(cell: NotebookNode) -> dict[str, str]:
    """Return {statement: bound} of the claims that `cell` printed; the bound is "" where a claim has none."""
    return {line["statement"]: line["bound"] or "" for line in LINE.finditer(printed(cell))}


def places(notebook: NotebookNode) -> dict[str, tuple[str, NotebookNode]]:
    """Return {cell id: (the headings above it, outermost first, and the cell)}; the notebook's title is left out."""
    headings: list[tuple[int, str]] = []
    found = {}
    for cell in notebook.cells:
        heading = re.match(r"(##+) (.+)", cell.source) if cell.cell_type == "markdown" else None
        if heading:
            headings = [(level, text) for level, text in headings if level < len(heading[1])]
            headings.append((len(heading[1]), heading[2]))
        found[cell.id] = (" › ".join(text for _, text in headings), cell)
    return found


def page(questions: list[Question]) -> str:
    """Return QUESTIONS.md. Raises KeyError for a notebook, a cell or a claim that is not there."""
    paths = {path.name[:2]: path for path in notebook_paths()}
    cells = {number: places(nbformat.read(path, as_version=4)) for number, path in paths.items()}
    lines, topic = [INTRODUCTION], None
    for question in questions:
        if question.topic != topic:
            topic = question.topic
            lines.append(f"## {topic}\n")
        lines += [f'### <a id="{question.id}"></a>{question.question}\n', f"{question.answer}\n"]
        for number, cell_id in dict.fromkeys((number, cell_id) for number, cell_id, _ in question.shown):
            section, cell = cells[number][cell_id]
            said = [claim for *where, claim in question.shown if where == [number, cell_id]]
            shown = "; ".join(_line(claim, claims(cell)[claim]) if claim else "its figure" for claim in said)
            link = f"[{number} `{cell_id}`](notebooks/{paths[number].name}#cell-id={cell_id})"
            lines.append(f'- {link} under "{section}": {shown}')
        lines.append("")
    return "\n".join(lines)


def _line(claim: str, bound: str) -> str:
    return f"`{claim}: {bound}`" if bound else f"`{claim}`"


def main() -> None:
    replace_file(PAGE, page(load_questions()))


if __name__ == "__main__":
    main()
