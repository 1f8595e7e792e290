"""Exercises of notebook 02: the scorecard row of [i, 1, 0 ...], a Gray code, and four numbers that look like time."""

import torch

from posenc_helpers.classroom.exercises.answers import as_number, as_tensor, watched
from posenc_helpers.classroom.exercises.checking import check, need
from posenc_helpers.classroom.exercises.mistakes import name_mistake, refuse
from posenc_helpers.classroom.exercises.questions import drawn, whole
from posenc_helpers.lessons.naive_encodings.mistakes import GRAY, IGNORED, NUMBERS, ROW, filled


@check("row", "Unique and consistent, and all of it undone by one number that never stops growing.")
def check_row(answer) -> None:
    """Check the row {"unique", "consistent", "bounded"} of the codes [p, 1, 0, 0 ...] over positions 0 to 4095."""
    need(isinstance(answer, dict), "The row should stay a dictionary, with a number for each of its columns.")
    columns = [*filled()]
    need({*answer} == {*columns}, "Give the row the columns unique, consistent and bounded, and no others.")
    values = (answer[name] for name in columns)
    refuse(ROW, *(v if isinstance(v, float) else as_number(v, k) for k, v in zip(columns, values, strict=True)))


@check("gray", "One bit a step. Now look at its distances: does the far look far?")
def check_gray(answer) -> None:
    """Check `gray(positions, dim)`: bits (L, dim) of a code whose neighbours differ in exactly one bit."""
    ask = watched(answer)
    generator = drawn(20)
    other = whole(generator, 5, 10)
    for length, dim in ((64, 6), (200, 9), (5, 4), (whole(generator, 3, 2**other), other)):
        positions = torch.arange(length)
        code = as_tensor(ask(positions, dim), f"gray of {length} positions", (length, dim))
        need(bool(((code == 0) | (code == 1)).all()), "The code should hold nothing but 0 and 1.")
        flips = (code[1:] != code[:-1]).sum(-1)
        if (flips != 1).any():
            name_mistake(GRAY, code, (positions, dim))
            p = int((flips != 1).int().argmax())
            need(False, "One bit should flip, no more and no fewer.", f"From position {p} to {p + 1}: ")
        need(len(code.unique(dim=0)) == length, "Two positions share a code.")
        last = positions[-2:]
        far = as_tensor(ask(last, dim), "gray of 2 positions", (2, dim))
        if not torch.equal(far, code[-2:]):
            name_mistake(IGNORED, far, (last, dim))  # two codes are too few to tell the other mistakes
            need(False, "The code of a position should not depend on which others are asked for.")


@check("four numbers", "Two hands at well-chosen speeds. Notebook 03 takes d/2 of them.")
def check_four_numbers(answer) -> None:
    """Check `codes` (64, 4): values in [-1, 1], distances that depend on p - q alone, smallest distance above 0.7."""
    codes = as_tensor(answer, "codes", (64, 4), whole=False)
    refuse(NUMBERS, codes)
    smallest = torch.pdist(codes).min().item()
    hint = "Above 0.70 is possible. Search over the two speeds."
    need(smallest > 0.7, hint, f"Your smallest distance is {smallest:.2f}. ")
