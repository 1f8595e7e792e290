"""Independent models on all cores at once, in threads of this process: PyTorch lets go of Python while it computes.

Each thread computes on one core, so results are those of one core, to the last bit.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import torch

from posenc_helpers.lab.training import one_thread


def cores() -> int:
    """Return how many cores this process may use: OMP_NUM_THREADS where it is set, as in the workers of a sweep."""
    from joblib import cpu_count  # here, so that importing the helpers stays quick

    asked = os.environ.get("OMP_NUM_THREADS", "")
    return int(asked) if asked.isdecimal() and int(asked) else cpu_count()  # PyTorch's own counts no hyperthreads


@contextmanager
def all_cores(most: int) -> Iterator[ThreadPoolExecutor]:
    """Give a thread for each of the `cores`, `most` at most.

    When the block ends, by an error or an interrupt too, what has not begun is dropped and what runs is waited for.
    """
    executor = ThreadPoolExecutor(min(cores(), most), initializer=torch.set_num_threads, initargs=(1,))
    with one_thread():
        try:
            yield executor
        finally:
            executor.shutdown(cancel_futures=True)


def in_turns(executor: ThreadPoolExecutor, step: Callable, items: Sequence, turns: int) -> list[list[Future]]:
    """Start step(item, turn) of every item and turn; return a list of futures for each turn.

    The turns of one item follow one another, and nobody waits for the slowest: while one item still does this turn,
    others do the next.
    """

    def after(last: Future | None, item: object, turn: int) -> object:
        if last:
            last.result()  # it was handed out before this one, so it has begun
        return step(item, turn)

    rounds: list[list[Future]] = []
    for turn in range(turns):
        before = rounds[-1] if rounds else [None] * len(items)
        rounds.append([executor.submit(after, *pair, turn) for pair in zip(before, items, strict=True)])
    return rounds
