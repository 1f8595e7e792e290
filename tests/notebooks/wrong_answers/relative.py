"""Answers to the exercises of notebook 05, as readers write them, that its table of likely mistakes does not hold.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint); `RIGHT[exercise]` lists (how, answer).
"""

import math

import numpy as np
import torch
from torch import nn

from posenc_helpers.encodings import clipped_index, relative_shift, t5_buckets

# 1. rows(q_positions, k_positions, left, right): q (L_q,), p (L_k,), a = left, b = right


def _minus(q, p):  # key minus query
    return p[None, :] - q[:, None]


def _count(q, start=0):
    return torch.arange(len(q)) + start


def _meshgrid(q, p, a, b):
    m, n = torch.meshgrid(q, p, indexing="ij")
    return torch.maximum(torch.minimum(n - m, torch.tensor(b)), torch.tensor(-a)) + a


# 2. bucket_starts(N, D): e exact buckets


def _up(x):  # to the next whole number, unless noise is all that is above it
    return math.ceil(x - 1e-6)


def _starts(N, D, whole=_up, growth=None, steps=None, first=0):
    e = N // 2
    growth, steps = growth or D / e, steps or N - e
    return [*range(e), *(whole(e * growth ** (j / steps)) for j in range(first, N - e + first))]


def _first_of_each(bucket, N):
    return [int((bucket == b).int().argmax()) for b in range(N)]


def _scanned(N, D):
    e, starts, last = N // 2, [], -1
    for d in range(D + 1):
        bucket = d if d < e else min(N - 1, e + int((N - e) * math.log(d / e) / math.log(D / e)))
        if bucket != last:
            starts.append(d)
            last = bucket
    return starts


def _whole_numbers(N, D):  # d >= e (D/e)^(j/n), without a root: d^n e^j >= e^n D^j
    e = N // 2
    n = N - e
    return [*range(e), *(next(d for d in range(D + 1) if d**n * e**j >= e**n * D**j) for j in range(n))]


def _float32(N, D):
    e = N // 2
    j = torch.arange(N - e, dtype=torch.float32)
    return [*range(e), *(e * torch.tensor(D / e) ** (j / (N - e))).ceil().int().tolist()]


def _ends(N, D):
    return [start - 1 for start in _starts(N, D)[1:]] + [D]


def _geomspace(N, D):
    return np.concatenate([np.arange(N // 2), np.ceil(np.geomspace(N // 2, D, N - N // 2 + 1)[:-1] - 1e-9)])


# 3. skew_both(scores): (H, L, R) with R = 2L - 1


def _decoder(scores):
    H, L, _ = scores.shape
    return nn.functional.pad(scores[..., :L], (1, 0)).reshape(H, L + 1, L)[:, 1:]


def _from(start):
    """Pad on the right, then start reading at number `start(L)`: L - 1 is right."""

    def skew(scores):
        H, L, R = scores.shape
        flat = nn.functional.pad(nn.functional.pad(scores, (0, 1)).flatten(1), (0, 2 * L))
        return flat[:, start(L) :][:, : L * R].reshape(H, L, R)[..., :L]

    return skew


def _padded_left(scores, drop, part):
    H, L, R = scores.shape
    rows = nn.functional.pad(scores, (1, 0)).reshape(H, R + 1, L)
    return (rows[:, 1:] if drop == "first" else rows[:, :-1]).reshape(H, L, R)[part]


def _half_solution(drop="first", part=(...,)):
    return lambda scores: _padded_left(scores, drop, part)


def _heads_mixed(scores):
    H, L, R = scores.shape
    flat = nn.functional.pad(nn.functional.pad(scores, (0, 1)).flatten(), (0, L))
    return flat[L - 1 :][: H * L * R].reshape(H, L, R)[..., :L]


def _diagonal_twice(scores):  # both halves by the decoder's skew, one of them turned round
    return _decoder(scores).tril() + _decoder(scores.flip(1, 2)).tril().flip(1, 2)


def _loop(scores):
    L = scores.shape[1]
    return torch.stack([scores[:, m, L - 1 - m : 2 * L - 1 - m] for m in range(L)], dim=1)


def _index(scores):
    return _minus(_count(scores[0]), _count(scores[0])) + scores.shape[1] - 1


def _gather(scores):
    return scores.gather(-1, _index(scores).expand(len(scores), -1, -1))


def _one_hot(scores):
    chosen = nn.functional.one_hot(_index(scores), scores.shape[-1]).to(scores.dtype)
    return torch.einsum("hmr, mnr -> hmn", scores, chosen)


def _every_window(scores):
    windows = scores.unfold(-1, scores.shape[1], 1).flip(2).contiguous()
    return windows.diagonal(dim1=1, dim2=2).transpose(1, 2)


def _tensor2tensor(scores):
    H, L, R = scores.shape
    flat = nn.functional.pad(nn.functional.pad(scores, (0, 1)).flatten(1), (0, L - 1))
    return flat.reshape(H, L + 1, R)[:, :L, L - 1 :]


def _numpy(scores):
    H, L, R = scores.shape
    padded = np.pad(scores.numpy(), ((0, 0), (0, 0), (1, 0)))
    return padded.reshape(H, R + 1, L)[:, 1:].reshape(H, L, R)[:, :, :L]


def _rows(q, p, a, b):
    return _minus(q, p).clamp(-a, b) + a


def _from_the_first_query(q, p, a, b):  # positions changed in place, though the rows come out right
    p -= q[0]
    return (p[None, :] - (q - q[0])[:, None]).clamp(-a, b) + a


def _memory(scores, first, row):
    """Return the numbers of `scores`, padded left, from number `first` on, in rows of `row` of which L are kept."""
    H, L, _ = scores.shape
    padded = torch.nn.functional.pad(scores, (1, 0)).reshape(H, -1)[:, first:]
    return padded[:, : L * row].reshape(H, L, row)[:, :, :L]


def _skewed(scores):
    return _memory(scores, scores.shape[1], 2 * scores.shape[1] - 1)


WRONG = {
    "rows": [
        (
            "part of the package's wider table",
            lambda q, p, a, b: (clipped_index(_minus(q, p), a + b) - b).clamp(0, a + b),
            "Your code calls clipped_index",
        ),
        ("keys down, queries across", lambda q, p, a, b: _minus(p, q).clamp(-a, b) + a, "It looks transposed"),
        ("the keys forgotten", lambda q, p, a, b: _minus(q, q).clamp(-a, b) + a, "shape (5, 13), but it has (5, 5)"),
        (
            "boundaries off by one",
            lambda q, p, a, b: torch.bucketize(_minus(q, p), torch.arange(-a, b), right=True),
            "This pair has the wrong row",
        ),
        (
            "floats, NumPy",
            lambda q, p, a, b: np.clip(_minus(q, p).numpy(), -float(a), b) + a,
            "rows for 9 queries and 9 keys is of type float64",
        ),
        ("positions changed in place", _from_the_first_query, "changes its input"),
        ("uint8", lambda q, p, a, b: _rows(q, p, a, b).to(torch.uint8), "uint8 read as a mask"),
    ],
    "bucket_starts": [
        ("the example alone", lambda N, D: [0, 1, 2, 3, 4, 6, 8, 12], "shape (32,), but it has (8,)"),
        ("noise lifts an edge, float32", _float32, "does not start at"),
        ("from far to near", lambda N, D: _starts(N, D)[::-1], "one distance each"),
        ("buckets, not starts", lambda N, D: t5_buckets(-torch.arange(N), N, D, bidirectional=False), "does not start"),
        (
            "from and to",
            lambda N, D: list(zip(_starts(N, D), _ends(N, D), strict=True)),
            "shape (8,), but it has (8, 2)",
        ),
        ("a dict", lambda N, D: dict(enumerate(_starts(N, D))), "of type dict"),
    ],
    "skew": [
        ("the last L columns of the right reading", _half_solution(part=(..., slice(-5, None))), "L = 5"),
        ("heads run into one another", _heads_mixed, "it got the 0 of a pad"),
        ("diagonal twice", _diagonal_twice, "it got no score at all"),
        ("all 2L - 1 columns kept", _half_solution(), "shape (3, 5, 5), but it has (3, 5, 9)"),
        ("row by row", _loop, "Right, but row by row"),
        ("gather", _gather, "Right, but by look-up (gather)"),
        ("one-hot", _one_hot, "Right, but it builds a tensor"),
        ("every window, then the diagonal", _every_window, "Right, but it builds a tensor"),
        ("whole numbers", lambda scores: _skewed(scores).long(), "fractions are cut off"),
    ],
}

RIGHT = {
    "rows": [
        ("loops, Python's numbers", lambda q, p, a, b: [[max(-a, min(b, int(n) - int(m))) + a for n in p] for m in q]),
        (
            "NumPy, the outer difference transposed",
            lambda q, p, a, b: np.clip(np.subtract.outer(p.numpy(), q.numpy()).T, -a, b) + a,
        ),
        ("left added first, clipped to 0 ... left + right", lambda q, p, a, b: (_minus(q, p) + a).clamp(0, a + b)),
        ("left + right less the mirrored row", lambda q, p, a, b: a + b - (q[:, None] - p + b).clamp(0, a + b)),
        ("minimum and maximum on a grid", _meshgrid),
        ("boundaries", lambda q, p, a, b: torch.bucketize(_minus(q, p), torch.arange(1 - a, b + 1), right=True)),
        ("int32", lambda q, p, a, b: (_minus(q, p).clamp(-a, b) + a).int()),
        ("a list of rows", lambda q, p, a, b: [(p - m).clamp(-a, b) + a for m in q]),
    ],
    "bucket_starts": [
        ("the formula, distance by distance", _scanned),
        ("whole numbers alone", _whole_numbers),
        ("the package", lambda N, D: _first_of_each(t5_buckets(-torch.arange(D + 1), N, D, bidirectional=False), N)),
        ("NumPy, geometric steps, floats", _geomspace),
        ("a tuple", lambda N, D: tuple(_starts(N, D))),
        ("floats", lambda N, D: [float(start) for start in _starts(N, D)]),
        ("a list of tensors", lambda N, D: list(torch.tensor(_starts(N, D)))),
    ],
    "skew": [
        ("padded right, read from L - 1", _from(lambda L: L - 1)),
        ("Tensor2Tensor's", _tensor2tensor),
        ("NumPy", _numpy),
        ("the package", lambda scores: relative_shift(scores, scores.shape[1])),
        ("one long row, cut anew", _skewed),
    ],
}
