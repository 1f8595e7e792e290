"""Experiments on what RoPE's base and ALiBi's slopes decide, on made-up tasks. Each takes plain values and returns rows."""

from posenc_helpers.checks import check_choice
from posenc_helpers.encodings import AlibiEncoding, RotaryEncoding, alibi_slopes
from posenc_helpers.lab.remedies import NoNewDistance
from posenc_helpers.lab.scorecard import HEADS, LENGTH, WIDTH, learn_once
from posenc_helpers.lab.stretching import with_encoding
from posenc_helpers.lab.tasks import LagTask
from posenc_helpers.lab.training import accuracy, solver

EXAMPLES = 250


def rope_base(base: float, seed: int, steps: int = 300) -> list[dict]:
    """Train RoPE with this base to copy the token two back, on 16 tokens; accuracies at 16, 32, 64 and 128.

    Two heads of width 16, so eight pairs. `at most 15` is the accuracy of the same model with every key that stands
    farther back than 15 at the angles of 15. The last 8 tokens of each text count.
    """
    task = LagTask(2)
    model = solver(task, RotaryEncoding(WIDTH // HEADS, base), seed, steps)
    near = with_encoding(model, NoNewDistance(WIDTH // HEADS, base, furthest=LENGTH - 1))
    return [
        {
            "length": length,
            "accuracy": accuracy(model, task, length, EXAMPLES, last=8),
            "at most 15": accuracy(near, task, length, EXAMPLES, last=8),
        }
        for length in (16, 32, 64, 128)
    ]


def alibi_lag(heads: int, slopes: str, seed: int, steps: int = 300) -> list[dict]:
    """Train ALiBi to copy the token two back, on 16 tokens, slopes "fixed" or "learned"; accuracies at 16 and 64.

    `flattest` is the smallest slope at the end. The accuracy counts the last 8 tokens of each text.
    """
    check_choice("slopes", slopes, ("fixed", "learned"))
    encoding = AlibiEncoding(heads, learned=slopes == "learned")
    model = solver(LagTask(2), encoding, seed, steps, heads=heads, encoding_rate=8.0)
    ended = alibi_slopes(heads) if encoding.slopes is None else encoding.slopes.detach()  # (H,)
    return [
        {"length": n, "accuracy": accuracy(model, LagTask(2), n, EXAMPLES, last=8), "flattest": ended.min().item()}
        for n in (16, 64)
    ]


def two_sided(seed: int, steps: int = 300) -> dict:
    """Train the scorecard's models with ALiBi's two-sided slopes and one seed; return their accuracies, and `ranked`."""
    return learn_once(lambda width, heads, length: AlibiEncoding(heads, "two-sided"), seed, steps)
