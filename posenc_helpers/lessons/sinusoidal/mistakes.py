"""Likely mistakes in the exercises of notebook 03."""

from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.mistakes import Mistake
from posenc_helpers.classroom.exercises.speeds import speed_mistakes, still
from posenc_helpers.encodings import frequencies, sinusoidal


def row_of(speeds: Callable, position: int = 2) -> Tensor:
    """Return six numbers, interleaved, of hands at speeds(6) (3,)."""
    angle = position * speeds(6)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten()


PE_2 = row_of(frequencies)
COLUMN = torch.arange(6)
ALONE = 2 * 10000.0 ** (-COLUMN / 6)
ROW = {
    "the other layout": Mistake(
        "These are the right numbers in the other layout: the paper puts each cosine beside its sine.",
        sinusoidal(torch.tensor(2.0), 6, layout="half"),
    ),
    "sine and cosine swapped": Mistake(
        "Sine and cosine are swapped: column 2i is the sine.", PE_2.view(3, 2).flip(-1).flatten()
    ),
    "another position": Mistake(
        "This is another position: they count from 0, and 2 is asked for. (If nothing turns, the exponent lacks brackets: "
        "** binds before * and /.)",
        *(row_of(frequencies, position) for position in (0, 1, 3, 4)),
        row_of(still),
    ),
    **speed_mistakes(row_of),
    "a speed for each column": Mistake(
        "Each column has a speed of its own here; the two columns of a pair share one.",
        torch.where(COLUMN % 2 == 0, ALONE.sin(), ALONE.cos()),
    ),
    "a sign lost": Mistake("A sign is lost: the cosine of an angle beyond a quarter turn is negative.", PE_2.abs()),
    "too few decimals": Mistake(
        "Give two decimals: rounded to one, or to whole numbers, your numbers no longer tell one angle from another.",
        PE_2.round(decimals=1),
        PE_2.round(),
        PE_2.trunc(),
    ),
}


def turns(angle: Callable, block: Callable = lambda cos, sin: ((cos, sin), (-sin, cos))) -> Callable:
    """Return an answer to exercise 2, half layout, whose pairs turn by angle(k, d) (d/2,); block(cos, sin) are four numbers
    of a pair."""

    def shift_matrix(k: int, d: int) -> Tensor:
        by = torch.as_tensor(angle(k, d), dtype=torch.float64)
        return torch.cat([torch.cat(part, dim=1) for part in block(by.cos().diag(), by.sin().diag())])

    return shift_matrix


def right_angle(k: int, d: int) -> Tensor:
    return k * frequencies(d, dtype=torch.float64)


right_shift = turns(right_angle)


def interleaved(k: int, d: int) -> Tensor:
    order = torch.arange(d).view(2, -1).T.flatten()
    return right_shift(k, d)[order][:, order]


SHIFT = {
    "negative k": Mistake(
        "Right for positive k; a negative k turns the hands back.",
        lambda k, d: right_shift(abs(k), d),
        lambda k, d: right_shift(max(0, k), d),
    ),
    "nothing turns": Mistake(
        "Nothing turns: k is not used, or the exponent lacks brackets (** binds before * and /).",
        lambda k, d: torch.eye(d),
    ),
    "interleaved layout": Mistake(
        "Your matrix has the interleaved layout. Here the columns of a pair stand d/2 apart.",
        interleaved,
        lambda k, d: interleaved(-k, d),
    ),
    "sine and cosine swapped": Mistake(
        "Sines stand where the cosines belong: for k = 0 nothing may change.",
        turns(right_angle, lambda cos, sin: ((sin, cos), (-cos, sin))),
        turns(right_angle, lambda cos, sin: ((sin, -cos), (cos, sin))),
    ),
    "signs of the two sines": Mistake(
        "The two sines have each other's sign, so your matrix shifts by -k, or they have one sign: a turn needs "
        "opposite ones.",
        lambda k, d: right_shift(-k, d),
        turns(right_angle, lambda cos, sin: ((cos, sin), (sin, cos))),
        turns(right_angle, lambda cos, sin: ((cos, sin), (sin, -cos))),
    ),
    "shifted by another k": Mistake(
        "This shifts by one more or less than k, or by 1 whatever k is.",
        lambda k, d: right_shift(1, d),
        lambda k, d: right_shift(k + 1, d),
        lambda k, d: right_shift(k - 1, d),
    ),
    **speed_mistakes(lambda speeds: turns(lambda k, d: k * speeds(d))),
    "a pair stretched": Mistake(
        "Your matrix changes lengths: a shift turns every pair and stretches none. Each takes two cosines and two sines.",
        lambda k, d: torch.zeros(d, d),
        turns(right_angle, lambda cos, sin: ((cos, 0 * sin), (0 * sin, cos))),
    ),
}


@cache
def nearest(base: float, d: float) -> tuple[float, int]:
    """Return the smallest distance of two codes among 0 ... 999,999, and how far apart these two are."""
    offsets = torch.arange(1, 1_000_000, dtype=torch.float64)
    squared = sum(4 * (offsets * speed / 2).sin() ** 2 for speed in frequencies(int(d), base, dtype=torch.float64))
    return squared.min().sqrt().item(), int(offsets[squared.argmin()])


def slow(base: float, d: float) -> bool:
    """Whether most hands have hardly moved where two codes are nearest."""
    return bool((nearest(base, d)[1] * frequencies(int(d), base, dtype=torch.float64)).median() < 1)


PAIR = {
    "base and d swapped": Mistake(
        "Give (base, d) in this order: the base first.", (12, 500), holds=lambda base, d: d <= 64 or base > 64
    ),
    "no base, or no number of columns": Mistake(
        "The base should be above 0, and d an even whole number of columns, 2 or more.",
        *((500, 11), (500, 12.5), (500, 0), (0, 12), (-500, 12)),
        holds=lambda base, d: base > 0 and d >= 2 and d % 2 == 0,
    ),
}
APART = {
    "hands too slow": Mistake(
        "Most hands have hardly moved by then: they are too slow, so lower the base.",
        (1e9, 12),
        holds=lambda base, d: nearest(base, d)[0] > 0.5 or not slow(base, d),
    ),
    "hands come back together": Mistake(
        "The hands come back together there: another base, or more columns.",
        (500, 10),
        (1, 12),
        holds=lambda base, d: nearest(base, d)[0] > 0.5,
    ),
}
MANY = {
    "more columns than needed": Mistake(
        "Fewer columns will do: 12 or fewer pass.", (10000, 512), (10000, 14), holds=lambda base, d: d <= 12
    )
}
MISTAKES = {"row_by_hand": ROW, "shift_matrix": SHIFT, "million": PAIR | APART | MANY}
