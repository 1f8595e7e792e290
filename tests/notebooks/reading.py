"""How the tests read a notebook: its cells, its prose, the calls in its code, its exercises and their solutions."""

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from tools.course import notebook_paths
from tools.notebooks import FOLDED, SOLUTION, is_deeper

PATHS = notebook_paths()
EXERCISES = "posenc_helpers.classroom.exercises."
NAMES = [path.stem for path in PATHS]  # 01_why_order_matters ...


@cache
def read(path: Path) -> NotebookNode:
    """Return the notebook at `path`. It is shared by all tests: copy it before you change it."""
    return nbformat.read(path, as_version=4)


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def text_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "markdown"]


def tags(cell: NotebookNode) -> list[str]:
    return cell.metadata.get("tags", [])


def calls(source: str) -> set[str]:
    """Return the names of all functions that `source` calls: `train` for train(...), `f` for a.b.f(...)."""
    functions = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return {getattr(function, "attr", getattr(function, "id", None)) for function in functions} - {None}


def without_code(markdown: str) -> str:
    """Return `markdown` without its fenced blocks and without `inline code`."""
    return re.sub(r"`[^`\n]+`", "", re.sub(r"^```.*?^```", "", markdown, flags=re.M | re.S))


def visible_words(markdown: str) -> list[str]:
    """Return the words that stand open on the page: no fenced code, no tables, nothing folded."""
    text = re.sub(r"<details>.*?</details>", "", markdown, flags=re.S)
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    text = re.sub(r"^\|.*$", "", text, flags=re.M)
    return [word for word in text.split() if re.search(r"\w", word)]


def in_sight(notebook: NotebookNode) -> list[NotebookNode]:
    """Return the cells that are open when the notebook opens: those outside of collapsed sections, whose heading counts."""
    shown, closed = [], 0  # level of the collapsed heading that we are under; 0: none
    for cell in notebook.cells:
        heading = re.match(r"(#+) ", cell.source) if cell.cell_type == "markdown" else None
        if heading and len(heading[1]) <= closed:
            closed = 0
        if not closed:
            shown.append(cell)
            closed = len(heading[1]) if is_deeper(cell) else 0
    return shown


def is_folded(cell: NotebookNode) -> bool:
    """Whether the code of `cell` is one click away."""
    return FOLDED in tags(cell)


def words_in_sight(cell: NotebookNode) -> int:
    """Return how many words of a text cell stand open: all but what is folded into <details>."""
    return len(re.sub(r"<details>.*?</details>", "", cell.source, flags=re.S).split())


def headings(notebook: NotebookNode, level: int) -> list[tuple[str, str]]:
    """Return (cell id, text) of every heading of `level`."""
    mark = re.compile(rf"^{'#' * level} (.+)$", re.M)
    return [(cell.id, text) for cell in text_cells(notebook) for text in mark.findall(without_code(cell.source))]


@dataclass
class Exercise:
    """A code cell with a stub and its check, the text above it, and the cell with hint and solution below it."""

    id: str
    stub: str
    check: str  # the name of the check: check_order_signal
    text: str
    below: NotebookNode
    at_hand: str  # imports and functions of the cells before it: what a reader who ran them can use

    @property
    def function(self) -> str | None:
        """The name of the function that the stub leaves to the reader, or None where it asks for a value."""
        return next((node.name for node in ast.parse(self.stub).body if isinstance(node, ast.FunctionDef)), None)

    @property
    def solution(self) -> str:
        """The folded code of the cell below."""
        (code,) = re.findall(r"^```python\n(.*?)^```", self.below.source, flags=re.M | re.S)
        return code

    def answered(self, answer: str) -> str:
        """Return the exercise cell with `answer`, which defines what the stub defines, in the stub's place."""
        tree, new = ast.parse(self.stub), ast.parse(answer)
        mine = set().union(*map(_defines, new.body))
        kept = [node for node in tree.body if not _defines(node) or not _defines(node) <= mine]
        assert len(kept) < len(tree.body), f"{self.id}: the answer defines {sorted(mine)}, but the stub does not"
        imports = [node for node in kept if isinstance(node, ast.Import | ast.ImportFrom)]
        rest = [node for node in kept if node not in imports]
        return "\n".join(map(ast.unparse, [*imports, *new.body, *rest]))


def _defines(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Assign):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    return set()


def _costs_nothing(node: ast.stmt) -> bool:
    """Whether `node` imports or defines something and computes nothing."""
    named_lambda = isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda)
    return named_lambda or isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef)


def exercise_checks(source: str) -> set[str]:
    """Return the checks of exercises that `source` imports: what else is called check_... asks nothing of the reader."""
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom) and node.module]
    names = {alias.asname or alias.name for node in imports if node.module.startswith(EXERCISES) for alias in node.names}
    return {name for name in names if name.startswith("check_")}


def exercises(notebook: NotebookNode) -> list[Exercise]:
    """Return the exercises of `notebook` in order: every code cell that calls the check of one."""
    found, at_hand, text = [], [], ""
    known = set().union(*(exercise_checks(cell.source) for cell in code_cells(notebook)))
    for cell, below in zip(notebook.cells, [*notebook.cells[1:], None], strict=True):
        if cell.cell_type == "markdown":
            text = text if SOLUTION in tags(cell) else cell.source
            continue
        checks = calls(cell.source) & known
        if checks:
            (check,) = checks
            found.append(Exercise(cell.id, cell.source, check, text, below, "\n".join(at_hand)))
        if cell.id != "setup":
            at_hand += [ast.unparse(node) for node in ast.parse(cell.source).body if _costs_nothing(node)]
    return found
