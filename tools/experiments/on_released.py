"""Experiments of notebook 12 on a released model, SmolLM2-135M (4 bits): nothing is trained. They return rows.

They read eight stretches of 385 tokens, four of Python's help topics and four of NumPy's, or texts of 12,289 tokens.
"""

from collections.abc import Callable
from itertools import pairwise

import torch
from torch import Tensor

from posenc_helpers.encodings import frequencies
from posenc_helpers.encodings.rope_scaling import by_parts, linear, ntk_aware, yarn, yarn_attention_factor
from posenc_helpers.lessons.released_model import smollm2
from posenc_helpers.lessons.released_model.smollm2 import PAIRS, Turn, W, turning
from posenc_helpers.lessons.released_model.stretches import help_text, stretches

DECLARED = 8192  # tokens that the released file says it can read


def only(fastest: int = PAIRS, slowest: int = PAIRS) -> Tensor:
    """Return the frequencies with all pairs standing still but the `fastest`, or the `slowest`, so many of them."""
    number = torch.arange(PAIRS)
    return torch.where((number < fastest) & (number >= PAIRS - slowest), W, 0.0)


def stretched(method: str, factor: float) -> Turn:
    """Return the turn of a cure of notebook 09: "interpolation", "NTK-aware", "by parts" or "YaRN" (as released)."""
    if method == "YaRN":
        return turning(yarn(W, factor, DECLARED), scale=yarn_attention_factor(factor))
    cures = {
        "interpolation": lambda: linear(W, factor),
        "NTK-aware": lambda: ntk_aware(W, factor),
        "by parts": lambda: by_parts(W, factor, DECLARED),
    }
    return turning(cures[method]())


CHANGES: dict[str, Turn] = {
    "as released": turning(),
    "the other layout": turning(layout="half"),
    "not turned": turning(torch.zeros(PAIRS)),
    "turned backwards": turning(times=-1),
    "counted from 5,000": turning(start=5_000),
    "counted from 100,000": turning(start=100_000),
    "positions doubled": turning(times=2),
    "base 10,000": turning(frequencies(2 * PAIRS, 1e4)),
    "base 1,000,000": turning(frequencies(2 * PAIRS, 1e6)),
    "fastest 16 turn": turning(only(fastest=16)),
    "slowest 16 turn": turning(only(slowest=16)),
    **{
        f"{method}, {factor}": stretched(method, factor)
        for method in ("interpolation", "NTK-aware", "by parts", "YaRN")
        for factor in (2, 4)
    },
}

TEXTS = {  # one after another, for texts of 12,000 tokens and more
    "Python 1": ("compound",),
    "Python 2": ("specialnames",),
    "NumPy 1": ("einsum", "fft", "random", "polynomial", "loadtxt", "quantile", "pad", "gradient", "nditer"),
}
LONG = 12_288
EDGES = (0, 1024, 2048, 4096, 6144, 8192, 9216, 10_240, 11_264, LONG)
AFRESH = 4096  # a text of its own begins here: its last 4,096 tokens stand where training had tokens
STRETCHED = ("base 1,000,000", "interpolation, 2", "NTK-aware, 2", "by parts, 2", "YaRN, 2")
LONG_CHANGES = {
    "as released": turning(),
    **{name: CHANGES[name] for name in STRETCHED},
    **{f"fastest {n} turn": turning(only(fastest=n)) for n in (16, 24)},
}
WINDOW, READ, SCORED = 64, 256, 128
SEEN = {  # what a query sees beside the last 64 tokens, its own among them
    "last 64": [],
    "last 64, first": [0],
    "last 64, first four": [0, 1, 2, 3],
    "last 64, token 20": [20],
    "last 64, tokens 20 to 23": [20, 21, 22, 23],
}


def long_text(tokens: Callable[[str], Tensor], name: str, length: int) -> Tensor:
    """Return the first `length` tokens of one of the TEXTS. Raises ValueError where it is too short."""
    source = name.split()[0]
    found = torch.cat([tokens(help_text(source, part) + "\n\n") for part in TEXTS[name]])
    if len(found) < length:
        raise ValueError(f"length={length} is too long for {name!r}, which has {len(found)} tokens")
    return found[:length]


def released(stretch: str) -> list[dict]:
    """Return the mean loss (nats a token) over 384 tokens of a stretch, by what is done to queries and keys."""
    return _by_turn(stretch, "change", CHANGES)


def released_pairs(stretch: str, end: str) -> list[dict]:
    """Return the loss over 384 tokens when only so many of the 32 pairs turn, counted from the "fastest" or "slowest"."""
    return _by_turn(stretch, "turn", {turn: turning(only(**{end: turn})) for turn in range(0, PAIRS + 1, 2)})


def _by_turn(stretch: str, column: str, turns: dict) -> list[dict]:
    model = smollm2.load()
    tokens = stretches(model.tokens)[stretch]
    return [{column: name, "loss": smollm2.losses(model, tokens, turn).mean().item()} for name, turn in turns.items()]


def released_windows(stretch: str) -> list[dict]:
    """Return the mean loss over the last 128 of 256 tokens, by what each query sees.

    "last 64" are its own token and the 63 before; others are added by their place in the text. "first: a line break": the
    first token was replaced by a line break, and is seen beside the last 64. "all but the first": no other token sees it.
    "token 20 alone": token 20 is seen by all after it, and itself sees no other.
    """
    model = smollm2.load()
    tokens = stretches(model.tokens, READ + 1)[stretch]
    other = tokens.clone()
    (other[0],) = model.tokens("\n")
    ways = {"all": (tokens, None), **{seen: (tokens, _seen(more)) for seen, more in SEEN.items()}}
    ways |= {"all, first: a line break": (other, None), "last 64, first: a line break": (other, _seen([0]))}
    place = torch.arange(READ)
    hidden = (place[:, None] >= place) & ((place > 0) | (place[:, None] == 0))
    alone = _seen([20])
    alone[20] = place == 20
    ways |= {"all but the first": (tokens, hidden), "last 64, token 20 alone": (tokens, alone)}
    return [
        {"seen": seen, "loss": smollm2.losses(model, read, turning(), keep)[-SCORED:].mean().item()}
        for seen, (read, keep) in ways.items()
    ]


def _seen(more: list[int]) -> Tensor:
    """Return (READ, READ): whether a query sees a key, the last WINDOW and those at `more`, none after itself."""
    place = torch.arange(READ)
    back = place[:, None] - place
    near = back < WINDOW
    near[:, more] = True
    return near & (back >= 0)


def released_heads(length: int) -> list[dict]:
    """Return what each of 270 heads looks at, on average over tokens 16 to `length` - 1 of the eight stretches.

    `first`, `previous`: share of the attention on the first token and on the token before; `back`: mean distance of what
    is left without the first token.
    """
    model, found = smollm2.load(), []
    place = torch.arange(length)
    back = (place[:, None] - place).clamp(min=0).float()

    def watch(number: int, weights: Tensor) -> None:  # (heads, L, L)
        rest = weights[:, 16:, 1:]
        distance = (rest * back[16:, 1:]).sum(-1) / rest.sum(-1).clamp(min=1e-9)  # (heads, length - 16)
        shares = weights[:, 16:, 0], weights.diagonal(-1, 1, 2)[:, 15:], distance
        found.append(torch.stack([share.mean(-1) for share in shares], dim=-1))  # (heads, 3)

    texts = stretches(model.tokens, length)
    for tokens in texts.values():
        smollm2.hidden(model, tokens, turning(), watch=watch)
    means = torch.stack(found).unflatten(0, (len(texts), -1)).mean(dim=0)  # (layers, heads, 3)
    return [
        {"layer": layer, "head": head, **dict(zip(("first", "previous", "back"), shares, strict=True))}
        for layer, heads in enumerate(means.tolist())
        for head, shares in enumerate(heads)
    ]


def released_long(text: str, change: str) -> list[dict]:
    """Return the mean loss by place in a text of 12,288 tokens: of the places from `from` on, below `to`.

    "read afresh": the last 8,192 tokens as a text of their own, as released; its last 4,096 are what the others read at
    places 8,192 to 12,287.
    """
    model = smollm2.load()
    tokens = long_text(model.tokens, text, LONG + 1)
    if change == "read afresh":
        start, losses = AFRESH, smollm2.losses(model, tokens[AFRESH:], turning())
    else:
        start, losses = 0, smollm2.losses(model, tokens, LONG_CHANGES[change])
    rows = []
    for first, last in pairwise(EDGES):
        if first >= 2 * start:  # what has as much context as it can have
            rows.append({"from": first, "to": last, "loss": losses[first - start : last - start].mean().item()})
    return rows
