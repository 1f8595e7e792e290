"""Stored results: one CSV file each in data/results/, read without running anything.

The lines before the table begin with # and say which command made it, on what. `tools.results` makes and writes them.
"""

import csv
import math
from collections.abc import Sequence
from itertools import dropwhile
from pathlib import Path

from posenc_helpers.checks import check_choice

FOLDER = Path(__file__).resolve().parents[2] / "data" / "results"


def stored(folder: Path = FOLDER) -> list[str]:
    """Return the names of the stored results, in the order of the alphabet."""
    return sorted(path.stem for path in folder.glob("*.csv"))


def load_results(name: str, folder: Path = FOLDER) -> list[dict[str, str | int | float | None]]:
    """Return the rows of the stored result `name`, numbers as numbers and None where a cell is empty.

    Raises ValueError for a name that is not stored.
    """
    check_choice("name", name, stored(folder))
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        table = dropwhile(lambda line: line.startswith("#"), file)
        return [{column: _value(text) for column, text in row.items()} for row in csv.DictReader(table)]


def values_of(rows: Sequence[dict], column: str, /, **where: object) -> list:
    """Return `column` of those rows that hold these values, in the order of the rows: values_of(rows, "loss", seed=0).

    Raises ValueError where there is none: a mean of nothing would pass unseen.
    """
    found = [row[column] for row in rows if all(row[key] == value for key, value in where.items())]
    if not found:
        raise ValueError(
            f"no row with {where}; there are {len(rows)} rows with {list(rows[0]) if rows else 'no columns'}"
        )
    return found


def _value(text: str) -> str | int | float | None:
    if text == "":
        return None
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        return number if math.isfinite(number) else text
    return text
