"""Likely mistakes in the exercises of notebook 06."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.mistakes import Mistake
from posenc_helpers.classroom.exercises.speeds import STILL, speed_mistakes
from posenc_helpers.encodings import frequencies
from posenc_helpers.encodings.rope import rotate_pairs

X = torch.tensor([[1.0, 0.0, 1.0, 0.0]], dtype=torch.float64)


def turned(angle: Tensor) -> Tensor:
    """Return the answer to exercise 1, both rows, of whoever turns pair i by angle[i]."""
    return torch.cat([rotate_pairs(X, angle[None], layout) for layout in ("interleaved", "half")])


def lengths(row: Tensor, layout: str) -> Tensor:
    """Return the lengths (2,) of the two pairs of a row."""
    return row.view(2, 2).norm(dim=-1 if layout == "interleaved" else 0)


W = frequencies(4, dtype=torch.float64)
TURNED = turned(W)  # (2, 4)
BY_HAND = {
    "the other layout": Mistake(
        "This is the other layout: its pairs are other columns. (Or the rows are swapped: interleaved comes first.)",
        TURNED.flip(0),
    ),
    "turned the other way": Mistake("You turned the other way: (1, 0) should turn towards (0, 1).", turned(-W)),
    "nothing turns": Mistake(
        "This is position 0, where nothing turns. (Or are there speeds? " + STILL + ")", turned(0 * W)
    ),
    "position 2": Mistake("This is position 2; position 1 is asked for.", turned(2 * W)),
    "a sign is wrong": Mistake(
        "A sign is wrong; the numbers are right but for that.",
        TURNED.abs(),
        holds=lambda row, right, layout: (row.abs() - right.abs()).abs().max() > 0.006,
    ),
    "sine and cosine swapped": Mistake(
        "Sine and cosine are swapped: at angle 0 nothing turns.", turned(math.pi / 2 - W)
    ),
    **speed_mistakes(lambda speeds: turned(speeds(4)), columns=4),
    "wrong columns": Mistake(
        "Right numbers in the wrong columns: each goes back to the column that it came from.",
        TURNED[:, [0, 2, 1, 3]],
        TURNED.flip(0)[:, [0, 2, 1, 3]],
    ),
    "one decimal": Mistake(
        "Almost: give two decimals, also of the slow pair.",
        TURNED.round(decimals=1),
        holds=lambda row, right, layout: (row - right).abs().max() > 0.06,
    ),
    "a pair got longer or shorter": Mistake(
        "A pair got longer or shorter, which no turn does: both columns of a pair take part, and take one angle.",
        TURNED * X,
        TURNED * 0,
        holds=lambda row, right, layout: (lengths(row, layout) - lengths(right, layout)).abs().max() < 0.02,
    ),
}

# {snippet: (the layout whose weights it fits, where to look again)}
LAYOUTS = {
    "a": ("half", "Snippet a: which columns does chunk(2) put together?"),
    "b": ("half", "Snippet b: complex numbers say nothing; which columns become real parts, which imaginary ones?"),
    "c": ("interleaved", "Snippet c: which columns does the stacked part swap, and do these two take one angle?"),
    "d": ("neither", "Snippet d: write down which angle columns 0 and 1 take, then which columns are swapped."),
    "e": ("interleaved", "Snippet e: which columns *meet*? Where the result is written is the same for q and k."),
    "g": ("neither", "Snippet g: write down which angle columns 0 and d_head/2 take; these are the two that meet."),
}
VERDICTS = {name: verdict for name, (verdict, _) in LAYOUTS.items()}


def snippet(name: str) -> Mistake:
    """Return the row of whoever gives one snippet in exercise 2 another verdict."""
    right, hint = LAYOUTS[name]
    wrong = [VERDICTS | {name: verdict} for verdict in {*VERDICTS.values()} - {right}]
    return Mistake(hint, *wrong, holds=lambda verdicts: verdicts[name] == right)


SNIPPETS = {f"snippet {name}": snippet(name) for name in LAYOUTS}


def rotating(
    places: Callable = lambda positions: positions,
    layout: Callable = lambda layout: layout,
    speeds: Callable = lambda rotary, width: frequencies(rotary, dtype=torch.float64),
    angles: Callable = lambda angles: angles,
) -> Callable:
    """Return an answer to exercise 3 that is right but for what is given."""

    def rotate(x: Tensor, positions: Tensor, which: str, rotary_dim: int) -> Tensor:
        angle = angles(places(positions)[..., None] * speeds(rotary_dim, x.shape[-1]))  # (B, L, pairs)
        return rotate_pairs(x, angle[:, None], layout(which))

    return rotate


def interleaving(d: int) -> list[int]:
    return [j // 2 + j % 2 * (d // 2) for j in range(d)]


def halving(d: int) -> list[int]:
    return [*range(0, d, 2), *range(1, d, 2)]


def last_columns(x: Tensor, positions: Tensor, layout: str, rotary_dim: int) -> Tensor:
    rest = x.shape[-1] - rotary_dim
    return torch.cat([x[..., :rest], rotating()(x[..., rest:], positions, layout, rotary_dim)], dim=-1)


def written_otherwise(x: Tensor, positions: Tensor, layout: str, rotary_dim: int) -> Tensor:
    part = rotating()(x, positions, layout, rotary_dim)
    order = interleaving(rotary_dim) if layout == "half" else halving(rotary_dim)
    return torch.cat([part[..., order], x[..., rotary_dim:]], dim=-1)


ROTATES = {
    "nothing turns": Mistake("Nothing turns. (Are there speeds? " + STILL + ")", lambda x, *given: x.clone()),
    "the other layout": Mistake(
        "This is the other layout: its pairs are other columns.",
        rotating(layout=lambda layout: "half" if layout == "interleaved" else "interleaved"),
    ),
    "the other way": Mistake("You turn the other way: (1, 0) should turn towards (0, 1).", rotating(torch.neg)),
    "positions ignored": Mistake(
        "Positions are ignored: tokens are counted or sorted, a table is sliced from its start, or all texts take those of "
        "the first. Each token of each text has a place of its own, in any order.",
        rotating(lambda p: torch.arange(p.shape[1]).expand_as(p)),
        rotating(lambda p: p[:, :1] + torch.arange(p.shape[1])),
        rotating(lambda p: p - p[:, :1]),
        rotating(lambda p: p.sort(dim=-1).values),
        rotating(lambda p: p[:1].expand_as(p)),
    ),
    "off by one, or twice": Mistake(
        "The angles are those of other positions: off by one, or twice as far.",
        rotating(lambda p: p + 1),
        rotating(lambda p: 2 * p),
    ),
    "positions or angles rounded": Mistake(
        "Positions or angles are rounded: bfloat16 counts to 256, float16 to 2048, and whole numbers have no fractions.",
        rotating(lambda p: p.bfloat16()),
        rotating(angles=torch.trunc),
    ),
    "exponent over d_head": Mistake(
        "The exponent runs over d_head; it should run over rotary_dim.",
        rotating(speeds=lambda rotary, width: frequencies(width, dtype=torch.float64)[: rotary // 2]),
    ),
    "other columns turn": Mistake(
        "The first rotary_dim columns turn, and no others: columns beyond rotary_dim should stay as they are.",
        rotating(speeds=lambda rotary, width: frequencies(width, dtype=torch.float64)),
        last_columns,
        holds=lambda made, x, rotary: torch.allclose(made[..., rotary:], x[..., rotary:], rtol=0, atol=1e-4),
    ),
    **speed_mistakes(lambda speeds: rotating(speeds=lambda rotary, width: speeds(rotary))),
    "written into other columns": Mistake(
        "Each pair should go back to the columns that it came from.", written_otherwise
    ),
    "the norm changes": Mistake(
        "The norm changes, so this is no rotation. Do both columns of a pair take one angle, do the signs differ, and is "
        "the old a still there when b is turned?",
        lambda x, *given: 0 * x,
        lambda x, p, *given: x + p[:, None, :, None],
        holds=lambda made, x, rotary: torch.allclose(made.norm(dim=-1), x.norm(dim=-1), rtol=1e-3, atol=0),
    ),
}


def moving(order: Callable, heads_of: Callable = lambda heads, key_heads: (heads, key_heads)) -> Callable:
    """Return an answer to exercise 4 that puts the rows of each head in the order order(d_head)."""

    def convert(W_q: Tensor, W_k: Tensor, heads: int, key_heads: int) -> tuple[Tensor, ...]:
        cut = zip((W_q, W_k), heads_of(heads, key_heads), strict=True)
        return tuple(torch.cat([head[order(len(head))] for head in W.chunk(count)]) for W, count in cut)

    return convert


converted = moving(interleaving)
CONVERTS = {
    "as it was": Mistake("It came back as it was.", lambda W_q, W_k, *heads: (W_q.clone(), W_k.clone())),
    "the other way": Mistake(
        "It is reordered the other way, from interleaved to half. (At d_head = 4 you would not notice.)",
        moving(halving),
    ),
    "the other's number of heads": Mistake(
        "It is cut into the other's number of heads: W_q has `heads`, W_k has `key_heads`.",
        moving(interleaving, lambda heads, key_heads: (heads, heads)),
        moving(interleaving, lambda heads, key_heads: (key_heads, key_heads)),
    ),
    "W_k before W_q": Mistake("Return W_q first, then W_k.", lambda *given: converted(*given)[::-1]),
    "pairs swapped": Mistake(
        "In every pair the two rows are swapped: the one of the first half comes first.",
        moving(lambda d: [j // 2 + (1 - j % 2) * (d // 2) for j in range(d)]),
    ),
    "other rows": Mistake(
        "It should hold the same rows, in another order. Rows move; their numbers, columns and signs stay as they are.",
        lambda W_q, W_k, *heads: tuple(W[:, interleaving(W.shape[1])] for W in (W_q, W_k)),
        lambda W_q, W_k, *heads: (0 * W_q, 0 * W_k),
        holds=lambda new, old, at, width: torch.allclose(new, old[at], rtol=0, atol=1e-5) and len(set(at)) == len(old),
    ),
    "rows leave their head": Mistake(
        "Rows leave their head: reorder within each head, not across all heads.",
        moving(interleaving, lambda *heads: (1, 1)),
        moving(halving, lambda *heads: (1, 1)),
        holds=lambda new, old, at, width: all(i // width == j // width for i, j in enumerate(at)),
    ),
}

MISTAKES = {"by_hand": BY_HAND, "snippets": SNIPPETS, "rotate": ROTATES, "convert": CONVERTS}
