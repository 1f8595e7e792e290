"""Homework of notebook 01: which shuffle did an equivariant model read?"""

from collections.abc import Callable

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.answers import as_tensor, watched
from posenc_helpers.classroom.exercises.checking import check
from posenc_helpers.classroom.exercises.mistakes import Mistake, compare
from posenc_helpers.classroom.exercises.questions import drawn, whole
from posenc_helpers.lessons.why_order_matters.six_models import WIDTH, Model, models


def nearest(rows: Callable, columns: Callable = lambda f, x, y: f(x), pick: Callable = lambda far: far.argmin(-1)):
    """Return an answer that compares every one of `rows` with every one of `columns`, and picks from the distances."""
    return lambda f, x, y: pick(torch.cdist(rows(f, x, y), columns(f, x, y)))


def given(f: Model, x: Tensor, y: Tensor) -> Tensor:
    return y


right = nearest(given)
MISTAKES = {
    "where each word went": Mistake(
        "You say where each word of x went. Asked is the way back: for each place of the shuffled text, the word that "
        "stands there.",
        nearest(lambda f, x, y: f(x), given),
    ),
    "outputs compared with words": Mistake(
        "y holds outputs, and you compare it with the words of x. What did f make of these words?",
        nearest(given, lambda f, x, y: x),
        nearest(lambda f, x, y: f(y), lambda f, x, y: f(x)),
    ),
    "compared exactly": Mistake(
        "You ask for equal numbers. After a shuffle the last digits differ, since a sum runs in another order.",
        lambda f, x, y: (y[:, :, None] == f(x)[:, None]).all(-1).int().argmax(-1),
    ),
    "one shuffle for all texts": Mistake(
        "Every text of the batch has a shuffle of its own, and you give all of them the same.",
        lambda f, x, y: right(f, x, y)[:1].expand(y.shape[:2]),
        lambda f, x, y: nearest(given, pick=lambda far: far.mean(0).argmin(-1))(f, x, y).expand(y.shape[:2]),
    ),
    "largest product taken": Mistake(
        "The largest product is not the nearest vector: a long output wins against all others. Compare by the difference.",
        lambda f, x, y: (y @ f(x).mT).argmax(-1),
    ),
    "one number of each output": Mistake(
        "You look at one number of each output, its first column, its sum or its length. Two words can share one number (a "
        "dead unit is 0 for all of them): compare whole vectors.",
        nearest(lambda f, x, y: y[..., :1], lambda f, x, y: f(x)[..., :1]),
        nearest(lambda f, x, y: y.sum(-1, keepdim=True), lambda f, x, y: f(x).sum(-1, keepdim=True)),
        nearest(lambda f, x, y: y.norm(dim=-1, keepdim=True), lambda f, x, y: f(x).norm(dim=-1, keepdim=True)),
    ),
    "farthest in place of nearest": Mistake(
        "You take the word whose output differs most.", nearest(given, pick=lambda far: far.argmax(-1))
    ),
    "counted from 1": Mistake("Places count from 0.", lambda f, x, y: right(f, x, y) + 1),
}


def twins(x: Tensor) -> Tensor:
    """Return equivariant outputs with a first column near 0, and sums and lengths that do not tell words apart."""
    z = (x - x.mean(dim=1, keepdim=True))[..., 1:]  # (B, L, d - 1)
    z = z - z.mean(dim=-1, keepdim=True)
    return torch.cat([1e-8 * x[..., :1], z / z.norm(dim=-1, keepdim=True)], dim=-1)


def stretched(x: Tensor) -> Tensor:
    """Return equivariant outputs, some of them much longer than others."""
    return models(5)["attention"](x) + x * x.norm(dim=-1, keepdim=True) ** 2


@check("find_shuffle", "Outputs move with their words, so they tell who moved where.")
def check_homework(answer) -> None:
    """Check `find_shuffle(f, x, y)`: places (B, L), integers, of the words of x whose outputs stand in y."""
    ask = watched(answer)
    generator = drawn(11)
    attention, other = models(5)["attention"], (whole(generator, 1, 9), whole(generator, 5, 16))
    for f, dtype, (texts, length) in (
        (stretched, torch.float64, (3, 7)),
        (attention, torch.float32, (3, 7)),
        (twins, torch.float64, (3, 7)),
        (attention, torch.float64, other),
    ):
        x = torch.randn(texts, length, WIDTH, generator=generator, dtype=dtype)
        p = torch.rand(texts, length, generator=generator).argsort(-1)  # (B, L)
        y = f(x.gather(1, p[..., None].expand_as(x)))
        y = y + 1e-6 * torch.randn(y.shape, generator=generator, dtype=dtype)  # rounding, made visible
        found = as_tensor(ask(f, x, y), "find_shuffle", (texts, length), whole=True)
        otherwise = "Where the right word stands in y, f gave another output than that of the word you name."
        if ((found < 0) | (found >= length)).any():
            otherwise = "A place is a whole number from 0 to L - 1."
        compare(found, p, MISTAKES, otherwise, (f, x, y))
