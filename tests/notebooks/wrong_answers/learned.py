"""Answers to the exercises of notebook 04, as readers write them: wrong ones with the hint they deserve, and right ones
that look unlike the folded solution.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint that names it); `RIGHT[exercise]` lists (how, answer).
"""

import functools

import numpy as np
import torch
from torch import nn
from torch.nn.functional import grid_sample
from torch.nn.functional import interpolate as stretched

from posenc_helpers.encodings import position_ids
from posenc_helpers.encodings.learned import resize_table
from posenc_helpers.encodings.positions import roberta_position_ids

# 1. counts: trained numbers, longest text, rows never reached

COUNTS = {"numbers": 1026 * 1024, "longest": 1024, "untouched": 514}


# 2. number(mask): (B, L) booleans -> (B, L) ids


def _count(mask):
    return mask.long().cumsum(-1)


def _ragged(mask):  # ids of the real tokens alone
    return [list(range(int(row.sum()))) for row in mask]


def _from_first(mask):  # place less that of the first real token
    return (torch.arange(mask.shape[1]) - mask.int().argmax(-1, keepdim=True)).clamp(min=0)


def _each_run(mask):  # a new 0 after every gap
    ids = torch.zeros(mask.shape, dtype=torch.long)
    for text, place in mask.nonzero():
        ids[text, place] = ids[text, place - 1] + 1 if place and mask[text, place - 1] else 0
    return ids


def _counter_not_reset(mask):
    ids, count = torch.zeros(mask.shape, dtype=torch.long), 0
    for text, place in mask.nonzero():
        ids[text, place], count = count, count + 1
    return ids


def _last_token_lost(mask):
    ids = torch.zeros(mask.shape, dtype=torch.long)
    for text in range(len(mask)):
        for place in range(1, mask.shape[1] - 1):
            ids[text, place] = ids[text, place - 1] + int(mask[text, place])
    return ids


def _empty_row_forgotten(mask):  # right wherever a row has a token
    ids = (_count(mask) - 1).clamp(min=0)
    ids[~mask.any(-1)] = -1
    return ids


def _pads_counted_backwards(mask):
    return torch.where(mask, _count(mask) - 1, mask.shape[1] - (~mask).long().cumsum(-1) + 1)


def _packed(mask):  # the real tokens pushed to the left
    return torch.arange(mask.shape[1]).expand(mask.shape) * mask.sort(-1, descending=True).values


def _in_place(mask):
    ids = (_count(mask) - 1).clamp(min=0)
    mask[:] = True
    return ids


def _loops(mask):
    rows = []
    for row in mask.tolist():
        ids, count = [], 0
        for real in row:
            ids.append(count if real else 0)
            count += real
        rows.append(ids)
    return rows


def _scattered(mask):
    ids = torch.zeros(mask.shape, dtype=torch.int32)
    for row, real in zip(ids, mask, strict=True):
        row[real] = torch.arange(int(real.sum()), dtype=torch.int32)
    return ids


def _matrix(mask):  # a product with a triangle counts the real tokens before each place
    return (mask.double() @ torch.ones(mask.shape[1], mask.shape[1], dtype=torch.float64).triu(1)).long()


# 3. stretch(table, rows): (old, d) -> (rows, d)


def _read(table, place, share=lambda share: share):
    """Return table read off at place (rows,), the upper row weighed by `share` of what is left over."""
    below = place.long().clamp(0, len(table) - 1)
    above = (below + 1).clamp(max=len(table) - 1)
    left_over = share(place - below)[:, None].to(table.dtype)
    return (1 - left_over) * table[below] + left_over * table[above]


def _at(place, share=lambda share: share):
    """Return a `stretch` that reads at place(r, old, rows), where r counts the new rows in float64."""
    return lambda table, rows: _read(table, place(torch.arange(rows).double(), len(table), rows), share)


def _ends(r, old, rows):
    return r * (old - 1) / (rows - 1)


def _nearest(rounded):
    return lambda table, rows: table[rounded(_ends(torch.arange(rows).double(), len(table), rows)).long()]


def _added_at_the_end(make):
    return lambda table, rows: torch.cat([table, make(table, max(0, rows - len(table)))])[:rows]


def _midpoints(table, rows):  # rows between all neighbours, whatever `rows` is
    between = (table[:-1] + table[1:]) / 2
    return torch.cat([torch.stack([table[:-1], between], 1).flatten(0, 1), table[-1:]])


def _half_each(table, rows):
    place = torch.linspace(0, len(table) - 1, rows)
    return (table[place.floor().long()] + table[place.ceil().long()]) / 2


def _ends_alone(table, rows):
    return torch.lerp(table[0], table[-1], torch.linspace(0, 1, rows)[:, None])


def _along_the_columns(table, rows):
    return _read(table.T, torch.linspace(0, table.shape[1] - 1, rows)).T


def _last_row_wraps(table, rows):  # above the last row is -1, the row before it, and so on
    place = torch.linspace(0, len(table), rows)
    below = place.long() % len(table)
    share = (place % 1)[:, None]
    return (1 - share) * table[below] + share * table[(below + 1) % len(table)]


def _upward_alone(table, rows):
    return _at(_ends)(table, rows) if rows > len(table) else table[:rows].clone()


def _last_row_zero(table, rows):  # a loop that stops before the end
    out = torch.zeros(rows, table.shape[1])
    for r in range(rows - 1):
        below, share = int(r * (len(table) - 1) / (rows - 1)), r * (len(table) - 1) / (rows - 1) % 1
        out[r] = (1 - share) * table[below] + share * table[below + 1]
    return out


def _in_the_old(table, rows):
    out = _at(_ends)(table, rows)
    table *= 0
    return out


def _loop(table, rows):  # Python's whole numbers, and lists of numbers
    old, out = table.tolist(), []
    for r in range(rows):
        below, rest = divmod(r * (len(old) - 1), max(1, rows - 1))
        share = rest / max(1, rows - 1)
        above = min(below + 1, len(old) - 1)
        out.append([(1 - share) * a + share * b for a, b in zip(old[below], old[above], strict=True)])
    return out


def _numpy(table, rows):
    places = np.linspace(0, len(table) - 1, rows)
    return np.stack([np.interp(places, np.arange(len(table)), column) for column in table.numpy().T], axis=1)


def _numpy_by_hand(table, rows):
    places = np.linspace(0, len(table) - 1, rows)
    below = np.clip(places.astype(int), 0, len(table) - 2)
    share, table = (places - below)[:, None], table.numpy().astype(float)
    return table[below] + share * (table[below + 1] - table[below])


def _renamed(table, rows):  # `interpolate` under another name
    return stretched(table.T[None], size=rows, mode="linear", align_corners=True)[0].T


def _module(table, rows):
    return nn.Upsample(size=rows, mode="linear", align_corners=True)(table.T[None])[0].T


def _operation(table, rows):  # what stands below all names
    return torch.ops.aten.upsample_linear1d(table.T[None], [rows], True)[0].T


def _sampled(table, rows):
    places = torch.stack([torch.zeros(rows), torch.linspace(-1, 1, rows)], dim=-1)
    return grid_sample(table.T[None, ..., None], places[None, :, None], align_corners=True)[0, ..., 0].T


def _caught(table, rows):  # what is raised does not matter to it
    try:
        return _renamed(table, rows)
    except Exception:
        return _interpolated(table, rows)


def _floor_and_ceil(table, rows):
    place = torch.linspace(0, len(table) - 1, rows)
    return torch.lerp(table[place.floor().long()], table[place.ceil().long()], (place - place.floor())[:, None])


def _row_repeated(table, rows):  # the last row twice, so that there is one above it
    longer, place = torch.cat([table, table[-1:]]), torch.linspace(0, len(table) - 1, rows)
    below = place.int()
    return longer[below] + (place - below)[:, None] * (longer[below + 1] - longer[below])


def _hats(table, rows):  # each old row weighs 1 at its own place and 0 at its neighbours'
    place = torch.linspace(0, len(table) - 1, rows, dtype=torch.float64)
    return (1 - (place[:, None] - torch.arange(len(table))).abs()).relu() @ table.double()


def _steps_summed(table, rows):  # the first row, and what part of each step has been made
    place = torch.linspace(0, len(table) - 1, rows)
    made = (place[:, None] - torch.arange(len(table) - 1)).clamp(0, 1)
    return table[:1] + made @ table.diff(dim=0)


def _row_by_row(table, rows):
    return [_read(table, torch.tensor([r * (len(table) - 1) / (rows - 1)]))[0] for r in range(rows)]


def _into_the_mask(mask):  # ids made where the mask was
    ids = (mask.long().cumsum(-1) - 1).clamp(min=0)
    mask &= False
    return ids


def _interpolated(table, rows):
    """Return `table` read off at evenly spaced places: what every wrong answer below does something else to."""
    place = torch.linspace(0, len(table) - 1, rows, dtype=torch.float64)
    below = place.long().clamp(max=len(table) - 2)
    share = (place - below)[:, None].to(table.dtype)
    return (1 - share) * table[below] + share * table[below + 1]


def _weights_swapped(table, rows):
    place = torch.linspace(0, len(table) - 1, rows)
    below = place.long().clamp(max=len(table) - 2)
    share = (place - below)[:, None]
    return share * table[below] + (1 - share) * table[below + 1]


def _off_the_end(table, rows):
    place = torch.linspace(0, len(table) - 1, rows)
    share = (place % 1)[:, None]
    return (1 - share) * table[place.long()] + share * table[place.long() + 1]


def _whole_steps(table, rows):
    return table[(torch.arange(rows) * ((len(table) - 1) // (rows - 1))).clamp(max=len(table) - 1)]


def _float32_numpy(table, rows):
    return _numpy_by_hand(table, rows).astype(np.float32)


def _lerp(table, rows):
    place = torch.arange(rows) * (len(table) - 1) / (rows - 1)
    return torch.lerp(table[place.floor().long()], table[place.ceil().long()], (place % 1)[:, None])


def _below(table, rows):
    return torch.linspace(0, len(table) - 1, rows).long().clamp(max=len(table) - 2)


def _share(table, rows):
    return (torch.linspace(0, len(table) - 1, rows) - _below(table, rows))[:, None]


WRONG = {
    "counts": [
        ("the rows of real tokens alone", COUNTS | {"numbers": 1024 * 1024}, "the two rows below id 2"),
        ("bytes", COUNTS | {"numbers": 1026 * 1024 * 4}, "these are bytes"),
        ("rows", COUNTS | {"numbers": 1026}, "every row has 1024"),
        ("the rows that training reaches", COUNTS | {"numbers": 512 * 1024}, "whether it is used or not"),
        ("in millions", COUNTS | {"numbers": 1.05}, "every row has 1024"),
        ("as long as the table", COUNTS | {"longest": 1026}, "hold no token"),
        ("the last id", COUNTS | {"longest": 1025}, "the last *id*"),
        ("padding alone left out", COUNTS | {"longest": 1023}, "longest: count the first and the last id"),
        ("2 taken twice", COUNTS | {"longest": 1022}, "How many are that?"),
        ("the training length", COUNTS | {"longest": 512}, "longest: 512 is what training saw"),
        ("the rows reached", COUNTS | {"untouched": 512}, "with those below id 2"),
        ("ids up to 512", COUNTS | {"untouched": 515}, "untouched: off by one or two"),
        ("padding reached", COUNTS | {"untouched": 513}, "row 1 belongs to padding"),
        ("ids 512 and 513 left out", COUNTS | {"untouched": 516}, "untouched: off by one or two"),
        ("the rows below 2 alone", COUNTS | {"untouched": 2}, "untouched: the rows below the first id"),
        ("all rows reached", COUNTS | {"untouched": 0}, "untouched: which ids occur in a text of 512 tokens"),
        ("numbers, not rows", COUNTS | {"untouched": 514 * 1024}, "count rows"),
        ("two exchanged", COUNTS | {"longest": 514, "untouched": 1024}, "How many are that?"),
        ("half filled in", COUNTS | {"longest": ..., "untouched": ...}, "still the dots"),
        ("one left out", {"numbers": 1026 * 1024, "longest": 1024}, "three keys"),
        ("a list", [1026 * 1024, 1024, 514], "three keys"),
        ("nothing", None, "three keys"),
        ("text", COUNTS | {"numbers": "1,050,624"}, "numbers should return a number"),
        ("rows and columns", COUNTS | {"numbers": (1026, 1024)}, "numbers should return one number"),
        ("rows and columns added", COUNTS | {"numbers": 1026 + 1024}, "rows and columns multiply"),
        ("padding's row left out of the numbers", COUNTS | {"numbers": 1025 * 1024}, "stored like any other"),
        ("two tables", COUNTS | {"numbers": 2 * 1026 * 1024}, "one table here"),
        ("off by one", COUNTS | {"untouched": 515}, "off by one"),
    ],
    "number": [
        ("the package", position_ids, "Your code calls position_ids"),
        ("the package's for RoBERTa", lambda mask: roberta_position_ids(mask.long() * 7, 0) - 1,
         "Your code calls roberta_position_ids"),
        ("from 1", lambda mask: _count(mask), "less one"),
        ("from 1 on real tokens, 0 on padding", lambda mask: _count(mask) * mask, "less one"),
        ("RoBERTa's: from 2", lambda mask: _count(mask) * mask + 1, "RoBERTa's table"),
        ("no clamp", lambda mask: _count(mask) - 1, "negative id"),
        ("times the mask, less 1", lambda mask: _count(mask) * mask - 1, "negative id"),
        ("padding as -1", lambda mask: (_count(mask) - 1).masked_fill(~mask, -1), "negative id"),
        ("padding as -100, as in labels", lambda mask: (_count(mask) - 1).masked_fill(~mask, -100), "negative id"),
        ("padding as L", lambda mask: (_count(mask) - 1).masked_fill(~mask, mask.shape[1]), "has no row"),
        ("padding counted beyond L", _pads_counted_backwards, "has no row"),
        ("clamped at 1", lambda mask: (_count(mask) - 1).clamp(min=1), "0, 1, 2 ... in order"),
        ("cut below before less 1", lambda mask: _count(mask).clamp(min=1), "less one"),
        ("arange", lambda mask: torch.arange(mask.shape[1]).expand(mask.shape), "padding is counted too"),
        ("right padding only", lambda mask: torch.arange(mask.shape[1]) * mask, "padding is counted too"),
        ("left padding only", lambda mask: (torch.arange(mask.shape[1]) - (~mask).sum(-1, keepdim=True)).clamp(min=0),
         "all the padding of the row"),
        ("places from the first real token", _from_first, "less that of the first real token"),
        ("gaps closed, mask forgotten", _packed, "With padding on the left"),
        ("a new 0 after each gap", _each_run, "0 anew after a gap"),
        ("counter not set back", _counter_not_reset, "into the next"),
        ("flattened", lambda mask: mask.flatten().long().cumsum(0).view(mask.shape) - 1, "into the next"),
        ("down the batch", lambda mask: (mask.long().cumsum(0) - 1).clamp(min=0), "down the batch"),
        ("down the batch, NumPy", lambda mask: np.cumsum(mask.numpy(), axis=0) - 1, "down the batch"),
        ("backwards", lambda mask: (mask.flip(-1).long().cumsum(-1).flip(-1) - 1).clamp(min=0), "from the right"),
        ("from 1, the whole batch", lambda mask: mask.flatten().long().cumsum(0).view(mask.shape), "into the next"),
        ("the mask itself", lambda mask: mask.long(), "every real token gets the same id"),
        ("the mask, booleans", lambda mask: mask, "every real token gets the same id"),
        ("zeros", lambda mask: torch.zeros_like(mask, dtype=torch.long), "every real token gets id 0"),
        ("last token lost", _last_token_lost, "the last place of a row is left out"),
        ("a row without tokens", _empty_row_forgotten, "some padding gets a negative id"),
        ("ids of a table of 512 rows", lambda mask: (_count(mask) - 1).masked_fill(~mask, 511), "has no row"),
        ("floats", lambda mask: (mask.float().cumsum(-1) - 1).clamp(min=0), "number(mask) is of type float32"),
        ("floats, as a share", lambda mask: (_count(mask) - 1).clamp(min=0) / mask.shape[1], "Ids are whole numbers"),
        ("one row for all", lambda mask: torch.arange(mask.shape[1]), "shape (2, 5), but it has (5,)"),
        ("lengths", lambda mask: mask.sum(-1), "shape (2, 5), but it has (2,)"),
        ("NumPy without an axis", lambda mask: np.cumsum(mask.numpy()) - 1, "shape (2, 5), but it has (10,)"),
        ("real tokens alone", _ragged, "should be a tensor"),
        ("places of real tokens", lambda mask: mask.nonzero(), "shape (2, 5), but it has (8, 2)"),
        ("changes the mask", _in_place, "Your code changes its input mask in place"),
        ("prints, does not return", lambda mask: print((_count(mask) - 1).clamp(min=0)), "`return` missing"),
        ("the type too small", lambda mask: (mask.to(torch.int8).cumsum(-1, dtype=torch.int8) - 1).clamp(min=0),
         "no index but int64 and int32"),
        ("counted in int8", lambda mask: (mask.long().cumsum(-1) - 1).clamp(min=0).to(torch.int8).long(),
         "int8 counts to 127"),
        ("one taken off twice", lambda mask: (mask.long().cumsum(-1) - 2).clamp(min=0), "share id 0"),
        ("padding counted", lambda mask: ((~mask).long().cumsum(-1) - 1).clamp(min=0), "padding is counted"),
        ("the first row for all", lambda mask: (mask[0].long().cumsum(-1) - 1).clamp(min=0), "An axis is missing"),
        ("axes exchanged", lambda mask: (mask.long().cumsum(-1) - 1).clamp(min=0).T, "looks transposed"),
        ("the mask changed in place", _into_the_mask, "changes its input mask in place"),
    ],
    "stretch": [
        ("the package", resize_table, "Your code calls resize_table"),
        ("interpolate", functools.partial(_renamed), "Your code calls interpolate"),
        ("interpolate, and what it raises caught", _caught, "Your code calls interpolate"),
        ("a module of PyTorch", _module, "Your code calls interpolate"),
        ("PyTorch's operation", _operation, "Your code calls upsample_linear1d"),
        ("grid_sample", _sampled, "Your code calls grid_sampler"),
        ("NumPy's interp", _numpy, "Your code calls interp"),
        ("edges of cells, as interpolate", _at(lambda r, old, rows: ((r + 0.5) * old / rows - 0.5).clamp(0, old - 1)),
         "edges"),
        ("by rows over old", _at(lambda r, old, rows: r * old / rows), "Your places miss the last old row"),
        ("by old over rows - 1", _at(lambda r, old, rows: r * old / (rows - 1)),
         "Your places go beyond the last old row"),
        ("by old - 1 over rows", _at(lambda r, old, rows: r * (old - 1) / rows),
         "Your places fall short of the last old row"),
        ("from 1", _at(lambda r, old, rows: (r + 1) * (old - 1) / (rows - 1)), "the first row should be kept as it is"),
        ("integer division", _at(lambda r, old, rows: r * (old - 1) // (rows - 1)), "copy the nearest old row"),
        ("integer step", _at(lambda r, old, rows: r * max(1, (old - 1) // (rows - 1))), "stay where they were"),
        ("nearest row", _nearest(torch.round), "copy the nearest old row"),
        ("row above", _nearest(torch.ceil), "copy the nearest old row"),
        ("weights swapped", _at(_ends, lambda share: 1 - share), "weights are swapped"),
        ("half and half", _half_each, "half and half"),
        ("smooth, not linear", _at(_ends, lambda share: share * share * (3 - 2 * share)), "on the straight line"),
        ("share of the whole way", _at(_ends, lambda share: share / 10), "on the straight line"),
        ("a line from end to end", _ends_alone, "from the first row to the last"),
        ("upwards alone", _upward_alone, "Stretching 9 rows to 4"),
        ("last row left out of the loop", _last_row_zero, "the last row should be kept as it is"),
        ("last row mixed with the first", _last_row_wraps, "the last row should be kept as it is"),
        ("zeros at the end", _added_at_the_end(lambda table, more: torch.zeros(more, table.shape[1])),
         "stay where they were"),
        ("random rows at the end", _added_at_the_end(lambda table, more: torch.randn(more, table.shape[1])),
         "stay where they were"),
        ("last row repeated", _added_at_the_end(lambda table, more: table[-1:].expand(more, -1)), "stay where they were"),
        ("the first rows again", lambda table, rows: table[torch.arange(rows) % len(table)], "stay where they were"),
        ("the line of the last two continued", _added_at_the_end(
            lambda table, more: table[-1] + torch.arange(1, more + 1)[:, None] * (table[-1] - table[-2])),
         "stay where they were"),
        ("every row twice", lambda table, rows: table.repeat_interleave(-(-rows // len(table)), 0)[:rows],
         "copy the nearest old row"),
        ("the mean row", lambda table, rows: table.mean(0).expand(rows, -1), "the first row should be kept as it is"),
        ("rows twice less 1", _midpoints, "should have shape (8, 4), but it has (9, 4)"),
        ("along the columns", _along_the_columns, "shape (5, 2), but it has (3, 5)"),
        ("transposed", lambda table, rows: _at(_ends)(table, rows).T, "shape (5, 2), but it has (2, 5)"),
        ("rows more, not rows", lambda table, rows: _at(_ends)(table, rows + len(table)), "but it has (8, 2)"),
        ("the places", lambda table, rows: torch.linspace(0, len(table) - 1, rows), "but it has (5,)"),
        ("changes the table", _in_the_old, "Your code changes its input table in place"),
        ("prints, does not return", lambda table, rows: print(_at(_ends)(table, rows)), "`return` missing"),
        ("weights swapped, the last row apart", _weights_swapped, "The two weights are swapped"),
        ("weights that do not sum to 1", lambda table, rows: (
            table[_below(table, rows)] + _share(table, rows) * table[_below(table, rows) + 1]), "do not sum to 1"),
        ("a step of whole rows", _whole_steps, "cut to a whole number"),
        ("from the last row to the first", lambda table, rows: _interpolated(table, rows).flip(0),
         "from the last to the first"),
        ("axes exchanged", lambda table, rows: _interpolated(table, rows).T, "looks transposed"),
        ("whole numbers", lambda table, rows: _interpolated(table, rows).long(), "fractions are cut off"),
        ("float16", lambda table, rows: _interpolated(table, rows).half(), "compute in float32"),
        ("one row too few", lambda table, rows: _interpolated(table, rows - 1), "does a range end too early"),
    ],
}  # fmt: skip

RIGHT = {
    "counts": [
        ("in another order", dict(sorted(COUNTS.items(), reverse=True))),
        ("keywords", dict(numbers=1050624, longest=1024, untouched=514)),  # noqa: C408
        ("floats", {name: float(value) for name, value in COUNTS.items()}),
        ("NumPy's numbers", {name: np.int64(value) for name, value in COUNTS.items()}),
        ("tensors", {name: torch.tensor(value) for name, value in COUNTS.items()}),
        ("a module's parameters", COUNTS | {"numbers": nn.Embedding(1026, 1024, device="meta").weight.numel()}),
        ("counted with sets", {"numbers": 1026 * 1024, "longest": len(range(2, 1026)),
                               "untouched": len(set(range(1026)) - set(range(2, 2 + 512)))}),
        ("floats and tensors", {"numbers": 1050624.0, "longest": torch.tensor(1024), "untouched": np.float32(514)}),
        ("NumPy's numbers", {name: np.int64(number) for name, number in COUNTS.items()}),
    ],
    "number": [
        ("loops, lists", _loops),
        ("NumPy", lambda mask: np.maximum(np.cumsum(mask.numpy(), axis=1) - 1, 0)),
        ("scattered, int32", _scattered),
        ("real tokens before this one", lambda mask: mask.cumsum(1) - mask.long()),
        ("product with a triangle", _matrix),
        ("0 on padding", lambda mask: (_count(mask) - 1) * mask),
        ("last row on padding", lambda mask: (_count(mask) - 1).masked_fill(~mask, mask.shape[1] - 1)),
        ("GPT-2's: 1 on padding", lambda mask: (_count(mask) - 1).masked_fill(~mask, 1)),
        ("modulo L", lambda mask: (_count(mask) - 1) % mask.shape[1]),
        ("place less padding so far", lambda mask: (torch.arange(mask.shape[1]) - (~mask).cumsum(-1)).relu()),
        ("lengths less what is left", lambda mask: torch.where(
            mask, mask.sum(-1, keepdim=True) - mask.flip(-1).cumsum(-1).flip(-1), 0)),
        ("a list of rows", lambda mask: [(row.cumsum(0) - 1).clamp(min=0) for row in mask]),
        ("NumPy", lambda mask: np.maximum(np.cumsum(mask.numpy(), axis=1) - 1, 0)),
        ("int32, tokens before each", lambda mask: (
            mask.int().cumsum(-1) - mask.int()).clamp(max=mask.shape[1] - 1).int()),
    ],
    "stretch": [
        ("whole numbers, lists", _loop),
        ("NumPy, float64", _numpy_by_hand),
        ("floor and ceiling, lerp", _floor_and_ceil),
        ("last row twice", _row_repeated),
        ("hats, float64", _hats),
        ("steps summed", _steps_summed),
        ("a list of rows", _row_by_row),
        ("read in float64", lambda table, rows: _at(_ends)(table.double(), rows)),
        ("a trained table", lambda table, rows: _at(_ends)(nn.Parameter(table), rows)),
        ("NumPy, float32", _float32_numpy),
        ("torch.lerp", _lerp),
    ],
}  # fmt: skip
