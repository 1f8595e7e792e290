"""Homework 12: rows of q and k from half into interleaved order, and likely mistakes."""

from collections.abc import Callable

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.answers import as_tensor, watched
from posenc_helpers.classroom.exercises.checking import check
from posenc_helpers.classroom.exercises.forbidden import forbidding
from posenc_helpers.classroom.exercises.mistakes import Mistake, compare
from posenc_helpers.classroom.exercises.questions import drawn, whole
from posenc_helpers.encodings import convert_layout


def woven(rows: Tensor) -> Tensor:
    """Return rows (heads, rotary, ...) in half order in interleaved order."""
    return rows.unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2)


def blocks(rows: Tensor) -> Tensor:
    return rows.unflatten(1, (-1, 2)).transpose(1, 2).flatten(1, 2)


def moved(
    weave: Callable = woven,
    split: Callable = lambda weight, heads: weight.unflatten(0, (heads, -1)),
    join: Callable = lambda rows: rows.flatten(0, 1),
    ends: Callable = lambda rotary, d_head: (0, rotary),
) -> Callable:
    """Return an answer that is right but for how it weaves, what it takes for a head, or which rows of it turn."""

    def to_interleaved(weight: Tensor, heads: int, rotary: int) -> Tensor:
        rows = split(weight, heads)
        start, stop = ends(rotary, rows.shape[1])
        return join(torch.cat([rows[:, :start], weave(rows[:, start:stop]), rows[:, stop:]], dim=1))

    return to_interleaved


MISTAKES = {
    "bias left as it was": Mistake(
        "The matrix is right. The bias, a vector, has to move in the same way.",
        lambda weight, heads, rotary: weight if weight.ndim == 1 else moved()(weight, heads, rotary),
    ),
    "nothing moved": Mistake("The rows stand where they stood.", lambda weight, heads, rotary: weight.clone()),
    "the way back": Mistake(
        "That is the way from interleaved into half order: which order do the rows have before?",
        moved(blocks),
        moved(blocks, ends=lambda rotary, d_head: (0, d_head)),
    ),
    "heads ignored": Mistake(
        "You weave rows of one head with those of another. Each head is in half order for itself.",
        moved(split=lambda weight, heads: weight[None], ends=lambda rotary, rows: (0, rows)),
        moved(split=lambda weight, heads: weight[None]),
        lambda weight, heads, rotary: moved()(weight, 1, heads * rotary),
    ),
    "heads and rows exchanged": Mistake(
        "The rows lie head after head: the first axis of what you split off should be the heads.",
        moved(split=lambda weight, heads: weight.unflatten(0, (-1, heads)).transpose(0, 1)),
        moved(join=lambda rows: rows.transpose(0, 1).flatten(0, 1)),
    ),
    "rows that do not turn": Mistake(
        "In a head the first `rotary` rows turn and are moved; all others stay where they are.",
        moved(ends=lambda rotary, d_head: (0, d_head)),
        moved(ends=lambda rotary, d_head: (d_head - rotary, d_head)),
    ),
    "pairs turned over": Mistake(
        "Every pair lies the wrong way round: a comes before b.",
        moved(lambda rows: woven(rows).unflatten(1, (-1, 2)).flip(2).flatten(1, 2)),
    ),
    "columns moved": Mistake(
        "A row of the matrix makes a column of q: it is the rows that are moved.",
        lambda weight, *_: weight if weight.ndim == 1 else moved()(weight.T, 1, weight.shape[1] // 2 * 2).T,
    ),
}


@check("to interleaved", "Ready for code that wants neighbours for pairs.")
def check_homework(answer) -> None:
    """Check `to_interleaved(weight, heads, rotary)`, on matrices and vectors, with all or a part of a head turning."""
    ask = watched(forbidding(answer, "Write the moving of rows yourself, without `convert_layout`.", convert_layout))
    generator = drawn(120)
    count, pairs, still, width = (whole(generator, *ends) for ends in ((2, 5), (2, 6), (0, 5), (3, 12)))
    for kind, shape, heads, rotary in (
        ("weight", (3 * 10, 12), 3, 6),
        ("weight", (2 * 8, 8), 2, 8),
        ("weight", (1 * 12, 7), 1, 8),
        ("bias", (3 * 10,), 3, 6),
        ("weight", (count * (2 * pairs + still), width), count, 2 * pairs),
    ):
        weight = torch.randn(shape, generator=drawn(heads))
        inputs = weight, heads, rotary
        given = as_tensor(ask(*inputs), "to_interleaved", shape, whole=False)
        where = f"{heads} heads of {shape[0] // heads} rows, rotary {rotary}, {kind}: "
        otherwise = "Some rows stand elsewhere: try the example, then two heads."
        compare(given, moved()(*inputs), MISTAKES, otherwise, inputs, where)
