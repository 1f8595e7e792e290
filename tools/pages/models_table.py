"""The page of released models: data/models.csv as a table that sorts and filters."""

import html

from posenc_helpers.lab.models import load_models

# column of the file -> heading
SHOWN = {
    "model": "model",
    "year": "year",
    "kind": "kind",
    "method": "method",
    "layout": "layout",
    "base": "base",
    "head_width": "head width",
    "rotary_width": "rotary width",
    "heads": "heads",
    "table_size": "rows of the table",
    "scaling": "scaling",
    "trained_context": "trained on",
    "declared_context": "declared",
    "verified": "verified",
    "source": "source",
}


def models_page() -> str:
    """Return the page as Markdown. An entry that the file leaves empty is a dash."""
    rows = load_models()
    heads = "".join(
        f'<th scope="col" aria-sort="none"><button type="button">{words}</button></th>' for words in SHOWN.values()
    )
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
