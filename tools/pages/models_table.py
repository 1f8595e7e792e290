"""The page of released models: data/models.csv as a table that sorts and filters."""

import html

from posenc_helpers.lab.models import load_models

# columns of the file, and the headings of those whose name says too little
SHOWN = ("model", "year", "kind", "method", "layout", "base", "head_width", "rotary_width", "heads", "table_size")
SHOWN += ("scaling", "trained_context", "declared_context", "verified", "source")
CALLED = {"table_size": "rows of the table", "trained_context": "trained on", "declared_context": "declared"}


def models_page() -> str:
    """Return the page as Markdown. An entry that the file leaves empty is a dash."""
    rows = load_models()
    words = [CALLED.get(column, column.replace("_", " ")) for column in SHOWN]
    heads = "".join(f'<th scope="col" aria-sort="none"><button type="button">{name}</button></th>' for name in words)
    body = "".join(f"<tr>{''.join(entry(name, getattr(row, name)) for name in SHOWN)}</tr>\n" for row in rows)
    return f"""# Released models

What {len(rows)} released models do about position: from their papers, their configuration files and their code.
"Verified: yes" means that each number was read in the source or measured. Click a heading to sort. All columns, and the
notes, are in
<a href="downloads/models.csv" download>models.csv</a>; [the page on data](data.md) explains them.

<div class="models">
<label>Show rows with <input type="search" placeholder="rope decoder 2024"></label>
<span role="status">{len(rows)} models</span>
<div class="scroll" role="region" aria-label="released models" tabindex="0">
<table>
<thead><tr>{heads}</tr></thead>
<tbody>
{body}</tbody>
</table>
</div>
</div>
"""


def entry(column: str, value: str | float | bool | None) -> str:
    """Return one cell; what is sorted by number carries the number."""
    if value is None:
        return "<td>–</td>"
    if isinstance(value, bool):
        value = "yes" if value else "no"
    if isinstance(value, str):
        return f"<td>{html.escape(value)}</td>"
    words = str(value) if column == "year" else f"{value:,g}" if value != int(value) else f"{int(value):,}"
    return f'<td data-number="{float(value)}">{words}</td>'
