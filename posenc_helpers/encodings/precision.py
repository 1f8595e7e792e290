"""Arithmetic that does not lose positions: wide types, products that autocast leaves alone, angles far out.

Mixed precision rounds to bfloat16, in which 256 and 257 are one number. Whatever is computed *from positions* therefore
runs in float32 or better, and is cast to the type of the activations last.
"""

import contextlib
import math

import torch
from torch import Tensor

from posenc_helpers.checks import check_reach, exact_positions, real_positions

# Asked once: torch 2.4 cannot compile the question.
CAN_AUTOCAST = {device for device in ("cpu", "cuda", "mps", "xpu") if torch.amp.is_autocast_available(device)}

FAR = 2**18  # from here on a position is split in two; nearer ones have the float32 angles of released code
STEP = 2**16
TURN = (6.28125, 1014 / 2**19, 2 * math.pi - 6.28125 - 1014 / 2**19)  # 2 pi; few bits in the first two parts


def full_precision(x: Tensor) -> Tensor:
    """Return x in float32, or in float64 if it is float64: distances are never multiplied in half precision."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


def without_autocast(device: torch.device) -> contextlib.AbstractContextManager:
    """Return a context in which matrix products keep the type of their factors."""
    if device.type in CAN_AUTOCAST and torch.is_autocast_enabled(device.type):
        return torch.autocast(device.type, enabled=False)
    return contextlib.nullcontext()


def product(left: Tensor, right: Tensor) -> Tensor:
    """Return left @ right in the wider of their two types, which autocast would round to bfloat16."""
    wide = torch.promote_types(left.dtype, right.dtype)
    with without_autocast(left.device):
        return left.to(wide) @ right.to(wide)


def angles(positions: Tensor, frequencies: Tensor) -> Tensor:
    """Return position times frequency, up to whole turns: positions (...), frequencies (pairs,) -> (..., pairs).

    Float64 positions give float64. All others give float32, whose product is off by 0.01 radians at 2^18 and by half a
    radian at 10,000,000. From 2^18 on, p = near + 65536 far, and far is multiplied by what 65536 steps leave of a turn:
    off by at most 0.02 up to 2^32, for frequencies up to 1. No float64, which not every device has.
    Raises what `real_positions` raises, and ValueError for whole positions from 2^32 on (compiled code, and other
    devices than the CPU, skip this).
    """
    real = real_positions(positions)
    frequencies = frequencies.to(real.dtype)
    # No matmul: autocast would round it to bfloat16. The second case gives what the rest would, faster.
    if real.dtype is torch.float64 or check_reach("positions", positions, 2**32, "float32 angles blur") < FAR:
        return real[..., None] * frequencies
    positions = exact_positions(positions)
    near = torch.where(positions.abs() < FAR, positions, positions.fmod(STEP))
    far = (positions - near).to(real.dtype) / STEP
    return near.to(real.dtype)[..., None] * frequencies + far[..., None] * _rest_of_turn(STEP * frequencies)


def _rest_of_turn(angle: Tensor) -> Tensor:
    """Take whole turns off, in three parts of 2 pi so that float32 loses nothing (Cody and Waite 1980)."""
    turns = (angle / (2 * math.pi)).round()
    for part in TURN:
        angle = angle - turns * part
    return angle
