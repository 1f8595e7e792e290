"""A bet on a page: names to put in order where a notebook has a list to edit, and its score where the notebook decides it.

Without a script there are neither; on paper a line to write on is left.
"""

import ast
import html
import json
import re

import nbformat

CELL = "bet-run"  # `my_bet = [...]`, in any notebook that has one
DECIDED = {"08_length_extrapolation": "bet-result", "12_released_model": "six-run"}  # by a cell that prints the numbers
MADE_BY_NOBODY = "your bet has"  # a line about the list as it was saved
SCORE = '<p class="bet-says" hidden data-words="Your bet: {order}. Pairs in the measured order: {right} of {all}."></p>'


def measured(notebook: nbformat.NotebookNode, name: str) -> dict[str, float]:
    """Return {name in the bet: its number, lower is better}. Raises ValueError where one is not printed."""
    cells = {cell.id: cell for cell in notebook.cells}
    (names,) = (
        ast.literal_eval(node.value)
        for node in ast.parse(cells[CELL].source).body
        if isinstance(node, ast.Assign) and node.targets[0].id == "my_bet"
    )
    printed = "".join(output.get("text", "") for output in cells[DECIDED[name]].outputs)
    found = {}
    for one in names:
        number = re.search(rf"(?:^|[,:] ){re.escape(one)} +(\d+\.\d+)", printed, re.M)
        if not number:
            raise ValueError(f"cell {DECIDED[name]} of {name} prints no number of {one!r}")
        found[one] = float(number[1])
    return found


def form(values: dict[str, float]) -> str:
    """Return the form in which a reader puts the names of `values` in order; it starts in that of the alphabet."""
    buttons = "".join(
        f'<button type="button">{k} {html.escape(one)}</button>' for k, one in enumerate(sorted(values), 1)
    )
    return f"""<form class="bet" hidden data-values="{html.escape(json.dumps(values))}">
<p>Drag a name to its place, or move it with the arrow keys.</p>
<div class="bet-list" role="group" aria-label="Your bet">{buttons}</div>
</form>
<p class="write-here">Your bet: {"_" * 40}</p>"""


def drop_score(cell: nbformat.NotebookNode) -> None:
    """Drop from `cell`, in place, what it printed about a bet that a reader of the page has not made."""
    for output in cell.outputs:
        if "text" in output:
            lines = output.text.splitlines(True)
            output.text = "".join(line for line in lines if not line.startswith(MADE_BY_NOBODY))
