"""Which exercises a submitted notebook answers, and what must run to judge each.

The lesson's own statements come from the teacher's copy; from the student come the cells that she changed or added. Of
both, only what the answer needs is run, so a submission takes seconds.
"""

import ast
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from tools.course import title
from tools.grading import encodable, said
from tools.grading.reading import SOLUTION, Exercise, calls, check_homes, code_cells, exercises, parse, tags
from tools.grading.slicing import Unit, needed, statements

LARGEST, CODE = 10 * 2**20, 200_000  # bytes of a notebook, characters of its code
KINDS = {"code": "comments", "markdown": "Markdown"}  # what a cell is in which nothing runs


class NotOurs(ValueError):
    """A file that is no notebook of this course."""


@dataclass(frozen=True)
class Lesson:
    """A notebook of the course as the teacher has it."""

    name: str
    notebook: NotebookNode

    @classmethod
    def read(cls, path: Path) -> "Lesson":
        return cls(title(path), nbformat.read(path, as_version=4))

    @cached_property
    def exercises(self) -> list[Exercise]:
        return exercises(self.notebook)

    @cached_property
    def homes(self) -> dict[str, str]:
        """{check: module}"""
        found = [check_homes(cell.source) for cell in code_cells(self.notebook)]
        return {check: module for homes in found for check, module in homes.items()}

    @cached_property
    def sources(self) -> set[str]:
        return {cell.source.strip() for cell in code_cells(self.notebook)}

    @cached_property
    def texts(self) -> set[str]:
        """What stands in its cells that are no code."""
        return {cell.source.strip() for cell in self.notebook.cells if cell.cell_type != "code"}

    @cached_property
    def imports(self) -> set[tuple[str, str]]:
        """(module, name) of all that it imports from the course."""
        nodes = [node for cell in code_cells(self.notebook) for node in ast.walk(parse(cell.source))]
        found = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
        return {(node.module, alias.name) for node in found for alias in node.names if "posenc" in node.module}

    def units(self, until: str) -> list[Unit]:
        """Return the statements of all cells up to the one with the id `until`, without calls of checks."""
        found = []
        for cell in code_cells(self.notebook):
            if cell.id != "setup":
                found += [unit for unit in statements(cell.source) if not _checks(unit.statements[0], self.homes)]
            if cell.id == until:
                break
        return found


def _checks(node: ast.stmt, homes: dict[str, str]) -> bool:
    """Whether `node` is a call of a check of an exercise, or an assignment of what it returns."""
    return isinstance(node, ast.Expr | ast.Assign) and bool(calls(ast.unparse(node)) & homes.keys())


def read_submission(path: Path) -> NotebookNode:
    """Return the notebook at `path`. Raises NotOurs if it is none."""
    try:
        if path.is_symlink():  # to what lies elsewhere: another student's answers
            raise NotOurs("The file is a link.")
        if path.stat().st_size > LARGEST:
            raise NotOurs(f"The file has more than {LARGEST >> 20} MB.")
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            cell.source.strip(), cell.cell_type, cell.setdefault("id", "")
            cell.source = encodable(cell.source)
        if sum(len(cell.source) for cell in code_cells(notebook)) > CODE:
            raise NotOurs(f"Its cells hold more than {CODE:,} characters of code.")
        return notebook
    except NotOurs:
        raise
    except Exception as error:  # nbformat raises many kinds
        raise NotOurs(f"Not a notebook: {type(error).__name__}.") from error


def lesson_of(notebook: NotebookNode, lessons: list[Lesson]) -> Lesson:
    """Return the lesson that `notebook` has most in common with, whatever its file is called. Raises NotOurs."""
    sources = {cell.source.strip() for cell in notebook.cells}
    text = "\n".join(cell.source for cell in code_cells(notebook))

    def alike(lesson: Lesson) -> int:  # the checks of all sheets have one name, and come from modules of their own
        told = {*lesson.homes, *lesson.homes.values()}
        return len(sources & (lesson.sources | lesson.texts)) + 2 * sum(name in text for name in told)

    best = max(lessons, key=alike)
    if not alike(best):
        raise NotOurs("Not a notebook of this course: it has no cell of any.")
    return best


@dataclass(frozen=True)
class Own:
    """A cell that the student changed or added."""

    id: str
    place: int
    source: str

    def units(self, homes: dict[str, str]) -> list[Unit]:
        """Return the imports one by one, and the rest as a whole without calls of checks. Raises SyntaxError."""
        body = parse(self.source).body
        imports = [k for k, node in enumerate(body) if isinstance(node, ast.Import | ast.ImportFrom)]
        drop = {k for k, node in enumerate(body) if _checks(node, homes)}
        where = {"cell": f"cell {self.place}", "own": True}
        alone = [Unit(ast.unparse(body[k]), **where) for k in imports]
        return [*alone, Unit(self.source, drop=tuple(sorted(drop | {*imports})), **where)]


def own_cells(notebook: NotebookNode, lesson: Lesson) -> list[Own]:
    return [
        Own(cell.id, place, _without_magic(cell.source))
        for place, cell in enumerate(notebook.cells, 1)
        if cell.cell_type == "code" and cell.id != "setup" and cell.source.strip() not in lesson.sources
    ]


def _without_magic(source: str) -> str:
    """Return `source` with `pass` for its lines of magic and shell, where it is no Python as it stands."""
    with suppress(SyntaxError):  # "%" may begin a line that goes on with an expression
        parse(source)
        return source
    return re.sub(r"^([ \t]*)[%!].*$", r"\1pass", source, flags=re.M)


def job(exercise: Exercise, notebook: NotebookNode, lesson: Lesson) -> dict | None:
    """Return what the sandbox must run to judge the answer to `exercise`, or None if no code answers it.

    Raises SyntaxError if the cell of the answer is no Python.
    """
    own = own_cells(notebook, lesson)
    starts = {one.check: _place(one, notebook) for one in lesson.exercises}
    here = starts[exercise.check]
    ends = min((place for place in starts.values() if here and place and place > here), default=10**9)
    # What stands below the next exercise counts too, but less: a name may mean something else there.
    ordered = [cell for cell in own if cell.place >= ends] + [cell for cell in own if cell.place < ends]
    argument = _argument(exercise, [exercise.stub])
    units = _needed(ordered, exercise.names, exercise, lesson)
    if not any(unit.own for unit in units):
        argument, asked = _argument(exercise, [cell.source for cell in own]), argument
        if argument in (None, asked):
            return None
        names = {node.id for node in ast.walk(parse(argument)) if isinstance(node, ast.Name)}
        units = _needed(ordered, names, exercise, lesson)  # she gave her answer another name
    return {
        "units": [{"source": unit.source, "cell": unit.cell, "drop": unit.drop} for unit in units],
        "module": lesson.homes[exercise.check],
        "check": exercise.check,
        "argument": argument,
        "function": exercise.function is not None,
    }


def _argument(exercise: Exercise, sources: list[str]) -> str | None:
    """Return what the last call of the check of `exercise` in `sources` hands over, such as "gray"."""
    found = None
    for source in sources:
        with suppress(SyntaxError, ValueError):
            for node in ast.walk(parse(source)):
                if isinstance(node, ast.Call) and node.args and exercise.check in calls(f"{ast.unparse(node.func)}()"):
                    found = ast.unparse(node.args[0])
    return found


def unread(exercise: Exercise, notebook: NotebookNode, lesson: Lesson) -> dict:
    """Return the verdict on `exercise` where `job` found no code: why something that may be an answer was not run."""
    words = [f"{exercise.check}(", *(f"def {name}(" for name in exercise.names)]
    for place, cell in enumerate(notebook.cells, 1):
        source, kind = cell.source.strip(), KINDS.get(cell.cell_type, cell.cell_type)
        ours = source in lesson.texts or SOLUTION in tags(cell) or (kind == "comments" and not _is_comments(source))
        if not ours and (cell.id == exercise.id or any(word in source for word in words)):
            if not source:
                return said("not attempted", "the cell is empty", f"Cell {place} asks for code and is empty.")
            why = f"Cell {place} asks for code and is {kind}: nothing in it runs."
            return said("error", f"the cell is {kind}", why)
    if _place(exercise, notebook) is None:
        return said("not attempted", "the cell is missing", "No cell of the notebook answers this exercise.")
    return said("not attempted", "", "")


def _is_comments(source: str) -> bool:
    """Whether `source` is Python without a statement."""
    with suppress(SyntaxError, ValueError):
        return not parse(source).body
    return False


def _needed(cells: list[Own], names: set[str], exercise: Exercise, lesson: Lesson) -> list[Unit]:
    """Return what must run so that `names` have their values. Raises SyntaxError if a cell that has one is no Python."""
    found = lesson.units(exercise.id)
    for cell in cells:
        try:
            found += cell.units(lesson.homes)
        except SyntaxError:
            if cell.id == exercise.id or any(re.search(rf"\b{name}\b", cell.source) for name in names):
                raise
    return needed(found, names)


def _place(exercise: Exercise, notebook: NotebookNode) -> int | None:
    """Return which cell of `notebook` is that of `exercise`: by its id, or else by the check that it calls."""
    for found in (lambda cell: cell.id == exercise.id, lambda cell: f"{exercise.check}(" in cell.source):
        for place, cell in enumerate(notebook.cells, 1):
            if cell.cell_type == "code" and found(cell):
                return place
    return None
