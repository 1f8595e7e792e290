"""Drawings of notebook 02 that compute something: means, lines to compare with, and the explorer of drowned words."""

import pytest

from posenc_helpers.classroom.drawings.naive_encodings import drowning_explorer, learned_from, yes_against_gap
from posenc_helpers.classroom.figures import style


def test_order_alone_is_drawn_where_distance_is_asked():
    found = {"index": {"order": [1.0], "order beyond": [0.9], "distance": [1.0], "beyond": [0.7]}}
    order, distance = learned_from(found, order_alone=0.76).axes
    assert [line.get_xdata()[0] for line in order.lines] == [0.5]
    assert [line.get_xdata()[0] for line in distance.lines] == [0.5, 0.76]


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
