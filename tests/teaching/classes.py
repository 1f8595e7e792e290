"""What the tests of the teaching kit share: notebooks as students hand them in."""

import csv
import io

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_raw_cell

from tests.notebooks.reading import PATHS, path_of, read
from tools.course import ROOT
from tools.editions.solutions import solved
from tools.editions.student import student
from tools.grading import jail
from tools.grading.submissions import Lesson

SECONDS = 90  # a process starts in about 3, on a busy machine in 30
JAILED = bool(jail.find(ROOT))  # whether answers can be graded without --trust here
TRUST = () if JAILED else ("--trust",)
QUICK = "02_naive_encodings"  # its checks take milliseconds
LESSONS = [Lesson.read(path) for path in PATHS]
RIGHT = "def gray(positions, dim):\n    return binary(positions ^ (positions >> 1), dim)\n"  # its exercise 2
CHECK = "\ncheck_gray(gray)"


def student_of(name):
    return student(read(path_of(name)), f"{name}.ipynb")


def handed_in(name, answers=(), added=()):
    """Return the student edition of the notebook `name` with {cell id: source} and with new cells at its end."""
    notebook = student_of(name)
    answers = dict(answers)
    for cell in notebook.cells:
        cell.source = answers.pop(cell.id, cell.source)
    assert not answers
    notebook.cells += [new_code_cell(source) for source in added]
    return notebook


def all_right(name):
    return solved(read(path_of(name)))


def save(notebook, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)


def gray(source):
    return handed_in(QUICK, {"exercise-2": source + CHECK})


def as_text(notebook, kind="markdown"):
    """Make the cell of exercise 2 one of another `kind`, as a press of M or R does."""
    new = {"markdown": new_markdown_cell, "raw": new_raw_cell}[kind]
    notebook.cells = [new(cell.source, id=cell.id) if cell.id == "exercise-2" else cell for cell in notebook.cells]
    return notebook


def table(path):
    """Return the rows of the report at `path`."""
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
