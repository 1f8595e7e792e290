"""Rules without which no number is made: it runs, says the same twice, keeps texts apart, and keeps to the past."""

import copy
from collections.abc import Callable

import torch
from torch import Generator, Tensor

from posenc_helpers.lab.rules.candidate import Candidate, reach
from posenc_helpers.lab.rules.rule import differ, rule, smallest, unfit
from posenc_helpers.transformer import TinyTransformer

LENGTHS = (2, 3, 5, 9, 33, 129, 512)  # of the texts asked about; nothing trains on, or is read at, more than 512 tokens
CUTS = (29, 61, 127, 251, 509)  # primes, since blocks of 32 would hide a leak within a block from a cut at 64
ROUNDING = 1e-11  # of float64 logits of order 1: sums in another order move them by 1e-15, a leak of 1e-7 by 1e-9


@rule(
    "gives numbers",
    "A model around it must run, on a single token too.",
    "Mend what is named. Doors: embed(x, positions); rotate(q, k, q_positions, k_positions), which returns q and k; "
    "bias(q, k, q_positions, k_positions). Give the width= and heads= that an encoding was built for.",
)
def gives_numbers(given: Candidate) -> str | None:
    def test(positions: list[int]) -> str | None:
        try:
            out = given.read(given.model(), positions)
        except Exception:  # a bias of a wrong shape is broadcast, and what stops is something else
            wrong = unfit(given, torch.tensor(positions))
            if wrong:
                return wrong
            raise
        if out.shape[:2] != (1, len(positions)):
            return f"the logits have shape {tuple(out.shape)} for tokens of shape (1, {len(positions)})"
        return None if out.isfinite().all() else "NaN or infinity comes out"

    return smallest([[0], [1], [0, 1], [0, 1, 2, 3, 4]], "tokens at positions {}", test)


@rule(
    "gives the same twice",
    "In evaluation mode nothing is drawn, or a model could not be measured.",
    "Draw numbers in __init__; where dropout is meant, use nn.Dropout, which .eval() switches off.",
)
def same_twice(given: Candidate) -> str | None:
    def test(positions: list[int]) -> str | None:
        model = given.model()
        return differ(given.read(model, positions), given.read(model, positions))

    return smallest([[0], [0, 1]], "tokens at positions {}, twice", test)


@rule(
    "keeps texts apart",
    "The texts of a batch know nothing of each other, or a number would depend on who shares the batch.",
    "x is (B, L, d): positions count along axis 1, and sums run along axis 1 or 2, never along axis 0.",
)
def keeps_texts_apart(given: Candidate) -> str | None:
    def test(texts: int) -> str | None:
        model, tokens, places = given.model(), given.tokens(2, texts), torch.arange(2)
        alone = [model(tokens[[text]], places) for text in range(texts)]
        return differ(model(tokens, places), torch.cat(alone))

    return smallest([2, 3], "{} texts of two tokens, in one batch or each alone", test)


@rule(
    "keeps to the past",
    "Such a model has read ahead, and answers what nobody could while the text is being written.",
    "What a token gets may depend on the tokens up to it, not on later ones, nor on how many there are: a causal mask hides "
    "keys, but not what is computed from all of x, k or v.",
)
def keeps_to_the_past(given: Candidate) -> str | None:
    if same_twice(given):
        return None  # each draw would look like the future, and what draws is refused for that
    longest = reach(given.encoding(), given.width, given.heads, LENGTHS[-1])
    return looks_ahead(given.model(layers=1), longest)


@torch.no_grad()
def looks_ahead(model: TinyTransformer, longest: int = LENGTHS[-1], everywhere: bool = True) -> str | None:
    """Return where answers of `model`, made causal, change with what comes after them, or None; it stays as it is.

    Texts of up to `longest` tokens are read twice, with other tokens from some place on: answers before it must not move
    in float64 (or in the model's own type, not by a bit, where an encoding cannot do that). In a longer text they must be
    the same but for `rule.CLOSE`, unless the encoding `reads_length`. Not `everywhere` takes one place in each text.
    """
    vocabulary, generator = model.embedding.num_embeddings, Generator().manual_seed(0)
    one = torch.randint(vocabulary, (LENGTHS[-1],), generator=generator)
    other = (one + torch.randint(1, vocabulary, one.shape, generator=generator)) % vocabulary  # differs everywhere
    read, rounding = _reader(model, one[:2])
    by_length = any(getattr(part, "reads_length", False) for part in model.encoding.modules())
    before = one[:0]
    for length in [n for n in LENGTHS if n < longest] + [longest]:
        answers = read(one[:length])  # (L, V)
        cuts = list(range(length - 1, 0, -1)) if length <= 33 else [cut for cut in CUTS if cut < length][-2:]
        for cut in cuts if everywhere else cuts[(len(cuts) - 1) // 2 :][:1]:
            off = _apart(read(torch.cat([one[:cut], other[cut:length]])), answers)[:cut].max()
            if not off <= rounding:
                return (
                    f"it looks at the future: in a text of {length} tokens, what stands from position {cut} on changes "
                    "answers before it"
                )
        if len(before) and not by_length and differ(answers[: len(before)], before):
            return (
                f"it looks at the future: the answers to the first {len(before)} tokens of a text are others when it "
                f"goes on to {length} tokens, so they know its length"
            )
        before = answers
    return None


def _apart(left: Tensor, right: Tensor) -> Tensor:
    """Return how far logits (L, V) lie apart at each token: (L,); what is NaN or infinite in both is equal."""
    same = (left == right) | (left.isnan() & right.isnan())
    return (left - right).abs().masked_fill(same, 0).amax(dim=-1)


def _reader(model: TinyTransformer, text: Tensor) -> tuple[Callable[[Tensor], Tensor], float]:
    """Return a function tokens (L,) -> logits (L, V) of a causal copy of `model`, and by how much these may move."""
    trains = model.training
    model.eval()(text[None])  # without gradients: what the encoding keeps of its last call can be copied from now on
    twin = copy.deepcopy(model)
    model.train(trains)
    for block in twin.blocks:
        block.attention.causal = True

    def read(tokens: Tensor) -> Tensor:
        return twin(tokens[None])[0]

    own = next(twin.parameters()).dtype
    try:
        twin.double()
        read(text)
        return read, ROUNDING
    except Exception:
        twin.to(own)
        return read, 0.0
