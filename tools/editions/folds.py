"""The folds of a text cell, <details><summary>Hint</summary> ... </details>, and which of them are answers."""

import re
from collections.abc import Callable

from nbformat import NotebookNode

from tools.grading.reading import ANSWER, FOLDED_ANSWER, SOLUTION, tags

FOLD = re.compile(r"<details>\s*<summary>(.*?)</summary>(.*?)</details>", re.S)
HINT = "Hint"  # the fold of a solution cell that students keep


def answer_folds(cell: NotebookNode) -> list[tuple[str, str]]:
    """Return (summary, text) of the folds of `cell` that are answers."""
    told = {SOLUTION, ANSWER, FOLDED_ANSWER} & {*tags(cell)}
    found = FOLD.findall(cell.source) if told else []
    return [(summary, text) for summary, text in found if not (SOLUTION in told and summary == HINT)]


def hints(cell: NotebookNode) -> str:
    """Return what of a solution cell students keep: its folds "Hint"."""
    return "\n\n".join(fold[0] for fold in FOLD.finditer(cell.source) if fold[1] == HINT)


def without_hints(cell: NotebookNode) -> str:
    """Return what of a solution cell students do not get, folds opened, in whatever place of the cell it stands."""
    return FOLD.sub(lambda fold: "" if fold[1] == HINT else fold[2], cell.source)


def replace_answers(cell: NotebookNode, new: Callable[[str], str]) -> str:
    """Return the text of `cell` with `new(summary)` in the place of each fold that is an answer."""
    told = {summary for summary, _ in answer_folds(cell)}
    text = FOLD.sub(lambda fold: new(fold[1]) if fold[1] in told else fold[0], cell.source)
    return re.sub(r"\n{3,}", "\n\n", text).strip()
