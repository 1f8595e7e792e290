"""Arithmetic that does not lose positions: wide types, products that autocast leaves alone, angles.

Mixed precision rounds to bfloat16, in which 256 and 257 are one number. Whatever is computed *from positions* therefore
runs in float32 or better, and is cast to the type of the activations last.
"""

import contextlib

import torch
from torch import Tensor

from posenc_helpers.checks import check_reach, real_positions

# Asked once: torch 2.4 cannot compile the question.
CAN_AUTOCAST = {device for device in ("cpu", "cuda", "mps", "xpu") if torch.amp.is_autocast_available(device)}


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
    """Return position times frequency: positions (...), frequencies (pairs,) -> (..., pairs).

    Float64 positions give float64. All others give float32, as in released code, whose rounding grows with the position:
    with 128 columns the sine of an angle is off by up to 0.06 around 1,000,000 and by up to 0.8 around 10,000,000.
    Raises what `real_positions` raises, and ValueError for whole positions from 2^24 on (compiled code, and other devices
    than the CPU, skip this).
    """
    real = real_positions(positions)
    check_reach("positions", positions)
    return real[..., None] * frequencies.to(real.dtype)  # no matmul: autocast would round it to bfloat16
