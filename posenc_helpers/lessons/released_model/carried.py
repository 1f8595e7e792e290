"""What the miniatures said, and what a released model says: data/carried_over.csv, and its table."""

import csv
from pathlib import Path

from posenc_helpers.classroom.tables import show_table

PATH = Path(__file__).resolve().parents[3] / "data" / "carried_over.csv"
COLUMNS = ("notebook", "statement", "miniature", "released", "same", "why")


def carried_over() -> list[dict[str, str]]:
    """Return the rows of data/carried_over.csv: a statement of a notebook, both numbers, "yes", "no" or "in part", why."""
    with open(PATH, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def show_carried() -> None:
    """Show the table of what carried over."""
    show_table(list(COLUMNS), [[row[column] for column in COLUMNS] for row in carried_over()])
