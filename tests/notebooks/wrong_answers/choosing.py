"""Answers to the exercises of notebook 11, as readers write them, that its table of likely mistakes does not hold.

`WRONG[exercise]` lists (what is wrong, answer, part of a hint that no row gives); `RIGHT[exercise]` lists (how, answer).
"""

import numpy as np
import torch
from torch import nn

from posenc_helpers.encodings import AlibiEncoding, PositionalEncoding
from posenc_helpers.lab.shootout import Contestant

# 1. jobs: {job: encoding}
JOBS = {"sensors": "nope", "encoder": "rope", "decoder": "kerple", "forms": "learned", "kernel": "binary"}
# 2. verdict(mine, theirs) -> "better", "worse" or "cannot say"


def _by_array(mine, theirs):
    both = np.array([[mine[seed], theirs[seed]] for seed in mine if seed in theirs]).reshape(-1, 2)
    signs = np.unique(np.sign(both[:, 0] - both[:, 1]))
    words = np.array(["better", "cannot say", "worse"])
    return words[int(signs[0]) + 1] if len(signs) == 1 and len(both) >= 6 else words[1]


def _by_loop(mine, theirs):
    lower = higher = ties = 0
    for seed, loss in mine.items():
        match theirs.get(seed):
            case None:
                continue
            case other if loss == other:
                ties += 1
            case other:
                lower, higher = lower + (loss < other), higher + (loss > other)
    if ties or lower * higher or lower + higher < 6:
        return "cannot say"
    return "better" if lower else "worse"


def _in_place(mine, theirs):
    for seed in [*mine]:
        if seed not in theirs:
            del mine[seed]
    return _by_loop(mine, theirs)


# 3. Mine, or a function (width, heads, length) -> encoding


def _far(q_positions, k_positions):  # (L_q, L_k), or (B, 1, L_q, L_k)
    far = (q_positions[..., None] - k_positions[..., None, :]).abs().float()
    return far if far.ndim == 2 else far[:, None]


def _mine(bias, **start):
    """Return a class Mine with `bias(self, q, k, far)`; `start` holds the first values of parameters."""

    class Mine(PositionalEncoding):
        def __init__(self, heads):
            super().__init__()
            for name, value in start.items():
                setattr(self, name, nn.Parameter(torch.full((heads,), value)))

        def bias(self, q, k, q_positions, k_positions):
            return bias(self, q, k, _far(q_positions, k_positions))

    return Mine


def _per_head(slopes, far):
    return slopes[:, None, None] * far


class AsksForMore(PositionalEncoding):
    def __init__(self, heads, temperature):
        super().__init__()


class Waves(PositionalEncoding):
    """A log for all heads; a line and a wave of period 5, which only heads of small `reach` feel."""

    def __init__(self, heads):
        super().__init__()
        self.reach = nn.Parameter(torch.linspace(0.0, 4.0, heads).exp())

    def bias(self, q, k, q_positions, k_positions):
        far = _far(q_positions, k_positions)
        wave = (2 * torch.pi * far / 5).cos()
        return (_per_head(1 / self.reach, wave - far) - far.add(1).log()).to(q.dtype)


WRONG = {
    "jobs": [
        ("a job is left out", {job: JOBS[job] for job in list(JOBS)[:-1]}, "no choice yet for the job kernel"),
        ("dots for one", JOBS | {"forms": ...}, "Job forms: the choice is still the dots"),
        (
            "a wrong one and dots",
            dict.fromkeys(JOBS, ...) | {"kernel": "rope"},
            "Job kernel: look at the column unique",
        ),
        ("several names", JOBS | {"decoder": ["kerple", "alibi"]}, "Job decoder: give one name"),
        ("a name of its own", JOBS | {"sensors": "none"}, "take a name from the scorecard's first column"),
        ("a list", list(JOBS.values()), "Give a dict"),
    ],
    "verdict": [
        ("capitals", lambda mine, theirs: _by_loop(mine, theirs).title(), "one of the three texts"),
        ("prints", lambda mine, theirs: print(_by_loop(mine, theirs)), "Is the `return` missing?"),
    ],
    # All are refused before anything is trained; what else is refused: test_bring_your_own.py.
    "beats_rope": [
        ("its own rate", Contestant(AlibiEncoding, rate=8.0), "Not raced (own rate tuned, RoPE's not)"),
        ("an unknown argument", AsksForMore, "asks for temperature, which is not known"),
        ("slopes along the keys", _mine(lambda self, q, k, far: -self.s * far, s=1.0), "bias returns shape (1, 4)"),
        (
            "LogDistance with slopes of its own",
            _mine(lambda self, q, k, far: _per_head(self.s, -torch.log2(1 + far)).to(q.dtype), s=0.7),
            "this is LogDistance, which the lesson built",
        ),
    ],
}

RIGHT = {
    "jobs": [
        ("xPos, Shaw, one-hot", JOBS | {"encoder": "xpos", "decoder": "shaw", "forms": "one-hot"}),
        ("as the text writes them", JOBS | {"sensors": "NoPE", "encoder": "RoPE", "decoder": "ALiBi"}),
        ("relative bias, sinusoidal", JOBS | {"decoder": "relative bias", "forms": "sinusoidal"}),
        ("FIRE, random, and a job of my own", JOBS | {"decoder": "fire", "forms": "random", "images": "rope"}),
        ("CoPE, binary twice", JOBS | {"decoder": "cope", "forms": "binary", "kernel": "binary "}),
    ],
    "verdict": [
        ("by signs in an array", _by_array),
        ("by counting in a loop", _by_loop),
        ("seeds deleted in place", _in_place),
    ],
    "beats_rope": [("a wave, a line and a log", Waves)],  # it trains; others that are let in: test_bring_your_own.py
}
