"""What notebook 09 says of the stored stretched models, in every seed and for both numbers of steps."""

from statistics import mean

import pytest

from posenc_helpers.lab.results import load_results, values_of
from posenc_helpers.lab.stretching import BETA, METHODS, NTK_FACTOR
from tools.experiments import CURES
from tools.experiments.on_stretching import FINE_TUNED, SETTINGS, TUNED

SEEDS = range(8)


@pytest.fixture(params=[400, 800])
def rescue(request):
    rows = [row for row in load_results("rescue") if row["steps"] == request.param]
    return {(row["method"], row["tuned"], row["seed"]): row for row in rows}


def test_the_order_of_the_cures_as_written_and_what_fine_tuning_adds(rescue):
    """Without fine-tuning: by-parts < NTK < nothing < interpolation, in every seed; fine-tuning helps all of them."""
    for seed in SEEDS:
        now = {method: rescue[method, 0, seed]["loss"] for method in METHODS}
        assert now["by-parts"] < now["ntk"] < now["none"] < now["linear"]
        for method in FINE_TUNED:
            tuned = [rescue[method, steps, seed]["loss"] for steps in (60, 10, 0)]
            assert tuned == sorted(tuned)
        assert rescue["none, at 32", 60, seed]["loss"] > rescue["none", 60, seed]["loss"]


def test_each_cure_got_the_best_of_seven_on_the_validation_text():
    rows = load_results("cure_settings")
    chosen = {"ntk factor": NTK_FACTOR, "by-parts beta": BETA}
    chosen |= {f"{method} factor": factor for method, factor in TUNED.values()}
    assert set(chosen) == set(SETTINGS) and {len(tried) for tried in SETTINGS.values()} == {7}
    for what, tried in SETTINGS.items():
        losses = {setting: values_of(rows, "loss", what=what, setting=setting) for setting in tried}
        assert {len(found) for found in losses.values()} == {2}
        assert min(losses, key=lambda setting: mean(losses[setting])) == chosen[what]


def test_chosen_alike_ntk_aware_and_by_parts_are_close(rescue):
    for seed in SEEDS:
        ntk, parts = (rescue[name, 0, seed]["loss"] for name in ("ntk, tuned", "by-parts"))
        assert abs(ntk - parts) < 0.2 < rescue["ntk", 0, seed]["loss"] - ntk
        assert 0 < ntk - rescue["by-parts, tuned", 0, seed]["loss"] < 0.25  # two numbers chosen against one
        assert rescue["linear, tuned", 0, seed]["loss"] < rescue["none", 0, seed]["loss"]
        assert rescue["linear, tuned", 0, seed]["loss"] > parts + 0.5
        assert rescue["by-parts, beta 32", 0, seed]["loss"] > rescue["ntk", 0, seed]["loss"] + 0.3


def test_by_parts_pays_little_at_short_length_and_interpolation_much(rescue):
    for seed in SEEDS:
        paid = {name: rescue[name, 0, seed]["short"] - rescue["none", 0, seed]["short"] for name in FINE_TUNED}
        assert paid["ntk"] < 0.1 < paid["by-parts"] < paid["linear"] and paid["linear"] > 1.0
        assert paid["ntk"] + 0.1 < paid["ntk, tuned"] < 0.6
        assert rescue["by-parts", 60, seed]["short"] < rescue["none", 0, seed]["short"] + 0.1


def test_60_steps_at_the_old_length_help_only_those_with_slow_pairs(rescue):
    """So what 60 steps teach by-parts and interpolation is mostly their new speeds, whatever the length."""
    for seed in SEEDS:
        for name in ("none", "ntk"):
            zero_shot, at_32 = rescue[name, 0, seed]["loss"], rescue[f"{name}, at 32", 60, seed]["loss"]
            assert at_32 == pytest.approx(zero_shot, abs=0.12)
        for name in ("by-parts", "yarn", "ntk, tuned", "linear"):
            zero_shot, at_128 = (rescue[name, tuned, seed]["loss"] for tuned in (0, 60))
            assert zero_shot - rescue[f"{name}, at 32", 60, seed]["loss"] > 0.6 * (zero_shot - at_128)


def test_after_60_steps_ntk_aware_pays_more_at_short_length_than_by_parts(rescue):
    for seed in SEEDS:
        ntk, parts = (rescue[name, 60, seed]["short"] for name in ("ntk", "by-parts"))
        assert ntk > parts


def test_pair_2_alone_does_as_much_as_all_six_and_the_slower_ones_change_nothing(rescue):
    for seed in SEEDS:
        loss = {name: rescue[name, 0, seed]["loss"] for name in ("none", "pair 2", "pairs 2-7", "pairs 3-7")}
        assert loss["pair 2"] == pytest.approx(loss["pairs 2-7"], abs=0.1) and loss["pair 2"] < loss["none"] - 0.4
        assert loss["pairs 3-7"] == pytest.approx(loss["none"], abs=0.1)
        short = {name: rescue[name, 0, seed]["short"] for name in ("none", "pairs 0, 1", "pairs 2-7")}
        assert short["pairs 0, 1"] > short["none"] + 0.6 and short["pairs 2-7"] < short["none"] + 0.6


def test_beta_must_fit_the_length_and_no_cure_after_60_steps_beats_by_parts_without(rescue):
    for seed in SEEDS:
        untouched = rescue["none", 0, seed]["loss"]
        assert rescue["by-parts, beta 32", 0, seed]["loss"] > untouched
        assert rescue["by-parts", 0, seed]["loss"] < rescue["none", 60, seed]["loss"]


def test_the_untouched_model_with_32_keys_in_sight_is_hard_to_beat(rescue):
    """Nor does it matter that two layers of 32 keys reach back 63: texts of 32 characters give the same."""
    won = 0
    for seed in SEEDS:
        near = rescue["none", 0, seed]["near"]
        assert near < rescue["none", 0, seed]["loss"] - 1
        assert rescue["32 characters", 0, seed]["loss"] == pytest.approx(near, abs=0.05)
        won += all(near < rescue[method, 60, seed]["loss"] for method in FINE_TUNED)
        parts = rescue["by-parts", 0, seed]
        assert parts["loss"] == pytest.approx(parts["near"], abs=0.05)
    assert won >= 6


def test_trained_on_128_from_the_start_it_depends_on_how_much_is_read(rescue):
    for seed in SEEDS:
        near, short = rescue["none", 0, seed]["near"], rescue["none", 0, seed]["short"]
        few, all_windows = (rescue[name, 0, seed] for name in ("from the start", "from the start, all windows"))
        assert few["loss"] > near + 0.02 and few["short"] > short + 0.02
        assert all_windows["loss"] < near - 0.02
        assert all_windows["loss"] == pytest.approx(all_windows["near"], abs=0.05)


def test_base_2_suffers_from_new_distances_though_no_angle_is_new(rescue):
    for seed in SEEDS:
        whole, known, scaled = (
            rescue[name, 0, seed]["loss"] for name in ("base 2", "base 2, no new distance", "base 2, log-scaled")
        )
        near = rescue["base 2", 0, seed]["near"]
        assert near < known < whole and whole - near > 0.1
        assert whole - known > 0.5 * (whole - near) and whole - scaled < 0.05
        assert whole < rescue["none", 0, seed]["loss"] - 0.5
        assert rescue["no new distance", 0, seed]["loss"] < rescue["by-parts", 0, seed]["loss"]


def test_recall_turns_the_order_over_and_minds_pairs_1_and_2():
    rows = load_results("stretched_recall")
    names = [*CURES, "pairs 1, 2", "pair 1", "pair 2", "pairs 3-7"]
    found = {method: values_of(rows, "accuracy", method=method, tuned=0, length=64) for method in names}
    assert {len(runs) for runs in found.values()} == {16}
    assert min(found["linear"]) > 0.9 and min(found["by-parts"]) > 0.75
    assert mean(found["none"]) < 0.5 and mean(found["ntk"]) < 0.5 and mean(found["ntk, tuned"]) > 0.85
    assert mean(found["pair 2"]) > 0.7 and mean(found["pair 1"]) < 0.65
    assert mean(found["pairs 1, 2"]) > 0.85 and abs(mean(found["pairs 3-7"]) - mean(found["none"])) < 0.15
