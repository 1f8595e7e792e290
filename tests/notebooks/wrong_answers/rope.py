"""Answers to the exercises of notebook 06, as readers write them, that its table of likely mistakes does not hold.

`WRONG[exercise]` lists (what is wrong, answer, part of a hint that no row gives); `RIGHT[exercise]` lists (how, answer).
"""

import math

import torch

from posenc_helpers.encodings import apply_rope, convert_layout, frequencies

# 1. turned: [interleaved, half], C and S of pair 0, c and s of pair 1

C, S, c, s = math.cos(1), math.sin(1), math.cos(0.01), math.sin(0.01)
INTERLEAVED, HALF = [C, S, c, s], [C - S, 0, C + S, 0]


# 2. verdicts

VERDICTS = {"a": "half", "b": "half", "c": "interleaved", "d": "neither", "e": "interleaved", "g": "neither"}


# 3. rotate(x, positions, layout, rotary_dim)


def _rotate(speeds=frequencies):
    """Return a `rotate` that is right but for its `speeds`, of rotary_dim."""

    def rotate(x, positions, layout, rotary_dim):
        shape, axis = ((-1, 2), -1) if layout == "interleaved" else ((2, -1), -2)
        angle = (positions[..., None] * speeds(rotary_dim))[:, None]  # (B, 1, L, pairs)
        a, b = x[..., :rotary_dim].unflatten(-1, shape).unbind(axis)
        cos, sin = angle.cos(), angle.sin()
        turned = torch.stack((a * cos - b * sin, a * sin + b * cos), dim=axis).flatten(-2)
        return torch.cat([turned, x[..., rotary_dim:]], dim=-1)

    return rotate


def _along_the_heads(x, positions, layout, rotary_dim):
    places = torch.arange(x.shape[1]).expand(len(x), -1)
    return _rotate()(x.transpose(1, 2), places, layout, rotary_dim).transpose(1, 2)


def _complex(x, positions, layout, rotary_dim):
    y = x[..., :rotary_dim].unflatten(-1, (-1, 2) if layout == "interleaved" else (2, -1))
    y = y if layout == "interleaved" else y.transpose(-1, -2)
    angle = positions[:, None, :, None] * frequencies(rotary_dim)
    turned = torch.view_as_real(torch.view_as_complex(y.contiguous()) * torch.polar(torch.ones_like(angle), angle))
    turned = turned if layout == "interleaved" else turned.transpose(-1, -2)
    return torch.cat([turned.flatten(-2), x[..., rotary_dim:]], -1)


# 4. convert(W_q, W_k, heads, key_heads)


def _interleave(W, heads):
    return W.unflatten(0, (heads, 2, -1)).transpose(1, 2).flatten(0, 2)


def _caught(W_q, W_k, heads, key_heads):  # what is raised does not matter to it
    try:
        return convert_layout(W_q, heads, to="interleaved"), convert_layout(W_k, key_heads, to="interleaved")
    except Exception:
        return _interleave(W_q, heads), _interleave(W_k, key_heads)


def _rows_of_heads(order):
    reordered = lambda W, heads: torch.cat([head[order(len(head))] for head in W.chunk(heads)])  # noqa: E731
    return lambda W_q, W_k, heads, key_heads: (reordered(W_q, heads), reordered(W_k, key_heads))


WRONG = {
    "by_hand": [("other angles", [INTERLEAVED, [2**0.5, 0, 0, 0]], "each pair turns, but by another angle")],
    "snippets": [
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
            "growing speeds, in float32",
            _rotate(lambda r: 10000.0 ** (torch.arange(0, r, 2) / r)),
            "the sign of the exponent is lost",
        ),
        ("along the heads", _along_the_heads, "the token at position 0 turns"),
        ("base 500", _rotate(lambda r: frequencies(r, 500.0)), "A rotation, but another one"),
    ],
    "convert": [
        ("the package, and what it raises caught", _caught, "Your code calls convert_layout"),
        (
            "halves swapped",
            _rows_of_heads(lambda d: [*range(d // 2, d), *range(d // 2)]),
            "The right rows in another order",
        ),
        ("one matrix", lambda W_q, W_k, heads, key_heads: _interleave(W_q, heads), "Return two matrices"),
    ],
}

RIGHT = {
    "by_hand": [("two decimals", [[0.54, 0.84, 1.00, 0.01], [-0.30, 0.00, 1.38, 0.00]])],
    "snippets": [("capitals", {name: verdict.upper() for name, verdict in VERDICTS.items()})],
    "rotate": [
        ("complex numbers", _complex),
        ("exp and log", _rotate(lambda r: torch.exp(torch.arange(0, r, 2) * (-math.log(10000) / r)))),
    ],
    "convert": [("row by row", _rows_of_heads(lambda d: [j // 2 + j % 2 * (d // 2) for j in range(d)]))],
}
