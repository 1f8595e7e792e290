"""The four outcomes of a check: not attempted, right, not yet (with the likely mistake named), stopped by an error.

A check never prints the expected value, never raises, and accepts float32, float64, NumPy and plain numbers alike.
"""

import dis
import math
import numbers
import traceback
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor


class NotYet(Exception):
    """The answer is wrong; the message names the likely mistake."""


def need(condition: bool, hint: str) -> None:
    """Raise NotYet with `hint` unless `condition` holds."""
    if not condition:
        raise NotYet(hint)


def run_check(title: str, answer, test: Callable[[], None], well_done: str) -> None:
    """Run `test`, which raises NotYet with a hint where the answer is wrong, and print one of the four outcomes."""
    if not attempted(answer):
        print(f"{title}: not attempted yet. Replace the ... and run the cell again.")
        return
    try:
        test()
    except NotYet as hint:
        print(f"{title}: not yet. {hint}")
    except NotImplementedError:
        print(f"{title}: not attempted yet. Replace the line that raises NotImplementedError.")
    except Exception as error:
        print(f"{title}: your code stopped with {type(error).__name__}: {error}{_line(error, answer)}")
    else:
        print(f"{title}: right. {well_done}")


def attempted(answer) -> bool:
    """Return False for `...` and for a function whose body is still `...`, `return ...`, `pass` or a docstring alone."""
    if answer is ...:
        return False
    code = getattr(answer, "__code__", None)
    if code is None:
        return True
    steps = [step for step in dis.get_instructions(code) if step.opname not in ("RESUME", "NOP", "CACHE")]
    empty = all(step.opname in ("LOAD_CONST", "RETURN_VALUE", "RETURN_CONST") for step in steps)
    return not (empty and all(step.argval in (None, ...) for step in steps if step.opname != "RETURN_VALUE"))


def as_bool(value, what: str) -> bool:
    """Return a yes-or-no answer as bool, or raise NotYet saying what came instead."""
    shape = getattr(value, "shape", None)  # of a tensor or a NumPy array or scalar
    if shape is not None and math.prod(shape) == 1:
        value = value.item()
    need(value is not None, f"{what} returned nothing. Is the `return` missing?")
    came = type(value).__name__ if shape is None else f"{type(value).__name__} of shape {tuple(shape)}"
    need(
        isinstance(value, numbers.Real) and value in (0, 1),
        f"{what} should return True or False, but it returned {came}.",
    )
    return bool(value)


def as_number(value, what: str) -> float:
    """Return a one-number answer as float, or raise NotYet saying what came instead."""
    need(value is not None, f"{what} returned nothing. Is the `return` missing?")
    try:
        number = torch.as_tensor(_taken(value)).detach()
    except (TypeError, ValueError, RuntimeError):
        raise NotYet(f"{what} should return a number, but it returned {type(value).__name__}.") from None
    need(not number.is_complex(), f"{what} should return a real number, but it returned a complex one.")
    need(number.numel() == 1, f"{what} should return one number, but it returned shape {tuple(number.shape)}.")
    need(bool(number.isfinite()), f"{what} returned {number.item()}.")
    return float(number)


def as_tensor(value, what: str, shape: tuple[int, ...]) -> Tensor:
    """Return an answer as a float64 tensor of `shape`, or raise NotYet saying what came instead."""
    need(value is not None, f"{what} returned nothing. Is the `return` missing?")
    try:
        tensor = torch.as_tensor(_taken(value)).detach()
    except (TypeError, ValueError, RuntimeError):
        raise NotYet(f"{what} should be a tensor, but it is of type {type(value).__name__}.") from None
    need(not tensor.is_complex(), f"{what} should hold real numbers, but they are complex.")
    need(tuple(tensor.shape) == shape, f"{what} should have shape {shape}, but it has {tuple(tensor.shape)}.")
    need(bool(tensor.isfinite().all()), f"{what} holds NaN or infinity.")
    return tensor.double()


def _taken(value):
    """Return `value` in a form that PyTorch takes as it is: NumPy views that run backwards, lists of tensors, and Python's
    own numbers, which are float64 and would be rounded to float32."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, float):
        return np.float64(value)
    if isinstance(value, list | tuple) and value and all(isinstance(row, Tensor) for row in value):
        return torch.stack(tuple(value))
    if isinstance(value, list | tuple):
        return np.array(value)
    return value


def _line(error: Exception, answer) -> str:
    """Say where in the reader's own function the error arose, not where in ours."""
    code = getattr(answer, "__code__", None)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if code and f.filename == code.co_filename]
    if not frames:
        return "."
    return f". Look at line {frames[-1].lineno} of your cell: {(frames[-1].line or '').strip()}"
