"""Answers to the exercises of notebook 08, as readers write them, that its table of likely mistakes does not hold.

`WRONG[exercise]` lists (what is wrong, answer, part of a hint that no row gives); `RIGHT[exercise]` lists (how, answer).
"""

import math

import torch

from posenc_helpers.lessons.length_extrapolation.mistakes import right_sliding

# 2. sliding_loss(model, tokens, keys) -> (N - keys,)


def _one_by_one(model, tokens, keys):
    return [-model(tokens[None, p - keys : p])[0, -1].log_softmax(0)[tokens[p]] for p in range(keys, len(tokens))]


# 3. sample(batch, length, generator) -> tokens, labels (B, L)


def _pointers(batch, length, generator):
    """The last 14 tokens say how far back to look, and the last 6 are asked; the rest is blank."""
    tokens = torch.zeros(batch, length, dtype=torch.long)
    tokens[:, -14:] = torch.randint(1, 9, (batch, 14), generator=generator)
    labels = tokens.gather(1, (torch.arange(length) - tokens).clamp(min=0))
    labels[:, :-6] = -100
    return tokens, labels


def _made(change):
    """Return a good `sample` whose tokens and labels are passed through `change`."""
    return lambda *given: change(*_pointers(*given))


def _by_loops(batch, length, generator):
    tokens, labels = torch.zeros(2, batch, length, dtype=torch.long)
    labels -= 100
    for b in range(batch):
        tokens[b, -14:] = torch.randint(1, 8, (14,), generator=generator)
        for place in range(length - 7, length):
            labels[b, place] = tokens[b, place - tokens[b, place]]
    return [tokens.numpy(), labels.int()]


WRONG = {
    "breaks": [
        ("never", {16: None, 64: None}, "ive a position"),
        ("one of two", {16: 16, 64: ...}, "breaks_at[64] is still the dots"),
        ("a list", [16, 64], "Give a dict"),
    ],
    "sliding": [
        ("the mean of all, a float", lambda *given: right_sliding(*given).mean().item(), "without a mean"),
        (
            "the model not asked",
            lambda model, tokens, keys: torch.full((len(tokens) - keys,), math.log(7)),
            "The numbers differ from the loss",
        ),
    ],
    "sample": [
        ("tokens alone", lambda *given: _pointers(*given)[0], "two tensors"),
        ("labels above 15", _made(lambda tokens, labels: (tokens, labels + 12 * (labels > 0))), "labels are 0 to 15"),
        ("floats", _made(lambda tokens, labels: (tokens.float(), labels)), "tokens is of type float32"),
    ],
}

RIGHT = {
    "breaks": [("as floats", {16: 17.0, 64: 66.0}), ("the trained lengths", {16: 16, 64: 64})],
    "sliding": [("one by one", _one_by_one)],
    "sample": [("loops, NumPy, int32", _by_loops)],
}
