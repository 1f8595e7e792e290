"""How well a character model reads on beyond the length that it was trained on: position by position."""

import torch
from torch import Tensor, nn

from posenc_helpers.checks import check_count, check_positive
from posenc_helpers.lab.text import cut_windows
from posenc_helpers.lab.training import MOST_SCORES, one_thread
from posenc_helpers.transformer import TinyTransformer

OVER = 8  # losses in the mean that says where a model breaks


@one_thread()
@torch.no_grad()
def loss_by_position(
    model: TinyTransformer,
    part: Tensor,
    length: int = 512,
    windows: int = 48,
    keys: int | None = None,
    shift: int = 0,
    end: int | None = None,
) -> Tensor:
    """Return the mean loss (nats) at each position of windows of a text `part` (N,), e.g. text.test: (length,).

    Position p was read after the p + 1 characters up to it; one causal pass gives all of them. `keys=32` lets each
    character see only the last 32, itself among them. `shift` adds a number to all positions. `end` reads only the first
    characters of the same windows, as many as a table has rows: (end,).
    Raises ValueError for counts below 1, a negative shift, an `end` above `length`, and a part that is too short.
    """
    check_count("length", length)
    check_count("windows", windows)
    check_count("shift", shift, least=0)
    if length >= len(part):
        raise ValueError(f"length={length} must stay below the {len(part)} characters of part")
    cut = cut_windows(part, length + 1, windows)  # (windows, length + 1)
    if end is not None:
        check_count("end", end)
        if end > length:
            raise ValueError(f"end={end} exceeds length={length}")
        cut, length = cut[:, : end + 1], end
    positions = torch.arange(length) + shift  # (length,)
    mask = None
    if keys is not None:
        check_count("keys", keys)
        mask = torch.ones(length, length, dtype=torch.bool).triu(1 - keys)  # the causal mask does the rest
    model.eval()
    total = torch.zeros(length, dtype=torch.float64)
    for some in cut.split(max(1, MOST_SCORES // length**2)):  # scores take (B, H, L, L) numbers
        logits = model(some[:, :-1], positions, mask)  # (B, L, V)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), some[:, 1:].flatten(), reduction="none")
        total += loss.unflatten(0, (len(some), -1)).sum(dim=0)
    return total / windows


def cumulative(losses: Tensor) -> Tensor:
    """Return the mean loss over positions 0 to p, for every p, from the losses by position (L,)."""
    return losses.cumsum(dim=0) / torch.arange(1, len(losses) + 1)


def octave_blocks(length: int) -> list[tuple[int, int]]:
    """Return (start, stop) of blocks of positions 0 to length - 1 for a log axis: single ones to 16, then eight an octave.

    Raises ValueError for a length below 1.
    """
    check_count("length", length)
    blocks, start = [], 0
    while start < length:
        stop = start + max(1, 2 ** (start.bit_length() - 1) // 8)
        blocks.append((start, min(stop, length)))
        start = stop
    return blocks


def smoothed(losses: Tensor) -> Tensor:
    """Return the mean of each loss and the seven after it: (L,) -> (L - 7,)."""
    return losses.unfold(0, OVER, 1).mean(dim=1)


def break_position(losses: Tensor, trained: int, by: float = 0.3) -> int | None:
    """Return the first position from `trained` on around which the loss is `by` nats above that in training.

    "Around" is the mean of eight losses with the position in their middle; "in training" the mean of losses (L,) over
    positions 0 to trained - 1. None where the loss never gets there.
    Raises ValueError for fewer losses than trained + 8, and for `by` that is not above 0.
    """
    check_count("trained", trained)
    check_positive("by", by)
    if len(losses) < trained + OVER:
        raise ValueError(f"losses has {len(losses)} positions; allowed: at least trained + {OVER} = {trained + OVER}")
    first = max(0, trained - OVER // 2)
    high = smoothed(losses[first:]) > losses[:trained].mean() + by  # entry k is around first + k + OVER // 2
    return first + OVER // 2 + int(high.int().argmax()) if high.any() else None
