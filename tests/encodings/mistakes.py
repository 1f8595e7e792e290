"""Encodings that break a rule, by its name, with what is said of the smallest input; those of `lab.rules` first."""

import torch
from torch import nn
from torch.nn import functional

from posenc_helpers.encodings import apply_rope, sinusoidal
from tests.encodings import wrong_encodings as wrong
from tests.encodings.wrong_encodings import (
    Embed,
    add,
    bias,
    checked,
    codes,
    embed,
    far_apart,
    fixed,
    one,
    rotate,
    table,
)

MISTAKES = {
    "gives numbers": [
        (embed(lambda x, p, m: x + p.nothing), r"positions \[0\]: stops with AttributeError: 'Tensor'"),
        (embed(lambda x, p, m: x + p / p.max()), r"positions \[0\]: NaN or infinity"),
        (embed(lambda x, p, m: x.expand(2, -1, -1)), r"shape \(2, 1, 11\) for tokens of shape \(1, 1\)"),
        (
            bias(lambda q, k, qp, kp: torch.ones(4) * (kp - qp[..., None]).float()),
            r"bias returns shape \(1, 4\); allowed",
        ),
    ],
    "gives the same twice": [
        (embed(lambda x, p, m: add(x, p) + torch.randn(x.shape)), r"positions \[0\], twice: "),
        (embed(lambda x, p, m: functional.dropout(add(x, p), 0.5)), r"positions \[0\], twice: "),
    ],
    "keeps texts apart": [
        (embed(lambda x, p, m: x + 0.01 * x.mean(0)), r"2 texts of two tokens, in one batch or each alone: .* off"),
        (embed(lambda x, p, m: x + m.rows[:1][torch.arange(len(x))], rows=table), r"each alone: stops with IndexError"),
    ],
    "keeps to the past": [
        (
            embed(lambda x, p, m: x + 1e-7 * x.cumsum(1).flip(1)),
            "in a text of 2 tokens, what stands from position 1 on",
        ),
        (embed(lambda x, p, m: add(x, p / x.shape[1])), "the answers to the first 2 tokens .* goes on to 3 tokens"),
    ],
    "reads positions": [
        (lambda *_: wrong.Misspelt(), r"two tokens at positions \[0, 1\]: moved to \[1, 0\]"),
        (wrong.Sliced, r"two tokens at positions \[0, 1\]: moved to \[1, 0\]"),
        (bias(lambda q, k, qp, kp: wrong.stored(q, k)), r"two tokens at positions \[0, 1\]"),
    ],
    "decodes with a key cache": [
        (lambda *_: wrong.Counted(), r"positions \[0, 1\], one a call: the logits are off by \(measured 0\.\d+;"),
        (embed(lambda x, p, m: add(x, p - p[..., :1])), r"\[0, 1\], one a call: .* off"),
        (embed(lambda x, p, m: add(x, p * (x.shape[1] > 2))), r"\[0, 1, 2\], one a call"),
        (rotate(lambda q, k, qp, kp: (apply_rope(q, qp), apply_rope(k, qp))), r"\[0, 1\], one a call: stops with"),
    ],
    "leaves gaps": [
        (bias(lambda q, k, qp, kp: wrong.stored(q, k)), r"\[0, 2\], the others hidden or left out: .* off"),
        (lambda *_: wrong.Counted(), r"\[0, 2\], the others hidden or left out: the logits are off"),
    ],
    "takes positions of each row": [
        (embed(lambda x, p, m: add(x, p if p.ndim == 1 else p[0])), r"positions \[\[0, 1\], \[3, 1\]\]: .* off"),
        (bias(wrong.sheer), r"\[\[1\], \[1\]\]: stops with"),
        (bias(wrong.summed), r"positions \[\[0, 1\], \[0, 1\]\]: the logits are off"),
    ],
    "refuses (L, B, d)": [
        (wrong.Looked, r"x of shape \(3, 1, 64\) with 3 positions: embed returns shape \(3, 3, 64\)"),
        (lambda *_: wrong.Counted(), r"x of shape \(3, 1, 64\) with 3 positions: embed returns shape \(3, 1, 64\)"),
        (embed(wrong.length_first, rows=table), r"x of shape \(3, 2, 64\)"),
    ],
    "keeps shape and dtype": [
        (embed(lambda x, p, m: x + sinusoidal(p, 64)), r"two tokens in torch.bfloat16: embed returns torch.float32"),
        (rotate(lambda q, k, qp, kp: (q.float(), k.float())), r"in torch.bfloat16: rotate \(q\) returns torch.float32"),
        (bias(lambda q, k, qp, kp: far_apart(q.float(), qp, kp)), r"in torch.bfloat16: bias returns torch.float32"),
        (
            rotate(lambda q, k, qp, kp: (q[..., :8], k[..., :8])),
            r"rotate \(q\) returns shape \(1, 4, 2, 8\); allowed: ",
        ),
        (bias(lambda q, k, qp, kp: 0.5), r"bias returns a float; allowed: a tensor"),
        (wrong.second_layer_in_float32, r"two tokens in torch.bfloat16: bias of layer 1 returns torch.float32"),
    ],
    "tells neighbours apart in bfloat16": [
        (embed(lambda x, p, m: add(x, p.to(x.dtype).float())), r"256 and 257 in torch.bfloat16: they look alike"),
        (bias(wrong.in_its_dtype), r"positions 256 and 257"),
    ],
    "says where its table ends": [
        (wrong.Looked, r"one token at position 320: stops with IndexError: index out of range"),
        (wrong.Sliced, r"321 tokens: stops with RuntimeError: The size of tensor a \(321\)"),
        (lambda *_: wrong.ShortBias(30), r"31 tokens: stops with IndexError"),
        (embed(wrong.wordless, rows=table), r"position 320: the error does not name both"),
        (embed(lambda x, p, m: checked(x, p, m.rows, first=-320), rows=table), "position -1: .* of the last row, 319"),
        (
            embed(lambda x, p, m: x + m.rows[p.clamp(max=63)], rows=table),
            "position 64: it gets the code of position 63",
        ),
        (embed(lambda x, p, m: x + m.rows[p % 50], rows=table), "position 50: it gets the code of position 0 without"),
    ],
    "takes any length after any other": [
        (embed(wrong.first_table), r"texts of \(1, 2\) tokens, .*: stops with IndexError"),
        (embed(wrong.longest), r"texts of \(5, 2\) tokens, one after the other: .* off"),
    ],
    "learns": [
        (embed(lambda x, p, m: add(x, p), unused=one), "no gradient reaches unused"),
        (embed(lambda x, p, m: x + m.rows.detach()[p], rows=table), "no gradient reaches rows"),
        (embed(lambda x, p, m: add(x, p) + m.a.abs().sqrt(), a=wrong.Zero), "the gradient of a.a is not finite"),
        (embed(wrong.first_of_many, scale=one), "with RuntimeError: Inference tensors"),
    ],
    "moves with its model": [
        (embed(lambda x, p, m: x + m.rows[p], rows=codes), r"self.rows holds a tensor"),
        (embed(wrong.remembered, tables=dict), r"two tokens: after them, self.tables holds a tensor"),
        (embed(lambda x, p, m: x + m._all[0][p], _all=lambda: [codes()]), r"self._all holds"),
    ],
    "can be saved and loaded": [
        (
            embed(lambda x, p, m: x + m.rows[p], rows=wrong.drawn),
            r"positions \[1\], saved and loaded into a new model: .* off",
        ),
        (embed(wrong.late), r"saved and loaded into a new model: stops with RuntimeError: Error"),
    ],
    "survives loading through meta": [
        (
            embed(lambda x, p, m: checked(x, p, m.rows), rows=fixed),
            r"\[1\], built on meta, given memory and loaded: the",
        )
    ],
    # those of further_rules.py
    "doors take what the base class says": [(lambda *_: wrong.OtherName(), "embed takes self, x, index")],
    "positions may be of any integer type": [
        (embed(lambda x, p, m: x + codes()[p]), "IndexError: tensors used as indices")
    ],
    "positions may be real": [(embed(lambda x, p, m: x + codes()[p]), "IndexError: tensors used as indices")],
    "neighbours differ": [(embed(lambda x, p, m: add(x, p.bfloat16().float())), "256 and 257 look alike")],
    "order of storage is nothing": [
        (lambda *_: wrong.Counted(), "another order"),
        (embed(lambda x, p, m: add(x, p.amin() + p - p[..., :1])), "another order"),
    ],
    "decodes in chunks of any size": [
        (bias(lambda q, k, qp, kp: far_apart(q, qp, kp).roll(len(qp) // 3, -1)), r"in chunks of \[5, 1, 1, 3, 2\]")
    ],
    "a shift changes nothing": [(embed(lambda x, p, m: add(x, p)), "not close")],
    "gradients come back": [(embed(lambda x, p, m: add(x.detach(), p)), "appears to not have been used")],
    "second derivatives are finite": [
        (embed(lambda x, p, m: x + p.float()[..., None] ** (m.power / 2), power=one), "a derivative is not finite")
    ],
    "fixed numbers are not stored": [
        (embed(lambda x, p, m: add(x, p), rows=lambda: fixed(stored=True)), "table is stored"),
        (embed(lambda x, p, m: add(x, p), rows=lambda: nn.Parameter(codes(), requires_grad=False)), "is a parameter"),
    ],
    "length may change between save and load": [(wrong.Looked, r"Error\(s\) in loading state_dict")],
    "copies and pickles": [(embed(lambda x, p, m: add(x, p)), "pickle")],  # a lambda
    "follows the device": [(lambda *_: wrong.Counted(), "meta")],
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
        (embed(lambda x, p, m: add(x, p.float() if x.dtype is torch.float32 else p)), "embed at 16777217")
    ],
    "the default dtype changes nothing": [
        (embed(lambda x, p, m: x + (p[..., None] / torch.arange(1, 65)).to(x.dtype)), "changes with the default")
    ],
    "no tokens give an empty result": [(embed(lambda x, p, m: add(x, p - p[..., 0])), "IndexError")],
    "sizes may be numpy integers": [
        (lambda width, heads, length: Embed(lambda x, p, m: add(x, p), bits=length.bit_length()), "bit_length")
    ],
    "compiles in one piece": [(embed(wrong.reduced), "[Dd]ata-dependent")],
    "exports with any length": [(embed(wrong.reduced), "[Dd]ata-dependent")],
}
