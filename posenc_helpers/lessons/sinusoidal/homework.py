"""Homework 03: positions read back from rounded codes; the check, and likely mistakes."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.answers import as_tensor, watched
from posenc_helpers.classroom.exercises.checking import check
from posenc_helpers.classroom.exercises.mistakes import Mistake, compare
from posenc_helpers.classroom.exercises.questions import drawn, whole
from posenc_helpers.classroom.exercises.speeds import speed_mistakes
from posenc_helpers.encodings import frequencies, sinusoidal

TURN = 2 * math.pi
NEAR = 0.03  # tokens by which an answer may be off


def exact(d: int) -> Tensor:
    return frequencies(d, dtype=torch.float64)


def angles(sine: Tensor, cosine: Tensor) -> Tensor:
    return torch.atan2(sine, cosine) % TURN


def unwrapped(rough: Tensor, angle: Tensor, speed: Tensor) -> Tensor:
    """Return the place nearest to `rough` at which a hand of this speed stands at `angle`."""
    return (angle + TURN * ((rough * speed - angle) / TURN).round()) / speed


def reading(
    speeds: Callable = exact,
    angle: Callable = angles,
    columns: Callable = lambda rows: (rows[:, ::2], rows[:, 1::2]),
    step: Callable = unwrapped,
    asked: Callable = lambda hands: hands,
) -> Callable:
    """Return an answer that takes the place that the first of the hands `asked` says, and corrects it by each next one;
    `asked` has the numbers of all hands, the slowest first."""

    def position_of(rows: Tensor) -> Tensor:
        stands, speed = angle(*columns(rows.double())), speeds(rows.shape[1])
        first, *others = asked([*range(len(speed))][::-1])
        place = stands[:, first] / speed[first]
        for i in others:
            place = step(place, stands[:, i], speed[i])
        return place

    return position_of


MISTAKES = {
    "the slow hand alone": Mistake(
        "Roughly right: the slowest hand alone says this. What can the faster hands add?",
        reading(asked=lambda hands: hands[:1]),
    ),
    "the fast hand alone": Mistake(
        "Within its first turn: hand 0 alone says this. It comes round every 6.28 tokens; which turn is it in?",
        lambda rows: angles(rows[:, 0], rows[:, 1]).double(),
        lambda rows: torch.atan2(rows[:, 0], rows[:, 1]).double(),
    ),
    "hands left out": Mistake(
        "Hands are left out. From the slowest to the fastest is too far where there are more than two: a rough place does "
        "not tell which turn of the fastest hand it is. Each hand has a say.",
        reading(asked=lambda hands: [hands[0], hands[-1]]),
        reading(asked=lambda hands: hands[:-1]),
    ),
    "sine and cosine swapped": Mistake(
        "Sine and cosine are swapped: angles grow from the top, where the sine is 0 and the cosine 1.",
        reading(angle=lambda sine, cosine: angles(cosine, sine)),
    ),
    "half a turn lost": Mistake(
        "One of sine and cosine alone fixes no angle: half of each turn is lost. Take both.",
        reading(angle=lambda sine, cosine: sine.asin() % TURN),
        reading(angle=lambda sine, cosine: sine.asin()),
        reading(angle=lambda sine, cosine: cosine.acos()),
        reading(angle=lambda sine, cosine: (sine / cosine).atan()),
    ),
    "angles below zero": Mistake(
        "Angles run from minus half a turn to half a turn: where the slowest hand is past half a turn, places are negative.",
        reading(angle=torch.atan2),
    ),
    "whole turns cut off": Mistake(
        "Off by one turn of a hand in some rows: the number of whole turns is cut off, where the nearest one is needed.",
        reading(step=lambda rough, angle, speed: (angle + TURN * (rough * speed // TURN)) / speed),
        reading(step=lambda rough, angle, speed: (angle + TURN * ((rough * speed - angle) // TURN)) / speed),
    ),
    "radians counted as turns": Mistake(
        "The number of turns is counted in radians: one turn is 2π of them.",
        reading(step=lambda rough, angle, speed: (angle + TURN * (rough * speed - angle).round()) / speed),
    ),
    "from fast to slow": Mistake(
        "The hands are asked from fast to slow, so the roughest has the last word. Begin with it.",
        reading(asked=lambda hands: hands[::-1]),
    ),
    "the other layout": Mistake(
        "The first half of the columns is read as sines. Here each cosine stands beside its sine.",
        reading(columns=lambda rows: rows.chunk(2, dim=-1)),
    ),
    "rounded to whole positions": Mistake(
        "The results are rounded to whole positions, or cut off. They need not be whole.",
        lambda rows: reading()(rows).round(),
        lambda rows: reading()(rows).floor(),
    ),
    **speed_mistakes(lambda speeds: reading(speeds)),
}


@check("position_of", "Each hand says which turn the next faster one is in.")
def check_homework(answer) -> None:
    """Check `position_of(rows)`: (N, d) codes, interleaved, rounded to two decimals, to (N,) positions."""
    ask, generator = watched(answer), drawn(3)
    other = (2 ** whole(generator, 2, 4), torch.float64, whole(generator, 40, 200))
    for d, dtype, count in ((16, torch.float64, 100), (8, torch.float32, 100), (4, torch.float64, 100), other):
        share = 0.1 + 0.8 * torch.rand(count, generator=generator, dtype=torch.float64)
        places = share * TURN / exact(d)[-1]
        rows = sinusoidal(places, d).to(dtype).round(decimals=2)
        made = as_tensor(ask(rows), "position_of(rows)", (count,), whole=False)
        where = f"d = {d}, {int(((made - places).abs() > NEAR).sum())} of {count} rows: "
        otherwise = "Turn each row's angles into places, and ask which place fits all hands."
        compare(made, places, MISTAKES, otherwise, (rows,), where, within=NEAR)
