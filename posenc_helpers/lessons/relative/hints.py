"""The likely mistakes in the relative shift for both sides, exercise 3 of notebook 05."""

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.checking import need
from posenc_helpers.encodings import relative_shift


def hint_skew(shifted: Tensor, kept: Tensor, right: Tensor) -> None:
    """Raise NotYet with the likely mistake unless `shifted` (H, L, L) is `right`, made from scores `kept` (H, L, 2L - 1)."""
    heads, length = kept.shape[:2]
    same = lambda other: torch.allclose(shifted, other.double(), atol=1e-5)  # noqa: E731
    need(not same(kept[..., :length]), "You took the first L columns: the rows have not moved.")
    need(not same(kept[..., length - 1 :]), "You took the last L columns: the rows have not moved, and column n "
         "means n for row 0 alone.")  # fmt: skip
    need(not same(right.transpose(-2, -1)), "Rows and columns are swapped: rows are queries.")
    need(not same(relative_shift(kept.flip(-1), length)), "Left and right are swapped: column r is r - (L - "
         "1), so the last column is the key farthest to the right.")  # fmt: skip
    need(not torch.allclose(shifted.tril(), right.tril(), atol=1e-5) or same(right), "Only keys at or before "
         "the query are right, as in the decoder's skew of the first L columns.")  # fmt: skip
    padded = torch.nn.functional.pad(kept, (1, 0)).reshape(heads, 2 * length, length)
    need(not same(padded[:, :-1].reshape(kept.shape)[..., :length]), "Drop the first L numbers, not the "
         "last: row 0 has to start at column L - 1.")  # fmt: skip
    need(not same(relative_shift(kept.flip(-1), length).flip(-1)), "Your rows slide the other way: each should "
         "start one column earlier than the row before.")  # fmt: skip
    pairs = ((shifted[..., :-1], right[..., 1:], "left"), (shifted[..., 1:], right[..., :-1], "right"))
    for mine, wanted, side in pairs:
        need(not torch.allclose(mine, wanted, atol=1e-5), f"All rows stand one column too far to the {side}: "
             f"row 0 has to start at column L - 1.")  # fmt: skip
    _hint_entry(shifted, kept.double(), right)


def _hint_entry(shifted: Tensor, scores: Tensor, right: Tensor) -> None:
    """Raise NotYet unless `shifted` (H, L, L) is `right`, saying where its first wrong entry comes from in `scores`."""
    wrong = ((shifted - right).abs() > 1e-5).nonzero().tolist()
    if not wrong:
        return
    h, m, n = wrong[0]
    where, zero = f"L = {scores.shape[1]}, head {h}, query {m}, key {n}: ", scores.shape[1] - 1
    from_row = (scores[h, m] - shifted[h, m, n]).abs().lt(1e-5).nonzero().flatten().tolist()
    need(not from_row, f"It got the score of relative position {from_row[0] - zero if from_row else 0}.", where,
         name="another relative position")  # fmt: skip
    elsewhere = (scores - shifted[h, m, n]).abs().lt(1e-5).nonzero().tolist()
    need(not elsewhere, "It got a score of another query or another head.", where)
    need(bool(shifted[h, m, n] != 0), "It got the 0 of a pad, or of a tensor that was never filled.", where)
    need(False, "It got a number that is no score at all.", where)
