"""The page of released models: data/models.csv as a table that sorts and filters."""

import csv
import html

from tools.course import ROOT

# column of the file -> heading, and whether its entries are numbers
SHOWN = {
    "model": ("model", False),
    "year": ("year", True),
    "kind": ("kind", False),
    "method": ("method", False),
    "base": ("base", True),
    "head_width": ("head width", True),
    "rotary_width": ("rotary width", True),
    "heads": ("heads", True),
    "table_size": ("rows of the table", True),
    "scaling": ("scaling", False),
    "trained_context": ("trained on", True),
    "declared_context": ("declared", True),
    "verified": ("verified", False),
    "source": ("source", False),
}


def models_page() -> str:
    """Return the page as Markdown. An entry that the file leaves empty is a dash."""
    with open(ROOT / "data" / "models.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    heads = "".join(
        f'<th scope="col" aria-sort="none"><button type="button">{words}</button></th>' for words, _ in SHOWN.values()
    )
    body = "".join(f"<tr>{''.join(entry(row, name) for name in SHOWN)}</tr>\n" for row in rows)
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


def entry(row: dict[str, str], name: str) -> str:
    """Return one cell; what is sorted by number carries the number."""
    text = row[name]
    if not text:
        return "<td>–</td>"
    if not SHOWN[name][1]:
        return f"<td>{html.escape(text)}</td>"
    number = float(text)
    words = text if name == "year" else f"{number:,g}" if number != int(number) else f"{int(number):,}"
    return f'<td data-number="{number}">{words}</td>'
