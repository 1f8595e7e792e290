"""Checks of notebook 02: the scorecard row of [i, 1, 0 ...], a Gray code, and four numbers that look like time."""

import math

import torch

from posenc_helpers.classroom.exercises.checking import NotYet, as_number, as_tensor, need, run_check
from posenc_helpers.encodings import binary


def check_row(answer) -> None:
    """Check the row {"unique", "consistent", "bounded"} of the codes [p, 1, 0, 0 ...] over positions 0 to 4095."""
    if answer is ... or (isinstance(answer, dict) and any(value is ... for value in answer.values())):
        run_check("row", ..., lambda: None, "")
        return

    def test() -> None:
        need(isinstance(answer, dict), "The row should stay a dictionary, with a number for each of its columns.")
        wanted = {"unique", "consistent", "bounded"}
        need(set(answer) == wanted, f"The row needs the columns {sorted(wanted)}, and yours are {[*answer]}.")
        yes_or_no = any(isinstance(value, bool) for value in answer.values())
        need(not yes_or_no, "The columns ask for numbers, not yes or no: how far apart, how much, how large?")
        endless = isinstance(answer["bounded"], float) and not math.isfinite(answer["bounded"])
        need(not endless, "It grows without bound, yes. How large is it at the last position that the column looks at?")
        unique, consistent, bounded = (as_number(answer[k], k) for k in ("unique", "consistent", "bounded"))
        need(abs(consistent) < 1e-6, "consistent asks whether the code of one and the same position depends on the length "
             "of the text. Is there an L in [p, 1, 0 ...]?")  # fmt: skip
        need(abs(bounded - 1) > 1e-6, "bounded asks for the largest value, and 1 is only the second column.")
        need(bounded != 63, "bounded looks at more positions than the first 64; the exercise says how many.")
        need(bounded != 4096, "Positions count from 0. What is the number of the last one?")
        need(bounded == 4095, "bounded is the largest absolute value of a column, over all positions that it looks at.")
        need(unique != 0, "unique is 0 only if two positions share a code. Do they?")
        need(abs(unique - 1) < 1e-6, "unique is the smallest distance between two codes. Take two neighbours, and note that "
             "the second column is the same for both.")  # fmt: skip

    run_check(
        "row", answer, test, "Unique and consistent, and all of it undone by one number that never stops growing."
    )


def check_gray(answer) -> None:
    """Check `gray(positions, dim)`: bits (L, dim) of a code whose neighbours differ in exactly one bit."""

    def test() -> None:
        for length, dim in ((64, 6), (200, 9), (5, 4)):
            positions = torch.arange(length)
            code = as_tensor(answer(positions.clone(), dim), f"gray of {length} positions", (length, dim))
            need(bool(((code == 0) | (code == 1)).all()), "The code should hold nothing but 0 and 1.")
            flips = (code[1:] != code[:-1]).sum(-1)
            plain = binary(positions, dim).double()
            need(not torch.equal(code, plain), "This is the plain binary code: from 7 to 8 it flips four bits.")
            need(not torch.equal(code, plain.flip(-1)), "This is the plain binary code, highest bit first: from 7 to 8 it "
                 "flips four bits.")  # fmt: skip
            need(bool((flips > 0).all()), "Two neighbours share a code. Is the lowest bit lost on the way?")
            for p, count in enumerate(flips.tolist()):
                need(count == 1, f"From position {p} to the next, {count} bits flip; it should always be one.")
            need(len(code.unique(dim=0)) == length, "Two positions share a code.")
            far = as_tensor(answer(positions[-2:].clone(), dim), "gray of 2 positions", (2, dim))
            need(torch.equal(far, code[-2:]), "The code of a position should not depend on which others are asked for.")

    run_check("gray", answer, test, "One bit a step. Now look at its distances: does the far look far?")


def check_four_numbers(answer) -> None:
    """Check `codes` (64, 4): values in [-1, 1], distances that depend on p - q alone, smallest distance above 0.7."""

    def test() -> None:
        code = as_tensor(answer, "codes", (64, 4))
        need(code.abs().max().item() <= 1 + 1e-6, "All values should lie in [-1, 1].")
        distance = torch.cdist(code, code)  # (64, 64)
        spread = max((distance.diagonal(k).max() - distance.diagonal(k).min()).item() for k in range(1, 64))
        smallest = torch.pdist(code).min().item()
        if spread > 1e-3:
            raise NotYet(f"Distances should depend on p - q alone, and yours vary by {spread:.3f} at one p - q. A "
                         "shuffled grid does not look like time. What moves evenly and stays bounded?")  # fmt: skip
        need(smallest > 1e-3, "Two positions share a code: some speed brings all hands back at once.")
        need(smallest > 0.2, f"Your smallest distance is {smallest:.2f}. With one slow hand neighbours nearly touch; "
             "with two fast ones of like speed, positions far apart do.")  # fmt: skip
        need(
            smallest > 0.7,
            f"Your smallest distance is {smallest:.2f}; above 0.70 is possible. Search over the two speeds.",
        )

    run_check("four numbers", answer, test, "Two hands at well-chosen speeds. Notebook 03 takes d/2 of them.")
