"""What released models do about position: the rows of data/models.csv, read and checked.

Every row has its source. `verified` says whether each of its numbers was read there or measured, and `reason` says how;
a class default of a library is not a checkpoint, and does not count. data/README.md explains the columns.
"""

import csv
from dataclasses import dataclass, fields
from io import StringIO
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

# Columns that mean something only together with certain methods, and what a scaling cannot do without.
METHODS_OF = {
    **dict.fromkeys(("rotary_width", "rotary_fraction", "local_base", "scaling"), ROTARY),
    **dict.fromkeys(("base", "layout"), (*ROTARY, "sinusoidal", "transformer-xl")),
    "formula": ("sinusoidal", "transformer-xl", "alibi"),
    "sections": ("m-rope",),
    "position_offset": ("learned", "sinusoidal"),
    "buckets": ("t5", "deberta"),
    "max_distance": ("t5", "deberta", "shaw"),
    "bias_max": ("alibi",),
}
NEEDS = {
    "linear": ("scaling_factor",),
    "dynamic": ("scaling_factor", "original_context"),
    "qwen-dynamic": ("original_context",),
    "yarn": ("scaling_factor", "original_context"),
    "llama3": ("scaling_factor", "original_context", "low_freq_factor", "high_freq_factor"),
    "longrope": ("original_context", "declared_context"),  # the factor is their ratio
    "proportional": ("rotary_fraction",),
}
SCALING_PARAMETERS = (
    *("scaling_factor", "original_context", "beta_fast", "beta_slow", "low_freq_factor", "high_freq_factor"),
    *("mscale", "mscale_all_dim", "attention_factor", "truncate"),
)
REASONS = {True: ("read in", "run"), False: ("class default only", "not verified")}


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
    """Read and check the table of models (by default data/models.csv) and return its rows, in the file's order.

    Raises FileNotFoundError where there is no file, and ValueError for anything wrong in it: the message names line,
    model, column, value and what is allowed, for the first ten problems.
    """
    path = DEFAULT_PATH if path is None else Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no table of models at {path}; data/models.csv comes with a clone of the repository")
    problems: list[str] = []
    models: list[Model | None] = []
    try:
        reader = csv.reader(StringIO(path.read_text(encoding="utf-8")), strict=True)
        _check_header(next(reader, []), problems)
        if not problems:  # without the right columns no row can be read
            seen: dict[str, int] = {}
            models = [_read_row(reader.line_num, cells, seen, problems) for cells in reader]
            if not models:
                problems.append("line 2: no rows; allowed: one row or more below the header")
    except UnicodeDecodeError as error:
        problems.append(f"byte {error.start}: {error.object[error.start : error.start + 1]!r}; allowed: UTF-8 text")
    except csv.Error as error:
        problems.append(f"line {reader.line_num}: {error}; allowed: comma-separated values as in RFC 4180")
    if problems:
        more = f"\n... and {len(problems) - 10} more" if len(problems) > 10 else ""
        raise ValueError(f"{path.name} has {len(problems)} problem(s):\n" + "\n".join(problems[:10]) + more)
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


def _check_header(header: list[str], problems: list[str]) -> None:
    for name in header:
        if name not in TYPES:
            problems.append(f"line 1, column {name!r}: unknown; allowed: {', '.join(TYPES)}")
        elif header.count(name) > 1:
            problems.append(f"line 1, column {name!r}: stands there {header.count(name)} times; allowed: once")
    problems.extend(f"line 1, column {name!r}: missing" for name in TYPES if name not in header)
    if not problems and header != list(TYPES):
        problems.append(f"line 1: columns in the order {', '.join(header)}; allowed: {', '.join(TYPES)}")


def _read_row(line: int, cells: list[str], seen: dict[str, int], problems: list[str]) -> Model | None:
    name = cells[0].strip() if cells else ""
    before = len(problems)

    def problem(column: str, value: object, allowed: str) -> None:
        problems.append(f"line {line} ({name or 'no name'}), column {column}: {value!r}; allowed: {allowed}")

    if len(cells) != len(TYPES):
        problem("(all)", f"{len(cells)} cells", f"{len(TYPES)} cells, one per column")
        return None
    row = {column: _parse(column, text, problem) for column, text in zip(TYPES, cells, strict=True)}
    if name and seen.setdefault(name.casefold(), line) != line:
        problem("model", name, f"a name that is not used yet; line {seen[name.casefold()]} has it")
    if len(problems) == before:  # relations make sense between readable cells only
        _check_relations(row, problem)
    return Model(**row)


def _parse(column: str, text: str, problem):
    kinds = get_args(TYPES[column]) or (TYPES[column],)
    if text != text.strip() or "\n" in text:
        return problem(column, text, "no spaces around a value and no line break in it")
    if not text:
        return None if NoneType in kinds else problem(column, text, "not empty")
    if column in CHOICES and text not in CHOICES[column]:
        return problem(column, text, ", ".join(CHOICES[column]))
    if bool in kinds:
        return text == "yes" if text in ("yes", "no") else problem(column, text, "yes, no, or empty")
    if int in kinds:
        return int(text) if _is_count(text) else problem(column, text, "a whole number, or empty")
    if float in kinds:
        return float(text) if _is_positive(text) else problem(column, text, "a number above 0, or empty")
    if column == "sections":
        counts = text.split(" ")
        return tuple(map(int, counts)) if all(map(_is_count, counts)) else problem(column, text, "like '16 24 24'")
    return text


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _is_positive(text: str) -> bool:
    try:
        return 0 < float(text) < float("inf") and "_" not in text
    except ValueError:
        return False


def _check_relations(row: dict, problem) -> None:
    head, rotary, fraction = row["head_width"], row["rotary_width"], row["rotary_fraction"]
    for column, value in row.items():
        if type(value) is int and value == 0 and column != "position_offset":
            problem(column, value, "a whole number above 0, or empty")
    if row["year"] is not None and not 2017 <= row["year"] <= 2100:
        problem("year", row["year"], "2017 (the first Transformer) to 2100, or empty")
    for column, methods in METHODS_OF.items():
        if row[column] is not None and row["method"] not in methods:
            problem(column, row[column], f"empty, as the method is {row['method']!r} and not {', '.join(methods)}")
    if rotary is not None and rotary % 2:
        problem("rotary_width", rotary, "an even number: columns are rotated in pairs")
    if rotary is not None and head is not None and rotary > head:
        problem("rotary_width", rotary, f"at most head_width={head}")
    if fraction is not None and fraction > 1:
        problem("rotary_fraction", fraction, "above 0 and at most 1")
    elif None not in (head, rotary, fraction) and rotary != round(head * fraction):
        problem("rotary_width", rotary, f"{round(head * fraction)} = head_width {head} * rotary_fraction {fraction}")
    if row["sections"] and rotary is not None and 2 * sum(row["sections"]) != rotary:
        problem("sections", row["sections"], f"pairs that add up to rotary_width / 2 = {rotary // 2}")
    for column in NEEDS.get(row["scaling"], ()):
        if row[column] is None:
            problem(column, "", f"not empty, as the scaling is {row['scaling']!r}")
    for column in SCALING_PARAMETERS:
        if row["scaling"] is None and row[column] is not None:
            problem(column, row[column], "empty, as there is no scaling")
    for low, high in (("beta_slow", "beta_fast"), ("low_freq_factor", "high_freq_factor")):
        if None not in (row[low], row[high]) and row[low] > row[high]:
            problem(low, row[low], f"at most {high}={row[high]}")
    if not row["reason"].startswith(REASONS[row["verified"]]):
        starts = " or ".join(map(repr, REASONS[row["verified"]]))
        problem("reason", row["reason"], f"a reason that starts with {starts} for this value of verified")
