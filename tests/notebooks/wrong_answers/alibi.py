"""Answers to the exercises of notebook 07, as readers write them, that its table of likely mistakes does not hold.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint); `RIGHT[exercise]` lists (how, answer).
"""

import numpy as np
import torch
from torch import nn

from posenc_helpers.encodings import PositionalEncoding, alibi_bias, alibi_slopes, relative_positions

# 1. slopes: (slopes_of_4, slopes_of_6)

FOUR = [1 / 4, 1 / 16, 1 / 64, 1 / 256]
SIX = [*FOUR, 1 / 2, 1 / 8]


def _powers(*exponents):
    return [2.0**exponent for exponent in exponents]


# 2. bias(q_positions, k_positions, slopes, causal) -> (H, L_q, L_k)


def _bias(causal=lambda n, m: n - m, slopes=lambda slopes: slopes[:, None, None]):
    """Return a `bias` that is right but for what is given."""

    def bias(q, k, given, is_causal):
        n, m = k[None, :], q[:, None]
        return slopes(given) * (causal(n, m) if is_causal else -(n - m).abs())

    return bias


def _low(q, k, slopes, causal):
    return _bias()(q, k, slopes, causal).masked_fill((k[None, :] > q[:, None]) & causal, -1e9)


def _line(q, k, slopes, causal):  # slope times n, for every query
    return slopes[:, None, None] * k.expand(len(q), -1)


def _loops(q, k, slopes, causal):
    rows = lambda s: [[s * (int(n) - int(m)) if causal else -s * abs(int(n) - int(m)) for n in k] for m in q]  # noqa: E731
    return [rows(float(s)) for s in slopes]


def _numpy(q, k, slopes, causal):
    apart = np.subtract.outer(q.numpy(), k.numpy())  # m - n
    return -slopes.numpy()[:, None, None] * (apart if causal else np.abs(apart))


def _two_sides(q, k, slopes, causal):
    back, ahead = (q[:, None] - k).clamp(min=0), (k - q[:, None]).clamp(min=0)
    return torch.einsum("h,mn->hmn", slopes, ((ahead if causal else -ahead) - back).to(slopes.dtype))


def _distances(q, k, slopes, causal):  # |m - n| for both: behind a causal mask that is the same
    return -torch.cdist(q[:, None].double(), k[:, None].double()) * slopes.double()[:, None, None]


def _package(q, k, slopes, causal):
    return alibi_bias(relative_positions(q, k), slopes, "causal" if causal else "symmetric")


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


class Rebuilt(_learned()):
    def bias(self, q, k, q_positions, k_positions):
        slopes = torch.tensor(self.slopes.tolist())
        return slopes[:, None, None] * _relative(q_positions, k_positions)


class Counted(_learned()):
    def bias(self, q, k, q_positions, k_positions):
        return super().bias(q, k, torch.arange(q.shape[-2]), torch.arange(k.shape[-2]))


class Square(_learned()):
    def bias(self, q, k, q_positions, k_positions):
        return super().bias(q, k, k_positions, k_positions)


class AtDoorOne(PositionalEncoding):
    def __init__(self, heads):
        super().__init__()
        self.slopes = nn.Parameter(alibi_slopes(heads))

    def embed(self, x, positions):
        return x - self.slopes[0] * positions[:, None]


class WithOffset(_learned()):
    def __init__(self, heads):
        super().__init__(heads)
        self.offset = nn.Parameter(torch.zeros(heads))

    def bias(self, q, k, q_positions, k_positions):
        return super().bias(q, k, q_positions, k_positions) + self.offset[:, None, None]


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


def _in_place_slopes(q, k, slopes, causal):
    slopes.neg_()
    return -slopes[:, None, None] * (_relative(q, k) if causal else -_relative(q, k).abs())


def _diagonal(q, k, slopes, causal):  # einsum with the letter of the keys for the queries too
    distance = torch.einsum("kk->k", (k[None, :] - k[:, None]).to(slopes.dtype))
    return torch.einsum("h,k->hk", slopes, distance)[:, None].expand(-1, len(q), -1)


class Shaped(PositionalEncoding):
    def __init__(self, heads):
        super().__init__()
        self.slopes = nn.Parameter(alibi_slopes(heads)[:, None, None])

    def bias(self, q, k, q_positions, k_positions):
        return (self.slopes * _relative(q_positions, k_positions))[None]


class Minus(PositionalEncoding):
    def __init__(self, heads):
        super().__init__()
        self.slopes = nn.Parameter(-alibi_slopes(heads).double())

    def bias(self, q, k, q_positions, k_positions):
        return (self.slopes[:, None, None] * _relative(k_positions, q_positions).mT).float()


class Embedded(PositionalEncoding):
    def __init__(self, heads):
        super().__init__()
        self.rows = nn.Embedding.from_pretrained(alibi_slopes(heads)[:, None], freeze=False)

    def bias(self, q, k, q_positions, k_positions):
        return torch.einsum("hi,qk->hqk", self.rows.weight, _relative(q_positions, k_positions).to(q.dtype))


WRONG = {
    "slopes": [
        ("rounded to hundredths", ([0.25, 0.06, 0.02, 0.00], SIX), "rounded too far"),
        ("evenly spaced", (torch.linspace(1 / 4, 1 / 256, 4), SIX), "one ratio should lead from each head to the next"),
        ("six: the third and the fifth of 8 heads", (FOUR, [*FOUR, *_powers(-3, -5)]), "the appended two are others"),
        ("powers of e", ([2.718 ** (-2 * h) for h in (1, 2, 3, 4)], SIX), "but another one for so many heads"),
        ("exchanged", (SIX, FOUR), "slopes_of_4 should have shape (4,), but it has (6,)"),
        ("four alone", (FOUR, ...), "slopes_of_6 is still the dots"),
        ("texts", (["1/4", "1/16", "1/64", "1/256"], SIX), "slopes_of_4 should be a tensor"),
        ("one row of ten", FOUR + SIX, "two rows of slopes"),
    ],
    "bias": [
        ("slope times n in the encoder", _line, "causal=False: an encoder wants"),
        ("a letter of einsum twice", _diagonal, "A letter used twice in einsum"),
        ("slopes doubled", _bias(slopes=lambda s: 2 * s[:, None, None]), "causal=True: a straight line"),
        ("squared", _bias(causal=lambda n, m: -((n - m) ** 2)), "from one key to the next the bias should change"),
        ("whole numbers", lambda q, *given: _bias()(q, *given).to(q.dtype), "causal=True: bias holds whole numbers"),
        ("heads last", lambda *given: _bias()(*given).permute(1, 2, 0), "looks transposed"),
        (
            "encoder forgotten",
            lambda *given: _bias()(*given) if given[-1] else None,
            "causal=False: bias returned nothing",
        ),
        ("slopes changed in place", _in_place_slopes, "changes its input slopes in place"),
    ],
    "learned_alibi": [
        ("rebuilt from numbers", Rebuilt, "does not depend on the parameters"),
        ("an offset as well", WithOffset, "One number a head"),
        ("keys counted from 0", Counted, "reading q_positions and k_positions"),
        ("masked here", _learned(finish=lambda made: made.masked_fill(made > 0, -torch.inf)), "-infinity out"),
        ("for the keys alone", Square, "shape (5, 3, 8), but it has (5, 8, 8)"),
        ("NumPy in bias", _learned(finish=lambda made: made.detach().numpy()), "should return a tensor"),
        ("at door 1", AtDoorOne, "Override bias"),
        ("a plain module", _learned(parent=nn.Module), "inherits from PositionalEncoding"),
        ("an object, not the class", _learned()(4), "without brackets"),
    ],
}

RIGHT = {
    "slopes": [
        ("three decimals", ([round(s, 3) for s in FOUR], [round(s, 3) for s in SIX])),
        ("two digits each", ([0.25, 0.063, 0.016, 0.0039], [0.25, 0.063, 0.016, 0.0039, 0.5, 0.13])),
        ("tuples", (tuple(FOUR), tuple(SIX))),
        ("lists of tensors", (list(alibi_slopes(4)), list(alibi_slopes(6)))),
        ("NumPy, cumulated", (np.cumprod([1 / 4] * 4), np.append(np.cumprod([1 / 4] * 4), [0.5, 0.125]))),
        ("float32, NumPy", (np.array(FOUR, dtype=np.float32), np.array(SIX, dtype=np.float32))),
        ("two lists, one a tensor of float64", [FOUR, torch.tensor(SIX, dtype=torch.float64)]),
    ],
    "bias": [
        ("loops, lists", _loops),
        ("NumPy", _numpy),
        ("left and right apart, einsum", _two_sides),
        ("-slope |m - n| for both, float64", _distances),
        ("zeros after the query", _bias(causal=lambda n, m: (n - m).clamp(max=0))),
        ("a very low number after the query", _low),
        ("a list of heads", lambda q, k, slopes, causal: [_bias()(q, k, s[None], causal)[0] for s in slopes]),
        ("slope times n, as BLOOM, behind the mask", lambda *given: (_line if given[-1] else _bias())(*given)),
        ("the package", _package),
    ],
    "learned_alibi": [
        ("shape (H, 1, 1), a batch axis", Shaped),
        ("minus slopes times m - n, float64", Minus),
        ("one parameter a head", OneByOne),
        ("what is added to the start", FromZero),
        ("the weight of an Embedding", Embedded),
    ],
}
