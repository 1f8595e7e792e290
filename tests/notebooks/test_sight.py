"""What a reader has in sight as a notebook opens: within the budgets, with an answer for each prediction, and stops."""

import ast
import re

import pytest

from tests.notebooks.budgets import BUDGETS, CLAIM, measures, printed
from tests.notebooks.reading import NAMES, PATHS, asks, code_cells, in_sight, is_folded, read

STOP = re.compile(r"^\*\*A place to stop, about (\d+) minutes in\.\*\*", re.M)
TITLE = re.compile(r"#@title (.+)")


def only_draws(source: str) -> bool:
    """Whether code only imports, and calls `show`, `explore` or `play`: it teaches nothing that its picture does not."""
    body = [node for node in ast.parse(source).body if not isinstance(node, ast.Import | ast.ImportFrom)]
    calls = [node.value for node in body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]
    names = {getattr(call.func, "id", None) for call in calls}
    return len(calls) == len(body) > 0 and names <= {"show", "explore", "play"}


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_what_only_draws_is_folded(path):
    cells = [cell for cell in code_cells(read(path)) if only_draws(cell.source)]
    assert cells and [cell.id for cell in cells if not is_folded(cell)] == []


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_budgets(path):
    found = measures(read(path))
    lines = [line for cell in code_cells(read(path)) for line in printed(cell).splitlines() if CLAIM.match(line)]
    assert [line for line in lines if len(line) > 104] == []
    assert {name: found[name] for name, limit in BUDGETS.items() if found[name] > limit} == {}


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_one_answer_for_each_prediction(path):
    """Who predicts finds one line that answers: below, before the next prediction, in the same section, in the core."""
    waiting, missing = "", []
    core = in_sight(read(path))
    assert {"## Summary", "## Exercises"} <= {cell.source.split("\n")[0] for cell in core}
    for cell in core:
        if cell.source.startswith("## Exercises"):  # their checks answer
            break
        if cell.cell_type == "code":
            waiting = "" if "=>  " in printed(cell) else waiting
        else:
            ends = "**Predict" in cell.source or cell.source.startswith(("# ", "## "))
            missing += [waiting] if ends and waiting else []
            waiting = cell.id if "**Predict" in cell.source else "" if ends else waiting
    assert missing + ([waiting] if waiting else []) == []


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_places_to_stop(path):
    """At about 25 minutes, and at about 50 where the core takes longer than that."""
    notebook = read(path)
    stops = [
        int(stop) for cell in in_sight(notebook) if cell.cell_type == "markdown" for stop in STOP.findall(cell.source)
    ]
    assert len(stops) == (2 if measures(notebook)["minutes"] > 50 else 1)
    assert 20 <= stops[0] <= 30 and all(45 <= stop <= 55 for stop in stops[1:])


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_titles_of_folded_code(path):
    """A title stands in the place of the code: it says what that does, and no two are the same, but where one predicts."""
    cells = [cell for cell in code_cells(read(path)) if is_folded(cell) and not asks(cell)]
    titles = [TITLE.match(cell.source)[1] for cell in cells]
    vague = {title for title in titles if title != "Imports" and len(title.split()) < 3}
    assert vague == {title for title in titles if titles.count(title) > 1 or title.endswith(".")} == set()
    assert max(map(len, titles)) <= 88
