"""How the further rules ask: what they put to an encoding, and what it answers.

A rule asserts something of a `Candidate`, and so is broken by whatever it raises. LENGTH leaves room for positions 256
and 257.
"""

import torch
from torch import Generator, Tensor

from posenc_helpers.encodings import PositionalEncoding
from posenc_helpers.lab.rules import Candidate
from posenc_helpers.lab.rules.rule import Rule, said

BATCH, TOKENS = 2, 5
PLACES = 250 + torch.arange(TOKENS)
FURTHER: list[Rule] = []


def rule(function):
    def broken(given: Candidate) -> str | None:
        try:
            return function(given)
        except Exception as error:
            return said(error)

    FURTHER.append(Rule(function.__name__.replace("_", " "), function.__doc__, "", broken))
    return function


def random(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=Generator().manual_seed(0), dtype=torch.float32)


def queries(given: Candidate, length: int = TOKENS, batch: int = BATCH) -> Tensor:
    """Ones of the shape of q and of k."""
    return torch.ones(batch, given.heads, length, given.width // given.heads)


def doors(given: Candidate, encoding: PositionalEncoding, positions: Tensor, *dtypes: torch.dtype) -> dict[str, Tensor]:
    """What comes out of each door of `encoding` at `positions` (L,) for the same input in every place.

    A door that returns None is left out. The input is cast to `dtypes` in turn.
    """
    length = len(positions)
    x = random(BATCH, 1, given.width).expand(-1, length, -1)
    q, k = random(2, BATCH, given.heads, 1, given.width // given.heads).expand(-1, -1, -1, length, -1)
    for dtype in dtypes:
        x, q, k = x.to(dtype), q.to(dtype), k.to(dtype)
    out = {"embed": encoding.embed(x, positions)}
    out["rotated q"], out["rotated k"] = encoding.rotate(q, k, positions, positions)
    bias = encoding.bias(q, k, positions, positions)
    return out if bias is None else {**out, "bias": bias}


def agree(left: Tensor, right: Tensor, what: str) -> None:
    """Equal but for rounding: logits are of order 1, and float32 sums in another order differ by about 1e-6."""
    torch.testing.assert_close(left, right, rtol=1e-4, atol=2e-5, msg=lambda report: f"{what}: {report}")
