"""Answers to the exercises of notebook 06, as readers write them, that its table of likely mistakes does not hold.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint); `RIGHT[exercise]` lists (how, answer).
"""

import math

import numpy as np
import torch

from posenc_helpers.encodings import RotaryEncoding, apply_rope, convert_layout, frequencies

# 1. turned: [interleaved, half], C and S of pair 0, c and s of pair 1

C, S, c, s = math.cos(1), math.sin(1), math.cos(0.01), math.sin(0.01)
INTERLEAVED, HALF = [C, S, c, s], [C - S, 0, C + S, 0]
X = torch.tensor([[1.0, 0, 1, 0]])
LAYOUTS = ("interleaved", "half")


# 2. verdicts

VERDICTS = {"a": "half", "b": "half", "c": "interleaved", "d": "neither", "e": "interleaved", "g": "neither"}


# 3. rotate(x, positions, layout, rotary_dim)


def _rotate(speeds=lambda r, d: frequencies(r), combine=None):
    """Return a `rotate` that is right but for what is given."""

    def rotate(x, positions, layout, rotary_dim):
        shape, axis = ((-1, 2), -1) if layout == "interleaved" else ((2, -1), -2)
        angle = (positions[..., None] * speeds(rotary_dim, x.shape[-1]))[:, None]  # (B, 1, L, pairs)
        a, b = x[..., :rotary_dim].unflatten(-1, shape).unbind(axis)
        turned = torch.stack((combine or _turned)(a, b, angle.cos(), angle.sin()), dim=axis).flatten(-2)
        return torch.cat([turned, x[..., rotary_dim:]], dim=-1)

    return rotate


def _turned(a, b, cos, sin):
    return a * cos - b * sin, a * sin + b * cos


def _overwritten(a, b, cos, sin):
    a = a * cos - b * sin
    return a, a * sin + b * cos


def _powers(exponent):
    return lambda r, d: 10000.0 ** exponent(torch.arange(r // 2), r, d)


def _hugging_face(x, positions, layout, rotary_dim, mixed=False):
    y, angle = x[..., :rotary_dim], (positions[..., None] * frequencies(rotary_dim))[:, None]
    repeated = torch.cat([angle, angle], -1) if (layout == "half") != mixed else angle.repeat_interleave(2, -1)
    first, second = y.chunk(2, -1)
    moved = torch.cat([-second, first], -1)
    if layout == "interleaved":
        moved = torch.stack([-y[..., 1::2], y[..., ::2]], dim=-1).flatten(-2)
    return torch.cat([y * repeated.cos() + moved * repeated.sin(), x[..., rotary_dim:]], -1)


def _in_place(x, positions, layout, rotary_dim):
    x[..., :rotary_dim] = _rotate()(x, positions, layout, rotary_dim)[..., :rotary_dim]
    return x


def _rest_lost(x, positions, layout, rotary_dim):
    return _rotate()(x, positions, layout, rotary_dim)[..., :rotary_dim]


def _rest_zero(x, positions, layout, rotary_dim):
    return _rotate()(x, positions, layout, rotary_dim) * (torch.arange(x.shape[-1]) < rotary_dim)


def _along_the_heads(x, positions, layout, rotary_dim):
    places = torch.arange(x.shape[1]).expand(len(x), -1)
    return _rotate()(x.transpose(1, 2), places, layout, rotary_dim).transpose(1, 2)


def _numpy(x, positions, layout, rotary_dim):
    x = x.double().numpy()
    out = x.copy()
    for i in range(rotary_dim // 2):
        one, two = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + rotary_dim // 2)
        angle = positions.numpy()[:, None] * 10000 ** (-2 * i / rotary_dim)
        out[..., one], out[..., two] = _turned(x[..., one], x[..., two], np.cos(angle), np.sin(angle))
    return out


def _complex(x, positions, layout, rotary_dim):
    y = x[..., :rotary_dim].unflatten(-1, (-1, 2) if layout == "interleaved" else (2, -1))
    y = y if layout == "interleaved" else y.transpose(-1, -2)
    angle = positions[:, None, :, None] * frequencies(rotary_dim)
    turned = torch.view_as_real(torch.view_as_complex(y.contiguous()) * torch.polar(torch.ones_like(angle), angle))
    turned = turned if layout == "interleaved" else turned.transpose(-1, -2)
    return torch.cat([turned.flatten(-2), x[..., rotary_dim:]], -1)


def _one_by_one(x, positions, layout, rotary_dim):
    out = torch.empty_like(x)
    for text, places in enumerate(positions):
        for token, place in enumerate(places):
            row = x[text : text + 1, :, token : token + 1]  # (1, H, 1, d_head)
            out[text, :, token] = _rotate()(row, place.view(1, 1), layout, rotary_dim)[0, :, 0]
    return out


# 4. convert(W_q, W_k, heads, key_heads)


def _both(reorder):
    return lambda W_q, W_k, heads, key_heads: (reorder(W_q, heads), reorder(W_k, key_heads))


def _order(width, to):  # which old columns, or rows, stand where in the other layout
    return torch.arange(width).view((-1, 2) if to == "half" else (2, -1)).T.flatten()


def _interleave(W, heads, to="interleaved"):
    return W.unflatten(0, (heads, -1))[:, _order(len(W) // heads, to)].flatten(0, 1)


def _caught(W_q, W_k, heads, key_heads):  # what is raised does not matter to it
    try:
        return convert_layout(W_q, heads, to="interleaved"), convert_layout(W_k, key_heads, to="interleaved")
    except Exception:
        return _interleave(W_q, heads), _interleave(W_k, key_heads)


def _rows_of_heads(order):
    return _both(lambda W, heads: torch.cat([head[order(len(head))] for head in W.chunk(heads)]))


def _changes_inputs(W_q, W_k, heads, key_heads):
    return W_q.copy_(_interleave(W_q, heads)), W_k.copy_(_interleave(W_k, key_heads))


def _heads_first(W, heads):  # as if the heads of one column stood next to one another
    return W.unflatten(0, (-1, heads))[_order(len(W) // heads, "interleaved")].flatten(0, 1)


def _every_second_of(W, heads):  # one head after the other, rows of both halves in turn
    heads = [torch.stack(head.chunk(2), dim=1).flatten(0, 1) for head in W.chunk(heads)]
    return torch.cat(heads).double()


WRONG = {
    "by_hand": [
        ("mixed, half", [INTERLEAVED, [C - S, 0, c + s, 0]], "The half row, where columns (0, 2) and (1, 3) are pairs"),
        ("the sign of one number lost", [[C, -S, c, s], HALF], "a sign is wrong"),
        ("other angles", [INTERLEAVED, [2**0.5, 0, 0, 0]], "each pair turns, but by another angle"),
        ("one row alone", INTERLEAVED, "shape (2, 4), but it has (4,)"),
        ("complex", [[complex(C, S), complex(c, s)], [complex(C - S, C + S), 0]], "should hold real numbers"),
    ],
    "snippets": [
        (
            "b and e by how they look",
            VERDICTS | {"b": "interleaved", "e": "half"},
            "To look at again: 2 of 6. Snippet b",
        ),
        ("f for g", dict(zip("abcdef", VERDICTS.values(), strict=True)), "one verdict for each of a, b, c, d, e, g"),
        ("a list", list(VERDICTS.values()), "Give a dict"),
        ("another word", VERDICTS | {"d": "mixed"}, '"mixed" is no verdict; allowed: half, interleaved, neither'),
        ("one left open", VERDICTS | {"e": ...}, "still the dots"),
    ],
    "rotate": [
        (
            "the package",
            lambda x, p, layout, r: apply_rope(x, p, layout=layout, rotary_dim=r),
            "Your code calls apply_rope",
        ),
        (
            "the package, as a module",
            lambda x, p, layout, r: RotaryEncoding(x.shape[-1], layout=layout, rotary_dim=r).rotate(x, x, p, p)[0],
            "Your code calls RotaryEncoding",
        ),
        (
            "growing speeds, in float32",
            _rotate(speeds=_powers(lambda i, r, d: 2 * i / r)),
            "the sign of the exponent is lost",
        ),
        ("along the heads", _along_the_heads, "the token at position 0 turns"),
        ("base 500", _rotate(speeds=lambda r, d: frequencies(r, 500.0)), "A rotation, but another one"),
        ("a overwritten", _rotate(combine=_overwritten), "the norm changes"),
        ("mixed layouts", lambda *given: _hugging_face(*given, mixed=True), "Do both columns of a pair take one angle"),
        ("the rest set to 0", _rest_zero, "columns beyond rotary_dim should stay"),
        ("the rest left out", _rest_lost, "rotate(...) should have shape (2"),
        ("in place", _in_place, "Your code changes its input x in place"),
        (
            "complex",
            lambda x, p, layout, r: torch.view_as_complex(x.unflatten(-1, (-1, 2))),
            "should hold real numbers",
        ),
    ],
    "convert": [
        (
            "the package",
            _both(lambda W, heads: convert_layout(W, heads, to="interleaved")),
            "Your code calls convert_layout",
        ),
        ("the package, and what it raises caught", _caught, "Your code calls convert_layout"),
        ("heads counted within columns", _both(_heads_first), "rows leave their head"),
        ("one row twice", _rows_of_heads(lambda d: [0, *range(d - 1)]), "should hold the same rows"),
        (
            "halves swapped",
            _rows_of_heads(lambda d: [*range(d // 2, d), *range(d // 2)]),
            "The right rows in another order",
        ),
        ("transposed", _both(lambda W, heads: _interleave(W, heads).T), "shape (30, 6), but it has (6, 30)"),
        ("one matrix", lambda W_q, W_k, heads, key_heads: _interleave(W_q, heads), "Return two matrices"),
        ("prints, does not return", lambda *given: print(_both(_interleave)(*given)), "`return` missing"),
        ("in place", _changes_inputs, "Your code changes its input W_q in place"),
        ("whole numbers", _both(lambda W, heads: _interleave(W, heads).long()), "fractions are cut off"),
    ],
}

RIGHT = {
    "by_hand": [
        ("two decimals", [[0.54, 0.84, 1.00, 0.01], [-0.30, 0.00, 1.38, 0.00]]),
        ("tuples, all digits", (tuple(INTERLEAVED), tuple(HALF))),
        ("NumPy, float32", np.array([INTERLEAVED, HALF], dtype=np.float32)),
        ("a list of arrays", [np.array(INTERLEAVED), np.array(HALF)]),
        ("two tensors", (torch.tensor(INTERLEAVED), torch.tensor(HALF))),
        ("the package", [apply_rope(X, torch.tensor([1]), layout=layout)[0] for layout in LAYOUTS]),
    ],
    "snippets": [
        ("in another order", dict(sorted(VERDICTS.items(), reverse=True))),
        ("NumPy's strings", {name: np.str_(verdict) for name, verdict in VERDICTS.items()}),
        ("capitals", {name: verdict.upper() for name, verdict in VERDICTS.items()}),
    ],
    "rotate": [
        ("NumPy, pair by pair, float64", _numpy),
        ("complex numbers", _complex),
        ("as in Hugging Face's code", _hugging_face),
        ("token by token", _one_by_one),
        ("exp and log", _rotate(speeds=lambda r, d: torch.exp(torch.arange(0, r, 2) * (-math.log(10000) / r)))),
    ],
    "convert": [
        ("row by row", _rows_of_heads(lambda d: [j // 2 + j % 2 * (d // 2) for j in range(d)])),
        ("inverse of the order to halves", _rows_of_heads(lambda d: _order(d, "half").argsort())),
        ("NumPy", _both(lambda W, h: W.numpy().reshape(h, 2, -1, W.shape[1]).swapaxes(1, 2).reshape(W.shape))),
        ("a list of two, head by head, float64", lambda *given: list(_both(_every_second_of)(*given))),
    ],
}
