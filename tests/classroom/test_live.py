"""In a real JupyterLab: a prediction that is typed between two cells, and the keys of a picture that one plays with."""

import ipywidgets
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests.browser import NOTEBOOK, Lab, needs_browser, run_all
from tests.classroom.dot import describe
from tests.keyboard import wait_until
from tools.notebooks import METADATA

pytestmark = [
    needs_browser,
    pytest.mark.skipif(ipywidgets.__version__ < "8", reason="JupyterLab 4 shows no widgets of ipywidgets 7"),
]
ASKS = (
    "from posenc_helpers.classroom import answer, predict\nprint('ready')",
    "predict('number')",
    "answer('hands', 3, equals=3)",
    "predict(['yes', 'no'])",
    "answer('turns', True)",
)
PLAYS = """from tests.classroom.dot import CAPTION, MODULE, STATE, describe, draw
from posenc_helpers.classroom import play
play(MODULE, STATE, draw=draw, describe=describe, caption=CAPTION)"""


@pytest.fixture(scope="module")
def lab():
    with Lab() as lab:
        yield lab


def opened(lab, page, folder, *sources) -> None:
    """Open a notebook of these cells and run them all."""
    cells = [new_code_cell(source, id=f"cell-{k}") for k, source in enumerate(sources)]
    path = folder / f"{len(sources)}_cells.ipynb"
    nbformat.write(new_notebook(cells=cells, metadata=METADATA), path)
    lab.open(page, path)
    assert run_all(page) == []  # nothing waits for a reader


def test_a_reader_answers_between_two_cells(lab, quiet_page, tmp_path):
    opened(lab, quiet_page, tmp_path, *ASKS)
    cells = quiet_page.locator(".jp-Notebook .jp-Cell")
    output = lambda number: cells.nth(number).locator(".jp-OutputArea")  # noqa: E731
    assert "you:" not in output(2).inner_text() + output(4).inner_text()
    output(1).get_by_label("Your prediction:").fill("12")
    output(3).get_by_role("radio").nth(1).check()
    for number, words in ((2, "you: 12"), (4, "you: no")):
        quiet_page.evaluate(f"{NOTEBOOK}.activeCellIndex = {number}")
        quiet_page.evaluate("jupyterapp.commands.execute('notebook:run-cell')")
        wait_until(quiet_page, lambda n=number, w=words: w in output(n).inner_text(), words)


def test_a_picture_that_one_plays_with_is_drawn_and_keeps_its_keys(lab, quiet_page, tmp_path):
    opened(lab, quiet_page, tmp_path, PLAYS, "1 + 1")
    place = quiet_page.locator(".kit [data-name=place]")
    place.focus()
    for key, now in (("ArrowUp", 4), ("ArrowDown", 3), ("End", 10), ("ArrowLeft", 9), ("Home", 0)):
        quiet_page.keyboard.press(key)
        sentence = describe(now, "large", False)
        quiet_page.locator(".kit [role=status]", has_text=sentence).wait_for()
    assert place.evaluate("e => e === document.activeElement")
    cells = f"{NOTEBOOK}.widgets.map(cell => cell.model.outputs?.toJSON() ?? [])"
    quiet_page.evaluate("jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
    quiet_page.wait_for_function("!document.querySelector('.kit')")  # and its clean-up left no error
    assert quiet_page.evaluate(cells) == [[], []]
