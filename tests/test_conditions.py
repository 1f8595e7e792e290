"""What `python -m tests.conditions` rests on: distances from bounds, and runs that a false claim does not end."""

import math

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tests import conditions
from tests.conditions import ARITHMETICS, describe, distance, main, nearness, run, survey
from tools.course import setup_cell

ONE = {"OMP_NUM_THREADS": "1"}


@pytest.mark.parametrize("row, expected", [
    ({"value": 0.3, "below": 1.0}, 0.7), ({"value": 1.25, "below": 1.0}, -0.25),
    ({"value": 1.25, "above": 1.0}, 0.25), ({"value": 0.3, "above": 1.0}, -0.7),
    ({"value": 2.5, "near": 3.0, "within": 0.75}, 0.25), ({"value": 4.0, "near": 3.0, "within": 0.75}, -0.25),
    ({"value": 3.0, "near": 3.0, "within": 0.0}, 0.0),
    ({"value": math.nan, "below": 1.0}, -math.inf), ({"value": math.nan, "near": 1.0, "within": 1.0}, -math.inf),
    ({"value": math.inf, "above": 1.0}, math.inf), ({"value": math.inf, "below": 1.0}, -math.inf),
])  # fmt: skip
def test_distance_is_positive_on_the_right_side_of_the_bound(row, expected):
    assert distance(row) == pytest.approx(expected)


@pytest.mark.parametrize("distances, expected", [
    ([0.4, 0.4, 0.4], 1.0), ([0.4, 0.1, 0.5], 0.25), ([2.0], 1.0), ([0.4, 0.0, 0.5], 0.0),
    ([0.4, -0.2, 0.4], -0.5), ([-0.1, -0.1, 0.4], -1.0), ([0.0, 0.0, 0.0], 1.0), ([0.0, -0.1, 0.0], -math.inf),
    ([0.4, -math.inf, 0.4], -math.inf), ([0.0, 0.0, 1.0], 1.0),
])  # fmt: skip
def test_nearness_is_the_least_distance_as_a_share_of_the_usual_one(distances, expected):
    assert nearness(distances) == pytest.approx(expected)


def test_a_claim_is_described_in_a_line():
    rows = [{"statement": "it is", "value": value, "below": 0.5} for value in (0.1, 0.31234, 0.2)]
    assert describe(rows) == "usually 0.2, seen 0.1 to 0.312, below 0.5"
    assert describe([{"statement": "it is", "value": 3.0, "near": 3.0, "within": 1e-6}]) == (
        "usually 3, seen 3 to 3, near 3, within 1e-06"
    )


def notebook(folder, *sources):
    """Write a notebook like those of the course, with these cells behind title and setup; return its path."""
    cells = [new_markdown_cell("# Title"), new_code_cell(setup_cell("")), *map(new_code_cell, sources)]
    kernel = {"kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}}
    path = folder / "99_tiny.ipynb"
    nbformat.write(new_notebook(cells=cells, metadata=kernel), path)
    return path


CLAIM = "from posenc_helpers.classroom.claims import claim\n"
DRAW = """\
import torch
from posenc_helpers.lab.training import seeded
from posenc_helpers.classroom.claims import claim
with seeded(3):
    claim("a draw", torch.rand(()), below=2)
with seeded(seed=4):
    claim("another", torch.rand(()), above=-1)
claim("by its own generator", torch.rand((), generator=torch.Generator().manual_seed(1)), near=0.5, within=1)"""


def test_claims_are_written_down_and_a_false_one_does_not_end_the_run(tmp_path):
    rows, stopped = run(
        notebook(tmp_path, CLAIM + "claim('false', 3, below=2)", "claim('true', 0.5, near=0.4, within=0.2)"), ONE
    )
    assert stopped is None
    assert rows == [
        {"statement": "false", "value": 3.0, "below": 2.0},
        {"statement": "true", "value": 0.5, "near": 0.4, "within": 0.2},
    ]


def test_a_cell_that_raises_is_named_and_what_came_before_it_is_kept(tmp_path):
    path = notebook(tmp_path, CLAIM + "claim('true', 1, below=2)", "1 / 0", "claim('never', 1, below=2)")
    rows, stopped = run(path, ONE)
    assert [row["statement"] for row in rows] == ["true"]
    failing = nbformat.read(path, as_version=4).cells[3].id
    assert stopped == f"{failing}: ZeroDivisionError: division by zero"


def test_the_environment_reaches_the_kernel_and_the_file_stays_as_it_was(tmp_path):
    first = CLAIM + "import os, torch\nclaim(os.environ['ATEN_CPU_CAPABILITY'], 1, below=2)"
    second = "claim(torch.backends.cpu.get_cpu_capability(), int(os.environ['OMP_NUM_THREADS']), below=3)"
    path = notebook(tmp_path, first, second)
    before = path.read_bytes()
    rows, _ = run(path, {"OMP_NUM_THREADS": "2", "ATEN_CPU_CAPABILITY": "default"})
    assert rows[0]["statement"] == "default" and rows[1]["statement"].lower() in ("default", "no avx")
    assert [row["value"] for row in rows] == [1, 2]
    assert path.read_bytes() == before


def test_other_seeds_move_what_seeded_draws_and_nothing_else(tmp_path):
    seen, trouble = survey(notebook(tmp_path, DRAW), {f"{k}": (ONE, k) for k in (0, 1000, 2000)})
    assert trouble == []
    values = {statement: {row["value"] for row in rows} for (statement, _), rows in seen.items()}
    assert {statement: len(found) for statement, found in values.items()} == {
        "a draw": 3, "another": 3, "by its own generator": 1,
    }  # fmt: skip
    assert [row["condition"] for row in seen["a draw", 1]] == ["0", "1000", "2000"]


def test_a_survey_tells_claims_of_one_name_apart_and_says_which_are_missing(tmp_path, monkeypatch):
    runs = {"a": [("x", 1), ("x", 2), ("y", 3)], "b": [("x", 10), ("x", 20)]}
    monkeypatch.setattr(conditions, "run", lambda path, environment, offset: (
        [{"statement": name, "value": value, "below": 99} for name, value in runs["ab"[offset]]], None,
    ))  # fmt: skip
    seen, trouble = survey(tmp_path / "99_tiny.ipynb", {"one": (ONE, 0), "other": ({"OMP_NUM_THREADS": "2"}, 1)})
    assert {key: [row["value"] for row in rows] for key, rows in seen.items()} == {
        ("x", 1): [1, 10], ("x", 2): [2, 20], ("y", 1): [3],
    }  # fmt: skip
    assert trouble == ["99 y: claimed under 1 of 2 conditions"]


@pytest.mark.parametrize("values, ending", [([0.2, 0.3], 0), ([0.2, 0.95], 1), ([0.2, 1.5], 1), ([], 1)])
def test_the_command_ends_with_an_error_where_a_claim_comes_too_near(values, ending, tmp_path, monkeypatch, capsys):
    found = iter(values)
    monkeypatch.setattr(conditions, "ARITHMETICS", {"as it is": {}})
    monkeypatch.setattr(conditions, "notebook_paths", lambda: [tmp_path / "99_tiny.ipynb"])
    monkeypatch.setattr(conditions, "run", lambda *_: (
        [{"statement": "it is", "value": next(found), "below": 1.0}] if values else [], None,
    ))  # fmt: skip
    assert main([]) == ending
    printed = capsys.readouterr().out
    assert printed.rstrip().splitlines()[-1].startswith("99 ") == bool(ending and values)


def test_an_unknown_arithmetic_is_refused_by_name(capsys):
    with pytest.raises(SystemExit):
        main(["--only", "abacus"])
    assert f"--only 'abacus'; there are {', '.join(ARITHMETICS)}" in capsys.readouterr().err
