"""What a computation needs at its peak: the largest tensor that any operation inside it makes."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode


class _Watch(TorchDispatchMode):
    largest = 0

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        made = operation(*args, **(kwargs or {}))
        for part in made if isinstance(made, tuple | list) else (made,):
            if isinstance(part, Tensor):  # views own no memory: count what lies behind them
                self.largest = max(self.largest, part.untyped_storage().nbytes())
        return made


def largest_tensor(call: Callable[[], object]) -> tuple[object, int]:
    """Return what `call()` returns, and the bytes of the largest tensor that an operation inside it made.

    What a fused kernel holds inside itself does not count: it never becomes a tensor.
    """
    with _Watch() as watch, torch.no_grad():
        result = call()
    return result, watch.largest
