"""How a check reads an answer (yes or no, a number, a tensor; float32, float64, NumPy and plain numbers alike) and calls it,
with the mistakes of code named that any exercise can meet: a forgotten return, axes in another order, fractions cut off,
inputs changed in place, results that change later.
"""

import inspect
import math
import numbers
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.checking import NotYet, need


def as_bool(value, what: str) -> bool:
    """Return a yes-or-no answer as bool, or raise NotYet saying what came instead."""
    shape = getattr(value, "shape", None)  # of a tensor or a NumPy array or scalar
    if shape is not None and math.prod(shape) == 1:
        value = value.item()
    _is_there(value, what)
    came = type(value).__name__ if shape is None else f"{type(value).__name__} of shape {tuple(shape)}"
    need(
        isinstance(value, numbers.Real) and value in (0, 1),
        f"{what} should return True or False, but it returned {came}.",
        name="not a yes or no",
    )
    return bool(value)


def as_number(value, what: str) -> float:
    """Return a one-number answer as float, or raise NotYet saying what came instead."""
    _is_there(value, what)
    number = _read(value, f"{what} should return a number, but it returned {type(value).__name__}.", "not a number")
    for wrong, wanted, came, name in (
        (number.dtype == torch.bool, "a number", "a yes or no", "not a number"),
        (number.is_complex(), "a real number", "a complex one", "complex number"),
        (number.numel() != 1, "one number", f"shape {tuple(number.shape)}", "not one number"),
    ):
        need(not wrong, f"{what} should return {wanted}, but it returned {came}.", name=name)
    need(bool(number.isfinite()), f"{what} returned {number.item()}.", name="NaN or infinity")
    return float(number)


def as_tensor(value, what: str, shape: tuple[int, ...], whole: bool | None = None) -> Tensor:
    """Return an answer as a float64 tensor of `shape`, or raise NotYet saying what came instead.

    whole: True for ids, which must have a type that PyTorch takes as an index; False where fractions must not be cut off.
    """
    _is_there(value, what)
    tensor = _read(value, f"{what} should be a tensor, but it is of type {type(value).__name__}.", "not a tensor")
    need(tensor.device.type != "meta", f"{what} is on the device meta, which holds no numbers.", name="device meta")
    need(not tensor.is_complex(), f"{what} should hold real numbers, but they are complex.", name="complex numbers")
    came = tuple(tensor.shape)
    hint = _shape_hint(came, shape)
    need(
        came == shape,
        f"{what} should have shape {shape}, but it has {came}.{' ' * bool(hint)}{hint}",
        name=hint.split(":")[0].rstrip(".").lower() or "wrong shape",
    )
    need(bool(tensor.isfinite().all()), f"{what} holds NaN or infinity.", name="NaN or infinity")
    kind = str(tensor.dtype).removeprefix("torch.")
    if whole:
        need(
            tensor.dtype in (torch.int64, torch.int32),
            f"{what} is of type {kind}. It counts things, and PyTorch "
            f"takes no index but int64 and int32: floats are refused, bool and uint8 read as a mask.",
            name="type is no index type",
        )
    if whole is False:
        need(
            tensor.dtype.is_floating_point,
            f"{what} holds whole numbers, type {kind}: fractions are cut off.",
            name="fractions cut off",
        )
        need(
            tensor.dtype.itemsize > 2,
            f"{what} is of type {kind}, which keeps three digits: compute in float32.",
            name="too few digits",
        )
    return tensor.double().cpu()


def watched(answer: Callable) -> Callable:
    """Return `answer` with two things checked at every call: its tensors come back as they were, and the results that it
    gave before stay as they are. Raises NotYet."""
    earlier: list[tuple[Tensor, Tensor]] = []

    def call(*inputs):
        kept = [given.clone() if isinstance(given, Tensor) else None for given in inputs]
        result = answer(*inputs)
        need(
            _is_whole(result),
            f"Your code returned {type(result).__name__}: return tensors, arrays or numbers, or lists of these.",
            name="not a tensor",
        )
        for place, (given, before) in enumerate(zip(inputs, kept, strict=True)):
            need(
                before is None or _same(given, before),
                f"Your code changes its input {_argument(answer, place)} in "
                f"place. Whoever called it still needs that: work on a copy.",
                name="input changed in place",
            )
        for old, copy in earlier:
            need(
                _same(old, copy),
                "The result of an earlier call changed when your code ran again: calls share one "
                "tensor. Make a new one each time.",
                name="calls share one result",
            )
        for part in result if isinstance(result, tuple | list) else [result]:
            if isinstance(part, Tensor) and part.device.type != "meta":
                earlier.append((part, part.detach().clone()))
        return result

    return call


def _is_whole(value) -> bool:
    """Whether all of `value` is there already, and nothing of it is computed when a check reads it."""
    if isinstance(value, tuple | list):
        return all(map(_is_whole, value))
    if isinstance(value, dict):
        return all(map(_is_whole, value.values()))
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biufc"
    return value is None or value is ... or isinstance(value, Tensor | numbers.Number | np.generic | str)


def _same(now: Tensor, before: Tensor) -> bool:
    return now.shape == before.shape and torch.allclose(now, before, rtol=0, atol=0, equal_nan=True)


def _argument(answer: Callable, place: int) -> str:
    try:
        names = list(inspect.signature(answer).parameters)
    except (TypeError, ValueError):
        names = []
    return names[place] if place < len(names) else f"number {place + 1}"


def _read(value, otherwise: str, name: str) -> Tensor:
    try:
        return torch.as_tensor(_taken(value)).detach()
    except (TypeError, ValueError, RuntimeError, OverflowError):
        raise NotYet(otherwise, name=name) from None


def _is_there(value, what: str) -> None:
    need(value is not None, f"{what} returned nothing. Is the `return` missing?", name="return missing")
    need(value is not ..., f"{what} is still the dots.", name="still the dots")


def _shape_hint(came: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    """Say how the shape `came` could have come about in place of `wanted`, or "" where it does not tell."""
    if came == wanted:
        return ""
    if sorted(came) == sorted(wanted):
        return "It looks transposed: the right lengths, on other axes."
    if [n for n in came if n != 1] == [n for n in wanted if n != 1]:
        return "An axis of length 1 is too many." if len(came) > len(wanted) else "An axis of length 1 is missing."
    if any(came == wanted[:axis] + wanted[axis + 1 :] for axis in range(len(wanted))):
        return "An axis is missing."
    off = [abs(mine - theirs) for mine, theirs in zip(came, wanted, strict=False)]
    if len(came) == len(wanted) and sum(off) == 1:
        return "One axis is off by one: does a range end too early or too late?"
    return ""


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
