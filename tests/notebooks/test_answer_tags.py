"""Every fold, and every cell of "Spot the bug" after the bugs, says by a tag whether it is an answer: no tool guesses."""

import re

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

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


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_spot_the_bug_has_an_answer(path):
    assert [cell.id for cell in read(path).cells if ANSWER in tags(cell)]


def text(source, *tags):
    return new_markdown_cell(source, metadata={"tags": list(tags)})


@pytest.mark.parametrize("cells, wrong", [
    ([text("<details>Sources</details>")], [0]),
    ([text("<details>Sources</details>", ASIDE)], []),
    ([text("<details>Sources</details>", ASIDE, FOLDED_ANSWER)], [0]),
    ([text("open", FOLDED_ANSWER)], [0]),
    ([text("## Spot the bug"), new_code_cell("bug"), text("<details>It</details>", ANSWER), new_code_cell("test")], [3]),
    ([text("## Spot the bug"), text("<details>It</details>", ANSWER), text("a tool that stays", ASIDE)], []),
    ([text("## Spot the bug"), text("<details>It</details>", ASIDE), text("## Next"), new_code_cell("a")], [1]),
    ([text("## Spot the bug"), text("### More"), text("<details>It</details>", ANSWER), text("b")], [3]),
])  # fmt: skip
def test_the_test_sees(cells, wrong):
    notebook = new_notebook(cells=cells)
    assert untagged(notebook) == [notebook.cells[k].id for k in wrong]
