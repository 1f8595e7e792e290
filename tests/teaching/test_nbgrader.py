"""The nbgrader edition in nbgrader: released, handed in untouched, wrong, crashing and right, graded.

Run by `python -m tests.teaching.environment`.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

pytest.importorskip("nbgrader", reason="nbgrader is not here; `python -m tests.teaching.environment` sets it up")

from nbgrader.api import Gradebook

from tests.notebooks.reading import NAMES, read
from tests.teaching.classes import QUICK, path_of
from tools.editions.__main__ import answers, leaks, make, texts
from tools.grading.reading import exercises

CRASH = "raise RuntimeError('an answer that crashes')"


def nbgrader(course: Path, *arguments: str) -> str:
    """Run an nbgrader command in the folder `course`. Raises RuntimeError with what it printed if it fails."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # nbgrader calls alembic by its name
    command, reading = [sys.executable, "-m", "nbgrader", *arguments], {"capture_output": True, "encoding": "utf-8"}
    done = subprocess.run(command, cwd=course, env=os.environ | {"PATH": path}, check=False, **reading)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return done.stdout + done.stderr


def wrong(stub: str) -> str:
    """Return an answer that runs and is wrong: functions that return None after an attempt, values that are texts."""
    return re.sub(r"\.\.\.(?=.*your code)", "x = str(1); return x", stub).replace("...", "'x'")


def answered(kind: str, cell, solution: str) -> str:
    return {
        "untouched": cell.source,
        "wrong": wrong(cell.source),
        "crashing": f"{cell.source}\n{CRASH}",
        "right": solution,
    }[kind]


def hand_in(course: Path, name: str, kind: str) -> None:
    """Put the released assignment `name` with answers of one `kind` among the submissions, from a student named so."""
    notebook = nbformat.read(course / "release" / name / f"{name}.ipynb", as_version=4)
    solutions = {exercise.id: exercise.solution for exercise in exercises(read(path_of(name)))}
    for cell in notebook.cells:
        if cell.id in solutions:
            cell.source = answered(kind, cell, solutions[cell.id])
    target = course / "submitted" / kind / name / f"{name}.ipynb"
    target.parent.mkdir(parents=True)
    nbformat.write(notebook, target)


def points(course: Path, name: str) -> dict[str, tuple[float, float]]:
    """Return {student: (points, most)}."""
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        return {one.student.id: (one.score, one.max_score) for one in book.assignment_submissions(name)}


def grade(course: Path, name: str) -> dict[str, tuple[float, float]]:
    """Release, hand in and grade the assignment `name` of the nbgrader edition in `course`. Raises where it leaks."""
    nbgrader(course, "generate_assignment", name)
    secrets = set().union(*(answers(read(path_of(name))) for name in NAMES))
    leaking = [line for path in (course / "release").rglob("*.ipynb") for line in leaks(secrets, texts(path))]
    if leaking:
        raise ValueError(f"released answers: {leaking}")
    for kind in ("untouched", "wrong", "crashing", "right"):
        hand_in(course, name, kind)
    nbgrader(course, "autograde", name)
    return points(course, name)


def test_untouched_wrong_and_crashing_answers_get_nothing_and_right_ones_all(tmp_path):
    make("nbgrader", [path_of(QUICK)], tmp_path / "course")
    assert grade(tmp_path / "course", QUICK) == {
        "untouched": (0, 6),
        "wrong": (0, 6),
        "crashing": (0, 6),
        "right": (6, 6),
    }
