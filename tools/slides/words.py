"""Words for slides: prose cut to what can be read at a glance, and Markdown as HTML without a script."""

import re

from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

MOST_WORDS = 40  # of prose on a slide
QUESTION = re.compile(r"\*\*Predict.*", re.S)


def _math(text: str, options: dict) -> str:
    return convert(text, display="block" if options["display_mode"] else "inline")


MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table").use(dollarmath_plugin, renderer=_math)


def as_html(markdown: str) -> str:
    """Return `markdown` as HTML. Links become their words: a slide leads nowhere."""
    return MARKDOWN.render(re.sub(r"(?<!!)\[([^\]]+)\]\([^)]*\)", r"\1", markdown))


def inline(markdown: str) -> str:
    """Return one line of `markdown` as HTML without a paragraph around it."""
    return MARKDOWN.renderInline(re.sub(r"(?<!!)\[([^\]]+)\]\([^)]*\)", r"\1", markdown))


def count(markdown: str) -> int:
    """Return how many words of `markdown` are read: no symbols, no formulas in a block."""
    text = re.sub(r"\$\$.*?\$\$", "", markdown, flags=re.S)
    return sum(bool(re.search(r"\w", word)) for word in text.split())


def blocks(markdown: str) -> list[str]:
    """Return the paragraphs, lists and formulas of a cell: no headings, tables, code, pictures or folds."""
    text = re.sub(r"<details>.*?</details>", "", markdown, flags=re.S)
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    found = [block.strip() for block in re.split(r"\n\s*\n", text)]
    return [block for block in found if block and not block.startswith(("#", "|", "<", "!["))]


def question(markdown: str) -> str:
    """Return the "Predict" of a cell with its answer left open, or ""."""
    return "\n\n".join(found[0] for block in blocks(markdown) if (found := QUESTION.search(block)))


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?])\s+(?=[A-Z*`$“\"(])", text)


def shorten(markdown: str, most: int = MOST_WORDS) -> str:
    """Return the first blocks of a cell that make up `most` words, the last of them cut after a sentence.

    A list stays whole: if it is too long, each of its entries keeps its first sentence, or its first clause.
    """
    kept: list[str] = []
    for block in blocks(markdown):
        block = QUESTION.sub("", block).strip()
        left = most - sum(map(count, kept))
        short = shorter_list(block, left) if re.match(r"(\d+\.|-) ", block) else shorter_paragraph(block, left)
        if short:
            kept.append(short)
        if short != block and block:
            break
    return "\n\n".join(kept)


def shorter_paragraph(block: str, most: int) -> str:
    kept: list[str] = []
    for sentence in sentences(block):
        if count(" ".join([*kept, sentence])) > most:
            break
        kept.append(sentence)
    return " ".join(kept)


def shorter_list(block: str, most: int) -> str:
    """Return the list with as much of each entry as fits, or "" if not even the first clauses do."""
    entries = re.split(r"\n(?=\d+\. |- )", block)
    for cut in (lambda entry: entry, first_sentence, first_clause):
        short = "\n".join(map(cut, entries))
        if count(short) <= most:
            return short
    return ""


def first_sentence(entry: str) -> str:
    mark, text = re.match(r"((?:\d+\.|-) |)(.*)", entry, flags=re.S).groups()
    return mark + sentences(text)[0]


def first_clause(entry: str) -> str:
    return re.sub(r"(?<=\w)[:;] .*", ".", first_sentence(entry), flags=re.S)
