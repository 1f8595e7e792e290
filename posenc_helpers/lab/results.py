"""Stored results: one CSV file each in data/results/, read without running anything.

The lines before the table begin with # and say which command made it, on what. `tools.experiments` is what ran.
"""

import csv
import math
from collections.abc import Sequence
from io import StringIO
from itertools import dropwhile
from pathlib import Path

from posenc_helpers.checks import check_choice
from posenc_helpers.lab.files import replace_file

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


def save_results(name: str, rows: Sequence[dict], notes: Sequence[str], folder: Path = FOLDER) -> Path:
    """Write rows under `notes` (lines of their own, marked with #) in place of the stored result; return its path.

    The old file stays until the new one is complete. Floats keep four decimals.
    Raises ValueError for a name that is no plain word, no rows, rows that differ in their columns, numbers not finite.
    """
    if not name.isidentifier():
        raise ValueError(f"name={name!r} is no name of a file; allowed: letters, digits and _")
    path = folder / f"{name}.csv"
    if not rows:
        raise ValueError("rows is empty; allowed: one row or more")
    columns = list(rows[0])
    for row in rows:
        if list(row) != columns:
            raise ValueError(f"row {row} has other columns than the first: {columns}")
        if not all(math.isfinite(value) for value in row.values() if isinstance(value, float)):
            raise ValueError(f"row {row} holds a number that is not finite")
    path.parent.mkdir(parents=True, exist_ok=True)
    table = StringIO()
    table.writelines(f"# {line}\n" for note in notes for line in note.splitlines())
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_text(value) for value in row.values()] for row in rows)
    replace_file(path, table.getvalue())
    return path


def _text(value) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)


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
