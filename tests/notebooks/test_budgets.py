"""What a tired reader has in sight: few words, few lines of code, few claims, often a picture, and places to stop.

"In sight" is what is open when the notebook opens: code that is not folded, outside of "Going deeper" sections; of the text,
all but what stands in <details>.
"""

import re
from statistics import median

import pytest

from tests.notebooks.reading import NAMES, PATHS, code_cells, in_sight, is_folded, read, text_cells, words_in_sight

CLAIM = re.compile(r"^(?:\x1b\[1m)?(?:ok|=>)  ", re.M)
STOP = re.compile(r"^\*\*A place to stop, about (\d+) minutes in\.\*\*", re.M)


@pytest.fixture(params=PATHS, ids=NAMES)
def notebook(request):
    return read(request.param)


def printed(cell) -> str:
    """Return what a code cell prints, and the first line of each proof."""
    outputs = cell.get("outputs", [])
    proofs = [out.data["text/plain"].split("\n")[0] + "\n" for out in outputs if "text/html" in out.get("data", {})]
    return "".join([*(out.text for out in outputs if out.get("name") == "stdout"), *proofs])


def has_picture(cell) -> bool:
    return any("image/png" in output.get("data", {}) for output in cell.get("outputs", []))


def test_words(notebook):
    cells = [words_in_sight(cell) for cell in in_sight(notebook) if cell.cell_type == "markdown"]
    assert sum(cells) <= 2600
    assert median(cells) <= 60


def test_lines_of_code(notebook):
    cells = [c.source.count("\n") + 1 for c in in_sight(notebook) if c.cell_type == "code" and not is_folded(c)]
    assert sum(cells) <= 260
    assert median(cells) <= 8


def test_claims(notebook):
    claims = {c.id: len(CLAIM.findall(printed(c))) for c in in_sight(notebook) if c.cell_type == "code"}
    assert sum(claims.values()) <= 55
    assert {cell: count for cell, count in claims.items() if count > 4} == {}


def test_an_answer_for_a_prediction(notebook):
    """Who predicts finds one line that answers, below, before the next heading of a section."""
    waiting = None
    for cell in in_sight(notebook):
        if cell.cell_type == "markdown":
            if re.match(r"##+ ", cell.source) and waiting:
                break
            if "**Predict" in cell.source:
                assert waiting is None, f"{waiting}: no answer before the next prediction, {cell.id}"
                waiting = cell.id
        elif waiting and "=>  " in printed(cell):
            waiting = None
    assert waiting is None, f"{waiting}: no answer in its section"


def test_a_picture_every_eight_cells(notebook):
    """Up to the exercises: a reader who tires looks at something."""
    gap, longest, where = 0, 0, ""
    for cell in in_sight(notebook):
        if cell.source.startswith("## Exercises"):
            break
        gap = 0 if has_picture(cell) else gap + 1
        if gap > longest:
            longest, where = gap, cell.id
    assert longest <= 8, f"{longest} cells without a picture, up to {where}"


def test_places_to_stop(notebook):
    """At about 25 minutes, and at about 50 where the core is longer than that; the core takes an hour at most."""
    core = int(re.search(r"\*\*Time\*\* \| (\d+) minutes", notebook.cells[0].source)[1])
    assert core <= 60
    texts = [cell.source for cell in in_sight(notebook) if cell.cell_type == "markdown"]
    minutes = [int(stop) for text in texts for stop in STOP.findall(text)]
    assert len(minutes) == (2 if core > 50 else 1), minutes
    assert 20 <= minutes[0] <= 30
    assert all(45 <= stop <= 55 for stop in minutes[1:])


def test_width_of_code(notebook):
    wide = {c.id: max(map(len, c.source.splitlines())) for c in code_cells(notebook) if c.source}
    assert {cell: width for cell, width in wide.items() if width > 88} == {}


def test_width_of_claims(notebook):
    """Longer lines hide behind a scroll bar on a page."""
    lines = {c.id: [line for line in printed(c).splitlines() if CLAIM.match(line)] for c in code_cells(notebook)}
    assert [(cell, line) for cell, found in lines.items() for line in found if len(line) > 104] == []


def test_drawing_alone_is_folded(notebook):
    """A cell that only calls `show` or `explore` teaches nothing by its code: its title does."""
    drawn = [c.id for c in in_sight(notebook) if c.cell_type == "code" and c.source.startswith(("show(", "explore("))]
    assert [cell for cell in drawn if not is_folded(next(c for c in notebook.cells if c.id == cell))] == []


def test_no_text_of_a_cell_alone_holds_the_rest(notebook):
    assert len(text_cells(notebook)) > len(code_cells(notebook)) / 2
