"""Independent models on all cores at once, in threads of this process: PyTorch lets go of Python while it computes.

Each thread computes on one core, so results are those of one core, to the last bit.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
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
