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
        need(
            isinstance(answer, tuple | list) and len(answer) == 2,
            "Give two rows of slopes, those of 4 and those of 6 heads.",
        )
        for given, heads in zip(answer, (4, 6), strict=True):
            need(given is not ..., f"slopes_of_{heads} is still the dots.")
            slopes, right = as_tensor(given, f"slopes_of_{heads}", (heads,)), alibi_slopes(heads).double()
            near = lambda other: torch.allclose(slopes, other, rtol=0.05, atol=0)  # noqa: B023, E731
            count = torch.arange(1, heads + 1).double()
            if near(right):
                continue
            need(not near(-right), "Slopes are positive numbers; the minus stands in the formula.")
            need(not near(right.log2()) and not near(-right.log2()), "These are exponents. A slope is 2 to such a power, a "
                 "negative one.")  # fmt: skip
            need(not near(1 / right), "These are turned over: a slope is 1 over such a number.")
            need(abs(slopes[0] - 1) > 0.05, "The first slope is not 1: the exponent starts at -8/H, not at 0.")
            need(not near(2.0 ** (-heads / 8 * count)), f"{heads} heads: start and ratio are 2^(-8/H), not 2^(-H/8).")
            need(not near(2.0**-count), f"These are the first {heads} slopes of 8 heads. For {heads} the ratio is another "
                 "one.")  # fmt: skip
            need(not near(right.flip(0)), "Right numbers, reversed: head 0 has the steepest slope of the sequence.")
            need(not torch.allclose(slopes, right, rtol=0, atol=0.006), "Rounded too far: the flat slopes need more digits. "
                 "Fractions are easier.")  # fmt: skip
            if heads == 6:
                need(not near(right.sort(descending=True).values), "Right numbers, but sorted: the released code appends "
                     "the additional slopes at the end.")  # fmt: skip
                need(not near(alibi_slopes(6, "paper").double()), "That is the paper's formula. The released code takes "
                     "the slopes of the power of two below, then fills up.")  # fmt: skip
                need(not near(torch.cat([right[4:], right[:4]])), "Right numbers, but the additional slopes come "
                     "at the end.")  # fmt: skip
                need(not any(near(torch.cat([right[:4], right[pair]])) for pair in ([0, 1], [4, 0])), "Of the slopes of 8 "
                     "heads take the first, third ...: the others are there already.")  # fmt: skip
                need(not near(torch.cat([right[:4], right[4:].flip(0)])), "The two appended slopes keep their order: "
                     "the steeper one first.")  # fmt: skip
                need(not torch.allclose(slopes[:4], right[:4], rtol=0.05, atol=0), "The first four are right. The others "
                     "come from the slopes of 8 heads: every second one, from the steepest on.")  # fmt: skip
            need(False, f"{heads} heads: start and ratio are 2^(-8/p) for the power of two p at or below {heads}.")

    given = ... if isinstance(answer, tuple) and all(part is ... for part in answer) else answer
    run_check("slopes", given, test, "The appended slopes are steeper than their neighbours: the jump.")


def check_bias(answer) -> None:
    """Check `bias(q_positions, k_positions, slopes, causal)` -> (H, L_q, L_k), by the weights that it makes."""

    def test() -> None:
        for queries, keys, heads, dtype in (
            (3, 8, 2, torch.float32),
            (5, 5, 3, torch.float64),
            (1, 6, 1, torch.float32),
        ):
            k_positions = torch.arange(keys) + 7
            q_positions = k_positions[-queries:]  # the last ones, as with a cache
            slopes = torch.rand(heads, generator=Generator().manual_seed(keys), dtype=dtype) / 2 + 0.1
            for causal in (True, False):
                given = answer(q_positions, k_positions, slopes, causal)
                made = _finite(given, f"causal={causal}: bias", (heads, queries, keys))
                _judge(made, q_positions, k_positions, slopes.double(), causal)
        # Queries inside the text, with keys to both sides of them.
        middle, all_keys, slope = torch.tensor([2, 9]), torch.arange(12), torch.tensor([0.5])
        made = _finite(answer(middle, all_keys, slope, False), "causal=False: bias", (1, 2, 12))
        _judge(made, middle, all_keys, slope.double(), False)

    run_check("bias", answer, test, "Signed behind a causal mask, |m - n| in an encoder, and queries where they are.")


def _finite(given, what: str, shape: tuple[int, ...]) -> Tensor:
    """Return `given` as a tensor of `shape`, or raise NotYet, also where it hides keys by itself."""
    need(not (isinstance(given, Tensor) and given.isneginf().any()), "Leave -infinity out: keys after the query are masked "
         "elsewhere.")  # fmt: skip
    return as_tensor(given, what, shape)


def _judge(made: Tensor, q_positions: Tensor, k_positions: Tensor, slopes: Tensor, causal: bool) -> None:
    """Compare weights, since a number per row does not matter: made (H, L_q, L_k), positions (L_q,) and (L_k,)."""
    q, k = q_positions[:, None], k_positions[None, :]
    relative = k - q  # (L_q, L_k)
    hidden = (relative > 0) & causal
    wanted = relative if causal else -relative.abs()

    def weights(bias: Tensor) -> Tensor:
        return bias.masked_fill(hidden, -torch.inf).softmax(dim=-1)

    def like(distance: Tensor, factor: Tensor = slopes) -> bool:
        return torch.allclose(weights(made), weights(factor[:, None, None] * distance), atol=1e-5)

    if like(wanted):
        return
    kind = "causal=True" if causal else "causal=False"
    count = torch.arange(k.numel())  # (L_k,)
    first, last = count[: len(q), None], count[-len(q) :, None]  # (L_q, 1) both
    same = lambda distance: torch.allclose(made, slopes[:, None, None] * distance, atol=1e-5)  # noqa: E731
    kept = made.masked_fill(hidden, 0)
    sums_to_1 = [torch.allclose(bias.sum(-1), torch.ones_like(bias[..., 0]), atol=1e-5) for bias in (made, kept)]

    need(not made.isclose(torch.zeros_like(made)).all(), f"{kind}: your bias is 0 everywhere.")
    need(not like(0 * relative), f"{kind}: your bias is the same for every key, and softmax ignores that.")
    need(not (any(sums_to_1) and (made >= 0).all()), f"{kind}: these are weights, each row sums to 1. The bias is added to "
         "the scores, before the softmax.")  # fmt: skip
    if causal:
        need(not like(-relative), f"{kind}: the sign is reversed: the farthest key gets most.")
        need(
            not like(count - last),
            f"{kind}: you count keys 0, 1, 2 ...; they stand at k_positions, which may have gaps.",
        )
    else:
        need(not like(relative.abs()), f"{kind}: the sign is reversed: the farthest key gets most.")
        need(not same(-(count - q).abs()), f"{kind}: you count keys from 0; they stand at k_positions.")
        need(not same(-(count - first).abs()) and not same(-(k - first).abs()) and not same(-(count - last).abs()),
             f"{kind}: you count queries instead of reading q_positions. With a cache they stand far behind the first "
             "key.")  # fmt: skip
        need(len(q) == 1 or not (like(relative) and made.isclose(made[:, :1]).all()), f"{kind}: one row for all queries "
             "is right behind a causal mask alone. An encoder wants -slope * |m - n|.")  # fmt: skip
        need(not like(relative) and not like(-relative), f"{kind}: you left the signed distance, which rewards keys on one "
             "side of the query. An encoder wants -slope * |m - n|.")  # fmt: skip
        need(
            not like(relative.clamp(max=0)),
            f"{kind}: keys after the query cost nothing. Distance counts to both sides.",
        )
    need(not like(wanted, 1 + 0 * slopes), f"{kind}: the slopes are not used.")
    need(not like(wanted, alibi_slopes(len(slopes)).double()), f"{kind}: you compute slopes; use those that are given.")
    need(not (len(slopes) > 1 and (like(wanted, slopes.flip(0)) or like(wanted, slopes[:1].expand(len(slopes))))),
         f"{kind}: the slopes reach the wrong heads.")  # fmt: skip
    need(not like((slopes[:, None, None] * wanted).trunc(), 1 + 0 * slopes), f"{kind}: your bias holds whole numbers. Has "
         "it the type of the positions?")  # fmt: skip
    need(False, f"{kind}: the weights differ. Each head subtracts its slope times the distance of key and query.")


def check_learned_alibi(answer) -> None:
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
        need(
            all(p.requires_grad for p in found), "Your slopes have requires_grad=False, so training leaves them alone."
        )
        q, k, start = torch.zeros(1, 5, 3, 4), torch.zeros(1, 5, 8, 4), alibi_slopes(5).double()
        places = torch.tensor([7, 8, 9, 12, 13, 16, 17, 18])  # of the keys; the queries are the last three
        given = encoding.bias(q, k, places[-3:], places)
        need(isinstance(given, Tensor), "bias should return a tensor (H, L_q, L_k). Is the `return` missing?")
        need(given.requires_grad, "The bias does not depend on the parameters any more: no .data, .detach(), .item() or "
             "torch.tensor(...) on the way.")  # fmt: skip
        made = _finite(given.squeeze(0) if given.ndim == 4 else given, "bias", (5, 3, 8))
        slopes = made[:, -1].diff() / places.diff()  # (5, 7)  of the last query, from key to key
        straight = torch.allclose(slopes, slopes[:, :1].expand_as(slopes), atol=1e-5)
        need(not straight or torch.allclose(slopes[:, 0].abs(), start, atol=1e-4), "A straight line, but its slopes do not "
             "start at alibi_slopes(heads).")  # fmt: skip
        _judge(made, places[-3:], places, start, True)
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
