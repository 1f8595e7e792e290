"""Tables that read well with and without a renderer."""

from IPython.display import display

from posenc_helpers.lab.scorecard import COLUMNS


def show_table(header: list[str], rows: list[list[str]]) -> None:
    """Show a table of short texts: Markdown where it is rendered, aligned columns as plain text.

    Raises ValueError where a row has more or fewer entries than the header.
    """
    for row in rows:
        if len(row) != len(header):
            raise ValueError(f"row {row} has {len(row)} entries, the header has {len(header)}")
    widths = [max(len(line[k]) for line in [header, *rows]) for k in range(len(header))]
    plain = "\n".join("  ".join(f"{text:<{w}}" for text, w in zip(row, widths, strict=True)) for row in [header, *rows])
    rule = ["---"] * len(header)
    markdown = "\n".join("| " + " | ".join(text.replace("|", "\\|") for text in row) + " |" for row in [header, rule, *rows])
    display({"text/markdown": markdown, "text/plain": plain}, raw=True)


def show_columns() -> None:
    """Show what each column of the scorecard asks, what its number is, and what would be ideal."""
    show_table(["column", "question", "number", "ideal"], [[name, *texts] for name, texts in COLUMNS.items()])


def show_scorecard(rows: dict[str, dict[str, float | None]]) -> None:
    """Show the scorecard: one row per encoding as `lab.scorecard.scorecard` returns it; a dash where nothing applies."""
    show_table(["encoding", *COLUMNS], [[name, *(_number(row[c]) for c in COLUMNS)] for name, row in rows.items()])


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.2f}"
