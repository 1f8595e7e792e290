"""What answers says so by a tag, and is not in the open before a reader has thought: no tool guesses."""

import re

import pytest

from tests.notebooks.reading import NAMES, PATHS, read, tags, visible_words
from tools.grading.reading import ANSWER, ASIDE, FOLDED_ANSWER, SOLUTION
from tools.notebooks import SHUT, printed
from tools.pages.predict import ENDS, answers, kind_of

FOLDS = {SOLUTION, ANSWER, FOLDED_ANSWER, ASIDE}
NAMED = re.compile(r"\bbugs? \d|^\d+\. ", re.M)  # what a text in the open says of one of them
SMALL = 12  # numbers up to that stand in any text


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


def bugs(notebook):
    """Return the cells of "Spot the bug", with what is deeper there."""
    cells = notebook.cells
    start = next(k for k, cell in enumerate(cells) if re.search("^## Spot the bug$", cell.source, re.M))
    return cells[start : next(k for k in range(start + 1, len(cells)) if cells[k].source.startswith("## "))]


def shows(cell):
    """Return whether a code cell shows what was checked, or a picture."""
    lines = any(line.startswith(("ok  ", "=>  ")) for line in printed(cell))
    return lines or any({"text/html", "image/png"} & set(output.get("data", {})) for output in cell.outputs)


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_no_output_of_spot_the_bug_answers_in_the_open(path):
    code = [cell for cell in bugs(read(path)) if cell.cell_type == "code"]
    answering = [cell for cell in code if ANSWER in tags(cell) or shows(cell)]
    assert answering and [cell.id for cell in answering if SHUT not in tags(cell)] == []


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_no_text_of_spot_the_bug_answers_in_the_open(path):
    for cell in bugs(read(path)):
        if cell.cell_type == "markdown" and ANSWER in tags(cell):
            seen = re.sub(r"<details>.*?</details>", "", cell.source, flags=re.S)
            assert not NAMED.search(seen), cell.id


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_no_title_of_what_is_shut_answers(path):
    """ "What the shift test misses" is a result; "Test both functions" is none."""
    titles = [cell.source.split("\n")[0] for cell in read(path).cells if SHUT in tags(cell)]
    assert [title for title in titles if re.search(r"\d\.\d|wrong|hides|wins", title)] == []


def following(notebook, asked):
    """Return what stands in the open right below the part that the question `asked` shuts: one cell, from there on."""
    cells = notebook.cells
    at = next(k for k, cell in enumerate(cells) if cell.id == asked)
    for cell in cells[at + 1 :]:
        if cell.cell_type == "markdown" and (end := ENDS.search(cell.source)):
            return " ".join(visible_words(cell.source[end.start() :]))
    return ""


def numbers(text):
    return {float(found.replace(",", "")) for found in re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w])", text)}


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_the_text_below_a_prediction_does_not_tell_its_answer(path):
    """Neither the number of the `=>` line nor, but for short ones, a choice."""
    notebook = read(path)
    cells = {cell.id: cell for cell in notebook.cells}
    for asked, answered in answers(notebook).items():
        below = following(notebook, asked)
        line = next(line for line in printed(cells[answered]) if line.startswith("=>  "))
        value = float(found[1]) if (found := re.search(r": (-?[\d.e-]+) \(", line)) else 0
        new = numbers(below) - numbers(cells[asked.removesuffix("-guess")].source)
        told = [n for n in new if value > SMALL and abs(n - value) < 0.005 * value]
        assert not told, f"{asked}: {told} stands below"
        kind = kind_of(cells[asked])
        for choice in kind if isinstance(kind, list) else ():
            if len(choice) > 6:
                assert choice.lower() not in below.lower(), f"{asked}: {choice!r} stands below"
