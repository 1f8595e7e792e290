"""The translated catalogues: texts are those of today's notebook, and code, links, formulas and numbers survive."""

import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from tests.notebooks.reading import path_of, read, text_cells
from tools.course import ROOT
from tools.pages.sources import download, relinked
from tools.pages.tries import LINK

LOCALES = ROOT / "teaching" / "locales"
CATALOGUES = sorted(LOCALES.glob("*/LC_MESSAGES/notebooks/*.po"))
assert CATALOGUES
EVERY = pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
FORMULA = re.compile(r"^\$\$.*?\$\$$", re.M | re.S)


def entries(path):
    """Return {English: translation} of a catalogue."""
    with open(path, "rb") as file:
        catalogue = read_po(file, locale=path.relative_to(LOCALES).parts[0])
    return {message.id: message.string for message in catalogue if message.id}


def notebook(path):
    return read(path_of(path.stem))


def sentences(source):
    """Return the texts of a Markdown cell: headings, paragraphs, list items, cells of tables, without their marks."""
    source = re.sub(r"^```.*?^```$", "", FORMULA.sub("", source), flags=re.M | re.S)
    found = []
    for line in source.splitlines():
        line = re.sub(r"^(#+|[-*]|\d+\.) (?=\S)", "", line.strip())
        if line.startswith("|"):
            found += [cell.strip() for cell in line.strip("|").split("|")]
        elif not line.startswith("<"):
            found.append(line)
    return [text for text in found if re.search(r"[A-Za-z]{2}", text)]


def plain(text):
    """Return `text` with tasks as words: in a notebook they are links, in a catalogue what the pages make of these."""
    return LINK.sub(r"\1", re.sub(r'<span class="try"[^>]*>(.*?)</span>', r"\1", text))


@EVERY
def test_every_text_still_stands_in_the_notebook(path):
    source = "\n".join(cell.source for cell in text_cells(notebook(path)))
    source += download(relinked(source, Path("notebooks"), f"notebooks/{path.stem}.md"), path.stem)  # as on the pages
    assert [english for english in entries(path) if plain(english) not in plain(source)] == []


@EVERY
def test_every_text_of_the_notebook_has_a_translation(path):
    translated = {plain(english): other for english, other in entries(path).items()}
    texts = [text for cell in text_cells(notebook(path)) for text in sentences(cell.source)]
    assert len(texts) > 100
    assert [text for text in texts if not translated.get(plain(text))] == []


@EVERY
def test_markup_and_numbers_survive_and_nothing_begins_like_a_list_which_sphinx_would_take_it_for(path):
    assert [other for other in entries(path).values() if re.match(r"(\d+\.|[-*]) ", other)] == []

    def kept(text):
        numbers = [number.replace(",", ".") for number in re.findall(r"\d+(?:[.,]\d+)?", text)]
        marks = re.findall(r"`[^`]+`|\$[^$]+\$|\]\([^)]+\)|\*\*", text)
        return sorted(numbers), sorted(marks), text.count("*")

    assert [english for english, other in entries(path).items() if kept(english) != kept(other)] == []
