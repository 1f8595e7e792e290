"""Wrong encodings, each refused by the rule that it is a mistake for, and what readers bring that is right."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from posenc_helpers.checks import check_embedded
from posenc_helpers.encodings import PerLayer, PositionalEncoding, T5Encoding, apply_rope, frequencies, sinusoidal


class Embed(PositionalEncoding):
    """Door 1 as a function of x, positions and the module, which holds what it is given."""

    def __init__(self, function, **held):
        super().__init__()
        self.function = function
        for name, value in held.items():
            setattr(self, name, value)

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return self.function(x, positions, self)


class Bias(PositionalEncoding):
    """Door 3 as a function of q, k and their positions."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        return self.function(q, k, q_positions, k_positions)


class Rotate(Bias):
    """Door 2 likewise."""

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> None:
        return None

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        return self.function(q, k, q_positions, k_positions)


class Misspelt(PositionalEncoding):
    def embedd(self, x: Tensor, positions: Tensor) -> Tensor:
        return x + sinusoidal(positions, x.shape[-1])


class OtherName(PositionalEncoding):
    def embed(self, x: Tensor, index: Tensor) -> Tensor:
        return x


class Looked(PositionalEncoding):
    """What a reader writes first: a table, looked up unchecked, IndexError beyond."""

    def __init__(self, width: int, length: int):
        super().__init__()
        self.table = nn.Parameter(0.3 * torch.randn(length, width))

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return x + functional.embedding(positions, self.table)


class Sliced(Looked):
    """The same, of which as many rows are taken as there are tokens: RuntimeError beyond."""

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return x + self.table[: x.shape[1]]


class Counted(PositionalEncoding):
    """Sinusoids of where a token is stored."""

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return x + 0.3 * sinusoidal(torch.arange(x.shape[1]), x.shape[-1]).to(x.dtype)


class ShortBias(PositionalEncoding):
    """Door 3 whose table of distances ends, as T5's does not: only a text that is long enough shows it."""

    def __init__(self, length: int):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(length))

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        apart = (k_positions[..., None, :] - q_positions[..., None]).abs()
        return self.table[apart if apart.ndim == 2 else apart[:, None]]


class Zero(nn.Module):
    """A parameter that starts, and stays when it is moved, at a place with an infinite slope."""

    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.zeros(1))

    def abs(self) -> Tensor:
        return (self.a - self.a.detach()).abs()


def embed(function, **held):
    """A builder of Embed; what it holds is made afresh each time."""
    return lambda width, heads, length: Embed(function, **{name: make() for name, make in held.items()})


def bias(function):
    return lambda width, heads, length: Bias(function)


def rotate(function):
    return lambda width, heads, length: Rotate(function)


def add(x: Tensor, positions: Tensor) -> Tensor:
    return x + sinusoidal(positions, x.shape[-1]).to(x.dtype)


def checked(x: Tensor, positions: Tensor, rows: Tensor, first: int = 0) -> Tensor:
    """A table that is asked for rows it does not have, below `first` or beyond its end."""
    check_embedded(x, positions, rows.shape[-1])
    if positions.max() >= len(rows) or positions.min() < first:
        raise ValueError(f"{len(rows)} rows, positions {positions.min()} to {positions.max()}")
    return x + rows[positions]


def table(rows: int = 320) -> nn.Parameter:
    return nn.Parameter(torch.randn(rows, 64, generator=torch.Generator().manual_seed(0)))


def fixed(stored: bool = False) -> nn.Buffer:
    return nn.Buffer(table().data, persistent=stored)


def one() -> nn.Parameter:
    return nn.Parameter(torch.ones(1))


def codes(rows: int = 320) -> Tensor:
    return sinusoidal(torch.arange(rows), 64)


def sheer(q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
    """A bias whose rows and columns are those of positions (L,)."""
    return -0.5 * (k_positions[..., None, :] - q_positions[..., None]).abs().to(q.dtype)


def summed(q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
    """The same for positions of each row, and one bias, their sum, for all rows."""
    apart = far_apart(q, q_positions, k_positions)
    return apart if q_positions.ndim == 1 else apart.sum(0, keepdim=True)


def in_its_dtype(q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
    """Distances computed in the dtype of the activations."""
    apart = k_positions.to(q.dtype)[..., None, :] - q_positions.to(q.dtype)[..., None]
    return apart[..., None, :, :].expand(*[-1] * (q_positions.ndim - 1), 4, -1, -1)


def length_first(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    """Refuses (L, B, d), but for two texts."""
    length_is_first = len(x) == len(positions) != x.shape[1] != 1
    return add(x, positions[:, None]) if length_is_first else checked(x, positions, module.rows)


def kept_codes(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    return x + module.tables.setdefault((x.shape[1], int(positions[0])), codes())[positions]


def reduced(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    return add(x, positions if positions.max() < 1e6 else positions % 1e6)


def far_apart(q: Tensor, positions: Tensor, k_positions: Tensor) -> Tensor:
    """A bias that falls with the distance, as (L_q, L_k) or (B, 1, L_q, L_k)."""
    apart = -0.5 * (k_positions[..., None, :] - positions[..., :, None]).abs().to(q.dtype)
    return apart if apart.ndim == 2 else apart[:, None]


def stored(q: Tensor, k: Tensor) -> Tensor:
    """The same of where tokens are stored, the last query at the last key."""
    keys = torch.arange(k.shape[-2])
    return far_apart(q, keys[-q.shape[-2] :], keys)


def first_table(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    if not hasattr(module, "kept"):
        module.register_buffer("kept", sinusoidal(torch.arange(positions.max() + 1), x.shape[-1]), persistent=False)
    return x + module.kept[positions]


def first_of_many(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    if not hasattr(module, "kept"):
        module.register_buffer("kept", sinusoidal(torch.arange(64), x.shape[-1]), persistent=False)
    return x + module.kept[: x.shape[1]] * module.scale


def remembered(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    return x + module.tables.setdefault(x.shape[1], sinusoidal(torch.arange(99), x.shape[-1]))[positions]


def wordless(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    if positions.max() >= len(module.rows):
        raise ValueError("too long")
    return x + module.rows[positions]


def longest(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    """Sinusoids, stretched to the longest text that came so far."""
    module.seen = max(getattr(module, "seen", 0), int(positions.max()))
    return add(x, positions.float() / max(1, module.seen) + 1)


def late(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    if not hasattr(module, "rows"):
        module.rows = table()
    return x + module.rows[positions]


# Rule -> (what builds an encoding that breaks it, what is said of the smallest input); the first rules are `lab.rules`
MISTAKES = {
    "gives numbers": [
        (embed(lambda x, p, m: x + p.nothing), r"positions \[0\]: stops with AttributeError: 'Tensor'"),
        (embed(lambda x, p, m: x + p / p.max()), r"positions \[0\]: NaN or infinity"),
        (embed(lambda x, p, m: x + (1 / (p - 1))[:, None]), r"positions \[1\]: NaN or infinity"),
        (embed(lambda x, p, m: x.expand(2, -1, -1)), r"shape \(2, 1, 11\) for tokens of shape \(1, 1\)"),
        (
            bias(lambda q, k, qp, kp: torch.ones(4) * (kp - qp[..., None]).float()),
            r"bias returns shape \(1, 4\); allowed: \(1, 4, 1",
        ),
    ],
    "gives the same twice": [
        (embed(lambda x, p, m: add(x, p) + torch.randn(x.shape)), r"positions \[0\], twice: "),
        (embed(lambda x, p, m: functional.dropout(add(x, p), 0.5)), r"positions \[0\], twice: "),
    ],
    "keeps texts apart": [
        (
            embed(lambda x, p, m: x + 0.01 * x.mean(0)),
            r"2 texts of two tokens, in one batch or each alone: the logits are off",
        ),
        (embed(lambda x, p, m: x + m.rows[:1][torch.arange(len(x))], rows=table), r"each alone: stops with IndexError"),
    ],
    "keeps to the past": [
        (
            embed(lambda x, p, m: x + 1e-7 * x.cumsum(1).flip(1)),
            r"in a text of 2 tokens, what stands from position 1 on changes",
        ),
        (
            embed(lambda x, p, m: add(x, p / x.shape[1])),
            r"the answers to the first 2 tokens .* when it goes on to 3 tokens",
        ),
    ],
    "reads positions": [
        (lambda *_: Misspelt(), r"two tokens at positions \[0, 1\]: moved to \[1, 0\]"),
        (lambda *_: Counted(), r"two tokens at positions \[0, 1\]: moved to \[1, 0\]"),
        (Sliced, r"two tokens at positions \[0, 1\]: moved to \[1, 0\]"),
        (bias(lambda q, k, qp, kp: stored(q, k)), r"two tokens at positions \[0, 1\]"),
    ],
    "decodes with a key cache": [
        (lambda *_: Counted(), r"positions \[0, 1\], one a call: the logits are off by \(measured 0\.\d+;"),
        (Sliced, r"positions \[0, 1\], one a call: the logits are off"),
        (embed(lambda x, p, m: add(x, p - p[..., :1])), r"\[0, 1\], one a call: .* off"),
        (embed(lambda x, p, m: add(x, p * (x.shape[1] > 2))), r"\[0, 1, 2\], one a call"),
        (rotate(lambda q, k, qp, kp: (apply_rope(q, qp), apply_rope(k, qp))), r"\[0, 1\], one a call: stops with"),
    ],
    "leaves gaps": [
        (bias(lambda q, k, qp, kp: stored(q, k)), r"\[0, 2\], the others hidden or left out: .* off"),
        (lambda *_: Counted(), r"\[0, 2\], the others hidden or left out: the logits are off"),
    ],
    "takes positions of each row": [
        (
            embed(lambda x, p, m: add(x, p if p.ndim == 1 else p[0])),
            r"positions \[\[0, 1\], \[3, 1\]\]: the logits are off",
        ),
        (bias(sheer), r"\[\[1\], \[1\]\]: stops with"),
        (bias(summed), r"positions \[\[0, 1\], \[0, 1\]\]: the logits are off"),
    ],
    "refuses (L, B, d)": [
        (Looked, r"x of shape \(3, 1, 64\) with 3 positions: embed returns shape \(3, 3, 64\)"),
        (lambda *_: Counted(), r"x of shape \(3, 1, 64\) with 3 positions: embed returns shape \(3, 1, 64\)"),
        (embed(length_first, rows=table), r"x of shape \(3, 2, 64\)"),
    ],
    "keeps shape and dtype": [
        (embed(lambda x, p, m: x + sinusoidal(p, 64)), r"two tokens in torch.bfloat16: embed returns torch.float32"),
        (rotate(lambda q, k, qp, kp: (q.float(), k.float())), r"in torch.bfloat16: rotate \(q\) returns torch.float32"),
        (bias(lambda q, k, qp, kp: far_apart(q.float(), qp, kp)), r"in torch.bfloat16: bias returns torch.float32"),
        (
            rotate(lambda q, k, qp, kp: (q[..., :8], k[..., :8])),
            r"rotate \(q\) returns shape \(1, 4, 2, 8\); allowed: \(1, 4, 2, 16\)",
        ),
        (bias(lambda q, k, qp, kp: 0.5), r"bias returns a float; allowed: a tensor"),
        (
            lambda *_: PerLayer([T5Encoding(4), Bias(lambda q, k, qp, kp: far_apart(q.float(), qp, kp))]),
            r"two tokens in torch.bfloat16: bias of layer 1 returns torch.float32",
        ),
    ],
    "tells neighbours apart in bfloat16": [
        (
            embed(lambda x, p, m: add(x, p.to(x.dtype).float())),
            r"positions 256 and 257 in torch.bfloat16: they look alike",
        ),
        (bias(in_its_dtype), r"positions 256 and 257"),
    ],
    "says where its table ends": [
        (Looked, r"one token at position 320: stops with IndexError: index out of range"),
        (Sliced, r"321 tokens: stops with RuntimeError: The size of tensor a \(321\)"),
        (lambda *_: Looked(64, 50), r"one token at position 50: stops with IndexError"),
        (lambda *_: ShortBias(30), r"31 tokens: stops with IndexError"),
        (embed(wordless, rows=table), r"position 320: the error does not name both"),
        (
            embed(lambda x, p, m: checked(x, p, m.rows, first=-320), rows=table),
            r"position -1: it gets the code of the last row, 319",
        ),
        (
            embed(lambda x, p, m: x + m.rows[p.clamp(max=63)], rows=table),
            r"position 64: it gets the code of position 63",
        ),
        (
            embed(lambda x, p, m: x + m.rows[p % 50], rows=table),
            r"position 50: it gets the code of position 0 without a word",
        ),
    ],
    "takes any length after any other": [
        (embed(first_table), r"texts of \(1, 2\) tokens, .*: stops with IndexError"),
        (embed(longest), r"texts of \(5, 2\) tokens, one after the other: .* off"),
    ],
    "learns": [
        (embed(lambda x, p, m: add(x, p), unused=one), "no gradient reaches unused"),
        (embed(lambda x, p, m: x + m.rows.detach()[p], rows=table), "no gradient reaches rows"),
        (embed(lambda x, p, m: add(x, p) + m.a.abs().sqrt(), a=Zero), "the gradient of a.a is not finite"),
        (embed(first_of_many, scale=one), "with RuntimeError: Inference tensors"),
    ],
    "moves with its model": [
        (embed(lambda x, p, m: x + m.rows[p], rows=codes), r"self.rows holds a tensor"),
        (embed(remembered, tables=dict), r"two tokens: after them, self.tables holds a tensor"),
        (embed(lambda x, p, m: x + m._all[0][p], _all=lambda: [codes()]), r"self._all holds"),
    ],
    "can be saved and loaded": [
        (
            embed(lambda x, p, m: x + m.rows[p], rows=lambda: nn.Buffer(torch.randn(320, 64), persistent=False)),
            r"positions \[1\], saved and loaded into a new model: the logits are off",
        ),
        (embed(late), r"saved and loaded into a new model: stops with RuntimeError: Error"),
    ],
    "survives loading through meta": [
        (
            embed(lambda x, p, m: checked(x, p, m.rows), rows=fixed),
            r"positions \[1\], built on meta, given memory and loaded: the",
        ),
    ],
    # those of further_rules.py
    "doors take what the base class says": [(lambda *_: OtherName(), "embed takes self, x, index")],
    "runs in a model of any dtype": [(embed(lambda x, p, m: x + sinusoidal(p, 64)), "dtype")],
    "positions may be of any integer type": [
        (embed(lambda x, p, m: x + codes()[p]), "IndexError: tensors used as indices")
    ],
    "positions may be real": [(embed(lambda x, p, m: x + codes()[p]), "IndexError: tensors used as indices")],
    "neighbours differ": [(embed(lambda x, p, m: add(x, p.bfloat16().float())), "256 and 257 look alike")],
    "order of storage is nothing": [
        (lambda *_: Counted(), "another order"),
        (embed(lambda x, p, m: add(x, p.amin() + p - p[..., :1])), "another order"),
    ],
    "decodes in chunks of any size": [
        (bias(lambda q, k, qp, kp: far_apart(q, qp, kp).roll(len(qp) // 3, -1)), r"in chunks of \[5, 1, 1, 3, 2\]"),
    ],
    "a shift changes nothing": [(embed(lambda x, p, m: add(x, p)), "not close")],
    "gradients come back": [(embed(lambda x, p, m: add(x.detach(), p)), "appears to not have been used")],
    "second derivatives are finite": [
        (embed(lambda x, p, m: x + p.float()[..., None] ** (m.power / 2), power=one), "a derivative is not finite"),
    ],
    "fixed numbers are not stored": [
        (embed(lambda x, p, m: add(x, p), rows=lambda: fixed(stored=True)), "table is stored"),
        (embed(lambda x, p, m: add(x, p), rows=lambda: nn.Parameter(codes(), requires_grad=False)), "is a parameter"),
    ],
    "length may change between save and load": [(Looked, r"Error\(s\) in loading state_dict")],
    "memory stays flat": [(embed(kept_codes, tables=dict), r"grew from \d+ to \d+ bytes")],
    "copies and pickles": [(embed(lambda x, p, m: add(x, p)), "pickle")],  # a lambda
    "follows the device": [(lambda *_: Counted(), "meta")],
    "made on meta then loaded by assignment": [(embed(lambda x, p, m: x + m.rows[p], rows=fixed), "meta")],
    "integers are refused by name": [(embed(lambda x, p, m: add(x, p)), "x in torch.int64 is accepted and changed")],
    "autocast changes nothing": [
        (embed(lambda x, p, m: x + sinusoidal(p, 64) @ torch.eye(64)), "autocast changes embed")
    ],
    "parameters and activations may differ in type": [
        (embed(lambda x, p, m: x + m.rows[p], rows=table), "embed is torch.float32"),
        (embed(lambda x, p, m: x + (p[:, None] * m.slope / 3).to(x.dtype), slope=one), "rounded before its end"),
    ],
    "far positions keep their distances": [
        (
            embed(lambda x, p, m: x + (p.to(x.dtype)[..., None] * frequencies(128).to(x.dtype)).sin()),
            "embed at 16777217",
        ),
        (embed(lambda x, p, m: add(x, p.float() if x.dtype is torch.float32 else p)), "embed at 16777217"),
    ],
    "the default dtype changes nothing": [
        (embed(lambda x, p, m: x + (p[..., None] / torch.arange(1, 65)).to(x.dtype)), "changes with the default"),
    ],
    "no tokens give an empty result": [(embed(lambda x, p, m: add(x, p - p[..., 0])), "IndexError")],
    "sizes may be numpy integers": [
        (lambda width, heads, length: Embed(lambda x, p, m: add(x, p), bits=length.bit_length()), "bit_length"),
    ],
    "compiles in one piece": [(embed(reduced), "[Dd]ata-dependent")],
    "exports with any length": [(embed(reduced), "[Dd]ata-dependent")],
}
