"""The pictures of notebook 06: where the hands stand, the score, which pairs finish a circle, how layouts join columns."""

from types import SimpleNamespace

import pytest
import torch
from matplotlib.patches import Arc, Rectangle

from posenc_helpers.encodings import apply_rope, frequencies, layout_permutation
from posenc_helpers.lessons.rope import layouts
from posenc_helpers.lessons.rope import pictures as drawings


def test_quarter_turns_are_turns_and_their_titles_the_scores():
    figure = drawings.quarter_turns((1, 0), (2, 1), [(1, 3), (2, 4), (1, 4), (4, 1)])
    assert [ax.get_title().split("= ")[-1] for ax in figure.axes] == ["-2", "-2", "1", "-1"]
    tips = [words.xy for words in figure.axes[0].texts if hasattr(words, "arrow_patch")]
    assert tips == [(0, 1), (1, -2)]  # q after one quarter turn, k after three


def hands(content, m=30, n=27, move_both=0):
    """Return the curve of the still, its dot and where the hands of each face point."""
    figure = drawings.hands_still(m, n, move_both, 8, 64, 10000.0, content)
    *faces, below = figure.axes
    curve, _, dot = (line.get_xydata() for line in below.lines)
    tips = [[line.get_xydata()[1] for line in face.lines] for face in faces]  # q before, q after, k before, k after
    return curve, dot[0], tips


@pytest.mark.parametrize("content", drawings.CONTENTS)
def test_the_dot_lies_on_the_curve_and_moving_both_leaves_them(content):
    curve, dot, tips = hands(content)
    assert dict(curve)[dot[0]] == pytest.approx(dot[1])
    moved_curve, moved_dot, moved_tips = hands(content, move_both=1000)
    assert moved_curve == pytest.approx(curve)
    assert moved_dot == pytest.approx(dot)
    assert abs(moved_tips[0][1] - tips[0][1]).max() > 0.1


def test_the_curve_is_the_score_of_the_package():
    curve, _, _ = hands("k made for 20 back")
    q = torch.polar(torch.ones(32, dtype=torch.float64), drawings.contents("q = k", frequencies(64).double())[0])
    q = torch.view_as_real(q).flatten()[None]  # (1, 64)
    k = apply_rope(q, torch.tensor([20.0], dtype=torch.float64))
    for offset, height in curve[::16]:
        turned = apply_rope(k, torch.tensor([offset], dtype=torch.float64))
        assert (q * turned).sum() / 32 == pytest.approx(height, abs=1e-6)
    assert curve[curve[:, 1].argmax(), 0] == -20


def test_the_context_explorer_draws_every_setting():
    model = SimpleNamespace(base=10000.0, rotary_width=128, original_context=None, trained_context=4096)
    figure, update = drawings.context_explorer(10000.0, 4096, 128, [model])
    words = figure.axes[0].texts[0]
    ring, mark = figure.axes[1].lines[-1], figure.axes[1].lines[0]
    assert ring.get_xydata() == pytest.approx(mark.get_xydata())  # the setting is this model's
    for (base, length, width), unfinished in {
        (10000.0, 4096, 128): 18,
        (10000.0, 32768, 128): 4,
        (1e6, 32768, 128): 24,
        (500.0, 4096, 128): 0,
        (10000.0, 16, 16): 7,
    }.items():
        update(base, length, width)
        assert words.get_text().startswith(f"{unfinished} of {width // 2} pairs")
        x, y = ring.get_xydata()[0]
        assert (y > x) == (unfinished > 0)  # below the line every pair finishes


# Layouts


def boxes(figure):
    """Return {height: colours of the boxes from left to right}."""
    (ax,) = figure.axes
    found = {}
    for box in (patch for patch in ax.patches if isinstance(patch, Rectangle)):
        found.setdefault(round(box.get_y(), 3), {})[box.get_x()] = box.get_facecolor()
    return {y: [row[x] for x in sorted(row)] for y, row in found.items()}


def test_arcs_join_one_colour_in_both_layouts_and_two_in_the_mixed_version():
    figure = layouts.layouts()
    rows = sorted(boxes(figure).items(), reverse=True)  # interleaved, half, mixed
    arcs = [patch for patch in figure.axes[0].patches if isinstance(patch, Arc)]
    assert len(arcs) == 12
    alike = []
    for number, (_, colours) in enumerate(rows):
        joined = arcs[4 * number :][:4]
        ends = [(round(arc.center[0] - arc.width / 2), round(arc.center[0] + arc.width / 2)) for arc in joined]
        alike.append([colours[left] == colours[right] for left, right in ends])
    assert alike == [[True] * 4, [True] * 4, [False] * 4]


def test_rows_go_where_the_package_puts_them():
    figure = layouts.reordered_rows()
    above, below = (colours for _, colours in sorted(boxes(figure).items(), reverse=True))
    order = layout_permutation(8, to="half").tolist()
    assert below == [above[row] for row in order]
    numbers = [text.get_text() for text in figure.axes[0].texts if text.get_text().isdigit()]
    assert numbers[1::2] == [str(row) for row in order]
