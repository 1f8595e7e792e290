"""GLOSSARY.md: one row a term, in order, each used in the notebook that it points to."""

import re
from itertools import pairwise

from tests.notebooks.reading import PATHS, read
from tools.course import ROOT

ROWS = re.findall(r"^\| \*\*(.+?)\*\* \| (.+?) \| (\d\d) \|$", (ROOT / "GLOSSARY.md").read_text(encoding="utf-8"), re.M)
NOTEBOOKS = {path.name[:2]: "\n".join(cell.source for cell in read(path).cells).lower() for path in PATHS}


def test_terms_are_there_once_and_in_order():
    terms = [term.lower() for term, _, _ in ROWS]
    assert len(terms) > 30
    assert all(a < b for a, b in pairwise(terms)), [(a, b) for a, b in pairwise(terms) if a >= b]


def test_every_term_is_used_in_the_notebook_that_it_points_to():
    missing = []
    for term, _, number in ROWS:
        words = re.sub(r" \(.*?\)", "", term).lower().split(", ")
        missing += [(term, number) for word in words if word.removesuffix(" i") not in NOTEBOOKS[number]]
    assert not missing
