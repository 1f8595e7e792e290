"""Exercises of notebook 01: is_equivariant, order_signal, order_aware."""

import functools
from collections.abc import Callable

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.answers import as_bool, as_number, watched
from posenc_helpers.classroom.exercises.checking import NotYet, check, need
from posenc_helpers.classroom.exercises.mistakes import refuse
from posenc_helpers.classroom.exercises.questions import drawn, whole
from posenc_helpers.lessons.why_order_matters.mistakes import AWARE, EQUIVARIANT, SIGNAL, finds_the_largest, tokens
from posenc_helpers.lessons.why_order_matters.six_models import WIDTH, Model, models

OTHER = "Right for the other texts, but not for as many as these, or as long."


def _of_nameless(answer: Callable) -> Callable:
    """Return `answer`, asked about functions that tell nothing but what they return."""

    def nameless(given):
        return (lambda *inputs: given(*inputs)) if callable(given) else given

    @functools.wraps(answer)
    def ask(*inputs):
        return answer(*map(nameless, inputs))

    return ask


def _others(seed: int) -> Tensor:
    """Return tokens (B, L, d) of another number of texts, and another length, than those of `tokens`."""
    generator = drawn(seed)
    return torch.randn(whole(generator, 2, 9), whole(generator, 7, 16), WIDTH, generator=generator, dtype=torch.float64)


@check("is_equivariant", "It tells rounding from order, and no lucky permutation fools it.")
def check_is_equivariant(answer) -> None:
    """Check `is_equivariant(f, x) -> bool`: does f, from (B, L, d) to (B, L, d), move its outputs with the tokens?"""
    ask = watched(_of_nameless(answer))
    refuse(EQUIVARIANT, lambda f, x: as_bool(ask(f, x), "is_equivariant"))
    x, generator = _others(12), drawn(15)
    share, at_place = (1 + torch.rand(count, 1, generator=generator, dtype=torch.float64) for count in (1, 16))
    for f, equivariant in (
        (lambda x: x + share * x.mean(1, keepdim=True), True),
        (lambda x: at_place[: x.shape[1]] * x, False),
    ):
        need(as_bool(ask(f, x), "is_equivariant") == equivariant, OTHER, f"{len(x)} texts of {x.shape[1]} tokens: ")


@check("order_signal", "A vector that is the same everywhere tells nothing; one per place does.")
def check_order_signal(answer) -> None:
    """Check `order_signal(f, encode, x) -> number`: how far f(encode(P x)) is from P f(encode(x)), at most."""
    ask = watched(_of_nameless(answer))

    def number(f: Model, encode: Model, x: Tensor) -> float:
        return as_number(ask(f, encode, x), "order_signal")

    refuse(SIGNAL, number)
    generator = drawn(13)
    change, texts, length = (whole(generator, *ends) for ends in ((3, 9), (2, 9), (7, 16)))
    where = f"{texts} texts of {length} tokens: "
    need(finds_the_largest(number, change, texts, length), OTHER, where)
    one, places = torch.zeros(texts, 1, WIDTH).double(), torch.arange(length)[:, None]
    one[whole(generator, 0, texts - 1), 0, whole(generator, 0, WIDTH - 1)] = 1  # what order changes: a column of a text
    seen = number(lambda z: one * z, lambda x: x + places, torch.zeros(texts, length, WIDTH).double())
    need(seen > 0.5, "Order changes one column of one text. Look at all columns of all texts.", where)


READ_OUTS = ("per token", "mean", "last")
TRUTH = {
    "mean pool": (False, False, False),
    "convolution": (True, True, True),
    "RNN": (True, True, True),
    "attention": (False, False, False),
    "causal attention": (True, True, False),
    "causal attention x 2": (True, True, True),
}


@check("order_aware", "Whether a model knows about order depends on where you read it.")
def check_order_aware(answer) -> None:
    """Check `order_aware(f, read_out, x) -> bool` for read_out "per token", "mean" and "last"."""
    call = watched(_of_nameless(answer))

    def ask(f: Model, read_out: str, x: Tensor | None = None) -> bool:
        return as_bool(call(f, read_out, tokens() if x is None else x), f"order_aware(f, {read_out!r}, x)")

    refuse(AWARE, ask)
    six = models(seed=5)
    for name, row in TRUTH.items():
        for read_out, aware in zip(READ_OUTS, row, strict=True):
            if ask(six[name], read_out) != aware:
                hint = f"You say {not aware} for the {name}, read out {read_out!r}."
                raise NotYet(hint, name=f"says {not aware} for {read_out}")
    x = _others(14)
    for read_out, aware in zip(READ_OUTS, TRUTH["causal attention"], strict=True):
        need(ask(six["causal attention"], read_out, x) == aware, OTHER, f"{len(x)} texts of {x.shape[1]} tokens: ")
