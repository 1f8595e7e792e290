"""data/references.csv: every arXiv number that a notebook cites, and no other, with the notebooks that cite it."""

import re

from posenc_helpers.lessons.choosing.references import load_references
from tests.notebooks.reading import PATHS, read, text_cells

ARXIV = re.compile(r"\b\d{4}\.\d{5}\b")  # a number as the notebooks write it


def cited() -> dict[str, str]:
    """Return {arXiv number: "03, 07"} of what the texts of the notebooks cite."""
    found: dict[str, list[str]] = {}
    for path in PATHS:
        numbers = {number for cell in text_cells(read(path)) for number in ARXIV.findall(cell.source)}
        for number in numbers:
            found.setdefault(number, []).append(path.name[:2])
    return {number: ", ".join(notebooks) for number, notebooks in found.items()}


def test_each_is_cited_by_a_cell_and_none_is_missing():
    listed = {reference.arxiv: reference.notebooks for reference in load_references()}
    assert listed == cited()


def test_each_is_there_once_and_oldest_first():
    references = load_references()
    assert len({reference.arxiv for reference in references}) == len(references) > 20
    assert references == sorted(references, key=lambda reference: (reference.year, reference.arxiv))
    assert all(reference.authors and reference.title for reference in references)
