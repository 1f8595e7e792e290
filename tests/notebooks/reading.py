"""How the tests read a notebook: its cells and its prose. Exercises are read as `tools.grading` reads them."""

import re
from functools import cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from tools.course import notebook_paths
from tools.grading.reading import Exercise, calls, code_cells, exercises, tags  # noqa: F401  what the tests take from here
from tools.notebooks import asks, in_sight, is_folded  # noqa: F401  what the tests take from here, too

PATHS = notebook_paths()
NAMES = [path.stem for path in PATHS]  # 01_why_order_matters ...


def path_of(name: str) -> Path:
    return PATHS[NAMES.index(name)]


@cache
def read(path: Path) -> NotebookNode:
    """Return the notebook at `path`. It is shared by all tests: copy it before you change it."""
    return nbformat.read(path, as_version=4)


def text_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "markdown"]


def without_code(markdown: str) -> str:
    """Return `markdown` without its fenced blocks and without `inline code`."""
    return re.sub(r"`[^`\n]+`", "", re.sub(r"^```.*?^```", "", markdown, flags=re.M | re.S))


def visible_words(markdown: str) -> list[str]:
    """Return the words that stand open on the page: no fenced code, no tables, nothing folded."""
    text = without_targets(re.sub(r"<details>.*?</details>", "", markdown, flags=re.S))
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    text = re.sub(r"^\|.*$", "", text, flags=re.M)
    return [word for word in text.split() if re.search(r"\w", word)]


def words_in_sight(cell: NotebookNode) -> int:
    """Return how many words of a text cell stand open: all but what is folded into <details>."""
    return len(without_targets(re.sub(r"<details>.*?</details>", "", cell.source, flags=re.S)).split())


def without_targets(markdown: str) -> str:
    """Return `markdown` with the words of its links alone: a task names the state that it asks for behind them."""
    return re.sub(r"(\[[^\]]+\])\(#cell-id=[^)]*\)", r"\1", markdown)


def headings(notebook: NotebookNode, level: int) -> list[tuple[str, str]]:
    """Return (cell id, text) of every heading of `level`."""
    mark = re.compile(rf"^{'#' * level} (.+)$", re.M)
    return [(cell.id, text) for cell in text_cells(notebook) for text in mark.findall(without_code(cell.source))]


def navigation(name: str) -> str:
    """Return the line that leads from the notebook `name` to the one before, the map, the glossary, and the one after."""
    here = NAMES.index(name)
    before = [f"[← {other.replace('_', ' ')}]({other}.ipynb)" for other in NAMES[:here][-1:]]
    after = [f"[{other.replace('_', ' ')} →]({other}.ipynb)" for other in NAMES[here + 1 :][:1]]
    links = ["[the map](../README.md#the-notebooks)", "[the glossary](../GLOSSARY.md)"]
    return " · ".join([*before, *links, *after])
