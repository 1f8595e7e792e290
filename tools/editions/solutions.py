"""The solutions edition of a notebook: every stub replaced by its solution, run from a fresh kernel, every check right."""

from copy import deepcopy
from pathlib import Path

from nbformat import NotebookNode

from tools.grading.reading import exercises
from tools.notebooks import clean, execute, printed, write


def solved(notebook: NotebookNode) -> NotebookNode:
    """Return a copy of `notebook` with the solutions in the places of the stubs, not run yet."""
    made = deepcopy(notebook)
    answered = {exercise.id: exercise.answered(exercise.solution) for exercise in exercises(notebook)}
    for cell in made.cells:
        cell.source = answered.get(cell.id, cell.source)
    return made


def solutions(notebook: NotebookNode, path: Path) -> None:
    """Write the solutions edition of `notebook` to `path` and run it there. Raises ValueError if a check is not right."""
    write(solved(notebook), path)
    run = execute(path)
    clean(run)
    ids = {exercise.id for exercise in exercises(notebook)}
    said = {cell.id: "\n".join(printed(cell)) for cell in run.cells if cell.id in ids}
    not_right = {id_: text for id_, text in said.items() if ": right. " not in text}
    if not_right:
        raise ValueError(f"{path.name}: the check of a solution says: {not_right}")
    write(run, path)
