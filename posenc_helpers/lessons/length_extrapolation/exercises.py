"""Checks of notebook 08: where another training length breaks, the sliding window, a task that only RoPE wins."""

import math

import torch
from torch import Generator, Tensor, nn

from posenc_helpers.classroom.exercises.answers import as_number, as_tensor, watched
from posenc_helpers.classroom.exercises.checking import Outcome, need, run_check
from posenc_helpers.encodings import SinusoidalEncoding
from posenc_helpers.lab.shootout import CONTESTANTS, fresh_encoding
from posenc_helpers.lab.tasks import NOT_ASKED
from posenc_helpers.lab.training import accuracy, seeded, solver
from posenc_helpers.transformer import TinyTransformer

SEEN = {16: (16, 20), 64: (64, 72)}  # where sinusoidal models of seeds 0 to 7 broke, with room
LETTERS = 16  # tokens 0 to 15 of a task of the reader's own
NAMES = {"t5 x8": "T5 with the fast table", "t5": "T5", "nope": "NoPE", "alibi": "ALiBi", "learned": "The learned table",
         "sinusoidal": "The sinusoidal model"}  # fmt: skip


def check_breaks(answer) -> Outcome:
    """Check {16: position, 64: position}: where a sinusoidal model trained on so many characters breaks."""

    def test() -> None:
        need(isinstance(answer, dict) and set(answer) == set(SEEN), "Give a dict with two entries, for 16 and for 64.")
        for trained, (low, high) in SEEN.items():
            where = f"Trained on {trained}: "
            need(answer[trained] is not None, "Give a position: it breaks somewhere.", where)
            at = as_number(answer[trained], f"breaks_at[{trained}]")
            need(at != 32 or trained == 32, "That is where the model trained on 32 breaks. What moved?", where)
            need(at >= trained, "You say that it breaks on texts as long as those of its training.", where)
            need(at < 2 * trained, "So far it does not come: how long did the notebook's model last beyond 32?", where)
            need(low <= at <= high, "The right side of the trained length, and too far from it.", where)

    empty = isinstance(answer, dict) and all(value is ... for value in answer.values())
    return run_check("breaks", ... if empty else answer, test, "It breaks where training ended, wherever that was.")


def check_sliding(answer) -> Outcome:
    """Check `sliding_loss(model, tokens, keys)`: tokens (N,) -> the loss (N - keys,) with `keys` tokens before each."""

    def test() -> None:
        ask = watched(answer)
        for count, keys, seed in ((23, 5, 0), (40, 12, 1), (9, 8, 2)):
            with seeded(seed):
                model = TinyTransformer(7, 16, 2, 2, SinusoidalEncoding(16)).eval()
            tokens = torch.randint(7, (count,), generator=Generator().manual_seed(seed))
            with torch.no_grad():
                given = ask(model, tokens, keys)
            if isinstance(given, Tensor | float):
                need(torch.as_tensor(given).numel() != 1 or count - keys == 1, "One number came: return the loss of each "
                     "token, without a mean.", name="one number")  # fmt: skip
            _hint_sliding(as_tensor(given, "sliding_loss", (count - keys,), whole=None), model, tokens, keys)

    return run_check(
        "sliding_loss", answer, test, "Every token is read after as many tokens, at places that training knows."
    )


@torch.no_grad()
def _hint_sliding(given: Tensor, model: TinyTransformer, tokens: Tensor, keys: int) -> None:
    def loss(logits: Tensor, labels: Tensor) -> Tensor:
        return nn.functional.cross_entropy(logits, labels, reduction="none").double()

    def same(other: Tensor) -> bool:
        return other.shape == given.shape and bool(torch.allclose(given, other, atol=1e-4))

    windows = tokens.unfold(0, keys + 1, 1)  # (N - keys, keys + 1)
    logits = model(windows[:, :-1])  # (N - keys, keys, V)
    if same(loss(logits[:, -1], windows[:, -1])):
        return
    whole = model(tokens[None, :-1])[0]  # (N - 1, V)
    mask = torch.ones(len(tokens) - 1, len(tokens) - 1, dtype=torch.bool).triu(1 - keys)
    masked = model(tokens[None, :-1], mask=mask)[0]  # (N - 1, V)
    moved = torch.cat([model(w[None, :-1], torch.arange(keys) + k)[:, -1] for k, w in enumerate(windows)])
    right = loss(logits[:, -1], windows[:, -1])
    need(not same(-right), "The sign is turned: a loss is minus the log-probability.")
    need(not same(right / math.log(2)), "These are losses in bits; nats are asked for, by the natural logarithm.")
    need(not same(right.exp()), "These are perplexities, the exponential of the loss.")
    need(not same((-right).exp()), "These are probabilities; a loss is minus their logarithm.")
    ahead = loss(model(windows[:, 1:])[:, -1], windows[:, -1])
    need(not same(ahead), "Each window reads the token that is asked, too.")
    need(not same(loss(logits[:, -1], windows[:, -2])), "You ask for the last token that the model has read, not for the "
         "one after it.")  # fmt: skip
    need(not same(loss(logits[:, 0], windows[:, 1])), "You read the first place of each window, where there is no context "
         "yet.")  # fmt: skip
    places = loss(logits.flatten(0, 1), windows[:, 1:].flatten()).view(len(windows), keys)
    need(not same(places.mean(dim=1)), "You average over all places of a window: its early ones have less context.")
    need(not same(places.sum(dim=1)), "You sum over all places of a window: only its last one is asked for.")
    more = tokens.unfold(0, keys + 2, 1)  # (N - keys - 1, keys + 2)
    fewer = loss(model(windows[:, 1:-1])[:, -1], windows[:, -1])
    longer = torch.cat([given[:1], loss(model(more[:, :-1])[:, -1], more[:, -1])])  # the first has no token more
    need(not same(fewer) and not same(longer), "The number of keys is off by one: read `keys` tokens before the one that "
         "is asked.")  # fmt: skip
    blocks = torch.cat([model(part[None])[0] for part in tokens[:-1].split(keys)])  # (N - 1, V)
    need(not same(loss(blocks[keys - 1 :], tokens[keys:])), "Your windows stand one beside the other. Move by one token "
         "each time: tokens at the start of a window have no context.")  # fmt: skip
    need(not same(loss(whole[keys - 1 :], tokens[keys:])), "You read the text in one piece: the window is not cut.")
    need(not same(loss(masked[keys - 1 :], tokens[keys:])), "A mask hides the older keys, but positions run on, and a "
         "second layer sees further back. Cut the text itself.")  # fmt: skip
    need(not same(loss(moved, windows[:, -1])), "Positions run on with the text. In each window they start at 0.")
    need(False, "The numbers differ from the loss of the token after each window of `keys` tokens.")


class Made:
    """A task made of the reader's `sample`."""

    vocabulary = classes = LETTERS
    shortest = 16

    def __init__(self, sample):
        self.sample = lambda batch, length, generator: _draw(sample, batch, length, generator)


def check_sample(answer) -> Outcome:
    """Check `sample(batch, length, generator)` -> tokens, labels (B, L): a task that only RoPE still solves at 64."""

    def test() -> None:
        ask = watched(answer)
        for length in (16, 64):
            _check_draws(ask, length)
        rope = solved_at(answer, "rope", 16), solved_at(answer, "rope", 64)
        need(rope[0] > 0.9, "RoPE does not learn it at 16 tokens, with one layer and 300 steps. Ask for something easier, "
             "or at more places.")  # fmt: skip
        need(rope[1] > 0.8, "RoPE learns it at 16 tokens and loses it at 64. What is new there, and can the tokens "
             "themselves keep it from mattering?")  # fmt: skip
        for name in NAMES:
            need(solved_at(answer, name, 64) < rope[1] - 0.2, f"{NAMES[name]} does as well as RoPE at 64, or nearly. What "
                 "can it not see that RoPE sees?", name="another solves it too")  # fmt: skip

    return run_check("sample", answer, test, "Only RoPE solves it at 64 tokens: “RoPE extrapolates” has an object now.")


def _draw(sample, batch: int, length: int, generator: Generator) -> list[Tensor]:
    """Return the reader's tokens and labels (batch, length) as int64, in whatever form they came."""
    drawn = sample(batch, length, generator)
    need(isinstance(drawn, tuple | list) and len(drawn) == 2, "Return two tensors, tokens and labels.")
    return [as_tensor(part, name, (batch, length), whole=True).long() for part, name in zip(drawn, ("tokens", "labels"),
            strict=True)]  # fmt: skip


def _check_draws(ask, length: int) -> None:
    tokens, labels = _draw(ask, 5, length, Generator().manual_seed(1))
    need(bool(((tokens >= 0) & (tokens < LETTERS)).all()), f"Tokens are 0 to {LETTERS - 1}.")
    asked = labels != NOT_ASKED
    need(bool(asked.any(dim=1).all()), f"Each text needs a place where it asks: all labels are {NOT_ASKED}.")
    need(bool(((labels[asked] >= 0) & (labels[asked] < LETTERS)).all()), f"Labels are 0 to {LETTERS - 1}, or {NOT_ASKED} "
         "where nothing is asked.")  # fmt: skip
    again, other = (_draw(ask, 200, length, Generator().manual_seed(seed)) for seed in (2, 3))
    need(not torch.equal(again[0], other[0]), "Two generators draw the same texts: use the one that you are given.")
    repeated = _draw(ask, 200, length, Generator().manual_seed(2))
    need(torch.equal(again[0], repeated[0]), "The same generator draws different texts: use no other source of chance.")
    answers = again[1][again[1] != NOT_ASKED]
    need(answers.bincount().max() < 0.5 * len(answers), "One label is right half of the time: who guesses it needs no "
         "positions.")  # fmt: skip


def solved_at(sample, name: str, length: int, seed: int = 0) -> float:
    """Return the accuracy at `length` of one layer with the encoding `name`, trained for 300 steps on 16 tokens."""
    entry = CONTESTANTS[name]
    encoding = fresh_encoding(entry, 32, 2, 64, seed)
    model = solver(Made(sample), encoding, seed, encoding_rate=entry.rate)
    return accuracy(model, Made(sample), length, 200)
