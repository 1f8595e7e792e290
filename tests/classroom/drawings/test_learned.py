"""Drawings of notebook 04 that compute something: labels kept apart, and the training explorer."""

import pytest
import torch

from posenc_helpers.classroom.drawings.learned import similarity, training_explorer
from posenc_helpers.classroom.figures import spread_out, style


def test_labels_keep_their_order_and_their_distance():
    placed = spread_out({"a": 1.0, "b": 0.98, "c": 3.0}, gap=0.1)
    assert placed == pytest.approx({"b": 0.98, "a": 1.08, "c": 3.0})


def test_similarity_is_the_cosine_of_rows():
    rows = torch.tensor([[3.0, 0.0], [0.0, 2.0], [-1.0, 0.0]])
    assert torch.equal(similarity(rows), torch.tensor([[1.0, 0.0, -1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 1.0]]))


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
