"""Drawings of notebook 04 that compute something: labels kept apart, and the training explorer."""

import pytest
import torch

from posenc_helpers.classroom.figures import spread_out, style
from posenc_helpers.lessons.learned.pictures import fine_tuning, similarity, slots, training_explorer


def test_labels_keep_their_order_and_their_distance():
    placed = spread_out({"a": 1.0, "b": 0.98, "c": 3.0}, gap=0.1)
    assert placed == pytest.approx({"b": 0.98, "a": 1.08, "c": 3.0})


def test_similarity_is_the_cosine_of_rows():
    rows = torch.tensor([[3.0, 0.0], [0.0, 2.0], [-1.0, 0.0]])
    assert torch.equal(similarity(rows), torch.tensor([[1.0, 0.0, -1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 1.0]]))


def test_slots_hold_the_ids_and_padding_is_grey():
    mask = torch.tensor([[False, True, True], [True, True, True]])
    fig = slots({"one": (torch.tensor([[1, 2, 3], [2, 3, 4]]), mask), "two": (torch.zeros(2, 3), mask)})
    one, two = fig.axes
    assert [text.get_text() for text in one.texts] == ["1", "2", "3", "2", "3", "4"]
    assert [text.get_weight() for text in one.texts] == ["normal"] + 5 * ["bold"]
    assert two.get_title() == "two"


def test_fine_tuning_draws_each_length_in_a_panel_of_its_own():
    curves = {"stretched": {0: [0.2, 0.1], 30: [0.1, 0.0]}, "random rows": {0: [0.5, 0.0], 30: [0.4, 0.1]}}
    left, right = fine_tuning(curves, (48, 32)).axes
    assert [line.get_label() for line in left.lines[:2]] == list(curves)
    assert list(left.lines[0].get_ydata()) == [0.2, 0.1]
    assert list(right.lines[1].get_ydata()) == [0.0, 0.1]


def test_training_explorer_moves_the_same_artists():
    tables = {step: torch.full((20, 8), 0.1 * step + 0.1) for step in (0, 20)}
    with style():
        _, update = training_explorer(tables, [3.0] * 20, pairs=2.3)(step=0)
        first, second = update(step=0), update(step=20)
    assert first == second
    image, _, cursor, number = second
    assert image.get_array().max() == pytest.approx(2.1)
    assert list(cursor.get_xdata()) == [20, 20]
    assert number.get_text().startswith("step 20:")
