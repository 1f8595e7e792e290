"""`make editions`: what a class gets, in build/: student, nbgrader, solutions, slides, quiz (ONLY="slides 03" for less).

An edition takes the place of the old one only when it is whole.
"""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from tools.course import ROOT, notebook_paths
from tools.editions.folder import course_folder
from tools.editions.leaks import answers, leaks, strings, texts
from tools.editions.nbgrader import assignment, released
from tools.editions.solutions import solutions
from tools.editions.student import student
from tools.notebooks import write

BUILD = ROOT / "build" / "editions"


def write_student(notebook: NotebookNode, name: str, folder: Path) -> None:
    write(student(notebook, name), _new(folder / "notebooks" / name))


def write_nbgrader(notebook: NotebookNode, name: str, folder: Path) -> None:
    made = assignment(notebook, name)
    nbformat.validate(made)
    write(made, _new(folder / "source" / name.removesuffix(".ipynb") / name))


def write_solutions(notebook: NotebookNode, name: str, folder: Path) -> None:
    started = time.monotonic()
    solutions(notebook, _new(folder / "notebooks" / name))
    print(f"solutions: {name}, every check says right, {time.monotonic() - started:.0f} s", flush=True)


def _new(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


EDITIONS: dict[str, Callable[[NotebookNode, str, Path], None]] = {
    "student": write_student,
    "nbgrader": write_nbgrader,
    "solutions": write_solutions,
}


BESIDE = ("slides", "quiz")  # made by tools of their own


def make(edition: str, paths: list[Path], target: Path) -> None:
    """Make `edition` of the notebooks at `paths` in the folder `target`; its other notebooks stay as they are.

    Raises ValueError where a line of an answer would reach students.
    """
    part = target.with_name(f".{target.name}")
    shutil.rmtree(part, ignore_errors=True)
    course_folder(part, edition)
    for old in (path for path in target.glob("*/**/*.ipynb") if path.name in {path.name for path in notebook_paths()}):
        shutil.copy(old, _new(part / old.relative_to(target)))  # what is not made again stays
    for path in paths:
        EDITIONS[edition](nbformat.read(path, as_version=4), path.name, part)
    found = leaking(edition, part)
    if found:
        raise ValueError(
            "\n".join(["answers would reach students:", *(f"{path.name}: {line}" for path, line in found)])
        )
    shutil.rmtree(target, ignore_errors=True)
    part.rename(target)


def leaking(edition: str, folder: Path) -> list[tuple[Path, str]]:
    """Return the (file, line) of answers in what students get of the edition in `folder`."""
    if edition == "solutions":
        return []
    secrets = set().union(*(answers(nbformat.read(path, as_version=4)) for path in notebook_paths()))
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        said = texts(path)
        if edition == "nbgrader" and path.suffix == ".ipynb":  # the source has the solutions; what is released has not
            said = strings(json.loads(nbformat.writes(released(nbformat.read(path, as_version=4)))))
        found += [(path, line) for line in leaks(secrets, said)]
    return found


def main(arguments: list[str]) -> None:
    known = [argument for argument in arguments if argument in (*EDITIONS, *BESIDE)]
    prefixes = tuple(argument for argument in arguments if argument not in known)
    paths = [path for path in notebook_paths() if not prefixes or path.name.startswith(prefixes)]
    if not paths or any(not any(path.name.startswith(prefix) for path in paths) for prefix in prefixes):
        names = ", ".join((*EDITIONS, *BESIDE))
        sys.exit(f"usage: make editions ONLY='[edition] [notebook]'; editions: {names} (got {arguments})")
    for edition in known or (*EDITIONS, *BESIDE):
        if edition in BESIDE:
            only = ["--only", *prefixes] if prefixes and edition == "slides" else []
            if code := subprocess.run(
                [sys.executable, "-m", f"tools.{edition}", *only], cwd=ROOT, check=False
            ).returncode:
                sys.exit(code)
            continue
        try:
            make(edition, paths, BUILD / edition)
        except ValueError as error:
            sys.exit(f"the {edition} edition is left as it was: {error}")
        print(f"{edition}: {len(paths)} notebooks in {(BUILD / edition).relative_to(ROOT)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
