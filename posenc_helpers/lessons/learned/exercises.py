"""Exercises of notebook 04: rows and tokens, ids from a mask, and a stretched table."""

from operator import itemgetter

import numpy as np
import torch
from torch.nn.functional import interpolate

from posenc_helpers.classroom.exercises.answers import as_number, as_tensor, watched
from posenc_helpers.classroom.exercises.checking import check, need
from posenc_helpers.classroom.exercises.forbidden import forbidding
from posenc_helpers.classroom.exercises.mistakes import compare, name_mistake, refuse
from posenc_helpers.classroom.exercises.questions import drawn, whole
from posenc_helpers.lessons.learned.mistakes import COUNTS, NUMBER, STRETCH, filled, right_ids, right_stretch


@check("counts", "Half of the table is still what it was drawn with.")
def check_counts(answer) -> None:
    """Check the three numbers about a table of 1026 rows, width 1024, whose ids start at 2."""
    is_whole = isinstance(answer, dict) and answer.keys() == filled().keys()
    need(is_whole, "Give a dict with the three keys numbers, longest and untouched.")
    need(all(value is not ... for value in answer.values()), "One of the three is still the dots.")
    refuse(COUNTS, *(as_number(answer[name], name) for name in filled()))


MASKS = [
    ("padding on the right", [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]]),
    ("no padding", [[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1]]),
    ("padding on the left", [[1, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]]),
    ("padding in the middle", [[1, 0, 0, 1, 1, 0, 1], [0, 1, 0, 1, 0, 1, 0]]),
    ("a row of padding alone", [[0, 0, 0], [1, 1, 1]]),
    ("300 tokens", [[1] * 300]),
]


@check("number", "Left, right or in between: real tokens are counted, padding has a row.")
def check_number(answer) -> None:
    """Check `number(mask)`: (B, L) ids that count the real tokens of each row from 0; padding gets an id that exists."""
    why = "Number them without the package: `position_ids` is what you build."
    ask = watched(forbidding(answer, why, package=True))
    generator = drawn(40)
    anywhere = torch.rand(whole(generator, 2, 9), whole(generator, 5, 24), generator=generator) < 0.6
    for what, rows in (*MASKS, ("padding anywhere", anywhere)):
        mask, where = torch.as_tensor(rows, dtype=torch.bool), f"With {what}: "
        given = ask(mask)
        ids = as_tensor(given, f"number(mask) with {what}", tuple(mask.shape))
        need(torch.equal(ids, ids.round()), "Ids are whole numbers.")
        otherwise = "The real tokens of a row should get 0, 1, 2 ... in order."
        of_tokens = itemgetter(mask)  # what padding gets says nothing about how tokens are counted
        compare(of_tokens(ids), of_tokens(right_ids(mask)), NUMBER, otherwise, (mask,), where, read=of_tokens)
        refuse(NUMBER, ids, mask, where=where)
        as_tensor(given, "number(mask)", tuple(mask.shape), whole=True)


@check("stretch", "The ends stay, the rest is read off between the old rows.")
def check_stretch(answer) -> None:
    """Check `stretch(table, rows)`: linear interpolation between old rows, the first and the last one kept."""
    generator = drawn(4)
    alone = "Read the new rows off with indexing and arithmetic alone."
    ask = watched(forbidding(answer, alone, interpolate, np.interp, package=True, operations=("upsample", "grid_")))
    other = tuple(whole(generator, 3, 20) for _ in range(3))
    for old, rows, d in ((3, 5, 2), (5, 8, 4), (7, 20, 3), (9, 4, 6), (6, 6, 5), other):
        table = torch.randn(old, d, generator=generator)
        given = as_tensor(ask(table, rows), f"stretch of {old} rows to {rows}", (rows, d), whole=False)
        off = (given - right_stretch(table, rows)).abs().amax(-1) > 1e-4
        if off.any():
            name_mistake(STRETCH, given, (table, rows), within=1e-4)
            refuse(STRETCH, given, table)
            where = f"Stretching {old} rows to {rows}: "
            need(not off[0] and not off[-1], "The first row and the last should be kept as they are.", where)
            hint = "The rows between are not on the straight line between their two neighbours in the old table."
            need(False, hint, where)
