"""Answers to the exercises of notebook 08, as readers write them: wrong ones with the hint they deserve, and right ones
that look unlike the folded solution.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint that names it); `RIGHT[exercise]` lists (how, answer).
"""

import torch

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


WRONG = {
    "breaks": [
        ("where the model of the notebook breaks", {16: 32, 64: 64}, "What moved?"),
        ("twice as far", {16: 32.5, 64: 128}, "how long did the notebook's model last"),
        ("far too late", {16: 16, 64: 100}, "too far from it"),
    ],
    "sliding": [
        ("the last token read is asked for", _sliding(asked=lambda runs: runs[:, -2]), "not for the one after it"),
        ("in one piece", _in_one_piece, "in one piece"),
        ("first place", _sliding(place=0, asked=lambda runs: runs[:, 1]), "no context yet"),
    ],
    "sample": [
        ("lag", _lag, "loses it at 64"),
        ("the token itself", _itself, "as well as RoPE"),
        ("always the same label", _one_label, "right half of the time"),
    ],
}

RIGHT = {
    "breaks": [("as floats", {16: 17.0, 64: 66.0})],
    "sliding": [("one by one", _one_by_one)],
    "sample": [("asked at more places", _pointers(14, 6))],
}
