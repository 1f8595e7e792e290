"""Likely mistakes in the exercises of notebook 07."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from posenc_helpers.classroom.exercises.mistakes import Mistake
from posenc_helpers.classroom.exercises.questions import drawn
from posenc_helpers.encodings import PositionalEncoding, alibi_slopes


def powers(*exponents: float) -> list[float]:
    return [2.0**exponent for exponent in exponents]


def formula(slope: Callable) -> tuple[list, list]:
    """Return the answer of whoever takes slope(h, heads) for head h = 1, 2 ... and fills up from 4 to 6 as asked."""
    four, eight = ([slope(h, heads) for h in range(1, heads + 1)] for heads in (4, 8))
    return four, [*four, eight[0], eight[2]]


FOUR, SIX = formula(lambda h, heads: 2 ** (-8 * h / heads))
SLOPES = {
    "exponents, or slopes turned over or with a minus": Mistake(
        "A slope is 2 to a negative power, a positive number below 1. These are exponents, or turned over, or have a minus.",
        formula(lambda h, heads: -8 * h / heads),
        formula(lambda h, heads: 8 * h / heads),
        formula(lambda h, heads: 2 ** (8 * h / heads)),
        formula(lambda h, heads: -(2 ** (-8 * h / heads))),
    ),
    "brackets missing, or //": Mistake(
        "Brackets are missing (** binds before * and /), or // cuts to a whole number.",
        formula(lambda h, heads: 2**-8 / heads * h),
        formula(lambda h, heads: 0),
    ),
    "heads counted from 0": Mistake(
        "Off by one head: an exponent of 0, a slope of 1, comes before the first head. Heads count from 1 here.",
        formula(lambda h, heads: 2 ** (-8 * (h - 1) / heads)),
        (powers(0, -1, -2, -3), powers(0, -2, -4, -6, -1, -3)),
        (FOUR, powers(*(-8 * h / 6 for h in range(6)))),
    ),
    "8 or the number of heads in another place": Mistake(
        "In the exponent 8 or the number of heads stands in another place, or is missing: more heads mean a ratio nearer "
        "to 1, and one ratio leads from head to head.",
        formula(lambda h, heads: 2 ** (-heads * h / 8)),
        formula(lambda h, heads: 2.0 ** (-heads * h)),
        formula(lambda h, heads: 2 ** (-8 / h)),
        (powers(-1, -2, -3, -4), powers(-1, -2, -3, -4, -5, -6)),
    ),
    "another order": Mistake(
        "Right numbers in another order: head 0 has the steepest slope of the sequence. Additional slopes stand at the end, "
        "the steeper one first.",
        (FOUR[::-1], SIX[::-1]),
        (FOUR, sorted(SIX, reverse=True)),
        (FOUR, [*SIX[4:], *FOUR]),
        (FOUR, [*FOUR, *SIX[:3:-1]]),
    ),
    "the paper's formula": Mistake(
        "That is the paper's formula. The released code takes the slopes of the power of two below, then fills up.",
        (FOUR, alibi_slopes(6, "paper")),
    ),
    "others appended": Mistake(
        "The first four are right; the appended two are others of the slopes of 8 heads: which are not there already?",
        (FOUR, [*FOUR, 1 / 4, 1 / 16]),
        (FOUR, [*FOUR, *powers(-5, -7)]),
        holds=lambda slopes: (
            len(slopes) == 4 or not torch.allclose(slopes[:4], slopes.new_tensor(FOUR), rtol=0.05, atol=0)
        ),
    ),
    "start and ratio differ": Mistake(
        "One ratio should lead from each head to the next, and the first slope should be the ratio from head to head, too.",
        (powers(-1, -3, -5, -7), SIX),
        (powers(-2, -3, -4, -5), SIX),
        holds=lambda slopes: torch.allclose(slopes[1:4] / slopes[:3], slopes[:1], rtol=0.05, atol=0),
    ),
}


def line(
    causal: Callable = torch.positive,
    both: Callable = lambda relative: -relative.abs(),
    slopes: Callable = lambda slopes: slopes,
) -> Callable:
    """Return an answer to exercise 2 whose distance is causal(key minus query), or both(...) in an encoder."""

    def bias(q: Tensor, k: Tensor, given: Tensor, is_causal: bool) -> Tensor:
        return slopes(given)[:, None, None] * (causal if is_causal else both)(k[None, :] - q[:, None])

    return bias


def at(places: Callable) -> Callable:
    """Return an answer to exercise 2 that puts queries and keys at places(q, k) instead of at q and k."""
    return lambda q, k, slopes, causal: right_bias(*places(q, k), slopes, causal)


def hiding(q: Tensor, k: Tensor, slopes: Tensor, causal: bool) -> Tensor:
    return right_bias(q, k, slopes, causal).masked_fill((k[None, :] > q[:, None]) & causal, -torch.inf)


def reversed_sign(*wrong) -> Mistake:
    return Mistake("The sign is reversed: the farthest key gets most.", *wrong)


right_bias = line()
BIASES = {
    "keys hidden by -infinity": Mistake(
        "Leave -infinity out: keys after the query are masked elsewhere.",
        hiding,
        holds=lambda given: not (isinstance(given, Tensor) and given.isneginf().any()),
    ),
    "the same for every key": Mistake(
        "Your bias is the same for every key, and softmax ignores that. (A letter used twice in einsum takes a diagonal: "
        "every token with itself.)",
        line(slopes=torch.zeros_like),
    ),
    "weights": Mistake(
        "These are weights, each row sums to 1. The bias is added to the scores, before the softmax.",
        lambda *given: right_bias(*given).softmax(dim=-1),
        lambda *given: hiding(*given).softmax(dim=-1),
    ),
    "sign reversed": reversed_sign(line(torch.neg, torch.abs)),
    "signed distance in the encoder": Mistake(
        "An encoder wants -slope * |m - n|: distance counts to both sides. A signed one is for a causal mask alone.",
        line(both=torch.positive),
        line(both=torch.neg),
        line(both=lambda relative: relative.clamp(max=0)),
    ),
    "tokens counted": Mistake(
        "You count tokens instead of reading q_positions and k_positions, which may start anywhere and have gaps.",
        at(lambda q, k: (q, torch.arange(len(k)))),
        at(lambda q, k: (torch.arange(len(q)), k)),
        at(lambda q, k: (torch.arange(len(q)), torch.arange(len(k)))),
        at(lambda q, k: (torch.arange(len(k))[-len(q) :], torch.arange(len(k)))),
    ),
    "not the head's slope": Mistake(
        "Head h should take slope h of those that are given: no others, none twice, none left out.",
        line(slopes=torch.ones_like),
        line(slopes=lambda slopes: alibi_slopes(len(slopes))),
        line(slopes=lambda slopes: slopes.flip(0)),
        line(slopes=lambda slopes: slopes[:1].expand(len(slopes))),
        line(slopes=lambda slopes: slopes.mean().expand(len(slopes))),
    ),
}


def learned(
    make: Callable = lambda heads: nn.Parameter(alibi_slopes(heads)),
    read: Callable = lambda slopes: slopes[:, None, None],
) -> type:
    """Return a class LearnedAlibi that is right but for what it makes, or how it reads that."""

    class LearnedAlibi(PositionalEncoding):
        def __init__(self, heads: int):
            super().__init__()
            self.slopes = make(heads)

        def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
            return read(self.slopes) * (k_positions[None, :] - q_positions[:, None])

    return LearnedAlibi


PLACES = torch.tensor([7, 8, 9, 12, 13, 16, 17, 18])  # of keys; the last three are those of the queries, too


def bias_of(
    encoding: PositionalEncoding,
    heads: int = 5,
    places: Tensor = PLACES,
    queries: int = 3,
    width: int = 4,
    batch: int = 1,
):
    """Return what `encoding` adds to the scores of the last `queries` of the tokens at `places`."""
    k = torch.randn(batch, heads, len(places), width, generator=drawn(74), requires_grad=True)
    return encoding.bias(k[:, :, -queries:], k, places[-queries:].clone(), places.clone())


def apart(*encodings: PositionalEncoding) -> bool:
    places = [p.data_ptr() for encoding in encodings for p in encoding.parameters()]
    return len(set(places)) == len(places)


ONE_FOR_ALL = nn.Parameter(alibi_slopes(5))
BUILT = {
    "bias not overridden": Mistake(
        "Override bias: PositionalEncoding's own adds nothing to the scores.",
        type("LearnedAlibi", (PositionalEncoding,), {"__init__": lambda self, heads: None}),
        holds=lambda answer: answer.bias is not PositionalEncoding.bias,
    ),
    "not one trained number a head": Mistake(
        "One number a head is trained, and nothing else: wrap the slopes in nn.Parameter, keep them on self, and leave "
        "requires_grad on.",
        learned(make=lambda heads: nn.Parameter(alibi_slopes(heads), requires_grad=False)),
        learned(make=lambda heads: nn.Parameter(torch.tensor([0.5]))),
        holds=lambda answer: sum(p.numel() for p in answer(5).parameters() if p.requires_grad) == 5,
    ),
    "cut off from the parameters": Mistake(
        "The bias does not depend on the parameters any more: no .data, .detach(), .item() or torch.tensor(...) on the way.",
        learned(read=lambda slopes: slopes.data[:, None, None]),
        holds=lambda answer: getattr(bias_of(answer(5)), "requires_grad", True),
    ),
    "all share one parameter": Mistake(
        "A new LearnedAlibi starts where the trained one ended: all share one parameter, made outside of __init__?",
        learned(make=lambda heads: ONE_FOR_ALL),
        holds=lambda answer: apart(answer(5), answer(5)),
    ),
}
STARTED = {
    "other slopes at the start": Mistake(
        "Its slopes do not start at alibi_slopes(heads).",
        learned(make=lambda heads: nn.Parameter(torch.zeros(heads))),
        learned(make=lambda heads: nn.Parameter(alibi_slopes(heads, "paper"))),
        holds=lambda made: (made[:, -1, :2].diff().abs() - alibi_slopes(5)[:, None]).abs().max() < 1e-4,
    ),
    "sign reversed": reversed_sign(
        learned(make=lambda heads: nn.Parameter(-alibi_slopes(heads))),
        learned(read=lambda slopes: -slopes[:, None, None]),
    ),
}
TRAINED = {
    "slopes cannot turn round": Mistake(
        "It has the right form, but trained on recall its slopes have not turned round, which recall asks for: do all get "
        "gradients, and may they become negative?",
        learned(
            make=lambda heads: nn.Parameter(alibi_slopes(heads).log()), read=lambda logs: logs.exp()[:, None, None]
        ),
        holds=lambda share, bias: share > 0.95 and bool((bias[..., 0] > bias[..., -1]).all()),
    )
}

MISTAKES = {"slopes": SLOPES, "bias": BIASES, "learned_alibi": BUILT | STARTED | TRAINED}
