"""What a check asks: its random inputs, and the order of its questions.

A reader is asked the same each time. A grader who sets SHIFT asks otherwise (tools/grading/again.py): a right answer is
right again, a stored one is not.
"""

import random
from collections.abc import Sequence

import torch
from torch import Generator, Tensor

SHIFT = 0


def drawn(seed: int) -> Generator:
    """Return what a check draws random inputs with."""
    return Generator().manual_seed(seed + SHIFT)


def whole(generator: Generator, low: int, high: int) -> int:
    """Return a whole number from `low` to `high`, drawn: a size, a width, a position."""
    return int(torch.randint(low, high + 1, (), generator=generator))


def places(generator: Generator, count: int, stop: int) -> Tensor:
    """Return `count` different positions from 0 to `stop` - 1, drawn, in order: (count,)."""
    return torch.randperm(stop, generator=generator)[:count].sort().values


def reordered(questions: Sequence) -> Sequence:
    """Return `questions` in the order in which a check asks them."""
    return random.Random(SHIFT).sample(questions, len(questions)) if SHIFT else questions
