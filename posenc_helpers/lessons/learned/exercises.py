"""Checks of notebook 04: rows and tokens, ids from a mask, and a stretched table."""

import numpy as np
import torch
from torch import Generator, Tensor
from torch.nn.functional import interpolate

from posenc_helpers.classroom.exercises.answers import as_number, as_tensor, watched
from posenc_helpers.classroom.exercises.checking import Outcome, need, run_check
from posenc_helpers.classroom.exercises.forbidden import forbidding


def check_counts(answer) -> Outcome:
    """Check the three numbers about a table of 1026 rows, width 1024, whose ids start at 2."""
    given = answer if isinstance(answer, dict) else {}
    names = ("numbers", "longest", "untouched")
    if given and all(given.get(name) is ... for name in names):
        answer = ...  # the stub as it was

    def test() -> None:
        need(set(given) == set(names), "Give a dict with the three keys numbers, longest and untouched.")
        need(all(given[name] is not ... for name in names), "One of the three is still the dots.")
        numbers, longest, untouched = (as_number(given[name], name) for name in names)
        need(numbers != 1024 * 1024, "numbers: the two rows below id 2 are numbers too.")
        need(numbers != 1026 * 1024 * 4, "numbers: these are bytes; count the numbers.")
        need(numbers != 1025 * 1024, "numbers: padding's row is stored like any other.")
        need(numbers != 2 * 1026 * 1024, "numbers: there is one table here, the decoder's.")
        need(numbers != 1026 + 1024, "numbers: rows and columns multiply.")
        need(numbers == 1026 * 1024, "numbers: every row has 1024 of them, whether it is used or not.")
        need(longest != 1026, "longest: with ids from 2 on, two rows of the table hold no token of the text.")
        need(longest != 1025, "longest: 1025 is the last *id*; the first is 2.")
        need(longest != 1023, "longest: count the first and the last id, both.")
        need(longest != 512, "longest: 512 is what training saw, not what the table could hold.")
        need(longest == 1024, "longest: the ids run from 2 to the last row. How many are that?")
        need(untouched != 512, "untouched: 512 rows are reached. How many does the table have, with those below id 2?")
        need(untouched < 1026, "untouched: count rows, not numbers.")
        need(
            untouched != 513, "untouched: row 1 belongs to padding, which the mask hides, so it is not reached either."
        )
        need(untouched != 2, "untouched: the rows below the first id, yes, and those behind the last one that occurs "
             "too.")  # fmt: skip
        need(untouched not in (511, 515, 516), "untouched: off by one or two. Which ids does a text of 512 tokens "
             "have, the first and the last included?")  # fmt: skip
        need(untouched == 1026 - 512, "untouched: which ids occur in a text of 512 tokens? All other rows keep their "
             "start.")  # fmt: skip

    return run_check("counts", answer, test, "Half of the table is still what it was drawn with.")


MASKS = [
    ("padding on the right", [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]]),
    ("no padding", [[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1]]),
    ("padding on the left", [[1, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]]),
    ("padding in the middle", [[1, 0, 0, 1, 1, 0, 1], [0, 1, 0, 1, 0, 1, 0]]),
    ("a row of padding alone", [[0, 0, 0], [1, 1, 1]]),
    ("300 tokens", [[1] * 300]),
]


def check_number(answer) -> Outcome:
    """Check `number(mask)`: (B, L) ids that count the real tokens of each row from 0; padding gets an id that exists."""

    def test() -> None:
        why = "Number them without the package: `position_ids` is what you build."
        ask = watched(forbidding(answer, why, package=True))
        for what, rows in MASKS:
            mask = torch.tensor(rows, dtype=torch.bool)
            given = ask(mask)
            ids = as_tensor(given, f"number(mask) with {what}", tuple(mask.shape))
            need(bool((ids == ids.round()).all()), "Ids are whole numbers.")
            real, place = mask.long(), torch.arange(mask.shape[1]).expand(mask.shape)  # (B, L) both
            count, in_all = real.cumsum(-1), real.flatten().cumsum(0).view(mask.shape)
            runs_on = "Your count runs on from one text of the batch into the next: count along the last axis."
            small = "The type of your ids is too small: int8 counts to 127, uint8 to 255."
            down = "You count down the batch, from text to text: count along the last axis."
            wrong = [
                ("The first real token should get 0, not 1: less one.", count),
                ("The first real token should get 0, not 2: that belongs to RoBERTa's table.", count + 1),
                ("Your ids are places in the row: padding is counted too.", place),
                (runs_on, in_all - 1), (runs_on, in_all),
                (down, real.cumsum(0) - 1), (down, real.cumsum(0)),
                ("You take off all the padding of the row: only padding before a token moves it.",
                 (place - (1 - real).sum(-1, keepdim=True)).clamp(min=0)),
                ("You take the place less that of the first real token: padding behind it is counted too.",
                 place - real.argmax(-1, keepdim=True)),
                ("Your count begins at 0 anew after a gap: it should go on.",
                 place - ((place + 1) * (1 - real)).cummax(-1).values),
                ("You count from the right: the first real token of a row should get 0.",
                 real.flip(-1).cumsum(-1).flip(-1) - 1),
                ("Every real token gets id 0. (Or padding is counted, not the tokens.)", 0 * real),
                ("You count padding; count the real tokens.", (1 - real).cumsum(-1)),
                ("You count padding; count the real tokens.", ((1 - real).cumsum(-1) - 1).clamp(min=0)),
                ("Every real token gets the same id: this is the mask itself. A running sum counts.", real),
                ("The first two real tokens share id 0: one is taken off too often.", (count - 2).clamp(min=0)),
                ("The last place of a row is left out: a range ends too early.",
                 torch.where(place < place.max(), count - 1, 0)),
                (small, (count - 1).to(torch.int8).clamp(min=0)), (small, count.to(torch.int8) - 1),
                (small, (count - 1).to(torch.uint8)),
            ]  # fmt: skip
            for hint, other in wrong:
                need(_like(other, count - 1, mask) or not _like(ids, other, mask), hint, f"With {what}: ")
            need(_like(ids, count - 1, mask), "The real tokens of a row should get 0, 1, 2 ... in order.", f"With "
                 f"{what}: ")  # fmt: skip
            padding, where = ids[~mask], f"With {what}: "
            need(not bool((padding < 0).any()), "Some padding gets a negative id: nn.Embedding stops there, and "
                 "plain indexing takes a row from the end.", where)  # fmt: skip
            need(not bool((padding >= mask.shape[1]).any()), "Some padding gets an id for which a table as long as "
                 "the text has no row.", where)  # fmt: skip
            as_tensor(given, "number(mask)", tuple(mask.shape), whole=True)

    return run_check("number", answer, test, "Left, right or in between: real tokens are counted, padding has a row.")


def _like(ids: Tensor, wanted: Tensor, mask: Tensor) -> bool:
    """Return whether `ids` agree with `wanted` on all real tokens."""
    return bool((ids.double() == wanted.double())[mask].all())


def check_stretch(answer) -> Outcome:
    """Check `stretch(table, rows)`: linear interpolation between old rows, the first and the last one kept."""

    def test() -> None:
        generator = Generator().manual_seed(4)
        alone = "Read the new rows off with indexing and arithmetic alone."
        ask = watched(forbidding(answer, alone, interpolate, np.interp, package=True, operations=("upsample", "grid_")))
        for old, rows, d in ((3, 5, 2), (5, 8, 4), (7, 20, 3), (9, 4, 6), (6, 6, 5)):
            table = torch.randn(old, d, generator=generator)
            given = as_tensor(ask(table, rows), f"stretch of {old} rows to {rows}", (rows, d), whole=False)
            near = lambda other: _near(given, other)  # noqa: B023, E731
            right = _stretched(table, torch.arange(rows) * (old - 1) / (rows - 1))
            if near(right):
                continue
            edges = _stretched(table, ((torch.arange(rows) + 0.5) * old / rows - 0.5).clamp(0, old - 1))
            need(not near(edges), "You line up the edges of the cells, as image code does. Here the first and the last "
                 "rows are the ends.")  # fmt: skip
            steps = "Count the steps between rows, not the rows, in the old table and in the new one."
            for scale, what in ((old / rows, "Your places miss the last old row."),
                                ((old - 1) / rows, "Your places fall short of the last old row."),
                                (old / (rows - 1), "Your places go beyond the last old row.")):  # fmt: skip
                need(not near(_stretched(table, (torch.arange(rows) * scale).clamp(max=old - 1))), f"{what} {steps}")
            need(not near(right.flip(0)), "Your rows run from the last to the first.")
            place = torch.arange(rows, dtype=torch.float64) * (old - 1) / (rows - 1)
            below, above = place.long().clamp(max=old - 2), place.long().clamp(max=old - 2) + 1
            whole = table[(torch.arange(rows) * ((old - 1) // (rows - 1))).clamp(max=old - 1)]
            need(not near(whole), "The step from row to row is cut to a whole number: // is not /.")
            copies = [table[to(place).long()] for to in (torch.round, torch.floor, torch.ceil)] + [table[below]]
            need(not any(near(copy) for copy in copies), "You copy the nearest old row; rows between two old ones "
                 "should be a mixture of both.")  # fmt: skip
            halves = (table[below] + table[above]) / 2, (table[place.floor().long()] + table[place.ceil().long()]) / 2
            need(not any(map(near, halves)), "You mix half and half, wherever the new row stands; the nearer of the "
                 "two old rows should weigh more.")  # fmt: skip
            need(not near(table[0] + torch.arange(rows)[:, None] / (rows - 1) * (table[-1] - table[0])), "You draw "
                 "one line from the first row to the last; it should pass through every old row between them.")  # fmt: skip
            for low, high in ((below, above), (place.long(), (place.long() + 1).clamp(max=old - 1))):
                share = (place - low)[:, None]
                need(not near((1 - share) * table[high] + share * table[low]), "The two weights are swapped: close "
                     "to the row below, that row should weigh most.")  # fmt: skip
                need(not near(table[low] + share * table[high]), "The two weights do not sum to 1.")
            need(rows <= old or not _near(given[:old], table), "The old rows stay where they were, and new ones follow. "
                 "Stretched, they spread over the whole new table, with new rows between them.")  # fmt: skip
            where = f"Stretching {old} rows to {rows}: "
            for end, name in ((0, "first"), (-1, "last")):
                need(_near(given[end], table[end]), f"The {name} row should be kept as it is.", where)
            need(False, "The rows between are not on the straight line between their two neighbours in the old "
                 "table.", where)  # fmt: skip

    return run_check("stretch", answer, test, "The ends stay, the rest is read off between the old rows.")


def _stretched(table: Tensor, places: Tensor) -> Tensor:
    """Return table (old, d) read off linearly at `places` (rows,): (rows, d), float64."""
    below = places.long().clamp(max=max(0, len(table) - 2))
    share = (places.double() - below)[:, None]
    return (1 - share) * table[below].double() + share * table[(below + 1).clamp(max=len(table) - 1)].double()


def _near(left: Tensor, right: Tensor) -> bool:
    return bool((left.double() - right.double()).abs().max() < 1e-4)
