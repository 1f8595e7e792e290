"""RoPE's frequencies and their stretched versions as plain lists of floats, for the tests of two modules."""

import math

import torch
from torch.testing import assert_close


def exact(dim, base):
    return [base ** (-2 * i / dim) for i in range(dim // 2)]


def exact_by_parts(dim, base, factor, original, alpha, beta):
    out = []
    for w in exact(dim, base):
        r = original / (2 * math.pi / w)
        keep = min(max((r - alpha) / (beta - alpha), 0.0), 1.0)
        out.append((1 - keep) * w / factor + keep * w)
    return out


def exact_yarn(dim, base, factor, original, beta_fast=32.0, beta_slow=1.0, truncate=True):
    """YaRN's released ramp, from the inverse of r = L base^(-2i/d) / (2 pi) solved for the pair index i."""
    first, last = (dim * math.log(original / (2 * math.pi * b)) / (2 * math.log(base)) for b in (beta_fast, beta_slow))
    if truncate:
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, dim - 1)
    out = []
    for i, w in enumerate(exact(dim, base)):
        divide = min(max((i - first) / (last - first), 0.0), 1.0)
        out.append((1 - divide) * w + divide * w / factor)
    return out


def assert_frequencies(ours, definition):
    assert ours.dtype is torch.float32
    assert_close(ours.double(), torch.tensor(definition, dtype=torch.float64), atol=0, rtol=2e-6)
