"""Answers to the exercises of notebook 05, as readers write them: wrong ones with the hint they deserve, and right ones
that look unlike the folded solution.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint that names it); `RIGHT[exercise]` lists (how, answer).
"""

import bisect
import math

import numpy as np
import torch
from torch import nn

from posenc_helpers.encodings import clipped_index, relative_positions, relative_shift, t5_buckets

# 1. rows(q_positions, k_positions, left, right): q (L_q,), p (L_k,), a = left, b = right


def _minus(q, p):  # key minus query
    return p[None, :] - q[:, None]


def _count(q, start=0):
    return torch.arange(len(q)) + start


def _clip_positions(q, p, a, b):
    return _minus(q.clamp(max=b), p.clamp(max=b)) + a


def _prints(q, p, a, b):
    print(_minus(q, p).clamp(-a, b) + a)


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


def _searched(N, D):
    bucket = lambda d: int(t5_buckets(torch.tensor(-d), N, D, bidirectional=False))  # noqa: E731
    return [bisect.bisect_left(range(D + 1), b, key=bucket) for b in range(N)]


def _unique(N, D):
    return np.unique(t5_buckets(-torch.arange(2 * D), N, D, bidirectional=False).numpy(), return_index=True)[1]


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


def _pad_right_drop_first(scores):
    H, L, R = scores.shape
    return nn.functional.pad(scores, (0, 1)).reshape(H, R + 1, L)[:, 1:].reshape(H, L, R)[..., :L]


def _slides_right(scores):
    H, L, R = scores.shape
    return nn.functional.pad(scores.flatten(1), (0, L)).reshape(H, L, R + 1)[..., :L]


def _first_rows(scores):
    H, L, R = scores.shape
    return nn.functional.pad(scores, (1, 0)).reshape(H, R + 1, L)[:, 1 : L + 1]


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


def _fancy(scores):
    return scores[:, torch.arange(scores.shape[1])[:, None], _index(scores)]


def _masked(scores):
    H, L, R = scores.shape
    key = torch.arange(R) + torch.arange(L)[:, None] - (L - 1)
    return scores.masked_select((key >= 0) & (key < L)).view(H, L, L)


def _one_hot(scores):
    chosen = nn.functional.one_hot(_index(scores), scores.shape[-1]).to(scores.dtype)
    return torch.einsum("hmr, mnr -> hmn", scores, chosen)


def _every_window(scores):
    windows = scores.unfold(-1, scores.shape[1], 1).flip(2).contiguous()
    return windows.diagonal(dim1=1, dim2=2).transpose(1, 2)


def _padded_both_sides(scores):
    L = scores.shape[1]
    return _from(lambda L: L - 1)(nn.functional.pad(scores, (L, L))[..., L:-L])


def _tensor2tensor(scores):
    H, L, R = scores.shape
    flat = nn.functional.pad(nn.functional.pad(scores, (0, 1)).flatten(1), (0, L - 1))
    return flat.reshape(H, L + 1, R)[:, :L, L - 1 :]


def _without_pad(scores):
    H, L, R = scores.shape
    return scores.reshape(H, -1)[:, L - 1 :][:, : L * (R - 1)].reshape(H, L, R - 1)[..., :L]


def _turned_round(scores):
    H, L, R = scores.shape
    flat = nn.functional.pad(scores.flip(1, 2), (0, 1)).reshape(H, -1)
    return flat[:, L - 1 :][:, : L * R].reshape(H, L, R)[..., :L].flip(1, 2)


def _numpy(scores):
    H, L, R = scores.shape
    padded = np.pad(scores.numpy(), ((0, 0), (0, 0), (1, 0)))
    return padded.reshape(H, R + 1, L)[:, 1:].reshape(H, L, R)[:, :, :L]


def _strided(scores):
    H, L, R = scores.shape
    return scores.as_strided((H, L, L), (L * R, R - 1, 1), scores.storage_offset() + L - 1)


def _halves(scores):
    return _diagonal_twice(scores) - torch.diag_embed(_decoder(scores).diagonal(dim1=1, dim2=2))


def _rows(q, p, a, b):
    return _minus(q, p).clamp(-a, b) + a


def _from_the_first_query(q, p, a, b):  # positions changed in place, though the rows come out right
    p -= q[0]
    return (p[None, :] - (q - q[0])[:, None]).clamp(-a, b) + a


def _grown(growth):
    """Return an answer that rounds E * growth(j, N, E, D) up to the start of far bucket j."""
    return lambda N, D: [*range(N // 2), *(_up(N // 2 * growth(j, N, N // 2, D)) for j in range(N // 2))]


def _memory(scores, first, row):
    """Return the numbers of `scores`, padded left, from number `first` on, in rows of `row` of which L are kept."""
    H, L, _ = scores.shape
    padded = torch.nn.functional.pad(scores, (1, 0)).reshape(H, -1)[:, first:]
    return padded[:, : L * row].reshape(H, L, row)[:, :, :L]


def _skewed(scores):
    return _memory(scores, scores.shape[1], 2 * scores.shape[1] - 1)


WRONG = {
    "rows": [
        ("part of the package's wider table",
         lambda q, p, a, b: (clipped_index(_minus(q, p), a + b) - b).clamp(0, a + b), "Your code calls clipped_index"),
        ("the package's differences", lambda q, p, a, b: relative_positions(q, p).clamp(-a, b) + a,
         "Your code calls relative_positions"),
        ("query minus key", lambda q, p, a, b: (q[:, None] - p[None, :]).clamp(-a, b) + a, "Left and right are swapped"),
        ("keys down, queries across", lambda q, p, a, b: _minus(p, q).clamp(-a, b) + a, "It looks transposed"),
        ("transposed", lambda q, p, a, b: (_minus(q, p).clamp(-a, b) + a).T, "rows are queries"),
        ("+ left missing", lambda q, p, a, b: _minus(q, p).clamp(-a, b), "add `left`"),
        ("+ right", lambda q, p, a, b: _minus(q, p).clamp(-a, b) + b, "You add `right`"),
        ("+ left before the clip", lambda q, p, a, b: (_minus(q, p) + a).clamp(-a, b), "clip first"),
        ("bounds of the other side", lambda q, p, a, b: _minus(q, p).clamp(-b, a) + a, "`right` on the left"),
        ("bounds of the other side, + right", lambda q, p, a, b: _minus(q, p).clamp(-b, a) + b, "`right` on the left"),
        ("left on both sides", lambda q, p, a, b: _minus(q, p).clamp(-a, a) + a, "both sides at the same distance"),
        ("right on both sides", lambda q, p, a, b: _minus(q, p).clamp(-b, b) + b, "both sides at the same distance"),
        ("no clip", lambda q, p, a, b: _minus(q, p) + a, "You do not clip"),
        ("differences alone", lambda q, p, a, b: _minus(q, p), "clip them to -left ... right, then add `left`"),
        ("clipped on the right alone", lambda q, p, a, b: _minus(q, p).clamp(max=b) + a, "one side only"),
        ("clipped on the left alone", lambda q, p, a, b: _minus(q, p).clamp(min=-a) + a, "one side only"),
        ("clipped at 0: a decoder's", lambda q, p, a, b: _minus(q, p).clamp(-a, 0) + a, "One side has no rows"),
        ("clipped to 0 ... right", lambda q, p, a, b: _minus(q, p).clamp(0, b), "One side has no rows"),
        ("clipped one earlier", lambda q, p, a, b: _minus(q, p).clamp(1 - a, b - 1) + a - 1, "left + 1 + right rows"),
        ("clipped one earlier, row 0 unused", lambda q, p, a, b: _minus(q, p).clamp(1 - a, b - 1) + a,
         "left + 1 + right rows"),
        ("left + right rows", lambda q, p, a, b: _minus(q, p).clamp(-a, b - 1) + a, "You clip to left + right - 1"),
        ("counted from 1", lambda q, p, a, b: _minus(q, p).clamp(-a, b) + a + 1, "count from 0"),
        ("distances", lambda q, p, a, b: _minus(q, p).abs().clamp(max=a), "without a sign"),
        ("distances + left", lambda q, p, a, b: _minus(q, p).abs().clamp(max=b) + a, "without a sign"),
        ("positions clipped, then subtracted", _clip_positions, "Subtract first"),
        ("positions ignored", lambda q, p, a, b: _minus(_count(q), _count(p)).clamp(-a, b) + a, "use the positions"),
        ("queries taken as the last keys",
         lambda q, p, a, b: _minus(_count(q, len(p) - len(q)), _count(p)).clamp(-a, b) + a, "positions may have gaps"),
        ("counted on from the first positions",
         lambda q, p, a, b: _minus(_count(q, q[0]), _count(p, p[0])).clamp(-a, b) + a, "positions may have gaps"),
        ("the keys forgotten", lambda q, p, a, b: _minus(q, q).clamp(-a, b) + a, "shape (5, 13), but it has (5, 5)"),
        ("the bounds of another table", lambda q, p, a, b: _minus(q, p).clamp(-3, 2) + 3,
         "This pair has the wrong row"),
        ("all the same row", lambda q, p, a, b: torch.full((len(q), len(p)), a), "All keys share one row"),
        ("wrapped, not clipped", lambda q, p, a, b: _minus(q, p) % (a + 1 + b), "You wrap round with %"),
        ("lower bound without its sign", lambda q, p, a, b: _minus(q, p).clamp(a, b) + a, "All keys share one row"),
        ("boundaries off by one",
         lambda q, p, a, b: torch.bucketize(_minus(q, p), torch.arange(-a, b), right=True),
         "This pair has the wrong row"),
        ("no new axes", lambda q, p, a, b: (p - q).clamp(-a, b) + a, "shape (9, 9), but it has (9,)"),
        ("one axis too many", lambda q, p, a, b: (_minus(q, p).clamp(-a, b) + a)[None], "but it has (1, 9, 9)"),
        ("one-hot rows", lambda q, p, a, b: nn.functional.one_hot(_minus(q, p).clamp(-a, b) + a), "but it has (9, 9, 6)"),
        ("floats", lambda q, p, a, b: (_minus(q, p).clamp(-a, b) + a).float(),
         "rows for 9 queries and 9 keys is of type float32"),
        ("floats, NumPy", lambda q, p, a, b: np.clip(_minus(q, p).numpy(), -float(a), b) + a,
         "rows for 9 queries and 9 keys is of type float64"),
        ("prints, does not return", _prints, "`return` missing"),
        ("zeros", lambda q, p, a, b: torch.zeros(len(q), len(p), dtype=torch.long), "All keys share one row"),
        ("the wrong way round", lambda q, p, a, b: b - _minus(q, p).clamp(-a, b), "Rows run the wrong way"),
        ("Python's negative index", lambda q, p, a, b: _minus(q, p).clamp(-a, b) % (a + b + 1), "You wrap round with %"),
        ("key positions counted from 0", lambda q, p, a, b: _rows(q, torch.arange(len(p)), a, b), "You count tokens from 0"),
        ("positions changed in place", _from_the_first_query, "changes its input"),
        ("uint8", lambda q, p, a, b: _rows(q, p, a, b).to(torch.uint8), "uint8 read as a mask"),
        ("a list of floats", lambda q, p, a, b: _rows(q, p, a, b).double().tolist(), "floats are refused"),
        ("a batch of one", lambda q, p, a, b: _rows(q, p, a, b)[None], "length 1 is too many"),
    ],
    "bucket_starts": [
        ("the example alone", lambda N, D: [0, 1, 2, 3, 4, 6, 8, 12], "shape (32,), but it has (8,)"),
        ("rounded down", lambda N, D: _starts(N, D, math.floor), "You round down"),
        ("rounded to the nearest", lambda N, D: _starts(N, D, round), "You round to the nearest"),
        ("rounded down, plus 1", lambda N, D: _starts(N, D, lambda x: math.floor(x) + 1), "not one later"),
        ("noise lifts an edge", lambda N, D: _starts(N, D, math.ceil), "rounding noise"),
        ("noise lifts an edge, float32", _float32, "rounding noise"),
        ("not rounded", lambda N, D: _starts(N, D, float), "whole numbers"),
        ("last distances", _ends, "the first are asked"),
        ("where the last one ends, too", lambda N, D: _starts(N, D) + [D], "one number too many"),
        ("the first far bucket twice", lambda N, D: [*range(N // 2 + 1), *_starts(N, D)[N // 2 :]], "one number too many"),
        ("one side of an encoder", lambda N, D: _starts(N // 2, D), "half of the numbers"),
        ("the far half alone", lambda N, D: _starts(N, D)[N // 2 :], "half of the numbers"),
        ("both sides of an encoder", lambda N, D: 2 * _starts(N // 2, D), "one side of an encoder"),
        ("the package, bidirectional", lambda N, D: _first_of_each(t5_buckets(-torch.arange(D + 1), N, D), N),
         "one side of an encoder"),
        ("keys to the right",
         lambda N, D: _first_of_each(t5_buckets(torch.arange(D + 1), N, D, bidirectional=False), N), "one distance each"),
        ("counted from 1", lambda N, D: [start + 1 for start in _starts(N, D)], "Distances start at 0"),
        ("negative: positions, not distances", lambda N, D: [-start for start in _starts(N, D)], "one distance each"),
        ("from far to near", lambda N, D: _starts(N, D)[::-1], "one distance each"),
        ("equally wide", lambda N, D: [*range(N // 2), *(N // 2 + math.ceil((D - N // 2) * j / (N - N // 2))
                                                         for j in range(N - N // 2))], "equally wide"),
        ("the last one at D", lambda N, D: _starts(N, D, steps=N - N // 2 - 1), "starts at the maximum distance"),
        ("one step late", lambda N, D: _starts(N, D, first=1), "starts at the maximum distance"),
        ("N steps", lambda N, D: _starts(N, D, steps=N), "Every bucket holds one distance"),
        ("growth D", lambda N, D: _starts(N, D, growth=D), "Your factor from bucket to bucket is always 2"),
        ("doubled at every step", lambda N, D: _starts(N, D, growth=2, steps=1),
         "Your factor from bucket to bucket is always 2"),
        ("all exact", lambda N, D: list(range(N)), "Every bucket holds one distance"),
        ("maximum ignored", lambda N, D: _starts(N, 128), "bucket_starts(8, 16): bucket 5 does not start at 10"),
        ("the example's maximum", lambda N, D: _starts(N, 16), "all far buckets start together"),
        ("buckets, not starts", lambda N, D: t5_buckets(-torch.arange(N), N, D, bidirectional=False), "does not start"),
        ("the bucket of every distance",
         lambda N, D: t5_buckets(-torch.arange(D), N, D, bidirectional=False), "this is the bucket of every distance"),
        ("from and to", lambda N, D: list(zip(_starts(N, D), _ends(N, D), strict=True)), "shape (8,), but it has (8, 2)"),
        ("a dict", lambda N, D: dict(enumerate(_starts(N, D))), "of type dict"),
        ("prints, does not return", lambda N, D: print(_starts(N, D)), "`return` missing"),
        ("D // E", _grown(lambda j, N, E, D: (D // E) ** (j / (N - E))), "the growth is cut to a whole number"),
        ("j / N - E", _grown(lambda j, N, E, D: (D / E) ** (j / N - E)), "all far buckets start together"),
        ("j // (N - E)", _grown(lambda j, N, E, D: (D / E) ** (j // (N - E))), "all far buckets start together"),
        ("the bucket of every distance, D too", lambda N, D: t5_buckets(-torch.arange(D + 1), N, D, bidirectional=False),
         "this is the bucket of every distance"),
        ("the last one forgotten", lambda N, D: _starts(N, D)[:-1], "does a range end too early"),
    ],
    "skew": [
        ("the decoder's", _decoder, "Only keys at or before the query"),
        ("the decoder's, masked", lambda scores: _decoder(scores).tril(), "Only keys at or before the query"),
        ("first L columns", lambda scores: scores[..., : scores.shape[1]], "the first L columns"),
        ("last L columns", lambda scores: scores[..., scores.shape[1] - 1 :], "the last L columns"),
        ("one too far", _from(lambda L: L), "too far to the left"),
        ("one too near", _from(lambda L: L - 2), "too far to the right"),
        ("padded right, first L dropped", _pad_right_drop_first, "too far to the left"),
        ("padded left, last L dropped", _half_solution("last", (..., slice(5))), "row 0 has to start at column L - 1"),
        ("starts at number 0", _from(lambda L: 0), "L = 5"),
        ("the last L columns of the right reading", _half_solution(part=(..., slice(-5, None))),
         "L = 5"),
        ("rows of length L kept", _first_rows, "it got the 0 of a pad"),
        ("slides the other way", _slides_right, "slide the other way"),
        ("columns from right to left", lambda scores: _tensor2tensor(scores.flip(-1)), "Left and right are swapped"),
        ("transposed", lambda scores: _tensor2tensor(scores).transpose(1, 2), "Rows and columns are swapped"),
        ("heads run into one another", _heads_mixed, "it got the 0 of a pad"),
        ("diagonal twice", _diagonal_twice, "it got a number that is no score at all"),
        ("all zeros", lambda scores: scores.new_zeros(*scores.shape[:2], scores.shape[1]), "it got the 0 of a pad"),
        ("all 2L - 1 columns kept", _half_solution(), "shape (3, 5, 5), but it has (3, 5, 9)"),
        ("a row padded, not a column", lambda scores: nn.functional.pad(scores, (0, 0, 1, 0)), "but it has (3, 6, 9)"),
        ("row by row", _loop, "Right, but row by row"),
        ("gather", _gather, "Right, but by look-up (gather)"),
        ("indices", _fancy, "Right, but by look-up (index)"),
        ("a band, selected", _masked, "Right, but by look-up (masked_select)"),
        ("one-hot", _one_hot, "Right, but it builds a tensor"),
        ("every window, then the diagonal", _every_window, "Right, but it builds a tensor"),
        ("padded on both sides", _padded_both_sides, "Right, but it builds a tensor"),
        ("prints, does not return", lambda scores: print(_tensor2tensor(scores)), "`return` missing"),
        ("the pads kept", lambda scores: _memory(scores, 0, 2 * scores.shape[1]), "the 0 of a pad"),
        ("heads in the middle", lambda scores: _skewed(scores).permute(1, 2, 0), "looks transposed"),
        ("heads averaged", lambda scores: _skewed(scores).mean(0), "An axis is missing"),
        ("whole numbers", lambda scores: _skewed(scores).long(), "fractions are cut off"),
        ("bfloat16", lambda scores: _skewed(scores).bfloat16(), "compute in float32"),
        ("zeros", lambda scores: torch.zeros(*scores.shape[:2], scores.shape[1]), "the 0 of a pad"),
    ],
}  # fmt: skip

RIGHT = {
    "rows": [
        ("loops, Python's numbers",
         lambda q, p, a, b: [[max(-a, min(b, int(n) - int(m))) + a for n in p] for m in q]),
        ("NumPy, the outer difference transposed",
         lambda q, p, a, b: np.clip(np.subtract.outer(p.numpy(), q.numpy()).T, -a, b) + a),
        ("left added first, clipped to 0 ... left + right", lambda q, p, a, b: (_minus(q, p) + a).clamp(0, a + b)),
        ("left + right less the mirrored row", lambda q, p, a, b: a + b - (q[:, None] - p + b).clamp(0, a + b)),
        ("minimum and maximum on a grid", _meshgrid),
        ("boundaries", lambda q, p, a, b: torch.bucketize(_minus(q, p), torch.arange(1 - a, b + 1), right=True)),
        ("int32", lambda q, p, a, b: (_minus(q, p).clamp(-a, b) + a).int()),
        ("a list of rows", lambda q, p, a, b: [(p - m).clamp(-a, b) + a for m in q]),
        ("int32", lambda q, p, a, b: _rows(q, p, a, b).int()),
        ("shifted first, clipped to the table", lambda q, p, a, b: (_minus(q, p) + a).clamp(0, a + b)),
    ],
    "bucket_starts": [
        ("the formula, distance by distance", _scanned),
        ("whole numbers alone", _whole_numbers),
        ("the package", lambda N, D: _first_of_each(t5_buckets(-torch.arange(D + 1), N, D, bidirectional=False), N)),
        ("bisection", _searched),
        ("NumPy, first of each value", _unique),
        ("NumPy, geometric steps, floats", _geomspace),
        ("a tuple", lambda N, D: tuple(_starts(N, D))),
        ("floats", lambda N, D: [float(start) for start in _starts(N, D)]),
        ("a list of tensors", lambda N, D: list(torch.tensor(_starts(N, D)))),
        ("a float64 tensor", lambda N, D: torch.tensor(_starts(N, D), dtype=torch.float64)),
        ("a tensor of float64", lambda N, D: torch.tensor(_starts(N, D), dtype=torch.float64)),
        ("a tuple", lambda N, D: tuple(_starts(N, D))),
    ],
    "skew": [
        ("padded right, read from L - 1", _from(lambda L: L - 1)),
        ("Tensor2Tensor's", _tensor2tensor),
        ("no padding, rows of 2L - 2", _without_pad),
        ("turned round and back", _turned_round),
        ("two decoder's skews", _halves),
        ("strides", _strided),
        ("NumPy", _numpy),
        ("float64", lambda scores: _tensor2tensor(scores.double())),
        ("the package", lambda scores: relative_shift(scores, scores.shape[1])),
        ("one long row, cut anew", _skewed),
        ("float64 whatever came", lambda scores: _skewed(scores.double())),
    ],
}  # fmt: skip
