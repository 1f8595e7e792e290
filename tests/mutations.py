"""Make a mistake in the helpers on purpose, run the notebook, and see a claim fail. For every mistake.

A claim that no mistake can break proves nothing. The mistakes of a notebook stand in a table in notebooks/mistakes/:
one text in one file of a temporary copy of the course is replaced by another, and the cells are run in order until one
fails. Only a failed claim counts: a mistake that every claim survives, or that stops a cell in another way, ends the
command with an error. First the notebook is run without a mistake.

    python -m tests.mutations [--notebook 01] [--only "causal mask"]
"""

import argparse
import importlib
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from tests.copying import copy_course
from tools.course import ROOT, notebook_paths

Mistake = tuple[str, str, str, str]  # what, file, text, text with the mistake
AT_ONCE = 2


def mistakes(notebook: Path) -> list[Mistake]:
    """Return the table of mistakes for `notebook`."""
    return importlib.import_module(f"tests.notebooks.mistakes.{notebook.stem[3:]}").MISTAKES


def spoiled(root: Path, mistake: Mistake) -> str:
    """Return the text of the file with the mistake in it. Raises ValueError unless there is one place to make it."""
    what, file, right, wrong = mistake
    text = (root / file).read_text(encoding="utf-8")
    if text.count(right) != 1:
        raise ValueError(f"{what}: {right!r} stands {text.count(right)} times in {file}; it must stand there once")
    return text.replace(right, wrong)


def first_error(notebook: NotebookNode, folder: Path, timeout: int, **environment: str) -> tuple | None:
    """Run the cells of `notebook` in `folder` until one fails; return that cell and its error, or None."""
    settings = {"kernel_name": "python3", "extra_arguments": ["--log-level=40"]}
    client = NotebookClient(notebook, timeout=timeout, resources={"metadata": {"path": folder}}, **settings)
    with client.setup_kernel(env=os.environ | environment):
        for number, cell in enumerate(notebook.cells):
            try:
                client.execute_cell(cell, number)
            except CellExecutionError as error:
                return cell, error
    return None


def first_failure(notebook: Path, mistake: Mistake | None) -> tuple[str, str]:
    """Run `notebook` with `mistake` in a copy of the course: (how it ends, where and why)."""
    with tempfile.TemporaryDirectory() as folder:
        course = copy_course(Path(folder) / "course")
        if mistake:
            (course / mistake[1]).write_text(spoiled(ROOT, mistake), encoding="utf-8")
        cells = nbformat.read(notebook, as_version=4)
        failed = first_error(cells, course / "notebooks", 300, PYTHONPATH=str(course))
    if failed is None:
        return "survived", "every claim held"
    cell, error = failed
    how = "caught" if error.ename == "ClaimFailed" else "stopped otherwise"
    return how, f"{cell.id}: {error.evalue if how == 'caught' else error.ename + ': ' + error.evalue}"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description="Which claim notices which mistake?")
    parser.add_argument("--notebook", default="", help="the number of one notebook, such as 01")
    parser.add_argument("--only", default="", help="part of a mistake's description")
    wanted = parser.parse_args(arguments)
    bad = []
    for notebook in (path for path in notebook_paths() if path.name.startswith(wanted.notebook)):
        table = [mistake for mistake in mistakes(notebook) if wanted.only in mistake[0]]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            ends = pool.map(lambda mistake: first_failure(notebook, mistake), [None, *table])  # noqa: B023
            for mistake, (how, why) in zip([None, *table], ends, strict=True):
                what = mistake[0] if mistake else "no mistake"
                print(f"{notebook.name[:2]} {what}\n     {how}, {why}", flush=True)
                if how != ("caught" if mistake else "survived"):
                    bad.append(f"{notebook.name[:2]} {what}: {how}, {why}")
    print(f"\n{len(bad)} to look at" if bad else "\nevery mistake is noticed by a claim", *bad, sep="\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
