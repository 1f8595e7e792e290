"""RoPE's rotation, its frequencies and their stretched versions in plain float64, for the tests of several modules."""

import math

import torch
from torch.testing import assert_close

from posenc_helpers.encodings import rope_config

EPS = torch.finfo(torch.float32).eps


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


def rotated(x, positions, layout, base=10000.0, rotary_dim=None):
    """Multiply every vector by the block-diagonal rotation matrix of its position, in float64, one by one."""
    width = rotary_dim or x.shape[-1]
    out = x.double().clone()
    places = positions.expand(x.shape[0], -1) if x.ndim > 2 else positions[None]
    for batch, row in enumerate(places.tolist()):
        for index, p in enumerate(row):
            matrix = torch.eye(x.shape[-1], dtype=torch.float64)
            for i in range(width // 2):
                angle = p * base ** (-2 * i / width)
                a, b = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + width // 2)
                matrix[a, a] = matrix[b, b] = math.cos(angle)
                matrix[a, b], matrix[b, a] = -math.sin(angle), math.sin(angle)
            vectors = out[batch, ..., index, :] if x.ndim > 2 else out[index]
            vectors.copy_(vectors @ matrix.T)
    return out


def assert_turned(ours, theirs, positions, x):
    """Compare within what a float32 angle allows: three roundings of a number as large as the position."""
    slack = (3 * EPS * positions.double().abs() + 4 * EPS) * x.double().abs().max()
    slack = slack[:, None, :, None] if positions.ndim == 2 else slack[:, None]
    assert ((ours.double() - theirs.double()).abs() <= slack).all()


def rope_part(config, layer=None):
    """Return what the file says of how a layer turns, under the new names of the keys; None where nothing turns."""
    config, row, _ = rope_config._family(config)
    return rope_config._read(config, row, layer)[0]
