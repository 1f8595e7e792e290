"""Experiments on what RoPE's base and ALiBi's slopes decide. Each takes plain values and returns rows."""

import torch
from torch import Tensor

from posenc_helpers.encodings import AlibiEncoding, RotaryEncoding, alibi_slopes
from posenc_helpers.lab.evaluation import break_position
from posenc_helpers.lab.scorecard import HEADS, LENGTH, WIDTH
from posenc_helpers.lab.shootout import FAR, STEPS, TRAINED, Contestant
from posenc_helpers.lab.stretching import with_encoding
from posenc_helpers.lab.tasks import LagTask
from posenc_helpers.lab.training import accuracy, solver
from tools.experiments.common import MANY, by_length, learn_once, on_test_text, shootout_model
from tools.experiments.remedies import NoNewDistance

EXAMPLES = 250
READ = {  # slopes of four heads, none of them the paper's four
    "1 to 1/8": torch.tensor([1, 1 / 2, 1 / 4, 1 / 8]),
    "1/64 to 1/512": torch.tensor([1 / 64, 1 / 128, 1 / 256, 1 / 512]),
}


class GivenSlopes(AlibiEncoding):
    """ALiBi with fixed slopes of one's own choice, a number a head."""

    def __init__(self, slopes: Tensor):
        self.given = tuple(slopes.tolist())  # first, for AlibiEncoding asks for its slopes as it starts
        super().__init__(len(slopes))

    def _fixed_slopes(self, dtype: torch.dtype, device: torch.device | None) -> Tensor:
        return torch.tensor(self.given, dtype=dtype, device=device)


def rope_base(base: float, seed: int, steps: int = 300) -> list[dict]:
    """Train RoPE with this base to copy the token two back, on 16 tokens; accuracies at 16, 32, 64 and 128.

    Two heads of width 16, so eight pairs. `at most 15` is the accuracy of the same model with every key that stands
    farther back than 15 at the angles of 15. The last 8 tokens of each text count.
    """
    task = LagTask(2)
    model = solver(task, RotaryEncoding(WIDTH // HEADS, base), seed, steps)
    near = with_encoding(model, NoNewDistance(WIDTH // HEADS, base, furthest=LENGTH - 1))
    rows = by_length(model, task, (16, 32, 64, 128), EXAMPLES)
    return [row | {"at most 15": accuracy(near, task, row["length"], EXAMPLES, last=8)} for row in rows]


def alibi_lag(heads: int, slopes: str, seed: int, steps: int = 300) -> list[dict]:
    """Train ALiBi with these slopes to copy the token two back, on 16 tokens; accuracies at 16 and 64.

    `slopes`: the paper's, "fixed" or "learned" from there on; or others, fixed: "steep" (1, 1/2 ...), "flat" (1/16 to
    1/256). `flattest` is the smallest slope at the end. The accuracy counts the last 8 tokens of each text.
    """
    head = torch.arange(heads)
    others = {"steep": torch.exp2(-head), "flat": torch.exp2(-4 - 4 * head / (heads - 1))}  # (H,) each
    given = others.get(slopes, alibi_slopes(heads))  # (H,)
    encoding = AlibiEncoding(heads, learned=True) if slopes == "learned" else GivenSlopes(given)
    model = solver(LagTask(2), encoding, seed, steps, heads=heads, encoding_rate=8.0)
    ended = given if encoding.slopes is None else encoding.slopes.detach()
    return [row | {"flattest": ended.min().item()} for row in by_length(model, LagTask(2), (16, 64), EXAMPLES)]


def read_slopes(slopes: str, seed: int, steps: int = STEPS, windows: int = MANY) -> list[dict]:
    """Train ALiBi's reader of the shootout with fixed slopes that are not the paper's; its mean losses up to 32 and 512.

    `slopes` of its four heads: "1 to 1/8" (each half of the one before) or "1/64 to 1/512". In the row "break", `at` says
    where the loss is 0.3 nats above that in training; empty if nowhere.
    """
    model = shootout_model(Contestant(lambda width, heads, length: GivenSlopes(READ[slopes])), seed, steps)
    losses = on_test_text(model, FAR, windows)  # (512,)
    rows = [{"what": "length", "at": n, "loss": losses[:n].mean().item()} for n in (TRAINED, FAR)]
    return [*rows, {"what": "break", "at": break_position(losses, TRAINED), "loss": None}]


def two_sided(seed: int, steps: int = 300) -> dict:
    """Train the scorecard's models with ALiBi's two-sided slopes and one seed; return their accuracies, and `ranked`."""
    return learn_once(lambda width, heads, length: AlibiEncoding(heads, "two-sided"), seed, steps)
