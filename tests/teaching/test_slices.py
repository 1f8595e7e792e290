"""Which cells of a submission belong to which exercise, and which statements must run so that a name has its value."""

import ast
import time
from copy import deepcopy

import pytest

from tests.notebooks.reading import NAMES, exercises, read, tags
from tests.teaching.classes import CHECK, LESSONS, QUICK, RIGHT, as_text, gray, handed_in, path_of, save
from tools.editions.solutions import solved
from tools.grading import report
from tools.grading.slicing import Unit, needed, statements
from tools.grading.submissions import NotOurs, job, lesson_of, read_submission, unread


def test_where_a_cell_is_no_code_its_number_is_said():
    lesson = LESSONS[NAMES.index(QUICK)]
    notebook = as_text(gray(RIGHT))
    (place,) = (k for k, cell in enumerate(notebook.cells, 1) if cell.id == "exercise-2")
    said = unread(lesson.exercises[1], notebook, lesson)
    assert said["message"] == f"Cell {place} asks for code and is Markdown: nothing in it runs."


def test_the_teachers_own_notebook_has_no_answer_in_its_solutions():
    lesson = LESSONS[NAMES.index(QUICK)]
    notebook = deepcopy(read(path_of(QUICK)))
    for cell in notebook.cells:
        cell.source += "\n(of another version)" * ("solution" in tags(cell))
    assert [unread(exercise, notebook, lesson)["mistake"] for exercise in lesson.exercises] == [""] * 3


@pytest.mark.parametrize("name", NAMES)
def test_an_untouched_lesson_needs_no_process_and_a_solved_one_few_statements_and_none_that_trains(name):
    notebook, lesson = handed_in(name), LESSONS[NAMES.index(name)]
    assert lesson_of(notebook, LESSONS) is lesson
    assert [job(exercise, notebook, lesson) for exercise in lesson.exercises] == [None] * len(lesson.exercises)
    notebook = solved(read(path_of(name)))
    for exercise in exercises(read(path_of(name))):
        units = job(exercise, notebook, lesson)["units"]
        assert any(unit["cell"] for unit in units) and len(units) < 40
        computed = [unit["source"] for unit in units if not unit["source"].startswith(("def", "class"))]
        assert not [source for source in computed if "train(" in source]


def test_ids_and_names_of_files_may_get_lost():
    notebook = gray(RIGHT + CHECK)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"new-{number}"
    lesson = lesson_of(notebook, LESSONS)
    assert lesson.name == QUICK
    asked = {exercise.check: job(exercise, notebook, lesson) for exercise in lesson.exercises}
    assert [check for check, what in asked.items() if what] == ["check_gray"]


def test_what_is_no_notebook_of_the_course_is_refused(tmp_path):
    (tmp_path / "a.ipynb").write_text('{"cells": 3}', encoding="utf-8")
    with pytest.raises(NotOurs, match="Not a notebook"):
        read_submission(tmp_path / "a.ipynb")
    notebook = handed_in(QUICK)
    notebook.cells = notebook.cells[:1]
    with pytest.raises(NotOurs, match="no cell of any"):
        lesson_of(notebook, LESSONS)


SLICES = [
    ("a = 1\nb = 2\nc = a", "c", [0, 2]),
    ("a = 1\na = 2\nc = a", "c", [1, 2]),  # a value that is replaced is not needed
    ("a = [1]\na[0] = 2\na.b = 3\nd[0] = 1", "a", [0, 1, 2]),  # but what writes into it is
    ("a = 1\na += 1", "a", [0, 1]),
    (
        "def f():\n    return g()\ndef g():\n    return x\nx = 3\ny = 4",
        "f",
        [0, 1, 2],
    ),  # what a function calls, later, too
    ("import os\nfrom math import pi as p\ndef f(x):\n    return p * x", "f", [1, 2]),
    ("x = 5\ndef f(x):\n    return x", "f", [1]),  # its own x
    ("x = slow()\nf = lambda: [x for x in range(3)]", "f", [1]),
    ("base = object\nclass C(base):\n    n = base", "C", [0, 1]),
    ("n = 2\nfor k in range(n):\n    t = k\nprint(t)", "t", [0, 1]),
    ("@deco\ndef f(): ...\ndeco = 1", "f", [0]),
    ("a = 1; b = 2", "b", [1]),
]


@pytest.mark.parametrize("source, name, wanted", SLICES)
def test_a_slice_has_what_a_name_needs(source, name, wanted):
    units = statements(source)
    assert [units.index(unit) for unit in needed(units, [name])] == wanted


def test_a_slice_keeps_the_source_and_what_the_student_wrote_as_a_whole():
    first, second = statements("a = 1  # one\n@d\ndef f():\n    # two\n    pass")
    assert (first.source, second.source) == ("a = 1  # one", "@d\ndef f():\n    # two\n    pass")
    whole = Unit("a = 1\nprint(a)\ncheck(a)", own=True, drop=(2,))
    assert needed([whole, Unit("b = 2")], ["a"]) == [whole] and len(whole.statements) == 2


def test_two_files_at_once_are_parsed_one_after_the_other(tmp_path, monkeypatch):
    """Python 3.11.0 to 3.11.7 may lose count in ast.parse when two threads are in it: marks got lost that way."""
    for who in "abcd":
        save(handed_in(QUICK), tmp_path / who / "x.ipynb")
    parse, inside, met = ast.parse, [], []

    def slow(*arguments, **settings):
        inside.append(1)
        met.append(len(inside))
        time.sleep(0.001)
        inside.pop()
        return parse(*arguments, **settings)

    monkeypatch.setattr(ast, "parse", slow)
    rows = list(report.grade_folder(tmp_path, LESSONS, None, 45, jobs=4))
    assert len(rows) == 12 and len(met) > 12 and max(met) == 1
