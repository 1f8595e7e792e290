"""Likely mistakes as data: a short name, the hint, and the answer of whoever makes it.

A table is {name: Mistake}. The name says in a few words what is wrong: in the guide, and in the report of a graded class.
`lessons/NAME/mistakes.py` has MISTAKES = {exercise: table}; checks, guide, grading and tests read the same rows.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.checking import NotYet, need
from posenc_helpers.classroom.exercises.questions import reordered


class Mistake:
    """A likely mistake in one exercise.

    hint    what the reader is told; it never holds the right value or formula
    wrong   answers of whoever makes it, as she would give them to the check: functions, classes, numbers
    holds   for an answer that is judged by what it does, not compared: whether it passes, where this mistake fails
    """

    def __init__(self, hint: str, *wrong, holds: Callable[..., bool] | None = None):
        self.hint, self.wrong, self.holds = hint, wrong, holds


def refuse(mistakes: dict[str, Mistake], *asked, where: str = "") -> None:
    """Raise NotYet with the first of `mistakes` whose `holds(*asked)` is false, as they stand or as a grader orders them."""
    for name, mistake in reordered([*mistakes.items()]):
        need(mistake.holds is None or mistake.holds(*asked), mistake.hint, where, name)


def compare(
    given: Tensor,
    right: Tensor,
    mistakes: dict[str, Mistake],
    otherwise: str,
    inputs: tuple = (),
    where: str = "",
    within: float = 1e-5,
    read: Callable = torch.as_tensor,
) -> None:
    """Raise NotYet where `given` is off `right` by more than `within`: with what `name_mistake` finds, or `otherwise`."""
    if not ((given - torch.as_tensor(right).double()).abs() <= within).all():  # NaN is off, too
        name_mistake(mistakes, given, inputs, where, within, read)
        raise NotYet(otherwise, where)


def name_mistake(
    mistakes: dict[str, Mistake],
    given: Tensor,
    inputs: tuple = (),
    where: str = "",
    within: float = 1e-5,
    read: Callable = torch.as_tensor,
) -> None:
    """Raise NotYet with the first of `mistakes` of which some wrong answer gives `given` for `inputs`, up to `within`.

    where    for which input, at the beginning of the hint
    read     what of a wrong answer, or of what it returns, is compared: one of two rows, say
    """
    given = torch.as_tensor(given)
    for name, mistake in mistakes.items():
        for wrong in mistake.wrong:
            made = torch.as_tensor(read(wrong(*inputs) if callable(wrong) else wrong), device=given.device)
            if made.shape == given.shape and torch.allclose(made.double(), given.double(), rtol=0, atol=within):
                raise NotYet(mistake.hint, where, name)
