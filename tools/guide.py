"""Write into the pages of teaching/ what is counted or tried out, between two comments that name it.

Each guide gets the ids of its cells, its exercises, their minutes, and the likely mistakes of its lesson; the index gets
the minutes of all notebooks; courses.md gets the concept map.
"""

import importlib
import re
from functools import cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from posenc_helpers.lab.files import replace_file
from tools.concept_map import concept_table, draw, read_concepts
from tools.course import ROOT, notebook_paths
from tools.grading.reading import Exercise, exercises
from tools.notebooks import asks, in_sight, is_folded

TEACHING = ROOT / "teaching"
GUIDES = TEACHING / "guide"
CARD = re.compile(
    r"\*\*Time\*\* \| (\d+) minutes to read and do, about (\d+) seconds to run; (\d+) more for the exercises"
)
MARKS = {"<": "&lt;", ">": "&gt;", "|": "&#124;", "$": "&#36;"} | {mark: f"\\{mark}" for mark in "\\`*_[]~"}
TITLE = re.compile(r"^### (\d+\. .+) \((\w+), (\d+) minutes\)$", re.M)


@cache
def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def card(path: Path) -> tuple[int, int, int]:
    """Return what the card of a notebook promises: minutes to read, seconds to run, minutes for the exercises."""
    read_and_do, run, more = map(int, CARD.search(read(path).cells[0].source).groups())
    return read_and_do, run, more


def title(exercise: Exercise) -> tuple[str, str, int]:
    """Return an exercise's title, level and minutes. Raises ValueError where its text has no line with all three."""
    found = TITLE.findall(exercise.text)
    if not found:
        raise ValueError(f'{exercise.id}: its text needs a line "### 1. Title (level, 10 minutes)"')
    name, level, minutes = found[-1]
    return name, level, int(minutes)


def exercise_block(path: Path) -> str:
    """Return the exercises of a notebook as a table, and below it, folded, the likely mistakes with their hints."""
    likely = importlib.import_module(f"posenc_helpers.lessons.{path.stem[3:]}.mistakes").MISTAKES
    summary, folds = ["| Exercise | Cell | Level | Minutes | Likely mistakes |", "|---|---|---|---|---|"], []
    for exercise in exercises(read(path)):
        name, level, minutes = title(exercise)
        rows = likely[exercise.check.removeprefix("check_")]
        summary.append(f"| {_plain(name)} | `{exercise.id}` | {level} | {minutes} | {len(rows)} |")
        folds += ["", f"<details><summary>{_plain(name)}: likely mistakes, and the hint each gets</summary>", ""]
        folds += ["| What is wrong, as in a report | The hint |", "|---|---|"]
        folds += [f"| {_plain(what)} | {_plain(row.hint)} |" for what, row in rows.items()]
        folds += ["", "</details>"]
    return "\n".join(summary + folds)


def begins(cell: NotebookNode) -> str:
    """Return how `cell` begins, so that it is found by eye: its heading, the title of folded code, or its first words."""
    line = cell.source.splitlines()[0]
    if cell.cell_type == "markdown":
        return re.sub(r"^#+ |\*\*", "", re.sub(r"\[([^\]]+)\]\(#cell-id=[^)]*\)", r"\1", line))  # a task's words
    return f"folded code: {line.removeprefix('#@title ')}" if is_folded(cell) else line


def cells_block(path: Path) -> str:
    """Return the ids of all cells that are open when a notebook opens, each with how it begins; folded."""
    rows = []
    for cell in in_sight(read(path)):
        if asks(cell):  # the text above is the question
            continue
        words = begins(cell)
        rows.append(f"| `{cell.id}` | {_plain(words if len(words) <= 70 else words[:67] + '...')} |")
    head = ["<details><summary>Cells by id, and how each begins</summary>", "", "| Cell | Begins |", "|---|---|"]
    return "\n".join([*head, *rows, "", "</details>"])


def _plain(text: str) -> str:
    """Return `text` so that Markdown shows it as it is, in a cell of a table."""
    return " ".join(text.translate(str.maketrans(MARKS)).split())


def minutes_table() -> str:
    """Return how long each notebook takes by its card, exercises one by one. Raises ValueError where these do not add up."""
    rows, sums = [], [0, 0, 0]
    for path in notebook_paths():
        promised = read_and_do, run, more = card(path)
        one_by_one = [title(exercise)[2] for exercise in exercises(read(path))]
        if sum(one_by_one) != more:
            raise ValueError(f"{path.name}: the card says {more} minutes for the exercises, they say {sum(one_by_one)}")
        sums = [a + b for a, b in zip(sums, promised, strict=True)]
        page = f"[{path.stem[:2]}](guide/{path.stem}.md)"
        rows.append(f"| {page} | {read_and_do} | {run} | {' + '.join(map(str, one_by_one))} = {more} |")
    head = ["| Notebook | Minutes to read and do | Seconds to run | Minutes of exercises |", "|---|---|---|---|"]
    return "\n".join([*head, *rows, "| all | " + " | ".join(map(str, sums)) + " |"])


def put(text: str, name: str, block: str, by: str = "python -m tools.guide") -> str:
    """Return `text` with `block` between the two comments that name it. Raises ValueError where they are missing."""
    begin, end = f"<!-- {name}: written by `{by}` -->", f"<!-- end of {name} -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise ValueError(f"the page needs one line {begin!r}, and below it one line {end!r}")
    return text[: text.index(begin)] + f"{begin}\n\n{block}\n\n" + text[text.index(end) :]


def pages() -> list[tuple[Path, str, str]]:
    """Return [(page, name of the block, block)] of everything that this tool writes."""
    written = [
        (TEACHING / "guide.md", "minutes", minutes_table()),
        (TEACHING / "courses.md", "concepts", concept_table()),
    ]
    for path in notebook_paths():
        guide = GUIDES / f"{path.stem}.md"
        written += [(guide, "cells", cells_block(path)), (guide, "exercises", exercise_block(path))]
    return written


def main() -> None:
    for page, name, block in pages():
        replace_file(page, put(page.read_text(encoding="utf-8"), name, block))
        print(f"{page.relative_to(ROOT).as_posix()}: {name}")
    draw(read_concepts())


if __name__ == "__main__":
    main()
