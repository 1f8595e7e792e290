"""`claim`: a sentence of the text, measured by the cell beside it."""

import math
from collections.abc import Callable

from torch import Tensor


class ClaimFailed(AssertionError):
    """The measurement contradicts the text."""


def difference(left: Tensor, right: Tensor) -> Tensor:
    """Return the largest absolute difference of two tensors of like shape, what most claims measure."""
    return (left - right).abs().max()


def refused(call: Callable[[], object]) -> bool:
    """Return whether `call()` raises a ValueError, and print what it says."""
    try:
        call()
    except ValueError as error:
        print(error)
        return True
    return False


def claim(
    statement: str,
    measured: float | bool | Tensor,
    *,
    below: float | None = None,
    above: float | None = None,
    near: float | None = None,
    within: float | None = None,
) -> None:
    """Print `ok STATEMENT (measured X; required ...)`, or raise ClaimFailed if the measurement says otherwise.

    Give exactly one bound: `below`, `above`, or `near` together with `within` (its largest allowed distance). `measured`
    is a number or a tensor of one element; True and False count as 1 and 0. NaN fails every claim.
    Raises TypeError or ValueError when the claim itself is ill-formed.
    """
    if not statement or "\n" in statement or "measured" in statement:
        raise ValueError(f"statement={statement!r} must be one line without 'measured': tests blank what follows it")
    if isinstance(measured, Tensor):
        if measured.numel() != 1:
            raise ValueError(f"measured has shape {tuple(measured.shape)}; allowed: one number")
        measured = measured.detach()  # or PyTorch warns, in the cell that makes the claim
    value = float(measured)
    if [below, above, near].count(None) != 2 or (near is None) != (within is None):
        raise ValueError("give exactly one bound: below=, above=, or near= with within=")
    if below is not None:
        holds, required = value < below, f"< {below:g}"
    elif above is not None:
        holds, required = value > above, f"> {above:g}"
    else:
        holds, required = abs(value - near) <= within, f"{near:g} +- {within:g}"
    line = f"{statement} (measured {_short(value)}; required {required})"
    if not holds:  # NaN compares false and lands here
        raise ClaimFailed(f"not so: {line}")
    print(f"ok {line}")


def _short(value: float) -> str:
    """Three significant digits; whole numbers in full."""
    if math.isfinite(value) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.3g}"
