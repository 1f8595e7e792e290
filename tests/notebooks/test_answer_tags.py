"""Every fold, and every cell of "Spot the bug" after the bugs, says by a tag whether it is an answer: no tool guesses."""

import re

import pytest

from tests.notebooks.reading import NAMES, PATHS, read, tags
from tools.grading.reading import ANSWER, ASIDE, FOLDED_ANSWER, SOLUTION

FOLDS = {SOLUTION, ANSWER, FOLDED_ANSWER, ASIDE}


def untagged(notebook):
    """Return the ids of cells that hold an answer, or may, and do not say which."""
    found, in_bugs, solved = [], False, False
    for cell in notebook.cells:
        text = cell.source if cell.cell_type == "markdown" else ""
        if heading := re.search(r"^(##+) (.+)$", text, re.M):
            in_bugs = heading[2] == "Spot the bug" or (in_bugs and len(heading[1]) > 2)
            solved = False
        solved = solved or (in_bugs and "<details>" in text)
        said = FOLDS & set(tags(cell))
        folded = "<details>" in text
        if len(said) != 1 and (folded or solved):
            found.append(cell.id)  # it may be an answer, and does not say
        elif (said & {SOLUTION, FOLDED_ANSWER} and not folded) or (folded and in_bugs and said != {ANSWER}):
            found.append(cell.id)  # it says what it is not
    return found


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_every_answer_is_tagged(path):
    assert untagged(read(path)) == []
    assert [cell.id for cell in read(path).cells if ANSWER in tags(cell)], "spot the bug has no answer"
