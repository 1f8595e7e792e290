"""The likely mistakes in slopes and in biases, for the exercises of notebook 07."""

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.answers import as_tensor
from posenc_helpers.classroom.exercises.checking import need
from posenc_helpers.encodings import alibi_slopes


def hint_slopes(slopes: Tensor, right: Tensor, where: str) -> None:
    """Raise NotYet with the likely mistake in `slopes` (H,), given the `right` ones (H,)."""
    heads, near = len(right), lambda other: torch.allclose(slopes, other.double(), rtol=0.05, atol=0)
    count = torch.arange(1, heads + 1).double()
    need(not near(-right), "Slopes are positive numbers; the minus stands in the formula.", where)
    need(not near(right.log2()) and not near(-right.log2()), "These are exponents. A slope is 2 to such a power, a "
         "negative one.", where)  # fmt: skip
    need(not near(1 / right), "These are turned over: a slope is 1 over such a number.", where)
    need(bool(slopes.abs().max() > 0), "All slopes are 0: // cuts to a whole number, / does not.", where)
    need(not near(2.0 ** (-8 / heads * (count - 1))), "Off by one head: the exponents start at 0, so the first slope "
         "is 1. Heads count from 1 here.", where)  # fmt: skip
    need(abs(slopes[0] - 1) > 0.05, "The first slope is not 1: an exponent of 0 comes before the first head.", where)
    need(not near(2.0 ** (-heads / 8 * count)), "8 and the number of heads are turned over in the exponent.", where)
    need(not near(2.0**-count), f"These are the first {heads} slopes of 8 heads. For {heads} the ratio is another "
         f"one.", where, name="the ratio of 8 heads")  # fmt: skip
    need(not near(2.0 ** (-heads * count)), "The ratio is 2 to the minus number of heads; more heads should mean a "
         "ratio nearer to 1.", where)  # fmt: skip
    need(not near(2.0**-8 / heads * count), "The exponent lacks brackets: ** binds before * and /.", where)
    need(not near(2.0 ** (-8 / count)) and not near((2.0 ** (-8 / count)).flip(0)), "You divide 8 by each head's "
         "number; one ratio leads from head to head.", where)  # fmt: skip
    for base in (torch.e, 10):
        powers = (base ** (-8 / heads * count), base**-count)
        need(not any(map(near, powers)), f"These are powers of {base:.3g}; ALiBi's are powers of 2.", where,
             name="powers of another base")  # fmt: skip
    need(not near(right.flip(0)), "Right numbers, reversed: head 0 has the steepest slope of the sequence.", where)
    need(not torch.allclose(slopes, right, rtol=0, atol=0.006), "Rounded too far: the flat slopes need more digits. "
         "Fractions are easier.", where)  # fmt: skip
    if heads == 6:
        first = torch.allclose(slopes[:4], right[:4], rtol=0.05, atol=0)
        need(not near(right.sort(descending=True).values), "Right numbers, but sorted: the released code appends the "
             "additional slopes at the end.", where)  # fmt: skip
        need(not near(alibi_slopes(6, "paper")), "That is the paper's formula. The released code takes the slopes of "
             "the power of two below, then fills up.", where)  # fmt: skip
        need(not near(torch.cat([right[4:], right[:4]])), "Right numbers, but the additional slopes come at the end.",
             where)  # fmt: skip
        need(not near(torch.cat([right[:4], right[4:].flip(0)])), "The two appended slopes keep their order: the "
             "steeper one first.", where)  # fmt: skip
        twice = any((right[:4] - slope).abs().min() < 1e-3 * slope for slope in slopes[4:])
        need(not (first and twice), "You append slopes that are there already.", where)
        need(not first, "The first four are right; the appended two are others of the slopes of 8 heads.", where)
        need(bool((slopes[:4] != slopes[0]).any()), "All slopes are alike.", where)
    steps = slopes[1:4] / slopes[:3]
    need(torch.allclose(steps, steps[:1].expand(3), rtol=0.05), "One ratio should lead from each head to the next, "
         "over the first four.", where)  # fmt: skip
    need(abs(slopes[0] / steps[0] - 1) < 0.05, "The first slope should be the ratio from head to head, too.", where)
    need(False, "Start and ratio are one number, as they should be, but another one for so many heads.", where)


def as_bias(given, what: str, shape: tuple[int, ...]) -> Tensor:
    """Return `given` as a tensor of `shape`, or raise NotYet, also where it hides keys by itself."""
    need(not (isinstance(given, Tensor) and given.isneginf().any()), "Leave -infinity out: keys after the query are "
         "masked elsewhere.")  # fmt: skip
    return as_tensor(given, what, shape, whole=False)


def hint_bias(made: Tensor, q_positions: Tensor, k_positions: Tensor, slopes: Tensor, causal: bool) -> None:
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
    where = f"causal={causal}: "
    count = torch.arange(k.numel())  # (L_k,)
    first, last = count[: len(q), None], count[-len(q) :, None]  # (L_q, 1) both
    same = lambda distance: torch.allclose(made, slopes[:, None, None] * distance, atol=1e-5)  # noqa: E731
    kept = made.masked_fill(hidden, 0)
    sums_to_1 = [torch.allclose(bias.sum(-1), torch.ones_like(bias[..., 0]), atol=1e-5) for bias in (made, kept)]

    need(not made.isclose(torch.zeros_like(made)).all(), "Your bias is 0 everywhere. (A letter used twice in einsum "
         "takes a diagonal: every token with itself.)", where, name="bias is 0")  # fmt: skip
    need(not like(0 * relative), "Your bias is the same for every key, and softmax ignores that.", where)
    need(not (any(sums_to_1) and (made >= 0).all()), "These are weights, each row sums to 1. The bias is added to "
         "the scores, before the softmax.", where)  # fmt: skip
    need(not like(-wanted), "The sign is reversed: the farthest key gets most.", where)
    if causal:
        need(not like(count - last), "You count keys 0, 1, 2 ...; they stand at k_positions, which may have gaps.",
             where)  # fmt: skip
    else:
        need(not same(-(count - q).abs()), "You count keys from 0; they stand at k_positions.", where)
        need(not any(same(-(keys - start).abs()) for keys in (count, k) for start in (first, last, k[:, : len(q)].mT)),
             "You count queries instead of reading q_positions. With a cache they stand far behind the first key.",
             where)  # fmt: skip
        need(len(q) == 1 or not (like(relative) and made.isclose(made[:, :1]).all()), "One row for all queries is "
             "right behind a causal mask alone. An encoder wants -slope * |m - n|.", where)  # fmt: skip
        need(not like(relative) and not like(-relative), "You left the signed distance, which rewards keys on one "
             "side of the query. An encoder wants -slope * |m - n|.", where)  # fmt: skip
        need(not like(relative.clamp(max=0)), "Keys after the query cost nothing. Distance counts to both sides.", where)
    need(not like(wanted, 1 + 0 * slopes), "The slopes are not used.", where)
    need(not like(wanted, alibi_slopes(len(slopes)).double()), "You compute slopes; use those that are given.", where)
    need(not (len(slopes) > 1 and (like(wanted, slopes.flip(0)) or like(wanted, slopes[:1].expand(len(slopes))))),
         "The slopes reach the wrong heads.", where)  # fmt: skip
    need(not like(wanted, slopes.mean().expand(len(slopes))), "Every head gets the mean of the slopes.", where)
    need(not like((slopes[:, None, None] * wanted).trunc(), 1 + 0 * slopes), "Your bias holds whole numbers. Has it "
         "the type of the positions?", where)  # fmt: skip
    need(not like(-(relative**2)), "The distance is squared; ALiBi's line is straight.", where)
    need(not like(-relative.abs().add(1).double().log()), "The distance is in a logarithm; ALiBi's line is straight.",
         where)  # fmt: skip
    need(not any(like(k.to(kind) - q.to(kind)) or like(-(k.to(kind) - q.to(kind)).abs()) for kind in (torch.bfloat16,
         torch.half)), "Positions are rounded: bfloat16 counts to 256, float16 to 2048.", where)  # fmt: skip
    need(not like(wanted.tril()), "You fill one triangle alone, as if queries and keys were the same tokens.", where)
    steps = made.diff(dim=-1) / (slopes[:, None, None] * wanted.diff(dim=-1))  # (H, L_q, L_k - 1), 1 where right
    need(not torch.allclose(steps, steps[0, 0, 0].expand_as(steps), rtol=1e-3), "A straight line, but not the given "
         "slopes: all are scaled by one factor.", where, name="slopes scaled")  # fmt: skip
    off = ((steps - 1).abs() > 1e-3) & ~hidden[:, 1:]  # (H, L_q, L_k - 1)
    h, m, n = (off if off.any() else steps == steps).nonzero()[0].tolist()
    need(False, "From one key to the next the bias should change by the head's slope, as often as they are apart.",
         f"{where}head {h}, query at {int(q[m])}, keys at {int(k[0, n])} and {int(k[0, n + 1])}: ")  # fmt: skip
