"""ALiBi against Hugging Face's Bloom and MPT, x-transformers and torch's flex_attention, and against definitions."""

import pytest
import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.testing import assert_close
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor
from x_transformers.x_transformers import AlibiPositionalBias

from posenc_helpers.encodings.alibi import AlibiEncoding, alibi_bias, alibi_score_mod, alibi_shortcut, alibi_slopes
from posenc_helpers.encodings.relative import relative_positions
from posenc_helpers.transformer import attend, causal_mask
from tests.refused import refused


@pytest.mark.parametrize("heads", [*range(1, 21), 71])
def test_slopes_of_released_models(heads):
    ours = alibi_slopes(heads)
    for most in (8, 16):  # MPT's alibi_bias_max
        mpt = -build_mpt_alibi_tensor(heads, 2, alibi_bias_max=most)[:, 0, 0]  # the bias one step left of the last key
        assert_close(alibi_slopes(heads, max_exponent=most), mpt, atol=0, rtol=1e-6)
    bloom = build_alibi_tensor(torch.ones(1, 2, dtype=torch.long), heads, torch.float32)[:, 0, 1]
    assert_close(ours, bloom, atol=0, rtol=1e-6)
    assert_close(ours, AlibiPositionalBias(heads).slopes[:, 0, 0], atol=0, rtol=1e-6)
    paper = torch.tensor([2 ** (-8 * i / heads) for i in range(1, heads + 1)], dtype=torch.float64)
    assert_close(alibi_slopes(heads, "paper", dtype=torch.float64), paper, atol=0, rtol=1e-14)


@pytest.mark.parametrize("start", [0, 100_000])
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


def test_symmetric_equals_x_transformers():
    theirs, slopes = AlibiPositionalBias(5), alibi_slopes(5)
    ours = alibi_bias(relative_positions(torch.arange(2046, 2049), torch.arange(2049)), slopes, "symmetric")
    assert_close(ours, theirs(3, 2049), atol=0, rtol=1e-6)
    q_positions, k_positions = torch.randint(100_000, (2, 7)), torch.randint(100_000, (2, 9))
    ours = alibi_bias(relative_positions(q_positions, k_positions), slopes, "symmetric")
    assert_close(ours, theirs.forward_custom_pos(q_positions, k_positions), atol=0, rtol=1e-6)


def test_shortcuts_equal_the_code_they_come_from():
    slopes, mask = alibi_slopes(5), torch.tensor([[0, 0, 1, 1, 1, 1, 1], [1] * 7])
    positions = (mask.cumsum(-1) - 1) * mask  # Bloom's
    theirs = build_alibi_tensor(mask, 5, torch.float32).view(2, 5, 1, 7)
    assert_close(alibi_shortcut(positions, slopes), theirs, atol=0, rtol=1e-6)
    theirs = build_mpt_alibi_tensor(5, 2049)
    assert_close(alibi_shortcut(torch.arange(2049), slopes, "mpt"), theirs, atol=0, rtol=1e-6)


@pytest.mark.parametrize("variant", ["bloom", "mpt"])
def test_shortcuts_are_right_for_the_signed_distance_and_wrong_for_an_encoder(variant):
    positions, slopes = torch.arange(12), alibi_slopes(3)
    scores, relative = torch.randn(2, 3, 12, 12), relative_positions(positions, positions)
    short = (scores + alibi_shortcut(positions, slopes, variant)).softmax(-1)
    assert_close(short, (scores + alibi_bias(relative, slopes)).softmax(-1), atol=2e-6, rtol=1e-5)
    assert (short - (scores + alibi_bias(relative, slopes, "symmetric")).softmax(-1)).abs().max() > 0.2


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
    assert_close(theirs, ours, atol=2e-6, rtol=1e-5)


def test_bias_is_computed_in_float32_and_cast_last():
    encoding, keys = AlibiEncoding(6, formula="paper").to(torch.bfloat16), torch.arange(9)
    q, k = torch.zeros(1, 6, 1, 4, dtype=torch.bfloat16), torch.zeros(1, 6, 9, 4, dtype=torch.bfloat16)
    bias = encoding.bias(q, k, torch.tensor([261]), keys)
    exact = alibi_slopes(6, "paper")[:, None] * (keys - 261)  # slopes that are no powers of two: rounding twice shows
    assert bias.dtype is torch.bfloat16 and torch.equal(bias[:, 0], exact.to(torch.bfloat16))


@pytest.mark.parametrize("kind", ["causal", "symmetric", "two-sided"])
@pytest.mark.parametrize("formula", ["released", "paper"])
def test_learned_slopes_start_at_the_fixed_ones(kind, formula):
    learned, fixed = AlibiEncoding(6, kind, formula, learned=True), AlibiEncoding(6, kind, formula)
    slopes = alibi_slopes(6, formula)
    right = {"two-sided": torch.stack([slopes, slopes.flip(0)])}.get(kind, slopes)  # each head tells left from right
    assert torch.equal(learned.slopes, right) and learned.slopes.requires_grad
    q, positions = torch.zeros(1, 6, 9, 8), torch.arange(9)
    expected = alibi_bias(relative_positions(positions, positions), right, kind)
    for encoding in (learned, fixed):
        assert torch.equal(encoding.bias(q, q, positions, positions), expected)


Q, K, P, SLOPES = torch.zeros(2, 3, 4, 8), torch.zeros(2, 3, 5, 8), torch.arange(5), torch.ones(3)
test_bad_input_is_named = refused(
    (lambda: alibi_slopes(0), "heads=0"),
    (lambda: alibi_slopes(4, "code"), "formula='code'.*'released', 'paper'"),
    (lambda: alibi_slopes(4, max_exponent=0), "max_exponent=0"),
    (lambda: alibi_bias(P[None], SLOPES, "both"), "kind='both'.*'two-sided'"),
    (lambda: alibi_bias(P[None], SLOPES, "two-sided"), r"slopes has shape \(3,\).*\(2, H\)"),
    (lambda: alibi_bias(P[None], torch.ones(2, 3)), r"slopes has shape \(2, 3\).*\(H,\)"),
    (lambda: alibi_bias(P[None].bfloat16(), SLOPES), "relative has dtype torch.bfloat16"),
    (lambda: alibi_shortcut(P, SLOPES, "falcon"), "variant='falcon'.*'bloom', 'mpt'"),
    (lambda: alibi_shortcut(P.half(), SLOPES), "k_positions has dtype torch.float16"),
    (lambda: alibi_score_mod(P[None], P, SLOPES), r"q_positions has shape \(1, 5\)"),
    (lambda: alibi_score_mod(P, P.bfloat16(), SLOPES), "k_positions has dtype"),
    (lambda: AlibiEncoding(4).bias(Q, K, P[:4], P), "q has 3 heads.*heads=4"),
    (lambda: AlibiEncoding(3).bias(Q, K, P[:4], P.bfloat16()), "k_positions has dtype"),
)
