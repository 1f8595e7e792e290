"""Checks of notebook 01: is_equivariant, order_signal, order_aware; and the six models that the last one sorts."""

from collections.abc import Callable

import torch
from torch import Generator, Tensor
from torch.nn.functional import conv1d

from posenc_helpers.classroom.exercises.checking import as_bool, as_number, need, run_check
from posenc_helpers.encodings import sinusoidal
from posenc_helpers.transformer import attend, causal_mask

Model = Callable[[Tensor], Tensor]
WIDTH = 6


def models(seed: int = 0, width: int = WIDTH) -> dict[str, Model]:
    """Return six small models with random weights, each from x (B, L, width) to outputs (B, L, width), any dtype.

    mean pool          every token gets the mean of all tokens
    convolution        every token sees itself and its two neighbours
    RNN                every token sees itself and a summary of those before it
    attention          one layer, every token sees all
    causal attention, causal attention x 2     one and two layers, every token sees itself and those before it
    """
    generator = Generator().manual_seed(seed)

    def weight(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64) * (2 / shape[-1]) ** 0.5

    kernel = weight(width, width, 3)
    recurrent, entry = weight(width, width), weight(width, width)
    layers = [[weight(width, width) for _ in range(3)] for _ in range(2)]

    def mean_pool(x: Tensor) -> Tensor:
        return x.mean(dim=1, keepdim=True).expand_as(x)

    def convolution(x: Tensor) -> Tensor:
        return conv1d(x.transpose(1, 2), kernel.to(x.dtype), padding=1).transpose(1, 2).relu()

    def rnn(x: Tensor) -> Tensor:
        states = [torch.zeros_like(x[:, 0])]
        for token in x.unbind(dim=1):
            states.append((states[-1] @ recurrent.to(x.dtype) + token @ entry.to(x.dtype)).tanh())
        return torch.stack(states[1:], dim=1)

    def attention(depth: int, causal: bool) -> Model:
        def run(x: Tensor) -> Tensor:
            places = torch.arange(x.shape[1])
            for layer in layers[:depth]:
                q, k, v = (x[:, None] @ matrix.to(x.dtype) for matrix in layer)  # (B, 1, L, d) each
                x = attend(q, k, v, places, places, mask=causal_mask(len(places), len(places)) if causal else None)[
                    :, 0
                ]
            return x

        return run

    return {
        "mean pool": mean_pool,
        "convolution": convolution,
        "RNN": rnn,
        "attention": attention(1, causal=False),
        "causal attention": attention(1, causal=True),
        "causal attention x 2": attention(2, causal=True),
    }


def _inputs(length: int = 7, batch: int = 3, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(batch, length, WIDTH, generator=Generator().manual_seed(length), dtype=dtype)


def check_is_equivariant(answer) -> None:
    """Check `is_equivariant(f, x) -> bool`: does f, from (B, L, d) to (B, L, d), move its outputs with the tokens?"""

    def ask(f: Model, dtype: torch.dtype = torch.float64) -> bool:
        return as_bool(answer(f, _inputs(dtype=dtype)), "is_equivariant")

    def test() -> None:
        attention = models()["attention"]
        need(ask(lambda x: 2 * x), "f(x) = 2 x treats every token alike, yet you say False. Compare f(P x) with P f(x), "
             "not with f(x): when the tokens move, the outputs should move along.")  # fmt: skip
        need(not ask(lambda x: x.cumsum(dim=1)), "A running sum over the tokens depends on their order, yet you say True. "
             "Is it really axis 1, the tokens, that you permute?")  # fmt: skip
        need(ask(lambda x: x.amax(dim=1, keepdim=True).expand_as(x)), "The largest value over the tokens, put out at every "
             "place, is equivariant, yet you say False. Shuffle the tokens of each text so that every one appears once: "
             "torch.randperm(x.shape[1]).")  # fmt: skip
        need(ask(lambda x: x.cumsum(dim=2)), "f(x) = x.cumsum(dim=2) adds along the features and treats all tokens alike, "
             "yet you say False. Permute the tokens, axis 1, not the features.")  # fmt: skip
        need(not ask(lambda x: x.sort(dim=1).values), "f(x) = x.sort(dim=1).values is the same for every order of the "
             "tokens, so it is not equivariant, yet you say True. Compare token by token, not sums or means, and with the "
             "absolute difference.")  # fmt: skip
        need(not ask(lambda x: x.flip(1)), "f(x) = x.flip(1) is not equivariant, yet you say True. The reversal commutes "
             "with itself: try other permutations, random ones.")  # fmt: skip
        need(not ask(lambda x: x.roll(1, dims=1)), "f(x) = x.roll(1, dims=1) is not equivariant, yet you say True. Moving "
             "everything round the circle commutes with itself: try other permutations, random ones.")  # fmt: skip
        need(not ask(_late), "A function that treats only the last two tokens differently passed as equivariant. Permute "
             "all tokens, more than once, instead of one fixed swap.")  # fmt: skip
        need(ask(attention) and ask(attention, torch.float32) and ask(lambda x: attention(100 * x), torch.float32),
             "You say False for attention. Its sums run in another order after the shuffle, so the last digits differ: "
             "compare with torch.allclose and a small atol, not with ==.")  # fmt: skip
        slightly = sinusoidal(torch.arange(7.0), WIDTH).double()
        need(not ask(lambda x: x + 0.01 * slightly.to(x.dtype)), "A function that adds 0.01 times a position code passed as "
             "equivariant. Your tolerance is too wide: 1e-4 is enough for rounding.")  # fmt: skip
        for name in ("RNN", "convolution", "causal attention"):
            need(not ask(models()[name]), f"You say True for the {name}, which depends on the order of its tokens.")

    run_check("is_equivariant", answer, test, "It tells rounding from order, and no lucky permutation fools it.")


def _late(x: Tensor) -> Tensor:
    return torch.cat([x[:, :-2], x[:, -2:-1] + 1, x[:, -1:] - 1], dim=1)


def check_order_signal(answer) -> None:
    """Check `order_signal(f, encode, x) -> number`: how far f(encode(P x)) is from P f(encode(x)), at most."""
    calls = []

    def constant(x: Tensor) -> Tensor:
        calls.append(x)
        return x + torch.linspace(-1, 1, x.shape[-1], dtype=x.dtype)

    def along_batch(x: Tensor) -> Tensor:
        return x + sinusoidal(torch.arange(x.shape[0]), x.shape[-1])[:, None].to(x.dtype)

    def along_tokens(x: Tensor) -> Tensor:
        return x + sinusoidal(torch.arange(x.shape[1]), x.shape[-1]).to(x.dtype)

    def ask(encode: Model, dtype: torch.dtype = torch.float64) -> float:
        return as_number(answer(models()["attention"], encode, _inputs(dtype=dtype)), "order_signal")

    def test() -> None:
        same = ask(constant)
        need(len(calls) > 0, "encode was never called: the vectors must be added before f sees the tokens.")
        tokens = _inputs().sort(dim=1).values
        odd = any(x.shape != tokens.shape or not torch.equal(x.double().sort(dim=1).values, tokens) for x in calls)
        axis = "Permute the tokens, axis 1, of every text with torch.randperm(x.shape[1]): each token once."
        need(same < 1e-4, "One same vector for every token should leave nothing to see, yet your number is large. " + (
             axis if odd else "After the shuffle the outputs stand in other places: compare f(encode(P x)) with "
             "P f(encode(x))."))  # fmt: skip
        need(ask(along_batch) < 1e-4, "An encoding along the batch gives all tokens of a text the same vector, yet your "
             "number is large. " + axis)  # fmt: skip
        need(ask(along_tokens) > 1e-3, "With a different vector at every place the number should be well above 0, and "
             "yours is not. The vectors belong to the places, not to the words: first permute x, then encode.")  # fmt: skip
        need(ask(along_tokens, torch.float32) > 1e-3, "float32 inputs give 0 where float64 inputs do not.")
        for sign in (1, -1):
            f, encode, x = _one_text_differs(sign)
            number = as_number(answer(f, encode, x), "order_signal")
            need(abs(number - 2) < 1e-6, "The number should be the largest absolute difference over all texts, places and "
                 "columns: .abs() and then .max(), not a mean, a norm, or a yes or no.")  # fmt: skip

    run_check("order_signal", answer, test, "A vector that is the same everywhere tells nothing; one per place does.")


def _one_text_differs(sign: int) -> tuple[Model, Model, Tensor]:
    """Return f, encode, x for which every shuffle changes the outputs of the first of three texts, all by 2 * sign."""
    places = torch.arange(7.0, dtype=torch.float64)[:, None].expand(7, WIDTH)

    def alarm(z: Tensor) -> Tensor:  # 0 for a text of zeros, else 2 * sign, at every place
        return 2.0 * sign * (z.abs().amax(dim=(1, 2), keepdim=True) > 0.5).to(z.dtype).expand_as(z)

    x = torch.stack([-places, 0 * places, 0 * places])  # the first text cancels its places exactly
    return alarm, lambda x: x + places[: x.shape[1]].to(x.dtype), x


READ_OUTS = ("per token", "mean", "last")


def check_order_aware(answer) -> None:
    """Check `order_aware(f, read_out, x) -> bool` for read_out "per token", "mean" and "last"."""

    def ask(f: Model, read_out: str) -> bool:
        return as_bool(answer(f, read_out, _inputs()), f"order_aware(f, {read_out!r}, x)")

    def test() -> None:
        six = models(seed=5)
        need(not ask(lambda x: 2 * x, "per token"), "Per token, f(x) = 2 x is blind to order, yet you say True. Aware "
             "means that f(P x) is not P f(x). Permute the outputs along before you compare.")  # fmt: skip
        need(not ask(six["attention"], "mean"), "For the mean of attention's outputs you say True. Compare the two means, "
             "with a small tolerance.")  # fmt: skip
        need(not ask(lambda x: 2 * x, "last"), "f(x) = 2 x keeps the last token's output whatever the others do, yet you "
             "say True for \"last\". Leave the last token where it is and shuffle only those before it.")  # fmt: skip
        need(ask(lambda x: x.cumsum(dim=1).cumsum(dim=1), "last"), "For \"last\", a sum that weights tokens by their place "
             "depends on the order of the others, yet you say False.")  # fmt: skip
        need(ask(lambda x: x.flip(1), "per token"), "f(x) = x.flip(1) is aware of order, yet you say False. One lucky "
             "permutation, such as the reversal, is not enough: try several random ones.")  # fmt: skip
        truth = {
            "mean pool": (False, False, False), "convolution": (True, True, True), "RNN": (True, True, True),
            "attention": (False, False, False), "causal attention": (True, True, False),
            "causal attention x 2": (True, True, True),
        }  # fmt: skip
        for name, row in truth.items():
            for read_out, aware in zip(READ_OUTS, row, strict=True):
                need(ask(six[name], read_out) == aware, f"You say {not aware} for the {name}, read out {read_out!r}.")

    run_check("order_aware", answer, test, "Whether a model knows about order depends on where you read it.")
