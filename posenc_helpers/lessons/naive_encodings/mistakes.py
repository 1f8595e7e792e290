"""Likely mistakes in the exercises of notebook 02."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.mistakes import Mistake
from posenc_helpers.encodings import binary, normalised


def filled(unique: float = 1, consistent: float = 0, bounded: float = 4095) -> dict[str, float]:
    return {"unique": unique, "consistent": consistent, "bounded": bounded}


ROW = {
    "a code that depends on the length": Mistake(
        "consistent asks whether the code of one and the same position depends on the length of the text. Is there an L in "
        "[p, 1, 0 ...]?",
        *(filled(consistent=value) for value in (1, 32)),
        holds=lambda unique, consistent, bounded: abs(consistent) < 1e-6,
    ),
    "bounded without end": Mistake(
        "It grows without bound, yes. How large is it at the last position that the column looks at?",
        *(filled(bounded=value) for value in (math.inf, math.nan)),
        holds=lambda unique, consistent, bounded: math.isfinite(bounded),
    ),
    "bounded over other positions or columns": Mistake(
        "bounded is the largest absolute value of a column, over all columns and all positions of the exercise, which count "
        "from 0.",
        *(filled(bounded=value) for value in (1, 63, 2047.5, 4096, -4095)),
        holds=lambda unique, consistent, bounded: bounded == 4095,
    ),
    "not the smallest distance": Mistake(
        "unique is the smallest distance between two codes, 0 only if two positions share one. Do they? Take two "
        "neighbours, and note that the second column is the same for both.",
        *(filled(unique=value) for value in (0, 4096, 63, math.sqrt(2), 1 / 63)),
        holds=lambda unique, consistent, bounded: abs(unique - 1) < 1e-6,
    ),
}


def bits(change: Callable) -> Callable:
    """Return an answer to exercise 2 that gives the bits of change(positions), as many as asked for."""
    return lambda positions, dim: (change(positions)[:, None] >> torch.arange(dim) & 1).float()


right_gray = bits(lambda p: p ^ (p >> 1))
IGNORED = {
    "positions ignored": Mistake(
        "You take a piece from the start of a table, whichever positions are asked for.",
        lambda positions, dim: right_gray(torch.arange(len(positions)), dim),
    )
}
GRAY = {
    "plain binary code": Mistake(
        "This is the plain binary code: from 7 to 8 it flips four bits.",
        binary,
        lambda positions, dim: binary(positions, dim).flip(-1),
    ),
    "bits lost": Mistake(
        "Two neighbours share a code: a shift alone, `and`, `or` all lose a bit, and brackets around the wrong part lose "
        "every one.",
        bits(lambda p: p >> 1),
        bits(lambda p: p & p >> 1),
        bits(lambda p: p | p >> 1),
        bits(lambda p: (p ^ p) >> 1),
    ),
    "added, or compared with another bit": Mistake(
        "Compare every bit with the next one above it, without a carry: you add, or take one below, or two places above.",
        bits(lambda p: p + (p >> 1)),
        bits(lambda p: p ^ (p << 1)),
        bits(lambda p: p ^ (p >> 2)),
    ),
    **IGNORED,
}

P = torch.arange(64.0, dtype=torch.float64)


def hands(*speeds: float) -> Tensor:
    """Return codes (64, 2 len(speeds)): cosine and sine of hands at these speeds, in radians a position."""
    return torch.cat([torch.stack([(speed * P).cos(), (speed * P).sin()], dim=-1) for speed in speeds], dim=-1)


def apart(codes: Tensor, k: int) -> Tensor:
    """Return the distances (64 - k,) between codes k positions apart."""
    return (codes[k:] - codes[:-k]).norm(dim=-1)


NUMBERS = {
    "values beyond 1": Mistake(
        "All values should lie in [-1, 1].",
        2 * hands(0.091, 0.829),
        holds=lambda codes: bool(codes.abs().max() <= 1 + 1e-6),
    ),
    "distances not of p - q alone": Mistake(
        "Distances should depend on p - q alone, and yours do not. A shuffled grid does not look like time: what moves "
        "evenly and stays bounded?",
        torch.cartesian_prod(*4 * [torch.tensor([-1.0, 0.0, 1.0])])[:64],
        torch.stack([(speed * P).sin() for speed in (2.7, 2.1, 1.3, 0.4)], dim=-1),
        hands(0.091, 0.829).round(decimals=1),
        holds=lambda codes: all(apart(codes, k).max() - apart(codes, k).min() < 1e-3 for k in range(1, 64)),
    ),
    "neighbours nearly touch": Mistake(
        "Neighbours nearly touch: all hands are slow. Are the speeds radians, not degrees or turns?",
        normalised(P, 4, 64),
        hands(math.radians(0.091), math.radians(0.829)),
        holds=lambda codes: bool(apart(codes, 1).min() > 0.1),
    ),
    "hands come back together": Mistake(
        "Positions far apart share a code, or nearly: two hands of like speed, or that both make whole turns, come back "
        "together.",
        hands(2.5, 2.51),
        hands(math.pi / 8, math.pi / 4),
        holds=lambda codes: bool(torch.pdist(codes).min() > 0.2),
    ),
}

MISTAKES = {"row": ROW, "gray": GRAY, "four_numbers": NUMBERS}
