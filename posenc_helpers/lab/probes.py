"""What a linear map can read from vectors: in the sum of word and code (notebook 02), after layers (notebook 03)."""

import torch
from torch import Generator, Tensor

from posenc_helpers.encodings import sinusoidal


def word_and_code(vocabulary: int = 30, length: int = 24, width: int = 64) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return embeddings (V, d) of standard deviation 1, sinusoidal codes (L, d), words and places (V L,) of all pairs."""
    embeddings = torch.randn(vocabulary, width, generator=Generator().manual_seed(0))
    words, places = torch.cartesian_prod(torch.arange(vocabulary), torch.arange(length)).T  # (V L,) each
    return embeddings, sinusoidal(torch.arange(length), width), words, places


def linear_probe(inputs: Tensor, labels: Tensor) -> float:
    """Return the share of `labels` (N,) found by a linear map of `inputs` (N, d): fitted on one half, asked on the other.

    The fit is least squares on one-hot targets, with a bias.
    """
    known, new, inputs = _halves(labels, inputs.double())
    targets = torch.nn.functional.one_hot(labels).double()  # (N, classes)
    weights = torch.linalg.lstsq(inputs[known], targets[known]).solution  # (d + 1, classes)
    return ((inputs[new] @ weights).argmax(-1) == labels[new]).double().mean().item()


def _halves(labels: Tensor, inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the places of one half of the labels (N,), of the other, and inputs (N, d + 1) with a column for the bias."""
    known, new = torch.randperm(len(labels), generator=Generator().manual_seed(0)).chunk(2)
    return known, new, torch.cat([inputs, torch.ones(len(inputs), 1, dtype=inputs.dtype)], dim=-1)


def softmax_probe(inputs: Tensor, labels: Tensor) -> float:
    """Return what `linear_probe` does, of a linear map fitted to the same half by softmax and cross-entropy."""
    known, new, inputs = _halves(labels, inputs)
    weights = torch.zeros(inputs.shape[1], int(labels.max()) + 1, requires_grad=True)  # (d + 1, classes)
    optimizer = torch.optim.LBFGS([weights], max_iter=100, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimizer.zero_grad()
        value = torch.nn.functional.cross_entropy(inputs[known] @ weights, labels[known])
        value.backward()
        return value

    optimizer.step(loss)
    with torch.no_grad():
        return (labels[new] == (inputs[new] @ weights).argmax(-1)).double().mean().item()


def explained(said: Tensor) -> float:
    """Return R² of places said (B, L): 1 where each is the true one, 0 where it is no better than their mean."""
    places = torch.arange(said.shape[1], dtype=said.dtype).expand_as(said)  # (B, L)
    return (1 - (said - places).var() / places.var()).item()
