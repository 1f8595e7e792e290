"""The nbgrader edition: for each notebook one assignment that holds its exercises, and what of the lesson they use.

Students read the lesson in the student edition. The assignment leaves it out, so that grading one submission takes
seconds and no cell of the lesson can cost marks. Made for nbgrader 0.9.6, metadata schema 3. It gives all points to a
test cell that raises nothing and writes nothing to stderr, so each calls `check_...(answer).require()`.
"""

import ast
import re
from copy import deepcopy
from itertools import takewhile

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools.course import address, setup_cell
from tools.editions.student import YOURS, student
from tools.grading.reading import Exercise, code_cells, costs_nothing, exercises
from tools.grading.slicing import Unit, needed, reads, statements
from tools.grading.submissions import Lesson
from tools.notebooks import METADATA

POINTS = {"easy": 1, "medium": 2, "hard": 3}
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"  # nbgrader takes out what stands between them
FOLDED = {"jupyter": {"source_hidden": True}}


def assignment(notebook: NotebookNode, name: str) -> NotebookNode:
    """Return the source of the assignment of `notebook`, which is called `name` (with .ipynb), with solutions."""
    lesson = Lesson(name.removesuffix(".ipynb"), student(notebook, name))  # without what the answers to bugs define
    found = {exercise.id: exercise for exercise in exercises(notebook)}
    section = [cell for cell in lesson.notebook.cells if cell.id in _section(notebook, found)]
    cells = [
        new_markdown_cell(_title(lesson, found.values()), id="title"),
        _fixed(setup_cell(address()), "setup"),
        _fixed(_given(lesson, section, list(found.values())), "given"),
    ]
    for cell in section:
        if cell.id in found:
            cells += graded(found[cell.id], lesson.homes)
        elif cell.cell_type == "code":
            cells.append(_fixed(cell.source, cell.id))
        else:
            cells.append(new_markdown_cell(cell.source, id=cell.id))
    return new_notebook(cells=cells, metadata=deepcopy(METADATA))


def sheet(notebook: NotebookNode, name: str) -> NotebookNode:
    """Return the source of the assignment of a homework sheet: the check grades its code, a person what is written."""
    made = student(notebook, name)
    lesson, (exercise,) = Lesson(name, made), exercises(notebook)
    cells, text = [], ""
    for cell in made.cells:
        if cell.id == exercise.id:
            cells += [_fixed(f"#@title Imports\n{exercise.parts()[0]}", "given"), *graded(exercise, lesson.homes)]
        elif cell.cell_type == "code":
            cells.append(_fixed(cell.source, cell.id))
        else:
            marks = {}
            if cell.source == YOURS:  # a person gives the points, which the text above names
                marks = graded_cell(cell.id, grade=True, solution=True, points=_points(text))
            cells.append(new_markdown_cell(cell.source, id=cell.id, metadata=marks))
            text = cell.source
    return new_notebook(cells=cells, metadata=deepcopy(METADATA))


def points(exercise: Exercise) -> int:
    """Return what `exercise` is worth: as the heading of its homework sheet says, or by its level."""
    return _points(exercise.text) or POINTS[exercise.level]


def _points(text: str) -> int:
    found = re.search(r"^## .+\((\d+) points, \d+ minutes\)$", text, re.M)
    return int(found[1]) if found else 0


def graded(exercise: Exercise, homes: dict[str, str]) -> list[NotebookNode]:
    """Return the cell for the answer to `exercise`, stub and solution, and the locked one with its check."""
    _, stub, check = exercise.parts()
    answer = "\n".join([stub, "", BEGIN, exercise.solution.strip("\n"), END])
    call = ast.parse(check).body[-1]
    test = [f"from {homes[exercise.check]} import {exercise.check}", "", f"{ast.unparse(call.value)}.require()"]
    below = f"{exercise.id}-check"
    marks = graded_cell(below, grade=True, locked=True, points=points(exercise))
    return [
        new_code_cell(answer, id=exercise.id, metadata=graded_cell(exercise.id, solution=True)),
        new_code_cell("\n".join(test), id=below, metadata=marks),
    ]


def graded_cell(grade_id: str, grade=False, locked=False, solution=False, **points) -> dict:
    """Return nbgrader's metadata, schema version 3, of a cell: an answer, a text, or a test that earns `points`."""
    flags = {"grade": grade, "locked": locked, "solution": solution, "task": False}
    return {"nbgrader": {"schema_version": 3, "grade_id": grade_id, **flags, **points}}


def _fixed(source: str, id_: str) -> NotebookNode:
    """Return a code cell that students cannot change, folded under its title."""
    return new_code_cell(source, id=id_, metadata=graded_cell(id_, locked=True) | FOLDED)


def _section(notebook: NotebookNode, found: dict[str, Exercise]) -> set[str]:
    """Return the ids of all cells from the text of the first exercise to what stands below the last."""
    first, *_, last = found.values()
    ids = [cell.id for cell in notebook.cells]
    start = next(k for k, cell in enumerate(notebook.cells) if cell.source == first.text)
    return set(ids[start : ids.index(last.below.id) + 1])


def _title(lesson: Lesson, found) -> str:
    title = lesson.notebook.cells[0].source.splitlines()[0]
    total = sum(map(points, found))
    return (
        f"{title}: exercises\n\nRead `{lesson.name}.ipynb` first. Write each answer into the cell with the dots, then run"
        f" the cell below it: it says what is not right yet, and stops. {total} points: easy 1, medium 2, hard 3."
    )


def _given(lesson: Lesson, section: list[NotebookNode], found: list[Exercise]) -> str:
    """Return what the lesson has at hand for the exercises: all imports and definitions, and what they compute with."""
    above = takewhile(lambda cell: cell not in section, code_cells(lesson.notebook))
    before = [unit for cell in above if cell.id != "setup" for unit in statements(cell.source)]
    imports = [unit for exercise in found for unit in statements(exercise.parts()[0])]
    cheap = [unit for unit in before if costs_nothing(unit.statements[0])]
    at_once = {name for unit in cheap for name in reads(unit, late=False)}
    used = {name for cell in section if cell.cell_type == "code" for name in reads(Unit(cell.source))}
    used |= {name for exercise in found for name in reads(Unit(exercise.solution))}
    kept = {*map(id, cheap), *map(id, needed(before, used | at_once))}
    lines = [unit.source for unit in before if id(unit) in kept] + [unit.source for unit in imports]
    return "\n".join(["#@title What the lesson imports and defines", *dict.fromkeys(lines)])


def released(source: NotebookNode) -> NotebookNode:
    """Return `source` without its solutions, as nbgrader releases it: for the leak check."""
    made = deepcopy(source)
    for cell in code_cells(made):
        head, _, rest = cell.source.partition(BEGIN)
        cell.source = head + rest.partition(END)[2]
    return made
