"""What a rule is: data with a function that looks for the smallest input where an encoding breaks it."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from posenc_helpers.lab.rules.candidate import Candidate

CLOSE = 1e-3  # of logits of order 1: rounding gives 1e-6


class Rule(NamedTuple):
    """A rule: `broken(candidate)` returns None, or the smallest input at which it is broken and what happens there."""

    name: str
    why: str
    change: str
    broken: Callable[[Candidate], str | None]

    def put(self, given: Candidate) -> "Finding":
        """Return what becomes of this rule; where it stops, it is broken."""
        try:
            return Finding(self, self.broken(given))
        except Exception as error:
            return Finding(self, said(error))


class Finding(NamedTuple):
    """What became of a rule: `broken` is None where it holds."""

    rule: Rule
    broken: str | None


RULES: list[Rule] = []


def rule(name: str, why: str, change: str) -> Callable:
    """Add the decorated function to RULES. It must find the smallest input by itself, as `smallest` does."""

    def add(broken: Callable[[Candidate], str | None]) -> Callable[[Candidate], str | None]:
        RULES.append(Rule(name, why, change, broken))
        return broken

    return add


def smallest(inputs: Sequence, words: str, test: Callable[..., str | None]) -> str | None:
    """Return `words` about the first of `inputs` at which `test` says what is wrong or stops, or None."""
    for one in inputs:
        try:
            wrong = test(one)
        except Exception as error:
            wrong = said(error)
        if wrong:
            return f"{words.format(one)}: {wrong}"
    return None


def said(error: Exception) -> str:
    """Return what stopped, in one line."""
    return f"stops with {type(error).__name__}: {(str(error).splitlines() or ['no message'])[0]}"


def unfit(given: Candidate, positions: Tensor, dtype: torch.dtype = torch.float32) -> str | None:
    """Return which door gives no tensor, or one of a wrong shape, at positions (L,), or None. Raises what a door raises."""
    heads, width, length = given.heads, given.width, len(positions)
    allowed = {"embed": (1, length, width), "rotate": (1, heads, length, width // heads)}
    for door, value in given.doors(positions, dtype).items():
        shape = allowed.get(door.split()[0], (1, heads, length, length))
        if not isinstance(value, Tensor):
            return f"{door} returns a {type(value).__name__}; allowed: a tensor"
        if door.startswith("rotate") and value.shape[:-1] == shape[:-1] and value.shape[-1] > shape[-1]:
            continue  # q and k may be wider, as with PoPE
        if value.shape != shape and not (door.startswith("bias") and _fits(value.shape, shape)):
            return f"{door} returns shape {tuple(value.shape)}; allowed: {shape}"
    return None


def _fits(shape: torch.Size, into: tuple[int, ...]) -> bool:
    """Whether a tensor of `shape` can be broadcast to the shape `into`."""
    return len(shape) <= len(into) and all(a in (1, b) for a, b in zip(shape[::-1], into[::-1], strict=False))


def differ(left: Tensor, right: Tensor) -> str | None:
    """Return by how much two tensors of logits differ, in words, or None where rounding explains it."""
    off = ((left - right).abs().max() / right.abs().max().clamp(min=1)).item()
    return None if off < CLOSE else f"the logits are off by (measured {off:.2g}; required < {CLOSE:g})"
