"""Exercises of notebook 05: rows of a clipped table, where T5's buckets start, and the skew for both sides."""

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.answers import as_tensor, watched
from posenc_helpers.classroom.exercises.checking import NotYet, check, need
from posenc_helpers.classroom.exercises.forbidden import forbidding
from posenc_helpers.classroom.exercises.mistakes import name_mistake
from posenc_helpers.classroom.exercises.operations import Watch
from posenc_helpers.classroom.exercises.questions import drawn, places, whole
from posenc_helpers.encodings import relative_positions
from posenc_helpers.lessons.relative.mistakes import (
    ROWS,
    SKEWS,
    STARTS,
    bucket_of,
    right_rows,
    right_skew,
    right_starts,
)

TABLES = (
    (torch.arange(9), torch.arange(9), 3, 2),
    (torch.arange(20, 25), torch.arange(12, 25), 5, 1),
    (torch.arange(6), torch.arange(6), 9, 8),
    (torch.arange(7), torch.arange(7), 4, 0),
    (torch.tensor([3, 7, 50, 90]), torch.tensor([2, 3, 8, 40, 60, 95]), 10, 30),
)


@check("rows", "Key minus query, left + 1 + right rows, wherever the positions start.")
def check_rows(answer) -> None:
    """Check `rows(q_positions, k_positions, left, right)`: (L_q, L_k), rows 0 ... left + right, key minus query."""
    ask = watched(forbidding(answer, "Subtract and clip yourself, without the package.", package=True))
    generator = drawn(51)
    q, k = (places(generator, whole(generator, 2, 9), 60) + whole(generator, 0, 40) for _ in "qk")
    for given in (*TABLES, (q, k, whole(generator, 1, 20), whole(generator, 0, 20))):
        q, k, left, right = given
        what = f"rows for {len(q)} queries and {len(k)} keys"
        row = as_tensor(ask(*given), what, (len(q), len(k)), whole=True)
        wrong = row != right_rows(*given)
        if wrong.any():
            name_mistake(ROWS, row, given)
            nearest = (wrong * (1000 - relative_positions(q, k).abs())).argmax()
            m, n = divmod(int(nearest), len(k))
            where = f"Query at {q[m]}, key at {k[n]}, left = {left}, right = {right}: row {int(row[m, n])}. "
            raise NotYet(
                "This pair has the wrong row: subtract, clip, then let the smallest be 0, in this order.", where
            )


# At (10, 160) noise lifts an edge: 5 * 32 ** 0.2 > 10; at (8, 19) D / E is no whole number.
SETTINGS = ((8, 16), (32, 128), (16, 200), (12, 48), (8, 19), (10, 160))


@check("bucket_starts", "Each far bucket is wider than the last by the same factor.")
def check_bucket_starts(answer) -> None:
    """Check `bucket_starts(num_buckets, max_distance)`: the smallest distance in every causal bucket."""
    ask = watched(answer)
    generator = drawn(52)
    other = 2 * whole(generator, 2, 16)
    for N, D in (*SETTINGS, (other, whole(generator, 2 * other, 12 * other))):
        what = f"bucket_starts({N}, {D})"
        given, right = ask(N, D), torch.tensor(right_starts(N, D))
        found = as_tensor(given, what, (len(given) if hasattr(given, "__len__") else N,))
        if len(found) == N and torch.equal(found, right.double()):
            continue
        name_mistake(STARTS, found, (N, D), f"{what}: ")
        as_tensor(given, what, (N,))
        need(torch.equal(found, found.round()), "It should hold whole numbers: distances are tokens.", f"{what}: ")
        need(
            torch.equal(found[: N // 2], right[: N // 2].double()),
            "The first half of the buckets hold one distance each: 0, 1, 2 ...",
            f"{what}: ",
        )
        off = int((found != right).int().argmax())
        start, b = int(found[off]), int(bucket_of(N, 2 * D)[int(found[off])])
        inside = f"{start} belongs to bucket {b}" if b != off else f"{start - 1} is in it too"
        name = "another start of a far bucket"
        raise NotYet(f"Bucket {off} does not start at {start}: distance {inside}.", f"{what}: ", name)


@check("skew_both", "No index, no loop: the same memory, read twice.")
def check_skew(answer) -> None:
    """Check `skew_both(scores)`: (H, L, 2L - 1), one column a difference, -> (H, L, L), one column a key."""
    generator = drawn(50)
    other = (whole(generator, 1, 4), whole(generator, 3, 30), torch.float64)
    for heads, L, dtype in ((3, 5, torch.float32), (1, 2, torch.float64), (2, 40, torch.float64), other):
        scores = torch.randn(heads, L, 2 * L - 1, generator=generator, dtype=dtype)
        watch = Watch()
        given = watched(watch.over(answer))(scores)
        shifted = as_tensor(given, f"skew_both of shape {tuple(scores.shape)}", (heads, L, L), whole=False)
        wrong = (shifted - right_skew(scores)).abs() > 1e-5
        if wrong.any():
            name_mistake(SKEWS, shifted, (scores,))
            h, m, n = wrong.nonzero()[0].tolist()
            raise NotYet(
                _where_from(scores.double(), shifted[h, m, n], h, m), f"L = {L}, head {h}, query {m}, key {n}: "
            )
        need(
            not watch.lookups,
            f"Right, but by look-up ({', '.join(sorted(watch.lookups))}): pad, reshape and slice will do.",
            name="looked up by index",
        )
        need(
            watch.most <= 2 * scores.numel(),
            f"Right, but it builds a tensor of {watch.most} numbers from {scores.numel()}.",
            name="too much memory",
        )
        need(L < 40 or watch.operations <= 40, "Right, but row by row; the reshape moves all rows at once.")


def _where_from(scores: Tensor, number: Tensor, head: int, query: int) -> str:
    """Say where a wrong number comes from in `scores` (H, L, 2L - 1)."""
    if ((scores[head, query] - number).abs() < 1e-5).any():
        return "It got the score of another relative position."
    if ((scores - number).abs() < 1e-5).any():
        return "It got a score of another query or another head."
    return "It got the 0 of a pad, or of a tensor that was never filled." if number == 0 else "It got no score at all."
