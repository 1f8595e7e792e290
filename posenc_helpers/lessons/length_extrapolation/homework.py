"""Homework 08: where a model breaks on other draws of its test stretches, and likely mistakes."""

from collections.abc import Callable

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.answers import as_tensor, watched
from posenc_helpers.classroom.exercises.checking import check
from posenc_helpers.classroom.exercises.mistakes import Mistake, compare
from posenc_helpers.classroom.exercises.questions import drawn, whole


def found(
    curves: Callable = lambda losses, draws: losses[draws].mean(dim=1),
    level: Callable = lambda curves, losses, trained: curves[:, :trained].mean(dim=1, keepdim=True),
    smooth: tuple[int, int] = (4, 8),
    never: Callable = lambda trained, length: length,
    place: Callable = lambda above, trained: trained + above.int().argmax(dim=1),
) -> Callable:
    """Return an answer that is right but for one of its steps; `smooth`: how many before, how many together."""

    def breaks(losses: Tensor, draws: Tensor, trained: int, by: float) -> Tensor:
        curve, (before, together) = curves(losses, draws), smooth  # (N, L)
        around = curve[:, trained - before :].unfold(1, together, 1).mean(dim=-1)
        above = around > level(curve, losses, trained) + by
        return torch.where(above.any(dim=1), place(above, trained), never(trained, losses.shape[1]))

    return breaks


def shifted(off: Callable) -> Callable:
    return found(place=lambda above, trained: trained + off(trained) + above.int().argmax(dim=1))


def of_each(average: Callable) -> Callable:
    """Return the answer of whoever finds the break of each stretch, and averages the breaks of a draw."""

    def breaks(losses: Tensor, draws: Tensor, trained: int, by: float) -> Tensor:
        alone = found()(losses, torch.arange(len(losses))[:, None], trained, by)  # (W,)
        return average(alone[draws].double()).long()

    return breaks


MISTAKES = {
    "never is not L": Mistake(
        "A draw that never breaks should give L. (argmax of a row without True is 0.)",
        *(found(never=value) for value in (lambda t, n: t, lambda t, n: -1, lambda t, n: 0, lambda t, n: n - 1)),
    ),
    "shifted": Mistake(
        "Positions count from the text's beginning, and p has the eight losses at p - 4 to p + 3. Yours are others.",
        *(shifted(off) for off in (lambda t: -t, lambda t: -4, lambda t: 4, lambda t: -1, lambda t: 1)),
        *(found(smooth=smooth) for smooth in ((7, 8), (0, 8), (3, 8), (4, 9))),
    ),
    "not averaged over places": Mistake(
        "One hard word decides here: the loss at p is the mean of eight around it.", found(smooth=(0, 1))
    ),
    "level of other stretches": Mistake(
        "The level is that of the draw itself, not that of all stretches.",
        found(level=lambda curves, losses, trained: losses[:, :trained].mean()),
    ),
    "level of other places": Mistake(
        "The level is the mean over the first `trained` positions alone.",
        found(level=lambda curves, losses, trained: curves.mean(dim=1, keepdim=True)),
        found(level=lambda curves, losses, trained: curves[:, trained - 1 : trained]),
    ),
    "draws ignored": Mistake(
        "Each draw has a break of its own: take the stretches that its row names, as often as it names them.",
        found(curves=lambda losses, draws: losses.mean(dim=0).expand(len(draws), -1)),
        found(curves=lambda losses, draws: torch.stack([losses[row.unique()].mean(dim=0) for row in draws])),
    ),
    "breaks averaged": Mistake(
        "You average the breaks of single stretches. Average their losses first, then look for the break.",
        of_each(lambda found: found.mean(dim=1)),
        of_each(lambda found: found.median(dim=1).values),
    ),
}


@check("breaks", "A break is a measurement, and has a spread.")
def check_homework(answer) -> None:
    """Check `breaks(losses, draws, trained, by)` -> (N,), on stretches that break at places of their own."""
    ask = watched(answer)
    generator = drawn(80)
    many, after, short, size = (whole(generator, *ends) for ends in ((3, 7), (80, 120), (12, 40), (2, 6)))
    sizes = (5, 90, 32, 0.3), (4, 64, 16, 0.15), (6, 130, 24, 0.5), (many, short + after, short, size / 10)
    for seed, (stretches, length, trained, by) in enumerate(sizes):
        generator = drawn(seed)
        losses = 1 + 2 * torch.rand(stretches, 1, generator=generator, dtype=torch.float64)  # hard and easy ones
        losses = losses + 0.3 * by * torch.randn(stretches, length, generator=generator, dtype=torch.float64)
        for stretch in range(1, stretches):  # the first never breaks; the rises of the others end before the text
            losses[stretch, trained + 7 * stretch : length - 12] += 3 * by
        losses[:, 5:10] += 3 * by  # before the end of training nothing is a break
        losses[0, -1] += 9.5 * by  # too little for eight losses, enough for fewer
        draws = torch.randint(stretches, (12, stretches), generator=generator)
        draws[0] = 0
        inputs = losses, draws, trained, by
        given = as_tensor(ask(*inputs), "breaks", (12,), whole=True)
        where = f"{stretches} stretches of {length}, trained {trained}, by {by}: "
        otherwise = "Some draws break elsewhere: go through the definition with the example by hand."
        compare(given, found()(*inputs), MISTAKES, otherwise, inputs, where)
