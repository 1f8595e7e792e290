"""Answers to the exercises of notebook 07, as readers write them: wrong ones with the hint they deserve, and right ones
that look unlike the folded solution.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint that names it); `RIGHT[exercise]` lists (how, answer).
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


def _bias(causal=lambda n, m: n - m, both=lambda n, m: -(n - m).abs(), slopes=lambda slopes: slopes[:, None, None],
          keys=lambda n, m: n, queries=lambda m, n: m, combine=torch.mul):  # fmt: skip
    """Return a `bias` that is right but for what is given."""

    def bias(q_positions, k_positions, given, is_causal):
        n, m = keys(k_positions, q_positions)[None, :], queries(q_positions, k_positions)[:, None]
        return combine(slopes(given), (causal if is_causal else both)(n, m))

    return bias


def _one_kind(kind):  # `causal` forgotten
    return lambda q, k, slopes, causal: _bias()(q, k, slopes, kind)


def _counted(positions, other):
    return torch.arange(len(positions))


def _from_the_end(m, n):  # queries lined up with the last keys, which are counted from 0
    return torch.arange(len(n) - len(m), len(n))


def _hidden(q, k, slopes, causal):
    made = _bias()(q, k, slopes, causal)
    return made.masked_fill((k[None, :] > q[:, None]) & causal, -torch.inf)


def _type_of_positions(q, k, slopes, causal):
    return _bias()(q, k, slopes, causal).to(q.dtype)


def _encoder_forgotten(q, k, slopes, causal):
    if causal:
        return _bias()(q, k, slopes, causal)


def _causal_triangle(q, k, slopes, causal):
    made = _bias()(q, k, slopes, False)
    return made.tril() if causal else made


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


def _learned(make=lambda heads: nn.Parameter(alibi_slopes(heads)), read=lambda slopes: slopes[:, None, None],
             distance=_relative, parent=PositionalEncoding, finish=lambda made: made):  # fmt: skip
    """Return a class LearnedAlibi that is right but for what is given."""

    class LearnedAlibi(parent):
        def __init__(self, heads):
            super().__init__()
            self.slopes = make(heads)

        def bias(self, q, k, q_positions, k_positions):
            return finish(read(self.slopes) * distance(q_positions, k_positions))

    return LearnedAlibi


def _all_of(values):  # one number, the same for all heads
    return lambda heads: nn.Parameter(torch.full((heads,), values))


def _formula(first):
    return lambda heads: nn.Parameter(2.0 ** (-8 * torch.arange(first, heads + first) / heads))


class Buffer(PositionalEncoding):
    def __init__(self, heads):
        super().__init__()
        self.register_buffer("slopes", alibi_slopes(heads))

    def bias(self, q, k, q_positions, k_positions):
        return self.slopes[:, None, None] * _relative(q_positions, k_positions)


class FreshSlopes(_learned()):  # the parameter is there, and nothing uses it
    def bias(self, q, k, q_positions, k_positions):
        return alibi_slopes(len(self.slopes))[:, None, None] * _relative(q_positions, k_positions)


class WithoutGraph(_learned()):
    @torch.no_grad()
    def bias(self, q, k, q_positions, k_positions):
        return super().bias(q, k, q_positions, k_positions)


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


class BiasMissing(PositionalEncoding):
    def __init__(self, heads):
        super().__init__()
        self.slopes = nn.Parameter(alibi_slopes(heads))


class Prints(_learned()):
    def bias(self, q, k, q_positions, k_positions):
        super().bias(q, k, q_positions, k_positions).mean()


class WithOffset(_learned()):
    def __init__(self, heads):
        super().__init__(heads)
        self.offset = nn.Parameter(torch.zeros(heads))

    def bias(self, q, k, q_positions, k_positions):
        return super().bias(q, k, q_positions, k_positions) + self.offset[:, None, None]


class OneFactor(PositionalEncoding):
    def __init__(self, heads):
        super().__init__()
        self.start, self.factor = alibi_slopes(heads), nn.Parameter(torch.ones(1))

    def bias(self, q, k, q_positions, k_positions):
        return (self.factor * self.start)[:, None, None] * _relative(q_positions, k_positions)


class Table(PositionalEncoding):  # a bias of its own for every query and key
    def __init__(self, heads, length=64):
        super().__init__()
        places = torch.arange(length)
        self.table = nn.Parameter(alibi_slopes(heads)[:, None, None] * _relative(places, places))

    def bias(self, q, k, q_positions, k_positions):
        return self.table[:, q_positions][:, :, k_positions]


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


def _right(q, k, slopes, causal):
    return slopes[:, None, None] * (_relative(q, k) if causal else -_relative(q, k).abs())


def _listed(q, k, slopes, causal):
    rows = [[[h * (n - m if causal else -abs(n - m)) for n in k.tolist()] for m in q.tolist()] for h in slopes.tolist()]
    return np.array(rows, dtype=np.float32)


SHARED = {}


class _OneForAll(PositionalEncoding):  # every LearnedAlibi of as many heads has the same Parameter
    def __init__(self, heads):
        super().__init__()
        self.slopes = SHARED.setdefault(heads, nn.Parameter(alibi_slopes(heads)))

    def bias(self, q, k, q_positions, k_positions):
        return self.slopes[:, None, None] * _relative(q_positions, k_positions)


class _OneEach(PositionalEncoding):
    def __init__(self, heads):
        super().__init__()
        self.one = nn.ParameterList([nn.Parameter(slope.clone()) for slope in alibi_slopes(heads)])

    def bias(self, q, k, q_positions, k_positions):
        return torch.stack([slope * _relative(q_positions, k_positions) for slope in self.one])


class _Embedded(PositionalEncoding):
    def __init__(self, heads):
        super().__init__()
        self.rows = nn.Embedding.from_pretrained(alibi_slopes(heads)[:, None], freeze=False)

    def bias(self, q, k, q_positions, k_positions):
        return torch.einsum("hi,qk->hqk", self.rows.weight, _relative(q_positions, k_positions).to(q.dtype))


WRONG = {
    "slopes": [
        ("from 1", (_powers(0, -2, -4, -6), SIX), "off by one head"),
        ("from 1, ratio 1/2", (_powers(0, -1, -2, -3), SIX), "first slope is not 1"),
        ("the first four of 8 heads", (_powers(-1, -2, -3, -4), SIX), "first 4 slopes of 8 heads"),
        ("right start, ratio 1/2", (_powers(-2, -3, -4, -5), SIX), "ratio"),
        ("ratio right, start 1/2", (_powers(-1, -3, -5, -7), SIX),
         "the first slope should be the ratio from head to head"),
        ("2^(-H/8)", (_powers(-0.5, -1, -1.5, -2), SIX), "8 and the number of heads are turned over in the exponent"),
        ("evenly spaced", (torch.linspace(1 / 4, 1 / 256, 4), SIX), "one ratio should lead from each head to the next"),
        ("minus signs", ([-slope for slope in FOUR], SIX), "positive numbers"),
        ("exponents", ([-2, -4, -6, -8], SIX), "these are exponents"),
        ("exponents without the minus", ([2, 4, 6, 8], SIX), "these are exponents"),
        ("turned over", ([4, 16, 64, 256], SIX), "turned over"),
        ("flat heads first", (FOUR[::-1], SIX), "reversed"),
        ("all alike", ([1 / 4] * 4, SIX), "the first slope should be the ratio from head to head"),
        ("two decimals", ([0.25, 0.06, 0.02, 0.00], SIX), "more digits"),
        ("six: the paper's", (FOUR, _powers(*(-8 * i / 6 for i in range(1, 7)))), "paper's formula"),
        ("six: the paper's, two digits", (FOUR, [0.40, 0.16, 0.063, 0.025, 0.0098, 0.0039]), "paper's formula"),
        ("six: sorted", (FOUR, sorted(SIX, reverse=True)), "but sorted"),
        ("six: the first two of 8 heads", (FOUR, [*FOUR, 1 / 2, 1 / 4]), "you append slopes that are there already"),
        ("six: second and fourth of 8 heads", (FOUR, [*FOUR, 1 / 4, 1 / 16]),
         "you append slopes that are there already"),
        ("six: appended from the end", (FOUR, [*FOUR, 1 / 32, 1 / 128]), "the first four are right"),
        ("six: 16 heads in place of 8", (FOUR, [*FOUR, *_powers(-0.5, -1.5)]), "slopes of 8 heads"),
        ("six: appended, reversed", (FOUR, [*FOUR, 1 / 8, 1 / 2]), "steeper one first"),
        ("six: additional ones first", (FOUR, [1 / 2, 1 / 8, *FOUR]), "at the end"),
        ("six: the first of 8 heads", (FOUR, _powers(-1, -2, -3, -4, -5, -6)), "first 6 slopes of 8 heads"),
        ("six: the sequence of 4 goes on", (FOUR, _powers(-2, -4, -6, -8, -10, -12)), "slopes of 8 heads"),
        ("six: every second of 16 heads, from the first", (FOUR, _powers(-0.5, -1.5, -2.5, -3.5, -4.5, -5.5)),
         "the first slope should be the ratio from head to head"),
        ("six: from 1", (FOUR, [*_powers(0, -2, -4, -6), 1 / 2, 1 / 8]), "first slope is not 1"),
        ("six: paper's, from 1", (FOUR, _powers(*(-8 * i / 6 for i in range(6)))), "off by one head"),
        ("six: minus signs", (FOUR, [-slope for slope in SIX]), "positive numbers"),
        ("exchanged", (SIX, FOUR), "slopes_of_4 should have shape (4,), but it has (6,)"),
        ("six: only four", (FOUR, FOUR), "slopes_of_6 should have shape (6,), but it has (4,)"),
        ("six: the two appended alone", (FOUR, [1 / 2, 1 / 8]), "slopes_of_6 should have shape (6,), but it has (2,)"),
        ("one row too many brackets", ([FOUR], SIX), "shape (4,), but it has (1, 4)"),
        ("half filled in", (FOUR, [*FOUR, ..., ...]), "slopes_of_6 should be a tensor"),
        ("four alone", (FOUR, ...), "slopes_of_6 is still the dots"),
        ("six alone", (..., SIX), "slopes_of_4 is still the dots"),
        ("text", ("1/4, 1/16, 1/64, 1/256", SIX), "slopes_of_4 should be a tensor"),
        ("texts", (["1/4", "1/16", "1/64", "1/256"], SIX), "slopes_of_4 should be a tensor"),
        ("nothing in one", (None, SIX), "slopes_of_4"),
        ("nothing", None, "two rows of slopes"),
        ("one row of ten", FOUR + SIX, "two rows of slopes"),
        ("off by one head: exponents from 0", (_powers(0, -2, -4, -6), SIX), "off by one head"),
        ("heads for 8 over heads", (_powers(-4, -8, -12, -16), SIX), "2 to the minus number of heads"),
        ("the ratio of 8 heads", (_powers(-1, -2, -3, -4), SIX), "the first 4 slopes of 8 heads"),
        ("8 over the number of the head", (_powers(-8, -4, -8 / 3, -2), SIX), "8 by each head's number"),
        ("no brackets in the exponent", ([2**-8 / 4 * h for h in (1, 2, 3, 4)], SIX), "lacks brackets"),
        ("powers of e", ([2.718 ** (-2 * h) for h in (1, 2, 3, 4)], SIX), "powers of 2.72"),
        ("whole-number division", ([1 // 4, 1 // 16, 1 // 64, 1 // 256], SIX), "cuts to a whole number"),
        ("six: the third and the fifth of 8 heads", (FOUR, [*FOUR, *_powers(-3, -5)]), "the appended two are others"),
    ],
    "bias": [
        ("m - n behind the mask", _bias(causal=lambda n, m: m - n), "causal=True: the sign is reversed"),
        ("the formula's minus added to n - m", _bias(slopes=lambda s: -s[:, None, None], both=lambda n, m: (n - m).abs()),
         "causal=True: the sign is reversed"),
        ("minus forgotten in the encoder", _bias(both=lambda n, m: (n - m).abs()), "causal=False: the sign is reversed"),
        ("signed distance in the encoder", _one_kind(True), "left the signed distance"),
        ("m - n in the encoder", _bias(both=lambda n, m: m - n), "causal=False: you left the signed distance"),
        ("future keys free in the encoder", _bias(both=lambda n, m: (n - m).clamp(max=0)), "cost nothing"),
        ("kinds exchanged", lambda q, k, slopes, causal: _bias()(q, k, slopes, not causal), "left the signed distance"),
        ("encoder forgotten", _encoder_forgotten, "causal=False: bias returned nothing"),
        ("masked here", _hidden, "-infinity out"),
        ("queries counted from 0", _bias(queries=_counted), "instead of reading q_positions"),
        ("both counted from 0", _bias(keys=_counted, queries=_counted), "instead of reading q_positions"),
        ("keys counted from 0", _bias(keys=_counted), "stand at k_positions"),
        ("counted, lined up at the end", _bias(keys=_counted, queries=_from_the_end), "instead of reading q_positions"),
        ("queries at the positions of the first keys", _bias(queries=lambda m, n: n[: len(m)]), "reading q_positions"),
        ("one row for all queries", _line, "causal=False: one row for all queries"),
        ("no slopes", _bias(slopes=lambda s: torch.ones(len(s), 1, 1)), "slopes are not used"),
        ("slopes of its own", _bias(slopes=lambda s: alibi_slopes(len(s))[:, None, None]), "those that are given"),
        ("slopes in reverse", _bias(slopes=lambda s: s.flip(0)[:, None, None]), "wrong heads"),
        ("first slope for all", _bias(slopes=lambda s: s[:1].expand(len(s))[:, None, None]), "wrong heads"),
        ("divided by the slope", _bias(combine=lambda slope, distance: distance / slope),
         "from one key to the next the bias should change by the head's slope"),
        ("slope as an exponent", _bias(slopes=lambda s: 2 ** -s[:, None, None]),
         "from one key to the next the bias should change by the head's slope"),
        ("slopes doubled", _bias(slopes=lambda s: 2 * s[:, None, None]), "causal=True: a straight line"),
        ("divided by a root", _bias(slopes=lambda s: s[:, None, None] / 4), "causal=True: a straight line"),
        ("squared", _bias(causal=lambda n, m: -((n - m) ** 2), both=lambda n, m: -((n - m) ** 2)),
         "the distance is squared"),
        ("logarithm", _bias(causal=lambda n, m: -(1 + (n - m).abs()).log(), both=lambda n, m: -(1 + (n - m).abs()).log()),
         "the distance is in a logarithm"),
        ("whole numbers", _type_of_positions, "causal=True: bias holds whole numbers"),
        ("slopes as whole numbers", _bias(slopes=lambda s: s.long()[:, None, None]),
         "causal=True: bias holds whole numbers"),
        ("zeros", lambda q, k, slopes, causal: torch.zeros(len(slopes), len(q), len(k)), "0 everywhere"),
        ("transposed", lambda *given: _bias()(*given).transpose(1, 2), "shape (2, 3, 8), but it has (2, 8, 3)"),
        ("heads last", _bias(slopes=lambda s: s, combine=lambda s, apart: apart[..., None] * s),
         "shape (2, 3, 8), but it has (3, 8, 2)"),
        ("one head", lambda q, k, slopes, causal: _bias()(q, k, slopes, causal)[0], "shape (2, 3, 8), but it has (3, 8)"),
        ("a batch axis", lambda *given: _bias()(*given)[None], "shape (2, 3, 8), but it has (1, 2, 3, 8)"),
        ("keys alone, square", lambda q, k, slopes, causal: _bias()(k, k, slopes, causal), "but it has (2, 8, 8)"),
        ("one row", lambda q, k, slopes, causal: slopes[:, None, None] * k, "shape (2, 3, 8), but it has (2, 1, 8)"),
        ("weights", lambda *given: _bias()(*given).softmax(-1), "these are weights"),
        ("causal weights", lambda *given: _hidden(*given).softmax(-1), "these are weights"),
        ("a constant", lambda q, k, slopes, causal: torch.full((len(slopes), len(q), len(k)), -0.5), "same for every key"),
        ("prints, does not return", lambda *given: print(_bias()(*given).shape), "`return` missing"),
        ("slopes changed in place", _in_place_slopes, "changes its input slopes in place"),
        ("a letter of einsum twice", _diagonal, "0 everywhere"),
        ("queries sliced from the keys' start", lambda q, k, slopes, causal: _right(k[: len(q)], k, slopes, causal),
         "you count queries"),
        ("the mean of the slopes", lambda q, k, slopes, causal: _right(q, k, slopes.mean().expand(len(slopes)), causal),
         "the mean of the slopes"),
        ("positions in bfloat16", lambda q, k, slopes, causal: _right(q.bfloat16(), k.bfloat16(), slopes, causal),
         "positions are rounded"),
        ("float16", lambda q, k, slopes, causal: _right(q, k, slopes, causal).half(), "compute in float32"),
        ("heads last", lambda q, k, slopes, causal: _right(q, k, slopes, causal).permute(1, 2, 0), "looks transposed"),
        ("one head", lambda q, k, slopes, causal: _right(q, k, slopes, causal)[0], "An axis is missing"),
        ("a batch of one", lambda q, k, slopes, causal: _right(q, k, slopes, causal)[None], "length 1 is too many"),
    ],
    "learned_alibi": [
        ("an attribute", _learned(make=alibi_slopes), "nothing to train"),
        ("a list of numbers", _learned(make=lambda heads: alibi_slopes(heads).tolist()), "nothing to train"),
        ("a buffer", Buffer, "nothing to train"),
        ("requires_grad=False", _learned(make=lambda heads: nn.Parameter(alibi_slopes(heads), requires_grad=False)),
         "training leaves them alone"),
        (".data", _learned(read=lambda slopes: slopes.data[:, None, None]), "does not depend on the parameters"),
        (".detach()", _learned(read=lambda slopes: slopes.detach()[:, None, None]), "does not depend on the parameters"),
        ("rebuilt from numbers", Rebuilt, "does not depend on the parameters"),
        ("no_grad", WithoutGraph, "does not depend on the parameters"),
        ("fresh slopes in bias", FreshSlopes, "does not depend on the parameters"),
        ("NumPy in bias", _learned(finish=lambda made: made.detach().numpy()), "should return a tensor"),
        ("from zero", _learned(make=_all_of(0.0)), "start at alibi_slopes"),
        ("from one", _learned(make=_all_of(1.0)), "start at alibi_slopes"),
        ("from random numbers", _learned(make=lambda heads: nn.Parameter(torch.rand(heads))), "start at alibi_slopes"),
        ("the paper's formula", _learned(make=_formula(1)), "start at alibi_slopes"),
        ("the exponent from 0", _learned(make=_formula(0)), "start at alibi_slopes"),
        ("sign reversed", _learned(distance=lambda m, n: -_relative(m, n)), "sign is reversed"),
        ("minus kept in the parameter and in bias", _learned(make=lambda heads: nn.Parameter(-alibi_slopes(heads))),
         "sign is reversed"),
        ("one slope for all heads", _learned(make=lambda heads: nn.Parameter(torch.tensor([0.5])[:, None, None]),
                                             read=lambda slope: slope), "One number a head"),
        ("one factor for all slopes", OneFactor, "One number a head"),
        ("an offset as well", WithOffset, "One number a head"),
        ("a table", Table, "One number a head"),
        ("keys counted from 0", Counted, "they stand at k_positions"),
        ("for the keys alone", Square, "shape (5, 3, 8), but it has (5, 8, 8)"),
        ("one row for all queries", _learned(distance=lambda m, n: n), "shape (5, 3, 8), but it has (5, 1, 8)"),
        ("masked here", _learned(finish=lambda made: made.masked_fill(made > 0, -torch.inf)), "-infinity out"),
        ("four heads, always", _learned(make=lambda heads: nn.Parameter(alibi_slopes(4))), "One number a head"),
        ("heads last", _learned(read=lambda slopes: slopes, distance=lambda m, n: _relative(m, n)[..., None]),
         "shape (5, 3, 8), but it has (3, 8, 5)"),
        ("at door 1", AtDoorOne, "Override bias"),
        ("bias not overridden", BiasMissing, "Override bias"),
        ("nothing returned", Prints, "`return` missing"),
        ("a plain module", _learned(parent=nn.Module), "inherits from PositionalEncoding"),
        ("an object, not the class", _learned()(4), "without brackets"),
        ("a function", lambda heads: alibi_slopes(heads), "inherits from PositionalEncoding"),
        ("exponentials, always positive", _learned(make=lambda heads: nn.Parameter(alibi_slopes(heads).log()),
                                                   read=lambda logs: logs.exp()[:, None, None]), "become negative"),
        ("cut at 0", _learned(read=lambda slopes: slopes.clamp(min=0)[:, None, None]), "become negative"),
        ("one Parameter for all", _OneForAll, "all share one parameter"),
    ],
}  # fmt: skip

RIGHT = {
    "slopes": [
        ("decimals", ([0.25, 0.0625, 0.015625, 0.00390625], [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125])),
        ("three decimals", ([round(s, 3) for s in FOUR], [round(s, 3) for s in SIX])),
        ("two digits each", ([0.25, 0.063, 0.016, 0.0039], [0.25, 0.063, 0.016, 0.0039, 0.5, 0.13])),
        ("tuples", (tuple(FOUR), tuple(SIX))),
        ("powers", (_powers(-2, -4, -6, -8), _powers(-2, -4, -6, -8, -1, -3))),
        ("NumPy, float32", (np.array(FOUR, dtype=np.float32), np.array(SIX, dtype=np.float32))),
        ("float64", (torch.tensor(FOUR, dtype=torch.float64), torch.tensor(SIX, dtype=torch.float64))),
        ("lists of tensors", (list(alibi_slopes(4)), list(alibi_slopes(6)))),
        ("NumPy, cumulated", (np.cumprod([1 / 4] * 4), np.append(np.cumprod([1 / 4] * 4), [0.5, 0.125]))),
        ("the package", (alibi_slopes(4), torch.cat([alibi_slopes(4), alibi_slopes(8)[::2][:2]]))),
        ("float32, NumPy", (np.array(FOUR, dtype=np.float32), np.array(SIX, dtype=np.float32))),
        ("two lists, one a tensor of float64", [FOUR, torch.tensor(SIX, dtype=torch.float64)]),
    ],
    "bias": [
        ("loops, lists", _loops),
        ("NumPy", _numpy),
        ("left and right apart, einsum", _two_sides),
        ("-slope |m - n| for both, float64", _distances),
        ("zeros after the query", _bias(causal=lambda n, m: (n - m).clamp(max=0))),
        ("a very low number after the query", lambda q, k, slopes, causal: _hidden(q, k, slopes, causal).clamp(min=-1e9)),
        ("a list of heads", lambda q, k, slopes, causal: [_bias()(q, k, s[None], causal)[0] for s in slopes]),
        ("minus slope times m - n", _bias(causal=lambda n, m: m - n, both=lambda n, m: (m - n).abs(),
                                          slopes=lambda s: -s.view(-1, 1, 1))),
        ("slope times n, as BLOOM, behind the mask",
         lambda q, k, slopes, causal: _line(q, k, slopes, causal) if causal else _bias()(q, k, slopes, causal)),
        ("the package", _package),
        ("loops, NumPy's float32", _listed),
        ("float64 whatever came", lambda q, k, slopes, causal: _right(q, k, slopes.double(), causal)),
    ],
    "learned_alibi": [
        ("shape (H, 1, 1)", _learned(make=lambda heads: nn.Parameter(alibi_slopes(heads)[:, None, None]),
                                     read=lambda slopes: slopes)),
        ("minus slopes times m - n", _learned(make=lambda heads: nn.Parameter(-alibi_slopes(heads)),
                                              distance=lambda m, n: -_relative(m, n))),
        ("one parameter a head", OneByOne),
        ("what is added to the start", FromZero),
        ("float64", _learned(make=lambda heads: nn.Parameter(alibi_slopes(heads).double()),
                             finish=lambda made: made.float())),
        ("a batch axis", _learned(finish=lambda made: made[None])),
        ("a Parameter for each head", _OneEach),
        ("the weight of an Embedding", _Embedded),
    ],
}  # fmt: skip
