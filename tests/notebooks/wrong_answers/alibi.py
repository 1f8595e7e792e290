"""Answers to the exercises of notebook 07, as readers write them, that its table of likely mistakes does not hold.

`WRONG[exercise]` lists (what is wrong, answer, part of a hint that no row gives); `RIGHT[exercise]` lists (how, answer).
"""

import torch
from torch import nn

from posenc_helpers.encodings import PositionalEncoding, alibi_slopes
from posenc_helpers.lessons.alibi.mistakes import right_bias

# 1. slopes: (slopes_of_4, slopes_of_6)

FOUR = [1 / 4, 1 / 16, 1 / 64, 1 / 256]
SIX = [*FOUR, 1 / 2, 1 / 8]


# 2. bias(q_positions, k_positions, slopes, causal) -> (H, L_q, L_k)


def _low(q, k, slopes, causal):
    return right_bias(q, k, slopes, causal).masked_fill((k[None, :] > q[:, None]) & causal, -1e9)


def _line(q, k, slopes, causal):  # slope times n, for every query
    return slopes[:, None, None] * k.expand(len(q), -1)


def _distances(q, k, slopes, causal):  # |m - n| for both: behind a causal mask that is the same
    return -torch.cdist(q[:, None].double(), k[:, None].double()) * slopes.double()[:, None, None]


# 3. LearnedAlibi(heads)


def _relative(q_positions, k_positions):
    return k_positions[None, :] - q_positions[:, None]


def _learned(parent=PositionalEncoding, finish=lambda made: made):
    """Return a class LearnedAlibi that is right but for what is given."""

    class LearnedAlibi(parent):
        def __init__(self, heads):
            super().__init__()
            self.slopes = nn.Parameter(alibi_slopes(heads))

        def bias(self, q, k, q_positions, k_positions):
            return finish(self.slopes[:, None, None] * _relative(q_positions, k_positions))

    return LearnedAlibi


class OneByOne(PositionalEncoding):
    def __init__(self, heads):
        super().__init__()
        self.each = nn.ParameterList([nn.Parameter(slope.clone()) for slope in alibi_slopes(heads)])

    def bias(self, q, k, q_positions, k_positions):
        return torch.stack([slope * _relative(q_positions, k_positions) for slope in self.each])


class FromZero(PositionalEncoding):  # what training adds to the slopes
    def __init__(self, heads):
        super().__init__()
        self.register_buffer("start", alibi_slopes(heads), persistent=False)
        self.moved = nn.Parameter(torch.zeros(heads))

    def bias(self, q, k, q_positions, k_positions):
        return torch.einsum("h,mn->hmn", self.start + self.moved, _relative(q_positions, k_positions).float())


class Shaped(PositionalEncoding):
    def __init__(self, heads):
        super().__init__()
        self.slopes = nn.Parameter(alibi_slopes(heads)[:, None, None])

    def bias(self, q, k, q_positions, k_positions):
        return (self.slopes * _relative(q_positions, k_positions))[None]


class Settled(PositionalEncoding):
    """Adds its slopes as long as they are those of the start, then others, which recall likes."""

    def __init__(self, heads):
        super().__init__()
        self.slopes, self.start = nn.Parameter(alibi_slopes(heads)), alibi_slopes(heads)

    def bias(self, q, k, q_positions, k_positions):
        slopes = self.slopes if torch.equal(self.slopes.detach(), self.start) else 0 * self.slopes - 1.6
        return slopes[:, None, None] * _relative(q_positions, k_positions)


class OnlyThere(PositionalEncoding):
    """Has its slopes where the places are 7 to 18, and others elsewhere."""

    def __init__(self, heads):
        super().__init__()
        self.slopes = nn.Parameter(alibi_slopes(heads))

    def bias(self, q, k, q_positions, k_positions):
        slopes = self.slopes if k_positions[0] == 7 else 0 * self.slopes - 1.6
        return slopes[:, None, None] * _relative(q_positions, k_positions)


WRONG = {
    "slopes": [
        ("rounded to hundredths", ([0.25, 0.06, 0.02, 0.00], SIX), "rounded too far"),
        ("powers of e", ([2.718 ** (-2 * h) for h in (1, 2, 3, 4)], SIX), "but another one for so many heads"),
        ("one row of ten", FOUR + SIX, "two rows of slopes"),
    ],
    "bias": [
        (
            "slopes doubled",
            lambda q, k, slopes, causal: right_bias(q, k, 2 * slopes, causal),
            "causal=True: a straight line",
        ),
        (
            "squared",
            lambda *given: right_bias(*given) * right_bias(*given).abs(),
            "from one key to the next the bias should change",
        ),
    ],
    "learned_alibi": [
        ("NumPy in bias", _learned(finish=lambda made: made.detach().numpy()), "should return a tensor"),
        ("a plain module", _learned(parent=nn.Module), "inherits from PositionalEncoding"),
        ("other slopes elsewhere", OnlyThere, "the bias should change by the head's slope"),
        ("fixed slopes after the start", Settled, "not made of its parameters"),
    ],
}

RIGHT = {
    "slopes": [
        ("three decimals", ([round(s, 3) for s in FOUR], [round(s, 3) for s in SIX])),
        ("two digits each", ([0.25, 0.063, 0.016, 0.0039], [0.25, 0.063, 0.016, 0.0039, 0.5, 0.13])),
    ],
    "bias": [
        ("-slope |m - n| for both, float64", _distances),
        ("zeros after the query", lambda *given: right_bias(*given).clamp(max=0)),
        ("a very low number after the query", _low),
        ("slope times n, as BLOOM, behind the mask", lambda *given: (_line if given[-1] else right_bias)(*given)),
    ],
    "learned_alibi": [
        ("shape (H, 1, 1), a batch axis", Shaped),
        ("one parameter a head", OneByOne),
        ("what is added to the start", FromZero),
    ],
}
