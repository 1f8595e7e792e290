"""The exercises of a notebook: text, stub, check, hint and solution, and the tags that say where an answer stands."""

import ast
import re
from dataclasses import dataclass

from nbformat import NotebookNode

SOLUTION = "solution"  # hint and solution of an exercise: students keep the fold "Hint"
ANSWER = "answer"  # a cell that is nothing but an answer to "Spot the bug": students get none of it
FOLDED_ANSWER = "folded-answer"  # a question in the open, its answer in folds: students get the question
ASIDE = "aside"  # answers nothing, though it is folded or stands among answers: it stays
LONGEST, DEEPEST = 100_000, 200  # characters of a cell, and levels of its tree: more is not read
EXERCISES = re.compile(r"posenc_helpers\.lessons\.\w+\.(exercises|homework)")  # where checks live


def tags(cell: NotebookNode) -> list[str]:
    return cell.metadata.get("tags", [])


def parse(source: str) -> ast.Module:
    """Return the tree of `source`. Raises SyntaxError where it is no Python, or too long or nested too deep to read."""
    if len(source) > LONGEST:
        raise SyntaxError(f"too long to read: more than {LONGEST:,} characters")
    try:
        tree = ast.parse(source)
    except (RecursionError, MemoryError, SystemError, ValueError) as error:  # what the parser says of odd sources
        raise SyntaxError(f"not to be read: {error}") from error
    level: list[ast.AST] = [tree]
    for _ in range(DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return tree
    raise SyntaxError(f"nested too deep to read: more than {DEEPEST} levels")


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def calls(source: str) -> set[str]:
    """Return the names of all functions that `source` calls: `train` for train(...), `f` for a.b.f(...)."""
    return {name_of(node.func) for node in ast.walk(parse(source)) if isinstance(node, ast.Call)} - {None}


def name_of(node: ast.expr) -> str | None:
    """Return "f" for f and for a.b.f."""
    return getattr(node, "attr", getattr(node, "id", None))


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
    def names(self) -> set[str]:
        """The names that the stub defines and hands to the check."""
        tree = ast.parse(self.stub)
        (call,) = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and name_of(node.func) == self.check)
        used = {node.id for node in ast.walk(call) if isinstance(node, ast.Name)}
        return used & set().union(*map(_defines, tree.body))

    @property
    def uses(self) -> set[str]:
        """The names that stub and solution read."""
        nodes = ast.walk(ast.parse(f"{self.stub}\n{self.solution}"))
        return {name_of(node) for node in nodes if isinstance(node, ast.Name | ast.Attribute)}

    @property
    def level(self) -> str:
        """The level on the exercise's card: easy, medium or hard."""
        return re.findall(r"^### \d+\. .+ \((easy|medium|hard), \d+ minutes\)$", self.text, re.M)[-1]

    @property
    def solution(self) -> str:
        """The folded code of the cell below."""
        (code,) = re.findall(r"^```python\n(.*?)^```", self.below.source, flags=re.M | re.S)
        return code

    def answered(self, answer: str) -> str:
        """Return the source of the exercise's cell with `answer` in the place of what the stub defines."""
        imports, _, check = self.parts()
        return "\n\n".join(filter(None, [imports, answer.strip("\n"), check]))

    def parts(self) -> tuple[str, str, str]:
        """Return the source of the stub's cell in three parts, comments kept: imports, what is defined, the check."""
        lines = self.stub.splitlines()
        tree = ast.parse(self.stub)
        first = next(node for node in tree.body if _defines(node) & self.names)
        last = next(node for node in tree.body if self.check in calls(ast.unparse(node)))
        cuts = (first.lineno - 1, last.lineno - 1)
        pieces = lines[: cuts[0]], lines[cuts[0] : cuts[1]], lines[cuts[1] :]
        return tuple("\n".join(piece).strip("\n") for piece in pieces)


def _defines(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Assign):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    return set()


def costs_nothing(node: ast.stmt) -> bool:
    """Whether `node` imports or defines something and computes nothing."""
    named_lambda = isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda)
    return named_lambda or isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef)


def check_homes(source: str) -> dict[str, str]:
    """Return {check: module} of the checks of exercises that `source` imports: other check_... ask nothing of the reader."""
    imports = [node for node in ast.walk(parse(source)) if isinstance(node, ast.ImportFrom) and node.module]
    found = [(alias.asname or alias.name, node.module) for node in imports for alias in node.names]
    return {name: module for name, module in found if name.startswith("check_") and EXERCISES.fullmatch(module)}


def exercises(notebook: NotebookNode) -> list[Exercise]:
    """Return the exercises of `notebook` in order: every code cell that calls the check of one."""
    found, at_hand, text = [], [], ""
    known = set().union(*(check_homes(cell.source) for cell in code_cells(notebook)))
    for cell, below in zip(notebook.cells, [*notebook.cells[1:], None], strict=True):
        if cell.cell_type == "markdown":
            text = text if SOLUTION in tags(cell) else cell.source
            continue
        checks = calls(cell.source) & known
        if checks:
            (check,) = checks
            found.append(Exercise(cell.id, cell.source, check, text, below, "\n".join(at_hand)))
        if cell.id != "setup":
            at_hand += [ast.unparse(node) for node in ast.parse(cell.source).body if costs_nothing(node)]
    return found
