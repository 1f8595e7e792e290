"""Exercises of notebook 01: is_equivariant, order_signal, order_aware."""

from torch import Tensor

from posenc_helpers.classroom.exercises.answers import as_bool, as_number, watched
from posenc_helpers.classroom.exercises.checking import NotYet, Outcome, run_check
from posenc_helpers.classroom.exercises.mistakes import refuse
from posenc_helpers.lessons.why_order_matters.mistakes import AWARE, EQUIVARIANT, SIGNAL, tokens
from posenc_helpers.lessons.why_order_matters.six_models import Model, models


def check_is_equivariant(answer) -> Outcome:
    """Check `is_equivariant(f, x) -> bool`: does f, from (B, L, d) to (B, L, d), move its outputs with the tokens?"""
    call = watched(answer)

    def ask(f: Model, x: Tensor) -> bool:
        return as_bool(call(f, x), "is_equivariant")

    well_done = "It tells rounding from order, and no lucky permutation fools it."
    return run_check("is_equivariant", answer, lambda: refuse(EQUIVARIANT, ask), well_done)


def check_order_signal(answer) -> Outcome:
    """Check `order_signal(f, encode, x) -> number`: how far f(encode(P x)) is from P f(encode(x)), at most."""
    call = watched(answer)

    def ask(f: Model, encode: Model, x: Tensor) -> float:
        return as_number(call(f, encode, x), "order_signal")

    well_done = "A vector that is the same everywhere tells nothing; one per place does."
    return run_check("order_signal", answer, lambda: refuse(SIGNAL, ask), well_done)


READ_OUTS = ("per token", "mean", "last")
TRUTH = {
    "mean pool": (False, False, False),
    "convolution": (True, True, True),
    "RNN": (True, True, True),
    "attention": (False, False, False),
    "causal attention": (True, True, False),
    "causal attention x 2": (True, True, True),
}


def check_order_aware(answer) -> Outcome:
    """Check `order_aware(f, read_out, x) -> bool` for read_out "per token", "mean" and "last"."""
    call = watched(answer)

    def ask(f: Model, read_out: str) -> bool:
        return as_bool(call(f, read_out, tokens()), f"order_aware(f, {read_out!r}, x)")

    def test() -> None:
        refuse(AWARE, ask)
        six = models(seed=5)
        for name, row in TRUTH.items():
            for read_out, aware in zip(READ_OUTS, row, strict=True):
                if ask(six[name], read_out) != aware:
                    hint = f"You say {not aware} for the {name}, read out {read_out!r}."
                    raise NotYet(hint, name=f"says {not aware} for {read_out}")

    return run_check("order_aware", answer, test, "Whether a model knows about order depends on where you read it.")
