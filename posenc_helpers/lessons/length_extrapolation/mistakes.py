"""Likely mistakes in the exercises of notebook 08."""

import math
from collections.abc import Callable

import torch
from torch import Generator, Tensor
from torch.nn.functional import cross_entropy, pad

from posenc_helpers.classroom.exercises.mistakes import Mistake
from posenc_helpers.lab.tasks import NOT_ASKED
from posenc_helpers.transformer import TinyTransformer

LAST = {16: 20, 64: 72}  # the latest places where sinusoidal models of seeds 0 to 7 broke, with room
BREAKS = {
    "where the model of 32 breaks": Mistake(
        "That is where the model trained on 32 breaks. What moved?",
        {16: 32, 64: 32},
        holds=lambda at, trained: at != 32,
    ),
    "within the trained length": Mistake(
        "You say that it breaks on texts as long as those of its training.",
        {16: 15, 64: 63},
        holds=lambda at, trained: at >= trained,
    ),
    "far beyond the trained length": Mistake(
        "So far it does not come: how long did the notebook's model last beyond 32?",
        {16: 64, 64: 256},
        holds=lambda at, trained: at < 2 * trained,
    ),
    "too far from the trained length": Mistake(
        "The right side of the trained length, and too far from it.",
        {16: 28, 64: 100},
        holds=lambda at, trained: at <= LAST[trained],
    ),
}


def sliding(
    read: Callable = lambda pieces: pieces[:, :-1],
    place: int = -1,
    asked: Callable = lambda pieces: pieces[:, -1],
    finish: Callable = lambda losses: losses,
) -> Callable:
    """Return an answer to exercise 2 that is right but for what is given; pieces are (N - keys, keys + 1)."""

    def sliding_loss(model: TinyTransformer, tokens: Tensor, keys: int) -> Tensor:
        pieces = tokens.unfold(0, keys + 1, 1)
        return finish(cross_entropy(model(read(pieces))[:, place], asked(pieces), reduction="none"))

    return sliding_loss


def all_places(finish: Callable) -> Callable:
    """Return an answer to exercise 2 that makes its result of the losses (N - keys, keys) at all places of the pieces."""

    def sliding_loss(model: TinyTransformer, tokens: Tensor, keys: int) -> Tensor:
        pieces = tokens.unfold(0, keys + 1, 1)
        return finish(cross_entropy(model(pieces[:, :-1]).mT, pieces[:, 1:], reduction="none"))

    return sliding_loss


def whole(logits: Callable) -> Callable:
    """Return an answer to exercise 2 with logits(model, tokens, keys) -> (N - 1, V) of the text in one piece."""
    return lambda model, tokens, keys: cross_entropy(
        logits(model, tokens[:-1], keys)[keys - 1 :], tokens[keys:], reduction="none"
    )


def masked(model: TinyTransformer, tokens: Tensor, keys: int) -> Tensor:
    mask = torch.ones(len(tokens), len(tokens), dtype=torch.bool).triu(1 - keys)
    return model(tokens[None], mask=mask)[0]


def running_on(model: TinyTransformer, tokens: Tensor, keys: int) -> Tensor:
    ends = range(keys, len(tokens))
    logits = [model(tokens[None, p - keys : p], torch.arange(p - keys, p))[0, -1] for p in ends]
    return cross_entropy(torch.stack(logits), tokens[keys:], reduction="none")


right_sliding = sliding()
SLIDING = {
    "one number": Mistake(
        "One number came: return the loss of each token, without a mean.",
        sliding(finish=torch.mean),
        holds=lambda given, asked: (
            asked == 1 or not isinstance(given, Tensor | float) or torch.as_tensor(given).numel() != 1
        ),
    ),
    "not a loss in nats": Mistake(
        "A loss is minus the natural logarithm of a probability: these are probabilities, or bits, or perplexities, or the "
        "minus is missing.",
        sliding(finish=torch.neg),
        sliding(finish=lambda losses: losses / math.log(2)),
        sliding(finish=torch.exp),
        sliding(finish=lambda losses: (-losses).exp()),
    ),
    "the asked token is read": Mistake(
        "Each window should end just before the token that is asked: here it reads that token, too, or asks for the last "
        "one that it has read.",
        sliding(read=lambda pieces: pieces[:, 1:]),
        sliding(asked=lambda pieces: pieces[:, -2]),
    ),
    "other places of the window": Mistake(
        "Only the last place of a window is asked for: at its early places there is less context, or none.",
        sliding(place=0, asked=lambda pieces: pieces[:, 1]),
        all_places(lambda losses: losses.mean(dim=1)),
        all_places(lambda losses: losses.sum(dim=1)),
    ),
    "one key more, or fewer": Mistake(
        "The number of keys is off by one: read `keys` tokens before the one that is asked.",
        lambda model, tokens, keys: sliding()(model, pad(tokens, (1, 0)), keys + 1),
        sliding(read=lambda pieces: pieces[:, 1:-1]),
    ),
    "windows side by side": Mistake(
        "Your windows stand one beside the other. Move by one token each time: tokens at the start of a window have no "
        "context.",
        whole(lambda model, tokens, keys: torch.cat([model(part[None])[0] for part in tokens.split(keys)])),
    ),
    "the text in one piece": Mistake(
        "You read the text in one piece: the window is not cut.",
        whole(lambda model, tokens, keys: model(tokens[None])[0]),
    ),
    "older keys masked": Mistake(
        "A mask hides the older keys, but positions run on, and a second layer sees further back. Cut the text itself.",
        whole(masked),
    ),
    "positions run on": Mistake("Positions run on with the text. In each window they start at 0.", running_on),
}

LETTERS = 16  # tokens 0 to 15 of a task of the reader's own


def drawing(change: Callable, chance: Callable = lambda generator: generator) -> Callable:
    """Return an answer to exercise 3 that draws tokens 1 to 8 and asks for change(tokens); `chance` is where from."""

    def sample(batch: int, length: int, generator: Generator) -> tuple[Tensor, Tensor]:
        tokens = torch.randint(1, 9, (batch, length), generator=chance(generator))
        return tokens, change(tokens)

    return sample


def two_back(tokens: Tensor) -> Tensor:
    return pad(tokens, (2, 0), value=NOT_ASKED)[:, :-2]


def in_range(tokens: Tensor, labels: Tensor) -> bool:
    used = torch.cat([tokens.flatten(), labels[labels != NOT_ASKED]])
    return bool(((used >= 0) & (used < LETTERS)).all())


def share_of_commonest(labels: Tensor) -> float:
    counts = labels[labels != NOT_ASKED].bincount()
    return float(counts.max() / counts.sum())


# `draw(batch, seed)` returns the reader's tokens and labels (batch, L), int64; `solved(name, length)` an accuracy.
DRAWS = {
    "tokens or labels out of range": Mistake(
        "Tokens and labels are 0 to 15; a label is -100 where nothing is asked.",
        drawing(lambda tokens: tokens + 8),
        drawing(lambda tokens: two_back(tokens).clamp(min=-1)),
        holds=lambda draw: in_range(*draw(5, 1)),
    ),
    "nothing asked": Mistake(
        "Each text needs a place where it asks: all labels are -100.",
        drawing(lambda tokens: torch.full_like(tokens, NOT_ASKED)),
        holds=lambda draw: bool((draw(5, 1)[1] != NOT_ASKED).any(dim=1).all()),
    ),
    "the generator ignored": Mistake(
        "Use the generator that you are given, and no other source of chance: two generators draw two texts, the same one "
        "draws the same again.",
        drawing(two_back, chance=lambda generator: None),
        drawing(two_back, chance=lambda generator: Generator().manual_seed(0)),
        holds=lambda draw: (
            torch.equal(draw(50, 2)[0], draw(50, 2)[0]) and not torch.equal(draw(50, 2)[0], draw(50, 3)[0])
        ),
    ),
    "one label nearly always": Mistake(
        "One label is right half of the time: who guesses it needs no positions.",
        drawing(lambda tokens: 0 * tokens),
        holds=lambda draw: share_of_commonest(draw(200, 2)[1]) < 0.5,
    ),
}
TRAINED = {
    "RoPE does not learn it": Mistake(
        "RoPE does not learn it at 16 tokens, with one layer and 300 steps. Ask for something easier, or at more places.",
        lambda batch, length, generator: torch.randint(8, (2, batch, length), generator=generator).unbind(),
        holds=lambda solved: solved("rope", 16) > 0.9,
    ),
    "RoPE loses it at 64": Mistake(
        "RoPE learns it at 16 tokens and loses it at 64. What is new there, and can the tokens themselves keep it from "
        "mattering?",
        drawing(two_back),
        holds=lambda solved: solved("rope", 64) > 0.8,
    ),
}
ANOTHER = {
    "another solves it too": Mistake(
        "It does as well as RoPE at 64, or nearly. What can it not see that RoPE sees?",
        drawing(lambda tokens: tokens.clone()),
        holds=lambda other, rope: other < rope - 0.2,
    )
}

MISTAKES = {"breaks": BREAKS, "sliding": SLIDING, "sample": DRAWS | TRAINED | ANOTHER}
