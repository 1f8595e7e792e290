"""The papers that the course cites by arXiv number, and the notebooks that cite them: the rows of data/references.csv."""

import csv
from pathlib import Path
from typing import NamedTuple

PATH = Path(__file__).resolve().parents[3] / "data" / "references.csv"


class Reference(NamedTuple):
    """One paper. `notebooks` are the numbers of those that cite it, in order: "03, 07"."""

    arxiv: str
    authors: str
    year: int
    title: str
    notebooks: str


def load_references() -> list[Reference]:
    """Return the references, oldest first."""
    with open(PATH, encoding="utf-8", newline="") as file:
        found = [Reference(**row | {"year": int(row["year"])}) for row in csv.DictReader(file)]
    return sorted(found, key=lambda reference: (reference.year, reference.arxiv))
