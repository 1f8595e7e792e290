"""Exercises of notebook 03: a row by hand, the shift matrix, and a million positions apart."""

import torch

from posenc_helpers.classroom.exercises.answers import as_number, as_tensor, watched
from posenc_helpers.classroom.exercises.checking import check, need
from posenc_helpers.classroom.exercises.mistakes import name_mistake, refuse
from posenc_helpers.classroom.exercises.questions import drawn, whole
from posenc_helpers.encodings import sinusoidal
from posenc_helpers.lessons.sinusoidal.mistakes import APART, MANY, PAIR, PE_2, ROW, SHIFT, nearest


@check("row", "Pair 2 has hardly moved: that is the slow hand.")
def check_row_by_hand(answer) -> None:
    """Check the six numbers of PE(2) for d = 6, interleaved, to two decimals."""
    row = as_tensor(answer, "row", (6,))
    wrong = (row - PE_2).abs().view(3, 2).amax(-1) > 0.006
    if wrong.any():
        for within in (1e-4, 0.006):  # two decimals do not tell all of them from one another
            name_mistake(ROW, row, within=within)
        pair = int(wrong.int().argmax())
        where, length = f"Pair {pair}: ", row.view(3, 2)[pair].norm()
        hint = "These two numbers cannot be sine and cosine of one angle: their squares do not sum to 1."
        need(bool((length - 1).abs() < 0.02), hint, where)
        need(False, "Sine and cosine of another angle. What is the pair's speed, and what the position?", where)


@check("shift_matrix", "One matrix for every p, also for shifts to the left.")
def check_shift_matrix(answer) -> None:
    """Check `shift_matrix(k, d)`: (d, d) with PE(p + k) = M PE(p) for every p, half layout."""
    ask = watched(answer)
    p = torch.tensor([*range(12), 260, 999], dtype=torch.float64)  # more places than columns, so that one matrix fits
    generator = drawn(30)
    for k, d in ((3, 8), (-2, 6), (40, 10), (5, 8), (whole(generator, -50, 50), 2 * whole(generator, 2, 6))):
        given = as_tensor(ask(k, d), f"shift_matrix({k}, {d})", (d, d), whole=False)
        before, after = (sinusoidal(places, d, layout="half") for places in (p, p + k))
        if (before @ given.T - after).abs().max() > 1e-4:
            name_mistake(SHIFT, given, (k, d), within=1e-4)
            outside = given.clone()
            for part in (0, d // 2, -(d // 2)):
                outside.diagonal(part).zero_()
            hint = "outside its own two columns a row should hold zeros. Are your quarters diagonal?"
            need(bool((outside.abs() < 1e-4).all()), f"Pairs are mixed: {hint}", name="pairs mixed")
            need(False, "No pair is mixed with another, but some do not turn by their angle: M PE(0) should be PE(k).")


@check("a million positions", "12 columns are the fewest that we found.")
def check_million(answer) -> None:
    """Check (base, d): codes of 0 ... 999,999 at least 0.5 apart, with d columns, as few as possible."""
    pair = answer.tolist() if hasattr(answer, "tolist") else answer
    need(isinstance(pair, tuple | list) and len(pair) == 2, "Give two numbers: (base, d).")
    base, d = (as_number(value, name) for value, name in zip(pair, ("base", "d"), strict=True))
    refuse(PAIR, base, d)
    if d <= 64:
        smallest, at = nearest(base, d)
        refuse(APART, base, d, where=f"Positions {at} apart are only {smallest:.3f} apart. ")
    refuse(MANY, base, d)
