"""Words for slides: prose cut to what can be read at a glance, and Markdown as HTML without a script."""

import re

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from tools.pages.formulas import mathml

MOST_WORDS = 40  # of prose on a slide
QUESTION = re.compile(r"\*\*Predict.*", re.S)
LIST = re.compile(r"(\d+\.|-) ")


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


def sentences(text: str) -> list[str]:
    return re.split(r"(?:(?<=[.!?])|(?<=[.!?]\*\*))\s+(?=[A-Z*`$“\"(])", text)


def shorten(markdown: str, most: int = MOST_WORDS) -> str:
    """Return the tables and formulas of a cell, and its first blocks of prose that make up `most` words.

    The last paragraph is cut after a sentence. A list stays whole: each entry keeps as much as there is room for.
    """
    kept: list[str] = []
    cut = False
    for block in blocks(markdown):
        block = QUESTION.sub("", block).strip()
        if block.startswith(("|", "$$")):
            kept.append(block)
        elif block and not cut:
            left = most - sum(map(count, kept))
            short = shorter_list(block, left) if LIST.match(block) else shorter_paragraph(block, left)
            cut = short != block
            kept.append(short)
    return "\n\n".join(filter(None, kept))


def shorter_paragraph(block: str, most: int) -> str:
    kept: list[str] = []
    for sentence in sentences(block):
        if count(" ".join([*kept, sentence])) > most:
            break
        kept.append(sentence)
    return " ".join(kept)


def shorter_list(block: str, most: int) -> str:
    """Return the list with the first clause of each entry, or its first sentence or all of it, from the top, while it fits.

    Return "" if not even the first clauses do.
    """
    entries = re.split(r"\n(?=\d+\. |- )", block)
    short = [first_clause(entry) for entry in entries]
    if count("\n".join(short)) > most:
        return ""
    for longer in (first_sentence, str):
        for k, entry in enumerate(entries):
            tried = [*short[:k], longer(entry), *short[k + 1 :]]
            if count("\n".join(tried)) <= most:
                short = tried
    return "\n".join(short)


def first_sentence(entry: str) -> str:
    mark, text = re.match(r"((?:\d+\.|-) |)(.*)", entry, flags=re.S).groups()
    return mark + sentences(text)[0]


def first_clause(entry: str) -> str:
    return re.sub(r"(?<=\w)[:;] .*", ".", first_sentence(entry), flags=re.S)
