"""A cell run twice, as readers do, breaks nothing: neither itself nor a claim further down."""

import copy

import pytest
from nbclient import NotebookClient

from tests.notebooks.reading import NAMES, PATHS, read


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_each_code_cell_run_twice_in_order(path):
    notebook = copy.deepcopy(read(path))
    notebook.cells = [again for cell in notebook.cells if cell.cell_type == "code" for again in (cell, copy.deepcopy(cell))]
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": path.parent}})
    client.execute()  # raises where a cell fails
    assert all(cell.outputs for cell in notebook.cells)
