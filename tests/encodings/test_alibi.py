"""ALiBi against Hugging Face's Bloom and MPT, x-transformers and torch's flex_attention, and against definitions."""

import math

import pytest
import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from transformers import BloomConfig, MptConfig
from transformers.models.bloom.modeling_bloom import BloomAttention, build_alibi_tensor
from transformers.models.mpt.modeling_mpt import MptAttention, build_mpt_alibi_tensor
from x_transformers.x_transformers import AlibiPositionalBias

from posenc_helpers.encodings.alibi import (
    AlibiEncoding,
    alibi_bias,
    alibi_score_mod,
    alibi_shortcut,
    alibi_slopes,
)
from posenc_helpers.encodings.relative import relative_positions
from posenc_helpers.transformer import attend, causal_mask
from tests.encodings.model_checks import HEADS, assert_decoding_equals_full_pass, change_by_order, change_by_shift, loud

DOUBLE = torch.float64
MODULES = {
    "causal": lambda: AlibiEncoding(HEADS),
    "symmetric": lambda: AlibiEncoding(HEADS, "symmetric"),
    "two-sided": lambda: AlibiEncoding(HEADS, "two-sided"),
    "paper": lambda: AlibiEncoding(HEADS, formula="paper"),
    "learned": lambda: AlibiEncoding(HEADS, learned=True),
    "learned two-sided": lambda: AlibiEncoding(HEADS, "two-sided", learned=True),
}


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


# Slopes


def test_slopes_by_hand():
    assert alibi_slopes(8).tolist() == [2.0**-i for i in range(1, 9)]  # 1/2 ... 1/256: head 0 is not 1
    assert alibi_slopes(6).tolist() == [1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 2, 1 / 8]
    twelve = alibi_slopes(12)
    torch.testing.assert_close(twelve[8:10], torch.tensor([0.707, 0.354]), atol=5e-4, rtol=0)  # not sorted
    assert not torch.equal(alibi_slopes(12, "paper"), twelve)
    assert torch.equal(alibi_slopes(16, "paper"), alibi_slopes(16))


@pytest.mark.parametrize("heads", [*range(1, 41), 71])
def test_slopes_of_released_models(heads):
    ours = alibi_slopes(heads)
    mpt = build_mpt_alibi_tensor(heads, 2)[:, 0, 0] / -1  # the bias one step left of the last key
    torch.testing.assert_close(ours, mpt, atol=0, rtol=1e-6)
    bloom = build_alibi_tensor(torch.ones(1, 2, dtype=torch.long), heads, torch.float32)[:, 0, 1]
    torch.testing.assert_close(ours, bloom, atol=0, rtol=1e-6)
    torch.testing.assert_close(ours, AlibiPositionalBias(heads).slopes[:, 0, 0], atol=0, rtol=1e-6)
    power = 2 ** math.floor(math.log2(heads))
    released = [2 ** (-8 * i / power) for i in range(1, power + 1)]
    released += [2 ** (-8 * i / (2 * power)) for i in range(1, 2 * power + 1)][0::2][: heads - power]
    torch.testing.assert_close(ours.to(DOUBLE), torch.tensor(released, dtype=DOUBLE), atol=0, rtol=1e-6)
    paper = torch.tensor([2 ** (-8 * i / heads) for i in range(1, heads + 1)], dtype=DOUBLE)
    torch.testing.assert_close(alibi_slopes(heads, "paper", dtype=DOUBLE), paper, atol=0, rtol=1e-14)


@pytest.mark.parametrize("heads", [8, 12])
def test_max_exponent_is_mpts_bias_max(heads):
    theirs = -build_mpt_alibi_tensor(heads, 2, alibi_bias_max=16)[:, 0, 0]
    torch.testing.assert_close(alibi_slopes(heads, max_exponent=16), theirs, atol=0, rtol=1e-6)


# The bias


@pytest.mark.parametrize("start", [0, 257, 2049, 100_000])
def test_bias_by_the_definition(start):
    q_positions, k_positions = start + torch.arange(5, 9), start + torch.arange(11)
    relative, slopes = relative_positions(q_positions, k_positions), torch.tensor([0.3, 0.7])
    for kind, given in (("causal", slopes), ("symmetric", slopes), ("two-sided", torch.stack([slopes, 2 * slopes]))):
        bias = alibi_bias(relative, given, kind)
        for h, slope in enumerate(slopes.double().tolist()):
            for m in range(4):
                for n in range(11):
                    d = (5 + m) - n  # query minus key
                    right = {"causal": -slope, "symmetric": slope, "two-sided": 2 * slope}[kind]
                    assert bias[h, m, n].item() == pytest.approx(-slope * d if d >= 0 else right * d, rel=1e-6)


def test_nearer_keys_get_more():
    weights = alibi_bias(torch.arange(-3, 1)[None], torch.tensor([0.5]))[0, 0].softmax(0)
    torch.testing.assert_close(weights, torch.tensor([0.102, 0.167, 0.276, 0.455]), atol=6e-4, rtol=0)


@pytest.mark.parametrize("heads", [5, 8])
def test_symmetric_equals_x_transformers(heads):
    theirs = AlibiPositionalBias(heads)
    ours = alibi_bias(
        relative_positions(torch.arange(2046, 2049), torch.arange(2049)), alibi_slopes(heads), "symmetric"
    )
    torch.testing.assert_close(ours, theirs(3, 2049), atol=0, rtol=1e-6)
    q_positions, k_positions = torch.randint(100_000, (2, 7)), torch.randint(100_000, (2, 9))
    ours = alibi_bias(relative_positions(q_positions, k_positions), alibi_slopes(heads), "symmetric")
    torch.testing.assert_close(ours, theirs.forward_custom_pos(q_positions, k_positions), atol=0, rtol=1e-6)


@pytest.mark.parametrize("heads", [3, 4])
def test_bloom_layer_with_copied_weights(heads):
    width = 8 * heads
    theirs = BloomAttention(
        BloomConfig(hidden_size=width, n_head=heads, hidden_dropout=0, attention_dropout=0), 0
    ).eval()
    x = torch.randn(2, 19, width)
    alibi = build_alibi_tensor(torch.ones(2, 19, dtype=torch.long), heads, torch.float32)
    past = causal_mask(19, 19)
    additive = torch.zeros(2, 1, 19, 19).masked_fill(~past, torch.finfo(torch.float32).min)
    expected = theirs(x, torch.zeros_like(x), alibi, additive)[0]
    q, k, v = theirs.query_key_value(x).unflatten(-1, (heads, 3, 8)).permute(3, 0, 2, 1, 4)
    ours = attend(q, k, v, 2049 + torch.arange(19), 2049 + torch.arange(19), AlibiEncoding(heads), past)
    torch.testing.assert_close(theirs.dense(ours.transpose(1, 2).flatten(-2)), expected, atol=2e-6, rtol=1e-5)


@pytest.mark.parametrize("heads", [3, 4])
def test_mpt_layer_with_copied_weights(heads):
    theirs = MptAttention(MptConfig(d_model=8 * heads, n_heads=heads, max_seq_len=64), 0).eval()
    x, past = torch.randn(2, 19, 8 * heads), causal_mask(19, 19)
    expected = theirs(x, build_mpt_alibi_tensor(heads, 64), attention_mask=~past)[0]
    q, k, v = (part.unflatten(-1, (heads, 8)).transpose(1, 2) for part in theirs.Wqkv(x).chunk(3, dim=-1))
    ours = attend(q, k, v, 257 + torch.arange(19), 257 + torch.arange(19), AlibiEncoding(heads), past)
    torch.testing.assert_close(theirs.out_proj(ours.transpose(1, 2).flatten(-2)), expected, atol=2e-6, rtol=1e-5)


# The two shortcuts


def test_shortcuts_equal_the_code_they_come_from():
    slopes, mask = alibi_slopes(5), torch.tensor([[0, 0, 1, 1, 1, 1, 1], [1] * 7])
    positions = (mask.cumsum(-1) - 1) * mask  # Bloom's
    theirs = build_alibi_tensor(mask, 5, torch.float32).view(2, 5, 1, 7)
    torch.testing.assert_close(alibi_shortcut(positions, slopes), theirs, atol=0, rtol=1e-6)
    theirs = build_mpt_alibi_tensor(5, 2049)
    torch.testing.assert_close(alibi_shortcut(torch.arange(2049), slopes, "mpt"), theirs, atol=0, rtol=1e-6)


@pytest.mark.parametrize("variant", ["bloom", "mpt"])
def test_shortcuts_are_right_for_the_signed_distance_and_wrong_for_an_encoder(variant):
    positions, slopes = torch.arange(12), alibi_slopes(3)
    scores, relative = torch.randn(2, 3, 12, 12), relative_positions(positions, positions)
    short = scores + alibi_shortcut(positions, slopes, variant)
    past = causal_mask(12, 12)

    def weights(x, mask=None):
        return (x if mask is None else x.masked_fill(~mask, -torch.inf)).softmax(-1)

    for mask in (past, None):  # signed, with and without a mask
        signed = weights(scores + alibi_bias(relative, slopes), mask)
        torch.testing.assert_close(weights(short, mask), signed, atol=2e-6, rtol=1e-5)
    symmetric = scores + alibi_bias(relative, slopes, "symmetric")
    torch.testing.assert_close(weights(short, past), weights(symmetric, past), atol=2e-6, rtol=1e-5)
    assert float((weights(short) - weights(symmetric)).abs().max()) > 0.2


# FlexAttention


@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
def test_score_mod_in_flex_attention():
    q, k, v = torch.randn(2, 3, 5, 16), torch.randn(2, 3, 9, 16), torch.randn(2, 3, 9, 16)
    k_positions = 257 + torch.tensor([0, 1, 2, 4, 7, 8, 20, 30, 41])  # not consecutive: not the places in the tensor
    q_positions = k_positions[4:]
    score_mod = alibi_score_mod(q_positions, k_positions, alibi_slopes(3))
    block_mask = create_block_mask(
        lambda b, h, m, n: k_positions[n] <= q_positions[m], None, None, 5, 9, device="cpu", BLOCK_SIZE=16
    )
    theirs = flex_attention(q, k, v, score_mod=score_mod, block_mask=block_mask)
    ours = attend(q, k, v, q_positions, k_positions, AlibiEncoding(3), causal_mask(5, 9))
    torch.testing.assert_close(theirs, ours, atol=2e-6, rtol=1e-5)


# Precision, state, learning


def test_bias_is_computed_in_float32_and_cast_last():
    encoding = AlibiEncoding(8).to(torch.bfloat16)
    q, k = torch.zeros(1, 8, 1, 4, dtype=torch.bfloat16), torch.zeros(1, 8, 3, 4, dtype=torch.bfloat16)
    bias = encoding.bias(q, k, torch.tensor([257]), torch.tensor([0, 1, 2]))
    exact = -alibi_slopes(8)[:, None] * torch.tensor([257.0, 256.0, 255.0])
    assert bias.dtype is torch.bfloat16 and torch.equal(bias[:, 0], exact.to(torch.bfloat16))
    far = encoding.bias(q, k, torch.tensor([100_002]), torch.tensor([100_000, 100_001, 100_002]))
    assert torch.equal(far[:, 0].float(), alibi_slopes(8)[:, None] * torch.tensor([-2.0, -1.0, 0.0]))


def test_fixed_slopes_are_no_state():
    encoding = AlibiEncoding(6, "two-sided")
    assert not encoding.state_dict() and not list(encoding.parameters()) and not list(encoding.buffers())


def test_two_sided_heads_tell_left_from_right():
    q = torch.zeros(1, 4, 7, 2)
    bias = AlibiEncoding(4, "two-sided").bias(q, q, torch.arange(7), torch.arange(7))
    assert (bias[:, 4, 2] != bias[:, 2, 4]).all()
    symmetric = AlibiEncoding(4, "symmetric").bias(q, q, torch.arange(7), torch.arange(7))
    assert torch.equal(symmetric, symmetric.transpose(-2, -1))


@pytest.mark.parametrize("kind", ["causal", "symmetric", "two-sided"])
def test_learned_slopes_start_at_the_fixed_ones_and_learn(kind):
    encoding, fixed = AlibiEncoding(6, kind, learned=True), AlibiEncoding(6, kind)
    q, k, v, positions = *(torch.randn(2, 6, 9, 8) for _ in range(3)), torch.arange(9)
    out = attend(q, k, v, positions, positions, encoding)
    assert torch.equal(out, attend(q, k, v, positions, positions, fixed))
    out.pow(2).sum().backward()
    assert encoding.slopes.shape == ((2, 6) if kind == "two-sided" else (6,))
    assert encoding.slopes.grad.isfinite().all() and (encoding.slopes.grad != 0).all()


@pytest.mark.parametrize("offset", [1, 257, 2049, 100_000])
@pytest.mark.parametrize("name", MODULES)
def test_a_shift_of_all_positions_changes_nothing(name, offset):
    assert change_by_shift(MODULES[name](), offset, causal=name not in ("symmetric", "two-sided")) == 0.0


@pytest.mark.parametrize("name", MODULES)
def test_the_distances_do_matter(name):
    assert change_by_order(loud(MODULES[name]()), causal=name not in ("symmetric", "two-sided")) > 0.05


@pytest.mark.parametrize("name", MODULES)
def test_decoding_with_a_cache(name):
    assert_decoding_equals_full_pass(MODULES[name](), start=257)


Q, K, P, SLOPES = torch.zeros(2, 3, 4, 8), torch.zeros(2, 3, 5, 8), torch.arange(5), torch.ones(3)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: alibi_slopes(0), ValueError, "heads=0"),
        (lambda: alibi_slopes(4.0), TypeError, "heads=4.0"),
        (lambda: alibi_slopes(4, "code"), ValueError, "formula='code'.*'released', 'paper'"),
        (lambda: alibi_slopes(4, max_exponent=0), ValueError, "max_exponent=0"),
        (lambda: alibi_bias(P[None], SLOPES, "both"), ValueError, "kind='both'.*'two-sided'"),
        (lambda: alibi_bias(P[None], SLOPES, "two-sided"), ValueError, r"slopes has shape \(3,\).*\(2, H\)"),
        (lambda: alibi_bias(P[None], torch.ones(2, 3)), ValueError, r"slopes has shape \(2, 3\).*\(H,\)"),
        (lambda: alibi_bias(P[None].bfloat16(), SLOPES), ValueError, "relative has dtype torch.bfloat16"),
        (lambda: alibi_shortcut(P, SLOPES, "falcon"), ValueError, "variant='falcon'.*'bloom', 'mpt'"),
        (lambda: alibi_shortcut(P.half(), SLOPES), ValueError, "k_positions has dtype torch.float16"),
        (lambda: alibi_score_mod(P[None], P, SLOPES), ValueError, r"q_positions has shape \(1, 5\)"),
        (lambda: alibi_score_mod(P, P.bfloat16(), SLOPES), ValueError, "k_positions has dtype"),
        (lambda: AlibiEncoding(0), ValueError, "heads=0"),
        (lambda: AlibiEncoding(4, "left"), ValueError, "kind='left'"),
        (lambda: AlibiEncoding(4, formula="Paper"), ValueError, "formula='Paper'"),
        (lambda: AlibiEncoding(4).bias(Q, K, P[:4], P), ValueError, "q has 3 heads.*heads=4"),
        (lambda: AlibiEncoding(3).bias(Q, K, P, P), ValueError, "q_positions has shape"),
        (lambda: AlibiEncoding(3).bias(Q, K, P[:4], P.bfloat16()), ValueError, "k_positions has dtype"),
    ],
)
def test_bad_input_is_named(call, error, says):
    with pytest.raises(error, match=says):
        call()
