"""A prediction in JupyterLab: cells run one after the other, an entry typed between them stands above its line."""

import ipywidgets
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests.browser import NOTEBOOK, Lab, needs_browser, quiet, run_all
from tests.keyboard import wait_until
from tools.notebooks import METADATA

pytestmark = [
    needs_browser,
    pytest.mark.skipif(ipywidgets.__version__ < "8", reason="JupyterLab 4 shows no widgets of ipywidgets 7"),
]
CELLS = (
    "from posenc_helpers.classroom import answer, predict\nprint('ready')",
    "predict('number')",
    "answer('hands', 3, equals=3)",
    "predict(['yes', 'no'])",
    "answer('turns', True)",
)


def test_a_reader_answers_between_two_cells(browser, tmp_path):
    cells = [new_code_cell(source, id=f"cell-{k}") for k, source in enumerate(CELLS)]
    notebook = new_notebook(cells=cells, metadata=METADATA)
    nbformat.write(notebook, tmp_path / "asks.ipynb")
    with Lab() as lab, quiet(browser, width=1300, height=900) as page:
        lab.open(page, tmp_path / "asks.ipynb")
        assert run_all(page) == []  # nothing waits for a reader
        cells = page.locator(".jp-Notebook .jp-Cell")
        output = lambda number: cells.nth(number).locator(".jp-OutputArea")  # noqa: E731
        assert "you:" not in output(2).inner_text() + output(4).inner_text()
        output(1).get_by_label("Your prediction:").fill("12")
        output(3).get_by_role("radio").nth(1).check()
        for number, words in ((2, "you: 12"), (4, "you: no")):
            page.evaluate(f"{NOTEBOOK}.activeCellIndex = {number}")
            page.evaluate("jupyterapp.commands.execute('notebook:run-cell')")
            wait_until(page, lambda n=number, w=words: w in output(n).inner_text(), words)
