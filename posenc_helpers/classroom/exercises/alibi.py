"""Checks of notebook 07: slopes by hand, the bias with a cache and for encoders, and slopes that learn."""

import inspect

import torch
from torch import Generator, Tensor

from posenc_helpers.classroom.exercises.checking import as_tensor, attempted, need, run_check
from posenc_helpers.encodings import PositionalEncoding, alibi_slopes
from posenc_helpers.lab.tasks import RecallTask
from posenc_helpers.lab.training import accuracy, seeded, train
from posenc_helpers.transformer import TinyTransformer


def check_slopes(answer) -> None:
    """Check the slopes of 4 heads and of 6 heads, the latter in the order of the released code."""

    def test() -> None:
        for given, heads in zip(answer, (4, 6), strict=True):
            slopes, right = as_tensor(given, f"slopes_of_{heads}", (heads,)), alibi_slopes(heads).double()
            near = lambda other: torch.allclose(slopes, other, rtol=0.02, atol=0)  # noqa: B023, E731
            if near(right):
                continue
            need(not near(-right), "Slopes are positive numbers; the minus stands in the formula.")
            need(not near(right.log2()), "These are exponents. The slope is 2 to that power.")
            need(not near(4 * right) and not near(2.0 ** (-8 * torch.arange(heads).double() / heads)),
                 "The first slope is not 1: the exponent starts at -8/H, not at 0.")  # fmt: skip
            need(not near(2.0 ** -torch.arange(1, heads + 1).double()),
                 f"These are the first {heads} slopes of 8 heads. For {heads} the ratio is another one.")  # fmt: skip
            need(not near(right.flip(0)), "Right numbers, reversed: head 0 has the steepest slope of the sequence.")
            if heads == 6:
                need(not near(right.sort(descending=True).values), "Right numbers, but sorted: the released code appends "
                     "the additional slopes at the end.")  # fmt: skip
                need(not near(alibi_slopes(6, "paper").double()), "That is the paper's formula. The released code takes "
                     "the slopes of the power of two below, then fills up.")  # fmt: skip
                need(not near(torch.cat([right[:4], 2.0 ** -torch.tensor([2.0, 4.0], dtype=torch.float64)])), "Of the "
                     "slopes of 8 heads take the first, third ...: the others are there already.")  # fmt: skip
                need(not near(torch.cat([right[:4], right[4:].flip(0)])), "The two appended slopes keep their order: "
                     "the steeper one first.")  # fmt: skip
                need(not torch.allclose(slopes[:4], right[:4], rtol=0.02, atol=0), "The first four are right. The others "
                     "are taken from the slopes of 8 heads.")  # fmt: skip
            need(False, f"{heads} heads: start and ratio are 2^(-8/p) for the power of two p at or below {heads}.")

    given = answer if all(part is not ... for part in answer) else ...
    run_check("slopes", given, test, "The appended slopes are steeper than their neighbours: the jump.")


def check_bias(answer) -> None:
    """Check `bias(q_positions, k_positions, slopes, causal)` -> (H, L_q, L_k), by the weights that it makes."""

    def test() -> None:
        for queries, keys, heads, dtype in ((3, 8, 2, torch.float32), (5, 5, 3, torch.float64), (1, 6, 1, torch.float32)):
            k_positions = torch.arange(keys) + 7
            q_positions = k_positions[-queries:]  # the last ones, as with a cache
            slopes = torch.rand(heads, generator=Generator().manual_seed(keys), dtype=dtype) / 2 + 0.1
            relative = k_positions[None, :] - q_positions[:, None]  # (L_q, L_k)
            for causal in (True, False):
                made = as_tensor(answer(q_positions, k_positions, slopes, causal), "bias", (heads, queries, keys))
                _judge(made, relative, slopes.double(), causal)
        middle = torch.tensor([2, 9])  # queries inside the text, and keys to both sides of them
        made = as_tensor(answer(middle, torch.arange(12), torch.tensor([0.5]), False), "bias", (1, 2, 12))
        _judge(made, torch.arange(12)[None, :] - middle[:, None], torch.tensor([0.5]).double(), False)

    run_check("bias", answer, test, "Signed behind a causal mask, |m - n| in an encoder, and queries where they are.")


def _judge(made: Tensor, relative: Tensor, slopes: Tensor, causal: bool) -> None:
    """Compare weights, since a number per row does not matter: made (H, L_q, L_k), relative (L_q, L_k)."""
    hidden = (relative > 0) & causal

    def weights(bias: Tensor) -> Tensor:
        return bias.masked_fill(hidden, -torch.inf).softmax(dim=-1)

    def like(distance: Tensor, factor: Tensor = slopes) -> bool:
        return torch.allclose(weights(made), weights(factor[:, None, None] * distance), atol=1e-5)

    if like(relative if causal else -relative.abs()):
        return
    kind = "causal=True" if causal else "causal=False"
    need(not made.isclose(torch.zeros_like(made)).all(), f"{kind}: your bias is 0 everywhere.")
    need(not like(-relative if causal else relative.abs()), f"{kind}: the sign is reversed: the farthest key gets most.")
    if not causal:
        need(not like(relative), "causal=False: you left the signed distance, which rewards keys after the query. An "
             "encoder wants -slope * |m - n|.")  # fmt: skip
        counted = torch.arange(relative.shape[1]) - torch.arange(relative.shape[0])[:, None]
        need(not like(-counted.abs()), "causal=False: you count queries from 0. With a cache the query stands at "
             "q_positions, far behind the first key.")  # fmt: skip
    need(not like(relative if causal else -relative.abs(), 1 + 0 * slopes), f"{kind}: the slopes are not used.")
    need(not (len(slopes) > 1 and like(relative if causal else -relative.abs(), slopes.flip(0))),
         f"{kind}: the slopes reach the wrong heads.")  # fmt: skip
    need(False, f"{kind}: the weights differ. Each head subtracts its slope times the distance of key and query.")


def check_learned_alibi(answer) -> None:
    """Check the class `LearnedAlibi(heads)`, then train it on recall and read its slopes."""

    def test() -> None:
        need(inspect.isclass(answer) and issubclass(answer, PositionalEncoding), "LearnedAlibi should be a class that "
             "inherits from PositionalEncoding.")  # fmt: skip
        encoding = answer(5)
        found = list(encoding.parameters())
        need(len(found) > 0, "There is nothing to train: wrap the slopes in nn.Parameter and keep them on self.")
        need(sum(p.numel() for p in found) == 5, "One number a head is trained, and nothing else.")
        q, k = torch.zeros(1, 5, 3, 4), torch.zeros(1, 5, 8, 4)
        places = torch.arange(8) + 7
        given = encoding.bias(q, k, places[-3:], places)
        need(isinstance(given, Tensor), "bias should return a tensor (H, L_q, L_k). Is the `return` missing?")
        need(given.requires_grad, "The bias does not depend on the parameters any more: no .data, .detach(), .item() or "
             "torch.tensor(...) on the way.")  # fmt: skip
        made = as_tensor(given.squeeze(0) if given.ndim == 4 else given, "bias", (5, 3, 8))
        _judge(made, places[None, :] - places[-3:, None], alibi_slopes(5).double(), True)
        with seeded(0):
            model = TinyTransformer(8, width=32, heads=2, layers=2, encoding=answer(2))
        train(model, RecallTask(), 16, 300, 32, 1e-2, label=None, encoding_rate=8.0)
        need(accuracy(model, RecallTask(), 256, 20, last=8) > 0.95, "It has the right form, but does not learn recall: do "
             "all slopes get gradients, and may they become negative?")  # fmt: skip
        query, key = torch.zeros(1, 2, 1, 16), torch.zeros(1, 2, 9, 16)
        line = model.encoding.bias(query, key, torch.tensor([8]), torch.arange(9)).detach()  # (2, 1, 9)
        need(bool((line[..., 0] > line[..., 8]).all()), "It learns recall, yet its slopes did not turn round. May they "
             "become negative?")  # fmt: skip

    run_check("LearnedAlibi", _written(answer), test, "Trained on recall, every head came to prefer the start.")


def _written(answer):
    """Return `...` in place of a class whose stubs are still empty."""
    methods = [vars(answer).get(name) for name in ("__init__", "bias")] if inspect.isclass(answer) else []
    return ... if methods and methods[1] is not None and not attempted(methods[1]) else answer


