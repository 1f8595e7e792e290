"""Tables that read well with and without a renderer."""

from collections.abc import Sequence

from IPython.display import display

from posenc_helpers.checks import check_choice
from posenc_helpers.lab.models import TYPES, Model
from posenc_helpers.lab.scorecard import BEYOND, COLUMNS, ENDS


def show_table(header: list[str], rows: list[list[str]]) -> None:
    """Show a table of short texts: Markdown where it is rendered, aligned columns as plain text.

    Raises ValueError where a row has more or fewer entries than the header.
    """
    for row in rows:
        if len(row) != len(header):
            raise ValueError(f"row {row} has {len(row)} entries, the header has {len(header)}")
    widths = [max(len(line[k]) for line in [header, *rows]) for k in range(len(header))]
    plain = "\n".join("  ".join(f"{text:<{w}}" for text, w in zip(row, widths, strict=True)) for row in [header, *rows])
    lines = [[text.replace("|", "\\|") for text in row] for row in (header, ["---"] * len(header), *rows)]
    markdown = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    display({"text/markdown": markdown, "text/plain": plain}, raw=True)


def show_columns(columns: Sequence[str] = tuple(COLUMNS)) -> None:
    """Show what each of these columns of the scorecard asks, what its number is, and what would be ideal.

    Raises ValueError for a column that it does not have.
    """
    texts = COLUMNS | BEYOND
    for column in columns:
        check_choice("column", column, tuple(texts))
    show_table(["column", "question", "number", "ideal"], [[name, *texts[name]] for name in columns])


def show_scorecard(rows: dict[str, dict[str, float | None]], columns: Sequence[str] = tuple(COLUMNS)) -> None:
    """Show the scorecard: one row per encoding as `lab.scorecard.scorecard` returns it; a dash where nothing applies.

    Where seeds lie apart by 0.05 or more, their lowest and highest stand behind the mean. `columns` may hold those of
    BEYOND, for rows that `lab.beyond.beyond` completed. Raises ValueError for a column that the scorecard does not have.
    """
    for column in columns:
        check_choice("column", column, (*COLUMNS, *BEYOND))
    show_table(["encoding", *columns], [[name, *(_entry(row, c) for c in columns)] for name, row in rows.items()])


def _entry(row: dict[str, float | None], column: str) -> str:
    low, high = (row.get(f"{column} {end}") for end in ENDS)
    apart = low is not None and high - low >= 0.05
    return _number(row[column]) + (f" ({low:.2f} to {high:.2f})" if apart else "")


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.2f}"


def show_models(models: list[Model], columns: list[str]) -> None:
    """Show these columns of these models, as `lab.models.load_models` returns them: one row each, "-" where unknown.

    A star marks a model that is not verified; a line below says what that means.
    Raises ValueError for no models, and for a column that the table of models does not have.
    """
    if not models:
        raise ValueError("models is empty; allowed: one model or more")
    for column in columns:
        check_choice("column", column, tuple(TYPES))
    names = [model.model + ("" if model.verified else " *") for model in models]
    rows = [[name, *(_cell(getattr(m, c)) for c in columns)] for name, m in zip(names, models, strict=True)]
    show_table(["model", *(column.replace("_", " ") for column in columns)], rows)
    if not all(model.verified for model in models):
        note = "* not verified: some number of this row was not read in its source; `reason` in data/models.csv says which."
        display({"text/markdown": note.replace("*", "\\*"), "text/plain": note}, raw=True)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    if isinstance(value, float) and not value.is_integer():
        return f"{value:.4g}"
    if isinstance(value, int | float):
        return f"{value:.0f}" if value < 10_000 else f"{value:,.0f}"  # years and the like stay plain
    return str(value)
