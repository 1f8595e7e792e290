"""A reader goes back: after the whole notebook, the cells under any heading run again on their own, and say the same.

Names are what breaks it: a `p` that held ten positions further up holds two further down. After one run of the whole
notebook the kernel is forked once a heading, so each section starts from the state at the end. Training is cut short, so
a claim may fail; one that held the first time has to hold the second time.
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
from tests.notebooks.test_run_twice import SHORT

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


def sections(notebook: nbformat.NotebookNode) -> dict[str, list[nbformat.NotebookNode]]:
    """Return the code cells under each heading, the setup cell apart; cells above the first belong to none.

    Cells that sweep are left out: the processes that they start belong to the kernel, and a copy of it would wait for them.
    """
    found, heading = {}, None
    for cell in notebook.cells:
        title = re.match(r"##+ (.+)", cell.source) if cell.cell_type == "markdown" else None
        heading = title[1] if title else heading
        if cell.cell_type == "code" and cell.id != "setup" and "sweep" not in calls(cell.source):
            found.setdefault(heading, []).append(cell)
    return found


@pytest.mark.skipif(not hasattr(os, "fork"), reason="sections are run in copies of the kernel, which takes os.fork")
@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_each_section_runs_again_after_the_whole_notebook(path):
    notebook = copy.deepcopy(read(path))
    parts = {heading: [(cell.id, cell.source) for cell in cells] for heading, cells in sections(notebook).items()}
    jobs = [nbformat.v4.new_code_cell(f"print(json.dumps(again({sources!r})))") for sources in parts.values()]
    first = notebook.cells
    notebook.cells = [*first[:2], nbformat.v4.new_code_cell(SHORT), *first[2:], nbformat.v4.new_code_cell(AGAIN), *jobs]
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": path.parent}}
    ).execute()
    printed = "".join(out.get("text", "") for cell in first if cell.cell_type == "code" for out in cell.outputs)
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
