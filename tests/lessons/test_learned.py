"""Drawings of notebook 04 that compute something."""

import torch

from posenc_helpers.lessons.learned.pictures import similarity


def test_similarity_is_the_cosine_of_rows():
    rows = torch.tensor([[3.0, 0.0], [0.0, 2.0], [-1.0, 0.0]])
    assert torch.equal(similarity(rows), torch.tensor([[1.0, 0.0, -1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 1.0]]))
