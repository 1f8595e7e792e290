"""Checks of notebook 05: rows of a clipped table, where T5's buckets start, and the skew for both sides."""

import torch
from torch import Generator, Tensor

from posenc_helpers.classroom.exercises.answers import as_tensor, watched
from posenc_helpers.classroom.exercises.checking import Outcome, need, run_check
from posenc_helpers.classroom.exercises.forbidden import forbidding
from posenc_helpers.classroom.exercises.operations import Watch
from posenc_helpers.encodings import relative_positions, relative_shift, t5_buckets
from posenc_helpers.lessons.relative.hints import hint_skew


def check_rows(answer) -> Outcome:
    """Check `rows(q_positions, k_positions, left, right)`: (L_q, L_k), rows 0 ... left + right, key minus query."""

    def test() -> None:
        ask = watched(forbidding(answer, "Subtract and clip yourself, without the package.", package=True))
        for q_positions, k_positions, left, right in (
            (torch.arange(9), torch.arange(9), 3, 2),
            (torch.arange(20, 25), torch.arange(12, 25), 5, 1),
            (torch.arange(6), torch.arange(6), 9, 8),
            (torch.arange(7), torch.arange(7), 4, 0),
            (torch.tensor([3, 7, 50, 90]), torch.tensor([2, 3, 8, 40, 60, 95]), 10, 30),
        ):
            queries, keys = len(q_positions), len(k_positions)
            given = ask(q_positions, k_positions, left, right)
            row = as_tensor(given, f"rows for {queries} queries and {keys} keys", (queries, keys), whole=True)
            relative = relative_positions(q_positions, k_positions)
            clip = lambda d: d.clamp(-left, right)  # noqa: B023, E731
            wanted = clip(relative) + left
            same = lambda *others: any(torch.equal(row, other.double()) for other in others)  # noqa: B023, E731
            if same(wanted):
                continue
            need(not same(clip(-relative) + left, relative.mT.clamp(-left, right) + left if queries == keys else wanted),
                 "Left and right are swapped: key minus query, so a key to the left of the query comes before row "
                 "`left`. (Or rows and columns are: rows are queries.)")  # fmt: skip
            distance = relative.abs()
            need(not same(*(distance.clamp(max=k) + on for k in (left, right) for on in (0, left, right))),
                 "These are distances without a sign: left and right share a row.")  # fmt: skip
            need(not same(clip(relative)), "You clip, but row numbers must count from 0: add `left`.")
            need(not same(clip(relative) + right), "You add `right`. Row 0 is for keys farthest to the left: add "
                 "`left`.")  # fmt: skip
            other = relative.clamp(-right, left)
            need(not same(other + left, other + right), "You clip at `right` on the left and at `left` on the right.")
            need(not same(*(relative.clamp(-k, k) + on for k in (left, right) for on in (left, right))),
                 "You clip both sides at the same distance; this table has two: `left` and `right`.")  # fmt: skip
            need(not same(relative + left), f"You do not clip: rows run from {int(row.min())} to {int(row.max())} "
                 f"for left = {left} and right = {right}, but the table has rows 0 to {left + right}.", name="not "
                 "clipped")  # fmt: skip
            need(not same(right - clip(relative)), "Rows run the wrong way: row 0 is for keys farthest to the left.")
            need(not same(relative % (left + 1 + right), clip(relative) % (left + 1 + right)), "You wrap round with %: "
                 "keys far to the left get rows of keys to the right. Clip, then make the smallest row 0.")  # fmt: skip
            need(not same(relative), "These are the differences; clip them to -left ... right, then add `left`.")
            need(not same(wanted + 1), "Your rows run from 1 to left + 1 + right; count from 0.")
            need(not same(clip(relative + left)), "You add `left`, and then clip to -left ... right: clip first.")
            need(not same(relative.clamp(min=-left) + left, relative.clamp(max=right) + left), "You clip on one side "
                 "only: keys far to the left share row 0, keys far to the right the last.")  # fmt: skip
            need(not same(relative.clamp(-left, 0) + left, relative.clamp(0, right) + left, relative.clamp(0, right)),
                 "One side has no rows of its own: clip to -left on the left and to `right` on the right.")  # fmt: skip
            if right:
                narrow = relative.clamp(1 - left, right - 1)
                need(not same(narrow + left, narrow + left - 1), "You clip to left - 1 and right - 1; the table has "
                     "left + 1 + right rows.")  # fmt: skip
                need(not same((relative + left).clamp(0, left + right - 1)), "You clip to left + right - 1: the last "
                     "row, of all keys `right` or more to the right, is left + right.")  # fmt: skip
            ends = k_positions.clamp(max=right)[None, :] - q_positions.clamp(max=right)[:, None] + left
            need(not same(ends), "You clip the positions, and then subtract. Subtract first: far from the start all "
                 "your differences are 0.")  # fmt: skip
            counted = torch.arange(keys) - torch.arange(queries)[:, None]
            need(not same(clip(counted) + left, clip(torch.arange(keys) - q_positions[:, None]) + left), "You count "
                 "tokens from 0; use the positions that you are given.")  # fmt: skip
            counted = torch.arange(keys) - torch.arange(keys - queries, keys)[:, None]
            on = (k_positions[0] + torch.arange(keys)) - (q_positions[0] + torch.arange(queries))[:, None]
            need(not same(clip(counted) + left, clip(on) + left), "You count tokens on; positions may have gaps, "
                 "so use all that you are given.")  # fmt: skip
            need(not bool((row == row[0, 0]).all()), "All keys share one row. A key to the left of the query and one "
                 "to the right of it should not.")  # fmt: skip
            wrong = (row != wanted) * (1000 - relative.abs())  # the pair nearest to each other is the easiest to redo
            m, n = divmod(int(wrong.argmax()), keys)
            need(False, "This pair has the wrong row: subtract, clip, then let the smallest be 0, in this order.",
                 f"Query at {q_positions[m]}, key at {k_positions[n]}, left = {left}, right = {right}: row "
                 f"{int(row[m, n])}. ")  # fmt: skip

    return run_check("rows", answer, test, "Key minus query, left + 1 + right rows, wherever the positions start.")


# At (10, 160) noise lifts an edge: 5 * 32 ** 0.2 > 10; at (8, 19) D / E is no whole number.
SETTINGS = ((8, 16), (32, 128), (16, 200), (12, 48), (8, 19), (10, 160))


def check_bucket_starts(answer) -> Outcome:
    """Check `bucket_starts(num_buckets, max_distance)`: the smallest distance in every causal bucket."""

    def test() -> None:
        ask = watched(answer)
        for num_buckets, max_distance in SETTINGS:
            what = f"bucket_starts({num_buckets}, {max_distance})"
            given, where = ask(num_buckets, max_distance), what + ": "
            count = _length(given)
            need(count != num_buckets // 2, "Half of the numbers: in the causal case all buckets serve the left.", where)
            need(count != num_buckets + 1, "One number too many: where the last bucket ends is not asked.", where)
            need(count not in (max_distance, max_distance + 1), "This is the bucket of every distance; the smallest "
                 "distance of every bucket is asked.", where)  # fmt: skip
            starts = as_tensor(given, what, (num_buckets,))
            right, exact = _starts(num_buckets, max_distance), num_buckets // 2
            same = lambda other: torch.equal(starts, other.double())  # noqa: B023, E731
            need(torch.equal(starts, starts.round()), "It should hold whole numbers: distances are tokens.", where)
            near = starts[:exact]
            need(not torch.equal(near, torch.arange(1.0, exact + 1).double()), "Distances start at 0: a token is 0 away "
                 "from itself.")  # fmt: skip
            side = _starts(num_buckets // 2, max_distance).double()
            need(not torch.equal(near, side), "These are the buckets of one side of an encoder, which has half of "
                 "them for the left; in the causal case all serve the left.")  # fmt: skip
            need(torch.equal(near, torch.arange(exact).double()), "The first half of the buckets hold one distance "
                 "each: 0, 1, 2 ...", where)  # fmt: skip
            j = torch.arange(num_buckets - exact, dtype=torch.float64)
            even = exact + j * (max_distance - exact) / (num_buckets - exact)
            need(not any(same(torch.cat([near, f(even)])) for f in (torch.ceil, torch.floor, torch.round)),
                 "Your far buckets are all equally wide; T5's grow by a constant factor.")  # fmt: skip
            edge = exact * (max_distance / exact) ** (j / (num_buckets - exact))
            need(not same(torch.cat([near, edge.floor()])) or same(right), "You round down: the largest whole number "
                 "below the edge still belongs to the bucket before.")  # fmt: skip
            lifted = starts[exact:] - right[exact:]
            by_one = (lifted == 1) & ((edge - edge.round()).abs() < 1e-6)  # of edges that are whole numbers
            need(not by_one.any() or not bool((by_one | (lifted == 0)).all()), "Where an edge is a whole number (or "
                 "is so but for rounding noise), the bucket starts there, not one later.")  # fmt: skip
            need(not same(torch.cat([near, edge.round()])) or same(right), "You round to the nearest; a distance "
                 "below the edge still belongs to the bucket before.")  # fmt: skip
            need(not torch.equal(starts[:-1], right[1:].double() - 1), "These are the last distances of the buckets; "
                 "the first are asked.")  # fmt: skip
            need(starts[-1] != max_distance, "Your last bucket starts at the maximum distance D. There the formula "
                 "gives N; bucket N - 1, the last, starts one step earlier.")  # fmt: skip
            if same(right):
                continue
            need(not same(torch.arange(num_buckets)), "Every bucket holds one distance; the far half should hold "
                 "more and more of them.")  # fmt: skip
            grow = lambda factor, share: torch.cat([near, (exact * factor**share - 1e-6).ceil()])  # noqa: B023, E731
            ratio, share = max_distance / exact, j / (num_buckets - exact)
            need(not bool((starts[exact:] == starts[exact]).all()), "All far buckets start together: is there a "
                 "whole-number division //, or are brackets missing?", where)  # fmt: skip
            need(not same(grow(2.0, j)), "Your factor from bucket to bucket is always 2; it depends on the maximum "
                 "distance.")  # fmt: skip
            need(not same(grow(max_distance // exact, share)), "The growth is cut to a whole number: // is not /.",
                 where)  # fmt: skip
            need(not same(grow(ratio, j / num_buckets - exact)), "The division comes before the minus: brackets are "
                 "missing.", where)  # fmt: skip
            off = int((starts != right.double()).int().argmax())
            start = int(starts[off])
            b = int(t5_buckets(torch.tensor([-start]), num_buckets, max_distance, bidirectional=False))
            need(False, f"Bucket {off} does not start at {start}: distance "
                 + (f"{start} belongs to bucket {b}." if b != off else f"{start - 1} is in it too."),
                 where, name="another start of a far bucket")  # fmt: skip

    return run_check("bucket_starts", answer, test, "Each far bucket is wider than the last by the same factor.")


def _length(value) -> int:
    try:
        return len(value)
    except TypeError:
        return -1


def _starts(num_buckets: int, max_distance: int) -> Tensor:
    bucket = t5_buckets(-torch.arange(max_distance + 1), num_buckets, max_distance, bidirectional=False)
    return torch.stack([(bucket == b).int().argmax() for b in range(num_buckets)])


def check_skew(answer) -> Outcome:
    """Check `skew_both(scores)`: (H, L, 2L - 1), one column a difference, -> (H, L, L), one column a key."""

    def test() -> None:
        generator = Generator().manual_seed(50)
        for heads, length, dtype in ((3, 5, torch.float32), (1, 2, torch.float64), (2, 40, torch.float64)):
            kept = torch.randn(heads, length, 2 * length - 1, generator=generator, dtype=dtype)
            watch = Watch()
            given = watched(watch.over(answer))(kept)
            shifted = as_tensor(given, f"skew_both of shape {tuple(kept.shape)}", (heads, length, length), whole=False)
            right = relative_shift(kept, length).double()
            hint_skew(shifted, kept, right)
            need(not watch.lookups, f"Right, but by look-up ({', '.join(sorted(watch.lookups))}): pad, reshape and "
                 f"slice will do.", name="looked up by index")  # fmt: skip
            need(watch.most <= 2 * kept.numel(), f"Right, but it builds a tensor of {watch.most} numbers from "
                 f"{kept.numel()}.", name="too much memory")  # fmt: skip
            need(length < 40 or watch.operations <= 40, "Right, but row by row; the reshape moves all rows at once.")

    return run_check("skew_both", answer, test, "No index, no loop: the same memory, read twice.")
