"""Answers to the exercises of notebook 04, as readers write them, that its table of likely mistakes does not hold.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint); `RIGHT[exercise]` lists (how, answer).
"""

import numpy as np
import torch
from torch import nn
from torch.nn.functional import grid_sample
from torch.nn.functional import interpolate as stretched

from posenc_helpers.encodings import position_ids
from posenc_helpers.encodings.learned import resize_table

# 1. counts: trained numbers, longest text, rows never reached

COUNTS = {"numbers": 1026 * 1024, "longest": 1024, "untouched": 514}


# 2. number(mask): (B, L) booleans -> (B, L) ids


def _count(mask):
    return mask.long().cumsum(-1)


def _ragged(mask):  # ids of the real tokens alone
    return [list(range(int(row.sum()))) for row in mask]


def _empty_row_forgotten(mask):  # right wherever a row has a token
    ids = (_count(mask) - 1).clamp(min=0)
    ids[~mask.any(-1)] = -1
    return ids


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


def _smooth(table, rows):
    place = torch.linspace(0, len(table) - 1, rows)
    share = (place % 1)[:, None]
    return torch.lerp(table[place.floor().long()], table[place.ceil().long()], share * share * (3 - 2 * share))


def _random_rows_at_the_end(table, rows):
    return torch.cat([table, torch.randn(rows, table.shape[1])])[:rows]


def _midpoints(table, rows):  # rows between all neighbours, whatever `rows` is
    between = (table[:-1] + table[1:]) / 2
    return torch.cat([torch.stack([table[:-1], between], 1).flatten(0, 1), table[-1:]])


def _last_row_wraps(table, rows):  # above the last row is -1, the row before it, and so on
    place = torch.linspace(0, len(table), rows)
    below = place.long() % len(table)
    share = (place % 1)[:, None]
    return (1 - share) * table[below] + share * table[(below + 1) % len(table)]


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
        return _floor_and_ceil(table, rows)


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
    places = [r * (len(table) - 1) / (rows - 1) for r in range(rows)]
    return [torch.lerp(table[int(place)], table[-int(-place // 1)], place % 1) for place in places]


WRONG = {
    "counts": [
        ("half filled in", COUNTS | {"longest": ..., "untouched": ...}, "still the dots"),
        ("one left out", {"numbers": 1026 * 1024, "longest": 1024}, "three keys"),
        ("a list", [1026 * 1024, 1024, 514], "three keys"),
        ("text", COUNTS | {"numbers": "1,050,624"}, "numbers should return a number"),
        ("rows and columns", COUNTS | {"numbers": (1026, 1024)}, "numbers should return one number"),
    ],
    "number": [
        ("the package", position_ids, "Your code calls position_ids"),
        ("clamped at 1", lambda mask: (_count(mask) - 1).clamp(min=1), "0, 1, 2 ... in order"),
        ("a row without tokens", _empty_row_forgotten, "some padding gets a negative id"),
        ("floats", lambda mask: (mask.float().cumsum(-1) - 1).clamp(min=0), "number(mask) is of type float32"),
        ("floats, as a share", lambda mask: (_count(mask) - 1).clamp(min=0) / mask.shape[1], "Ids are whole numbers"),
        ("lengths", lambda mask: mask.sum(-1), "shape (2, 5), but it has (2,)"),
        ("real tokens alone", _ragged, "should be a tensor"),
        ("changes the mask", _in_place, "Your code changes its input mask in place"),
    ],
    "stretch": [
        ("the package", resize_table, "Your code calls resize_table"),
        ("interpolate, and what it raises caught", _caught, "Your code calls interpolate"),
        ("a module of PyTorch", _module, "Your code calls interpolate"),
        ("PyTorch's operation", _operation, "Your code calls upsample_linear1d"),
        ("grid_sample", _sampled, "Your code calls grid_sampler"),
        ("NumPy's interp", _numpy, "Your code calls interp"),
        ("random rows at the end", _random_rows_at_the_end, "stay where they were"),
        ("last row mixed with the first", _last_row_wraps, "the first row and the last"),
        ("smooth, not linear", _smooth, "on the straight line"),
        ("rows twice less 1", _midpoints, "should have shape (8, 4), but it has (9, 4)"),
        ("whole numbers", lambda table, rows: _floor_and_ceil(table, rows).long(), "fractions are cut off"),
    ],
}

RIGHT = {
    "counts": [
        ("in another order", dict(sorted(COUNTS.items(), reverse=True))),
        ("floats", {name: float(value) for name, value in COUNTS.items()}),
        ("NumPy's numbers", {name: np.int64(value) for name, value in COUNTS.items()}),
        ("tensors", {name: torch.tensor(value) for name, value in COUNTS.items()}),
    ],
    "number": [
        ("loops, lists", _loops),
        ("NumPy", lambda mask: np.maximum(np.cumsum(mask.numpy(), axis=1) - 1, 0)),
        ("scattered, int32", _scattered),
        ("real tokens before this one", lambda mask: mask.cumsum(1) - mask.long()),
        ("product with a triangle", _matrix),
        ("0 on padding", lambda mask: (_count(mask) - 1) * mask),
        ("modulo L", lambda mask: (_count(mask) - 1) % mask.shape[1]),
        ("place less padding so far", lambda mask: (torch.arange(mask.shape[1]) - (~mask).cumsum(-1)).relu()),
        (
            "lengths less what is left",
            lambda mask: torch.where(mask, mask.sum(-1, keepdim=True) - mask.flip(-1).cumsum(-1).flip(-1), 0),
        ),
        ("a list of rows", lambda mask: [(row.cumsum(0) - 1).clamp(min=0) for row in mask]),
    ],
    "stretch": [
        ("whole numbers, lists", _loop),
        ("NumPy, float64", _numpy_by_hand),
        ("floor and ceiling, lerp", _floor_and_ceil),
        ("last row twice", _row_repeated),
        ("hats, float64", _hats),
        ("steps summed", _steps_summed),
        ("a list of rows", _row_by_row),
        ("a trained table", lambda table, rows: _floor_and_ceil(nn.Parameter(table), rows)),
    ],
}
