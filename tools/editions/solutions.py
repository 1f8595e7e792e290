"""The solutions edition of a notebook: every stub replaced by its solution, run from a fresh kernel, every check right."""

from copy import deepcopy
from pathlib import Path

from nbformat import NotebookNode

from tools.grading.reading import Exercise, exercises
from tools.notebooks import clean, execute, write


def solved(notebook: NotebookNode) -> NotebookNode:
    """Return a copy of `notebook` with the solutions in the places of the stubs, not run yet."""
    made = deepcopy(notebook)
    found = {exercise.id: exercise for exercise in exercises(notebook)}
    for cell in made.cells:
        if cell.id in found:
            cell.source = solution_cell(found[cell.id])
    return made


def solution_cell(exercise: Exercise) -> str:
    """Return the code cell of `exercise` with the solution, as it is written, in the place of the stub."""
    imports, _, check = exercise.parts()
    return "\n\n".join(filter(None, [imports, exercise.solution.strip("\n"), check]))


def solutions(notebook: NotebookNode, path: Path) -> None:
    """Write the solutions edition of `notebook` to `path` and run it there. Raises ValueError if a check is not right."""
    write(solved(notebook), path)
    run = execute(path)
    clean(run)
    not_right = {id_: said for id_, said in sayings(run).items() if ": right. " not in said}
    if not_right:
        raise ValueError(f"{path.name}: the check of a solution says: {not_right}")
    write(run, path)


def sayings(notebook: NotebookNode) -> dict[str, str]:
    """Return {cell id: what its check prints} of all exercises, of a notebook with or without solutions."""
    ids = {exercise.id for exercise in exercises(notebook)}
    return {
        cell.id: "".join(output.get("text", "") for output in cell.outputs) for cell in notebook.cells if cell.id in ids
    }
