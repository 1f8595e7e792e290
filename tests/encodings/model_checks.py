"""What every encoding must do inside a whole model, shared by the test files of this folder."""

import torch

from posenc_helpers.transformer import TinyTransformer

HEADS, HEAD_DIM, LENGTH, BATCH = 3, 8, 13, 2
WIDTH = HEADS * HEAD_DIM


def loud(encoding):
    """Give every parameter of `encoding` numbers of size 1, so that an encoding that is not used shows."""
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for parameter in encoding.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator).abs())
    return encoding


def randomised(module):
    """Give every parameter of `module` numbers of size 1/4, so that no term of its scores is too small to be seen."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape) / 4)


def heads_of(x, linear, heads):
    """Project x (B, L, width) and split it: (B, H, L, d_head)."""
    return linear(x).unflatten(-1, (heads, -1)).transpose(1, 2)


def tiny(encoding):
    """Return a small causal model with `encoding`, and tokens (2, 13) for it."""
    torch.manual_seed(5)
    model = TinyTransformer(17, 24, 3, layers=2, encoding=encoding, embedding_std=1.0).eval()
    with torch.no_grad():
        for block in model.blocks:
            block.attention.qkv.weight.mul_(2)  # scores of size 1, so that attention is far from uniform
    return model, torch.randint(17, (2, 13))


def largest_tensor(function, *arguments):
    """Return the number of elements of the largest tensor that an operation inside `function` returns."""

    class Watch(torch.utils._python_dispatch.TorchDispatchMode):
        largest = 0

        def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
            out = operation(*args, **(kwargs or {}))
            # Views and expanded tensors own no memory: count what lies in the storage behind them.
            for tensor in out if isinstance(out, (tuple, list)) else [out]:
                if isinstance(tensor, torch.Tensor):
                    self.largest = max(self.largest, tensor.untyped_storage().nbytes() // tensor.element_size())
            return out

    with Watch() as watch:
        function(*arguments)
    return watch.largest
