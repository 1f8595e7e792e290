"""The words of GLOSSARY.md: what each means, how a text may write it, and the page that lists them."""

import re
from dataclasses import dataclass

from docutils.nodes import make_id

from tools.course import ROOT, notebook_paths

ROW = re.compile(r"^\| \*\*(.+?)\*\* \| (.+?) \| (.+?) \|$", re.M)
# Words that the texts also use in their everyday sense: explained only where the text itself sets them off.
EVERYDAY = """
    4 bits, base, bias, binary, break, budget, buffer, chance, clipping, code, d_head, decoder, encoder, frequencies,
    frequency, hand, hybrid, index, invariant, key, normalised, one-hot, packing, patch, query, random, ranked, recall,
    ruler, score, seed, Shaw, shift, skew, slope, squeezed, stretched, symmetric, T5, temperature, two-sided, value, window
"""
EVERYDAY = {word.strip() for word in EVERYDAY.split(",")}


@dataclass(frozen=True)
class Term:
    name: str  # as the glossary writes it: "index (code)"
    means: str

    @property
    def anchor(self) -> str:
        return f"term-{make_id(self.name) or 'x'}"

    def forms(self) -> list[str]:
        """Return what a text may write: "index (code)" stands for "index code", too, "bias (of a score)" for "bias"."""
        found = re.fullmatch(r"(.+) \((.+)\)", self.name)
        if not found:
            words = [word for word in self.name.split(", ") if len(word) > 1]
            return words + [f"{word[:-1]}ies" for word in words if word.endswith("cy")]
        return [found[1]] if found[2].startswith("of ") else [f"{found[1]} {found[2]}", found[1]]


def terms() -> list[Term]:
    """Return the terms of the glossary, what Markdown adds taken out of their meanings."""
    text = (ROOT / "GLOSSARY.md").read_text(encoding="utf-8")
    return [Term(name, re.sub(r"[`*]", "", means)) for name, means, _ in ROW.findall(text)]


def with_anchors(text: str) -> str:
    """Return the glossary's Markdown with an anchor for each term, and its numbers of notebooks as links."""
    pages = {path.name[:2]: f"notebooks/{path.name}" for path in notebook_paths()}

    def row(found: re.Match) -> str:
        anchor = Term(found[1], found[2]).anchor
        shown = re.sub(r"\d\d", lambda number: f"[{number[0]}]({pages[number[0]]})", found[3])
        return f'| <span id="{anchor}"></span>**{found[1]}** | {found[2]} | {shown} |'

    return ROW.sub(row, text)
