"""What notebook 09 says of the stored stretched models, in every seed and for both numbers of steps."""

import pytest

from posenc_helpers.lab.experiments import CURES
from posenc_helpers.lab.results import load_results, values_of
from posenc_helpers.lab.stretching import METHODS

SEEDS = range(8)


@pytest.fixture(params=[400, 800])
def rescue(request):
    rows = [row for row in load_results("rescue") if row["steps"] == request.param]
    return {(row["method"], row["tuned"], row["seed"]): row for row in rows}


def test_the_order_of_the_cures_and_what_fine_tuning_adds(rescue):
    """Without fine-tuning: by-parts < NTK < nothing < interpolation, in every seed; fine-tuning helps all of them."""
    for seed in SEEDS:
        now = {method: rescue[method, 0, seed]["loss"] for method in METHODS}
        assert now["by-parts"] < now["ntk"] < now["none"] < now["linear"]
        for method in METHODS:
            assert rescue[method, 60, seed]["loss"] < rescue[method, 10, seed]["loss"] < now[method]
        assert rescue["control", 60, seed]["loss"] > rescue["none", 60, seed]["loss"]


def test_by_parts_pays_little_at_short_length_and_interpolation_much(rescue):
    for seed in SEEDS:
        now = {method: rescue[method, 0, seed]["short"] - rescue["none", 0, seed]["short"] for method in METHODS}
        assert now["ntk"] < 0.1 < now["by-parts"] < now["linear"] and now["linear"] > 1.0
        assert rescue["by-parts", 60, seed]["short"] < rescue["none", 0, seed]["short"] + 0.1


def test_beta_must_fit_the_length_and_the_control_changes_nothing(rescue):
    for seed in SEEDS:
        untouched = rescue["none", 0, seed]["loss"]
        assert rescue["by-parts, beta 32", 0, seed]["loss"] > untouched
        assert rescue["control", 60, seed]["loss"] == pytest.approx(untouched, abs=0.1)
        assert rescue["by-parts", 0, seed]["loss"] < rescue["none", 60, seed]["loss"]


def test_the_untouched_model_with_32_keys_in_sight_beats_every_stretched_one(rescue):
    for seed in SEEDS:
        near = rescue["none", 0, seed]["near"]
        assert near < rescue["none", 0, seed]["loss"] - 1
        assert all(near < rescue[method, 60, seed]["loss"] for method in METHODS)
        assert near < rescue["from the start", 0, seed]["loss"]
        parts = rescue["by-parts", 0, seed]
        assert parts["loss"] == pytest.approx(parts["near"], abs=0.05)


def test_recall_turns_the_order_over():
    rows = load_results("stretched_recall")
    found = {method: values_of(rows, "accuracy", method=method, tuned=0, length=64) for method in CURES}
    assert {len(runs) for runs in found.values()} == {16}
    assert min(found["linear"]) > 0.9 and min(found["by-parts"]) > 0.9 and max(found["none"]) < 0.7
    assert max(found["ntk"]) - min(found["ntk"]) > 0.4
