"""Answers to the exercises of notebook 06, as readers write them: wrong ones with the hint they deserve, and right ones
that look unlike the folded solution.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint that names it); `RIGHT[exercise]` lists (how, answer).
"""

import math

import numpy as np
import torch

from posenc_helpers.encodings import RotaryEncoding, apply_rope, convert_layout, frequencies
from posenc_helpers.encodings.rope import rotate_pairs

# 1. turned: [interleaved, half], C and S of pair 0, c and s of pair 1

C, S, c, s = math.cos(1), math.sin(1), math.cos(0.01), math.sin(0.01)
INTERLEAVED, HALF = [C, S, c, s], [C - S, 0, C + S, 0]
X = torch.tensor([[1.0, 0, 1, 0]])
LAYOUTS = ("interleaved", "half")


def _by_hand(angle):  # both rows with the angle of pair 0 and of pair 1
    (C, c), (S, s) = map(math.cos, angle), map(math.sin, angle)
    return [[C, S, c, s], [C - S, 0, C + S, 0]]


# 2. verdicts

VERDICTS = {"a": "half", "b": "half", "c": "interleaved", "d": "neither", "e": "interleaved", "g": "neither"}


# 3. rotate(x, positions, layout, rotary_dim)


def _other(layout):
    return LAYOUTS[LAYOUTS[0] == layout]


def _rotate(places=lambda p: p, layout=lambda layout: layout, dim=lambda r, d: r, speeds=lambda r, d: frequencies(r),
            angles=lambda angle: angle, combine=None, written=None):  # fmt: skip
    """Return a `rotate` that is right but for what is given."""

    def rotate(x, positions, which, rotary_dim):
        which, r = layout(which), dim(rotary_dim, x.shape[-1])
        shape, axis = ((-1, 2), -1) if which == "interleaved" else ((2, -1), -2)
        angle = angles(places(positions)[..., None] * speeds(r, x.shape[-1]))[:, None]  # (B, 1, L, pairs)
        a, b = x[..., :r].unflatten(-1, shape).unbind(axis)
        turned = (combine or _turned)(a, b, angle.cos(), angle.sin())
        turned = torch.stack(turned, dim=written or axis).flatten(-2)
        return torch.cat([turned, x[..., r:]], dim=-1)

    return rotate


def _turned(a, b, cos, sin):
    return a * cos - b * sin, a * sin + b * cos


def _overwritten(a, b, cos, sin):
    a = a * cos - b * sin
    return a, a * sin + b * cos


def _powers(exponent, base=10000.0):
    return lambda r, d: base ** exponent(torch.arange(r // 2), r, d)


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


def _last_columns(x, positions, layout, rotary_dim):
    rest = x.shape[-1] - rotary_dim
    return torch.cat([x[..., :rest], _rotate()(x[..., rest:], positions, layout, rotary_dim)], -1)


def _rest_first(x, positions, layout, rotary_dim):
    return _rotate()(x, positions, layout, rotary_dim).roll(x.shape[-1] - rotary_dim, -1)


def _rest_lost(x, positions, layout, rotary_dim):
    return _rotate()(x, positions, layout, rotary_dim)[..., :rotary_dim]


def _rest_zero(x, positions, layout, rotary_dim):
    return _rotate()(x, positions, layout, rotary_dim) * (torch.arange(x.shape[-1]) < rotary_dim)


def _halves_of_the_head(x, positions, layout, rotary_dim):
    if layout == "interleaved":
        return _rotate()(x, positions, layout, rotary_dim)
    n, d = rotary_dim // 2, x.shape[-1]
    angle, out = (positions[..., None] * frequencies(rotary_dim))[:, None], x.clone()
    a, b = x[..., :n], x[..., d // 2 : d // 2 + n]
    out[..., :n], out[..., d // 2 : d // 2 + n] = _turned(a, b, angle.cos(), angle.sin())
    return out


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


def _permuted(x, positions, layout, rotary_dim):
    order = _order(rotary_dim, "half") if layout == "half" else torch.arange(rotary_dim)
    y = x[..., :rotary_dim][..., order.argsort()]
    return torch.cat([_rotate()(y, positions, "interleaved", rotary_dim)[..., order], x[..., rotary_dim:]], -1)


def _matrices(x, positions, layout, rotary_dim):
    i, n, w = torch.arange(rotary_dim // 2), rotary_dim // 2, frequencies(rotary_dim, dtype=torch.float64)
    one, two = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + n)
    generator = torch.zeros(x.shape[-1], x.shape[-1], dtype=torch.float64)
    generator[two, one], generator[one, two] = w, -w
    return torch.einsum("blij, bhlj -> bhli", torch.matrix_exp(positions[..., None, None] * generator), x.double())


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


def _columns_too(W, heads):
    return _interleave(W, heads)[:, _order(W.shape[1], "interleaved")]


def _turned_weights(W, heads):
    turn = _rotate(speeds=_powers(lambda i, r, d: -2 * i / r))
    return turn(W.T[None, None], torch.arange(W.shape[1])[None], "interleaved", len(W))[0, 0].T


def _changes_inputs(W_q, W_k, heads, key_heads):
    return W_q.copy_(_interleave(W_q, heads)), W_k.copy_(_interleave(W_k, key_heads))


def _heads_first(W, heads):  # as if the heads of one column stood next to one another
    return W.unflatten(0, (-1, heads))[_order(len(W) // heads, "interleaved")].flatten(0, 1)


def _old_row_to_new(W, heads):
    out, width = torch.empty_like(W), len(W) // heads
    for row in range(len(W)):
        head, j = divmod(row, width)
        out[head * width + 2 * (j % (width // 2)) + j // (width // 2)] = W[row]
    return out


def _by_matrix(W, heads):
    permutation = torch.eye(len(W) // heads, dtype=torch.float64)[_order(len(W) // heads, "interleaved")]
    return torch.block_diag(*[permutation] * heads) @ W.double()


def _table_from_0(x, positions, layout, rotary_dim):  # a table of angles, of which the first L rows are taken
    ids = torch.arange(int(positions.max()) + 1)[: positions.shape[1]].expand(positions.shape)
    return _rotate()(x, ids, layout, rotary_dim)


def _speed_of_the_token(x, positions, layout, rotary_dim):  # einsum("bl,l->bl"): the letter of the tokens for the pairs too
    w = frequencies(rotary_dim)
    if len(w) < positions.shape[1]:
        return _rotate()(x, positions, layout, rotary_dim)
    angle = torch.einsum("bl,l->bl", positions.float(), w[: positions.shape[1]])[:, None, :, None].expand(-1, 1, -1, len(w))
    return torch.cat([rotate_pairs(x[..., :rotary_dim], angle, layout), x[..., rotary_dim:]], dim=-1)


def _first_pair_alone(x, positions, layout, rotary_dim):
    w = frequencies(rotary_dim) * (torch.arange(rotary_dim // 2) == 0)
    angle = (positions[..., None] * w)[:, None]
    return torch.cat([rotate_pairs(x[..., :rotary_dim], angle, layout), x[..., rotary_dim:]], dim=-1)


def _heads_axis_forgotten(x, positions, layout, rotary_dim):
    return rotate_pairs(x, positions[..., None] * frequencies(rotary_dim), layout)


def _looked_up(x, positions, layout, rotary_dim):
    table = torch.arange(int(positions.max()) + 1)[:, None] * frequencies(rotary_dim, dtype=torch.float64)
    turned = rotate_pairs(x[..., :rotary_dim].double(), table[positions][:, None], layout)
    return torch.cat([turned.float(), x[..., rotary_dim:]], dim=-1)


def _every_second_of(W, heads):  # one head after the other, rows of both halves in turn
    heads = [torch.stack(head.chunk(2), dim=1).flatten(0, 1) for head in W.chunk(heads)]
    return torch.cat(heads).double()


def _numpy_rows(W, heads):
    width = len(W) // heads
    order = [h * width + i + j * width // 2 for h in range(heads) for i in range(width // 2) for j in (0, 1)]
    return W.numpy()[order]


WRONG = {
    "by_hand": [
        ("rows swapped", [HALF, INTERLEAVED], "the rows are swapped"),
        ("both interleaved", [INTERLEAVED, INTERLEAVED], "The half row: this is the interleaved layout"),
        ("both half", [HALF, HALF], "The interleaved row: this is the half layout"),
        ("the other way", _by_hand([-1, -0.01]), "you turned the other way"),
        ("half the other way", [INTERLEAVED, [C + S, 0, C - S, 0]], "The half row: you turned the other way"),
        ("one speed", [[C, S, C, S], HALF], "all pairs take one speed"),
        ("speeds swapped", _by_hand([0.01, 1]), "the speeds are in reverse order"),
        ("half with the speed of pair 1", [INTERLEAVED, [c - s, 0, c + s, 0]], "pairs are counted from 1"),
        ("position 0", [[1, 0, 1, 0], [1, 0, 1, 0]], "this is position 0"),
        ("position 0 in one row", [INTERLEAVED, [1, 0, 1, 0]], "The half row: this is position 0"),
        ("position 2", _by_hand([2, 0.02]), "this is position 2"),
        ("degrees", _by_hand([math.radians(1), math.radians(0.01)]), "degrees"),
        ("half, pair after pair", [INTERLEAVED, [C - S, C + S, 0, 0]], "wrong columns"),
        ("interleaved, firsts before seconds", [[C, c, S, s], HALF], "wrong columns"),
        ("the interleaved numbers in half columns", [INTERLEAVED, [C, c, S, s]], "right numbers in the wrong columns"),
        ("mixed: angles 1, 0.01, 1, 0.01", [[C, s, C, s], HALF], "a pair got longer or shorter"),
        ("mixed, half", [INTERLEAVED, [C - S, 0, c + s, 0]], "a pair got longer or shorter"),
        ("cosines alone", [[C, 0, c, 0], [C, 0, C, 0]], "a pair got longer or shorter"),
        ("plus twice", [INTERLEAVED, [C + S, 0, C + S, 0]], "a pair got longer or shorter"),
        ("sine and cosine swapped", [[S, C, s, c], [S - C, 0, S + C, 0]], "sine and cosine are swapped"),
        ("the sign of -0.30 lost", [INTERLEAVED, [0.30, 0, 1.38, 0]], "a sign is wrong"),
        ("pairs (0, 3) and (1, 2)", [INTERLEAVED, [C, -s, c, S]], "a pair got longer or shorter"),
        ("one decimal", [[0.5, 0.8, 1.0, 0.0], [-0.3, 0.0, 1.4, 0.0]], "almost: give two decimals"),
        ("exponent doubled", _by_hand([1, 0.0001]), "the exponent is doubled"),
        ("all zeros", [[0.0] * 4] * 2, "whole numbers alone"),
        ("one row alone", INTERLEAVED, "shape (2, 4), but it has (4,)"),
        ("eight numbers", INTERLEAVED + HALF, "shape (2, 4), but it has (8,)"),
        ("in columns", np.array([INTERLEAVED, HALF]).T, "shape (2, 4), but it has (4, 2)"),
        ("half filled in", [INTERLEAVED, ...], "should be a tensor"),
        ("complex", [[complex(C, S), complex(c, s)], [complex(C - S, C + S), 0]], "should hold real numbers"),
        ("pairs counted from 1", _by_hand([0.01, 1e-4]), "pairs are counted from 1"),
        ("exponent halved", _by_hand([1, 0.1]), "the exponent is halved"),
        ("no brackets in the exponent", _by_hand([0, 2.5e-9]), "lacks brackets"),
        ("position 2, by hand", _by_hand([2, 0.02]), "this is position 2"),
        ("eight numbers in a row", [*INTERLEAVED, *HALF], "should have shape (2, 4)"),
        ("columns first", np.transpose(_by_hand([1, 0.01])), "looks transposed"),
    ],
    "snippets": [
        ("a read as neighbours", VERDICTS | {"a": "interleaved"}, "Snippet a: which columns does chunk(2)"),
        ("complex taken for interleaved", VERDICTS | {"b": "interleaved"}, "Snippet b: complex numbers say nothing"),
        ("c distrusted", VERDICTS | {"c": "neither"}, "Snippet c: which columns does the stacked part swap"),
        ("d by its swap alone", VERDICTS | {"d": "interleaved"}, "Snippet d: write down which angle"),
        ("d by its angles alone", VERDICTS | {"d": "half"}, "Snippet d: write down which angle"),
        ("e by how it is written", VERDICTS | {"e": "half"}, "where the result is written"),
        ("e called mixed", VERDICTS | {"e": "neither"}, "where the result is written"),
        ("g by its halves alone", VERDICTS | {"g": "half"}, "Snippet g: write down which angle"),
        ("g by its angles alone", VERDICTS | {"g": "interleaved"}, "Snippet g: write down which angle"),
        ("b and e by how they look", VERDICTS | {"b": "interleaved", "e": "half"}, "(To look at again: 2 of 6.)"),
        ("all half", dict.fromkeys(VERDICTS, "half"), "(To look at again: 4 of 6.)"),
        ("all neither", dict.fromkeys(VERDICTS, "neither"), "(To look at again: 4 of 6.)"),
        ("f for g", dict(zip("abcdef", VERDICTS.values(), strict=True)), "one verdict for each of a, b, c, d, e, g"),
        ("one missing", {name: VERDICTS[name] for name in "abcde"}, "one verdict for each of"),
        ("none", {}, "one verdict for each of"),
        ("verdicts and names swapped", {"half": "ab", "interleaved": "ce", "neither": "dg"}, "one verdict for each of"),
        ("a list", list(VERDICTS.values()), "Give a dict"),
        ("another word", VERDICTS | {"d": "mixed"}, '"mixed" is no verdict; allowed: half, interleaved, neither'),
        ("two verdicts", VERDICTS | {"e": ["half", "interleaved"]}, "is no verdict"),
        ("one left open", VERDICTS | {"e": ...}, "still the dots"),
        ("verdicts in a list", list(VERDICTS.values()), "Give a dict"),
        ("f for g", {name.replace("g", "f"): verdict for name, verdict in VERDICTS.items()}, "Give one verdict for each"),
    ],
    "rotate": [
        ("positions ignored", _rotate(lambda p: torch.arange(p.shape[1]).expand_as(p)), "positions are ignored"),
        ("positions of the first row", _rotate(lambda p: p[:1].expand_as(p)), "takes the positions of the first"),
        ("the package", lambda x, p, layout, r: apply_rope(x, p, layout=layout, rotary_dim=r), "Your code calls apply_rope"),
        ("the package, as a module", lambda x, p, layout, r: RotaryEncoding(x.shape[-1], layout=layout, rotary_dim=r).rotate(
            x, x, p, p)[0], "Your code calls RotaryEncoding"),
        ("counted on from the first", _rotate(lambda p: p[:, :1] + torch.arange(p.shape[1])), "counted from the first one"),
        ("relative to the first", _rotate(lambda p: p - p[:, :1]), "counted from the first one"),
        ("sorted", _rotate(lambda p: p.sort(-1).values), "positions are sorted"),
        ("along the heads", _along_the_heads, "the token at position 0 turns"),
        ("one late", _rotate(lambda p: p + 1), "off by one"),
        ("one early", _rotate(lambda p: p - 1), "off by one"),
        ("positions in bfloat16", _rotate(lambda p: p.bfloat16().float()), "positions are rounded"),
        ("positions in float16", _rotate(lambda p: p.half().float()), "positions are rounded"),
        ("positions in int8", _rotate(lambda p: p.to(torch.int8)), "A rotation, but another one"),
        ("angles in bfloat16", _rotate(angles=lambda angle: angle.bfloat16().float()), "A rotation, but another one"),
        ("degrees", _rotate(angles=torch.deg2rad), "your hands turn in degrees"),
        ("turned twice", _rotate(lambda p: 2 * p), "it turns twice"),
        ("the other way", _rotate(lambda p: -p), "you turn the other way"),
        ("layouts swapped", _rotate(layout=_other), "this is the half layout"),
        ("always half", _rotate(layout=lambda layout: "half"), "this is the half layout"),
        ("always interleaved", _rotate(layout=lambda layout: "interleaved"), "this is the interleaved layout"),
        ("all columns", _rotate(dim=lambda r, d: d), "all columns turn"),
        ("rotary_dim taken for pairs", _rotate(dim=lambda r, d: r // 4 * 2), "the exponent is doubled"),
        ("exponent over the head", _rotate(speeds=_powers(lambda i, r, d: -2 * i / d)), "the exponent runs over d_head"),
        ("exponent doubled", _rotate(speeds=_powers(lambda i, r, d: -4 * i / r)), "the exponent is doubled"),
        ("exponent halved", _rotate(speeds=_powers(lambda i, r, d: -i / r)), "the exponent is halved"),
        ("sign of the exponent lost", _rotate(speeds=_powers(lambda i, r, d: 2 * i / r)), "sign of the exponent is lost"),
        ("half - 1", _rotate(speeds=_powers(lambda i, r, d: -i / (r // 2 - 1))), "one pair too few"),
        ("integer division", _rotate(speeds=_powers(lambda i, r, d: -(2 * i // r))), "all pairs take one speed"),
        ("no speeds", _rotate(angles=lambda angle: angle[..., :1].expand_as(angle)), "all pairs take one speed"),
        ("speeds from slow to fast", _rotate(speeds=lambda r, d: frequencies(r).flip(0)), "in reverse order"),
        ("base 500", _rotate(speeds=lambda r, d: frequencies(r, 500.0)), "A rotation, but another one"),
        ("both signs plus", _rotate(combine=lambda a, b, cos, sin: (a * cos + b * sin, a * sin + b * cos)),
         "do the signs differ"),
        ("a overwritten", _rotate(combine=_overwritten), "the norm changes"),
        ("cosines alone", _rotate(combine=lambda a, b, cos, sin: (a * cos, b * cos)), "the norm changes"),
        ("mixed layouts", lambda *given: _hugging_face(*given, mixed=True), "Do both columns of a pair take one angle"),
        ("written in halves", _rotate(written=-2), "go back to the columns that it came from"),
        ("written in pairs", _rotate(written=-1), "go back to the columns that it came from"),
        ("halves of the head, not of its part", _halves_of_the_head, "columns beyond rotary_dim should stay"),
        ("the rest set to 0", _rest_zero, "columns beyond rotary_dim should stay"),
        ("the rest put first", _rest_first, "columns beyond rotary_dim should stay"),
        ("the last columns", _last_columns, "the last columns turn"),
        ("the rest left out", _rest_lost, "rotate(...) should have shape (2"),
        ("positions added", lambda x, p, layout, r: x + p[:, None, :, None], "no rotation"),
        ("unchanged", lambda x, p, layout, r: x.clone(), "nothing turns"),
        ("all zeros", lambda x, p, layout, r: torch.zeros_like(x), "the norm changes"),
        ("in place", _in_place, "Your code changes its input x in place"),
        ("axes left swapped", lambda *given: _rotate()(*given).transpose(1, 2), "It looks transposed"),
        ("complex", lambda x, p, layout, r: torch.view_as_complex(x.unflatten(-1, (-1, 2))), "should hold real numbers"),
        ("prints, does not return", lambda *given: print(_rotate()(*given).shape), "`return` missing"),
        ("pairs counted from 1", _rotate(speeds=_powers(lambda i, r, d: -2 * (i + 1) / r)), "pairs are counted from 1"),
        ("no brackets in the exponent", _rotate(speeds=lambda r, d: 10000**-2 * torch.arange(r // 2) / r), "lacks brackets"),
        ("base 500,000", _rotate(speeds=lambda r, d: frequencies(r, 5e5)), "it is 500,000"),
        ("a table sliced from 0", _table_from_0, "a table is sliced from its start"),
        ("one letter of einsum for two axes", _speed_of_the_token, "is one letter used for two axes"),
        ("one pair alone", _first_pair_alone, "only pair 0 turns"),
        ("whole angles", _rotate(angles=lambda angle: angle.long()), "angles are cut to whole numbers"),
        ("zeros", lambda x, positions, layout, rotary_dim: 0 * x, "the norm changes"),
    ],
    "convert": [
        ("the package", _both(lambda W, heads: convert_layout(W, heads, to="interleaved")),
         "Your code calls convert_layout"),
        ("the package, and what it raises caught", _caught, "Your code calls convert_layout"),
        ("the other way, as in the text", _both(lambda W, heads: _interleave(W, heads, "half")), "reordered the other way"),
        ("view (pairs, 2)", _both(lambda W, heads: W.view(heads, -1, 2, W.shape[1]).transpose(1, 2).reshape(W.shape)),
         "reordered the other way"),
        ("across all heads", _both(lambda W, heads: _interleave(W, 1)), "across all heads"),
        ("across all heads, the other way", _both(lambda W, heads: torch.cat([W[::2], W[1::2]])),
         "rows leave their head"),
        ("W_q alone", lambda W_q, W_k, heads, key_heads: (_interleave(W_q, heads), W_k), "it came back as it was"),
        ("W_k the other way",
         lambda W_q, W_k, heads, key_heads: (_interleave(W_q, heads), _interleave(W_k, key_heads, "half")),
         "it is reordered the other way"),
        ("heads for both", lambda W_q, W_k, heads, key_heads: (_interleave(W_q, heads), _interleave(W_k, heads)),
         "W_k: it has 2 heads here"),
        ("key heads for both",
         lambda W_q, W_k, heads, key_heads: (_interleave(W_q, key_heads), _interleave(W_k, key_heads)),
         "W_q: it has 4 heads here"),
        ("returned in the wrong order",
         lambda W_q, W_k, heads, key_heads: (_interleave(W_k, key_heads), _interleave(W_q, heads)), "W_q first"),
        ("columns", _both(lambda W, heads: W[:, _order(W.shape[1], "interleaved")]),
         "the columns are reordered"),
        ("rows and columns", _both(_columns_too), "should hold the same rows"),
        ("twice", _both(lambda W, heads: _interleave(_interleave(W, heads), heads)), "reordered twice"),
        ("unchanged", lambda W_q, W_k, heads, key_heads: (W_q.clone(), W_k.clone()), "it came back as it was"),
        ("second half first", _rows_of_heads(lambda d: [j // 2 + (1 - j % 2) * d // 2 for j in range(d)]),
         "in every pair the two rows are swapped"),
        ("neighbours swapped", _rows_of_heads(lambda d: [j ^ 1 for j in range(d)]), "The right rows in another order"),
        ("halves swapped", _rows_of_heads(lambda d: [*range(d // 2, d), *range(d // 2)]),
         "The right rows in another order"),
        ("reversed", _rows_of_heads(lambda d: list(range(d))[::-1]), "The right rows in another order"),
        ("heads counted within columns", _both(_heads_first), "rows leave their head"),
        ("the order of d_head = 4", _rows_of_heads(lambda d: [0, 2, 1, 3]), "shape (30, 6), but it has (12, 6)"),
        ("signs flipped", _both(lambda W, heads: torch.cat([-W[1::2], W[::2]])), "should hold the same rows"),
        ("the weights turned", _both(_turned_weights), "should hold the same rows"),
        ("all zeros", _both(lambda W, heads: torch.zeros_like(W)), "should hold the same rows"),
        ("heads not put together", _both(lambda W, heads: _interleave(W, heads).unflatten(0, (heads, -1))),
         "shape (30, 6), but it has (3, 10, 6)"),
        ("transposed", _both(lambda W, heads: _interleave(W, heads).T), "shape (30, 6), but it has (6, 30)"),
        ("one matrix", lambda W_q, W_k, heads, key_heads: _interleave(W_q, heads), "Return two matrices"),
        ("a dict", lambda W_q, W_k, heads, key_heads: {"W_q": W_q, "W_k": W_k}, "as a tuple"),
        ("one under the other", lambda *given: torch.cat(_both(_interleave)(*given)), "Return two matrices"),
        ("in place", _changes_inputs, "Your code changes its input W_q in place"),
        ("prints, does not return", lambda *given: print(_both(_interleave)(*given)), "`return` missing"),
        ("zeros", _both(lambda W, heads: 0 * W), "the same rows"),
        ("a minus in every second row", _both(lambda W, heads: _interleave(W, heads)
         * torch.tensor([1.0, -1.0]).repeat(len(W) // 2)[:, None]), "some signs are turned"),
        ("one row further on", _both(lambda W, heads: _interleave(W, heads).roll(1, 0)), "one place too far on"),
        ("bfloat16", _both(lambda W, heads: _interleave(W, heads).bfloat16()), "compute in float32"),
        ("whole numbers", _both(lambda W, heads: _interleave(W, heads).long()), "fractions are cut off"),
        ("columns first", _both(lambda W, heads: _interleave(W, heads).T), "looks transposed"),
        ("a dict", lambda W_q, W_k, heads, key_heads: {"W_q": W_q, "W_k": W_k}, "Return two matrices"),
    ],
}  # fmt: skip

RIGHT = {
    "by_hand": [
        ("two decimals", [[0.54, 0.84, 1.00, 0.01], [-0.30, 0.00, 1.38, 0.00]]),
        ("all digits", [INTERLEAVED, HALF]),
        ("sums not worked out", [[0.54, 0.84, 1, 0.01], [0.54 - 0.84, -0.0, 0.54 + 0.84, 0]]),
        ("tuples", (tuple(INTERLEAVED), tuple(HALF))),
        ("NumPy, float32", np.array([INTERLEAVED, HALF], dtype=np.float32)),
        ("a list of arrays", [np.array(INTERLEAVED), np.array(HALF)]),
        ("float64", torch.tensor([INTERLEAVED, HALF], dtype=torch.float64)),
        ("the package", [apply_rope(X, torch.tensor([1]), layout=layout)[0] for layout in LAYOUTS]),
        ("float32, NumPy", np.array(_by_hand([1, 0.01]), dtype=np.float32)),
        ("two tensors", tuple(torch.tensor(row) for row in _by_hand([1, 0.01]))),
    ],
    "snippets": [
        ("in another order", dict(sorted(VERDICTS.items(), reverse=True))),
        ("keywords", dict(a="half", b="half", c="interleaved", d="neither", e="interleaved", g="neither")),  # noqa: C408
        ("NumPy's strings", {name: np.str_(verdict) for name, verdict in VERDICTS.items()}),
        ("capitals", {name: verdict.upper() for name, verdict in VERDICTS.items()}),
        ("in reverse order", dict(reversed(VERDICTS.items()))),
    ],
    "rotate": [
        ("NumPy, pair by pair, float64", _numpy),
        ("complex numbers", _complex),
        ("as in Hugging Face's code", _hugging_face),
        ("token by token", _one_by_one),
        ("columns moved, turned, moved back", _permuted),
        ("exponentials of matrices, float64", _matrices),
        ("float64", lambda x, p, layout, r: _rotate()(x.double(), p, layout, r)),
        ("exp and log", _rotate(speeds=lambda r, d: torch.exp(torch.arange(0, r, 2) * (-math.log(10000) / r)))),
        ("lists", lambda *given: _rotate()(*given).tolist()),
        ("a list of texts", lambda *given: list(_rotate()(*given))),
        ("a table of angles, looked up", _looked_up),
        ("positions in float64", lambda x, p, layout, r: _rotate()(x, p.double(), layout, r)),
    ],
    "convert": [
        ("row by row", _rows_of_heads(lambda d: [j // 2 + j % 2 * (d // 2) for j in range(d)])),
        ("old row to new row", _both(_old_row_to_new)),
        ("inverse of the order to halves", _rows_of_heads(lambda d: _order(d, "half").argsort())),
        ("halves, stacked", _rows_of_heads(lambda d: torch.arange(d).chunk(2)[0].repeat_interleave(2)
                                           + torch.tensor([0, d // 2]).repeat(d // 2))),
        ("NumPy", _both(lambda W, h: W.numpy().reshape(h, 2, -1, W.shape[1]).swapaxes(1, 2).reshape(W.shape))),
        ("a permutation matrix, float64", _both(_by_matrix)),
        ("lists of numbers", _both(lambda W, heads: [row.tolist() for head in W.chunk(heads)
                                                     for pair in zip(*head.chunk(2), strict=True) for row in pair])),
        ("a list of two", lambda *given: list(_both(_interleave)(*given))),
        ("head by head, float64", _both(_every_second_of)),
        ("a list of rows, NumPy", _both(_numpy_rows)),
    ],
}  # fmt: skip
