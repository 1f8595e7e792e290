"""Checks of arguments shared by all encodings: wrong input is refused by name, value and what is allowed."""

from numbers import Integral, Real

import torch
from torch import Tensor


def check_choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Refuse `value` unless it is one of `allowed`."""
    if value not in allowed:
        raise ValueError(f"{name}={value!r} is not known; allowed: {', '.join(map(repr, allowed))}")


def check_count(name: str, value: object, least: int = 1) -> int:
    """Return `value` as an int, NumPy's integers too; refuse what is no integer of at least `least`."""
    # SymInt: a length that torch.export leaves open. A tuple, not a union: torch 2.4 to 2.8 cannot compile a union.
    if isinstance(value, bool) or not isinstance(value, (int, torch.SymInt, Integral)):
        raise TypeError(f"{name}={value!r} must be an integer")
    if value < least:
        raise ValueError(f"{name}={value} must be at least {least}")
    return value if isinstance(value, (int, torch.SymInt)) else int(value)


def check_even(name: str, value: object, least: int = 2) -> int:
    """Return `value` as an int; refuse what is no even integer of at least `least`: a pair needs two columns."""
    value = check_count(name, value, least)
    if value % 2:
        raise ValueError(f"{name}={value} must be even: every frequency takes a pair of columns")
    return value


def check_positive(name: str, value: float) -> None:
    """Refuse `value` unless it is a finite number above 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Real)):
        raise TypeError(f"{name}={value!r} must be a number")
    if not 0 < value < float("inf"):
        raise ValueError(f"{name}={value} must be a finite number above 0")


def check_floating(name: str, x: Tensor) -> None:
    """Refuse activations or tables that are no floating-point tensor: integers would cut a code or a bias off."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{name} must be a torch.Tensor, got {type(x).__name__}")
    if not x.is_floating_point():
        raise TypeError(f"{name} has dtype {x.dtype}; allowed: floating-point numbers")


def real_positions(positions: Tensor, name: str = "positions") -> Tensor:
    """Return `positions` as real numbers: float64 stays, everything else becomes float32.

    Raises TypeError for anything but a real tensor, ValueError for half precision, in which positions collide:
    bfloat16 cannot tell 256 from 257, float16 cannot tell 2048 from 2049.
    """
    if not isinstance(positions, Tensor):
        raise TypeError(f"{name} must be a torch.Tensor, got {type(positions).__name__}")
    if positions.dtype in (torch.bfloat16, torch.float16):
        raise ValueError(
            f"{name} has dtype {positions.dtype}, in which neighbouring positions are equal from "
            f"{'256' if positions.dtype is torch.bfloat16 else '2048'} on; pass integers or float32"
        )
    if positions.dtype is torch.bool or positions.dtype.is_complex:
        raise TypeError(f"{name} has dtype {positions.dtype}; allowed: integers, float32, float64")
    return positions if positions.dtype is torch.float64 else positions.to(torch.float32)


def exact_positions(positions: Tensor, name: str = "positions") -> Tensor:
    """Return `positions` ready to be subtracted: integers as int64 (uint8 would wrap, float32 round), reals as they are.

    Raises what `real_positions` raises.
    """
    real_positions(positions, name)
    return positions if positions.is_floating_point() else positions.to(torch.int64)


def whole_positions(positions: Tensor, name: str = "positions") -> Tensor:
    """Return `positions` as int64, for methods whose table has a row for whole numbers only.

    Raises TypeError for anything but a tensor of integers.
    """
    if not isinstance(positions, Tensor):
        raise TypeError(f"{name} must be a torch.Tensor of integers, got {type(positions).__name__}")
    if positions.dtype.is_floating_point or positions.dtype.is_complex or positions.dtype is torch.bool:
        raise TypeError(f"{name} has dtype {positions.dtype}; allowed: integers, since a table has whole rows only")
    return positions.to(torch.int64)


def check_range(name: str, positions: Tensor, end: int) -> Tensor:
    """Return `positions` as int64, and refuse them unless they are integers from 0 to end - 1.

    Compiled code cannot look at the numbers, and skips that part.
    """
    positions = whole_positions(positions, name)
    if positions.numel() and not (torch.compiler.is_compiling() or positions.is_meta):
        low, high = int(positions.min()), int(positions.max())
        if low < 0 or high >= end:
            raise ValueError(f"{name} runs from {low} to {high}; allowed: 0 to {end - 1}")
    return positions


def check_reach(name: str, positions: Tensor) -> None:
    """Refuse whole positions from 2^24 on, of which float32 has no more than every second.

    Compiled code cannot look at the numbers, and on a GPU looking would stop the queue: both skip this.
    """
    if torch.compiler.is_compiling() or positions.device.type != "cpu" or positions.is_floating_point():
        return
    reach = int(positions.to(torch.int64).abs().max()) if positions.numel() else 0
    if reach >= 2**24:
        raise ValueError(
            f"{name} reaches {reach}; from {2**24} on float32 has no more than every second integer: pass float64"
        )


def check_embedded(x: Tensor, positions: Tensor, dim: int) -> None:
    """Refuse an input of door 1 unless x is (B, L, dim), of floating point, and positions are (L,) or (B, L)."""
    check_floating("x", x)
    if x.ndim != 3:
        raise ValueError(f"x has shape {tuple(x.shape)}; allowed: (B, L, {dim})")
    batch, length, width = x.shape
    if width != dim:
        raise ValueError(f"x has width {width}, but the encoding was made for dim={dim}")
    if positions.shape in ((length,), (batch, length)):
        return
    hint = ""
    if positions.ndim == 1 and len(positions) == batch:
        hint = "; x looks like (L, B, d), and this package is batch first: pass x.transpose(0, 1)"
    raise ValueError(
        f"positions has shape {tuple(positions.shape)}; allowed for x of shape {tuple(x.shape)}: "
        f"({length},) or ({batch}, {length}){hint}"
    )
