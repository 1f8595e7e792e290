"""Asks a right answer again: with other random inputs, and then the same questions in another order, of a twin.

A check that everybody runs asks the same questions each time. Whoever stored its answers, and gives them by counting calls
or by remembering which question came first, is right only as long as nothing changes. The twin is a process that was split
off before the answer ran, so that nothing it remembers is of the first round.
"""

import copy
import functools
import io
import os
import random
import sys
import time
from collections.abc import Callable

import numpy as np
import torch
from torch import Generator, Tensor

from posenc_helpers.classroom.exercises import questions
from posenc_helpers.classroom.exercises.checking import Outcome

ROUNDS, ENOUGH = 3, 5.0  # with other inputs; no further one after so many seconds
FEWEST, MOST = 16, 200  # questions that the twin is asked, some of them more than once
Check = Callable[..., Outcome]
torch.save(torch.zeros(1), io.BytesIO())  # Python notes in Tensor how it is saved: before child.judges looks at it


class Twin:
    """A process that waits to be asked; `make` returns the answer anew. Only Linux has one."""

    def __init__(self, check: Check, make: Callable[[], object]):
        self.there = sys.platform == "linux"
        if not self.there:
            return
        (asked, self.ask), (self.told, tell) = os.pipe(), os.pipe()
        if os.fork():
            os.close(asked), os.close(tell)
            return
        os.close(self.ask), os.close(self.told)
        with os.fdopen(asked, "rb") as file:
            told = file.read()
        try:
            reason = otherwise(check, make(), *torch.load(io.BytesIO(told), weights_only=True)) if told else ""
        except BaseException as error:  # SystemExit, too: it is a student's code
            reason = f"stops when it is asked again: {type(error).__name__}"
        os.write(tell, reason.encode())
        os._exit(0)

    def answers(self, shift: int, results: list[list]) -> str:
        """Return what is different when the twin answers the questions that had `results`, or ""."""
        if not self.there:
            return ""
        with os.fdopen(self.ask, "wb") as file:
            torch.save((shift, results), file)
        with os.fdopen(self.told, "rb") as file:
            return file.read().decode()


def differs(check: Check, answer, twin: Twin) -> str:
    """Return how `answer`, right the first time, does otherwise when it is asked again, or ""."""
    results: list[list] = []
    chance, start = random.SystemRandom(), time.monotonic()

    def recorded(function: Callable) -> Callable:
        results.append([])
        mine = results[-1]

        @functools.wraps(function)
        def run(*inputs):
            mine.append(_copied(function(*inputs)))
            return _copied(mine[-1])

        return run

    try:
        for _ in range(ROUNDS):
            results.clear()
            questions.SHIFT = chance.randrange(1, 10**6)
            if check(_mapped(answer, recorded)).kind != "right":
                return "is not right for other inputs"
            if time.monotonic() - start > ENOUGH:
                break
        return twin.answers(questions.SHIFT, results) if any(results) else ""
    finally:
        questions.SHIFT = 0


def otherwise(check: Check, answer, shift: int, results: list[list]) -> str:
    """Ask `answer`, which knows no question yet, those that had `results`; return what is different, or ""."""
    questions.SHIFT = shift
    chance, functions, asked = random.SystemRandom(), [], []

    def replayed(function: Callable) -> Callable:
        turns = iter(results[len(functions)])
        functions.append(function)

        def run(*inputs):
            asked.append((function, [_copied(given) for given in inputs], next(turns)))
            return _copied(asked[-1][2])

        return run

    if check(_mapped(answer, replayed)).kind != "right":
        return ""  # a check that watches how the answer works, and not only what it returns
    for function, inputs, result in chance.choices(asked, k=min(max(len(asked), FEWEST), MOST)):
        if not _alike(_copied(function(*map(_copied, inputs))), result):
            return "answers otherwise in another order"
    return ""


def _mapped(answer, change: Callable):
    """Return `answer` with `change(function)` for each of its functions; a class stays as it is."""
    if isinstance(answer, tuple | list):
        return type(answer)(_mapped(part, change) for part in answer)
    if isinstance(answer, dict):
        return {key: _mapped(part, change) for key, part in answer.items()}
    return change(answer) if callable(answer) and not isinstance(answer, type) else answer


def _copied(value):
    """Return a copy of what is asked or answered: arrays as tensors, NumPy's numbers as Python's."""
    if isinstance(value, np.ndarray | np.generic):
        value = torch.as_tensor(value.copy()) if value.ndim else value.item()
    if isinstance(value, Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    if isinstance(value, Generator):
        return Generator().set_state(value.get_state())
    if isinstance(value, tuple | list):
        return [_copied(part) for part in value]
    if isinstance(value, dict):
        return {key: _copied(part) for key, part in value.items()}
    return value if callable(value) else copy.deepcopy(value)


def _alike(now, before) -> bool:
    if isinstance(before, list):
        return isinstance(now, list) and len(now) == len(before) and all(map(_alike, now, before))
    if isinstance(before, dict):
        return isinstance(now, dict) and now.keys() == before.keys() and all(_alike(now[k], before[k]) for k in now)
    if isinstance(before, str) or before is None:
        return type(now) is type(before) and now == before
    now, before = torch.as_tensor(now), torch.as_tensor(before)
    same = now.shape == before.shape and now.dtype == before.dtype
    return same and torch.allclose(now.cdouble(), before.cdouble(), rtol=1e-3, atol=1e-5, equal_nan=True)
