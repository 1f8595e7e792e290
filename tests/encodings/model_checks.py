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


def tiny(encoding, causal=True):
    """Return a small model with `encoding`, and tokens (BATCH, LENGTH) for it."""
    torch.manual_seed(5)
    model = TinyTransformer(17, WIDTH, HEADS, layers=2, encoding=encoding, causal=causal, embedding_std=1.0).eval()
    with torch.no_grad():
        for block in model.blocks:
            block.attention.qkv.weight.mul_(2)  # scores of size 1, so that attention is far from uniform
    return model, torch.randint(17, (BATCH, LENGTH))


@torch.no_grad()
def change_by_shift(encoding, offset, causal=True):
    """Return the largest change of a logit when all positions move by `offset`."""
    model, tokens = tiny(encoding, causal)
    positions = torch.arange(LENGTH)
    return float((model(tokens, positions + offset) - model(tokens, positions)).abs().max())


@torch.no_grad()
def change_by_order(encoding, causal=True):
    """Return the largest change of a logit when the positions are spread out: 0, 2, 4 ... for 0, 1, 2 ..."""
    model, tokens = tiny(encoding, causal)
    positions = torch.arange(LENGTH)
    return float((model(tokens, 2 * positions) - model(tokens, positions)).abs().max())


@torch.no_grad()
def assert_decoding_equals_full_pass(encoding, start=0):
    """Feed the text in pieces of 4, 1, 3 ... tokens through a key cache: the logits are those of one pass."""
    model, tokens = tiny(encoding)
    positions = torch.arange(start, start + LENGTH).expand(BATCH, -1)  # (B, L): the batched form on the way
    full = model(tokens, positions[0])
    caches, pieces = model.new_caches(), []
    for piece in torch.arange(LENGTH).split([4, 1, 3, 1, 4]):
        pieces.append(model(tokens[:, piece], positions[:, piece], caches=caches))
    torch.testing.assert_close(torch.cat(pieces, dim=1), full, atol=2e-5, rtol=1e-5)


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
