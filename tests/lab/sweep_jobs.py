"""What the jobs of a sweep do, in a module of their own: worker processes import it, and little else."""

import time
from pathlib import Path
from uuid import uuid4

import torch


def square(folder, n):
    """What the jobs do; a call leaves a file, so that it counts in whatever process it happens."""
    Path(folder, f"call-{n}-{uuid4().hex}").touch()
    return {"square": n * n}


def waiting(folder, n):
    """As `square`, but job 2 does not end before the file "go" is there."""
    row = square(folder, n)
    while n == 2 and not Path(folder, "go").exists():
        time.sleep(0.01)
    return row


class Awkward(Exception):
    """It can be pickled, but not unpickled."""

    def __init__(self, number, text):
        super().__init__(f"{text} at {number}")


def fail(folder, n):
    if n == 1 and not Path(folder, "mended").exists():
        raise Awkward(n, "broken")
    return square(folder, n)


def drawn(seed):
    torch.manual_seed(seed)
    time.sleep(0.01)  # another run in this process would draw here
    return [{"threads": torch.get_num_threads(), "drawn": torch.rand(1).item()}]


def drawn_but_one(folder, seed):
    fail(folder, seed)
    return drawn(seed)
