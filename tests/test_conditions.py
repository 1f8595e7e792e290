"""What `python -m tests.conditions` rests on: distances from bounds, and runs that a false claim does not end."""

import math

import pytest

from tests import conditions
from tests.conditions import distance, main, nearness, survey

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
