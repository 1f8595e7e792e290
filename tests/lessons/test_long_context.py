"""The pictures of notebook 09 that compute something: wheels, dials, divisors, the explorer, losses."""

import math

import pytest
import torch
from matplotlib.patches import Wedge

from posenc_helpers.encodings import frequencies
from posenc_helpers.encodings.rope_scaling import by_parts, ntk_aware
from posenc_helpers.lessons.long_context import explorer, losses
from posenc_helpers.lessons.long_context import pictures as drawings
from posenc_helpers.lessons.long_context.rescue import RESCUES, TUNED, rescue_bars

LLAMA = {"alpha": 1.0, "beta": 32.0, "base": 1e4, "trained": 4096}


def test_dials_show_what_was_met_and_what_is_new():
    fig = drawings.dials(frequencies(16), 32, 128)
    assert [ax.get_title() for ax in fig.axes] == [f"pair {i}" for i in range(8)]
    spans = [[wedge.theta2 - wedge.theta1 for wedge in ax.patches if isinstance(wedge, Wedge)] for ax in fig.axes]
    for i, (new, seen) in enumerate(spans):
        turn = 32 * 10.0 ** (-i / 2) / (2 * math.pi)
        assert seen == pytest.approx(360 * min(turn, 1), rel=1e-4)
        assert new == pytest.approx(360 * (min(4 * turn, 1) - min(turn, 1)), abs=1e-3)
    assert [ax.texts[0].get_text() for ax in fig.axes][:3] == ["5.1 turns", "1.6 turns", "0.51"]


def test_a_cure_that_divides_by_the_factor_leaves_no_orange():
    w = frequencies(8)
    fig = drawings.cured_dials(w, {"position interpolation": w / 4, "NTK-aware": ntk_aware(w, 4.0)}, 128, 512)
    dials = [ax for ax in fig.axes if ax.patches]  # the others hold the names
    new = [next(p for p in ax.patches if isinstance(p, Wedge)) for ax in dials]
    spans = [wedge.theta2 - wedge.theta1 for wedge in new]
    assert spans[:4] == pytest.approx([0, 0, 0, 0], abs=1e-3)
    assert spans[4:6] == [0, 0] and spans[6] > 20 and spans[7] == pytest.approx(0, abs=1e-3)
    assert dials[6].texts[0].get_text() == "/ 2.52"


def test_a_configuration_is_full_circles_and_divisors_and_pairs_that_stand_still_lie_on_grey():
    w, by = frequencies(16), torch.tensor([1.0, 1.0, math.inf, math.inf, 2.0, math.inf, 2.0, 2.0])
    left, right = drawings.configuration(w, by, 32).axes
    assert left.lines[0].get_ydata() == pytest.approx(2 * math.pi / w)
    assert left.lines[1].get_ydata()[[0, 4]] == pytest.approx(2 * math.pi / w[[0, 4]] * by[[0, 4]])
    for ax in (left, right):
        assert [(p.get_x(), p.get_width()) for p in ax.patches] == [(1.5, 2.0), (4.5, 1.0)]
        assert math.isfinite(ax.get_ylim()[1])
    assert right.lines[0].get_ydata() == pytest.approx(by.masked_fill(by.isinf(), math.nan), nan_ok=True)
    assert [text.get_text() for text in right.texts] == ["stand\nstill"] * 2
    everything, _ = drawings.configuration(frequencies(16), torch.full((8,), math.inf), 32).axes
    assert len(everything.patches) == 1


@pytest.mark.parametrize(
    ("method", "kept", "fresh", "reach"),
    [
        ("nothing", 64, 18, 4096),
        ("position interpolation", 0, 0, 16384),
        ("NTK-aware", 1, 17, 11270.9),
        ("NTK-by-parts", 21, 0, 16384),
    ],
)
def test_what_the_explorer_says_of_llama_2(method, kept, fresh, reach):
    found = explorer.stretched(method, 4.0, **LLAMA)
    assert int((found.divisors < 1 + 1e-9).sum()) == kept and int(found.fresh.sum()) == fresh
    assert found.reach == pytest.approx(reach, rel=1e-4)
    assert torch.allclose(found.after, found.before) == (fresh == 0)


def test_the_explorer_draws_what_it_says():
    settings = {"method": "NTK-aware", "s": 4.0, **LLAMA}
    _, update = explorer.stretch_explorer(**settings)
    line, number, met, new, words = update(**settings)
    w = frequencies(128, dtype=torch.float64)
    assert line.get_ydata() == pytest.approx(w / ntk_aware(w, 4.0))
    assert len(met.get_segments()) == 64 and len(new.get_segments()) == 17
    assert words.get_text() == "17 pairs meet new angles at 16,384\nno new angle up to 11,271 tokens"
    line, number, met, new, words = update(**settings | {"method": "NTK-by-parts"})
    assert line.get_ydata() == pytest.approx(w / by_parts(w, 4.0, 4096))
    assert new.get_segments() == [] and "pairs as they are: 21; divided by 4: 18" in number.get_text()


def test_no_pair_meets_a_new_angle_where_all_go_round():
    assert "no pair ever meets a new angle" in explorer.stretch_words("nothing", 4.0, 1.0, 32.0, 2.0, 4096)


def test_loss_curves_are_means_of_eight():
    nothing, parts = torch.arange(40.0), torch.full((40,), 2.0)
    fig = losses.loss_curves({"a": {"nothing": nothing, "NTK-by-parts": parts}, "b": {"nothing": nothing}}, trained=32)
    left, right = fig.axes
    assert [ax.get_title() for ax in fig.axes] == ["a", "b"]
    assert left.lines[0].get_xydata()[0].tolist() == [3.5, 3.5] and len(right.lines) == 2
    assert left.lines[1].get_ydata() == pytest.approx([2.0] * 33)


def test_bars_are_the_means_of_the_seeds_and_the_axis_holds_what_is_drawn():
    levels = {(method, steps): 2.0 + row / 10 - steps / 100 for row, method in enumerate(RESCUES) for steps in TUNED}
    rows = [
        {"method": method, "tuned": steps, "loss": level + 0.02 * seed}
        for (method, steps), level in levels.items()
        for seed in (-1, 0, 1, 2)
    ]
    rows += [{"method": f"{method}, at 32", "tuned": 60, "loss": 2.7} for method in RESCUES]
    rows += [{"method": "from the start", "tuned": 0, "loss": 1.55}, {"method": "ntk 2s", "tuned": 0, "loss": 9.0}]
    ax = rescue_bars(rows).axes[0]
    assert sorted(bar.get_height() for bar in ax.patches) == pytest.approx(
        sorted(level + 0.01 for level in levels.values())
    )
    assert sorted(len(dots.get_offsets()) for dots in ax.collections) == [4] * len(levels)
    assert ax.get_ylim()[0] == 0 and 3 < ax.get_ylim()[1] < 9
