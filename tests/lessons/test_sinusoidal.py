"""The pictures of notebook 03 show what they say: hands where they stand, the slice of a turn, what a probe says."""

import pytest
import torch
from matplotlib.patches import Wedge

from posenc_helpers.lessons.sinusoidal import pictures as drawings


def tips(ax):
    return [tuple(round(float(values[-1]), 6) for values in hand.get_data()) for hand in ax.lines]


def test_hands_turn_clockwise_from_the_top():
    fig = drawings.clocks([("noon", 0.0), ("three", 0.25), ("half past", 1.5)])
    assert [ax.get_title() for ax in fig.axes] == ["noon", "three", "half past"]
    assert [tips(ax) for ax in fig.axes] == [[(0, 1)], [(1, 0)], [(0, -1)]]


@pytest.mark.parametrize("start", [0.0, 0.3, 7.9])
def test_the_slice_reaches_from_the_hand_before_to_the_hand_now(start):
    (ax,) = drawings.clocks([("a quarter later", start + 0.25)], before=[start]).axes
    (slice_,) = [patch for patch in ax.patches if isinstance(patch, Wedge)]
    assert slice_.theta2 - slice_.theta1 == pytest.approx(90)
    at = torch.deg2rad(torch.tensor([slice_.theta2, slice_.theta1]))
    ends = torch.stack([at.cos(), at.sin()], dim=-1)
    assert torch.allclose(ends, torch.tensor(tips(ax)), atol=1e-4)


def test_each_panel_shows_every_place_that_was_said():
    said = {"right": torch.arange(6.0).expand(4, 6), "blind": torch.full((4, 6), 2.5)}
    fig = drawings.said_places(said)
    assert [ax.get_title() for ax in fig.axes] == ["right\nR² = 1.00", "blind\nR² = 0.00"]
    for ax, places in zip(fig.axes, said.values(), strict=True):
        (dots,) = ax.collections
        offsets = torch.as_tensor(dots.get_offsets().data)
        assert torch.equal(offsets[:, 0], torch.arange(6.0).repeat(4).double())
        assert torch.equal(offsets[:, 1], places.flatten().double())
