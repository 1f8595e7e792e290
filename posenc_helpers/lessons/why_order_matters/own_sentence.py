"""Your own sentence of notebook 01: one attention layer with stored weights, and the vectors of words.

sentence.js computes the same in a browser; a test compares all numbers.
"""

import math
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from posenc_helpers.encodings import sinusoidal

MODULE = Path(__file__).with_name("sentence.js")
SENTENCE = "one dog bites two men"
ORDERS = {  # it starts as typed: what a change of order does is for the reader to see
    "as typed": "typed",
    "reversed": "reversed",
    "dog and men swapped": "swapped",
    "moved round by one": "moved",
    "as you move them": "own",
}
MOST, WIDTH = 8, 16  # words that are read, numbers of a word
LIMIT = 2.5  # of the colours of outputs


def _drawn(*shapes: tuple[int, int]) -> list[Tensor]:
    """Draw random tables, float64 with few digits: a browser reads them as they are."""
    generator = Generator().manual_seed(3)  # chosen so that the five outputs of SENTENCE stand well apart
    return [torch.randn(*shape, generator=generator).double().round(decimals=3) for shape in shapes]


WORDS, *_MATRICES = _drawn((5, WIDTH), *[(WIDTH, WIDTH)] * 3)
VECTORS = dict(zip(SENTENCE.split(), WORDS, strict=True))
MATRICES = [(matrix / WIDTH**0.5).round(decimals=3) for matrix in _MATRICES]  # of queries, keys and values
CODES = sinusoidal(torch.arange(MOST), WIDTH).double().round(decimals=3)  # (8, d)  a vector for each place
DATA = {
    "vectors": {word: vector.tolist() for word, vector in VECTORS.items()},
    "matrices": [matrix.tolist() for matrix in MATRICES],
    "codes": CODES.tolist(),
    "limit": LIMIT,
}


class Measured(NamedTuple):
    """The sentence as typed and as it stands now: L words, `places` says which typed word stands where now."""

    words: list[str]
    moved: list[str]
    places: list[int]
    typed: tuple[Tensor, Tensor]  # weights (L, L) and outputs (L, d)
    now: tuple[Tensor, Tensor]
    apart: Tensor  # (L,)  largest difference of the output of the word in each place now from its output as typed
    left: int  # words that were typed and are not read


def vector(word: str) -> Tensor:
    """Return the vector (d,) of a word: stored for those of SENTENCE, for others made up from the letters."""
    word = word.lower()
    return VECTORS[word] if word in VECTORS else made_up(word)


def made_up(word: str) -> Tensor:
    """Return 16 numbers with mean 0 and deviation 1: the word's hash (FNV-1a, 32 bits) starts a generator (xorshift)."""
    state = 0x811C9DC5
    for byte in word.encode():
        state = (state ^ byte) * 0x01000193 % 2**32
    state = state or 1

    def uniform() -> float:
        nonlocal state
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        return state / 2**32

    numbers = [(uniform() + uniform() + uniform() + uniform() - 2) * math.sqrt(3) for _ in range(WIDTH)]
    return torch.tensor(numbers, dtype=torch.float64)


def arrange(count: int, order: str, own: str) -> list[int]:
    """Return which of `count` typed words stands where; `order` is a value of ORDERS, "own" that of the digits `own`."""
    typed = list(range(count))
    if order == "reversed":
        return typed[::-1]
    if order == "swapped":
        second = min(1, max(0, count - 2))
        typed[second], typed[-1] = typed[-1], typed[second]
        return typed
    if order == "moved":
        return [*typed[1:], 0]
    digits = [int(digit) if digit in "0123456789" else -1 for digit in own]
    return digits if order == "own" and sorted(digits) == typed else typed


def attend(words: list[str], causal_mask: bool, positions: bool) -> tuple[Tensor, Tensor]:
    """Attend to L words: the weights (L, L) and the outputs (L, d)."""
    x = torch.stack([vector(word) for word in words])  # (L, d)
    if positions:
        x = x + CODES[: len(words)]
    w_q, w_k, w_v = MATRICES
    scores = 2 * (x @ w_q) @ (x @ w_k).T / WIDTH**0.5  # (L, L)
    if causal_mask:
        scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf)
    weights = scores.softmax(dim=-1)
    return weights, weights @ x @ w_v


def measure(sentence: str, order: str, own: str, causal_mask: bool, positions: bool) -> Measured | None:
    """Attend to a sentence as typed and in another order; None for one without a word."""
    typed = sentence.split()
    words = typed[:MOST]
    if not words:
        return None
    places = arrange(len(words), order, own)
    moved = [words[place] for place in places]
    before, after = attend(words, causal_mask, positions), attend(moved, causal_mask, positions)
    apart = (after[1] - before[1][places]).abs().amax(dim=-1)  # (L,)
    return Measured(words, moved, places, before, after, apart, len(typed) - len(words))
