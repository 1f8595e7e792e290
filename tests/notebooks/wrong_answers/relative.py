"""Answers to the exercises of notebook 05, as readers write them, that its table of likely mistakes does not hold.

`WRONG[exercise]` lists (what is wrong, answer, part of a hint that no row gives); `RIGHT[exercise]` lists (how, answer).
"""

import math

import numpy as np
import torch
from torch import nn

from posenc_helpers.encodings import clipped_index

# 1. rows(q_positions, k_positions, left, right): q (L_q,), p (L_k,), a = left, b = right


def _minus(q, p):  # key minus query
    return p[None, :] - q[:, None]


# 2. bucket_starts(N, D): e exact buckets


def _scanned(N, D):
    e, starts, last = N // 2, [], -1
    for d in range(D + 1):
        bucket = d if d < e else min(N - 1, e + int((N - e) * math.log(d / e) / math.log(D / e)))
        if bucket != last:
            starts.append(d)
            last = bucket
    return starts


def _float32(N, D):
    e = N // 2
    j = torch.arange(N - e, dtype=torch.float32)
    return [*range(e), *(e * torch.tensor(D / e) ** (j / (N - e))).ceil().int().tolist()]


def _geomspace(N, D):
    return np.concatenate([np.arange(N // 2), np.ceil(np.geomspace(N // 2, D, N - N // 2 + 1)[:-1] - 1e-9)])


# 3. skew_both(scores): (H, L, R) with R = 2L - 1


def _decoder(scores):
    H, L, _ = scores.shape
    return nn.functional.pad(scores[..., :L], (1, 0)).reshape(H, L + 1, L)[:, 1:]


def _last_columns(scores):
    H, L, R = scores.shape
    return nn.functional.pad(scores, (1, 0)).reshape(H, R + 1, L)[:, 1:].reshape(H, L, R)[..., -L:]


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
    place = torch.arange(scores.shape[1])
    return _minus(place, place) + scores.shape[1] - 1


def _gather(scores):
    return scores.gather(-1, _index(scores).expand(len(scores), -1, -1))


def _one_hot(scores):
    chosen = nn.functional.one_hot(_index(scores), scores.shape[-1]).to(scores.dtype)
    return torch.einsum("hmr, mnr -> hmn", scores, chosen)


def _tensor2tensor(scores):
    H, L, R = scores.shape
    flat = nn.functional.pad(nn.functional.pad(scores, (0, 1)).flatten(1), (0, L - 1))
    return flat.reshape(H, L + 1, R)[:, :L, L - 1 :]


WRONG = {
    "rows": [
        (
            "part of the package's wider table",
            lambda q, p, a, b: (clipped_index(_minus(q, p), a + b) - b).clamp(0, a + b),
            "Your code calls clipped_index",
        ),
        (
            "boundaries off by one",
            lambda q, p, a, b: torch.bucketize(_minus(q, p), torch.arange(-a, b), right=True),
            "This pair has the wrong row",
        ),
    ],
    "bucket_starts": [
        ("noise lifts an edge, float32", _float32, "does not start at"),
        ("from far to near", lambda N, D: _scanned(N, D)[::-1], "one distance each"),
    ],
    "skew": [
        ("the last L columns of the right reading", _last_columns, "L = 5"),
        ("heads run into one another", _heads_mixed, "it got the 0 of a pad"),
        ("diagonal twice", _diagonal_twice, "it got no score at all"),
        ("row by row", _loop, "Right, but row by row"),
        ("gather", _gather, "Right, but by look-up (gather)"),
        ("one-hot", _one_hot, "Right, but it builds a tensor"),
    ],
}

RIGHT = {
    "rows": [("boundaries", lambda q, p, a, b: torch.bucketize(_minus(q, p), torch.arange(1 - a, b + 1), right=True))],
    "bucket_starts": [("the formula, distance by distance", _scanned), ("NumPy, geometric steps, floats", _geomspace)],
    "skew": [("Tensor2Tensor's", _tensor2tensor)],
}
