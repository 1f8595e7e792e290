"""A cell run twice, as readers do, breaks nothing: neither itself nor a cell further down.

Training is cut short and claims only printed: what counts here is what a second run does to the state of the kernel,
and nbval runs every notebook with both in full.
"""

import copy

import nbformat
import pytest
from nbclient import NotebookClient

from tests.notebooks.reading import NAMES, PATHS, read

SHORT = """
import posenc_helpers.classroom.claims as claims
import posenc_helpers.lab.shootout as shootout
import posenc_helpers.lab.training as training

def shorter(train):
    return lambda *arguments, **settings: train(*arguments, **{**settings, "steps": 3})

def gentler(claim):
    def attempt(*arguments, **settings):
        try:
            claim(*arguments, **settings)
        except claims.ClaimFailed as failed:
            print(failed)
    return attempt

training.train, shootout.train_readers = shorter(training.train), shorter(shootout.train_readers)
claims.claim, claims.answer = gentler(claims.claim), gentler(claims.answer)
print("training cut short")
"""


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_each_code_cell_run_twice_in_order(path):
    notebook = copy.deepcopy(read(path))
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    twice = [again for cell in cells for again in (cell, copy.deepcopy(cell))]
    notebook.cells = [*twice[:2], nbformat.v4.new_code_cell(SHORT), *twice[2:]]  # behind the setup cell
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": path.parent}})
    client.execute()  # raises where a cell fails
    assert all(cell.outputs for cell in notebook.cells)
