"""RoPE against its rotation matrix in float64, rotary-embedding-torch and x-transformers.

Against the models of Hugging Face: test_rope_families.py.
"""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from rotary_embedding_torch import RotaryEmbedding as RotaryEmbeddingTorch
from torch.testing import assert_close
from x_transformers.x_transformers import RotaryEmbedding as XRotaryEmbedding
from x_transformers.x_transformers import apply_rotary_pos_emb as x_apply

from posenc_helpers.encodings import rope
from posenc_helpers.encodings.precision import angles
from posenc_helpers.encodings.rope import LAYOUTS, RotaryEncoding, apply_rope, p_rope, rotate_pairs
from posenc_helpers.encodings.sinusoidal import frequencies
from tests.encodings.rope_formulas import assert_turned, rotated

# Batch, heads, key heads, length, head width, rotary width: all different, and positions far from 0 out of order.
B, H, KEY_HEADS, L, D, R = 2, 4, 1, 6, 10, 8
POSITIONS = torch.tensor([[0, 257, 2049, 100_000, 3, 7], [5, 256, 12, 2048, 99_999, 1]])


@pytest.mark.parametrize("rotary_dim", [None, R, 2])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_definition(layout, rotary_dim):
    x = torch.randn(B, H, L, D)
    by_hand = rotated(x, POSITIONS, layout, 500.0, rotary_dim)
    for values in (x, x.double()):  # angles stay float32
        ours = apply_rope(values, POSITIONS, 500.0, layout, rotary_dim)
        assert ours.dtype is values.dtype
        assert_turned(ours, by_hand, POSITIONS, x)
    exact = apply_rope(x.double(), POSITIONS.double(), 500.0, layout, rotary_dim)
    fine = apply_rope(x, POSITIONS.double(), 500.0, layout, rotary_dim)  # float64 positions: exact at 100,000 too
    assert_close(fine, exact.float(), atol=2e-6, rtol=0)
    assert_close(exact, by_hand, atol=1e-9, rtol=0)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(L, D), (B, L, D), (B, H, L, D)])
def test_real_positions_and_shapes(layout, shape):
    x, positions = torch.randn(shape), torch.tensor([-2.5, 0.0, 0.25, 257.75, -2049.0, 1.0])
    assert_turned(apply_rope(x, positions, layout=layout), rotated(x, positions, layout), positions, x)


def odd_start(x):
    """Return x at an address that is no multiple of two numbers."""
    return torch.cat([x.flatten()[:1], x.flatten()])[1:].view(x.shape)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    ("width", "lay_out", "readable"),
    [
        (6, lambda x: x, True),
        (D, lambda x: x.transpose(1, 2).contiguous().transpose(1, 2), True),  # as q and k leave their projections
        (D - 1, lambda x: x, False),
        (D, odd_start, False),
        (D, lambda x: x.repeat_interleave(2, dim=-1)[..., ::2], False),
    ],
    ids=["whole", "heads last", "odd rows", "odd start", "columns apart"],
)
def test_complex_and_real_arithmetic_agree(monkeypatch, dtype, width, lay_out, readable):
    x = lay_out(torch.randn(B, H, L, width, dtype=dtype)).requires_grad_()
    angle = angles(torch.rand(L, dtype=dtype) * 100, frequencies(6, dtype=dtype))
    weight = torch.randn(B, H, L, width, dtype=dtype)
    assert rope._can_be_complex(x) == readable
    fast = rotate_pairs(x, angle)
    fast_grad = torch.autograd.grad((fast * weight).sum(), x)[0]
    monkeypatch.setattr(rope, "_can_be_complex", lambda *args: False)
    slow = rotate_pairs(x, angle)
    slow_grad = torch.autograd.grad((slow * weight).sum(), x)[0]
    tolerance = 4 * torch.finfo(dtype).eps * float((x.abs().max() + weight.abs().max()).detach())
    assert_close(fast, slow, atol=tolerance, rtol=0)
    assert_close(fast_grad, slow_grad, atol=tolerance, rtol=0)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_gradient(layout):
    x = torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True)
    positions = torch.tensor([0.0, 257.0, 3.5], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x, p: apply_rope(x, p, layout=layout), (x, positions))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_with_and_without_gradients_the_same_bits(layout, dtype):
    x = torch.randn(2, 3, 5, 8, dtype=dtype)
    kept, positions = x.clone(), torch.arange(5) + 100
    turned = apply_rope(x, positions, layout=layout, rotary_dim=6)
    assert torch.equal(x, kept)
    with_gradient = apply_rope(x.requires_grad_(), positions, layout=layout, rotary_dim=6)
    assert with_gradient.requires_grad and torch.equal(turned, with_gradient)


@pytest.mark.parametrize("layout", LAYOUTS)
@settings(max_examples=20, deadline=None)
@given(
    pairs=st.integers(1, 9),
    rest=st.integers(0, 3),
    m=st.floats(-3000, 3000),
    n=st.floats(-3000, 3000),
    shift=st.floats(-1e5, 1e5),
    base=st.floats(2, 1e6),
)
def test_norm_and_relative_position(layout, pairs, rest, m, n, shift, base):
    q, k = torch.randn(2, 1, 2 * pairs + rest, dtype=torch.float64, generator=torch.Generator().manual_seed(pairs))

    def turn(x, p):
        return apply_rope(x, torch.tensor([p], dtype=torch.float64), base, layout, 2 * pairs)

    assert_close(turn(q, m).norm(), q.norm())
    score = turn(q, m) @ turn(k, n).T
    assert_close(turn(q, m + shift) @ turn(k, n + shift).T, score, atol=1e-8, rtol=0)
    assert_close(q @ turn(k, n - m).T, score, atol=1e-8, rtol=0)
    assert_close(turn(turn(q, m), n), turn(q, m + n), atol=1e-8, rtol=0)  # turning twice: a cached key turned again
    assert torch.equal(turn(q, 0.0), q)
    assert torch.equal(turn(q, m)[..., 2 * pairs :], q[..., 2 * pairs :])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_grouped_queries(layout):
    q, k = torch.randn(B, H, L, D), torch.randn(B, KEY_HEADS, L + 1, D)
    q_positions, k_positions = POSITIONS, torch.cat([POSITIONS, POSITIONS[:, :1] + 9], dim=1)
    turned_q, turned_k = RotaryEncoding(D, layout=layout, rotary_dim=R).rotate(q, k, q_positions, k_positions)
    assert_turned(turned_q, rotated(q, q_positions, layout, rotary_dim=R), q_positions, q)
    assert_turned(turned_k, rotated(k, k_positions, layout, rotary_dim=R), k_positions, k)
    repeated = apply_rope(k.repeat_interleave(H, dim=1), k_positions, layout=layout, rotary_dim=R)
    assert torch.equal(repeated, turned_k.repeat_interleave(H, dim=1))


def test_partial_rotary_and_p_rope_differ():
    partial, kept = frequencies(4, 100.0), p_rope(frequencies(8, 100.0), 0.5)
    assert_close(partial, torch.tensor([1.0, 0.1]))
    assert_close(kept, torch.tensor([1.0, 100**-0.25, 0.0, 0.0]))
    assert torch.equal(p_rope(frequencies(8), 1.0), frequencies(8)) and not p_rope(frequencies(8), 0.0).any()
    assert p_rope(frequencies(6), 0.5).count_nonzero() == 1  # whole pairs: half of 3 is 1


def test_rotary_embedding_torch_and_x_transformers():
    x = torch.randn(B, H, L, D)
    positions = torch.arange(L) + 2049
    theirs = RotaryEmbeddingTorch(R, theta=700.0).rotate_queries_or_keys(x, offset=2049)
    assert_turned(apply_rope(x, positions, 700.0, "interleaved", R), theirs, positions, x)
    theirs, _ = XRotaryEmbedding(R, base=700.0)(POSITIONS)
    assert_turned(apply_rope(x, POSITIONS, 700.0, "interleaved", R), x_apply(x, theirs), POSITIONS, x)
