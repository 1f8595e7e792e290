"""Words for slides: what of a cell is prose, and Markdown as HTML without a script."""

import re

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from tools.pages.formulas import mathml

QUESTION = re.compile(r"\*\*Predict.*", re.S)


def _math(text: str, options: dict) -> str:
    return mathml(text, "block" if options["display_mode"] else "inline")


MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table").use(dollarmath_plugin, renderer=_math)


def as_html(markdown: str) -> str:
    """Return `markdown` as HTML. Links become their words: a slide leads nowhere."""
    return MARKDOWN.render(re.sub(r"(?<!!)\[([^\]]+)\]\([^)]*\)", r"\1", markdown))


def inline(markdown: str) -> str:
    """Return one line of `markdown` as HTML without a paragraph around it."""
    return MARKDOWN.renderInline(re.sub(r"(?<!!)\[([^\]]+)\]\([^)]*\)", r"\1", markdown))


def count(markdown: str) -> int:
    """Return how many words of `markdown` are read as prose: no symbols, tables, or formulas in a block."""
    text = re.sub(r"\$\$.*?\$\$|^\|.*$", "", markdown, flags=re.M | re.S)
    return sum(bool(re.search(r"\w", word)) for word in text.split())


def blocks(markdown: str) -> list[str]:
    """Return the paragraphs, lists, tables and formulas of a cell: no headings, code, pictures or folds."""
    text = re.sub(r"<details>.*?</details>", "", markdown, flags=re.S)
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    found = [block.strip() for block in re.split(r"\n\s*\n", text)]
    return [block for block in found if block and not block.startswith(("#", "<", "!["))]


def tables(markdown: str) -> str:
    return "\n\n".join(block for block in blocks(markdown) if block.startswith("|"))


def question(markdown: str) -> str:
    """Return the "Predict" of a cell, or "". How long a run takes is nothing that a slide needs."""
    found = [match[0] for block in blocks(markdown) if (match := QUESTION.search(block))]
    return re.sub(r" ?\([^()]*seconds?[^()]*\)", "", "\n\n".join(found))


def first_clause(text: str) -> str:
    """Return the first sentence of `text`, up to a colon or a semicolon."""
    sentence = re.split(r"(?:(?<=[.!?])|(?<=[.!?]\*\*))\s+(?=[A-Z*`$“\"(])", text)[0]
    return re.sub(r"(?<=\w)[:;] .*", ".", sentence, flags=re.S)
