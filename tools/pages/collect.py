"""The explorers of a notebook: what each call of `explore` is given, found without executing the notebook.

Only the cell of an explorer is run, and the statements before it that make the names it uses.
"""

import ast
import builtins
import contextlib
import io
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from unittest import mock

import nbformat

from posenc_helpers.classroom import explorers
from posenc_helpers.classroom.controls import control, on_page

KINDS = {
    "SelectionSlider": "range",
    "IntSlider": "range",
    "FloatSlider": "range",
    "ToggleButtons": "radio",
    "Checkbox": "checkbox",
}


@dataclass(frozen=True)
class Explorer:
    """What one call of `explore` was given: `controls` is {name: {words: value}}, `start` {name: value}."""

    build: Callable
    describe: Callable[..., str]
    caption: str
    play: str | None
    controls: dict[str, dict]
    start: dict
    kinds: dict[str, str]  # "range", "radio" or "checkbox"

    def states(self) -> list[dict]:
        """Return the values of every state, the last control fastest."""
        names = list(self.controls)
        return [
            dict(zip(names, values, strict=True))
            for values in itertools.product(*(choices.values() for choices in self.controls.values()))
        ]


def explorer_cells(notebook: nbformat.NotebookNode) -> list[str]:
    """Return the ids of the cells that call `explore`."""
    return [c.id for c in notebook.cells if c.cell_type == "code" and "explore" in _names(c.source)[0]]


def needed(notebook: nbformat.NotebookNode, cell_id: str) -> list[str]:
    """Return the statements that cell `cell_id` needs, its own last: those that make a name that it uses, and so on."""
    before: list[str] = []
    for cell in notebook.cells:
        if cell.id == cell_id:
            break
        if cell.cell_type == "code":
            before += [ast.unparse(statement) for statement in ast.parse(cell.source).body]
    kept, wanted = [cell.source], _names(cell.source)[0]
    for statement in reversed(before):
        used, made = _names(statement)
        if made & wanted:
            kept.append(statement)
            wanted = (wanted - made) | used
    return kept[::-1]


def _names(source: str) -> tuple[set[str], set[str]]:
    """Return the names that `source` uses, and those that it makes at its top level."""
    tree = ast.parse(source)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    made = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            made.add(node.name)
        if isinstance(node, ast.Import | ast.ImportFrom):
            made |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return used - set(dir(builtins)), made


def collect(notebook: nbformat.NotebookNode, cell_id: str) -> Explorer:
    """Run the cells that the explorer of `cell_id` needs, and return what `explore` was given."""
    found = []

    def capture(build, describe, *, caption, play=None, page=None, **controls):
        widgets = {name: control(name, spec) for name, spec in controls.items()}
        found.append(
            Explorer(
                build, describe, caption, play, on_page(widgets, page or {}),
                {name: widget.value for name, widget in widgets.items()},
                {name: KINDS[type(widget).__name__] for name, widget in widgets.items()},
            )
        )  # fmt: skip

    space: dict = {}
    with mock.patch.object(explorers, "explore", capture), contextlib.redirect_stdout(io.StringIO()):
        for source in needed(notebook, cell_id):
            exec(compile(source, cell_id, "exec"), space)
    (explorer,) = found
    return explorer
