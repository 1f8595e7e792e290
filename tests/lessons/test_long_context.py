"""The pictures of notebook 09 that compute something: wheels, dials, divisors, the explorer, losses."""

import itertools
import math
import re

import pytest
import torch
from matplotlib.patches import Rectangle, Wedge

from posenc_helpers.classroom.explorers import Screen
from posenc_helpers.encodings import frequencies
from posenc_helpers.encodings.rope_scaling import by_parts, linear, llama3, ntk_aware
from posenc_helpers.lessons.long_context import explorer, losses
from posenc_helpers.lessons.long_context import pictures as drawings

LLAMA = {"alpha": 1.0, "beta": 32.0, "base": 1e4, "trained": 4096}


def colours(ax, kind):
    return [patch.get_facecolor()[:3] for patch in ax.patches if isinstance(patch, kind)]


def test_wheels_are_grey_before_orange_after_and_white_never():
    fig = drawings.wheels([{0, 1}, {0}], [{0, 1}, {0, 1, 2}])
    boxes = colours(fig.axes[0], Rectangle)
    grey, white = boxes[0], boxes[2]
    assert boxes[:10] == [grey, grey] + [white] * 8
    assert boxes[10] == grey and boxes[11] == boxes[12] != grey and boxes[13:] == [white] * 7


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


def test_divisors_are_drawn_as_given_over_the_unfinished_pairs():
    w = frequencies(128)
    lines = {"position interpolation": w / linear(w, 4.0), "NTK-aware": w / ntk_aware(w, 4.0)}
    ax = drawings.divided_by(lines, 18, 4.0).axes[0]
    assert [line.get_label() for line in ax.lines] == list(lines)
    for line, divisors in zip(ax.lines, lines.values(), strict=True):
        assert line.get_ydata() == pytest.approx(divisors)
    assert ax.get_ylim()[1] > 4
    high = drawings.divided_by({"base x 25": w / frequencies(128, 25e4)}, 18, 10.0).axes[0]
    assert high.get_ylim()[1] > 23 and high.lines[-1].get_ydata() == [10.0, 10.0]


def test_rings_stand_at_the_first_unfinished_pair_and_names_of_one_height_stand_apart():
    w = frequencies(128, 5e5)
    models = {
        "Llama": (w / llama3(w, 8.0, 8192), 29),
        "Gemma": (torch.full((64,), 4.0), 24),
        "flat": (torch.full((64,), 8.0), 24),
    }
    ax = drawings.models_divided(models).axes[0]
    rings = [line.get_xydata()[0].tolist() for line in ax.lines if line.get_marker() == "o"]
    assert rings == [[35, pytest.approx(8)], [40, 4], [40, 8]]
    places = {text.get_text(): text.get_position()[1] for text in ax.texts}
    assert abs(places["Llama"] - places["flat"]) >= 0.06 - 1e-9 and places["Gemma"] < min(
        places["Llama"], places["flat"]
    )


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


def test_every_setting_of_the_explorer_has_a_picture_and_a_sentence():
    choices = [list(explorer.RULES), [1.0, 64.0], [0.25, 2.0], [2.0, 32.0], [2.0, 1e6], [32, 32_768]]
    _, update = explorer.stretch_explorer("nothing", 4.0, **LLAMA)
    seen = set()
    for values in itertools.product(*choices):
        update(*values)
        words = explorer.stretch_words(*values)
        assert re.search(r"\d", words) and words.endswith(".") and 8 <= len(words.split()) <= 60, words
        assert not re.search(r"nan|inf\b|tensor", words), words
        seen.add(words)
    assert len(seen) > 20
    assert "no pair ever meets a new angle" in explorer.stretch_words("nothing", 4.0, 1.0, 32.0, 2.0, 4096)


def test_the_explorer_is_blitted():
    settings = {"method": "NTK-aware", "s": 4.0, **LLAMA}
    screen = Screen(*explorer.stretch_explorer(**settings))
    first = screen.draw(settings)
    assert screen.draw(settings | {"s": 8.0}) != first
    assert screen.draw(settings) == first
    assert screen.background is not None


def test_loss_curves_are_means_of_eight():
    nothing, parts = torch.arange(40.0), torch.full((40,), 2.0)
    fig = losses.loss_curves({"a": {"nothing": nothing, "NTK-by-parts": parts}, "b": {"nothing": nothing}}, trained=32)
    left, right = fig.axes
    assert [ax.get_title() for ax in fig.axes] == ["a", "b"]
    assert left.lines[0].get_xydata()[0].tolist() == [3.5, 3.5] and len(right.lines) == 2
    assert left.lines[1].get_ydata() == pytest.approx([2.0] * 33)


def test_near_and_all_draws_the_means_of_the_seeds():
    stored = [
        {"method": m, "tuned": k, "loss": 2.0 + seed, "near": 1.0 + seed}
        for m, k in (("none", 0), ("by-parts", 60))
        for seed in (0.0, 0.2)
    ]
    ax = losses.near_and_all(stored, [("none", 0), ("by-parts", 60)]).axes[0]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["nothing", "NTK-by-parts, 60 steps"]
    assert [text.get_text() for text in ax.texts] == ["all 2.10, last 32 1.10"] * 2
    assert [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"] == pytest.approx([2.1, 1.1, 2.1, 1.1])


def test_recall_has_a_row_for_each_cure_and_a_dot_for_each_seed():
    stored = [
        {"method": m, "tuned": k, "length": n, "accuracy": 0.5 + 0.1 * seed}
        for m in ("none", "ntk, tuned")
        for k in (0, 60)
        for n in (16, 64)
        for seed in range(3)
    ]
    stored += [{"method": "pairs 1, 2", "tuned": 0, "length": 64, "accuracy": 1.0}]  # no cure: not drawn
    fig = losses.recall_dots(stored, 64, chance=0.125)
    assert [text.get_text() for text in fig.axes[0].get_yticklabels()] == ["nothing", "NTK-aware, factor 64"]
    for ax in fig.axes:
        assert [len(dots.get_offsets()) for dots in ax.collections] == [3] * 2
        assert [sorted(dots.get_offsets()[:, 0]) for dots in ax.collections] == [pytest.approx([0.5, 0.6, 0.7])] * 2
        assert [list(line.get_xdata()) for line in ax.lines[:2]] == [pytest.approx([0.5, 0.7])] * 2
        assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first cure on top


def test_factors_are_drawn_as_means_with_a_ring_as_written_and_a_dot_where_chosen():
    stored = [
        {"steps": steps, "what": what, "setting": x, "loss": level + x / 10 + steps / 1000}
        for level, what in ((1.0, "linear factor"), (2.0, "ntk factor"), (3.0, "by-parts factor"))
        for x in (4.0, 2.0, 8.0)
        for steps in (400, 800)
    ]
    ax = losses.factors_tried(stored, 4.0, {"linear factor": 2.0, "ntk factor": 8.0, "by-parts factor": 4.0}).axes[0]
    curves, rings, dots = ax.lines[::3], ax.lines[1::3], ax.lines[2::3]
    for level, curve, ring, dot, chosen in zip((1.6, 2.6, 3.6), curves, rings, dots, (2, 8, 4), strict=True):
        assert list(curve.get_xdata()) == [2, 4, 8] and list(curve.get_ydata()) == pytest.approx(
            [level + k for k in (0.2, 0.4, 0.8)]
        )
        assert list(ring.get_xdata()) == [4] and ring.get_markerfacecolor() == "white"
        assert list(dot.get_xdata()) == [chosen] and list(dot.get_ydata()) == pytest.approx([level + chosen / 10])
    assert {text.get_text() for text in ax.texts} >= {"position interpolation", "NTK-aware", "NTK-by-parts"}
