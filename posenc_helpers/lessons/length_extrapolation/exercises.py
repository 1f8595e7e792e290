"""Exercises of notebook 08: where another training length breaks, the sliding window, a task that only RoPE wins."""

from functools import cache

import torch
from torch import Generator, Tensor

from posenc_helpers.classroom.exercises.answers import as_number, as_tensor, watched
from posenc_helpers.classroom.exercises.checking import check, need
from posenc_helpers.classroom.exercises.mistakes import compare, refuse
from posenc_helpers.classroom.exercises.questions import drawn, whole
from posenc_helpers.encodings import SinusoidalEncoding
from posenc_helpers.lab.shootout import CONTESTANTS, fresh_encoding
from posenc_helpers.lab.training import accuracy, seeded, solver
from posenc_helpers.lessons.length_extrapolation.mistakes import (
    ANOTHER,
    BREAKS,
    DRAWS,
    LAST,
    LETTERS,
    SLIDING,
    TRAINED,
    right_sliding,
)
from posenc_helpers.transformer import TinyTransformer

NAMES = {
    "t5 x8": "T5 with the fast table",
    "t5": "T5",
    "nope": "NoPE",
    "alibi": "ALiBi",
    "learned": "The learned table",
    "sinusoidal": "The sinusoidal model",
}


@check("breaks", "It breaks where training ended, wherever that was.")
def check_breaks(answer) -> None:
    """Check {16: position, 64: position}: where a sinusoidal model trained on so many characters breaks."""
    need(isinstance(answer, dict) and set(answer) == set(LAST), "Give a dict with two entries, for 16 and for 64.")
    for trained in LAST:
        where = f"Trained on {trained}: "
        need(answer[trained] is not None, "Give a position: it breaks somewhere.", where)
        refuse(BREAKS, as_number(answer[trained], f"breaks_at[{trained}]"), trained, where=where)


@check("sliding_loss", "Every token is read after as many tokens, at places that training knows.")
def check_sliding(answer) -> None:
    """Check `sliding_loss(model, tokens, keys)`: tokens (N,) -> the loss (N - keys,) with `keys` tokens before each."""
    ask = watched(answer)
    generator = drawn(80)
    other = whole(generator, 2, 14)
    for count, keys, seed in ((23, 5, 0), (40, 12, 1), (9, 8, 2), (other + whole(generator, 2, 30), other, 3)):
        with seeded(seed):
            model = TinyTransformer(7, 16, 2, 2, SinusoidalEncoding(16)).eval()
        tokens = torch.randint(7, (count,), generator=drawn(seed))
        with torch.no_grad():
            given = ask(model, tokens, keys)
            refuse(SLIDING, given, count - keys)
            losses = as_tensor(given, "sliding_loss", (count - keys,))
            right, inputs = right_sliding(model, tokens, keys), (model, tokens, keys)
            otherwise = "The numbers differ from the loss of the token after each window of `keys` tokens."
            compare(losses, right, SLIDING, otherwise, inputs, within=1e-4)


class Made:
    """A task made of the reader's `sample`."""

    vocabulary = classes = LETTERS
    shortest = 16

    def __init__(self, sample):
        self.sample = lambda batch, length, generator: _draw(sample, batch, length, generator)


@check("sample", "Only RoPE solves it at 64 tokens: “RoPE extrapolates” has an object now.")
def check_sample(answer) -> None:
    """Check `sample(batch, length, generator)` -> tokens, labels (B, L): a task that only RoPE still solves at 64."""
    ask = watched(answer)
    for length in (16, 64):
        refuse(DRAWS, lambda batch, seed: _draw(ask, batch, length, drawn(seed)))  # noqa: B023
        _draw(ask, whole(drawn(81), 2, 90), length, drawn(82))
    task = Made(answer)

    @cache
    def trained(name: str) -> TinyTransformer:
        entry = CONTESTANTS[name]
        return solver(task, fresh_encoding(entry, 32, 2, 64, 0), 0, encoding_rate=entry.rate)

    def solved(name: str, length: int) -> float:
        return accuracy(trained(name), task, length, 200)

    refuse(TRAINED, solved)
    for name, called in NAMES.items():
        refuse(ANOTHER, solved(name, 64), solved("rope", 64), where=f"{called}: ")


def _draw(sample, batch: int, length: int, generator: Generator) -> list[Tensor]:
    """Return the reader's tokens and labels (batch, length) as int64, in whatever form they came."""
    drawn = sample(batch, length, generator)
    need(isinstance(drawn, tuple | list) and len(drawn) == 2, "Return two tensors, tokens and labels.")
    named = zip(("tokens", "labels"), drawn, strict=True)
    return [as_tensor(part, name, (batch, length), whole=True).long() for name, part in named]
