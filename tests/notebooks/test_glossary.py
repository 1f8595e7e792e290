"""GLOSSARY.md: one row a term, in order, each used in the notebook that it points to; no term of the course is missing."""

import re
from itertools import pairwise

from posenc_helpers.classroom.colours import PALETTE
from posenc_helpers.encodings import ENCODINGS
from tests.notebooks.reading import PATHS, read, text_cells, without_code
from tools.course import ROOT

ROWS = re.findall(r"^\| \*\*(.+?)\*\* \| (.+?) \| (\d\d) \|$", (ROOT / "GLOSSARY.md").read_text(encoding="utf-8"), re.M)
NOTEBOOKS = {path.name[:2]: "\n".join(cell.source for cell in read(path).cells).lower() for path in PATHS}


def names(term: str) -> list[str]:
    """Return the names in a row's term: ["d", "d_head", "h"] for "d, d_head, H", ["bias"] for "bias (of a score)"."""
    return [name.removesuffix(" i") for name in re.sub(r" \(.*?\)", "", term).lower().split(", ")]  # "pair index i"


TERMS = {name for term, _, _ in ROWS for name in names(term)}
LISTED_AS = {  # written otherwise in the glossary
    "sinusoidal": "sinusoidal encoding",
    "learned": "learned table",
    "relative bias": "bias table",
    "clip": "clipping",
    "half-split layout": "half layout",
    "patches": "patch",
    "not persistent": "buffer",
    "dropping positions": "drope",
}
# What every card takes for granted, models, numbers, stressed words, openings of a paragraph, and the name of a task.
NO_TERMS = """
    rnn; self-attention; deepseek; olmo 3; 16; 64; 2w - 1; float32; not; which; vector; stores; last; causal; differences;
    trained; tested; within each head; in code; the paper; the right way; on a cluster; random rows; sounds;
    one more column; released code; find the mistake; what is wrong; 3 back;
    18; 24
"""


def missing(terms: set[str]) -> set[str]:
    """Return those of `terms` that the glossary lacks, as it writes them or in the singular, without an article."""
    plain = {term: LISTED_AS.get(term, term) for term in (term.lower().removeprefix("a ") for term in terms)}
    return {term for term, name in plain.items() if not {name, name.removesuffix("s")} & TERMS}


def bold() -> set[str]:
    """Return what the notebooks print in bold that may be a term: up to three words, neither a sentence nor in a table."""
    texts = [without_code(cell.source) for path in PATHS for cell in text_cells(read(path))]
    plain = [re.sub(r"^\|.*$", "", text, flags=re.M) for text in texts]
    found = {term.lower() for text in plain for term in re.findall(r"\*\*([^*]+)\*\*", text)}
    short = {term for term in found if len(term.split()) <= 3 and term[-1] not in ".:?!,"}
    return {term for term in short if not term.startswith("predict")}


def test_each_row_has_three_cells_and_terms_are_there_once_and_in_order():
    lines = (ROOT / "GLOSSARY.md").read_text(encoding="utf-8").splitlines()
    assert sum(line.startswith("| **") for line in lines) == len(ROWS) > 100
    terms = [term.lower() for term, _, _ in ROWS]
    assert [(a, b) for a, b in pairwise(terms) if a >= b] == []


def test_every_term_is_used_in_the_notebook_that_it_points_to():
    wrong = [(name, number) for term, _, number in ROWS for name in names(term) if name not in NOTEBOOKS[number]]
    assert not wrong


def test_every_encoding_and_every_method_with_a_colour_is_a_term():
    assert missing({*ENCODINGS, *PALETTE}) == set(), "add a term to GLOSSARY.md"


def test_every_term_that_a_notebook_prints_in_bold_is_there():
    allowed = {term.strip() for term in NO_TERMS.split(";")}
    found = bold()
    assert len(found) > 50
    assert missing(found) - allowed == set()
    assert allowed <= missing(found), f"no exception any more: {allowed - missing(found)}"
