"""Which operations an answer runs, for exercises that ask for a way and not for a result alone."""

import functools
from collections.abc import Callable

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode


class Watch(TorchDispatchMode):
    """Notes the largest tensor that an operation returns, the names of all operations, and which look up by index."""

    def __init__(self):
        super().__init__()
        self.most, self.lookups, self.names, self.operations = 0, set(), set(), 0

    def over(self, answer: Callable) -> Callable:
        """Return `answer`, run under this watch."""

        @functools.wraps(answer)
        def run(*inputs):
            with self:
                return answer(*inputs)

        return run

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        result = operation(*args, **(kwargs or {}))
        self.operations += 1
        name = operation.overloadpacket.__name__
        self.names.add(name)
        if name in ("gather", "index", "index_select", "masked_select", "take", "scatter", "scatter_add", "embedding"):
            self.lookups.add(name)
        for tensor in result if isinstance(result, tuple | list) else [result]:
            if isinstance(tensor, Tensor):
                self.most = max(self.most, tensor.numel())
        return result
