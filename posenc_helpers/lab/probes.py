"""What a linear map can read from vectors: notebook 02 asks whether word and place survive in their sum."""

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
    order = torch.randperm(len(labels), generator=Generator().manual_seed(0))
    known, new = order.chunk(2)
    inputs = torch.cat(
        [inputs, torch.ones(len(inputs), 1)], dim=-1
    ).double()  # (N, d + 1)  a constant column for the bias
    targets = torch.nn.functional.one_hot(labels).double()  # (N, classes)
    weights = torch.linalg.lstsq(inputs[known], targets[known]).solution  # (d + 1, classes)
    return ((inputs[new] @ weights).argmax(-1) == labels[new]).double().mean().item()
