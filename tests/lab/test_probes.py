"""What a probe of places reads: known maps, and the vectors of a model as the model itself makes them."""

import pytest
import torch
from torch import Generator

from posenc_helpers.encodings import SinusoidalEncoding
from posenc_helpers.lab.probes import explained, hidden_states, linear_probe, read_places, softmax_probe, word_and_code
from posenc_helpers.lab.training import seeded
from posenc_helpers.transformer import TinyTransformer


def model() -> TinyTransformer:
    with seeded(0):
        return TinyTransformer(7, width=16, heads=2, layers=2, causal=False, encoding=SinusoidalEncoding(16), outputs=3)


def test_hidden_states_are_those_of_the_model():
    tokens = torch.randint(0, 7, (3, 5), generator=Generator().manual_seed(0))
    states = hidden_states(model(), tokens)
    assert [tuple(state.shape) for state in states] == [(3, 5, 16)] * 3
    logits = model().head(model().norm(states[-1]))
    assert torch.allclose(logits, model()(tokens), atol=1e-6)


def test_without_residual_paths_the_input_does_not_go_on():
    silent = model()
    for block in silent.blocks:
        torch.nn.init.zeros_(block.feed_forward[-1].weight)
        torch.nn.init.zeros_(block.feed_forward[-1].bias)
    tokens = torch.randint(0, 7, (3, 5), generator=Generator().manual_seed(0))
    assert hidden_states(silent, tokens)[-1].any()


def test_a_place_that_stands_in_a_column_is_read_exactly():
    states = torch.randn(6, 4, 5, generator=Generator().manual_seed(0))
    states[..., 2] = 3.0 * torch.arange(4.0) - 7.0
    said = read_places(states)
    assert said.shape == (3, 4)
    assert torch.allclose(said, torch.arange(4.0, dtype=said.dtype).expand(3, 4), atol=1e-9)
    assert explained(said) == pytest.approx(1)


def test_nothing_is_read_from_vectors_without_a_place():
    states = torch.randn(400, 8, 4, generator=Generator().manual_seed(0))
    assert abs(explained(read_places(states))) < 0.05
    assert explained(torch.full((5, 9), 4.0)) == pytest.approx(0), "nor by the mean place"


def test_the_texts_that_are_asked_about_were_not_fitted():
    """With as many columns as vectors, the fit is exact on its own half and worthless on the other."""
    states = torch.randn(8, 4, 16, generator=Generator().manual_seed(0))
    assert explained(read_places(states)) < 0.2


def test_a_softmax_fit_finds_places_that_least_squares_misses():
    """Both are fitted to the same half; of shuffled places neither finds more than chance (1 in 24) allows."""
    embeddings, code, words, places = word_and_code(60)
    sums = 0.05 * embeddings[words] + code[places]  # (1440, 64)
    assert linear_probe(sums, places) < 0.8 and softmax_probe(sums, places) > 0.9
    shuffled = places[torch.randperm(len(places), generator=Generator().manual_seed(1))]
    assert softmax_probe(sums, shuffled) < 0.15
