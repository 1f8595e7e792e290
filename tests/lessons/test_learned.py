"""Drawings of notebook 04 that compute something: labels kept apart, and the training explorer."""

import pytest
import torch

from posenc_helpers.classroom.figures import spread_out
from posenc_helpers.lessons.learned.pictures import similarity


def test_labels_keep_their_order_and_their_distance():
    placed = spread_out({"a": 1.0, "b": 0.98, "c": 3.0}, gap=0.1)
    assert placed == pytest.approx({"b": 0.98, "a": 1.08, "c": 3.0})


def test_similarity_is_the_cosine_of_rows():
    rows = torch.tensor([[3.0, 0.0], [0.0, 2.0], [-1.0, 0.0]])
    assert torch.equal(similarity(rows), torch.tensor([[1.0, 0.0, -1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 1.0]]))
