"""Homework 07: slopes read off attention weights, and its likely mistakes."""

from collections.abc import Callable

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.answers import as_tensor, watched
from posenc_helpers.classroom.exercises.checking import check
from posenc_helpers.classroom.exercises.mistakes import Mistake, compare
from posenc_helpers.classroom.exercises.questions import drawn, whole
from posenc_helpers.encodings import alibi_slopes


def later(weights: Tensor, early: Tensor, late: Tensor) -> Tensor:
    """Return by how much the logarithm of the later key's weight is larger, (H, pairs)."""
    row = weights[:, -1].log()
    return row[:, late] - row[:, early]


def read(
    compare: Callable = later,
    steps: Callable = lambda early, late: late - early,
    pairs: Callable = lambda ids: ids[:, None] == ids,
    some: slice = slice(None),
) -> Callable:
    """Return an answer that is right but for what it compares, what it divides by, or which pairs of keys it takes."""

    def slopes(weights: Tensor, ids: Tensor) -> Tensor:
        early, late = (place[some] for place in pairs(ids).triu(1).nonzero().T)
        return (compare(weights, early, late) / steps(early, late)).mean(dim=-1)

    return slopes


def each(**wrong) -> tuple[Callable, ...]:
    """Return the mistake as made with all pairs of keys, with the first and with the last."""
    return tuple(read(some=some, **wrong) for some in (slice(None), slice(0, 1), slice(-1, None)))


def queries(weights: Tensor, early: Tensor, late: Tensor) -> Tensor:
    first = weights[:, :, 0].log()
    return first[:, early] - first[:, late]


MISTAKES = {
    "no logarithm": Mistake(
        "A weight is e to a score, divided by a sum: compare logarithms, not weights.",
        *each(compare=lambda w, early, late: w[:, -1, late] - w[:, -1, early]),
        *each(compare=lambda w, early, late: w[:, -1, late] / w[:, -1, early]),
    ),
    "other logarithm": Mistake(
        "Softmax has e for its base; log2 and log10 give other numbers.",
        read(compare=lambda *given: later(*given) / torch.tensor(2.0).log()),
        read(compare=lambda *given: later(*given) / torch.tensor(10.0).log()),
    ),
    "sign reversed": Mistake(
        "The sign is reversed: a slope is positive where the nearer of two equal tokens gets more.",
        read(compare=lambda *given: -later(*given)),
    ),
    "not for each step": Mistake(
        "The slope is what one step costs, and the two equal tokens may be several steps apart.",
        *each(steps=lambda early, late: torch.ones_like(late)),
    ),
    "contents compared": Mistake(
        "You compare keys with different ids: their contents differ as well, not the distance alone.",
        lambda w, ids: w[:, -1].log().diff(dim=-1).mean(dim=-1),
        *each(pairs=lambda ids: torch.ones(len(ids), len(ids))),
    ),
    "queries compared": Mistake(
        "You compare two rows: each was divided by a sum of its own. Stay within one row.",
        *each(compare=queries),
        *each(compare=lambda *given: -queries(*given)),
    ),
    "one slope for all heads": Mistake(
        "Every head has a slope of its own; an average over heads belongs to none.",
        lambda w, ids: read()(w, ids).mean().expand(len(w)),
        lambda w, ids: read()(w, ids)[:1].expand(len(w)),
    ),
    "slopes of the formula": Mistake(
        "These are the formula's slopes for so many heads. This model has others: read them off its weights.",
        lambda w, ids: alibi_slopes(len(w)),
        lambda w, ids: alibi_slopes(len(w), "paper"),
    ),
}


@check("slopes from weights", "Equal tokens gave the slopes away.")
def check_homework(answer) -> None:
    """Check `slopes_from_weights(weights, ids)` -> (H,), on texts whose contents are not silent."""
    ask = watched(answer)
    generator = drawn(70)
    other = torch.randint(5, (whole(generator, 6, 11),), generator=generator).tolist()  # some id stands there twice
    for text, heads in (
        ([3, 1, 4, 1, 5, 9, 2, 6, 5, 0], 3),
        ([7, 8, 2, 7], 2),
        ([1, 0, 0, 1, 2, 3, 1], 5),
        (other, whole(generator, 1, 7)),
    ):
        generator, ids = drawn(heads), torch.tensor(text)
        slopes = 0.1 + 0.8 * torch.rand(heads, generator=generator, dtype=torch.float64)
        content = torch.randn(heads, 10, 10, generator=generator, dtype=torch.float64)[:, ids[:, None], ids]
        place = torch.arange(len(ids))
        scores = content + slopes[:, None, None] * (place - place[:, None])  # (H, L, L)
        hidden = place > place[:, None]
        weights = scores.masked_fill(hidden, -torch.inf).softmax(dim=-1)
        given = as_tensor(ask(weights, ids), "slopes_from_weights", (heads,))
        otherwise = "These are not its slopes: which two weights differ by nothing but the distance?"
        compare(given, slopes, MISTAKES, otherwise, (weights, ids), f"{heads} heads, ids {text}: ", within=1e-3)
