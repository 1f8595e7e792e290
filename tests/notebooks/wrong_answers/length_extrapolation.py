"""Answers to the exercises of notebook 08, as readers write them: wrong ones with the hint they deserve, and right ones
that look unlike the folded solution.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint that names it); `RIGHT[exercise]` lists (how, answer).
"""

import math

import numpy as np
import torch
from torch.nn.functional import cross_entropy, pad

# 1. breaks: {16: position, 64: position}

# 2. sliding_loss(model, tokens, keys) -> (N - keys,)


def _sliding(context=lambda runs: runs[:, :-1], place=-1, asked=lambda runs: runs[:, -1]):
    """Return a `sliding_loss` that is right but for what is given."""

    def sliding_loss(model, tokens, keys):
        runs = tokens.unfold(0, keys + 1, 1)
        found = model(context(runs))[:, place].log_softmax(dim=-1)
        return -found.gather(1, asked(runs)[:, None])[:, 0]

    return sliding_loss


def _in_one_piece(model, tokens, keys):
    logits = model(tokens[None, :-1])[0]
    return torch.nn.functional.cross_entropy(logits, tokens[1:], reduction="none")[keys - 1 :]


def _one_by_one(model, tokens, keys):
    return [-model(tokens[None, p - keys : p])[0, -1].log_softmax(0)[tokens[p]] for p in range(keys, len(tokens))]


def _read(runs=lambda tokens, keys: tokens.unfold(0, keys + 1, 1), finish=lambda losses: losses[:, -1]):
    """Return a `sliding_loss` that reads `runs` and makes its result of the losses (runs, keys) by `finish`."""

    def sliding_loss(model, tokens, keys):
        cut = runs(tokens, keys)
        logits = model(cut[:, :-1])
        return finish(cross_entropy(logits.mT, cut[:, 1:], reduction="none"))

    return sliding_loss


def _blocks(model, tokens, keys):  # windows one beside the other, every token in one of them
    whole = [model(tokens[None, p : p + keys])[0] for p in range(0, len(tokens) - 1, keys)]
    return cross_entropy(torch.cat(whole)[: len(tokens) - 1], tokens[1:], reduction="none")[keys - 1 :]


def _asked_is_read(model, tokens, keys):
    return _sliding(context=lambda runs: runs[:, 1:])(model, tokens, keys)


def _one_key_more(model, tokens, keys):
    runs = pad(tokens, (1, 0)).unfold(0, keys + 2, 1)
    return cross_entropy(model(runs[:, :-1])[:, -1], runs[:, -1], reduction="none")


def _masked(model, tokens, keys):
    places = torch.arange(len(tokens) - 1)
    seen = (places <= places[:, None]) & (places > places[:, None] - keys)
    logits = model(tokens[None, :-1], mask=seen)[0]
    return cross_entropy(logits, tokens[1:], reduction="none")[keys - 1 :]


def _places_run_on(model, tokens, keys):
    logits = [model(tokens[None, p - keys : p], torch.arange(p - keys, p))[0, -1] for p in range(keys, len(tokens))]
    return cross_entropy(torch.stack(logits), tokens[keys:], reduction="none")


def _overwritten(model, tokens, keys):
    found = _read()(model, tokens, keys)
    tokens[:keys] = 0
    return found


def _numpy(model, tokens, keys):
    logits = model(tokens.unfold(0, keys + 1, 1)[:, :-1])[:, -1].numpy().astype(np.float64)
    weights = np.exp(logits)
    return -np.log(weights[np.arange(len(logits)), tokens[keys:].numpy()] / weights.sum(axis=1))


# 3. sample(batch, length, generator) -> tokens, labels (B, L)


def _pointers(letters, asked, places=1):
    """Return a `sample` whose last `letters` tokens say how far back to look; the rest is blank."""

    def sample(batch, length, generator):
        tokens = torch.zeros(batch, length, dtype=torch.long)
        tokens[:, -letters:] = torch.randint(1, 9, (batch, letters), generator=generator)
        source = (torch.arange(length) - tokens).clamp(min=0)
        labels = tokens.gather(1, source)
        labels[:, :-asked] = -100
        return tokens, labels

    return sample


def _lag(batch, length, generator):
    tokens = torch.randint(8, (batch, length), generator=generator)
    labels = torch.full_like(tokens, -100)
    labels[:, 2:] = tokens[:, :-2]
    return tokens, labels


def _itself(batch, length, generator):
    tokens = torch.randint(8, (batch, length), generator=generator)
    return tokens, tokens.clone()


def _one_label(batch, length, generator):
    tokens = torch.randint(8, (batch, length), generator=generator)
    return tokens, torch.zeros_like(tokens)


def _made(change):
    """Return a good `sample` whose tokens and labels are passed through `change`."""
    return lambda *given: change(*_pointers(14, 6)(*given))


def _unseeded(batch, length, generator):
    return _pointers(14, 6)(batch, length, None)


def _always_the_same(batch, length, generator):
    return _pointers(14, 6)(batch, length, torch.Generator().manual_seed(0))


def _by_chance(batch, length, generator):
    return [torch.randint(8, (batch, length), generator=generator) for _ in range(2)]


def _first(batch, length, generator):
    tokens = torch.randint(8, (batch, length), generator=generator)
    return tokens, tokens[:, :1].expand(-1, length).clone()


def _pointers_without_blanks(batch, length, generator):
    tokens = torch.randint(1, 9, (batch, length), generator=generator)
    labels = tokens.gather(1, (torch.arange(length) - tokens).clamp(min=0))
    labels[:, :8] = -100
    return tokens, labels


def _by_loops(batch, length, generator):
    tokens, labels = torch.zeros(2, batch, length, dtype=torch.long)
    labels -= 100
    for b in range(batch):
        tokens[b, -14:] = torch.randint(1, 8, (14,), generator=generator)
        for place in range(length - 7, length):
            labels[b, place] = tokens[b, place - tokens[b, place]]
    return [tokens, labels]


WRONG = {
    "breaks": [
        ("where the model of the notebook breaks", {16: 32, 64: 64}, "What moved?"),
        ("twice as far", {16: 32.5, 64: 128}, "how long did the notebook's model last"),
        ("far too late", {16: 16, 64: 100}, "too far from it"),
        ("at 32 again", {16: 16, 64: 32}, "What moved?"),
        ("half of the length", {16: 8, 64: 32}, "as long as those of its training"),
        ("the last place that training showed", {16: 15, 64: 63}, "as long as those of its training"),
        ("where the reading ends", {16: 64, 64: 256}, "how long did the notebook's model last"),
        ("exchanged", {16: 64, 64: 16}, "how long did the notebook's model last"),
        ("in trained lengths", {16: 1, 64: 1}, "as long as those of its training"),
        ("never", {16: None, 64: None}, "ive a position"),
        ("never, as infinity", {16: math.inf, 64: math.inf}, "breaks_at[16] returned inf"),
        ("one of two", {16: 16, 64: ...}, "breaks_at[64] is still the dots"),
        ("texts", {16: "16", 64: "64"}, "breaks_at[16] should"),
        ("a list", [16, 64], "Give a dict"),
        ("texts as keys", {"16": 16, "64": 64}, "for 16 and for 64"),
        ("ranges", {16: (16, 20), 64: (64, 70)}, "one number"),
    ],
    "sliding": [
        ("the last token read is asked for", _sliding(asked=lambda runs: runs[:, -2]), "not for the one after it"),
        ("in one piece", _in_one_piece, "in one piece"),
        ("first place", _sliding(place=0, asked=lambda runs: runs[:, 1]), "no context yet"),
        ("the mean of all", lambda *given: _read()(*given).mean(), "without a mean"),
        ("the mean of all, a float", lambda *given: _read()(*given).mean().item(), "without a mean"),
        ("the mean of each window", _read(finish=lambda losses: losses.mean(-1)), "average over all places"),
        ("the sum of each window", _read(finish=lambda losses: losses.sum(-1)), "sum over all places"),
        ("all places of each window", _read(finish=lambda losses: losses), "shape (18,)"),
        ("log-probabilities", lambda *given: -_read()(*given), "sign is turned"),
        ("bits", lambda *given: _read()(*given) / math.log(2), "in bits"),
        ("perplexities", lambda *given: _read()(*given).exp(), "exponential"),
        ("probabilities", lambda *given: (-_read()(*given)).exp(), "probabilities"),
        ("masked", _masked, "A mask hides"),
        ("places run on", _places_run_on, "Positions run on"),
        ("one beside the other", _blocks, "one beside the other"),
        ("the asked token is read", _asked_is_read, "reads the token that is asked"),
        ("a key too many", _one_key_more, "number of keys is off by one"),
        ("a key too few", _sliding(context=lambda runs: runs[:, 1:-1]), "number of keys is off by one"),
        ("keys of the first call", lambda model, tokens, keys: _read()(model, tokens, 5), "shape (28,)"),
        ("one window too many", lambda model, tokens, keys: _read()(model, pad(tokens, (0, 1)), keys), "off by one"),
        ("one window too few", lambda *given: _read()(*given)[1:], "off by one"),
        ("an axis too many", lambda *given: _read()(*given)[:, None], "An axis of length 1 is too many"),
        ("tokens changed", _overwritten, "changes its input tokens in place"),
        ("the model not asked", lambda model, tokens, keys: torch.full((len(tokens) - keys,), math.log(7)), "differ"),
        (
            "whether it is right",
            lambda model, tokens, keys: model(tokens.unfold(0, keys + 1, 1)[:, :-1])[:, -1].argmax(-1) == tokens[keys:],
            "differ",
        ),
        ("nothing returned", lambda *given: print(_read()(*given).shape), "returned nothing"),
    ],
    "sample": [
        ("lag", _lag, "loses it at 64"),
        ("the token itself", _itself, "as well as RoPE"),
        ("always the same label", _one_label, "right half of the time"),
        ("tokens alone", lambda *given: _pointers(14, 6)(*given)[0], "two tensors"),
        ("no place is asked", _made(lambda tokens, labels: (tokens, torch.full_like(labels, -100))), "needs a place"),
        ("-1 where nothing is asked", _made(lambda tokens, labels: (tokens, labels.clamp(min=-1))), "or -100"),
        ("too many tokens", _made(lambda tokens, labels: (tokens + 10, labels)), "Tokens are 0 to 15"),
        ("16 is a token", _made(lambda tokens, labels: (tokens + 8, labels)), "Tokens are 0 to 15"),
        ("labels above 15", _made(lambda tokens, labels: (tokens, labels + 12 * (labels > 0))), "Labels are 0 to 15"),
        ("floats", _made(lambda tokens, labels: (tokens.float(), labels)), "tokens is of type float32"),
        ("transposed", _made(lambda tokens, labels: (tokens.T, labels.T)), "looks transposed"),
        ("one label a text", _made(lambda tokens, labels: (tokens, labels[:, -1])), "labels should have shape (5, 16)"),
        (
            "16 tokens, always",
            lambda batch, length, generator: _pointers(14, 6)(batch, 16, generator),
            "tokens should have shape (5, 64)",
        ),
        ("another source of chance", _unseeded, "no other source of chance"),
        ("the generator ignored", _always_the_same, "draw the same texts"),
        ("labels by chance", _by_chance, "RoPE does not learn it"),
        ("the first token", _first, "loses it at 64"),
        ("pointers everywhere", _pointers_without_blanks, "loses it at 64"),
        ("exchanged", _made(lambda tokens, labels: (labels, tokens)), "Tokens are 0 to 15"),
        ("nothing returned", _made(lambda tokens, labels: None), "Return two tensors"),
    ],
}

RIGHT = {
    "breaks": [
        ("as floats", {16: 17.0, 64: 66.0}),
        ("the trained lengths", {16: 16, 64: 64}),
        ("NumPy and a tensor", {64: np.int64(70), 16: torch.tensor(18)}),
    ],
    "sliding": [
        ("one by one", _one_by_one),
        ("all places, then the last", _read()),
        ("NumPy, float64", _numpy),
        (
            "four windows at a time",
            lambda model, tokens, keys: torch.cat(
                [
                    _read(runs=lambda tokens, keys, a=a: tokens.unfold(0, keys + 1, 1)[a : a + 4])(model, tokens, keys)
                    for a in range(0, len(tokens) - keys, 4)
                ]
            ),
        ),
        ("plain numbers", lambda *given: _read()(*given).tolist()),
    ],
    "sample": [
        ("asked at more places", _pointers(14, 6)),
        ("loops, a list", _by_loops),
        ("NumPy, and int32", _made(lambda tokens, labels: (tokens.numpy(), labels.int()))),
    ],
}
