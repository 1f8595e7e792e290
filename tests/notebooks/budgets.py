"""What a tired reader has in sight, against the budgets of the course: few words, little code, few claims, often a picture.

"In sight" is what is open when the notebook opens: code that is not folded, outside of "Going deeper" sections; of the text,
all but what stands in <details>. Prints a table, a line a notebook; a star marks what exceeds its budget.

    python -m tests.notebooks.budgets
"""

import re
from statistics import median

from nbformat import NotebookNode

from tests.notebooks.reading import PATHS, asks, in_sight, is_folded, read, words_in_sight

CLAIM = re.compile(r"^(?:\x1b\[1m)?(?:ok|=>)  ", re.M)
BUDGETS = {
    "words": 3400,
    "median text": 64,
    "lines": 260,
    "median code": 9,
    "claims": 55,
    "claims in a row": 4,
    "cells without a picture": 9,
    "columns": 88,
    "minutes": 60,
}


def printed(cell: NotebookNode) -> str:
    """Return what a code cell prints, and the first line of each proof."""
    outputs = cell.get("outputs", [])
    proofs = [out.data["text/plain"].split("\n")[0] + "\n" for out in outputs if "text/html" in out.get("data", {})]
    return "".join([*(out.text for out in outputs if out.get("name") == "stdout"), *proofs])


def measures(notebook: NotebookNode) -> dict[str, float]:
    """Return what is in sight of `notebook`, by the names of BUDGETS; minutes are those of its card."""
    cells = [cell for cell in in_sight(notebook) if not asks(cell)]  # a field is neither text nor code
    words = [words_in_sight(cell) for cell in cells if cell.cell_type == "markdown"]
    code = [cell for cell in cells if cell.cell_type == "code"]
    lines = [cell.source.count("\n") + 1 for cell in code if not is_folded(cell)]
    claims = [len(CLAIM.findall(printed(cell))) for cell in code]
    gap = longest = 0
    for cell in cells:
        if cell.source.startswith("## Exercises"):
            break
        gap = 0 if any("image/png" in out.get("data", {}) for out in cell.get("outputs", [])) else gap + 1
        longest = max(longest, gap)
    wide = max(len(line) for cell in notebook.cells if cell.cell_type == "code" for line in cell.source.splitlines())
    minutes = int(re.search(r"\*\*Time\*\* \| (\d+) minutes", notebook.cells[0].source)[1])
    found = (sum(words), median(words), sum(lines), median(lines), sum(claims), max(claims), longest, wide, minutes)
    return dict(zip(BUDGETS, found, strict=True))


def main() -> None:
    print("notebook  " + "  ".join(BUDGETS))
    for path in PATHS:
        found = measures(read(path))
        cells = [f"{found[name]:g}{'*' * (found[name] > limit)}".rjust(len(name)) for name, limit in BUDGETS.items()]
        print(f"{path.name[:2]:8}  " + "  ".join(cells))
    print("budget    " + "  ".join(str(limit).rjust(len(name)) for name, limit in BUDGETS.items()))


if __name__ == "__main__":
    main()
