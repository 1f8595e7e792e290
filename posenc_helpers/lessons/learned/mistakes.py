"""Likely mistakes in the exercises of notebook 04."""

from collections.abc import Callable

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.mistakes import Mistake


def filled(numbers: float = 1026 * 1024, longest: float = 1024, untouched: float = 514) -> dict[str, float]:
    return {"numbers": numbers, "longest": longest, "untouched": untouched}


COUNTS = {
    "numbers: not all of the table, or something else": Mistake(
        "numbers: there is one table here, the decoder's, and each of its rows has 1024 numbers, also padding's and those "
        "that are never used. Count these, not bytes, nor rows alone; rows and columns multiply.",
        *(filled(numbers=rows * 1024) for rows in (512, 1, 4 * 1026)),
        holds=lambda numbers, longest, untouched: numbers == 1026 * 1024,
    ),
    "longest: other ids counted": Mistake(
        "longest: what the table could hold, not what training saw. With ids from 2 to the last row, both included, some "
        "rows hold no token of the text: how many ids are left?",
        *(filled(longest=rows) for rows in (512, 1022, 1023, 1025, 1026)),
        holds=lambda numbers, longest, untouched: longest == 1024,
    ),
    "untouched: off by one or two": Mistake(
        "untouched: off by one or two. Which ids does a text of 512 tokens have, the first and the last included? Row 1 "
        "belongs to padding, which the mask hides, so it is not reached either.",
        *(filled(untouched=rows) for rows in (513, 515, 516)),
        holds=lambda numbers, longest, untouched: untouched not in (511, 513, 515, 516),
    ),
    "untouched: other rows, or numbers": Mistake(
        "untouched: count rows, not numbers, and those that are not reached: those below the first id, and those behind the "
        "last one that occurs in a text of 512 tokens.",
        *(filled(untouched=rows) for rows in (0, 2, 512, 514 * 1024)),
        holds=lambda numbers, longest, untouched: untouched == 514,
    ),
}


def counted(mask: Tensor) -> Tensor:
    return mask.long().cumsum(-1)


def right_ids(mask: Tensor) -> Tensor:
    return (counted(mask) - 1).clamp(min=0)


def place(mask: Tensor) -> Tensor:
    return torch.arange(mask.shape[1]).expand(mask.shape)


NUMBER = {
    "first id not 0": Mistake(
        "The first real token should get 0, and only the first: take off one, no less (2 belongs to RoBERTa's table) and no "
        "more.",
        counted,
        lambda mask: counted(mask) + 1,
        lambda mask: (counted(mask) - 2).clamp(min=0),
    ),
    "places in the row": Mistake(
        "Your ids follow places in the row: padding is counted too, or too much is taken off. What moves a token is all the "
        "padding before it, and no other.",
        place,
        lambda mask: (place(mask) - mask.int().argmax(-1, keepdim=True)).clamp(min=0),
        lambda mask: (place(mask) - (~mask).sum(-1, keepdim=True)).clamp(min=0),
    ),
    "counted along another axis": Mistake(
        "Your count runs down the batch, or on from one text into the next: count along the last axis.",
        lambda mask: (mask.long().cumsum(0) - 1).clamp(min=0),
        lambda mask: mask.flatten().cumsum(0).view(mask.shape) - 1,
        lambda mask: mask.flatten().cumsum(0).view(mask.shape),
    ),
    "begun anew after a gap": Mistake(
        "Your count begins at 0 anew after a gap: it should go on.",
        lambda mask: (place(mask) - ((place(mask) + 1) * ~mask).cummax(-1).values).clamp(min=0),
    ),
    "one id for all real tokens": Mistake(
        "Every real token gets the same id: the mask is no count, and padding is not what to count. A running sum counts.",
        lambda mask: mask.long(),
        lambda mask: 0 * mask.long(),
    ),
    "counted in a type that is too small": Mistake(
        "The type of your ids is too small: int8 counts to 127, uint8 to 255.",
        lambda mask: right_ids(mask).to(torch.int8).long(),
    ),
    "padding gets an id without a row": Mistake(
        "Some padding gets a negative id, or one for which a table as long as the text has no row: nn.Embedding stops.",
        lambda mask: counted(mask) - 1,
        lambda mask: right_ids(mask).masked_fill(~mask, -100),
        holds=lambda ids, mask: bool(((ids >= 0) & (ids < mask.shape[1]))[~mask].all()),
    ),
}


def at(places: Callable) -> Callable:
    """Return an answer to exercise 3 that reads at places(number of the new row, old, rows), none beyond the last row."""

    def stretch(table: Tensor, rows: int) -> Tensor:
        place = places(torch.arange(rows, dtype=torch.float64), len(table), rows).clamp(0, len(table) - 1)
        below, share = place.long(), (place % 1)[:, None]
        return (1 - share) * table[below].double() + share * table[(below + 1).clamp(max=len(table) - 1)].double()

    return stretch


def near(change: Callable) -> Callable:
    """Return an answer to exercise 3 that reads at change(right places) in place of the right ones."""
    return at(lambda new, old, rows: change(new * (old - 1) / (rows - 1)))


right_stretch = near(lambda place: place)
STRETCH = {
    "edges lined up": Mistake(
        "You line up the edges of the cells, as image code does. Here the first and the last rows are the ends.",
        at(lambda new, old, rows: (new + 0.5) * old / rows - 0.5),
    ),
    "rows counted, not steps": Mistake(
        "Your places miss the last old row, or go beyond it. Count the steps between rows, not the rows, in the old table "
        "and in the new one.",
        at(lambda new, old, rows: new * old / rows),
        at(lambda new, old, rows: new * (old - 1) / rows),
        at(lambda new, old, rows: new * old / (rows - 1)),
    ),
    "half and half": Mistake(
        "You mix half and half, wherever the new row stands; the nearer of the two old rows should weigh more.",
        near(lambda place: (place.floor() + place.ceil()) / 2),
        near(lambda place: place.floor() + 0.5),
    ),
    "one line from end to end": Mistake(
        "You draw one line from the first row to the last; it should pass through every old row between them.",
        lambda table, rows: right_stretch(table[[0, -1]], rows),
    ),
    "weights swapped": Mistake(
        "The two weights are swapped: close to the row below, that row should weigh most.",
        near(lambda place: 2 * place.floor() + 1 - place),
        near(lambda place: 2 * place.floor().clamp(max=place.max() - 1) + 1 - place),
    ),
    "old rows not moved": Mistake(
        "The old rows stay where they were, and new ones, if any, follow. They should spread over the whole new table, from "
        "its first row to its last, with new rows between them.",
        lambda table, rows: torch.cat([table, torch.zeros(rows, table.shape[1])])[:rows],
        lambda table, rows: table[torch.arange(rows) % len(table)],
        holds=lambda given, table: len(given) <= len(table) or (given[: len(table)] - table).abs().max() > 1e-4,
    ),
    "old rows copied": Mistake(
        "You copy old rows (is a place cut to a whole number?); rows between two old ones should be a mixture of both.",
        near(torch.round),
        near(torch.floor),
        lambda table, rows: table.repeat_interleave(-(-rows // len(table)), 0)[:rows],
        holds=lambda given, table: bool(torch.cdist(given, table.double()).amin(1).max() > 1e-4),
    ),
}

MISTAKES = {"counts": COUNTS, "number": NUMBER, "stretch": STRETCH}
