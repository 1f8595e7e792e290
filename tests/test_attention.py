"""Attention against PyTorch's own: masks, the order of doors 2 and 3, layers with copied weights.

Sizes all differ: batch 2, heads 3, queries 5, keys 7, head width 8, value width 6.
"""

import math

import pytest
import torch
from torch import Generator, Tensor, nn
from torch.nn.attention.bias import causal_lower_right
from torch.nn.functional import scaled_dot_product_attention

from posenc_helpers.encodings import PositionalEncoding
from posenc_helpers.transformer import Attention, Block, attend, causal_mask
from tests.refused import refused

B, H, L_Q, L_K, D_HEAD, D_VALUE = 2, 3, 5, 7, 8, 6
WIDTH = H * D_HEAD
MASK_SHAPES = [(L_Q, L_K), (B, L_Q, L_K), (B, 1, L_Q, L_K), (B, H, L_Q, L_K)]


def random(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(*shape, generator=Generator().manual_seed(seed), dtype=dtype)


def random_mask(*shape: int, seed: int = 0) -> Tensor:
    """About half True; the first key is always allowed, so that no row is empty."""
    mask = torch.rand(*shape, generator=Generator().manual_seed(seed)) < 0.5
    mask[..., 0] = True
    return mask


def qkv(dtype: torch.dtype = torch.float64, queries: int = L_Q) -> tuple[Tensor, Tensor, Tensor]:
    shapes = [(queries, D_HEAD), (L_K, D_HEAD), (L_K, D_VALUE)]
    return tuple(random(B, H, *shape, seed=seed, dtype=dtype) for seed, shape in enumerate(shapes))


def places(queries: int = L_Q, keys: int = L_K, start: int = 0) -> tuple[Tensor, Tensor]:
    """Positions of the keys, and of the queries, which are the last of them."""
    k_positions = start + torch.arange(keys)
    return k_positions[-queries:], k_positions


def for_sdpa(mask: Tensor | None) -> Tensor | None:
    return mask[:, None] if mask is not None and mask.ndim == 3 else mask


@pytest.mark.parametrize(("dtype", "atol"), [(torch.float64, 1e-14), (torch.float32, 2e-6)])
@pytest.mark.parametrize("shape", [None, *MASK_SHAPES], ids=str)
def test_attend_equals_scaled_dot_product_attention(shape, dtype, atol):
    q, k, v = qkv(dtype)
    mask = None if shape is None else random_mask(*shape)
    ours = attend(q, k, v, *places(), mask=mask)
    theirs = scaled_dot_product_attention(q, k, v, attn_mask=for_sdpa(mask))
    assert ours.shape == (B, H, L_Q, D_VALUE) and ours.dtype is dtype
    torch.testing.assert_close(ours, theirs, rtol=0, atol=atol)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("shape", MASK_SHAPES, ids=str)
def test_a_fully_masked_row_gives_zeros_and_finite_gradients(shape, dtype):
    q, k, v = (part.requires_grad_() for part in qkv(dtype))
    mask = random_mask(*shape)
    mask[..., 2, :] = False
    out = attend(q, k, v, *places(), mask=mask)
    assert (out[..., 2, :] == 0).all()
    others = [0, 1, 3, 4]
    theirs = scaled_dot_product_attention(q[..., others, :], k, v, attn_mask=for_sdpa(mask)[..., others, :])
    torch.testing.assert_close(out[..., others, :], theirs, rtol=0, atol=8 * torch.finfo(dtype).eps)
    with torch.autograd.set_detect_anomaly(True):  # not even on the way, where NaN times 0 could still hide it
        grads = torch.autograd.grad(out.square().sum(), (q, k, v))
    assert all(grad.isfinite().all() and grad.any() for grad in grads)
    assert (grads[0][..., 2, :] == 0).all()


def test_masked_keys_have_no_influence_however_large_their_scores():
    q, k, v = qkv()
    mask = random_mask(L_Q, L_K)
    mask[:, 4] = False
    k_loud, v_loud = k.clone(), v.clone()
    k_loud[..., 4, :], v_loud[..., 4, :] = 1e6, 1e6
    assert torch.equal(attend(q, k_loud, v_loud, *places(), mask=mask), attend(q, k, v, *places(), mask=mask))


@pytest.mark.parametrize(("queries", "keys"), [(5, 5), (5, 7), (1, 7)])
def test_causal_mask_lets_the_last_query_see_every_key(queries, keys):
    mask = causal_mask(queries, keys)
    expected = [[key <= query + keys - queries for key in range(keys)] for query in range(queries)]
    assert mask.dtype is torch.bool and mask.tolist() == expected
    q, k, v = qkv(queries=queries)
    k, v = k[..., :keys, :], v[..., :keys, :]
    ours = attend(q, k, v, *places(queries, keys), mask=mask)
    theirs = scaled_dot_product_attention(q, k, v, attn_mask=causal_lower_right(queries, keys))
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-14)


# -------------------------------------------------------------------------------------------------- doors 2 and 3


class Doors(PositionalEncoding):
    """Door 1 adds 3, door 2 multiplies q by 2 and k by 5, door 3 adds the bias it is given, the side window negates."""

    def __init__(self, added: Tensor):
        super().__init__()
        self.added = added

    def embed(self, x, positions):
        return x + 3

    def rotate(self, q, k, q_positions, k_positions):
        return 2 * q, 5 * k

    def bias(self, q, k, q_positions, k_positions):
        self.seen = q, k
        return self.added

    def mix(self, weights, v, q_positions, k_positions):
        return -(weights @ v)


@pytest.mark.parametrize("shape", [(L_Q, L_K), (H, 1, L_K), (B, H, L_Q, L_K)], ids=str)
@pytest.mark.parametrize("masked", [False, True])
def test_attend_rotates_then_scales_then_adds_the_bias_then_masks(shape, masked):
    q, k, v = qkv()
    bias = random(*shape, seed=9)
    mask = random_mask(L_Q, L_K)
    encoding = Doors(bias)
    ours = attend(q, k, v, *places(), encoding, mask if masked else None)
    added = bias.masked_fill(~mask, -math.inf) if masked else bias.expand(B, H, L_Q, L_K)
    theirs = -scaled_dot_product_attention(2 * q, 5 * k, v, attn_mask=added.expand(B, H, L_Q, L_K))
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-13)
    assert torch.equal(encoding.seen[0], 2 * q) and torch.equal(encoding.seen[1], 5 * k)  # door 3 sees rotated ones


class Wider(PositionalEncoding):
    """Door 2 gives q and k further columns, as PoPE does, here of zeros."""

    def rotate(self, q, k, q_positions, k_positions):
        return nn.functional.pad(q, (0, 8)), nn.functional.pad(k, (0, 8))


def test_scores_are_divided_by_the_width_of_the_heads_where_door_2_makes_them_wider():
    q, k, v = qkv()
    torch.testing.assert_close(attend(q, k, v, *places(), Wider()), attend(q, k, v, *places()), rtol=0, atol=1e-14)


# -------------------------------------------------------------------------------------------------- layers


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("masked", [True, False])
def test_attention_equals_multihead_attention_with_copied_weights(causal, masked):
    length = 6
    ours = Attention(WIDTH, H, causal=causal).double()
    theirs = nn.MultiheadAttention(WIDTH, H, bias=False, batch_first=True).double()
    theirs.in_proj_weight.data.copy_(ours.qkv.weight.data)
    theirs.out_proj.weight.data.copy_(ours.out.weight.data)
    x = random(B, length, WIDTH)
    mask = random_mask(B, H, length, length) if masked else None
    allowed = torch.ones(length, length, dtype=torch.bool).tril() if causal else torch.ones(length, length).bool()
    if masked:
        allowed = allowed & mask
    hidden = ~allowed.expand(B, H, length, length).flatten(0, 1)  # MultiheadAttention says True where a key is hidden
    expected, _ = theirs(x, x, x, attn_mask=hidden, need_weights=False)
    torch.testing.assert_close(ours(x, torch.arange(length), mask), expected, rtol=0, atol=1e-14)


def test_a_mask_narrows_the_causal_mask_whatever_its_shape():
    length = 6
    layer = Attention(WIDTH, H, causal=True).double()
    x, positions = random(B, length, WIDTH), torch.arange(length)
    mask = random_mask(length, length)
    first = layer(x, positions, mask)
    for shape in ((B, length, length), (B, 1, length, length), (B, H, length, length)):
        assert torch.equal(layer(x, positions, mask.expand(shape)), first)
    assert torch.equal(layer(x, positions, mask | ~causal_mask(length, length)), first)  # the future stays hidden
    assert not torch.allclose(layer(x, positions), first, atol=1e-3)


def test_block_is_two_residual_sublayers_behind_norms():
    block = Block(WIDTH, H, PositionalEncoding(), causal=True).double()
    x, positions = random(B, 5, WIDTH), torch.arange(5)

    def normed(y: Tensor) -> Tensor:
        return (y - y.mean(-1, keepdim=True)) / (y.var(-1, keepdim=True, unbiased=False) + 1e-5).sqrt()

    middle = x + block.attention(normed(x), positions)
    first, _, second = block.feed_forward
    expected = middle + second(first(normed(middle)).clamp(min=0))
    torch.testing.assert_close(block(x, positions), expected, rtol=0, atol=1e-13)


X, P, ATTENTION = torch.zeros(B, 5, WIDTH), torch.arange(5), Attention(WIDTH, H, causal=True)
Q, K, V = qkv()
MASKS = [(L_K, L_Q), (L_K,), (1, L_K), (H, L_Q, L_K), (B, 2, L_Q, L_K), (1, H, L_Q, L_K), ()]
FITS = r"mask has shape .*allowed: \(5, 7\), \(2, 5, 7\) or \(2, 3 or 1, 5, 7\)"
test_bad_input = refused(
    (lambda: attend(Q[0], K, V, *places()), r"q has shape .*allowed: \(B, H, L"),
    (lambda: attend(Q, K[0], V, *places()), r"k has shape .*allowed: \(B, H, L"),
    (lambda: attend(Q, K, V[0], *places()), r"v has shape .*allowed: \(B, H, L"),
    (lambda: attend(Q, K, V, *places(), mask=torch.zeros(L_Q, L_K)), "mask must be a boolean.*float32", TypeError),
    (lambda: attend(Q, K, V, *places(), mask=[[True]]), "mask must be a boolean tensor, True .* got list", TypeError),
    *((lambda shape=shape: attend(Q, K, V, *places(), mask=torch.ones(shape).bool()), FITS) for shape in MASKS),
    (lambda: causal_mask(0, 5), "queries=0"),
    (lambda: causal_mask(6, 5), "keys=5 must be at least 6"),
    (lambda: Attention(WIDTH, 5), "heads=5 does not divide width=24"),
    (lambda: Attention(-WIDTH, H), "width=-24"),
    (lambda: ATTENTION(X[0], P), r"x has shape .*allowed: \(B, L, 24\)"),
    (lambda: ATTENTION(X[..., :-1], P), r"x has shape .*allowed: \(B, L, 24\)"),
    (lambda: ATTENTION(X, P, torch.ones(5, 4, dtype=torch.bool)), "mask has shape"),
)
