"""Updates: one's own copy is ignored by git, and a pull, as nbgitpuller does it, keeps what a student wrote."""

import shutil
import subprocess

import nbformat
import pytest

from posenc_helpers.mine import copy_mine
from tests.teaching.classes import QUICK, path_of
from tools.editions.__main__ import make

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="git is not here")
WHO = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false", "-c", "core.autocrlf=false"]


def git(folder, *arguments):
    return subprocess.run(
        ["git", *WHO, *arguments], cwd=folder, capture_output=True, text=True, encoding="utf-8", check=True
    ).stdout


def edit(path, cell_id, source):
    notebook = nbformat.read(path, as_version=4)
    next(cell for cell in notebook.cells if cell.id == cell_id).source = source
    path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8", newline="\n")


def sources(path):
    return {cell.id: cell.source for cell in nbformat.read(path, as_version=4).cells}


def test_an_update_reaches_the_lesson_and_leaves_the_students_work(tmp_path):
    teacher, student = tmp_path / "teacher", tmp_path / "student"
    make("student", [path_of(QUICK)], teacher)
    git(teacher, "init", "-q", "-b", "main")
    git(teacher, "add", "-A")
    git(teacher, "commit", "-qm", "one")
    git(tmp_path, "clone", "-q", "teacher", "student")
    lesson, mine = student / "notebooks" / f"{QUICK}.ipynb", copy_mine("02", student)
    edit(mine, "exercise-1", "my work")
    edit(lesson, "exercise-2", "my answer")
    assert "mine" not in git(student, "status", "--porcelain")
    edit(teacher / "notebooks" / lesson.name, "puzzle", "A mended sentence.")
    edit(teacher / "notebooks" / lesson.name, "exercise-2", "another stub")
    git(teacher, "commit", "-qam", "two")
    git(student, "commit", "-qam", "what nbgitpuller commits")
    git(student, "fetch", "-q")
    git(student, "merge", "-q", "-Xours", "origin/main")
    after = sources(lesson)
    assert (after["puzzle"], after["exercise-2"]) == ("A mended sentence.", "my answer")
    assert sources(mine)["exercise-1"] == "my work"
