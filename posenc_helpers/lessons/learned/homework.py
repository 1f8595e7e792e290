"""Homework of notebook 04: which rows of a table did training never reach, if weight decay shrank them all?"""

from collections.abc import Callable

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.answers import as_tensor, watched
from posenc_helpers.classroom.exercises.checking import check
from posenc_helpers.classroom.exercises.mistakes import Mistake, compare
from posenc_helpers.classroom.exercises.questions import drawn, whole


def right(start: Tensor, now: Tensor, within: float = 1e-4) -> Tensor:
    factor = (start * now).sum(-1) / start.square().sum(-1).clamp(min=1e-30)  # (rows,)
    return (now - factor[:, None] * start).norm(dim=-1) <= within * start.norm(dim=-1)


def cosine_above(bound: float) -> Callable:
    """Return the answer of whoever asks for a cosine above `bound`, which is NaN for a row of zeros."""
    return lambda start, now: (start * now).sum(-1) / (start.norm(dim=-1) * now.norm(dim=-1)) > bound


def shrunk(start: Tensor, now: Tensor) -> Tensor:
    return now.norm(dim=-1) / start.norm(dim=-1).clamp(min=1e-30)  # (rows,)


MISTAKES = {
    "the unknown factor is not reckoned with": Mistake(
        "Weight decay shrinks unreached rows, too, by a factor that nobody tells you. You compare with the start itself, or "
        "with a factor that belongs to another row or to the whole table.",
        lambda start, now: (now == start).all(-1),
    ),
    "lengths alone, or how far a row moved": Mistake(
        "How far a row moved, or how much shorter it is, does not tell: a reached row can end with any length. What of a "
        "row does weight decay leave alone?",
        lambda start, now: shrunk(start, now) <= 1,
        lambda start, now: (shrunk(start, now) - shrunk(start, now).median()).abs() < 1e-4,
        lambda start, now: (now - start).norm(dim=-1) < 0.25,
    ),
    "nearly parallel taken for parallel": Mistake(
        "Some reached rows have hardly turned: your bound is too wide. Only rounding should pass.",
        lambda start, now: right(start, now, 0.1),
        cosine_above(0.999),
    ),
    "exactly one factor asked for": Mistake(
        "You ask for exactly one factor in all columns of a row. Many steps have rounded each number in its own way, and 0 "
        "divided by 0 is NaN.",
        lambda start, now: (now / start == now[:, :1] / start[:, :1]).all(-1),
    ),
    "a row of zeros": Mistake(
        "A row that began as zeros and still holds zeros was not reached, and you say otherwise. What is its direction?",
        cosine_above(1 - 1e-6),
    ),
    "the longest text taken from the table": Mistake(
        "You say unreached from some row on, to the end. Rows without a text can stand anywhere: judge each by itself.",
        lambda start, now: right(start, now).cummax(0).values,
        lambda start, now: torch.arange(len(now)) >= right(start, now)[1:].int().argmax() + 1,
    ),
    "turned over": Mistake("It is the other way round: True for rows never reached.", lambda *given: ~right(*given)),
}


def trained(reached: list[int], zeros: list[int], rows: int, decay: float, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Return a table (rows, 8) at the start and after 60 steps, in which the `reached` rows moved, by little or a lot."""
    generator = drawn(rows)
    start = torch.randn(rows, 8, generator=generator, dtype=dtype) / 2
    start[zeros] = 0
    now = start.clone()
    for _ in range(60):
        now *= decay
    for k, row in enumerate(reached):
        push = torch.randn(8, generator=generator, dtype=dtype)
        push -= push @ now[row] / now[row].square().sum().clamp(min=1e-30) * now[row]  # across the row
        push += 0.5 * push.norm() * now[row] / now[row].norm().clamp(min=1e-30)  # and a little along it
        moved = now[row] + (0.02, 0.3, 2.0)[k % 3] * (now[row].norm() + 0.1) * push / push.norm()
        now[row] = moved * (now[row].norm() / moved.norm() if k == 1 else 1)  # one keeps its length
    return start, now


@check("never_reached", "A row that only shrank has learned nothing.")
def check_homework(answer) -> None:
    """Check `never_reached(start, now)`: True for each row that training left alone, (rows,), whatever the decay."""
    ask = watched(answer)
    generator = drawn(44)
    many = whole(generator, 6, 60)
    order = torch.randperm(many, generator=generator).tolist()
    for reached, zeros, rows, decay, dtype in (
        ([3, 4, 2, 6, 7, 9, 11], [0, 6], 12, 0.998, torch.float32),
        ([0, 1, 2, 3, 5], [], 9, 1.0, torch.float64),
        ([], [1], 5, 0.99, torch.float32),
        ([0, 1, 2], [], 3, 0.999, torch.float64),
        (order[: many // 2], order[-1:], many, 0.997, torch.float32),
    ):
        given = trained(reached, zeros, rows, decay, dtype)
        found = as_tensor(ask(*given), "never_reached", (rows,))
        where = f"Table of {rows} rows, row {int((found != right(*given)).int().argmax())}: "
        otherwise = "This row gets the wrong answer."
        compare(found, right(*given), MISTAKES, otherwise, given, where)
