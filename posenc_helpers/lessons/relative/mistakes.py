"""Likely mistakes in the exercises of notebook 05."""

import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import pad

from posenc_helpers.classroom.exercises.mistakes import Mistake
from posenc_helpers.encodings import relative_shift, t5_buckets


def rows(change: Callable) -> Callable:
    """Return an answer to exercise 1 that makes its rows by change(key minus query, left, right)."""
    return lambda q, k, left, right: change(k[None, :] - q[:, None], left, right)


def counted(q: Tensor, k: Tensor, left: int, right: int, start: int = 0) -> Tensor:
    """Return the rows of whoever counts tokens, the first query as number `start`, where positions are given."""
    return right_rows(torch.arange(len(q)) + start, torch.arange(len(k)), left, right)


right_rows = rows(lambda r, left, right: r.clamp(-left, right) + left)
ROWS = {
    "left and right swapped": Mistake(
        "Left and right are swapped: key minus query, so a key to the left of the query comes before row `left`. (Or rows "
        "and columns are: rows are queries.)",
        rows(lambda r, left, right: (-r).clamp(-left, right) + left),
        rows(lambda r, left, right: right - r.clamp(-left, right)),
    ),
    "distances without a sign": Mistake(
        "These are distances without a sign: left and right share a row.",
        rows(lambda r, left, right: r.abs().clamp(max=left)),
        rows(lambda r, left, right: r.abs().clamp(max=right) + left),
    ),
    "not counted from row 0": Mistake(
        "You clip, but row 0 is for keys farthest to the left: the smallest becomes 0 when you add `left`.",
        rows(lambda r, left, right: r.clamp(-left, right)),
        rows(lambda r, left, right: r.clamp(-left, right) + right),
        rows(lambda r, left, right: r.clamp(-left, right) + left + 1),
    ),
    "bounds of one side on both": Mistake(
        "The table has two bounds, `left` on the left and `right` on the right; you exchanged them, or took one twice.",
        rows(lambda r, left, right: r.clamp(-right, left) + left),
        rows(lambda r, left, right: r.clamp(-right, left) + right),
        rows(lambda r, left, right: r.clamp(-left, left) + left),
        rows(lambda r, left, right: r.clamp(-right, right) + right),
    ),
    "not clipped, or on one side only": Mistake(
        "You do not clip, or on one side only: the table has rows 0 to left + right, and no others.",
        rows(lambda r, left, right: r + left),
        rows(lambda r, left, right: r),
        rows(lambda r, left, right: r.clamp(min=-left) + left),
        rows(lambda r, left, right: r.clamp(max=right) + left),
    ),
    "wrapped with %": Mistake(
        "You wrap round with %: keys far to the left get rows of keys to the right. Clip, then make the smallest row 0.",
        rows(lambda r, left, right: r % (left + 1 + right)),
    ),
    "clipped at another place": Mistake(
        "You clip too early: some of the left + 1 + right rows are used by no key.",
        rows(lambda r, left, right: r.clamp(1 - left, max(right - 1, 1 - left)) + left - 1),
        rows(lambda r, left, right: r.clamp(-left, right - 1) + left),
        rows(lambda r, left, right: r.clamp(-left, 0) + left),
    ),
    "clipped in the wrong order": Mistake(
        "Subtract, clip, then add `left`, in this order: you clip the positions, or what you have added `left` to.",
        lambda q, k, left, right: rows(lambda r, left, right: r + left)(
            q.clamp(max=right), k.clamp(max=right), left, right
        ),
        rows(lambda r, left, right: (r + left).clamp(-left, right)),
    ),
    "tokens counted": Mistake(
        "You count tokens; positions may start anywhere and have gaps, so use all that you are given.",
        counted,
        lambda q, k, left, right: right_rows(q, torch.arange(len(k)), left, right),
        lambda q, k, left, right: counted(q, k, left, right, start=len(k) - len(q)),
        lambda q, k, left, right: counted(q, k, left, right, start=int(q[0] - k[0])),
    ),
    "one row for all keys": Mistake(
        "All keys share one row. A key to the left of the query and one to the right of it should not.",
        rows(lambda r, left, right: torch.full_like(r, left)),
        rows(lambda r, left, right: r.clamp(left, right) + left),
    ),
}


def bucket_of(N: int, D: int) -> Tensor:
    """Return the causal bucket of each distance 0 ... D."""
    return t5_buckets(-torch.arange(D + 1), N, D, bidirectional=False)


def right_starts(N: int, D: int) -> list[int]:
    return [int((bucket_of(N, D) == b).int().argmax()) for b in range(N)]


def starts(far: Callable, whole: Callable = lambda x: math.ceil(x - 1e-6)) -> Callable:
    """Return an answer to exercise 2 whose far bucket j of N - E starts at whole(E * far(j, N, E, D))."""
    return lambda N, D: [*range(N // 2), *(whole(N // 2 * far(j, N, N // 2, D)) for j in range(N - N // 2))]


def growing(j: int, N: int, E: int, D: int) -> float:
    return (D / E) ** (j / (N - E))


STARTS = {
    "half of the numbers": Mistake(
        "Half of the numbers: in the causal case all buckets serve the left.",
        lambda N, D: right_starts(N // 2, D),
        lambda N, D: right_starts(N, D)[N // 2 :],
    ),
    "one number too many": Mistake(
        "One number too many: a bucket is there twice, or where the last bucket ends, which is not asked.",
        lambda N, D: [*right_starts(N, D), D],
        lambda N, D: [*range(N // 2 + 1), *right_starts(N, D)[N // 2 :]],
    ),
    "the bucket of every distance": Mistake(
        "This is the bucket of every distance; the smallest distance of every bucket is asked.",
        lambda N, D: bucket_of(N, D),
    ),
    "counted from 1": Mistake(
        "Distances start at 0: a token is 0 away from itself.", lambda N, D: [start + 1 for start in right_starts(N, D)]
    ),
    "both sides of an encoder": Mistake(
        "These are the buckets of an encoder, which has half of them for the left; in the causal case all serve the left.",
        lambda N, D: 2 * right_starts(N // 2, D),
    ),
    "equally wide": Mistake(
        "Your far buckets are all equally wide; T5's grow by a constant factor.",
        *(starts(lambda j, N, E, D: 1 + (D / E - 1) * j / (N - E), whole) for whole in (math.ceil, math.floor, round)),
        lambda N, D: list(range(N)),
    ),
    "rounded down or to the nearest": Mistake(
        "You round down, or to the nearest: the largest whole number below an edge still belongs to the bucket before.",
        starts(growing, lambda x: math.floor(x + 1e-6)),
        starts(growing, round),
    ),
    "edges lifted": Mistake(
        "Where an edge is a whole number (or is so but for rounding noise), the bucket starts there, not one later.",
        starts(growing, math.ceil),
        starts(growing, lambda x: math.floor(x) + 1),
    ),
    "last distances": Mistake(
        "These are the last distances of the buckets; the first are asked.",
        lambda N, D: [start - 1 for start in right_starts(N, D)[1:]] + [D],
    ),
    "the last bucket at D": Mistake(
        "Your last bucket starts at the maximum distance D. There the formula gives N; bucket N - 1, the last, starts one "
        "step earlier.",
        starts(lambda j, N, E, D: (D / E) ** (j / (N - E - 1))),
        starts(lambda j, N, E, D: growing(j + 1, N, E, D)),
    ),
    "all far buckets start together": Mistake(
        "All far buckets start together: is there a whole-number division //, or are brackets missing?",
        starts(lambda j, N, E, D: 1),
        starts(lambda j, N, E, D: (D / E) ** (j / N - E)),
    ),
    "growth does not follow the maximum distance": Mistake(
        "The factor from bucket to bucket is cut to a whole number, or does not follow the maximum distance.",
        starts(lambda j, N, E, D: 2**j),
        starts(lambda j, N, E, D: (D // E) ** (j / (N - E))),
        lambda N, D: right_starts(N, 128),
    ),
}


def slid(start: Callable) -> Callable:
    """Return an answer to exercise 3 that pads on the right and reads on from number start(L): L - 1 would be right."""

    def skew(scores: Tensor) -> Tensor:
        H, L, width = scores.shape
        flat = pad(pad(scores, (0, 1)).flatten(1), (0, 2 * L))[:, start(L) :]
        return flat[:, : L * width].reshape(H, L, width)[..., :L]

    return skew


def right_skew(scores: Tensor) -> Tensor:
    return relative_shift(scores, scores.shape[1])


def decoder_skew(scores: Tensor) -> Tensor:
    H, L, _ = scores.shape
    return pad(scores[..., :L], (1, 0)).reshape(H, L + 1, L)[:, 1:]


SKEWS = {
    "rows not moved": Mistake(
        "You took the same columns of every row: the rows have not moved.",
        lambda scores: scores[..., : scores.shape[1]],
        lambda scores: scores[..., scores.shape[1] - 1 :],
    ),
    "rows and columns swapped": Mistake(
        "Rows and columns are swapped: rows are queries.", lambda scores: right_skew(scores).mT
    ),
    "left and right swapped": Mistake(
        "Left and right are swapped: column r is r - (L - 1), so the last column is the key farthest to the right.",
        lambda scores: right_skew(scores.flip(-1)),
    ),
    "keys to the right lost": Mistake(
        "Only keys at or before the query are right, as in the decoder's skew of the first L columns.", decoder_skew
    ),
    "slides the other way": Mistake(
        "Your rows slide the other way: each should start one column earlier than the row before.",
        lambda scores: right_skew(scores.flip(-1)).flip(-1),
    ),
    "read from the wrong start": Mistake(
        "Row 0 has to start at column L - 1: you drop too many numbers at the start, or too few, or those of the end.",
        slid(lambda L: 0),
        slid(lambda L: L - 2),
        slid(lambda L: L),
    ),
}

MISTAKES = {"rows": ROWS, "bucket_starts": STARTS, "skew": SKEWS}
