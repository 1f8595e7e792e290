"""data/results/swap.csv: what it is said to show, in every seed, and one job of it made again."""

import pytest

from posenc_helpers.lab.results import load_results
from tests.lab.test_stored_results import SEEDS
from tools import experiments


def losses(model: str, tuned: int) -> list[float]:
    """Return the loss of each seed."""
    found = {row["seed"]: row["loss"] for row in load_results("swap") if (row["model"], row["tuned"]) == (model, tuned)}
    return [found[seed] for seed in SEEDS]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_swap_costs_at_once_and_is_nearly_repaired(seed):
    table, none, swapped, rope = (
        [losses(name, tuned)[seed] for tuned in (0, 300)]
        for name in ("table", "table to none", "table to rope", "rope from the start")
    )
    assert swapped[0] > table[0] + 0.4 and none[0] > swapped[0] - 0.1
    assert table[1] < swapped[1] < table[1] + 0.2 and swapped[1] > rope[1] + 0.1
    assert none[1] > swapped[1] + 0.2


@pytest.mark.parametrize("seed", SEEDS)
def test_at_the_full_rate_the_swap_passes_the_table(seed):
    table, swapped = (losses(f"{name}, full rate", 300)[seed] for name in ("table", "table to rope"))
    assert table - 0.15 < swapped < table - 0.01


def test_rope_from_the_start_stays_ahead_of_the_swap_at_the_full_rate_on_average():
    swapped, rope = (losses(f"{name}, full rate", 300) for name in ("table to rope", "rope from the start"))
    assert sum(a - b for a, b in zip(swapped, rope, strict=True)) / len(rope) > 0.01


def test_a_job_runs_and_has_the_rows_of_the_file():
    rows = experiments.swap(seed=0, steps=2, windows=2)
    stored = [row for row in load_results("swap") if row["seed"] == 0]
    assert [(row["model"], row["tuned"]) for row in rows] == [(row["model"], row["tuned"]) for row in stored]
    assert all(0 < row["loss"] < 5 for row in rows)
