"""English that lies on every machine that runs the course: help topics of Python, and help texts of NumPy."""

import inspect
from collections.abc import Callable

import numpy as np
from torch import Tensor

STRETCHES = (
    *("Python: import", "Python: execmodel", "Python: comparisons", "Python: try"),
    *("NumPy: einsum", "NumPy: fft", "NumPy: random", "NumPy: polynomial"),
)


def help_text(source: str, name: str) -> str:
    """Return what `help(name)` says: of Python's own topics ("Python"), or of a part of NumPy ("NumPy")."""
    if source == "Python":
        from pydoc_data.topics import topics

        return topics[name]
    return inspect.cleandoc(getattr(np, name).__doc__)


def stretches(tokens: Callable[[str], Tensor], length: int = 385) -> dict[str, Tensor]:
    """Return eight stretches of text as tokens (length,), the beginnings of four texts of each source, by their names."""
    return {name: tokens(help_text(*name.split(": ")))[:length] for name in STRETCHES}
