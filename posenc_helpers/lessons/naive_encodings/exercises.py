"""Checks of notebook 02: the scorecard row of [i, 1, 0 ...], a Gray code, and four numbers that look like time."""

import math

import torch

from posenc_helpers.classroom.exercises.answers import as_number, as_tensor, watched
from posenc_helpers.classroom.exercises.checking import Outcome, need, run_check
from posenc_helpers.encodings import binary


def check_row(answer) -> Outcome:
    """Check the row {"unique", "consistent", "bounded"} of the codes [p, 1, 0, 0 ...] over positions 0 to 4095."""
    empty = isinstance(answer, dict) and any(value is ... for value in answer.values())

    def test() -> None:
        need(isinstance(answer, dict), "The row should stay a dictionary, with a number for each of its columns.")
        wanted = {"unique", "consistent", "bounded"}
        need(set(answer) == wanted, f"The row needs the columns {sorted(wanted)}, and yours are {[*answer]}.",
             name="other columns")  # fmt: skip
        yes_or_no = any(isinstance(value, bool) for value in answer.values())
        need(not yes_or_no, "The columns ask for numbers, not yes or no: how far apart, how much, how large?")
        endless = isinstance(answer["bounded"], float) and not math.isfinite(answer["bounded"])
        need(not endless, "It grows without bound, yes. How large is it at the last position that the column looks at?")
        unique, consistent, bounded = (as_number(answer[k], k) for k in ("unique", "consistent", "bounded"))
        need(abs(consistent) < 1e-6, "consistent asks whether the code of one and the same position depends on the "
             "length of the text. Is there an L in [p, 1, 0 ...]?")  # fmt: skip
        need(abs(bounded - 1) > 1e-6, "bounded asks for the largest value, and 1 is only the second column.")
        need(bounded != 63, "bounded looks at more positions than the first 64; the exercise says how many.")
        need(bounded != 4096, "Positions count from 0. What is the number of the last one?")
        need(abs(bounded) != 4095 or bounded > 0, "bounded is an absolute value: it has no sign.")
        need(bounded not in (2047, 2047.5, 2048), "bounded is the largest value of a column, not the middle one.")
        need(bounded == 4095, "bounded is the largest absolute value of a column, over all positions that it looks at.")
        need(unique != 0, "unique is 0 only if two positions share a code. Do they?")
        need(unique not in (4095, 4096), "unique is a distance, not a number of codes: the smallest between two of "
             "them.")  # fmt: skip
        need(abs(unique - 1) < 1e-6, "unique is the smallest distance between two codes. Take two neighbours, and "
             "note that the second column is the same for both.")  # fmt: skip

    return run_check("row", ... if empty else answer, test, "Unique and consistent, and all of it undone by one number that "
                     "never stops growing.")  # fmt: skip


def check_gray(answer) -> Outcome:
    """Check `gray(positions, dim)`: bits (L, dim) of a code whose neighbours differ in exactly one bit."""

    def test() -> None:
        ask = watched(answer)
        for length, dim in ((64, 6), (200, 9), (5, 4)):
            positions = torch.arange(length)
            code = as_tensor(ask(positions, dim), f"gray of {length} positions", (length, dim))
            need(bool(((code == 0) | (code == 1)).all()), "The code should hold nothing but 0 and 1.")
            flips = (code[1:] != code[:-1]).sum(-1)
            plain = binary(positions, dim).double()
            need(not torch.equal(code, plain), "This is the plain binary code: from 7 to 8 it flips four bits.")
            need(not torch.equal(code, plain.flip(-1)), "This is the plain binary code, highest bit first: from 7 to "
                 "8 it flips four bits.")  # fmt: skip
            same = lambda p: torch.equal(code, (p[:, None] >> torch.arange(dim) & 1).double())  # noqa: B023, E731
            need(not same(0 * positions), "Every position gets the same code.")
            need(not same(positions ^ (positions << 1)), "Each bit is compared with the one below it; the bit above "
                 "is meant.")  # fmt: skip
            need(not same(positions ^ (positions >> 2)), "Each bit is compared with the one two places above it.")
            need(not same(positions + (positions >> 1)), "You add; compare bit by bit, without a carry.")
            need(bool((flips > 0).all()), "Two neighbours share a code. Is the lowest bit lost on the way?")
            p = int((flips != 1).int().argmax())
            need(bool((flips == 1).all()), "More than one bit flips; it should always be one.", f"From position {p} "
                 f"to {p + 1}: ")  # fmt: skip
            need(len(code.unique(dim=0)) == length, "Two positions share a code.")
            far = as_tensor(ask(positions[-2:], dim), "gray of 2 positions", (2, dim))
            need(not torch.equal(far, code[:2]), "You take a piece from the start of a table, whichever positions "
                 "are asked for.")  # fmt: skip
            need(torch.equal(far, code[-2:]), "The code of a position should not depend on which others are asked for.")

    return run_check("gray", answer, test, "One bit a step. Now look at its distances: does the far look far?")


def check_four_numbers(answer) -> Outcome:
    """Check `codes` (64, 4): values in [-1, 1], distances that depend on p - q alone, smallest distance above 0.7."""

    def test() -> None:
        code = as_tensor(answer, "codes", (64, 4), whole=False)
        need(code.abs().max().item() <= 1 + 1e-6, "All values should lie in [-1, 1].", name="values beyond 1")
        distance = torch.cdist(code, code)  # (64, 64)
        spread = max((distance.diagonal(k).max() - distance.diagonal(k).min()).item() for k in range(1, 64))
        smallest = torch.pdist(code).min().item()
        need(spread < 1e-3, "A shuffled grid does not look like time. What moves evenly and stays bounded?",
             f"Distances should depend on p - q alone, and yours vary by {spread:.3f} at one p - q. ")  # fmt: skip
        need(smallest > 1e-3, "Two positions share a code: some speed brings all hands back at once.")
        where = f"Your smallest distance is {smallest:.2f}. "
        need(distance.diagonal(1).min().item() > 0.1, "Neighbours nearly touch: all hands are slow. Are the speeds "
             "radians, not degrees or turns?", where)  # fmt: skip
        need(smallest > 0.2, "Positions far apart nearly touch: two hands of like speed come back together.", where)
        need(smallest > 0.7, "Above 0.70 is possible. Search over the two speeds.", where)

    return run_check("four numbers", answer, test, "Two hands at well-chosen speeds. Notebook 03 takes d/2 of them.")
