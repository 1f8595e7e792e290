"""A "Predict" as a form: what answers it stays shut until a reader has entered something.

Without a script nothing is shut and no form is to be seen. On paper a line to write on is left.
"""

import ast
import html
import re

import nbformat

from posenc_helpers.classroom.predictions import LABEL, blank
from tools.grading.reading import calls
from tools.notebooks import asks

END = "</div>"  # of what a form shuts: all up to what ENDS, further questions included, since texts go on from answers
ENDS = re.compile(r"^(#+ |\*\*A place to stop)", re.M)
REFUSED = (  # what a form says to an entry that is none
    'data-empty="Nothing is entered yet. A guess will do; press again to see it without one." '
    'data-wrong="This asks for a number, in digits: 12, 0.5 or 1/3."'
)
LAST = """<form class="forget" hidden>
<button type="submit">Forget my predictions</button>
<span data-done="They are forgotten.">They are stored in this browser, and sent to nobody.</span>
</form>
<p class="answer-says" role="status" data-you="you: {}"></p>"""  # the one place where what opened is said


def kind_of(cell: nbformat.NotebookNode) -> str | list[str] | None:
    """Return what `cell` asks a reader for, by its call of `predict`; None if it asks nothing."""
    if not asks(cell):
        return None
    (call,) = (node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Call))
    return ast.literal_eval(call.args[0])


def answers(notebook: nbformat.NotebookNode) -> dict[str, str]:
    """Return {cell of a question: cell of its answer}. Raises ValueError for a question without one."""
    found, asked = {}, None
    for cell in notebook.cells:
        if kind_of(cell) is not None:
            if asked:
                break
            asked = cell.id
        elif asked and cell.cell_type == "code" and "answer" in calls(cell.source):
            found[asked], asked = cell.id, None
        elif asked and cell.cell_type == "markdown" and cell.source.startswith("#"):
            break  # an answer under another heading is none
    if asked:
        raise ValueError(f"the prediction {asked} has no answer before the next question or heading")
    return found


def form(cell_id: str, kind: str | list[str]) -> str:
    """Return the form of the question `cell_id`, and the beginning of what it shuts, which ends with END."""
    if isinstance(kind, list):
        words = map(html.escape, kind)
        choices = "".join(f'<label><input type="radio" name="entry" value="{word}"> {word}</label>' for word in words)
        fields = f"<fieldset><legend>{LABEL}</legend>{choices}</fieldset>"
    else:
        numeric = ' inputmode="decimal"' if kind == "number" else ""
        fields = f'<label>{LABEL} <input type="text" name="entry" maxlength="200"{numeric}></label>'
    return f"""<form class="predict" hidden autocomplete="off" data-id="{cell_id}">
{fields}
<button type="submit" aria-expanded="false" aria-controls="{cell_id}-answer" data-open="hide it again">show me</button>
<p class="refused" role="status" {REFUSED}></p>
</form>
<p class="waits" hidden>The answer stands here once you have predicted.</p>
<p class="write-here">{html.escape(blank(kind))}{"_" * 20 * isinstance(kind, str)}</p>
<div class="unseen" id="{cell_id}-answer">"""
