"""Answers to the exercises of notebook 04, as readers write them, that its table of likely mistakes does not hold.

`WRONG[exercise]` lists (what is wrong, answer, part of a hint that no row gives); `RIGHT[exercise]` lists (how, answer).
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


def _empty_row_forgotten(mask):  # right wherever a row has a token
    ids = (_count(mask) - 1).clamp(min=0)
    ids[~mask.any(-1)] = -1
    return ids


# 3. stretch(table, rows): (old, d) -> (rows, d)


def _smooth(table, rows):
    place = torch.linspace(0, len(table) - 1, rows)
    share = (place % 1)[:, None]
    return torch.lerp(table[place.floor().long()], table[place.ceil().long()], share * share * (3 - 2 * share))


def _last_row_wraps(table, rows):  # above the last row is -1, the row before it, and so on
    place = torch.linspace(0, len(table), rows)
    below = place.long() % len(table)
    share = (place % 1)[:, None]
    return (1 - share) * table[below] + share * table[(below + 1) % len(table)]


def _numpy(table, rows):
    places = np.linspace(0, len(table) - 1, rows)
    return np.stack([np.interp(places, np.arange(len(table)), column) for column in table.numpy().T], axis=1)


def _renamed(table, rows):  # `interpolate` under another name
    return stretched(table.T[None], size=rows, mode="linear", align_corners=True)[0].T


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


def _hats(table, rows):  # each old row weighs 1 at its own place and 0 at its neighbours'
    place = torch.linspace(0, len(table) - 1, rows, dtype=torch.float64)
    return (1 - (place[:, None] - torch.arange(len(table))).abs()).relu() @ table.double()


WRONG = {
    "counts": [
        ("half filled in", COUNTS | {"longest": ..., "untouched": ...}, "still the dots"),
        ("one left out", {"numbers": 1026 * 1024, "longest": 1024}, "three keys"),
    ],
    "number": [
        ("the package", position_ids, "Your code calls position_ids"),
        ("clamped at 1", lambda mask: (_count(mask) - 1).clamp(min=1), "0, 1, 2 ... in order"),
        ("a row without tokens", _empty_row_forgotten, "some padding gets a negative id"),
        ("floats, as a share", lambda mask: (_count(mask) - 1).clamp(min=0) / mask.shape[1], "Ids are whole numbers"),
    ],
    "stretch": [
        ("the package", resize_table, "Your code calls resize_table"),
        ("interpolate, and what it raises caught", _caught, "Your code calls interpolate"),
        ("PyTorch's operation", _operation, "Your code calls upsample_linear1d"),
        ("grid_sample", _sampled, "Your code calls grid_sampler"),
        ("NumPy's interp", _numpy, "Your code calls interp"),
        ("last row mixed with the first", _last_row_wraps, "the first row and the last"),
        ("smooth, not linear", _smooth, "on the straight line"),
    ],
}

RIGHT = {
    "counts": [("in another order", dict(sorted(COUNTS.items(), reverse=True)))],
    "number": [
        ("0 on padding", lambda mask: (_count(mask) - 1) * mask),
        ("modulo L", lambda mask: (_count(mask) - 1) % mask.shape[1]),
    ],
    "stretch": [
        ("hats, float64", _hats),
        ("a trained table", lambda table, rows: _floor_and_ceil(nn.Parameter(table), rows)),
    ],
}
