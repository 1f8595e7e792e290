"""Likely mistakes in the exercises of notebook 01."""

from collections.abc import Callable

import torch
from torch import Generator, Tensor

from posenc_helpers.classroom.exercises.mistakes import Mistake
from posenc_helpers.classroom.exercises.questions import drawn
from posenc_helpers.encodings import sinusoidal
from posenc_helpers.lessons.why_order_matters.six_models import WIDTH, models


def tokens(dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(3, 7, WIDTH, generator=drawn(7), dtype=dtype)


def places(dim: int) -> Callable:
    """Return what adds to x (3, 7, d) a vector for each place along axis `dim`, the same along all others but the last."""
    return lambda x: x + sinusoidal(torch.arange(x.shape[dim]), WIDTH).to(x.dtype).unsqueeze(1 - dim)


def double(x: Tensor) -> Tensor:
    return 2 * x


def reverse(x: Tensor) -> Tensor:
    return x.flip(1)


def shuffle(x: Tensor) -> Tensor:
    return x[:, torch.randperm(x.shape[1], generator=Generator().manual_seed(1))]


def before_last(move: Callable) -> Callable:
    return lambda x: torch.cat([move(x[:, :-1]), x[:, -1:]], dim=1)


def close(a: Tensor, b: Tensor) -> bool:
    return torch.allclose(a, b, atol=1e-4)


def says(move: Callable = shuffle, same: Callable = close) -> Callable:
    """Return an answer to exercise 1 that compares f(move(x)) with move(f(x)) by `same`."""
    return lambda f, x: same(f(move(x)), move(f(x)))


EQUIVARIANT = {
    "outputs not permuted, or True and False exchanged": Mistake(
        "f(x) = 2 x treats every token alike, yet you say False. Compare f(P x) with P f(x), not with f(x): when the "
        "tokens move, the outputs should move along. (Or are True and False exchanged?)",
        lambda f, x: close(f(shuffle(x)), f(x)),
        says(same=lambda a, b: not close(a, b)),
        holds=lambda ask: ask(double, tokens()),
    ),
    "another axis permuted": Mistake(
        "A running sum over the tokens depends on their order, one along the features does not, and you say otherwise. Is "
        "it really axis 1, the tokens, that you permute?",
        says(lambda x: x.flip(0)),
        says(lambda x: x.flip(2)),
        holds=lambda ask: not ask(lambda x: x.cumsum(1), tokens()) and ask(lambda x: x.cumsum(2), tokens()),
    ),
    "tokens lost or repeated": Mistake(
        "The largest value over the tokens, put out at every place, is equivariant, yet you say False. Shuffle the tokens "
        "of each text so that every one appears once: torch.randperm(x.shape[1]).",
        says(lambda x: x[:, [4, 4, 0, 3, 6, 5, 1]]),
        holds=lambda ask: ask(lambda x: x.amax(1, keepdim=True).expand_as(x), tokens()),
    ),
    "sums or means compared": Mistake(
        "f(x) = x.sort(dim=1).values is the same for every order of the tokens, so it is not equivariant, yet you say "
        "True. Compare token by token, not sums or means, and with the absolute difference.",
        says(same=lambda a, b: close(a.mean(1), b.mean(1))),
        says(same=lambda a, b: (a - b).mean() < 1e-4),
        holds=lambda ask: not ask(lambda x: x.sort(1).values, tokens()),
    ),
    "one lucky permutation": Mistake(
        "You say True for a function that only commutes with one permutation: a reversal, a move round the circle, a swap "
        "of two tokens. Permute all tokens, at random, more than once.",
        says(reverse),
        says(lambda x: x.roll(1, 1)),
        holds=lambda ask: not any(ask(f, tokens()) for f in (reverse, lambda x: x.roll(1, 1), before_last(double))),
    ),
    "no tolerance, or too wide a one": Mistake(
        "You say False for attention, whose last digits change because its sums run in another order after the shuffle, or "
        "True for a function that adds 0.01 times a position code. Compare with torch.allclose and an atol of 1e-4.",
        says(same=torch.equal),
        says(same=lambda a, b: torch.allclose(a, b, atol=0.1)),
        holds=lambda ask: (
            all(ask(models()["attention"], x) for x in (tokens(), tokens(torch.float32)))
            and not ask(lambda x: (99 * x + places(1)(x)) / 100, tokens())
        ),
    ),
}


def measures(size: Callable = lambda gap: gap.abs().max(), move: Callable = shuffle) -> Callable:
    """Return an answer to exercise 2 that gives the `size` of f(encode(move(x))) less move(f(encode(x)))."""
    return lambda f, encode, x: size(f(encode(move(x))) - move(f(encode(x))))


def one_after_the_other(ask: Callable) -> bool:
    """Whether encode and f both run, and encode reads what neither of them has made."""
    encoded, read = [], []
    ask(lambda x: read.append(x) or 2 * x, lambda x: encoded.append(x) or x + 1, tokens())
    made = [x + 1 for x in encoded] + [2 * x for x in read]
    return bool(encoded and read) and not any(torch.equal(x, y) for x in encoded for y in made)


def finds_the_largest(ask: Callable, change: float = 2.5, texts: int = 3, length: int = 7) -> bool:
    """Whether the number is `change`, by which every shuffle changes all outputs of the first text, up or down."""
    rows = torch.arange(length, dtype=torch.float64)[:, None].expand(length, WIDTH)
    encode = lambda x: x + rows[: x.shape[1]]  # the first text cancels the rows exactly  # noqa: E731
    some = lambda z: (z.abs().amax(dim=(1, 2), keepdim=True) > 0.5).double().expand_as(z)  # noqa: E731
    x = torch.stack([-rows, *[0 * rows] * (texts - 1)])
    return all(abs(ask(lambda z, up=up: up * some(z), encode, x) - change) < 1e-6 for up in (change, -change))


SIGNAL = {
    "encode and f not one after the other": Mistake(
        "The tokens go through encode once, and f reads the result: you leave one of the two out, encode twice, or encode "
        "what f has put out.",
        lambda f, encode, x: measures()(f, lambda z: z, x),
        lambda f, encode, x: measures()(lambda z: z, encode, x),
        lambda f, encode, x: measures()(f, lambda z: encode(encode(z)), x),
        holds=one_after_the_other,
    ),
    "tokens not permuted, or outputs not with them": Mistake(
        "One same vector for all tokens of a text should leave nothing to see, yet your number is large. Permute the tokens "
        "(axis 1, each once: torch.randperm(x.shape[1])), and compare f(encode(P x)) with P f(encode(x)).",
        lambda f, encode, x: (f(encode(shuffle(x))) - f(encode(x))).abs().max(),
        measures(move=lambda x: x.flip(0)),
        measures(move=lambda x: x.flip(2)),
        holds=lambda ask: all(
            ask(models()["attention"], encode, tokens()) < 1e-4
            for encode in (lambda x: x + torch.linspace(-1, 1, WIDTH), places(0))
        ),
    ),
    "encoded before the tokens are permuted": Mistake(
        "With a different vector at every place the number should be well above 0, and yours is not. The vectors belong to "
        "the places, not to the words: first permute x, then encode.",
        lambda f, encode, x: measures()(f, lambda z: z, encode(x)),
        measures(move=lambda x: x),
        holds=lambda ask: ask(models()["attention"], places(1), tokens()) > 1e-3,
    ),
    "not the largest absolute difference": Mistake(
        "The largest absolute difference over all texts, places and columns is asked for: not a mean, a sum, a norm or a "
        "square, not with its sign, and not cut to a whole number.",
        *map(measures, (Tensor.max, Tensor.norm, lambda gap: gap.abs().mean(), lambda gap: gap.abs().sum())),
        *map(measures, (lambda gap: gap.square().max(), lambda gap: int(gap.abs().max()))),
        holds=finds_the_largest,
    ),
}

READ = {
    "per token": lambda after, before, move: (after, move(before)),
    "mean": lambda after, before, move: (after.mean(1), before.mean(1)),
    "last": lambda after, before, move: (after[:, -1], before[:, -1]),
}


def sees(move: Callable = shuffle, last: Callable = before_last, same: Callable = close, read: dict = READ) -> Callable:
    """Return an answer to exercise 3 that moves tokens by `move`, for the last output by last(move), and compares by
    `same` the pairs that `read`, or READ, takes from what f gives after and before."""

    def answer(f: Callable, read_out: str, x: Tensor) -> bool:
        moved = last(move) if read_out == "last" else move
        return not same(*{**READ, **read}[read_out](f(moved(x)), f(x), moved))

    return answer


AWARE = {
    "outputs not permuted along": Mistake(
        "Per token, f(x) = 2 x is blind to order, yet you say True. Aware means that f(P x) is not P f(x). Permute the "
        "outputs along before you compare.",
        sees(read={"per token": lambda after, before, move: (after, before)}),
        sees(same=lambda a, b: not close(a, b)),
        holds=lambda ask: not ask(double, "per token"),
    ),
    "means not over tokens, or compared exactly": Mistake(
        'f(x) = x.flip(1) has one mean whatever the order, and so has attention, yet you say True for "mean". Compare the '
        "two means over the tokens, axis 1, with a small tolerance.",
        sees(same=torch.equal),
        sees(read={"mean": lambda after, before, move: (after.mean(-1), before.mean(-1))}),
        sees(read={"mean": READ["per token"]}),
        holds=lambda ask: not ask(models(seed=5)["attention"], "mean") and not ask(reverse, "mean"),
    ),
    "another place read than the last": Mistake(
        "You read another place than the last: an output whose last token is always 0 is aware, you say. Tokens are axis 1.",
        sees(read={"last": lambda after, before, move: (after[:, 0], before[:, 0])}),
        sees(read={"last": lambda after, before, move: (after[..., -1], before[..., -1])}),
        holds=lambda ask: not ask(lambda x: torch.cat([x[:, :-1], 0 * x[:, -1:]], dim=1), "last"),
    ),
    "last token shuffled too": Mistake(
        'f(x) = 2 x keeps the last token\'s output whatever the others do, yet you say True for "last". Leave the last '
        "token where it is and shuffle only those before it.",
        sees(last=lambda move: move),
        holds=lambda ask: not ask(double, "last"),
    ),
    "one lucky permutation": Mistake(
        "A function depends on order, per token or at the last one, and you say False. One lucky permutation, such as the "
        "reversal or a swap of two tokens, is not enough: try several random ones.",
        sees(reverse),
        sees(lambda x: x[:, [1, 0, *range(2, x.shape[1])]]),
        holds=lambda ask: (
            ask(reverse, "per token")
            and all(ask(f, "last") for f in (models(seed=5)["convolution"], lambda x: x.cumsum(1).cumsum(1)))
        ),
    ),
}

MISTAKES = {"is_equivariant": EQUIVARIANT, "order_signal": SIGNAL, "order_aware": AWARE}
