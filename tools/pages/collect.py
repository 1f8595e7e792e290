"""The explorers of a notebook: what each call of `explore` is given, found without executing the notebook.

Only the cell of an explorer is run, and the statements before it that make the names it uses.
"""

import contextlib
import io
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from unittest import mock

import nbformat

from posenc_helpers import classroom
from posenc_helpers.classroom import explorers
from posenc_helpers.classroom.controls import control, on_page
from tools.grading import slicing
from tools.grading.reading import calls, code_cells

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
    return [cell.id for cell in code_cells(notebook) if "explore" in calls(cell.source)]


def needed(notebook: nbformat.NotebookNode, cell_id: str) -> list[str]:
    """Return the code that the explorer of `cell_id` needs: the statements before it that make its names, and its cell."""
    before: list[slicing.Unit] = []
    for cell in code_cells(notebook):
        if cell.id == cell_id:
            break
        before += slicing.statements(cell.source)
    units = slicing.needed(before, slicing.reads(slicing.Unit(cell.source)))
    return [*(unit.source for unit in units), cell.source]


def collect(notebook: nbformat.NotebookNode, cell_id: str) -> Explorer:
    """Run the cells that the explorer of `cell_id` needs, and return what `explore` was given."""
    found = []

    def capture(build, describe, *, caption, play=None, page=None, **controls):
        widgets = {name: control(name, spec) for name, spec in controls.items()}
        found.append(
            Explorer(
                build,
                describe,
                caption,
                play,
                on_page(widgets, page or {}),
                {name: widget.value for name, widget in widgets.items()},
                {name: KINDS[type(widget).__name__] for name, widget in widgets.items()},
            )
        )

    run(notebook, cell_id, explorers, "explore", capture)
    (explorer,) = found
    return explorer


def run(notebook: nbformat.NotebookNode, cell_id: str, home: ModuleType, name: str, capture: Callable) -> None:
    """Run the cell `cell_id` and what it needs, with `capture` in place of the function `name`, which stands in `home`."""
    space: dict = {}
    with (
        mock.patch.object(classroom, name, capture),
        mock.patch.object(home, name, capture),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        for source in needed(notebook, cell_id):
            exec(compile(source, cell_id, "exec"), space)
