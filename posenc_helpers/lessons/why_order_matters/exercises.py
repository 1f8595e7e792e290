"""Checks of notebook 01: is_equivariant, order_signal, order_aware."""

from collections.abc import Callable

import torch
from torch import Generator, Tensor

from posenc_helpers.classroom.exercises.answers import as_bool, as_number, watched
from posenc_helpers.classroom.exercises.checking import Outcome, need, run_check
from posenc_helpers.encodings import sinusoidal
from posenc_helpers.lessons.why_order_matters.six_models import WIDTH, Model, models


def _inputs(length: int = 7, batch: int = 3, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(batch, length, WIDTH, generator=Generator().manual_seed(length), dtype=dtype)


def check_is_equivariant(answer) -> Outcome:
    """Check `is_equivariant(f, x) -> bool`: does f, from (B, L, d) to (B, L, d), move its outputs with the tokens?"""

    call = watched(answer)

    def ask(f: Model, dtype: torch.dtype = torch.float64) -> bool:
        return as_bool(call(f, _inputs(dtype=dtype)), "is_equivariant")

    def test() -> None:
        attention = models()["attention"]
        need(ask(lambda x: 2 * x) or not ask(lambda x: x.cumsum(dim=1)), "True and False are exchanged: you say "
             "False for f(x) = 2 x, which treats every token alike, and True for a running sum.")  # fmt: skip
        need(ask(lambda x: 2 * x), "f(x) = 2 x treats every token alike, yet you say False. Compare f(P x) with P f(x), "
             "not with f(x): when the tokens move, the outputs should move along.")  # fmt: skip
        need(not ask(lambda x: x.cumsum(dim=1)), "A running sum over the tokens depends on their order, yet you say "
             "True. Is it really axis 1, the tokens, that you permute?")  # fmt: skip
        need(ask(lambda x: x.amax(dim=1, keepdim=True).expand_as(x)), "The largest value over the tokens, put out at "
             "every place, is equivariant, yet you say False. Shuffle the tokens of each text so that every one "
             "appears once: torch.randperm(x.shape[1]).")  # fmt: skip
        need(ask(lambda x: x.cumsum(dim=2)), "f(x) = x.cumsum(dim=2) adds along the features and treats all tokens "
             "alike, yet you say False. Permute the tokens, axis 1, not the features.")  # fmt: skip
        need(not ask(lambda x: x.sort(dim=1).values), "f(x) = x.sort(dim=1).values is the same for every order of "
             "the tokens, so it is not equivariant, yet you say True. Compare token by token, not sums or means, and "
             "with the absolute difference.")  # fmt: skip
        need(not ask(lambda x: x.flip(1)), "f(x) = x.flip(1) is not equivariant, yet you say True. The reversal "
             "commutes with itself: try other permutations, random ones.")  # fmt: skip
        need(not ask(lambda x: x.roll(1, dims=1)), "f(x) = x.roll(1, dims=1) is not equivariant, yet you say True. "
             "Moving everything round the circle commutes with itself: try other permutations, random ones.")  # fmt: skip
        need(not ask(_late), "A function that treats only the last two tokens differently passed as equivariant. "
             "Permute all tokens, more than once, instead of one fixed swap.")  # fmt: skip
        need(ask(attention) and ask(attention, torch.float32) and ask(lambda x: attention(3 * x), torch.float32),
             "You say False for attention. Its sums run in another order after the shuffle, so the last digits differ: "
             "compare with torch.allclose and a small atol, not with ==.")  # fmt: skip
        slightly = sinusoidal(torch.arange(7.0), WIDTH).double()
        need(not ask(lambda x: x + 0.01 * slightly.to(x.dtype)), "A function that adds 0.01 times a position code "
             "passed as equivariant. Your tolerance is too wide: 1e-4 is enough for rounding.")  # fmt: skip
        for name in ("RNN", "convolution", "causal attention"):
            need(not ask(models()[name]), f"You say True for the {name}, which depends on the order of its tokens.",
                 name="says True where order matters")  # fmt: skip

    return run_check("is_equivariant", answer, test, "It tells rounding from order, and no lucky permutation fools it.")


def _late(x: Tensor) -> Tensor:
    return torch.cat([x[:, :-2], x[:, -2:-1] + 1, x[:, -1:] - 1], dim=1)


def check_order_signal(answer) -> Outcome:
    """Check `order_signal(f, encode, x) -> number`: how far f(encode(P x)) is from P f(encode(x)), at most."""
    call, log = watched(answer), {"encode": [], "f": []}  # (input, output) of every call

    def logged(name: str, function: Model) -> Model:
        def run(x: Tensor) -> Tensor:
            log[name].append((x, function(x)))
            return log[name][-1][1]

        return run

    def ask(codes: Callable[[Tensor], Tensor], dtype: torch.dtype = torch.float64) -> float:
        encode = logged("encode", lambda x: x + codes(x).to(x.dtype))
        return as_number(call(logged("f", models()["attention"]), encode, _inputs(dtype=dtype)), "order_signal")

    def along_tokens(x: Tensor) -> Tensor:
        return sinusoidal(torch.arange(x.shape[1]), x.shape[-1])

    def test() -> None:
        same = ask(lambda x: torch.linspace(-1, 1, x.shape[-1]))
        _same_path(log["encode"], log["f"])
        tokens = _inputs().sort(dim=1).values
        moved = all(x.shape == tokens.shape and torch.equal(x.double().sort(dim=1).values, tokens) for x, _ in log["encode"])
        axis = "Permute the tokens, axis 1, of every text with torch.randperm(x.shape[1]): each token once."
        places = "After the shuffle the outputs stand in other places: compare f(encode(P x)) with P f(encode(x))."
        need(same < 1e-4, "One same vector for every token should leave nothing to see, yet your number is large. "
             + (places if moved else axis), name="outputs not permuted" if moved else "not the tokens permuted")  # fmt: skip
        batch = ask(lambda x: sinusoidal(torch.arange(x.shape[0]), x.shape[-1])[:, None])
        need(batch < 1e-4, "An encoding along the batch gives all tokens of a text the same vector, yet your number is "
             "large. " + axis)  # fmt: skip
        need(ask(along_tokens) > 1e-3, "With a different vector at every place the number should be well above 0, "
             "and yours is not. The vectors belong to the places, not to the words: first permute x, then "
             "encode.")  # fmt: skip
        need(ask(along_tokens, torch.float32) > 1e-3, "float32 inputs give 0 where float64 inputs do not.")
        for sign in (1, -1):
            number = as_number(call(*_one_text_differs(sign)), "order_signal")
            for other, what in NOT_THE_LARGEST.items():
                need(abs(number - other) > 1e-6, f"Your number is {what}: the largest absolute difference is asked for.",
                     name=f"the number is {what}")  # fmt: skip
            need(abs(number - 2.5) < 1e-6, "The number should be the largest absolute difference over all texts, "
                 "places and columns: .abs() and then .max(), not a yes or no.")  # fmt: skip

    return run_check("order_signal", answer, test, "A vector that is the same everywhere tells nothing; one per place does.")


def _same_path(encoded: list[tuple[Tensor, Tensor]], read: list[tuple[Tensor, Tensor]]) -> None:
    """Raise NotYet unless all that f reads comes from encode, and what encode reads from neither of them."""
    inside = lambda x, results: any(x.shape == y.shape and torch.equal(x, y) for y in results)  # noqa: E731
    need(len(encoded) > 0, "encode was never called: the vectors must be added before f sees the tokens.")
    need(len(read) > 0, "f was never called: its outputs are compared, not the inputs.")
    need(not any(inside(x, [y for _, y in read]) for x, _ in encoded), "You encode what f has put out: encode first, "
         "f reads the result.")  # fmt: skip
    need(not any(inside(x, [y for _, y in encoded]) for x, _ in encoded), "You encode twice, so the vectors are "
         "added twice.")  # fmt: skip


# What the number of `_one_text_differs` is, 2.5 for all 42 numbers of one text of three, if something else is taken.
NOT_THE_LARGEST = {2.5 / 3: "a mean", 105: "a sum", 2.5 * 42**0.5: "a norm", 6.25: "a square", 2: "cut to a whole number",
                   -2.5: "signed, without .abs()", 0: "signed, without .abs()"}  # fmt: skip


def _one_text_differs(sign: int) -> tuple[Model, Model, Tensor]:
    """Return f, encode, x for which every shuffle changes the outputs of the first of three texts, all by 2.5 * sign."""
    places = torch.arange(7.0, dtype=torch.float64)[:, None].expand(7, WIDTH)

    def alarm(z: Tensor) -> Tensor:  # 0 for a text of zeros, else 2.5 * sign, at every place
        return 2.5 * sign * (z.abs().amax(dim=(1, 2), keepdim=True) > 0.5).to(z.dtype).expand_as(z)

    x = torch.stack([-places, 0 * places, 0 * places])  # the first text cancels its places exactly
    return alarm, lambda x: x + places[: x.shape[1]].to(x.dtype), x


READ_OUTS = ("per token", "mean", "last")


def check_order_aware(answer) -> Outcome:
    """Check `order_aware(f, read_out, x) -> bool` for read_out "per token", "mean" and "last"."""

    call = watched(answer)

    def ask(f: Model, read_out: str) -> bool:
        return as_bool(call(f, read_out, _inputs()), f"order_aware(f, {read_out!r}, x)")

    def test() -> None:
        six = models(seed=5)
        need(not ask(lambda x: 2 * x, "per token"), "Per token, f(x) = 2 x is blind to order, yet you say True. Aware "
             "means that f(P x) is not P f(x). Permute the outputs along before you compare.")  # fmt: skip
        need(not ask(six["attention"], "mean"), "For the mean of attention's outputs you say True. Compare the two "
             "means over the tokens, axis 1, with a small tolerance.")  # fmt: skip
        need(not ask(lambda x: x.flip(1), "mean"), "f(x) = x.flip(1) has one mean whatever the order, yet you say "
             "True for \"mean\": take the mean over the tokens before you compare.")  # fmt: skip
        need(not ask(lambda x: torch.cat([x[:, :-1], 0 * x[:, -1:]], dim=1), "last"), "You read another place than "
             "the last: an output whose last token is always 0 is aware, you say. Tokens are axis 1.")  # fmt: skip
        need(not ask(lambda x: 2 * x, "last"), "f(x) = 2 x keeps the last token's output whatever the others do, yet "
             "you say True for \"last\". Leave the last token where it is and shuffle only those before it.")  # fmt: skip
        need(ask(lambda x: x.cumsum(dim=1).cumsum(dim=1), "last"), "For \"last\", a sum that weights tokens by their "
             "place depends on the order of the others, yet you say False.")  # fmt: skip
        need(ask(lambda x: x.flip(1), "per token"), "f(x) = x.flip(1) is aware of order, yet you say False. One lucky "
             "permutation, such as the reversal, is not enough: try several random ones.")  # fmt: skip
        truth = {
            "mean pool": (False, False, False), "convolution": (True, True, True), "RNN": (True, True, True),
            "attention": (False, False, False), "causal attention": (True, True, False),
            "causal attention x 2": (True, True, True),
        }  # fmt: skip
        for name, row in truth.items():
            for read_out, aware in zip(READ_OUTS, row, strict=True):
                need(ask(six[name], read_out) == aware, f"You say {not aware} for the {name}, read out {read_out!r}.",
                     name=f"says {not aware} for {read_out}")  # fmt: skip

    return run_check("order_aware", answer, test, "Whether a model knows about order depends on where you read it.")
