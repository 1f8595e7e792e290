"""Losses against position are drawn where the rows say, with room for every name."""

import math
from itertools import pairwise
from statistics import mean

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from posenc_helpers.classroom.colours import LABELS, PALETTE
from posenc_helpers.classroom.figures import style
from posenc_helpers.classroom.loss_charts import loss_against_position
from posenc_helpers.lab.shootout import Row

FAR = {"nope": 2.6, "sinusoidal": 2.95, "learned": 2.95, "rope": 3.3, "t5": 2.2, "t5 x8": 1.6, "alibi": 1.75}


def loss(name: str, seed: int, position: float) -> float:
    return 2.9 - 0.2 * math.log(position + 1) + 0.1 * seed if position < 32 else FAR[name] + 0.1 * seed


def played(seeds=(0,)) -> list[Row]:
    return [Row(name, seed, p, loss(name, seed, p)) for name in FAR for seed in seeds for p in range(512)]


def line_of(fig: Figure, name: str):
    """The line in the colour of a method; there is one."""
    (line,) = [line for line in fig.axes[0].lines if line.get_color() == PALETTE[name]]
    return line


def texts(fig: Figure) -> dict[str, tuple[float, float, float, float]]:
    """Every text of the axes with its place in points of the picture: left, bottom, right, top."""
    with style():
        fig.draw_without_rendering()
        return {text.get_text(): text.get_window_extent().extents for text in fig.axes[0].texts}


def check_labels(fig: Figure) -> None:
    """Every name stands once, right of the axes, a line of text apart from the next, and within the picture."""
    boxes = texts(fig)
    axes, width, height = fig.axes[0].get_window_extent(), *(fig.get_size_inches() * fig.dpi)
    shown = [boxes[LABELS.get(name, name)] for name in FAR]
    for left, bottom, right, top in shown:
        assert axes.x1 < left and right <= width + 1 and bottom >= 0 and top <= height
    middles = sorted((bottom + top) / 2 for _, bottom, _, top in shown)
    tallest = max(top - bottom for _, bottom, _, top in shown)
    assert all(above - below > 0.95 * tallest for below, above in pairwise(middles))


def test_each_encoding_is_drawn_at_its_losses_with_far_positions_averaged():
    fig = loss_against_position(played(seeds=(0, 1)))
    for name in FAR:
        x, y = line_of(fig, name).get_data()
        assert x[:16].tolist() == list(range(1, 17))  # counted from 1, for the log axis
        assert y[:16].tolist() == pytest.approx([mean(loss(name, seed, p) for seed in (0, 1)) for p in range(16)])
        assert x[16] == 17.5 and y[16] == pytest.approx(mean(loss(name, s, p) for s in (0, 1) for p in (16, 17)))
        assert len(x) == 16 + 8 * 5 and y[-1] == pytest.approx(FAR[name] + 0.05)
        assert 448 < x[-1] < 512
    ax = fig.axes[0]
    assert ax.get_xscale() == "log" and ax.get_xlim()[0] <= 1 and ax.get_xlim()[1] == 512
    assert [tick.get_text() for tick in ax.get_xticklabels()] == [str(2**k) for k in range(10)]
    check_labels(fig)


def stored() -> list[dict]:
    kept = [
        {"encoding": name, "seed": seed, "what": "position", "at": at, "loss": loss(name, seed - 1, at)}
        for name in ("rope", "alibi")
        for seed in (1, 2, 0)
        for at in (0.0, 3.0, 40.5, 300.0)
    ]
    return [*kept, {"encoding": "nope", "seed": 0, "what": "break", "at": 60, "loss": None}]


def test_bands_reach_from_the_lowest_to_the_highest_stored_loss_where_there_are_any():
    fig = loss_against_position(played(), stored())
    bands = {tuple(np.round(band.get_facecolor()[0, :3], 3)): band for band in fig.axes[0].collections}
    assert set(bands) == {tuple(np.round(to_rgb(PALETTE[name]), 3)) for name in ("rope", "alibi")}
    for name in ("rope", "alibi"):
        corners = bands[tuple(np.round(to_rgb(PALETTE[name]), 3))].get_paths()[0].vertices
        for at in (0.0, 3.0, 40.5, 300.0):
            there = corners[corners[:, 0] == at + 1, 1]  # from 1, as the lines
            assert (there.min(), there.max()) == pytest.approx((loss(name, -1, at), loss(name, 1, at)))
    assert not loss_against_position(played()).axes[0].collections


def test_where_training_ended_and_what_counting_gives_are_marked():
    fig = loss_against_position(played(), trained=64, yardsticks={1: 2.88, 3: 1.8})
    at = [(line.get_xdata()[0], line.get_ydata()[0]) for line in fig.axes[0].lines if len(line.get_xdata()) == 2]
    assert at == [(0, 2.88), (0, 1.8), (64, 0)]
    boxes = texts(fig)
    assert {"trained on 64", "1-gram", "3-gram"} < set(boxes)
    for order, height in ((1, 2.88), (3, 1.8)):
        left, bottom, right, top = boxes[f"{order}-gram"]
        start, level = fig.axes[0].transData.transform((1, height))
        assert bottom < level < top and fig.axes[0].get_window_extent().x0 <= left < right < start  # left of all lines
