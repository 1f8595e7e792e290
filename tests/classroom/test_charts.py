"""Figures of results show what the rows say, with room for every name."""

from itertools import pairwise

import pytest
import torch

from posenc_helpers.classroom.charts import (
    Look,
    accuracy_against_length,
    dots_by_row,
    labels_at_right,
    lines,
    looks_in_turn,
    matrices,
)
from posenc_helpers.classroom.colours import LABELS, PALETTE
from posenc_helpers.classroom.figures import panels, style
from posenc_helpers.lab.shootout import CONTESTANTS


@pytest.mark.parametrize("at", [-0.5, 0.2, 0.97, 1.3])
def test_names_of_lines_that_end_together_are_spread_within_the_height_of_the_axes(at):
    """In the order of the ends; where there is room, as near as they can be to where they belong."""
    with style():
        (ax,) = panels(8, 3)
        ax.set_ylim(2, 4)
        labels_at_right(
            ax, {name: (2 + 2 * (at + place / 1000), PALETTE[name]) for place, name in enumerate(CONTESTANTS)}, 0.1
        )
    assert [text.get_text() for text in ax.texts] == list(CONTESTANTS)
    heights = [text.get_position()[1] for text in ax.texts]
    assert all(above - below >= 0.1 - 1e-9 for below, above in pairwise(heights))
    assert min(heights) >= -1e-9 and max(heights) <= 1 + 1e-9
    assert heights[-1] - heights[0] == pytest.approx(0.6)
    assert heights[0] == pytest.approx(min(max(at, 0), 0.4))  # 0.6 below the top where they would leave the axes


LOOKS = {"first": Look("C0"), "second": Look("C1", "--", "s", is_open=True)}
SOLVED = {"first": {16: [1.0, 0.9], 64: [0.5, 0.75]}, "second": {16: [0.9], 64: [0.625]}}


def test_accuracy_is_a_line_of_means_with_a_mark_a_seed_and_its_words_say_both_ends():
    fig = accuracy_against_length({"lag": SOLVED, "recall": SOLVED}, 16, 1 / 8, LOOKS)
    for ax in fig.axes:
        means, seeds, *_ = ax.lines
        assert list(means.get_xdata()) == [16, 64] and list(means.get_ydata()) == pytest.approx([0.95, 0.625])
        assert seeds.get_xydata().tolist() == [[16, 1.0], [16, 0.9], [64, 0.5], [64, 0.75]]
        assert {"first", "second", "chance", "trained length"} == {text.get_text() for text in ax.texts}
    assert fig.get_label() == (
        "Accuracy against length, trained at 16, chance 0.12: lag first 0.95 at 16, 0.62 at 64; lag second 0.90 at 16, "
        "0.62 at 64; recall first 0.95 at 16, 0.62 at 64; recall second 0.90 at 16, 0.62 at 64."
    )


def test_bands_of_accuracy_reach_from_the_worst_seed_to_the_best():
    (ax,) = accuracy_against_length({"": SOLVED}, 16, 1 / 8, LOOKS, bands=True).axes
    corners = ax.collections[0].get_paths()[0].vertices
    assert {tuple(corner) for corner in corners} == {(16, 0.9), (16, 1.0), (64, 0.5), (64, 0.75)}


def test_names_of_lines_that_end_together_stand_apart_beside_their_ends():
    curves = {"a": ([0, 1], [0.0, -5.0]), "b": ([0, 1], [0.0, -5.2])}
    fig = lines(curves, ("x", "y"), looks_in_turn(curves, lambda name: "C0"), apart=0.1)
    (ax,) = fig.axes
    heights = {text.get_text(): text.get_position()[1] for text in ax.texts}
    assert heights["a"] - heights["b"] >= 0.1 - 1e-9
    assert ax.lines[0].get_linestyle() != ax.lines[1].get_linestyle()
    assert fig.get_label() == "y against x: a from 0.00 to -5.00; b from 0.00 to -5.20."


def test_dots_stand_in_the_row_of_their_name_and_kinds_beside_one_another():
    found = {"loss": {"rope": {"near": [1.0, 2.0], "far": [3.0]}, "t5": {"near": [4.0], "far": [5.0]}}}
    fig = dots_by_row(found, lambda name, kind: LOOKS["first"], "nats", size=(5, 3), name_of=LABELS.get, apart=0.2)
    (ax,) = fig.axes
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["RoPE", "T5"]
    dots = [[list(map(float, dot)) for dot in line.get_xydata()] for line in ax.lines]
    assert dots == [[[1, -0.1], [2, -0.1]], [[3, 0.1]], [[4, 0.9]], [[5, 1.1]]]
    assert fig.get_label() == "nats: loss RoPE near 1.50; loss RoPE far 3.00; loss T5 near 4.00; loss T5 far 5.00."


def test_matrices_share_a_scale_and_hold_their_numbers_white_on_dark():
    tables = [torch.tensor([[4.0, 0.0], [torch.nan, 1.0]]), torch.zeros(2, 2)]
    fig = matrices(tables, ["a", "b"], "bias", 4.0, numbers=lambda value: f"{value:g}" if value == value else "")
    a, b, _ = fig.axes
    assert [text.get_text() for text in a.texts] == ["4", "0", "1"]
    assert [text.get_color() for text in a.texts] == ["white", "black", "black"]
    assert a.images[0].get_clim() == b.images[0].get_clim() == (-4, 4)
    assert fig.get_label() == "Bias as 2 tables of 2 rows: a, from 0.00 to 4.00; b, from 0.00 to 0.00."
