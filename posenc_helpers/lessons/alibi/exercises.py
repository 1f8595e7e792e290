"""Checks of notebook 07: slopes by hand, the bias with a cache and for encoders, and slopes that learn."""

import inspect

import torch
from torch import Generator, Tensor

from posenc_helpers.classroom.exercises.answers import as_tensor, watched
from posenc_helpers.classroom.exercises.checking import Outcome, attempted, need, run_check
from posenc_helpers.encodings import PositionalEncoding, alibi_slopes
from posenc_helpers.lab.tasks import RecallTask
from posenc_helpers.lab.training import accuracy, seeded, train
from posenc_helpers.lessons.alibi.hints import as_bias, hint_bias, hint_slopes
from posenc_helpers.transformer import TinyTransformer


def check_slopes(answer) -> Outcome:
    """Check the slopes of 4 heads and of 6 heads, the latter in the order of the released code."""

    def test() -> None:
        need(
            isinstance(answer, tuple | list) and len(answer) == 2,
            "Give two rows of slopes, those of 4 and those of 6 heads.",
        )
        for given, heads in zip(answer, (4, 6), strict=True):
            slopes, right = as_tensor(given, f"slopes_of_{heads}", (heads,), whole=None), alibi_slopes(heads).double()
            if not torch.allclose(slopes, right, rtol=0.05, atol=0):
                hint_slopes(slopes, right, f"{heads} heads: ")

    given = ... if isinstance(answer, tuple) and all(part is ... for part in answer) else answer
    return run_check("slopes", given, test, "The appended slopes are steeper than their neighbours: the jump.")


def check_bias(answer) -> Outcome:
    """Check `bias(q_positions, k_positions, slopes, causal)` -> (H, L_q, L_k), by the weights that it makes."""

    def test() -> None:
        ask = watched(answer)
        for queries, keys, heads, dtype in (
            (3, 8, 2, torch.float32),
            (5, 5, 3, torch.float64),
            (1, 6, 1, torch.float32),
        ):
            k_positions = torch.arange(keys) + 1007
            q_positions = k_positions[-queries:]  # the last ones, as with a cache
            slopes = torch.rand(heads, generator=Generator().manual_seed(keys), dtype=dtype) / 2 + 0.1
            for causal in (True, False):
                given = ask(q_positions, k_positions, slopes, causal)
                made = as_bias(given, f"causal={causal}: bias", (heads, queries, keys))
                hint_bias(made, q_positions, k_positions, slopes.double(), causal)
        # Queries inside the text, with keys to both sides of them.
        middle, all_keys, slope = torch.tensor([2, 9]), torch.arange(12), torch.tensor([0.5])
        made = as_bias(ask(middle, all_keys, slope, False), "causal=False: bias", (1, 2, 12))
        hint_bias(made, middle, all_keys, slope.double(), False)

    return run_check("bias", answer, test, "Signed behind a causal mask, |m - n| in an encoder, and queries where they are.")


def check_learned_alibi(answer) -> Outcome:
    """Check the class `LearnedAlibi(heads)`, then train it on recall and read its slopes."""

    def test() -> None:
        need(not isinstance(answer, PositionalEncoding), "Give the class itself, LearnedAlibi without brackets.")
        need(inspect.isclass(answer) and issubclass(answer, PositionalEncoding), "LearnedAlibi should be a class that "
             "inherits from PositionalEncoding.")  # fmt: skip
        need(answer.bias is not PositionalEncoding.bias, "Override bias: PositionalEncoding's own adds "
             "nothing to the scores.")  # fmt: skip
        encoding = answer(5)
        found = list(encoding.parameters())
        need(len(found) > 0, "There is nothing to train: wrap the slopes in nn.Parameter and keep them on self.")
        need(sum(p.numel() for p in found) == 5, "One number a head is trained, and nothing else.")
        need(all(p.requires_grad for p in found), "Your slopes have requires_grad=False, so training leaves them alone.")
        q, k, start = torch.zeros(1, 5, 3, 4), torch.zeros(1, 5, 8, 4), alibi_slopes(5).double()
        places = torch.tensor([7, 8, 9, 12, 13, 16, 17, 18])  # of the keys; the queries are the last three
        given = encoding.bias(q, k, places[-3:], places)
        need(isinstance(given, Tensor), "bias should return a tensor (H, L_q, L_k). Is the `return` missing?",
             name="return missing")  # fmt: skip
        need(given.requires_grad, "The bias does not depend on the parameters any more: no .data, .detach(), .item() or "
             "torch.tensor(...) on the way.")  # fmt: skip
        made = as_bias(given.squeeze(0) if given.ndim == 4 else given, "bias", (5, 3, 8))
        slopes = made[:, -1].diff() / places.diff()  # (5, 7)  of the last query, from key to key
        straight = torch.allclose(slopes, slopes[:, :1].expand_as(slopes), atol=1e-5)
        need(not straight or torch.allclose(slopes[:, 0].abs(), start, atol=1e-4), "A straight line, but its slopes "
             "do not start at alibi_slopes(heads).", name="other slopes at the start")  # fmt: skip
        hint_bias(made, places[-3:], places, start, True)
        with seeded(0):
            model = TinyTransformer(8, width=32, heads=2, layers=2, encoding=answer(2))
        train(model, RecallTask(), 16, 300, 32, 1e-2, label=None, encoding_rate=8.0)
        need(accuracy(model, RecallTask(), 256, 20, last=8) > 0.95, "It has the right form, but does not learn "
             "recall: do all slopes get gradients, and may they become negative?")  # fmt: skip
        query, key = torch.zeros(1, 2, 1, 16), torch.zeros(1, 2, 9, 16)
        line = model.encoding.bias(query, key, torch.tensor([8]), torch.arange(9)).detach()  # (2, 1, 9)
        need(bool((line[..., 0] > line[..., 8]).all()), "It learns recall, yet its slopes did not turn round. May they "
             "become negative?")  # fmt: skip

        again = answer(2).bias(query, key, torch.tensor([8]), torch.arange(9)).detach().view(2, 9)
        need(torch.allclose(again.diff(dim=-1), alibi_slopes(2)[:, None].to(again.dtype).expand(2, 8), atol=1e-4),
             "A new LearnedAlibi starts where the trained one ended: all share one parameter, made outside of "
             "__init__?")  # fmt: skip

    return run_check("LearnedAlibi", _written(answer), test, "Trained on recall, every head came to prefer the start.")


def _written(answer):
    """Return `...` in place of a class whose stubs are still empty."""
    methods = [vars(answer).get(name) for name in ("__init__", "bias")] if inspect.isclass(answer) else []
    return ... if methods and methods[1] is not None and not attempted(methods[1]) else answer
