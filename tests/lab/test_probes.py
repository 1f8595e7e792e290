"""What a probe of places reads: known maps, and the vectors of a model as the model itself makes them."""

import pytest
import torch
from torch import Generator

from posenc_helpers.lab.probes import explained, linear_probe, softmax_probe, word_and_code


def test_places_are_explained_wholly_by_themselves_and_not_at_all_by_one_place():
    assert explained(torch.arange(4.0).expand(3, 4)) == pytest.approx(1)
    assert explained(torch.full((5, 9), 4.0)) == pytest.approx(0), "nor by the mean place"


def test_a_softmax_fit_finds_places_that_least_squares_misses():
    """Both are fitted to the same half; of shuffled places neither finds more than chance (1 in 24) allows."""
    embeddings, code, words, places = word_and_code(60)
    sums = 0.05 * embeddings[words] + code[places]  # (1440, 64)
    assert linear_probe(sums, places) < 0.8 and softmax_probe(sums, places) > 0.9
    shuffled = places[torch.randperm(len(places), generator=Generator().manual_seed(1))]
    assert softmax_probe(sums, shuffled) < 0.15
