"""Experiments on what a difference looks up: "3 back" beyond the trained length, Shaw without values, K = 8."""

from posenc_helpers.encodings import ENCODINGS, DebertaEncoding, RelativeBiasEncoding, ShawEncoding, T5Encoding
from posenc_helpers.lab.tasks import LagTask
from posenc_helpers.lab.training import accuracy, seeded, train
from posenc_helpers.transformer import TinyTransformer
from tools.experiments.common import learn_once

TRAINED, LENGTHS = 16, (16, 32, 64, 128)

# Name -> encoding of width 32 with two heads, for a causal model.
RELATIVE = {
    **{f"relative bias, K = {k}": lambda k=k: RelativeBiasEncoding(2, max_distance=k) for k in (3, 4, 8, 16)},
    "t5": lambda: T5Encoding(2, bidirectional=False),
    "t5, D = 16": lambda: T5Encoding(2, 16, 16, bidirectional=False),
    **{
        name: lambda name=name: ENCODINGS[name](32, 2, TRAINED)
        for name in ("shaw", "transformer-xl", "deberta", "rope", "sinusoidal")  # Shaw and DeBERTa: K = 16
    },
    "shaw, K = 8": lambda: ShawEncoding(16, 8),
    "deberta, K = 32": lambda: DebertaEncoding(2, 16, max_distance=32),
}

SMALLER_K = {
    "relative bias": lambda width, heads, length: RelativeBiasEncoding(heads, max_distance=8),
    "deberta": lambda width, heads, length: DebertaEncoding(heads, width // heads, max_distance=8),
}


def three_back(encoding: str, seed: int, steps: int = 300, rate: float = 1.0) -> list[dict]:
    """Train one causal layer on 16 tokens to say which token stood 3 back; return its accuracies at 16 to 128 tokens.

    The encoding learns `rate` times as fast as the rest. `levelled` is the accuracy once every row of a table of biases
    that 16 tokens never reach holds the mean of the rows of distances 8 to 15 (None for what is no such table).
    """
    task = LagTask(3)
    with seeded(seed):
        model = TinyTransformer(task.vocabulary, 32, 2, layers=1, encoding=RELATIVE[encoding]())
    train(model, task, TRAINED, steps, 32, 1e-2, seed, label=None, encoding_rate=rate)
    reached = [accuracy(model, task, n, examples=150) for n in LENGTHS]
    levelled = [None] * len(LENGTHS)
    if encoding in ("t5", "relative bias, K = 16"):
        table = model.encoding.table.data  # (rows, H)  T5: row = distance; K = 16: row = 16 - distance
        unreached, known = (slice(16, None), slice(8, 16)) if encoding == "t5" else (slice(0, 1), slice(1, 9))
        table[unreached] = table[known].mean(0)
        levelled = [accuracy(model, task, n, examples=150) for n in LENGTHS]
    return [{"length": n, "accuracy": a, "levelled": b} for n, a, b in zip(LENGTHS, reached, levelled, strict=True)]


def keys_only(seed: int, steps: int = 300) -> dict:
    """Train the scorecard's models with Shaw's key vectors alone; return their accuracies, and `ranked`."""
    return learn_once(lambda width, heads, length: ShawEncoding(width // heads, 16, values=False), seed, steps)


def smaller_k(encoding: str, seed: int, steps: int = 600) -> dict:
    """Train the scorecard's models of two encodings with K = 8 in place of 16 or 32; return accuracies, and `ranked`."""
    return learn_once(SMALLER_K[encoding], seed, steps)
