"""RoPE against its rotation matrix in float64, and against Hugging Face, rotary-embedding-torch and x-transformers."""

import copy
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from rotary_embedding_torch import RotaryEmbedding as RotaryEmbeddingTorch
from torch.testing import assert_close
from transformers import CohereConfig, GlmConfig, GPTJConfig, GPTNeoXConfig, LlamaConfig
from transformers.models.cohere import modeling_cohere
from transformers.models.glm import modeling_glm
from transformers.models.gpt_neox import modeling_gpt_neox
from transformers.models.gptj import modeling_gptj
from transformers.models.llama import modeling_llama
from x_transformers.x_transformers import RotaryEmbedding as XRotaryEmbedding
from x_transformers.x_transformers import apply_rotary_pos_emb as x_apply

from posenc_helpers.encodings import rope
from posenc_helpers.encodings.rope import (
    LAYOUTS,
    RotaryEncoding,
    XPosEncoding,
    apply_rope,
    convert_layout,
    layout_permutation,
    p_rope,
    rope_angles,
    rotate_pairs,
)
from posenc_helpers.encodings.sinusoidal import frequencies
from posenc_helpers.transformer import attend, causal_mask
from tests.encodings.model_checks import (
    HEAD_DIM,
    assert_decoding_equals_full_pass,
    change_by_order,
    change_by_shift,
    tiny,
)

# Batch, heads, key heads, length, head width, rotary width: all different, and positions far from 0 out of order.
B, H, KEY_HEADS, L, D, R = 2, 4, 1, 6, 10, 8
POSITIONS = torch.tensor([[0, 257, 2049, 100_000, 3, 7], [5, 256, 12, 2048, 99_999, 1]])
EPS = torch.finfo(torch.float32).eps


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(11)


def definition(x, positions, layout, base=10000.0, rotary_dim=None):
    """Multiply every vector by the block-diagonal rotation matrix of its position, in float64, one by one."""
    width = rotary_dim or x.shape[-1]
    out = x.double().clone()
    places = positions.expand(x.shape[0], -1) if x.ndim > 2 else positions[None]
    for batch, row in enumerate(places.tolist()):
        for index, p in enumerate(row):
            matrix = torch.eye(x.shape[-1], dtype=torch.float64)
            for i in range(width // 2):
                angle = p * base ** (-2 * i / width)
                a, b = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + width // 2)
                matrix[a, a] = matrix[b, b] = math.cos(angle)
                matrix[a, b], matrix[b, a] = -math.sin(angle), math.sin(angle)
            vectors = out[batch, ..., index, :] if x.ndim > 2 else out[index]
            vectors.copy_(vectors @ matrix.T)
    return out


def assert_turned(ours, theirs, positions, x):
    """Compare within what a float32 angle allows: three roundings of a number as large as the position."""
    slack = (3 * EPS * positions.double().abs() + 4 * EPS) * x.double().abs().max()
    slack = slack[:, None, :, None] if positions.ndim == 2 else slack[:, None]
    assert ((ours.double() - theirs.double()).abs() <= slack).all()


# ---------------------------------------------------------------- definition


@pytest.mark.parametrize("rotary_dim", [None, R, 2])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_definition(layout, rotary_dim):
    x = torch.randn(B, H, L, D)
    ours = apply_rope(x, POSITIONS, 500.0, layout, rotary_dim)
    assert ours.dtype is torch.float32
    assert_turned(ours, definition(x, POSITIONS, layout, 500.0, rotary_dim), POSITIONS, x)
    assert_turned(
        apply_rope(x.double(), POSITIONS, 500.0, layout, rotary_dim),  # angles stay float32
        definition(x, POSITIONS, layout, 500.0, rotary_dim), POSITIONS, x,
    )  # fmt: skip
    exact = apply_rope(x.double(), POSITIONS.double(), 500.0, layout, rotary_dim)
    fine = apply_rope(x, POSITIONS.double(), 500.0, layout, rotary_dim)  # float64 positions: exact at 100,000 too
    assert_close(fine, exact.float(), atol=2e-6, rtol=0)
    assert_close(exact, definition(x, POSITIONS, layout, 500.0, rotary_dim), atol=1e-9, rtol=0)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(L, D), (B, L, D), (B, H, L, D)])
def test_real_positions_and_shapes(layout, shape):
    x, positions = torch.randn(shape), torch.tensor([-2.5, 0.0, 0.25, 257.75, -2049.0, 1.0])
    assert_turned(apply_rope(x, positions, layout=layout), definition(x, positions, layout), positions, x)


def test_by_hand():
    x, p = torch.tensor([[1.0, 2.0, 3.0, 4.0]], dtype=torch.float64), torch.tensor([1.0], dtype=torch.float64)
    c, s, c2, s2 = math.cos(1), math.sin(1), math.cos(0.01), math.sin(0.01)
    by_hand = {
        "interleaved": [c - 2 * s, 2 * c + s, 3 * c2 - 4 * s2, 4 * c2 + 3 * s2],
        "half": [c - 3 * s, 2 * c2 - 4 * s2, 3 * c + s, 4 * c2 + 2 * s2],
    }
    for layout, expected in by_hand.items():
        assert_close(apply_rope(x, p, layout=layout)[0], torch.tensor(expected, dtype=torch.float64))


def odd_start(x):
    """Return x at an address that is no multiple of two numbers."""
    return torch.cat([x.flatten()[:1], x.flatten()])[1:].view(x.shape)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    ("width", "lay_out", "readable"),
    [
        (D, lambda x: x, True),
        (6, lambda x: x, True),
        (D, lambda x: x.transpose(1, 2).contiguous().transpose(1, 2), True),  # as q and k leave their projections
        (D - 1, lambda x: x, False),
        (D, odd_start, False),
        (D, lambda x: x.repeat_interleave(2, dim=-1)[..., ::2], False),
    ],
    ids=["whole", "turned only", "heads last", "odd rows", "odd start", "columns apart"],
)
def test_complex_and_real_arithmetic_agree(monkeypatch, dtype, width, lay_out, readable):
    x = lay_out(torch.randn(B, H, L, width, dtype=dtype)).requires_grad_()
    angle = rope_angles(torch.rand(L, dtype=dtype) * 100, frequencies(6, dtype=dtype))
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


# ---------------------------------------------------------------- properties


@pytest.mark.parametrize("rotary_dim", [8, 6])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_with_and_without_gradients_the_same_bits(layout, dtype, rotary_dim):
    x = torch.randn(2, 3, 5, 8, dtype=dtype)
    kept, positions = x.clone(), torch.arange(5) + 100
    turned = apply_rope(x, positions, layout=layout, rotary_dim=rotary_dim)
    assert torch.equal(x, kept)
    with_gradient = apply_rope(x.requires_grad_(), positions, layout=layout, rotary_dim=rotary_dim)
    assert with_gradient.requires_grad and torch.equal(turned, with_gradient)
    with torch.no_grad():
        assert torch.equal(turned, apply_rope(x, positions, layout=layout, rotary_dim=rotary_dim))


@pytest.mark.parametrize("layout", LAYOUTS)
@settings(max_examples=40, deadline=None)
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


def test_negative_positions_move_cached_keys():
    keys = torch.randn(B, H, L, D, dtype=torch.float64)
    positions = torch.arange(L, dtype=torch.float64) + 2049
    moved = apply_rope(apply_rope(keys, positions), torch.full((L,), -2049.0, dtype=torch.float64))
    assert_close(moved, apply_rope(keys, positions - 2049), atol=1e-10, rtol=0)


def test_mixing_the_layouts_is_no_rotation():
    """Angles repeated half by half, pairs turned as neighbours: the bug that the properties above must notice."""
    x, angle = torch.randn(L, 8), rope_angles(torch.arange(1, L + 1), frequencies(8))

    def mixed(x):
        cos, sin = torch.cat([angle, angle], -1).cos(), torch.cat([angle, angle], -1).sin()
        swapped = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
        return x * cos + swapped * sin

    assert (mixed(x).norm(dim=-1) / x.norm(dim=-1) - 1).abs().max() > 0.02
    assert_close(rotate_pairs(x, angle).norm(dim=-1), x.norm(dim=-1))


def test_score_of_ones_is_no_steady_decay():
    """Storyboard 06: q = k = ones, d = 64: the score first rises at distance 6."""
    ones = torch.ones(65, 64, dtype=torch.float64)
    score = apply_rope(ones, torch.arange(65.0, dtype=torch.float64)) @ ones[0]
    assert (score.diff() > 0).nonzero()[0].item() + 1 == 6


def test_values_do_not_turn_and_turned_ones_would_leak():
    q, k, v = torch.zeros(B, H, L, D), torch.randn(B, H, L, D), torch.randn(B, H, L, D)
    positions = torch.arange(L)
    encoding = RotaryEncoding(D)
    out = attend(q, k, v, positions, positions, encoding)
    assert_close(out, v.mean(dim=-2, keepdim=True).expand_as(out))
    assert_close(attend(q, k, v, positions + 40, positions + 40, encoding), out, atol=0, rtol=0)
    leak = apply_rope(v, positions).mean(-2) - apply_rope(v, positions + 40).mean(-2)
    assert leak.abs().max() > 0.1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_grouped_queries(layout):
    q, k = torch.randn(B, H, L, D), torch.randn(B, KEY_HEADS, L + 1, D)
    q_positions, k_positions = POSITIONS, torch.cat([POSITIONS, POSITIONS[:, :1] + 9], dim=1)
    turned_q, turned_k = RotaryEncoding(D, layout=layout, rotary_dim=R).rotate(q, k, q_positions, k_positions)
    assert_turned(turned_q, definition(q, q_positions, layout, rotary_dim=R), q_positions, q)
    assert_turned(turned_k, definition(k, k_positions, layout, rotary_dim=R), k_positions, k)
    repeated = apply_rope(k.repeat_interleave(H, dim=1), k_positions, layout=layout, rotary_dim=R)
    assert torch.equal(repeated, turned_k.repeat_interleave(H, dim=1))


def test_partial_rotary_and_p_rope_differ():
    partial, kept = frequencies(4, 100.0), p_rope(frequencies(8, 100.0), 0.5)
    assert_close(partial, torch.tensor([1.0, 0.1]))
    assert_close(kept, torch.tensor([1.0, 100**-0.25, 0.0, 0.0]))
    assert torch.equal(p_rope(frequencies(8), 1.0), frequencies(8)) and not p_rope(frequencies(8), 0.0).any()
    x = torch.randn(L, 8)
    turned = rotate_pairs(x, rope_angles(torch.arange(L) + 1, kept))
    assert torch.equal(turned[:, 4:], x[:, 4:]) and (turned[:, :4] - x[:, :4]).abs().max() > 0.1


# ---------------------------------------------------------------- number formats


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_models_keep_float32_angles(layout, dtype):
    model = RotaryEncoding(D, layout=layout, rotary_dim=R).to(dtype)
    x, positions = torch.randn(1, 1, 1, D).expand(1, 1, 4, D), torch.tensor([256, 257, 2048, 2049])
    low = x.to(dtype)
    ours, _ = model.rotate(low, low, positions, positions)
    assert ours.dtype is dtype
    assert (ours[..., 0, :] - ours[..., 1, :]).abs().max() > 0.1 and (
        ours[..., 2, :] - ours[..., 3, :]
    ).abs().max() > 0.1
    exact = definition(low, positions, layout, rotary_dim=R)
    assert ((ours.double() - exact).abs() <= torch.finfo(dtype).eps / 2 * exact.abs() + 2e-3).all()
    assert torch.equal(ours, apply_rope(low.float(), positions, layout=layout, rotary_dim=R).to(dtype))  # rounded once
    with pytest.raises(ValueError, match="bfloat16"):
        model.rotate(low, low, positions.bfloat16(), positions.bfloat16())


def test_autocast_leaves_angles_alone():
    x, positions = torch.randn(B, H, L, D), POSITIONS
    with torch.autocast("cpu", torch.bfloat16):
        inside = apply_rope(x, positions)
    assert torch.equal(inside, apply_rope(x, positions))


def test_nothing_is_stored():
    encoding = RotaryEncoding(D, scaling=lambda w, length: w / 2)
    assert not list(encoding.parameters()) and not list(encoding.buffers()) and not encoding.state_dict()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_compile_export_and_inference_mode(layout):
    encoding = RotaryEncoding(D, layout=layout, rotary_dim=R, scaling=lambda w, length: w / (1 + 0 * length))

    class Door(torch.nn.Module):
        def forward(self, q, k, positions):
            return encoding.rotate(q, k, positions, positions)

    q, k = torch.randn(B, H, L, D), torch.randn(B, KEY_HEADS, L, D)
    with torch.inference_mode():
        plain = Door()(q, k, POSITIONS)
    compiled = torch.compile(Door(), backend="eager", fullgraph=True)(q, k, POSITIONS)
    exported = torch.export.export(Door(), (q, k, POSITIONS)).module()(q, k, POSITIONS)
    for one, two, three in zip(plain, compiled, exported, strict=True):
        assert_close(one, two, atol=2e-6, rtol=0)
        assert_close(one, three, atol=2e-6, rtol=0)
    q.requires_grad_()  # and training goes on after inference_mode
    Door()(q, k, POSITIONS)[0].sum().backward()
    assert q.grad.abs().max() > 0


# ---------------------------------------------------------------- outside references


@pytest.mark.parametrize("base", [10_000.0, 500_000.0, 1_000_000.0])
@pytest.mark.parametrize("dim", [64, 96, 128])
def test_frequencies_of_hugging_face(dim, base):
    config = LlamaConfig(hidden_size=3 * dim, num_attention_heads=3, head_dim=dim, rope_theta=base)
    theirs = modeling_llama.LlamaRotaryEmbedding(config).inv_freq
    assert_close(RotaryEncoding(dim, base).frequencies(), theirs, atol=0, rtol=6e-7)
    exact = [base ** (-2 * i / dim) for i in range(dim // 2)]
    assert_close(RotaryEncoding(dim, base).frequencies(dtype=torch.float64), torch.tensor(exact, dtype=torch.float64))


def sizes(**more):
    common = {"hidden_size": H * 16, "num_attention_heads": H, "head_dim": 16, "vocab_size": 5, "pad_token_id": 0}
    return common | {"max_position_embeddings": 4096} | more


@pytest.mark.parametrize(
    ("modeling", "embedding", "config", "layout", "rotary_dim"),
    [
        (modeling_llama, "LlamaRotaryEmbedding", LlamaConfig(**sizes(rope_theta=5e5)), "half", 16),
        (modeling_gpt_neox, "GPTNeoXRotaryEmbedding", GPTNeoXConfig(**sizes(rotary_pct=0.5)), "half", 8),
        (modeling_glm, "GlmRotaryEmbedding", GlmConfig(**sizes(partial_rotary_factor=0.25)), "interleaved", 4),
        (modeling_cohere, "CohereRotaryEmbedding", CohereConfig(**sizes(rope_theta=8e6)), "interleaved", 16),
    ],
)
def test_hugging_face(modeling, embedding, config, layout, rotary_dim):
    theirs = getattr(modeling, embedding)(config)
    base = config.rope_parameters["rope_theta"]
    q, k = torch.randn(B, H, L, 16), torch.randn(B, KEY_HEADS, L, 16)
    their_q, their_k = modeling.apply_rotary_pos_emb(q, k, *theirs(q, POSITIONS))
    our_q, our_k = RotaryEncoding(16, base, layout, rotary_dim).rotate(q, k, POSITIONS, POSITIONS)
    assert_turned(our_q, their_q, POSITIONS, q)
    assert_turned(our_k, their_k, POSITIONS, k)
    # With the very same float32 frequencies nothing but the last digit differs, at position 100,000 too.
    angle = rope_angles(POSITIONS, theirs.inv_freq)[:, None]
    assert_close(rotate_pairs(q, angle, layout), their_q, atol=2e-6, rtol=0)


def test_gptj():
    positions = torch.tensor([[0, 257, 2049, 3, 7, 1], [5, 256, 12, 2048, 99, 4000]])
    table = modeling_gptj.create_sinusoidal_positions(4096, R)
    sin, cos = table[positions].chunk(2, dim=-1)  # (B, L, R/2) each
    x = torch.randn(B, L, H, D)
    theirs = modeling_gptj.apply_rotary_pos_emb(x[..., :R], sin, cos).transpose(1, 2)
    ours = apply_rope(x.transpose(1, 2), positions, layout="interleaved", rotary_dim=R)
    assert_turned(ours[..., :R], theirs, positions, x)
    assert torch.equal(ours[..., R:], x.transpose(1, 2)[..., R:])


def test_rotary_embedding_torch_and_x_transformers():
    x = torch.randn(B, H, L, D)
    positions = torch.arange(L) + 2049
    theirs = RotaryEmbeddingTorch(R, theta=700.0).rotate_queries_or_keys(x, offset=2049)
    assert_turned(apply_rope(x, positions, 700.0, "interleaved", R), theirs, positions, x)
    angles, _ = XRotaryEmbedding(R, base=700.0)(POSITIONS)
    assert_turned(apply_rope(x, POSITIONS, 700.0, "interleaved", R), x_apply(x, angles), POSITIONS, x)


@pytest.mark.parametrize("offset", [0, 257, 2049])
def test_xpos(offset):
    q, k = torch.randn(B, H, L, D), torch.randn(B, H, L, D)
    positions = torch.arange(L) + offset
    our_q, our_k = XPosEncoding(D, scale_base=16.0).rotate(q, k, positions, positions)
    ours = our_q @ our_k.transpose(-2, -1)
    their_q, their_k = RotaryEmbeddingTorch(D, use_xpos=True, xpos_scale_base=16).rotate_queries_and_keys(q, k)
    assert_close(ours, their_q @ their_k.transpose(-2, -1), atol=2e-3, rtol=0)  # they start at 0: float32 angles differ
    angles, scale = XRotaryEmbedding(D, use_xpos=True, scale_base=16)(positions)
    theirs = x_apply(q, angles, scale) @ x_apply(k, angles, 1 / scale).transpose(-2, -1)
    assert_close(ours, theirs, atol=1e-3, rtol=1e-3)
    # The definition in float64: every pair's share of the score times zeta_i^((m - n) / scale_base).
    turned_q, turned_k = (definition(x, positions, "interleaved").unflatten(-1, (-1, 2)) for x in (q, k))
    shares = (turned_q[..., :, None, :, :] * turned_k[..., None, :, :, :]).sum(-1)  # (B, H, m, n, pairs)
    zeta = torch.tensor([(2 * i + 0.4 * D) / (1.4 * D) for i in range(D // 2)], dtype=torch.float64)
    lag = (positions[:, None] - positions[None]).double()
    exact = (shares * zeta ** (lag[..., None] / 16)).sum(-1)
    assert_close(ours.double(), exact, atol=1e-5 + 3 * EPS * offset * 40, rtol=1e-5)


def test_xpos_layouts_agree_and_the_far_end_stays_finite():
    order = layout_permutation(D, to="half")
    x, positions = torch.randn(B, H, L, D), POSITIONS % 3000
    ours = XPosEncoding(D, layout="half").rotate(x[..., order], x[..., order], positions, positions)
    for one, two in zip(ours, XPosEncoding(D).rotate(x, x, positions, positions), strict=True):
        assert_close(one, two[..., order], atol=2e-6, rtol=2e-6)
    far = torch.tensor([2_000_000, 2_000_257, 2_002_049, 2_030_000, 2_030_001, 2_040_000])
    assert all(turned.isfinite().all() for turned in XPosEncoding(D).rotate(x, x, far, far))


# ---------------------------------------------------------------- layouts and weights


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


def carry_over(model, layers, convert, forward):
    """Return a copy of `model` whose attention layers run our `attend` on converted projections."""
    model = copy.deepcopy(model)
    for layer in layers(model):
        convert(layer)
        layer.forward = forward.__get__(layer)
    return model


@pytest.mark.parametrize("positions", [torch.arange(L)[None] + 2049, POSITIONS])
def test_tiny_llama_with_our_attention_in_the_other_layout(positions):
    config = LlamaConfig(
        **sizes(vocab_size=19, intermediate_size=24, num_hidden_layers=2, num_key_value_heads=2, initializer_range=0.3)
    )
    theirs = modeling_llama.LlamaForCausalLM(config).eval()
    encoding = RotaryEncoding(16, config.rope_parameters["rope_theta"], layout="interleaved")

    def convert(layer):
        layer.q_proj.weight.data = convert_layout(layer.q_proj.weight.data, H, to="interleaved")
        layer.k_proj.weight.data = convert_layout(layer.k_proj.weight.data, 2, to="interleaved")

    def forward(layer, hidden_states, **_):
        q, k, v = (
            part(hidden_states).unflatten(-1, (-1, 16)).transpose(1, 2)
            for part in (layer.q_proj, layer.k_proj, layer.v_proj)
        )
        q, k = encoding.rotate(q, k, positions.expand(B, -1), positions.expand(B, -1))
        k, v = k.repeat_interleave(2, dim=1), v.repeat_interleave(2, dim=1)
        mixed = attend(q, k, v, positions[0], positions[0], mask=causal_mask(L, L))
        return layer.o_proj(mixed.transpose(1, 2).flatten(-2)), None

    tokens = torch.randint(19, (B, L))
    causal = torch.zeros(1, 1, L, L).masked_fill(~causal_mask(L, L), torch.finfo(torch.float32).min)
    arguments = {
        "input_ids": tokens,
        "position_ids": positions.expand(B, -1),
        "attention_mask": causal.expand(B, -1, -1, -1),
    }
    with torch.no_grad():
        expected = theirs(**arguments).logits
        layers = lambda model: [block.self_attn for block in model.model.layers]  # noqa: E731
        ours = carry_over(theirs, layers, convert, forward)(**arguments).logits
        unconverted = carry_over(theirs, layers, lambda layer: None, forward)(**arguments).logits
    assert_close(ours, expected, atol=2e-4 if positions.shape[0] == 1 else 2e-2, rtol=0)
    assert (unconverted - expected).abs().max() > 0.5  # right shapes, wrong model


def test_tiny_gptj_with_our_attention_in_the_other_layout():
    config = GPTJConfig(
        vocab_size=19, n_positions=2100, n_embd=48, n_layer=2, n_head=3, rotary_dim=R, initializer_range=0.2
    )
    theirs = modeling_gptj.GPTJForCausalLM(config).eval()
    positions = torch.arange(L) + 2049
    encoding = RotaryEncoding(16, layout="half", rotary_dim=R)

    def convert(layer):
        for part in (layer.q_proj, layer.k_proj):
            part.weight.data = convert_layout(part.weight.data, 3, to="half", rotary_dim=R)

    def forward(layer, hidden_states, **_):
        q, k, v = (
            part(hidden_states).unflatten(-1, (3, 16)).transpose(1, 2)
            for part in (layer.q_proj, layer.k_proj, layer.v_proj)
        )
        mixed = attend(q, k, v, positions, positions, encoding, causal_mask(L, L))
        return layer.out_proj(mixed.transpose(1, 2).flatten(-2)), None

    tokens = torch.randint(19, (B, L))
    arguments = {"input_ids": tokens, "position_ids": positions.expand(B, -1), "use_cache": False}
    with torch.no_grad():
        expected = theirs(**arguments).logits
        layers = lambda model: [block.attn for block in model.transformer.h]  # noqa: E731
        ours = carry_over(theirs, layers, convert, forward)(**arguments).logits
        unconverted = carry_over(theirs, layers, lambda layer: None, forward)(**arguments).logits
    assert_close(ours, expected, atol=1e-4, rtol=0)
    assert (unconverted - expected).abs().max() > 0.05


# ---------------------------------------------------------------- inside a model

MODELS = {
    "interleaved": lambda: RotaryEncoding(HEAD_DIM),
    "half": lambda: RotaryEncoding(HEAD_DIM, 500.0, "half"),
    "partial": lambda: RotaryEncoding(HEAD_DIM, layout="half", rotary_dim=4),
    "scaled": lambda: RotaryEncoding(HEAD_DIM, scaling=lambda w, length: w / 4, attention_factor=1.2),
    "xpos": lambda: XPosEncoding(HEAD_DIM, scale_base=64.0),
}


@pytest.mark.parametrize("name", MODELS)
def test_decoding_with_a_cache_equals_the_full_pass(name):
    for start in (0, 2049):
        assert_decoding_equals_full_pass(MODELS[name](), start)


@pytest.mark.parametrize("name", MODELS)
def test_shift_changes_nothing_and_order_does(name):
    for offset in (7, 257, 2049):
        assert change_by_shift(MODELS[name](), offset) < 2e-3
    assert change_by_order(MODELS[name]()) > 0.1
    model, tokens = tiny(MODELS[name]())
    model, positions = model.double(), torch.arange(tokens.shape[1], dtype=torch.float64)
    with torch.no_grad():
        assert_close(model(tokens, positions + 100_000), model(tokens, positions), atol=1e-8, rtol=0)


def test_keys_cached_after_their_turn_need_their_own_positions():
    """Decoding by hand: each key is turned once, at its own place; at place 0, or twice, the output is another."""
    q, k, v = torch.randn(B, H, L, D), torch.randn(B, H, L, D), torch.randn(B, H, L, D)
    positions = torch.arange(L) + 257
    last = attend(q, k, v, positions, positions, RotaryEncoding(D), causal_mask(L, L))[..., -1:, :]
    cached = torch.cat([apply_rope(key, positions[i : i + 1]) for i, key in enumerate(k.split(1, dim=-2))], dim=-2)
    for place, turned, right in [
        (L - 1, cached, True),
        (0, cached, False),
        (L - 1, apply_rope(cached, positions), False),
    ]:
        query = apply_rope(q[..., -1:, :], positions[place : place + 1])
        out = attend(query, turned, v, positions[-1:], positions)
        assert ((out - last).abs().max() < 1e-5) == right


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"head_dim": 7}, "head_dim=7 must be even"),
        ({"head_dim": 0}, "head_dim=0"),
        ({"head_dim": 8, "rotary_dim": 3}, "rotary_dim=3 must be even"),
        ({"head_dim": 8, "rotary_dim": 10}, "rotary_dim=10 exceeds head_dim=8"),
        ({"head_dim": 8, "base": -1.0}, "base=-1.0"),
        ({"head_dim": 8, "layout": "halves"}, "layout='halves'.*'interleaved', 'half'"),
        ({"head_dim": 8, "attention_factor": 0.0}, "attention_factor=0.0"),
    ],
)
def test_bad_arguments(kwargs, message):
    with pytest.raises(ValueError, match=message):
        RotaryEncoding(**kwargs)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: apply_rope(torch.zeros(B, L, H, D), torch.arange(L)), ValueError, r"pass x.transpose\(1, 2\)"),
        (lambda: apply_rope(torch.zeros(B, H, L, D), torch.arange(L + 1)), ValueError, r"\(7,\).*\(6,\) or \(2, 6\)"),
        (lambda: apply_rope(torch.zeros(D), torch.arange(L)), ValueError, "x has shape"),
        (lambda: apply_rope(torch.zeros(L, 7), torch.arange(L)), ValueError, "head_dim=7 must be even"),
        (lambda: apply_rope(torch.zeros(L, 8), torch.arange(L), rotary_dim=10), ValueError, "rotary_dim=10"),
        (lambda: apply_rope(torch.zeros(L, 8), torch.arange(L), base=0.0), ValueError, "base=0.0"),
        (lambda: apply_rope(torch.zeros(L, 8), torch.arange(L), layout="neox"), ValueError, "layout='neox'"),
        (lambda: apply_rope(torch.zeros(L, 8).long(), torch.arange(L)), TypeError, "x has dtype torch.int64"),
        (lambda: apply_rope(torch.zeros(L, 8), torch.zeros(L).half()), ValueError, "float16"),
        (lambda: apply_rope(torch.zeros(L, 8), list(range(L))), TypeError, "positions must be a torch.Tensor"),
        (lambda: rotate_pairs(torch.zeros(L, 8), torch.zeros(L, 5)), ValueError, "8 columns.*at least 10"),
        (lambda: rotate_pairs(torch.zeros(L, 8), torch.zeros(L, 4), "neox"), ValueError, "layout='neox'"),
        (lambda: p_rope(torch.ones(4), 1.5), ValueError, "proportion=1.5"),
        (lambda: convert_layout(torch.zeros(10, 3), 3), ValueError, "heads=3 does not divide the 10 rows"),
        (lambda: convert_layout(torch.zeros(10, 3), 0), ValueError, "heads=0"),
        (lambda: convert_layout(torch.zeros(16, 3), 2, to="gptj"), ValueError, "to='gptj'"),
        (lambda: layout_permutation(9), ValueError, "head_dim=9 must be even"),
        (lambda: XPosEncoding(8, scale_base=0.0), ValueError, "scale_base=0.0"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_wrong_head_width_names_the_side():
    encoding, positions = RotaryEncoding(8), torch.arange(3)
    with pytest.raises(ValueError, match="k has head width 6, but the encoding was made for 8"):
        encoding.rotate(torch.zeros(1, 2, 3, 8), torch.zeros(1, 2, 3, 6), positions, positions)
