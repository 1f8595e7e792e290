"""The usual mistakes in base ** (-2 i / d), the speeds of the pairs, for the exercises of notebooks 03 and 06."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.mistakes import Mistake

BASE = 10000.0
STILL = "The exponent lacks brackets: ** binds before * and /."

# {name: (hint, speeds)}: the speeds of whoever makes the mistake, from the numbers i of the pairs (d/2,), float64, and d
SPEEDS = {
    "exponent doubled or halved": (
        "The exponent is doubled or halved: i counts pairs, and a pair is two columns.",
        lambda i, d: BASE ** (-4 * i / d),
        lambda i, d: BASE ** (-i / d),
    ),
    "speeds in reverse order": (
        "Pair 0 is the fastest, and hands get slower from pair to pair: here the sign of the exponent is lost, or the "
        "speeds are in reverse order.",
        lambda i, d: BASE ** (2 * i / d),
        lambda i, d: BASE ** (-2 * i.flip(0) / d),
    ),
    "pairs counted from 1": (
        "Pairs are counted from 1: the first is pair 0, the fastest.",
        lambda i, d: BASE ** (-2 * (i + 1) / d),
    ),
    "exponent cut to a whole number": (
        "Each pair has a speed of its own; all pairs take one, or the exponent is cut to a whole number: // is not /.",
        lambda i, d: BASE ** (0 * i),
        lambda i, d: BASE ** (-2 * i // d),
    ),
    "divided too late": (
        "The division in the exponent comes too late: it lacks brackets.",
        lambda i, d: BASE ** (-2 * i) / d,
    ),
    "one pair too few": (
        "The exponent divides by one pair too few, as in tensor2tensor's formula.",
        lambda i, d: BASE ** (-i / max(1, d // 2 - 1)),
    ),
    "another base": (
        "The base is not 10,000, as it should be.",
        *(lambda i, d, base=base: base ** (-2 * i / d) for base in (math.e, 1000.0, 500000.0)),
    ),
    "degrees": (
        "Your hands turn in degrees: the angles are radians.",
        lambda i, d: BASE ** (-2 * i / d) * math.pi / 180,
    ),
}


def speed_mistakes(answer: Callable, columns: int | None = None) -> dict[str, Mistake]:
    """Return the rows of these mistakes in an exercise; answer(speeds) is the answer of whoever takes speeds(d): (d/2,).

    columns    d, where only one is asked for, by hand: two mistakes may give the same speeds there, up to 0.006, and
               the first of them is named

    Where the exponent `STILL` lacks its brackets, speeds are `still(d)` and nothing turns, which has other causes, too:
    each exercise has a row of its own for that.
    """
    rows, met = {}, []
    for name, (hint, *mistaken) in SPEEDS.items():
        wrong = []
        for speeds in map(of_width, mistaken):
            found = speeds(columns or 1000)
            if not any(torch.allclose(found, other, rtol=0, atol=0.006 if columns else 0) for other in met):
                met.append(found)
                wrong.append(answer(speeds))
        if wrong:
            rows[name] = Mistake(hint, *wrong)
    return rows


def of_width(speeds: Callable) -> Callable[[int], Tensor]:
    return lambda d: speeds(torch.arange(d // 2, dtype=torch.float64), d)


def still(d: int) -> Tensor:
    return BASE**-2 * torch.arange(d // 2, dtype=torch.float64) / d
