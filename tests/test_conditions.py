"""What `python -m tests.conditions` rests on: distances from bounds, and runs that a false claim does not end."""

import math

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tests import conditions
from tests.conditions import distance, main, nearness, survey
from tools.course import setup_cell

ONE = {"OMP_NUM_THREADS": "1"}
DISTANCES = [
    ({"value": 0.3, "below": 1.0}, 0.7),
    ({"value": 1.25, "below": 1.0}, -0.25),
    ({"value": 1.25, "above": 1.0}, 0.25),
    ({"value": 2.5, "near": 3.0, "within": 0.75}, 0.25),
    ({"value": 4.0, "near": 3.0, "within": 0.75}, -0.25),
    ({"value": 4.0, "equals": 3.0}, -math.inf),
    ({"value": math.nan, "below": 1.0}, -math.inf),
]
NEARNESS = [
    ([0.4, 0.1, 0.5], 0.25),
    ([2.0], 1.0),
    ([0.4, 0.0, 0.5], 0.0),
    ([0.4, -0.2, 0.4], -0.5),
    ([0.0, 0.0, 0.0], 1.0),
    ([0.0, -0.1, 0.0], -math.inf),
]


@pytest.mark.parametrize("row, expected", DISTANCES)
def test_distance_is_positive_on_the_right_side_of_the_bound(row, expected):
    assert distance(row) == pytest.approx(expected)


@pytest.mark.parametrize("distances, expected", NEARNESS)
def test_nearness_is_the_least_distance_as_a_share_of_the_usual_one(distances, expected):
    assert nearness(distances) == pytest.approx(expected)


DRAW = """\
import os, torch
from posenc_helpers.lab.training import seeded
from posenc_helpers.classroom.claims import claim
with seeded(3):
    claim("a draw", torch.rand(()), below=2)
with seeded(seed=4):
    claim("another", torch.rand(()), above=-1)
claim("by its own generator", torch.rand((), generator=torch.Generator().manual_seed(1)), near=0.5, within=1)
claim("false", 3, below=2)
claim(os.environ["ATEN_CPU_CAPABILITY"], int(os.environ["OMP_NUM_THREADS"]), below=3)"""


@pytest.mark.nightly
def test_other_seeds_move_what_seeded_draws_and_neither_a_false_claim_nor_an_error_hides_the_rest(tmp_path):
    cells = [new_markdown_cell("# Title"), *map(new_code_cell, (setup_cell(""), DRAW, "1 / 0", "claim('never', True)"))]
    kernel = {"kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}}
    path = tmp_path / "99_tiny.ipynb"
    nbformat.write(new_notebook(cells=cells, metadata=kernel), path)
    before = path.read_bytes()
    arithmetic = ONE | {"ATEN_CPU_CAPABILITY": "default"}
    seen, trouble = survey(path, {f"{k}": (arithmetic, k) for k in (0, 1000)})
    assert [said.endswith("ZeroDivisionError: division by zero") for said in trouble] == [True, True]
    values = {statement: [row["value"] for row in rows] for (statement, _), rows in seen.items()}
    assert {statement: len({*found}) for statement, found in values.items()} == {
        "a draw": 2,
        "another": 2,
        "by its own generator": 1,
        "false": 1,
        "default": 1,
    }
    assert path.read_bytes() == before


def test_a_survey_tells_claims_of_one_name_apart_and_says_which_are_missing(tmp_path, monkeypatch):
    runs = [[("x", 1), ("x", 2), ("y", 3)], [("x", 10), ("x", 20)]]
    rows = [[{"statement": name, "value": value, "below": 99} for name, value in run] for run in runs]
    monkeypatch.setattr(conditions, "run", lambda path, environment, offset: (rows[offset], None))
    seen, trouble = survey(tmp_path / "99_tiny.ipynb", {"one": (ONE, 0), "other": ({"OMP_NUM_THREADS": "2"}, 1)})
    found = {key: [row["value"] for row in rows] for key, rows in seen.items()}
    assert found == {("x", 1): [1, 10], ("x", 2): [2, 20], ("y", 1): [3]}
    assert trouble == ["99 y: claimed under 1 of 2 conditions"]


@pytest.mark.parametrize("values, ending", [([0.2, 0.3], 0), ([0.2, 0.95], 1), ([0.2, 1.5], 1), ([], 1)])
def test_the_command_ends_with_an_error_where_a_claim_comes_too_near(values, ending, tmp_path, monkeypatch):
    runs = iter([[{"statement": "it is", "value": value, "below": 1.0}] for value in values])
    monkeypatch.setattr(conditions, "ARITHMETICS", {"as it is": {}})
    monkeypatch.setattr(conditions, "notebook_paths", lambda: [tmp_path / "99_tiny.ipynb"])
    monkeypatch.setattr(conditions, "run", lambda *_: (next(runs, []), None))
    assert main([]) == ending
