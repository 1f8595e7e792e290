"""The pictures of a notebook that one plays with: what each call of `play` is given, and its HTML on a page or a slide."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import nbformat

from posenc_helpers.classroom import playable
from tools.grading.reading import calls, code_cells
from tools.pages.collect import run


@dataclass(frozen=True)
class Playable:
    """What one call of `play` was given: `values` is {name: start}, `constants` the rest of what the model holds."""

    source: str  # of the ES module
    values: dict
    constants: dict
    draw: Callable
    describe: Callable[..., str]
    caption: str


def playable_cells(notebook: nbformat.NotebookNode) -> list[str]:
    """Return the ids of the cells that call `play`."""
    return [cell.id for cell in code_cells(notebook) if "play" in calls(cell.source)]


def collect_playable(notebook: nbformat.NotebookNode, cell_id: str) -> Playable:
    """Run the cells that the picture of `cell_id` needs, and return what `play` was given."""
    found = []

    def capture(module: Path, state, *, draw, describe, caption, data=None):
        values, constants = playable.traits(state, data)
        found.append(Playable(playable.source(module), values, constants, draw, describe, caption))

    run(notebook, cell_id, playable, "play", capture)
    (one,) = found
    return one


def playable_html(one: Playable, cell_id: str, still: str) -> str:
    """Return the picture of cell `cell_id`; without a script `still`, its picture as HTML, is what is left.

    All in few lines without an empty one, so that it can stand in Markdown.
    """
    facts = {
        "id": cell_id,
        "module": one.source,
        "css": playable.CSS.read_text(encoding="utf-8"),
        "values": one.values,
        "constants": one.constants,
    }
    text = json.dumps(facts, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    return f"""<div class="playable" id="at-{cell_id}">
<div class="still">{still}</div>
<script type="application/json" class="facts">{text}</script>
</div>"""
