"""What released models do about position: the rows of data/models.csv.

data/README.md explains the columns, and tests/lab/models_rules.py holds the file to them.
"""

import csv
from dataclasses import dataclass, fields
from pathlib import Path
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


def load_models() -> list[Model]:
    """Read data/models.csv and return its rows, in the file's order.

    Raises FileNotFoundError where there is no file.
    """
    if not DEFAULT_PATH.is_file():
        raise FileNotFoundError(f"no table of models at {DEFAULT_PATH}; it comes with a clone of the repository")
    with DEFAULT_PATH.open(encoding="utf-8", newline="") as file:
        return [Model(**{c: _value(c, text) for c, text in row.items()}) for row in csv.DictReader(file)]


def find_models(models: list[Model], **values: object) -> list[Model]:
    """Return the models whose columns have exactly these values: find_models(models, method="rope", scaling="yarn").

    Raises ValueError for an unknown column, and for a value that its column cannot have.
    """
    for column, value in values.items():
        check_choice("column", column, tuple(TYPES))
        if column in CHOICES and value is not None:
            check_choice(column, value, CHOICES[column])
    return [model for model in models if all(getattr(model, c) == value for c, value in values.items())]


def _value(column: str, text: str) -> object:
    kind = (get_args(TYPES[column]) or (TYPES[column],))[0]
    return _READ[kind](text) if text else None


# By the type of a column: what becomes of the text of a cell.
_READ = {
    str: str,
    bool: "yes".__eq__,
    int: int,
    float: float,
    tuple[int, ...]: lambda text: tuple(map(int, text.split())),
}
