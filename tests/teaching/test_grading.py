"""`python -m tools.grading`: who solved what, with submissions that go wrong in every way that we could think of."""

import ast
import csv
import inspect
import io
import os
import re
import signal
import subprocess
import sys
import time

import psutil
import pytest
from nbformat.v4 import new_markdown_cell, new_raw_cell

from posenc_helpers.lessons.naive_encodings import exercises as naive_encodings
from tests.notebooks.reading import NAMES, PATHS, exercises, read
from tests.notebooks.wrong_answers import naive_encodings as catalogue
from tests.teaching.classes import QUICK, all_right, handed_in, path_of, save
from tools.course import ROOT
from tools.editions.solutions import solved
from tools.grading import __main__ as grade
from tools.grading import report
from tools.grading.slicing import Unit, needed, statements
from tools.grading.submissions import Lesson, NotOurs, job, lesson_of, read_submission, unread

RIGHT = "def gray(positions, dim):\n    return binary(positions ^ (positions >> 1), dim)\n"
CHECK = "\ncheck_gray(gray)"
LESSONS = [Lesson.read(path) for path in PATHS]
SECONDS = 45  # a process starts in about 3, on a busy machine in 10


def gray(source):
    return handed_in(QUICK, {"exercise-2": source + CHECK})


def as_text(notebook, kind="markdown"):
    """Make the cell of exercise 2 one of another `kind`, as a press of M or R does."""
    (place,) = (k for k, cell in enumerate(notebook.cells) if cell.id == "exercise-2")
    notebook.cells[place] = {"markdown": new_markdown_cell, "raw": new_raw_cell}[kind](
        notebook.cells[place].source, id="exercise-2"
    )
    return notebook


def without(*ids, added=()):
    """Return a submission without the cells `ids` and with code cells `added`."""
    notebook = handed_in(QUICK, (), added)
    notebook.cells = [cell for cell in notebook.cells if cell.id not in ids]
    return notebook


def written_below(text):
    notebook = handed_in(QUICK)
    notebook.cells.append(new_markdown_cell(text))
    return notebook


def catalogued(number):
    """Return a submission with a wrong answer of the catalogue, its whole module pasted into the cell."""
    return gray(f"{inspect.getsource(catalogue)}\ngray = WRONG['gray'][{number}][1]")


def mistake(number):
    return naive_encodings.check_gray(catalogue.WRONG["gray"][number][1]).mistake


FAKE = """
import posenc_helpers.classroom.exercises.checking as checking
import posenc_helpers.lessons.naive_encodings.exercises as module
from posenc_helpers.classroom.exercises.checking import Outcome
check_gray = module.check_gray = lambda answer: Outcome("gray", "right", "")
module.need = checking.need = lambda *anything: None
def gray(positions, dim):
    return positions
"""
LOUD = "import os\nassert 'SECRET' not in os.environ\nfor k in range(60):\n    print('x' * 10**6)\n" + RIGHT
KILLED = "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\n" + RIGHT
LATER = "def gray(positions, dim):\n    import os\n    os._exit(0)\n"
BORROWED = "from tests.notebooks.wrong_answers.naive_encodings import RIGHT\ngray = RIGHT['gray'][0][1]"
# who: (what she hands in, the outcome of gray, the mistake)
CLASS = {
    "right": (gray(RIGHT), "right", ""),
    "own helper": (handed_in(QUICK, {"exercise-2": RIGHT.replace("binary(", "my(") + CHECK}, ["my = binary"]), "right", ""),
    "elsewhere": (handed_in(QUICK, (), ["%matplotlib inline\n" + RIGHT + CHECK]), "right", ""),
    "no check": (handed_in(QUICK, {"exercise-2": RIGHT}), "right", ""),
    "loud": (gray(LOUD), "right", ""),
    "own name": (handed_in(QUICK, {"exercise-2": (RIGHT + CHECK).replace("gray(positions", "mine(positions")
                                                                .replace("(gray)", "(mine)")}), "right", ""),
    "moved": (without("exercise-2", added=[RIGHT + CHECK]), "right", ""),
    "untouched": (handed_in(QUICK), "not attempted", ""),
    "Markdown": (as_text(gray(RIGHT)), "error", "the cell is Markdown"),
    "raw": (as_text(gray(RIGHT), "raw"), "error", "the cell is raw"),
    "comments": (handed_in(QUICK, {"exercise-2": "# " + (RIGHT + CHECK).replace("\n", "\n# ")}), "error",
                 "the cell is comments"),
    "written below": (written_below(f"My answer:\n```python\n{RIGHT}```"), "error", "the cell is Markdown"),
    "emptied": (handed_in(QUICK, {"exercise-2": ""}), "not attempted", "the cell is empty"),
    "deleted": (without("exercise-2"), "not attempted", "the cell is missing"),
    "wrong": (catalogued(0), "wrong", mistake(0)),
    "wrong too": (catalogued(4), "wrong", mistake(4)),
    "no Python": (gray("def gray(positions dim):"), "error", "SyntaxError"),
    "crashing": (gray("def gray(positions, dim):\n    return positions / missing"), "error", "NameError"),
    "crashing first": (gray("1 / 0\n" + RIGHT), "error", "ZeroDivisionError"),
    "exits": (gray("import sys\nsys.exit(0)\n" + RIGHT), "error", "SystemExit"),
    "ends the process": (gray(LATER), "error", "process ended"),
    "killed": (gray(KILLED), "error", "process ended"),
    "hangs": (gray("import time\ntime.sleep(1000)\n" + RIGHT), "timed out", "timed out"),
    "borrows": (gray(BORROWED), "error", "ModuleNotFoundError"),
    "fakes": (gray(FAKE), "error", "changes the check"),
}  # fmt: skip


def test_one_class_with_everything_that_goes_wrong(tmp_path, capsys, monkeypatch):
    folder = tmp_path / "submitted"
    for who, (notebook, _, _) in CLASS.items():
        save(notebook, folder / who / "week 2" / "homework (1).ipynb")
    save(all_right(QUICK), folder / "solver_02_naive_encodings.ipynb")
    (folder / "scribble").mkdir()
    (folder / "scribble" / "02_naive_encodings.ipynb").write_text("{not json", encoding="utf-8")
    save(handed_in(QUICK), folder / "right" / ".ipynb_checkpoints" / "old.ipynb")
    monkeypatch.setenv("SECRET", "of the teacher")
    before = sorted(path for path in tmp_path.rglob("*"))
    table = tmp_path / "out.csv"
    grade.main([str(folder), "--csv", str(table), "--seconds", str(SECONDS), "--jobs", "2", "--trust"])
    assert sorted(path for path in tmp_path.rglob("*")) == sorted([*before, table])
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))
    found = {row["student"]: (row["outcome"], row["mistake"]) for row in rows if row["exercise"] == "gray"}
    found.pop("solver")
    assert found == {who: (outcome, mistake) for who, (_, outcome, mistake) in CLASS.items()}
    assert [row["outcome"] for row in rows if row["student"] == "solver"] == ["right"] * 3
    (nothing,) = [row for row in rows if row["student"] == "scribble"]
    assert (nothing["outcome"], nothing["mistake"]) == ("error", "not a notebook of the course")
    others = [row["outcome"] for row in rows if row["exercise"] == "row" and row["student"] != "solver"]
    assert others == ["not attempted"] * len(CLASS)  # what goes wrong in one answer does not touch the others
    assert not any(len(value) > 10**3 for row in rows for value in row.values())
    printed = capsys.readouterr().out
    assert f"gray: 8 of {len(CLASS) + 1} right" in printed
    assert "    2  process ended: ends the process, killed" in printed


def test_where_a_cell_is_no_code_its_number_is_said():
    notebook = as_text(gray(RIGHT))
    (place,) = (k for k, cell in enumerate(notebook.cells, 1) if cell.id == "exercise-2")
    said = unread(LESSONS[NAMES.index(QUICK)].exercises[1], notebook, LESSONS[NAMES.index(QUICK)])
    assert said["message"] == f"Cell {place} asks for code and is Markdown: nothing in it runs."


def test_the_teachers_own_notebook_has_no_answer_in_its_solutions():
    lesson = LESSONS[NAMES.index(QUICK)]
    notebook = read(path_of(QUICK))
    for cell in notebook.cells:
        if "solution" in cell.metadata.get("tags", []):
            cell.source += "\n(of another version)"
    assert [unread(exercise, notebook, lesson)["mistake"] for exercise in lesson.exercises] == [""] * 3


# Trust, and what becomes of processes


def test_without_trust_nothing_runs(tmp_path):
    marker = tmp_path / "ran"
    save(gray(f"open({str(marker)!r}, 'w').close()\n" + RIGHT), tmp_path / "in" / "ada" / "x.ipynb")
    with pytest.raises(SystemExit, match=r"with your rights.*--trust") as stopped:
        grade.main([str(tmp_path / "in"), "--csv", str(tmp_path / "out.csv")])
    assert stopped.value.code not in (0, None) and "\n" not in stopped.value.code
    assert not marker.exists() and not (tmp_path / "out.csv").exists()


def test_whoever_is_told_the_command_is_told_what_it_trusts():
    told = {path: path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "teaching").rglob("*.md")]}
    told = {path: text for path, text in told.items() if "tools.grading" in text}
    assert len(told) >= 3
    for path, text in told.items():
        assert "with your rights" in text, path
        assert re.findall(r"tools\.grading (.*?)[`\n]", text) == re.findall(
            r"tools\.grading (FOLDER --trust.*?)[`\n]", text
        )


# An answer that never ends, holds Python's lock, and has started a process that left its group.
ENDLESS = """
import os, re, subprocess, sys
other = subprocess.Popen([sys.executable, "-c", "import time\\nwhile True: time.sleep(1)"], start_new_session=True)
with open({path!r} + ".part", "w") as file:
    file.write(f"{{os.getpid()}} {{os.getppid()}} {{other.pid}}")
os.replace({path!r} + ".part", {path!r})
re.match("(a+)+$", "a" * 99 + "b")
"""


def alive(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def until(condition, seconds=60):
    """Wait until `condition()` holds, and return what it returned last."""
    end = time.monotonic() + seconds
    while not (held := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return held


def started(folder):
    """Start the command on an endless answer; return its process, and the processes of the answer."""
    pids = folder / "pids"
    save(gray(ENDLESS.format(path=str(pids)) + RIGHT), folder / "in" / "ada" / "x.ipynb")
    (folder / "tmp").mkdir()
    command = [sys.executable, "-m", "tools.grading", "in", "--csv", "out.csv", "--trust"]
    set_up = {"PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "tmp")}
    process = subprocess.Popen(command, env=os.environ | set_up, cwd=folder)
    assert until(pids.exists)
    found = [int(pid) for pid in pids.read_text(encoding="utf-8").split()]
    assert all(map(alive, found))
    return process, found


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no such signals")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_no_process_of_an_answer_outlives_the_grader(name, tmp_path):
    process, pids = started(tmp_path)
    process.send_signal(getattr(signal, name))
    assert process.wait(60) != 0
    assert until(lambda: not any(map(alive, pids)))
    assert name == "SIGKILL" or not list((tmp_path / "tmp").iterdir())  # told to end, it leaves no folders behind


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_an_answer_ends_with_its_guard_too(tmp_path):
    process, (answer, guard, other) = started(tmp_path)
    os.kill(guard, 9)
    assert until(lambda: not alive(answer))
    process.wait(60)
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text(encoding="utf-8"))))
    assert [row["mistake"] for row in rows if row["exercise"] == "gray"] == ["process ended"]
    os.kill(other, 9)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a process that left its group is not found")
@pytest.mark.parametrize("ending, mistake", [("", ""), ("import time\ntime.sleep(1000)\n", "timed out")])
def test_what_an_answer_started_ends_when_it_is_judged(ending, mistake, tmp_path):
    pids = tmp_path / "pids"
    source = ENDLESS.format(path=str(pids)).replace('re.match("(a+)+$", "a" * 99 + "b")\n', ending) + RIGHT
    save(gray(source), tmp_path / "in" / "ada" / "x.ipynb")
    rows = list(report.grade_folder(tmp_path / "in", report.lessons(), SECONDS / 3, jobs=1))
    assert [row.mistake for row in rows if row.exercise == "gray"] == [mistake]
    assert not any(map(alive, map(int, pids.read_text(encoding="utf-8").split())))


# Which cells belong to which exercise


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_is_known_by_its_cells_and_an_untouched_one_needs_no_process(name):
    notebook = handed_in(name)
    lesson = lesson_of(notebook, LESSONS)
    assert lesson.name == name
    assert [job(exercise, notebook, lesson) for exercise in lesson.exercises] == [None] * len(lesson.exercises)


@pytest.mark.parametrize("name", NAMES)
def test_each_solution_needs_few_statements_of_the_lesson_and_none_that_trains(name):
    lesson = LESSONS[NAMES.index(name)]
    notebook = solved(read(path_of(name)))
    for exercise in exercises(read(path_of(name))):
        units = job(exercise, notebook, lesson)["units"]
        assert any(unit["cell"] for unit in units) and len(units) < 40
        assert not [
            unit for unit in units if "train(" in unit["source"] and not unit["source"].startswith(("def", "class"))
        ]


def test_ids_and_names_of_files_may_get_lost():
    notebook = gray(RIGHT)
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


# Slices


@pytest.mark.parametrize("source, names, wanted", [
    ("a = 1\nb = 2\nc = a", "c", [0, 2]),
    ("a = 1\na = 2\nc = a", "c", [1, 2]),  # a value that is replaced is not needed
    ("a = [1]\na[0] = 2\na.b = 3\nd[0] = 1", "a", [0, 1, 2]),  # but what writes into it is
    ("a = 1\na += 1", "a", [0, 1]),
    ("def f():\n    return g()\ndef g():\n    return x\nx = 3\ny = 4", "f", [0, 1, 2]),  # what a function calls, later, too
    ("import os\nfrom math import pi as p\ndef f(x):\n    return p * x", "f", [1, 2]),
    ("x = 5\ndef f(x):\n    return x", "f", [1]),  # its own x
    ("x = slow()\nf = lambda: [x for x in range(3)]", "f", [1]),
    ("base = object\nclass C(base):\n    n = base", "C", [0, 1]),
    ("n = 2\nfor k in range(n):\n    t = k\nprint(t)", "t", [0, 1]),
    ("@deco\ndef f(): ...\ndeco = 1", "f", [0]),
    ("a = 1; b = 2", "b", [1]),
])  # fmt: skip
def test_a_slice_has_what_a_name_needs(source, names, wanted):
    units = statements(source)
    assert [units.index(unit) for unit in needed(units, names.split())] == wanted


def test_a_slice_keeps_the_source_and_what_the_student_wrote_as_a_whole():
    assert [unit.source for unit in statements("a = 1  # one\n@d\ndef f():\n    # two\n    pass")] == [
        "a = 1  # one", "@d\ndef f():\n    # two\n    pass",
    ]  # fmt: skip
    whole = Unit("a = 1\nprint(a)\ncheck(a)", own=True, drop=(2,))
    assert needed([whole, Unit("b = 2")], ["a"]) == [whole] and len(whole.statements) == 2


# The table


def test_who_is_who(tmp_path):
    named = {path: report.student_of(tmp_path / path, tmp_path, [QUICK]) for path in
             ["ada/02.ipynb", "ada/deep/er/x.ipynb", f"bob_{QUICK}.ipynb", "eve.ipynb", f"{QUICK} (Zoë).ipynb"]}  # fmt: skip
    assert list(named.values()) == ["ada", "ada", "bob", "eve", "Zoë"]


@pytest.mark.parametrize("path", [
    f"{QUICK}.ipynb", f"{QUICK} (1).ipynb", f"Copy of {QUICK}.ipynb", f"{QUICK}-Copy1.ipynb", f"{QUICK}/ada.ipynb",
    f"mine/{QUICK}.ipynb", f"notebooks/{QUICK}.ipynb",
])  # fmt: skip
def test_a_file_without_a_students_name_is_asked_about(path, tmp_path, capsys):
    save(handed_in(QUICK), tmp_path / "in" / path)
    save(handed_in(QUICK), tmp_path / "in" / "ada" / "mine" / f"{QUICK}.ipynb")
    grade.main([str(tmp_path / "in"), "--csv", str(tmp_path / "out.csv"), "--trust"])
    assert f"Whose are these? {path}\n" in capsys.readouterr().out


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

    course = report.lessons()
    monkeypatch.setattr(ast, "parse", slow)
    rows = list(report.grade_folder(tmp_path, course, SECONDS, jobs=4))
    assert len(rows) == 12 and len(met) > 12 and max(met) == 1


def test_no_field_is_a_formula_for_a_spreadsheet(tmp_path):
    row = report.Row("=HYPERLINK(1)", "n", "e", "error", "", "@x", "f")
    list(report.write_csv([row], tmp_path / "t.csv"))
    assert "\n'=HYPERLINK(1),n,e,error,,'@x,f" in (tmp_path / "t.csv").read_text(encoding="utf-8")


def test_a_folder_without_notebooks_is_refused_by_name(tmp_path):
    with pytest.raises(SystemExit, match="holds no notebooks"):
        grade.main([str(tmp_path), "--csv", os.devnull, "--trust"])
