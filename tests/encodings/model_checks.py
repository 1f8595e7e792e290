"""Layers of other packages beside ours: heads, weights that show, and what a computation holds at once."""

import torch

from posenc_helpers.lab.memory import largest_tensor


def randomised(module, size=0.25):
    """Give every parameter of `module` numbers of this size, so that no term of its scores is too small to be seen."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape) * size)
    return module


def heads_of(x, linear, heads):
    """Project x (B, L, width) and split it: (B, H, L, d_head)."""
    return linear(x).unflatten(-1, (heads, -1)).transpose(1, 2)


def largest(function, *arguments):
    """Return how many float32 numbers the largest tensor holds that an operation inside `function` makes."""
    return largest_tensor(lambda: function(*arguments))[1] // 4
