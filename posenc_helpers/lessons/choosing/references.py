"""The papers that the course cites by arXiv number, and the notebooks that cite them: the rows of data/references.csv."""

import csv
import re
from io import StringIO
from pathlib import Path
from typing import NamedTuple

PATH = Path(__file__).resolve().parents[3] / "data" / "references.csv"
ARXIV = re.compile(r"\b\d{4}\.\d{5}\b")  # a number as the notebooks write it


class Reference(NamedTuple):
    """One paper. `notebooks` are the numbers of those that cite it, in order: "03, 07"."""

    arxiv: str
    authors: str
    year: int
    title: str
    notebooks: str


def load_references(path: str | Path | None = None) -> list[Reference]:
    """Return the references, oldest first. Raises FileNotFoundError without the file, ValueError for a damaged row."""
    reader = csv.DictReader(StringIO(Path(PATH if path is None else path).read_text(encoding="utf-8")), strict=True)
    found = []
    for row in reader:
        if (
            row.keys() != set(Reference._fields)
            or None in row.values()
            or not ARXIV.fullmatch(row["arxiv"] or "")
            or not (row["year"] or "").isdigit()
        ):
            raise ValueError(f"references, line {reader.line_num}: {row}; allowed: {', '.join(Reference._fields)}")
        found.append(Reference(**row | {"year": int(row["year"])}))
    return sorted(found, key=lambda reference: (reference.year, reference.arxiv))
