"""`make editions`: what a class gets, in build/: student, nbgrader, solutions, slides, quiz, homework.

ONLY="slides 03" makes less. An edition takes the place of the old one only when it is whole.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from tools.course import HOMEWORK, ROOT, all_paths, notebook_paths
from tools.editions.folder import course_folder
from tools.editions.leaks import answers, leaks, strings, texts, told
from tools.editions.nbgrader import assignment, released, sheet
from tools.editions.solutions import solutions
from tools.editions.stamps import replace
from tools.editions.student import student
from tools.notebooks import write

BUILD = ROOT / "build" / "editions"


def place(edition: str, path: Path) -> Path:
    """Return where in `edition` the notebook or homework sheet at `path` stands: both may have one name."""
    is_sheet = path.parent == HOMEWORK
    if edition == "nbgrader":
        return Path("source", f"homework_{path.stem}" if is_sheet else path.stem, path.name)
    return Path("homework" if is_sheet else "notebooks", path.name)


def write_student(notebook: NotebookNode, path: Path, target: Path) -> None:
    write(student(notebook, path.name), target)


def write_nbgrader(notebook: NotebookNode, path: Path, target: Path) -> None:
    write((sheet if path.parent == HOMEWORK else assignment)(notebook, path.name), target)


def write_solutions(notebook: NotebookNode, path: Path, target: Path) -> None:
    solutions(notebook, target)
    print(f"solutions: {target.parent.name}/{target.name}, every check says right", flush=True)


EDITIONS = {"student": write_student, "nbgrader": write_nbgrader, "solutions": write_solutions}
BESIDE = {"slides": "slides", "quiz": "quiz", "homework": "handouts"}  # made by tools of their own


def make(edition: str, paths: list[Path], target: Path) -> None:
    """Make `edition` of the notebooks at `paths` in the folder `target`; its other notebooks stay as they are.

    Raises ValueError where a line of an answer would reach students.
    """
    part = target.with_name(f".{target.name}")
    shutil.rmtree(part, ignore_errors=True)
    course_folder(part, edition)
    for path in all_paths():
        old, new = target / place(edition, path), part / place(edition, path)
        if path in paths or old.is_file():
            new.parent.mkdir(parents=True, exist_ok=True)
        if path in paths:
            EDITIONS[edition](nbformat.read(path, as_version=4), path, new)
        elif old.is_file():
            shutil.copy(old, new)
    if found := leaking(edition, part):
        lines = [f"{path.name}: {line}" for path, line in found]
        raise ValueError("\n".join(["answers would reach students:", *lines]))
    replace(target, part, edition, paths)


def leaking(edition: str, folder: Path) -> list[tuple[Path, str]]:
    """Return the (file, line) of answers in what students get of the edition in `folder`."""
    if edition == "solutions":
        return []
    secrets = set().union(*(answers(nbformat.read(path, as_version=4)) for path in all_paths()))
    found = []
    for path in notebook_paths() if edition == "student" else ():
        if (made := folder / "notebooks" / path.name).is_file():
            cells = told(nbformat.read(path, as_version=4), nbformat.read(made, as_version=4))
            found += [(made, f"cell {cell} tells what answers a prediction") for cell in cells]
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        said = texts(path)
        if edition == "nbgrader" and path.suffix == ".ipynb":  # the source has the solutions; what is released has not
            said = strings(json.loads(nbformat.writes(released(nbformat.read(path, as_version=4)))))
        found += [(path, line) for line in leaks(secrets, said)]
    return found


def main(arguments: list[str]) -> None:
    known = [argument for argument in arguments if argument in (*EDITIONS, *BESIDE)]
    prefixes = tuple(argument for argument in arguments if argument not in known)
    paths = [path for path in all_paths() if not prefixes or path.name.startswith(prefixes)]
    if any(not any(path.name.startswith(prefix) for path in paths) for prefix in prefixes):
        names = ", ".join((*EDITIONS, *BESIDE))
        sys.exit(f"usage: make editions ONLY='[edition] [notebook]'; editions: {names} (got {arguments})")
    for edition in known or (*EDITIONS, *BESIDE):
        if edition in BESIDE:
            only = ["--only", *prefixes] if prefixes and edition == "slides" else []
            command = [sys.executable, "-m", f"tools.{BESIDE[edition]}", *only]
            if code := subprocess.run(command, cwd=ROOT, check=False).returncode:
                sys.exit(code)
            continue
        try:
            make(edition, paths, BUILD / edition)
        except ValueError as error:
            sys.exit(f"the {edition} edition is left as it was: {error}")
        print(f"{edition}: {len(paths)} notebooks in {(BUILD / edition).relative_to(ROOT)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
