"""Readers run cells again: each twice in a row, and, after the whole notebook, the cells under any heading on their own.

Neither breaks anything, and what was said the first time is said again. Names are what breaks it: a `p` that held ten
positions further up holds two further down. For the sections the kernel is forked once a heading after the whole
notebook, so each starts from the state at the end. Training, reading and sweeps are cut short, so a claim may fail;
one that held the first time has to hold the second time. nbval runs every notebook with all of it in full.
"""

import copy
import json
import os
import re

import nbformat
import pytest
from nbclient import NotebookClient

from posenc_helpers.classroom.claims import MEASURED
from tests.notebooks.reading import NAMES, PATHS, calls, read
from tests.replacing import PUT

SHORT = (
    PUT
    + """
import inspect
import posenc_helpers.classroom.claims as claims
import posenc_helpers.lab.evaluation as evaluation
import posenc_helpers.lab.shootout as shootout
import posenc_helpers.lab.sweep as sweeping
import posenc_helpers.lab.training as training

def changed(module, name, **changes):
    function = getattr(module, name)

    def call(*arguments, **settings):
        given = inspect.signature(function).bind(*arguments, **settings).arguments | changes
        return function(**given)

    put(function, call)

def gentler(claim):
    def attempt(*arguments, **settings):
        try:
            claim(*arguments, **settings)
        except claims.ClaimFailed as failed:
            print(failed)
    return attempt

changed(training, "train", steps=3)
changed(shootout, "train_readers", steps=3)
changed(evaluation, "loss_by_position", windows=2)
changed(sweeping, "sweep", workers=1)  # in this process, where training is short, too
put(claims.claim, gentler(claims.claim))
put(claims.answer, gentler(claims.answer))
print("cut short")
"""
)

# `again` runs cells in a child of the kernel: what they change is gone with it.
AGAIN = """
import contextlib, io, json, os
from IPython.core.displaypub import CapturingDisplayPublisher

def again(sources):
    seen, shell = os.pipe(), get_ipython()
    child = os.fork()
    if not child:
        found = {"stopped": None, "failed": []}
        shell.display_pub = CapturingDisplayPublisher()  # only the kernel itself may send messages
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            for name, source in sources:
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    exec(compile(shell.transform_cell(source), name, "exec"), shell.user_ns)
                found["failed"] += [line for line in printed.getvalue().splitlines() if line.startswith("not so: ")]
        except BaseException as error:
            found["stopped"] = f"{name}: {type(error).__name__}: {error}"
        with contextlib.suppress(BaseException), os.fdopen(seen[1], "w") as pipe:
            json.dump(found, pipe)
        os._exit(0)
    os.close(seen[1])
    with os.fdopen(seen[0]) as pipe:
        found = json.load(pipe)
    os.waitpid(child, 0)
    return found
"""


def sections(notebook: nbformat.NotebookNode) -> dict[str, list[tuple[str, str]]]:
    """Return (id, source) of the code cells under each heading, the setup cell apart; those above the first belong to none.

    Cells that sweep are left out: the processes that they start belong to the kernel, and a copy of it would wait for them.
    """
    found, heading = {}, None
    for cell in notebook.cells:
        title = re.match(r"##+ (.+)", cell.source) if cell.cell_type == "markdown" else None
        heading = title[1] if title else heading
        if cell.cell_type == "code" and cell.id != "setup" and "sweep" not in calls(cell.source):
            found.setdefault(heading, []).append((cell.id, cell.source))
    return found


@pytest.mark.nightly
@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_cells_run_again(path):
    notebook = copy.deepcopy(read(path))
    setup, *cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    parts = sections(notebook) if hasattr(os, "fork") else {}
    jobs = [nbformat.v4.new_code_cell(f"print(json.dumps(again({sources!r})))") for sources in parts.values()]
    twice = [one for cell in cells for one in (cell, copy.deepcopy(cell))]
    short, again = map(nbformat.v4.new_code_cell, (SHORT, AGAIN + 'print("ready")'))
    notebook.cells = [setup, copy.deepcopy(setup), short, *twice, again, *jobs]
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": path.parent}})
    client.execute()  # raises where a cell fails
    assert all(cell.outputs for cell in notebook.cells)
    printed = "".join(out.get("text", "") for cell in cells for out in cell.outputs)
    failed_before = {statement(line) for line in printed.splitlines() if line.startswith("not so: ")}
    trouble = []
    for heading, cell in zip(parts, jobs, strict=True):
        said = "".join(out.get("text", "") for out in cell.outputs if out.get("name") == "stdout")  # comes in pieces
        found = json.loads(said.splitlines()[-1])
        trouble += [f"{heading}: {found['stopped']}"] if found["stopped"] else []
        trouble += [f"{heading}: {line}" for line in found["failed"] if statement(line) not in failed_before]
    assert trouble == []


def statement(line: str) -> str:
    """Return what a failed claim said, without its number."""
    return MEASURED.split(line)[0]
