"""Exercises of notebook 01: is_equivariant, order_signal, order_aware."""

from posenc_helpers.classroom.exercises.answers import as_bool, as_number, watched
from posenc_helpers.classroom.exercises.checking import NotYet, check
from posenc_helpers.classroom.exercises.mistakes import refuse
from posenc_helpers.lessons.why_order_matters.mistakes import AWARE, EQUIVARIANT, SIGNAL, tokens
from posenc_helpers.lessons.why_order_matters.six_models import Model, models


@check("is_equivariant", "It tells rounding from order, and no lucky permutation fools it.")
def check_is_equivariant(answer) -> None:
    """Check `is_equivariant(f, x) -> bool`: does f, from (B, L, d) to (B, L, d), move its outputs with the tokens?"""
    ask = watched(answer)
    refuse(EQUIVARIANT, lambda f, x: as_bool(ask(f, x), "is_equivariant"))


@check("order_signal", "A vector that is the same everywhere tells nothing; one per place does.")
def check_order_signal(answer) -> None:
    """Check `order_signal(f, encode, x) -> number`: how far f(encode(P x)) is from P f(encode(x)), at most."""
    ask = watched(answer)
    refuse(SIGNAL, lambda f, encode, x: as_number(ask(f, encode, x), "order_signal"))


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
    call = watched(answer)

    def ask(f: Model, read_out: str) -> bool:
        return as_bool(call(f, read_out, tokens()), f"order_aware(f, {read_out!r}, x)")

    refuse(AWARE, ask)
    six = models(seed=5)
    for name, row in TRUTH.items():
        for read_out, aware in zip(READ_OUTS, row, strict=True):
            if ask(six[name], read_out) != aware:
                hint = f"You say {not aware} for the {name}, read out {read_out!r}."
                raise NotYet(hint, name=f"says {not aware} for {read_out}")
