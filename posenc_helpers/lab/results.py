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
EXPERIMENTS = (
    *("shootout", "windowed", "shift", "twice", "nope", "lengths", "clipped", "knobs"),
    *("scaled", "thresholds", "fresh", "deeper_lag", "first_row"),
    *("recall", "lag", "rescue", "stretched_recall", "cure_settings", "table", "bias"),
    *("learned", "scorecard", "naive_codes", "answers"),
    "tuning",
    *("rope_base", "alibi_lag", "slopes", "two_sided"),
    *("ruler", "three_back", "keys_only", "smaller_k"),
    "hybrids",
    *("pictures", "new_columns", "waves", "slower"),
    "swap",
    *("released", "released_pairs", "released_windows", "released_heads", "released_long"),
)


def load_results(name: str, folder: Path = FOLDER) -> list[dict[str, str | int | float | None]]:
    """Return the rows of the stored result `name`, numbers as numbers and None where a cell is empty.

    Raises ValueError for an unknown name, FileNotFoundError where it was never made.
    """
    path = _path(name, folder)
    if not path.is_file():
        raise FileNotFoundError(f"no stored result {path.name}; `make results ONLY={name}` makes it")
    with path.open(encoding="utf-8", newline="") as file:
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
    Raises ValueError for an unknown name, no rows, rows that differ in their columns, numbers not finite.
    """
    path = _path(name, folder)
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


def _path(name: str, folder: Path) -> Path:
    check_choice("name", name, EXPERIMENTS)
    return folder / f"{name}.csv"


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
