"""RoPE's two layouts and the weights that go with them, xPos, and what RoPE refuses."""

import pytest
import torch
from rotary_embedding_torch import RotaryEmbedding as RotaryEmbeddingTorch
from torch.testing import assert_close
from x_transformers.x_transformers import RotaryEmbedding as XRotaryEmbedding
from x_transformers.x_transformers import apply_rotary_pos_emb as x_apply

from posenc_helpers.encodings.rope import (
    RotaryEncoding,
    apply_rope,
    convert_layout,
    layout_permutation,
    p_rope,
    rotate_pairs,
)
from posenc_helpers.encodings.xpos import XPosEncoding
from tests.encodings.rope_formulas import EPS, rotated
from tests.refused import refused

# Batch, heads, length, head width, rotary width: all different, and positions far from 0 out of order.
B, H, L, D, R = 2, 4, 6, 10, 8
POSITIONS = torch.tensor([[0, 257, 2049, 100_000, 3, 7], [5, 256, 12, 2048, 99_999, 1]])


@pytest.mark.parametrize("rotary_dim", [None, R])
def test_layouts_are_permutations_of_each_other(rotary_dim):
    x = torch.randn(B, H, L, D)
    order = layout_permutation(D, "half", rotary_dim)
    half = apply_rope(x[..., order], POSITIONS, layout="half", rotary_dim=rotary_dim)
    assert_close(
        half, apply_rope(x, POSITIONS, layout="interleaved", rotary_dim=rotary_dim)[..., order], atol=2e-6, rtol=0
    )
    back = layout_permutation(D, "interleaved", rotary_dim)
    assert torch.equal(order[back], torch.arange(D)) and not torch.equal(order[order], torch.arange(D))


def test_conversion_of_a_layer():
    heads, width = 3, 14
    weight, bias, tokens = torch.randn(heads * D, width), torch.randn(heads * D), torch.randn(B, L, width)

    def scores(weight, bias, layout):
        x = torch.nn.functional.linear(tokens, weight, bias).unflatten(-1, (heads, D)).transpose(1, 2)
        turned = apply_rope(x, POSITIONS, layout=layout, rotary_dim=R)
        return turned @ turned.transpose(-2, -1)

    before = scores(weight, bias, "interleaved")
    there = [convert_layout(part, heads, "half", R) for part in (weight, bias)]
    assert_close(scores(*there, "half"), before, atol=2e-4, rtol=1e-5)
    back = [convert_layout(part, heads, "interleaved", R) for part in there]
    assert torch.equal(back[0], weight) and torch.equal(back[1], bias)
    twice = [convert_layout(part, heads, "half", R) for part in there]
    for wrong in ([weight, bias], twice, [convert_layout(part, 1, "half", R) for part in (weight, bias)]):
        assert (scores(*wrong, "half") - before).abs().max() > 1


@pytest.mark.parametrize("offset", [0, 2049])
def test_xpos(offset):
    q, k = torch.randn(B, H, L, D), torch.randn(B, H, L, D)
    positions = torch.arange(L) + offset
    our_q, our_k = XPosEncoding(D).rotate(q, k, positions, positions)
    ours = our_q @ our_k.transpose(-2, -1)
    their_q, their_k = RotaryEmbeddingTorch(D, use_xpos=True, xpos_scale_base=512).rotate_queries_and_keys(q, k)
    assert_close(ours, their_q @ their_k.transpose(-2, -1), atol=2e-3, rtol=0)  # they start at 0: float32 angles differ
    angles, scale = XRotaryEmbedding(D, use_xpos=True, scale_base=512)(positions)
    theirs = x_apply(q, angles, scale) @ x_apply(k, angles, 1 / scale).transpose(-2, -1)
    assert_close(ours, theirs, atol=1e-3, rtol=1e-3)
    # The definition in float64: every pair's share of the score times zeta_i^((m - n) / 512).
    turned_q, turned_k = (rotated(x, positions, "interleaved").unflatten(-1, (-1, 2)) for x in (q, k))
    shares = (turned_q[..., :, None, :, :] * turned_k[..., None, :, :, :]).sum(-1)  # (B, H, m, n, pairs)
    zeta = torch.tensor([(2 * i + 0.4 * D) / (1.4 * D) for i in range(D // 2)], dtype=torch.float64)
    lag = (positions[:, None] - positions[None]).double()
    exact = (shares * zeta ** (lag[..., None] / 512)).sum(-1)
    assert_close(ours.double(), exact, atol=1e-5 + 3 * EPS * offset * 40, rtol=1e-5)


def test_xpos_layouts_agree_and_the_far_end_stays_finite():
    order = layout_permutation(D, to="half")
    x, positions = torch.randn(B, H, L, D), POSITIONS % 3000
    ours = XPosEncoding(D, layout="half").rotate(x[..., order], x[..., order], positions, positions)
    for one, two in zip(ours, XPosEncoding(D).rotate(x, x, positions, positions), strict=True):
        assert_close(one, two[..., order], atol=2e-6, rtol=2e-6)
    far = torch.tensor([2_000_000, 2_000_257, 2_002_049, 2_030_000, 2_030_001, 2_040_000])
    assert all(turned.isfinite().all() for turned in XPosEncoding(D).rotate(x, x, far, far))


Q, P = torch.zeros(1, 2, 3, 8), torch.arange(3)
test_bad_input = refused(
    (lambda: RotaryEncoding(7), "head_dim=7 must be even"),
    (lambda: RotaryEncoding(8, rotary_dim=3), "rotary_dim=3 must be even"),
    (lambda: RotaryEncoding(8, rotary_dim=10), "rotary_dim=10 exceeds head_dim=8"),
    (lambda: RotaryEncoding(8).rotate(Q, Q[..., :6], P, P), "k has head width 6, but the encoding was made for 8"),
    (lambda: apply_rope(torch.zeros(B, L, H, D), torch.arange(L)), r"pass x.transpose\(1, 2\)"),
    (lambda: apply_rope(torch.zeros(B, H, L, D), torch.arange(L + 1)), r"\(7,\).*\(6,\) or \(2, 6\)"),
    (lambda: apply_rope(torch.zeros(D), torch.arange(L)), "x has shape"),
    (lambda: apply_rope(torch.zeros(L, 8), torch.arange(L), rotary_dim=10), "rotary_dim=10"),
    (lambda: apply_rope(torch.zeros(L, 8), torch.arange(L), layout="neox"), "layout='neox'"),
    (lambda: apply_rope(torch.zeros(L, 8).long(), torch.arange(L)), "x has dtype torch.int64", TypeError),
    (lambda: apply_rope(torch.zeros(L, 8), torch.zeros(L).half()), "float16"),
    (lambda: apply_rope(torch.zeros(L, 8), list(range(L))), "positions must be a torch.Tensor", TypeError),
    (lambda: rotate_pairs(torch.zeros(L, 8), torch.zeros(L, 5)), "8 columns.*at least 10"),
    (lambda: rotate_pairs(torch.zeros(L, 8), torch.zeros(L, 4), "neox"), "layout='neox'"),
    (lambda: p_rope(torch.ones(4), 1.5), "proportion=1.5"),
    (lambda: convert_layout(torch.zeros(10, 3), 3), "heads=3 does not divide the 10 rows"),
    (lambda: convert_layout(torch.zeros(10, 3), 0), "heads=0"),
    (lambda: convert_layout(torch.zeros(16, 3), 2, to="gptj"), "to='gptj'"),
    (lambda: layout_permutation(9), "head_dim=9 must be even"),
)
