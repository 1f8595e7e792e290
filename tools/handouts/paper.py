"""A homework sheet or an exam as Markdown, without its keys and with them, and as one page of HTML that prints well."""

import re
from pathlib import Path

import nbformat

from tools.editions.folds import FOLD, HINT
from tools.editions.student import YOURS, student
from tools.quiz.exports import PRINT_CSS
from tools.quiz.html import html_page
from tools.slides.words import MARKDOWN

PAGE_CSS = """
@page { margin: 18mm; } h2, h3 { break-after: avoid; } table, pre { break-inside: avoid; }
table { border-collapse: collapse; margin: 0.8em 0; } th, td { border: 1px solid #999; padding: 0.15em 0.6em; }
pre { font-size: 9pt; white-space: pre-wrap; background: #f4f4f4; padding: 0.6em; }
li { margin-bottom: 0.2em; } .room { height: 60mm; border: 1px solid #999; } math { font-size: 1.1em; }
.key { border-left: 3px solid #555; padding-left: 1em; margin: 1em 0; } .key > :first-child { font-weight: bold; }
"""
ROOM = '<div class="room"></div>'  # for an answer by hand
NAME = "Name: ______________________________"


def sheet(path: Path, keys: bool) -> str:
    """Return the homework sheet at `path` as Markdown: code as it stands, the setup cell left out."""
    notebook = nbformat.read(path, as_version=4)
    cells = notebook.cells if keys else student(notebook, path.name).cells
    texts = [f"```python\n{cell.source}\n```" if cell.cell_type == "code" else cell.source for cell in cells]
    return "\n\n".join(text for cell, text in zip(cells, texts, strict=True) if cell.id != "setup") + "\n"


def exam(path: Path, keys: bool) -> str:
    """Return the exam at `path`, Markdown with its keys in folds."""
    text = path.read_text(encoding="utf-8")
    return text if keys else re.sub(r"\n{3,}", "\n\n", FOLD.sub(lambda fold: fold[0] if fold[1] == HINT else "", text))


def unfolded(markdown: str) -> str:
    """Return `markdown` to be changed and printed: each fold is a paragraph with its name, and what it held."""
    return FOLD.sub(lambda fold: f"**{fold[1]}.**\n\n{fold[2].strip()}", markdown).replace(YOURS, "*Your answer:*")


def page(markdown: str, keys: bool) -> str:
    """Return `markdown` as a page of HTML that needs no other file: folds open, room for answers, formulas as MathML.

    Raises ValueError where students would get a key, because a fold is not closed.
    """
    body = FOLD.sub(lambda fold: f'<div class="key">\n\n{fold[1]}\n\n{fold[2].strip()}\n\n</div>', markdown)
    if "<details" in body:
        raise ValueError(f"a fold is not closed, or stands in another one: {body[body.index('<details') :][:60]!r}")
    title = re.search(r"^# (.+)$", markdown, re.M)[1]
    if not keys:
        body = body.replace(YOURS, ROOM).replace(f"# {title}\n", f"# {title}\n\n{NAME}\n", 1)
    return html_page(f"Key: {title}" if keys else title, PRINT_CSS + PAGE_CSS, MARKDOWN.render(body))
