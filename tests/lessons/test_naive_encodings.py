"""Drawings of notebook 02 that compute something: means, lines to compare with, and the explorer of drowned words."""

import pytest
import torch

from posenc_helpers.classroom.explorers import Screen
from posenc_helpers.classroom.figures import style
from posenc_helpers.lessons.naive_encodings.pictures import (
    against_neighbours,
    bits_that_flip,
    codes_explorer,
    drowning_explorer,
    learned_from,
    squeezed,
    two_bugs,
    yes_against_gap,
)


def test_a_position_moves_as_the_text_grows():
    (ax,) = squeezed((4, 16), marked=3).axes
    assert [len(dots.get_offsets()) for dots in ax.collections] == [4, 1, 16, 1]
    assert [float(dots.get_offsets()[0][0]) for dots in ax.collections[1::2]] == pytest.approx([1.0, 0.2])


def test_a_panel_each_with_distances_from_two_on():
    fig = against_neighbours({"a": [1.2, 0.8, 1.5], "b": [2.0, 2.0, 2.0]})
    assert [ax.get_title() for ax in fig.axes] == ["a", "b"]
    assert list(fig.axes[0].lines[0].get_xdata()) == [2, 3, 4]
    assert list(fig.axes[0].lines[0].get_ydata()) == [1.2, 0.8, 1.5]


def test_a_bar_for_each_step_and_for_each_pair():
    differing = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1], [1, 2, 0, 1], [2, 1, 1, 0]])
    left, right = bits_that_flip(differing, pairs=((1, 2), (0, 2))).axes
    assert [bar.get_height() for bar in left.patches] == [1, 2, 1, 2]  # the step from 1 to 2 again, in black
    assert [bar.get_height() for bar in right.patches] == [2, 1]
    assert [text.get_text() for text in right.texts] == ["2", "1"]


def test_both_bugs_are_drawn_as_they_come_out():
    left, right = two_bugs(
        torch.tensor([0, 0.5, 1]), torch.tensor([0, 0.25, 0.5]), torch.tensor([256.0, 256.0]), 256
    ).axes
    assert [list(line.get_ydata()) for line in left.lines] == [[0, 0.5, 1], [0, 0.25, 0.5]]
    assert list(right.lines[0].get_xdata()) == [256, 257] and list(right.lines[0].get_ydata()) == [256, 256]


CODE = {"encoding": "index", "length": 40, "width": 16, "position": 17}


def test_codes_explorer_draws_norms_in_embeddings_and_distances_as_shares():
    with style():
        _, update = codes_explorer("binary", 64, 64, 31)
        image, row, norms, distances, here, zero = update(**CODE)
    assert image.get_array().shape == (40, 16) and list(row.get_ydata()) == [17, 17]
    assert list(norms.get_ydata()) == pytest.approx(range(40))
    assert distances.get_ydata()[[17, 39]].tolist() == [0, 1]
    assert here.get_ydata().tolist() == [17] and zero.get_ydata().tolist() == [0]


def test_codes_explorer_may_redraw_its_moving_parts_alone():
    """A picture that was moved is the one that is drawn afresh there."""
    with style():
        moved, fresh = (Screen(*codes_explorer(**values)) for values in (CODE | {"encoding": "random"}, CODE))
        moved.draw(CODE | {"encoding": "random"})
        assert moved.draw(CODE) == fresh.draw(CODE)


def test_order_alone_is_drawn_where_distance_is_asked():
    found = {"index": {"order": [1.0], "order beyond": [0.9], "distance": [1.0], "beyond": [0.7]}}
    order, distance = learned_from(found, order_alone=0.76).axes
    upright = [
        [line.get_xdata()[0] for line in ax.lines if list(line.get_ydata()) == [0, 1]] for ax in (order, distance)
    ]
    assert upright == [[0.5], [0.5, 0.76]]


def test_yes_against_gap_has_a_dot_a_seed_and_a_line_of_means():
    fig = yes_against_gap({"a": ("index", {1: [0.0, 0.2], 3: [1.0, 0.5]}), "b": ("binary", {1: [0.0], 3: [0.1]})})
    first = fig.axes[0]
    assert first.get_title() == "a"
    assert sum(len(dots.get_offsets()) for dots in first.collections) == 4
    asked, means = first.lines
    assert list(asked.get_xdata()) == [3, 3]
    assert list(means.get_xdata()) == [1, 3] and list(means.get_ydata()) == pytest.approx([0.1, 0.75])


def test_drowning_explorer_takes_the_room_from_the_place():
    with style():
        _, update = drowning_explorer(embedding_size=0.05, vocabulary=30)
        roomy = [number.get_text() for number in update(embedding_size=0.05, vocabulary=30)[-3:]]
        full = [number.get_text() for number in update(embedding_size=0.05, vocabulary=60)[-3:]]
    assert roomy[1:] == ["1.00", "1.00"]
    assert full[1] == "1.00" and float(full[2]) < 0.8
