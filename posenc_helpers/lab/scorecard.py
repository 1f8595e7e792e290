"""The running scorecard: the same questions put to every encoding, answered by measuring.

Notebook 01 defines the columns; every later notebook adds the row of its method. Columns about code vectors ask what
door 1 adds to the embeddings, and stay empty (None) for encodings that use doors 2 and 3 alone.
"""

from collections.abc import Callable

import torch
from torch import Generator, Tensor

from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.lab.tasks import GapTask, OrderTask
from posenc_helpers.lab.training import accuracy, seeded, train
from posenc_helpers.transformer import Attention, TinyTransformer

Build = Callable[[int, int, int], PositionalEncoding]  # (width, heads, length) -> encoding, as in ENCODINGS

# Column -> (the question, what the number is, what would be ideal)
COLUMNS = {
    "unique": ("Do two positions ever share a code?", "smallest distance between two of 64 codes", "well above 0"),
    "consistent": (
        "Is position 5 the same in a longer text?",
        "largest change of a code when 32 tokens become 64",
        "0",
    ),
    "bounded": ("Do the codes stay small?", "largest |value| at positions 0 to 4095", "about 1"),
    "shift": ("Does the output ignore where the text starts?", "largest change when all positions move by 32", "0"),
    "order": ("Can a model learn which came first?", "accuracy on the order task, 16 tokens", "1.00"),
    "distance": ("Can it learn 'exactly 3 apart'?", "accuracy on the gap task, 16 tokens", "1.00"),
    "beyond": ("Does that hold on longer texts?", "accuracy on the gap task, 32 tokens, trained on 16", "1.00"),
    "parameters": ("What does it cost?", "trained numbers at width 32, 2 heads, 64 positions", "0"),
}


def codes(encoding: PositionalEncoding, positions: Tensor, width: int) -> Tensor | None:
    """Return what door 1 adds at `positions` (L,): the code vectors (L, width), or None if door 1 stays shut."""
    zeros = torch.zeros(1, len(positions), width)
    with torch.no_grad():
        added = encoding.embed(zeros, positions)[0]  # (L, width)
    return added if added.any() else None


def smallest_distance(code: Tensor) -> float:
    """Return the smallest Euclidean distance between two rows of code (L, d): 0 if two positions share a code."""
    return torch.pdist(code).min().item()


def inconsistency(short: Tensor, long: Tensor) -> float:
    """Return how much the codes of the same positions differ between a short text (L, d) and a long one (L' > L, d)."""
    return (short - long[: len(short)]).abs().max().item()


@torch.no_grad()
def shift_sensitivity(encoding: PositionalEncoding, width: int, heads: int, length: int = 32, shift: int = 32) -> float:
    """Return the largest change of an attention layer's output when all positions move by `shift`.

    The layer is random and its output has standard deviation 1, so 0 means "sees only relative positions".
    """
    with seeded(0):
        layer = Attention(width, heads, encoding)
    x = torch.randn(1, length, width, generator=Generator().manual_seed(1))  # (1, L, d)
    here, there = torch.arange(length), torch.arange(length) + shift
    before, after = (layer(encoding.embed(x, place), place) for place in (here, there))
    return ((before - after).abs().max() / before.std()).item()


def scorecard(
    build: Build, width: int = 32, heads: int = 2, seed: int = 0, steps: int = 300
) -> dict[str, float | None]:
    """Measure every column for the encoding that `build(width, heads, length)` makes: {column: number or None}.

    None means that the question does not apply: no code vectors, or a table that ends before the positions asked for.
    Trains two one-layer models, about 3 s on one core.
    """

    def fresh() -> PositionalEncoding:
        with seeded(seed):
            return build(width, heads, 64)

    def code(length: int) -> Tensor | None:
        try:
            return codes(fresh(), torch.arange(length), width)
        except ValueError:  # a table that ends earlier
            return None

    short, long, far = code(32), code(64), code(4096)
    gap = _trained(GapTask(), fresh(), width, heads, seed, steps)
    return {
        "unique": None if long is None else smallest_distance(long),
        "consistent": None if long is None or short is None else inconsistency(short, long),
        "bounded": None if far is None else far.abs().max().item(),
        "shift": shift_sensitivity(fresh(), width, heads),
        "order": accuracy(_trained(OrderTask(), fresh(), width, heads, seed, steps), OrderTask(), 16),
        "distance": accuracy(gap, GapTask(), 16),
        "beyond": accuracy(gap, GapTask(), 32),
        "parameters": sum(p.numel() for p in fresh().parameters()),
    }


def _trained(task, encoding: PositionalEncoding, width: int, heads: int, seed: int, steps: int) -> TinyTransformer:
    with seeded(seed):
        model = TinyTransformer(
            task.vocabulary, width, heads, layers=1, encoding=encoding, causal=False, outputs=task.classes
        )
    train(model, task, steps=steps, seed=seed, label=None)
    return model
