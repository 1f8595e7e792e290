"""What released models do about position: the rows of data/models.csv.

Every row has its source. `verified` says whether each of its numbers was read there or measured, and `reason` says how;
a class default of a library is not a checkpoint, and does not count. data/README.md explains the columns, and
tests/lab/models_rules.py holds the file to them.
"""

import csv
import re
from dataclasses import dataclass, fields
from pathlib import Path
from types import NoneType
from typing import get_args

from posenc_helpers.checks import check_choice

DEFAULT_PATH = Path(__file__).resolve().parents[2] / "data" / "models.csv"

ROTARY = ("rope", "axial-rope", "m-rope")
CHOICES = {
    "kind": ("decoder", "encoder", "encoder-decoder", "vision", "vision-language", "audio"),
    "method": (
        *("sinusoidal", "learned", "none", "alibi"),
        *("t5", "transformer-xl", "deberta", "swin", "swin-v2", "shaw"),
        *ROTARY,
    ),
    "formula": ("paper", "tensor2tensor", "released"),
    "layout": ("interleaved", "half"),
    "scaling": ("linear", "dynamic", "qwen-dynamic", "yarn", "llama3", "longrope", "proportional"),
    "verified": ("yes", "no"),
}


@dataclass(frozen=True)
class Model:
    """One row of data/models.csv; None where nothing is known or the column does not apply.

    Widths are columns of one head, contexts and windows tokens (patches on a side for "swin"), bases have no unit.
    """

    model: str
    year: int | None
    kind: str
    method: str
    formula: str | None
    layout: str | None
    base: float | None
    local_base: float | None
    head_width: int | None
    rotary_width: int | None
    rotary_fraction: float | None
    sections: tuple[int, ...] | None
    heads: int | None
    table_size: int | None
    position_offset: int | None
    buckets: int | None
    max_distance: int | None
    bias_max: float | None
    scaling: str | None
    scaling_factor: float | None
    original_context: int | None
    beta_fast: float | None
    beta_slow: float | None
    low_freq_factor: float | None
    high_freq_factor: float | None
    mscale: float | None
    mscale_all_dim: float | None
    attention_factor: float | None
    truncate: bool | None
    nope_layers: str | None
    window: int | None
    trained_context: int | None
    declared_context: int | None
    notes: str | None
    source: str
    verified: bool
    reason: str


TYPES = {f.name: f.type for f in fields(Model)}


def load_models(path: str | Path | None = None) -> list[Model]:
    """Read the table of models (by default data/models.csv) and return its rows, in the file's order.

    Raises FileNotFoundError where there is no file, and ValueError for other columns than those of `Model` and for a cell
    that its column cannot have: the message names line, column, value and what is allowed.
    """
    path = DEFAULT_PATH if path is None else Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no table of models at {path}; data/models.csv comes with a clone of the repository")
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        if reader.fieldnames != list(TYPES):
            raise ValueError(f"{path.name} has the columns {reader.fieldnames}; allowed: {', '.join(TYPES)}")
        models = []
        for row in reader:
            where = f"{path.name}, line {reader.line_num}"
            if None in row or None in row.values():
                raise ValueError(f"{where}: another number of cells; allowed: {len(TYPES)}, one for each column")
            models.append(Model(**{column: _parse(where, column, text) for column, text in row.items()}))
    return models


def find_models(models: list[Model], **values: object) -> list[Model]:
    """Return the models whose columns have exactly these values: find_models(models, method="rope", scaling="yarn").

    Raises ValueError for an unknown column, and for a value that its column cannot have.
    """
    for column, value in values.items():
        check_choice("column", column, tuple(TYPES))
        if column in CHOICES and column != "verified" and value is not None:
            check_choice(column, value, CHOICES[column])
    return [model for model in models if all(getattr(model, c) == value for c, value in values.items())]


def _parse(where: str, column: str, text: str) -> object:
    kinds = get_args(TYPES[column]) or (TYPES[column],)
    if text == "" and NoneType in kinds:
        return None
    pattern, allowed, convert = _CELLS[kinds[0]]
    fits = re.fullmatch(pattern, text)
    if column in CHOICES:
        fits, allowed = text in CHOICES[column], ", ".join(CHOICES[column])
    if not fits:
        raise ValueError(
            f"{where}: column {column!r} has {text!r}; allowed: {allowed}{', or empty' * (NoneType in kinds)}"
        )
    return convert(text)


# By the type of a column: what a cell looks like, the same in words, and what it becomes.
_CELLS = {
    str: (r"\S(.*\S)?", "text in one line, without spaces around it", str),
    bool: (r"yes|no", "yes, no", "yes".__eq__),
    int: (r"[0-9]+", "a whole number", int),
    float: (r"[0-9]+(\.[0-9]+)?", "a number", float),
    tuple[int, ...]: (
        r"[0-9]+( [0-9]+)*",
        "whole numbers like '16 24 24'",
        lambda text: tuple(map(int, text.split(" "))),
    ),
}
