"""`predict`: a field in which a reader writes down what will come out; `answer` repeats the entry above its line.

    you: 12
=>  minutes to walk there: 15 (exactly 15)

Nothing waits for an entry, and without one `answer` prints as if nobody had asked. Where no kernel runs, the pages make
a form of the same call, and in the file a line to write on is left.
"""

import ipywidgets
from IPython.core.getipython import get_ipython
from IPython.display import display

from posenc_helpers.classroom.explorers import as_view

KINDS = ("number", "words")
LABEL = "Your prediction:"

_fields: dict[str, tuple[str | list[str], ipywidgets.Widget]] = {}  # cell -> what it asks for, and its field
_asked: tuple[str | None, ipywidgets.Widget] | None = None  # the last question, and its cell, until it is answered
_answered: dict[str, ipywidgets.Widget] = {}  # statement of an `answer` -> the field of its question


def predict(kind: str | list[str]) -> None:
    """Show a field for what the text above asks: "number", "words", or a list of the words to choose from.

    Raises ValueError for any other `kind`.
    """
    global _asked
    check_kind(kind)
    cell = _cell()
    known, field = _fields.get(cell, (None, None))
    if known != kind:  # else the cell ran before, and the entry stays
        field = _field(kind)
        if cell:
            _fields[cell] = kind, field
    _asked = cell, field
    display({**as_view(field), "text/plain": blank(kind)}, raw=True)


def entered(statement: str) -> str:
    """Return what the reader entered for the prediction that `statement` answers, "" for nothing.

    The first answer after a question is its own, and stays so when cells run again.
    """
    global _asked
    if _asked and (statement not in _answered or not _asked[0]):
        _answered[statement] = _asked[1]
        _asked = None
    field = _answered.get(statement)
    return " ".join((field.value or "").split()) if field else ""


def check_kind(kind: str | list[str]) -> None:
    """Raise ValueError unless `kind` is one that `predict` takes."""
    if isinstance(kind, list):
        if len(kind) < 2 or len(set(kind)) < len(kind) or not all(isinstance(word, str) and word for word in kind):
            raise ValueError(f"kind={kind!r} must hold two choices or more, all different, each a text")
    elif kind not in KINDS:
        raise ValueError(f"kind={kind!r} is not known; allowed: {', '.join(KINDS)}, or a list of choices")


def blank(kind: str | list[str]) -> str:
    """Return what stands where no field can be shown: a line to write on, or the choices to mark."""
    return f"{LABEL} " + (" ".join(f"( ) {word}" for word in kind) if isinstance(kind, list) else "______")


def _field(kind: str | list[str]) -> ipywidgets.Widget:
    settings = {"description": LABEL, "style": {"description_width": "initial"}}
    if isinstance(kind, list):
        return ipywidgets.RadioButtons(options=kind, value=None, layout={"width": "max-content"}, **settings)
    return ipywidgets.Text(placeholder="a number" if kind == "number" else "in a few words", **settings)


def _cell() -> str | None:
    """Return which cell runs, where the front end says it (JupyterLab does)."""
    parent = getattr(get_ipython(), "get_parent", dict)()
    return parent.get("metadata", {}).get("cellId")
