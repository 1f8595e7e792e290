"""The six models that exercise 3 of notebook 01 sorts by who is aware of order."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import conv1d

from posenc_helpers.classroom.exercises.questions import drawn
from posenc_helpers.transformer import attend, causal_mask

Model = Callable[[Tensor], Tensor]
WIDTH = 6


def models(seed: int = 0) -> dict[str, Model]:
    """Return six small models with random weights, each from x (B, L, 6) to outputs (B, L, 6), any dtype.

    mean pool          every token gets the mean of all tokens
    convolution        every token sees itself and its two neighbours
    RNN                every token sees itself and a summary of those before it
    attention          one layer, every token sees all
    causal attention, causal attention x 2     one and two layers, every token sees itself and those before it
    """
    generator = drawn(seed)

    def weight(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64) * (2 / shape[-1]) ** 0.5

    kernel = weight(WIDTH, WIDTH, 3)
    recurrent, entry = weight(WIDTH, WIDTH), weight(WIDTH, WIDTH)
    layers = [[weight(WIDTH, WIDTH) for _ in range(3)] for _ in range(2)]

    def mean_pool(x: Tensor) -> Tensor:
        return x.mean(dim=1, keepdim=True).expand_as(x)

    def convolution(x: Tensor) -> Tensor:
        return conv1d(x.transpose(1, 2), kernel.to(x.dtype), padding=1).transpose(1, 2).relu()

    def rnn(x: Tensor) -> Tensor:
        states = [torch.zeros_like(x[:, 0])]
        for token in x.unbind(dim=1):
            states.append((states[-1] @ recurrent.to(x.dtype) + token @ entry.to(x.dtype)).tanh())
        return torch.stack(states[1:], dim=1)

    def attention(depth: int, causal: bool) -> Model:
        def run(x: Tensor) -> Tensor:
            length = x.shape[1]
            places, mask = torch.arange(length), causal_mask(length, length) if causal else None
            for layer in layers[:depth]:
                q, k, v = (x[:, None] @ matrix.to(x.dtype) for matrix in layer)  # (B, 1, L, d) each
                x = attend(q, k, v, places, places, mask=mask)[:, 0]
            return x

        return run

    return {
        "mean pool": mean_pool,
        "convolution": convolution,
        "RNN": rnn,
        "attention": attention(1, causal=False),
        "causal attention": attention(1, causal=True),
        "causal attention x 2": attention(2, causal=True),
    }
