"""Homework 09: cached keys, turned anew for other speeds, and likely mistakes."""

from collections.abc import Callable

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.answers import as_tensor, watched
from posenc_helpers.classroom.exercises.checking import check
from posenc_helpers.classroom.exercises.mistakes import Mistake, compare
from posenc_helpers.classroom.exercises.questions import drawn, places, whole
from posenc_helpers.encodings import frequencies, rotate_pairs
from posenc_helpers.encodings.rope_scaling import by_parts, linear, ntk_aware


def turned(
    speeds: Callable = lambda old, new: new - old,
    places: Callable = lambda positions: positions,
    layout: str = "interleaved",
) -> Callable:
    """Return an answer that is right but for the angles by which it turns, or for what makes a pair."""

    def retune(keys: Tensor, positions: Tensor, old: Tensor, new: Tensor) -> Tensor:
        return rotate_pairs(keys, places(positions)[:, None] * speeds(old, new), layout)

    return retune


def counted(positions: Tensor) -> Tensor:
    return torch.arange(len(positions))


MISTAKES = {
    "nothing turned": Mistake(
        "These are the keys as they came: still turned with the old speeds.", lambda keys, positions, old, new: keys
    ),
    "turned twice": Mistake(
        "The keys carry their old turn already; yours carry it and the new one.",
        turned(lambda old, new: new),
        turned(lambda old, new: old + new),
    ),
    "only turned back": Mistake("These keys are not turned at all any more.", turned(lambda old, new: -old)),
    "difference reversed": Mistake(
        "Your turn has the right size and goes the wrong way.", turned(lambda old, new: old - new)
    ),
    "speeds divided": Mistake(
        "Angles of turns are added and subtracted. A quotient of speeds is no angle, and a turn is no factor.",
        turned(lambda old, new: new / old),
        turned(lambda old, new: old / new),
        lambda keys, positions, old, new: keys * (new / old).repeat_interleave(2),
        lambda keys, positions, old, new: keys * (old / new).repeat_interleave(2),
    ),
    "other layout": Mistake(
        "Your pairs are columns i and i + d_head / 2; in this cache neighbours are a pair.", turned(layout="half")
    ),
    "positions counted": Mistake(
        "You count the keys of the cache, or start anew; each was turned at its own position, and there are gaps.",
        turned(places=counted),
        turned(places=lambda positions: positions[0] + counted(positions)),
        turned(places=lambda positions: positions - positions[0]),
        turned(places=lambda positions: positions + 1),
    ),
    "one angle for all keys": Mistake(
        "Every key gets the same turn here. A key at position 400 misses more than one at 3.",
        turned(places=torch.ones_like),
        turned(places=lambda positions: positions[-1:].expand(len(positions))),
    ),
    "one angle for all pairs": Mistake(
        "Every pair gets the same turn here, but each has its own speeds, old and new.",
        turned(lambda old, new: (new - old)[:1].expand(len(old))),
        turned(lambda old, new: (new - old).mean().expand(len(old))),
    ),
}


@check("retune", "Turns add up, so a cache can be mended.")
def check_homework(answer) -> None:
    """Check `retune(keys, positions, old, new)` -> (H, L, d_head), against keys turned with the new speeds at once."""
    ask = watched(answer)
    generator = drawn(90)
    before, after = (float(whole(generator, *ends)) for ends in ((2, 5), (6, 9)))
    sizes = whole(generator, 1, 5), 2 * whole(generator, 3, 9)
    other = places(generator, whole(generator, 3, 9), 150)
    fixed = torch.tensor([3, 4, 9, 10, 40, 127])
    for heads, width, rule, where, positions in (
        (3, 8, lambda w: (linear(w, 2.0), linear(w, 5.0)), "interpolation, from 2 to 5: ", fixed),
        (2, 16, lambda w: (w, by_parts(w, 4.0, 64, 0.5, 2.0)), "not stretched, then by parts: ", fixed),
        (4, 12, lambda w: (ntk_aware(w, 8.0), ntk_aware(w, 3.0)), "NTK-aware, from 8 back to 3: ", fixed),
        (*sizes, lambda w: (linear(w, before), linear(w, after)), "interpolation, stretched further: ", other),
    ):
        old, new = rule(frequencies(width, 1000.0))
        keys = torch.randn(heads, len(positions), width, generator=drawn(width))
        cached, wanted = (rotate_pairs(keys, positions[:, None] * w).double() for w in (old, new))
        inputs = cached.to(keys.dtype), positions, old, new
        given = as_tensor(ask(*inputs), "retune", tuple(keys.shape), whole=False)
        otherwise = "These are not the keys that the new speeds make of the same contents."
        compare(given, wanted, MISTAKES, otherwise, inputs, where, within=1e-3)
