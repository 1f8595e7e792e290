"""Codes of equal size: that they are, what the stored runs show in every seed, and a run of them made again."""

import pytest
import torch

from posenc_helpers.lab.answers import ranking
from posenc_helpers.lab.results import load_results
from posenc_helpers.lab.scorecard import codes, learn
from posenc_helpers.lab.tasks import GapTask
from posenc_helpers.lessons.naive_encodings.models import CODES, as_long_as_words, gap_model
from posenc_helpers.transformer import TinyTransformer
from tools.experiments import naive_codes


def stored(code: str, column: str, steps: int = 300, times: float = 1.0) -> list[float]:
    kept = [
        row for row in load_results("naive_codes") if (row["code"], row["steps"], row["times"]) == (code, steps, times)
    ]
    assert [row["seed"] for row in kept] == list(range(8))
    return [row[column] for row in kept]


def answers(code: str, places: str, steps: int) -> dict[int, list[float]]:
    rows = [r for r in load_results("answers") if (r["code"], r["places"], r["steps"]) == (code, places, steps)]
    return {gap: [row["yes"] for row in rows if row["gap"] == gap and row["times"] == 1] for gap in range(1, 10)}


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("times", [1.0, 0.25])
def test_codes_are_as_long_as_words_on_average(code, times):
    encoding = as_long_as_words(code, times)(32, 2, 32)
    length = codes(encoding, torch.arange(16), 32).norm(dim=-1).mean()
    words = TinyTransformer(500, 32, 2, 1).embedding.weight.detach().norm(dim=-1).mean()
    assert length / words == pytest.approx(times, rel=0.05)


def test_bad_codes_and_sizes_are_named():
    with pytest.raises(ValueError, match="code='rope'"):
        as_long_as_words("rope")
    with pytest.raises(ValueError, match="times=0"):
        as_long_as_words("binary", 0)


def test_the_gap_model_is_the_one_that_the_scorecard_trains():
    build = as_long_as_words("binary")
    learned = learn(build, [3], 20)
    assert ranking(gap_model(build, seed=3, steps=20), GapTask(), 32) == learned["ranked"][0]


# What notebooks 02 and 03 say about them


@pytest.mark.parametrize("steps", [300, 900])
def test_order_survives_with_index_and_normalised_alone(steps):
    for code in ("index", "normalised"):
        assert min(stored(code, "order beyond", steps)) > 0.9
    for code in ("random", "one-hot", "binary", "sinusoidal"):
        assert max(stored(code, "order beyond", steps)) < 0.87


def test_size_decides_whether_binary_learns_distance():
    assert min(stored("binary", "distance")) > 0.9
    assert sum(stored("binary", "distance", times=0.25)) / 8 < 0.75


@pytest.mark.parametrize("steps", [300, 900])
def test_distance_lives_in_trained_places(steps):
    """The index model knows distance where it was trained, mostly says no elsewhere, and never answers order alone."""
    trained, new = answers("index", "trained", steps), answers("index", "new", steps)
    assert min(trained[3]) > 0.6 and max(max(trained[gap]) for gap in (1, 5, 6, 7, 8, 9)) < 0.1
    assert max(new[3]) < (0.5 if steps == 300 else 0.75) and sum(new[3]) / 8 < 0.4
    for code in ("random", "one-hot", "sinusoidal"):
        assert sum(stored(code, "ranked trained", steps)) / 8 > sum(stored(code, "ranked new", steps)) / 8 + 0.2


@pytest.mark.parametrize("steps", [300, 900])
def test_the_normalised_code_takes_six_for_three(steps):
    found = answers("normalised", "trained", steps)
    assert min(found[6]) > 0.8 and max(found[3]) < 0.1


def test_a_run_is_made_again():
    (kept,) = [
        row
        for row in load_results("naive_codes")
        if (row["code"], row["times"], row["seed"], row["steps"]) == ("binary", 1.0, 0, 300)
    ]
    fresh, *_ = naive_codes("binary", 1.0, seed=0)
    for column in ("order", "distance", "ranked"):
        assert kept[column] == pytest.approx(fresh[column], abs=0.15), column
