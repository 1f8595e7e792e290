"""What a head of ALiBi sees: its slope, its window, its weights."""

import math
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from posenc_helpers.encodings import alibi_slopes


def as_fraction(slope: float) -> str:
    """Return a slope as a reader thinks of it: 1/2 ... 1/256 for powers of two, three digits for others."""
    power = -math.log2(slope)
    return f"1/{2 ** round(power)}" if abs(power - round(power)) < 1e-6 and power > 0.5 else f"{slope:.3f}"


def nearest_keys(weights: Tensor, distances: Tensor, share: float = 0.9) -> int:
    """Return how many of the nearest keys together hold `share` of the weight: weights and distances (L_k,)."""
    held = weights[distances.abs().argsort(stable=True)].double().cumsum(0)  # (L_k,)  from the nearest on
    return int((held < share * held[-1] - 1e-9).sum()) + 1


NOISE = torch.randn(1024, generator=Generator().manual_seed(3))  # what words might add to the scores


class Head(NamedTuple):
    """What one head sees: its number and slope, distances, bias, scores and weights (L,), keys that hold 90 %."""

    head: int
    slope: float
    distance: Tensor
    bias: Tensor
    scores: Tensor
    weights: Tensor
    count: int


def head_at(heads: int, head: int, length: int, content: float, causal: bool) -> Head:
    """Return what head `head` of `heads`, or the last, sees from the last of `length` tokens (both ways: the middle)."""
    head = min(head, heads - 1)
    slope = alibi_slopes(heads)[head].item()
    distance = torch.arange(length) - (length - 1 if causal else length // 2)  # (L,)  key minus query
    bias = -slope * distance.abs()
    scores = bias + content * NOISE[-length:]
    weights = scores.softmax(0)
    return Head(head, slope, distance, bias, scores, weights, nearest_keys(weights, distance))
