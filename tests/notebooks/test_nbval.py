"""The flags of `make test` compare what they should: statements and bounds of claims, but not the measured numbers."""

import io
import re
import subprocess
import sys
from contextlib import redirect_stdout

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from posenc_helpers.classroom.claims import claim
from tools.course import ROOT
from tools.notebooks import CHECKED


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    """Run nbval with the Makefile's flags on cells that print something else than what is saved: {what: passed}."""
    saved = _claims([0.25, 1e-9])
    now = {
        "number": _claims([0.26, 3.4567e-11]),
        "statement": _claims([0.25, 1e-9], statement="the wavelength is"),
        "bound": _claims([0.25, 1e-9], below=3),
        "one claim less": _claims([0.25]),
        "another line": "ok so far\n" + saved,
    }
    cells = [_cell(saved, text, [CHECKED]) for text in now.values()] + [_cell(saved, "hello", [])]
    folder = tmp_path_factory.mktemp("nbval")
    nbformat.write(new_notebook(cells=cells), folder / "cells.ipynb")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    flags = re.search(r"^NBVAL\s*:= (.+)$", makefile, re.M)[1].split()
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:xdist", "--rootdir", str(folder), *flags, str(folder)]
    report = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    found = re.findall(r"^(PASSED|FAILED) \S*cells\.ipynb::Cell (\d+)", report.stdout, re.M)
    assert len(found) == len(cells), report.stdout + report.stderr
    return {[*now, "untagged"][int(cell)]: verdict == "PASSED" for verdict, cell in found}


def _claims(measured, statement="the wave's length is", below=2):
    with redirect_stdout(io.StringIO()) as printed:
        for number in measured:
            claim(statement, number, below=below)
    return printed.getvalue()


def _cell(saved, printed, tags):
    output = new_output("stream", name="stdout", text=saved)
    return new_code_cell(f"print({printed!r}, end='')", outputs=[output], execution_count=1, metadata={"tags": tags})


def test_all_of_a_claim_is_compared_but_the_measured_number_and_nothing_without_the_tag(verdicts):
    assert {what for what, passed in verdicts.items() if passed} == {"number", "untagged"}
    assert {"statement", "bound", "one claim less", "another line"} == verdicts.keys() - {"number", "untagged"}
