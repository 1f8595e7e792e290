"""Stretched RoPE against its formulas in float64 and against Hugging Face, with the configurations of real models."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close
from transformers import (
    DeepseekV3Config,
    Gemma3TextConfig,
    Gemma4TextConfig,
    GPTNeoXConfig,
    GptOssConfig,
    LlamaConfig,
    Olmo3Config,
    Phi3Config,
)
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.deepseek_v3 import modeling_deepseek_v3
from transformers.models.gemma3.modeling_gemma3 import Gemma3RotaryEmbedding
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb
from transformers.models.phi3.modeling_phi3 import Phi3RotaryEmbedding

from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.encodings.grid_rope import MultimodalRotaryEncoding
from posenc_helpers.encodings.rope import RotaryEncoding, layout_permutation
from posenc_helpers.encodings.rope_config import from_config, rope_parameters
from posenc_helpers.encodings.rope_scaling import (
    by_parts,
    dynamic_ntk,
    linear,
    llama3,
    longrope,
    longrope_attention_factor,
    ntk_aware,
    turns,
    yarn,
    yarn_attention_factor,
)
from posenc_helpers.encodings.sinusoidal import frequencies
from tests.encodings.model_checks import HEAD_DIM, LENGTH, assert_decoding_equals_full_pass, change_by_shift, tiny

# Phi-3.5-mini's searched factors: its published config.json, which prints these two decimals as float32.
PHI_LONG = [
    1.08, 1.11, 1.14, 1.34, 1.59, 1.6, 1.62, 2.62, 3.23, 3.23, 4.79, 7.4, 7.7, 9.09, 12.2, 17.67,
    24.46, 28.57, 30.42, 30.84, 32.59, 32.93, 42.32, 44.96, 50.34, 50.45, 57.55, 57.93, 58.21, 60.14, 62.61, 62.62,
    62.71, 63.14, 63.14, 63.77, 63.93, 63.96, 63.97, 64.03, 64.07, 64.08, 64.12, 64.41, 64.48, 64.51, 64.53, 64.84,
]  # fmt: skip
PHI_SHORT = [
    1.0, 1.02, 1.03, 1.03, 1.05, 1.05, 1.05, 1.05, 1.05, 1.07, 1.1, 1.11, 1.16, 1.16, 1.17, 1.29,
    1.34, 1.68, 1.79, 1.82, 1.85, 1.88, 1.91, 1.94, 1.99, 2.02, 2.02, 2.02, 2.02, 2.02, 2.02, 2.03,
    2.03, 2.03, 2.03, 2.03, 2.03, 2.03, 2.03, 2.03, 2.08, 2.09, 2.19, 2.22, 2.59, 2.73, 2.75, 2.84,
]  # fmt: skip

LLAMA_31 = {
    "hidden_size": 4096, "num_attention_heads": 32, "max_position_embeddings": 131072, "rope_theta": 500000.0,
    "rope_scaling": {
        "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192, "rope_type": "llama3",
    },
}  # fmt: skip
QWEN_25 = {
    "hidden_size": 3584, "num_attention_heads": 28, "max_position_embeddings": 32768, "rope_theta": 1000000.0,
    "rope_scaling": {"factor": 4.0, "original_max_position_embeddings": 32768, "type": "yarn"},
}  # fmt: skip
DEEPSEEK_V3 = {
    "hidden_size": 7168, "num_attention_heads": 128, "max_position_embeddings": 163840, "rope_theta": 10000,
    "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
    "rope_scaling": {
        "beta_fast": 32, "beta_slow": 1, "factor": 40, "mscale": 1.0, "mscale_all_dim": 1.0,
        "original_max_position_embeddings": 4096, "type": "yarn",
    },
}  # fmt: skip
DEEPSEEK_V2_LITE = DEEPSEEK_V3 | {
    "rope_scaling": DEEPSEEK_V3["rope_scaling"] | {"mscale": 0.707, "mscale_all_dim": 0.707}
}
KIMI_K2 = DEEPSEEK_V3 | {
    "rope_theta": 50000.0, "max_position_embeddings": 131072,
    "rope_scaling": DEEPSEEK_V3["rope_scaling"] | {"beta_fast": 1, "factor": 32},
}  # fmt: skip
GPT_OSS = {
    "hidden_size": 2880, "num_attention_heads": 64, "head_dim": 64, "max_position_embeddings": 131072,
    "rope_theta": 150000,
    "rope_scaling": {
        "beta_fast": 32.0, "beta_slow": 1.0, "factor": 32.0, "original_max_position_embeddings": 4096,
        "rope_type": "yarn", "truncate": False,
    },
}  # fmt: skip
PHI_35 = {
    "hidden_size": 3072, "num_attention_heads": 32, "max_position_embeddings": 131072,
    "original_max_position_embeddings": 4096, "rope_theta": 10000.0,
    "rope_scaling": {"long_factor": PHI_LONG, "short_factor": PHI_SHORT, "type": "longrope"},
}  # fmt: skip
INTERNLM_25 = {
    "hidden_size": 4096, "num_attention_heads": 32, "max_position_embeddings": 32768, "rope_theta": 1000000,
    "rope_scaling": {"factor": 2.0, "type": "dynamic"},
}  # fmt: skip
GEMMA_3 = {
    "model_type": "gemma3_text", "head_dim": 256, "hidden_size": 2560, "num_attention_heads": 8,
    "max_position_embeddings": 131072, "rope_theta": 1000000.0, "rope_local_base_freq": 10000.0,
    "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
}  # fmt: skip
OLMO_3 = {
    "model_type": "olmo3", "hidden_size": 4096, "num_attention_heads": 32, "max_position_embeddings": 65536,
    "rope_theta": 500000,
    "rope_scaling": {
        "attention_factor": 1.2079441541679836, "beta_fast": 32.0, "beta_slow": 1.0, "factor": 8.0,
        "original_max_position_embeddings": 8192, "rope_type": "yarn",
    },
}  # fmt: skip


def exact(dim, base):
    return [base ** (-2 * i / dim) for i in range(dim // 2)]


def exact_by_parts(dim, base, factor, original, alpha, beta):
    out = []
    for w in exact(dim, base):
        r = original / (2 * math.pi / w)
        keep = min(max((r - alpha) / (beta - alpha), 0.0), 1.0)
        out.append((1 - keep) * w / factor + keep * w)
    return out


def exact_yarn(dim, base, factor, original, beta_fast=32.0, beta_slow=1.0, truncate=True):
    """YaRN's released ramp, from the inverse of r = L base^(-2i/d) / (2 pi) solved for the pair index i."""
    first, last = (dim * math.log(original / (2 * math.pi * b)) / (2 * math.log(base)) for b in (beta_fast, beta_slow))
    if truncate:
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, dim - 1)
    out = []
    for i, w in enumerate(exact(dim, base)):
        divide = min(max((i - first) / (last - first), 0.0), 1.0)
        out.append((1 - divide) * w + divide * w / factor)
    return out


def assert_frequencies(ours, definition):
    assert ours.dtype is torch.float32
    assert_close(ours.double(), torch.tensor(definition, dtype=torch.float64), atol=0, rtol=2e-6)


# ---------------------------------------------------------------- the cures one by one


@settings(max_examples=60, deadline=None)
@given(pairs=st.integers(2, 64), base=st.floats(100, 1e7), factor=st.floats(1, 64), original=st.integers(2, 40_000))
def test_what_every_cure_promises(pairs, base, factor, original):
    """Frequencies are divided, never multiplied, by at most the factor, and the fast ones by no more than the slow."""
    w = frequencies(2 * pairs, base, dtype=torch.float64)
    cures = {
        "linear": linear(w, factor),
        "ntk_aware": ntk_aware(w, factor),
        "by_parts": by_parts(w, factor, original),
        "llama3": llama3(w, factor, original),
        "yarn": yarn(w, factor, original),
        "yarn without rounding": yarn(w, factor, original, truncate=False),
    }
    for name, scaled in cures.items():
        divided = w / scaled
        assert ((divided >= 1 - 1e-9) & (divided <= factor * (1 + 1e-9))).all(), name
        assert (divided.diff() >= -1e-9).all(), name
    assert_close(cures["linear"] * factor, w)
    assert_close(cures["ntk_aware"][[0, -1]], torch.stack([w[0], w[-1] / factor]))
    assert_close(
        cures["ntk_aware"], frequencies(2 * pairs, base * factor ** (pairs / (pairs - 1)), dtype=torch.float64)
    )
    r = turns(w, original)
    assert_close(cures["by_parts"][r > 32], w[r > 32])
    assert_close(cures["by_parts"][r < 1], w[r < 1] / factor)


@pytest.mark.parametrize(
    ("dim", "base", "length", "count"),
    [(128, 1e4, 4096, 18), (128, 5e5, 8192, 29), (128, 1e6, 32768, 24), (64, 1.5e5, 4096, 14)],
    ids=["Llama-2", "Llama-3", "Qwen2.5", "gpt-oss"],
)
def test_pairs_that_never_finish_a_turn(dim, base, length, count):
    r = turns(frequencies(dim, base), length)
    assert (r < 1).sum() == count and (r.diff() < 0).all()  # the slow ones, at the end
    assert count == sum(length * w < 2 * math.pi for w in exact(dim, base))


def test_linear_is_position_divided_by_the_factor():
    positions = torch.tensor([0, 257, 2049, 100_000])
    stretched = RotaryEncoding(HEAD_DIM, scaling=lambda w, length: linear(w, 4.0)).angles(positions, positions)
    assert_close(stretched, RotaryEncoding(HEAD_DIM).angles(positions / 4, positions), rtol=1e-6, atol=0)


def test_dynamic_effective_factor():
    w = frequencies(96, 1e6)
    for length, effective in [(1, 1.0), (32768, 1.0), (65536, 3.0), (98304, 5.0)]:
        assert_close(dynamic_ntk(w, 2.0, 32768, torch.tensor(length)), ntk_aware(w, effective), atol=0, rtol=2e-6)


def test_the_two_ramps_of_yarn_are_different_functions():
    w = frequencies(128, 1e4)
    paper, released = (yarn(w, 16.0, 4096, formula=formula) for formula in ("paper", "released"))
    assert torch.equal(paper, by_parts(w, 16.0, 4096, 1.0, 32.0))
    assert 3 < (released / paper).max() < 3.1  # the paper divides the middle pairs by much more
    oss = frequencies(64, 1.5e5)
    paper_oss, released_oss = yarn(oss, 32.0, 4096, formula="paper"), yarn(oss, 32.0, 4096, truncate=False)
    assert 0.72 < ((released_oss - paper_oss) / released_oss).abs().max() < 0.74
    assert_frequencies(released, exact_yarn(128, 1e4, 16.0, 4096))
    assert_frequencies(paper, exact_by_parts(128, 1e4, 16.0, 4096, 1.0, 32.0))


def test_equal_betas_make_a_step_of_one_pair():
    divided = frequencies(64, 5e4) / yarn(frequencies(64, 5e4), 32.0, 4096, beta_fast=1.0, beta_slow=1.0)
    assert_close(divided.round().unique(), torch.tensor([1.0, 32.0]))
    exactly_one = yarn(frequencies(64, 5e4), 32.0, 4096, beta_fast=1.0, beta_slow=1.0, truncate=False)
    assert_close((frequencies(64, 5e4) / exactly_one).round().unique(), torch.tensor([1.0, 32.0]))


def test_attention_factors():
    assert yarn_attention_factor(1.0) == 1.0
    assert yarn_attention_factor(4.0) == pytest.approx(1.1386294)
    # DeepSeek's second correction, beside 1/sqrt(d): facts of V2-Lite and V3.
    assert yarn_attention_factor(40, 0.707) ** 2 == pytest.approx(1.59, abs=0.005)
    assert yarn_attention_factor(40, 1.0) ** 2 == pytest.approx(1.87, abs=0.005)
    assert longrope_attention_factor(32, 4096) == pytest.approx(math.sqrt(1 + 5 / 12))
    assert longrope_attention_factor(1, 4096) == 1.0
    positions, x = torch.tensor([257, 2049]), torch.randn(1, 3, 2, HEAD_DIM)
    encoding = RotaryEncoding(HEAD_DIM, rotary_dim=6, attention_factor=1.5)
    q, k = encoding.rotate(x, x, positions, positions)
    assert_close(q[..., :6].norm(), 1.5 * x[..., :6].norm())
    assert torch.equal(q, k) and torch.equal(q[..., 6:], x[..., 6:])  # what does not turn is not stretched


# ---------------------------------------------------------------- real configurations


REAL = {
    "Llama-3.1": (LLAMA_31, LlamaConfig, exact_by_parts(128, 5e5, 8, 8192, 1, 4), 1.0),
    "Qwen2.5 YaRN": (QWEN_25, LlamaConfig, exact_yarn(128, 1e6, 4, 32768), 0.1 * math.log(4) + 1),
    "DeepSeek-V3": (DEEPSEEK_V3, DeepseekV3Config, exact_yarn(64, 1e4, 40, 4096), 1.0),
    "DeepSeek-V2-Lite": (DEEPSEEK_V2_LITE, DeepseekV3Config, exact_yarn(64, 1e4, 40, 4096), 1.0),
    "Kimi K2": (KIMI_K2, DeepseekV3Config, exact_yarn(64, 5e4, 32, 4096, 1, 1), 1.0),
    "gpt-oss": (GPT_OSS, GptOssConfig, exact_yarn(64, 1.5e5, 32, 4096, truncate=False), 0.1 * math.log(32) + 1),
    "Phi-3.5": (
        PHI_35, Phi3Config, [w / s for w, s in zip(exact(96, 1e4), PHI_SHORT, strict=True)], math.sqrt(1 + 5 / 12),
    ),
    "InternLM2.5": (INTERNLM_25, LlamaConfig, exact(128, 1e6), 1.0),
}  # fmt: skip


@pytest.mark.parametrize("name", REAL)
def test_real_configuration(name):
    config, their_config, definition, attention_factor = REAL[name]
    theirs = their_config(**{key: dict(v) if isinstance(v, dict) else v for key, v in config.items()})
    inv_freq, their_factor = ROPE_INIT_FUNCTIONS[theirs.rope_parameters["rope_type"]](theirs)
    encoding = from_config(config)
    ours = encoding.frequencies(length=1000)
    assert_close(ours, inv_freq, atol=0, rtol=2e-6)
    assert_frequencies(ours, definition)
    assert encoding.attention_factor == pytest.approx(their_factor) == pytest.approx(attention_factor)
    # The new key names, as Hugging Face rewrites the old ones, describe the same encoding.
    new = {key: v for key, v in config.items() if key not in ("rope_scaling", "rope_theta")}
    again = from_config(new | {"rope_parameters": dict(theirs.rope_parameters)})
    assert torch.equal(again.frequencies(length=1000), ours)
    assert again.attention_factor == encoding.attention_factor and again.head_dim == encoding.head_dim


def turned_by_hugging_face(module, positions, head_dim, *layer_type):
    x = torch.randn(2, 3, positions.shape[-1], head_dim, generator=torch.Generator().manual_seed(2))
    cos, sin = module(x, positions.expand(2, -1), *layer_type)
    return x, apply_rotary_pos_emb(x, x, cos, sin)[0]


def assert_same_turn(encoding, module, positions, *layer_type):
    """Compare whole rotations at given positions, within float32 angles' rounding."""
    x, theirs = turned_by_hugging_face(module, positions, encoding.head_dim, *layer_type)
    slack = float(positions.max()) * 2e-6 + 1e-5
    for q_positions in (positions, positions.expand(2, -1)):
        ours, _ = encoding.rotate(x, x, q_positions, q_positions)
        assert_close(ours, theirs, atol=slack, rtol=0)


@pytest.mark.parametrize("last", [1, 32767, 32768, 65535, 100_000])
def test_dynamic_at_several_lengths(last):
    theirs = LlamaRotaryEmbedding(LlamaConfig(**INTERNLM_25 | {"rope_scaling": dict(INTERNLM_25["rope_scaling"])}))
    positions = torch.tensor([0, last // 3, last])  # the length is last + 1
    assert_same_turn(from_config(INTERNLM_25), theirs, positions)
    length = last + 1
    base = 1e6 * max(1.0, 2 * length / 32768 - 1) ** (128 / 126)
    assert_frequencies(from_config(INTERNLM_25).frequencies(length), exact(128, base))


@pytest.mark.parametrize(
    ("last", "factors"), [(100, PHI_SHORT), (4095, PHI_SHORT), (4096, PHI_LONG), (70_000, PHI_LONG)]
)
def test_longrope_switches_behind_the_original_length(last, factors):
    theirs = Phi3RotaryEmbedding(Phi3Config(**PHI_35 | {"rope_scaling": dict(PHI_35["rope_scaling"])}))
    positions = torch.tensor([0, last // 3, last])
    assert_same_turn(from_config(PHI_35), theirs, positions)
    definition = [w / s for w, s in zip(exact(96, 1e4), factors, strict=True)]
    assert_frequencies(from_config(PHI_35).frequencies(last + 1), definition)


def test_each_row_of_a_batch_has_its_own_length():
    encoding = from_config(PHI_35)
    positions = torch.tensor([[0, 1, 2, 100], [0, 257, 2049, 5000]])
    x = torch.randn(2, 3, 4, 96)
    together, _ = encoding.rotate(x, x, positions, positions)
    for row in range(2):
        alone, _ = encoding.rotate(x[row : row + 1], x[row : row + 1], positions[row], positions[row])
        assert torch.equal(together[row : row + 1], alone)


def test_early_queries_turn_at_the_length_of_all_keys():
    encoding = from_config(PHI_35)
    q, k = torch.randn(1, 3, 2, 96), torch.randn(1, 3, 4, 96)
    q_positions, k_positions = torch.tensor([3, 257]), torch.tensor([3, 257, 2049, 5000])
    alone, _ = encoding.rotate(q, k, q_positions, k_positions)
    together, _ = encoding.rotate(torch.cat([q, q], dim=-2), k, k_positions, k_positions)
    assert_close(alone, together[..., :2, :], atol=0, rtol=0)


def test_a_given_attention_factor_replaces_the_formula():
    for config in (QWEN_25, PHI_35):
        given = config | {"rope_scaling": config["rope_scaling"] | {"attention_factor": 1.5}}
        assert from_config(given).attention_factor == 1.5


def test_gemma_3_stretches_global_layers_only():
    theirs = Gemma3RotaryEmbedding(Gemma3TextConfig(**GEMMA_3 | {"rope_scaling": dict(GEMMA_3["rope_scaling"])}))
    new = {key: v for key, v in GEMMA_3.items() if not key.startswith("rope")}
    new["rope_parameters"] = {
        "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
        "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
    }
    definition = {"full_attention": [w / 8 for w in exact(256, 1e6)], "sliding_attention": exact(256, 1e4)}
    for layer_type, expected in definition.items():
        for config in (GEMMA_3, new):
            encoding = from_config(config, layer_type)
            assert_frequencies(encoding.frequencies(), expected)
            assert_same_turn(encoding, theirs, torch.tensor([0, 257, 2049, 100_000]), layer_type)
    with pytest.raises(ValueError, match=r"layer_type=None.*'full_attention', 'sliding_attention'"):
        from_config(GEMMA_3)


def test_olmo_3_stretches_full_layers_only():
    theirs = Olmo3Config(**OLMO_3 | {"rope_scaling": dict(OLMO_3["rope_scaling"])})
    inv_freq, factor = ROPE_INIT_FUNCTIONS["yarn"](theirs, layer_type="full_attention")
    full, sliding = (from_config(OLMO_3, kind) for kind in ("full_attention", "sliding_attention"))
    assert_close(full.frequencies(), inv_freq, atol=0, rtol=2e-6)
    assert_frequencies(full.frequencies(), exact_yarn(128, 5e5, 8, 8192))
    assert full.attention_factor == factor == 1.2079441541679836
    assert_frequencies(sliding.frequencies(), exact(128, 5e5))
    assert sliding.attention_factor == 1.0


def test_gemma_4_keeps_the_fastest_quarter():
    theirs = Gemma4TextConfig(head_dim=256)
    inv_freq, _ = ROPE_INIT_FUNCTIONS["proportional"](theirs, layer_type="full_attention", head_dim_key="head_dim")
    width = 2 * len(inv_freq)
    config = {"head_dim": width, "rope_parameters": dict(theirs.rope_parameters)}
    ours = from_config(config, "full_attention")
    assert_close(ours.frequencies(), inv_freq, atol=0, rtol=1e-6)
    kept = width // 8
    assert_frequencies(ours.frequencies(), exact(width, 1e6)[:kept] + [0.0] * (width // 2 - kept))
    assert ours.rotary_dim == width
    assert_frequencies(from_config(config, "sliding_attention").frequencies(), exact(width, 1e4))


def test_partial_widths_and_old_names():
    neox = {"hidden_size": 6144, "num_attention_heads": 64, "rotary_pct": 0.25, "rotary_emb_base": 25000}
    assert (from_config(neox).rotary_dim, from_config(neox).base) == (24, 25000.0)
    assert GPTNeoXConfig(**neox).rope_parameters["partial_rotary_factor"] == 0.25
    gptj = from_config({"n_embd": 4096, "n_head": 16, "rotary_dim": 64}, layout="interleaved")
    assert (gptj.head_dim, gptj.rotary_dim, gptj.base, gptj.layout) == (256, 64, 1e4, "interleaved")
    phi2 = from_config({"hidden_size": 2560, "num_attention_heads": 32, "partial_rotary_factor": 0.4})
    assert (phi2.head_dim, phi2.rotary_dim, phi2.layout) == (80, 32, "half")
    su = from_config(PHI_35 | {"rope_scaling": PHI_35["rope_scaling"] | {"type": "su"}})
    assert torch.equal(su.frequencies(5000), from_config(PHI_35).frequencies(5000))


def test_a_layer_type_without_positions():
    config = {"head_dim": 64, "rope_parameters": {"sliding_attention": {"rope_theta": 1e4}, "full_attention": None}}
    assert type(from_config(config, "full_attention")) is PositionalEncoding
    assert type(from_config(config, "sliding_attention")) is RotaryEncoding


def test_multimodal_sections():
    section = {"mrope_section": [16, 24, 24], "type": "mrope"}
    chunked = from_config({"head_dim": 128, "rope_theta": 1e6, "rope_scaling": section})
    assert isinstance(chunked, MultimodalRotaryEncoding)
    assert (chunked.sections, chunked.interleaved, chunked.base) == ((16, 24, 24), False, 1e6)
    new = {"rope_type": "default", "rope_theta": 5e6, "mrope_section": [24, 20, 20], "mrope_interleaved": True}
    interleaved = from_config({"head_dim": 128, "rope_parameters": new})
    assert (interleaved.sections, interleaved.interleaved, interleaved.base) == ((24, 20, 20), True, 5e6)


def test_deepseek_reads_neighbours_and_writes_halves():
    """Its q and k come out in another order than ours, both alike, so that the scores are the same."""
    config = DeepseekV3Config(**DEEPSEEK_V3 | {"rope_scaling": dict(DEEPSEEK_V3["rope_scaling"])})
    positions = torch.tensor([[0, 257, 2049, 4100], [3, 5000, 1, 12]])
    q, k = torch.randn(2, 3, 4, 64), torch.randn(2, 1, 4, 64)
    cos, sin = modeling_deepseek_v3.DeepseekV3RotaryEmbedding(config)(q, positions)
    their_q, their_k = modeling_deepseek_v3.apply_rotary_pos_emb_interleave(q, k, cos, sin)
    our_q, our_k = from_config(DEEPSEEK_V3, layout="interleaved").rotate(q, k, positions, positions)
    assert_close(our_q @ our_k.transpose(-2, -1), their_q @ their_k.transpose(-2, -1), atol=0.05, rtol=1e-4)
    assert_close(our_q[..., layout_permutation(64, "half")], their_q, atol=5e-3, rtol=0)


# ---------------------------------------------------------------- inside a model


@pytest.mark.parametrize("kind", ["linear", "yarn", "llama3"])
def test_model_with_fixed_scaling(kind):
    extra = {"low_freq_factor": 1.0, "high_freq_factor": 4.0} if kind == "llama3" else {}
    rope = {"rope_type": kind, "factor": 4.0, "rope_theta": 100.0} | extra
    config = {"head_dim": HEAD_DIM, "max_position_embeddings": 128, "rope_parameters": rope}
    encoding = from_config(config)
    assert_decoding_equals_full_pass(encoding, start=257)
    assert change_by_shift(encoding, 2049) < 2e-3


def test_dynamic_scaling_in_a_model():
    """Within the trained length nothing happens; beyond it, what was computed before the length grew is outdated."""
    config = {
        "head_dim": HEAD_DIM, "max_position_embeddings": LENGTH,
        "rope_parameters": {"rope_type": "dynamic", "factor": 8.0, "rope_theta": 100.0},
    }  # fmt: skip
    encoding = from_config(config, layout="interleaved")
    assert_decoding_equals_full_pass(encoding)
    with pytest.raises(AssertionError):
        assert_decoding_equals_full_pass(encoding, start=LENGTH)
    model, tokens = tiny(encoding)
    plain, _ = tiny(RotaryEncoding(HEAD_DIM, 100.0))
    with torch.no_grad():
        assert_close(model(tokens), plain(tokens), atol=1e-5, rtol=0)


@pytest.mark.parametrize("config", [PHI_35, INTERNLM_25, GPT_OSS], ids=["longrope", "dynamic", "yarn"])
def test_compile_and_export(config):
    encoding = from_config(config)

    class Door(torch.nn.Module):
        def forward(self, q, k, positions):
            return encoding.rotate(q, k, positions, positions)

    compiled = torch.compile(Door(), backend="eager", fullgraph=True)
    x = torch.randn(2, 3, 4, encoding.head_dim)
    exported = torch.export.export(Door(), (x, x, torch.zeros(2, 4, dtype=torch.long))).module()
    for last in (100, 40_000):  # one graph for both sides of the switch
        positions = torch.tensor([[0, 1, 2, 3], [0, 257, 2049, last]])
        expected = Door()(x, x, positions)[0]
        assert_close(compiled(x, x, positions)[0], expected, atol=1e-5, rtol=0)
        assert_close(exported(x, x, positions)[0], expected, atol=1e-5, rtol=0)


# ---------------------------------------------------------------- bad input


W = frequencies(8)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: linear(W, 0.5), "factor=0.5 must be at least 1"),
        (lambda: ntk_aware(W, -2.0), "factor=-2.0"),
        (lambda: ntk_aware(W[:1], 2.0), "at least 2 pairs"),
        (lambda: dynamic_ntk(W, 0.5, 8, torch.tensor(9)), "factor=0.5"),
        (lambda: dynamic_ntk(W, 2.0, 0, torch.tensor(9)), "original_length=0"),
        (lambda: by_parts(W, 0.5, 8), "factor=0.5"),
        (lambda: by_parts(W, 2.0, -8), "original_length=-8"),
        (lambda: by_parts(W, 2.0, 8, alpha=-1.0), "alpha=-1.0"),
        (lambda: by_parts(W, 2.0, 8, alpha=4.0, beta=1.0), "beta=1.0 must be above alpha=4.0"),
        (lambda: llama3(W, 8.0, 8192, 1.0, 1.0), "beta=1.0 must be above alpha=1.0"),
        (lambda: yarn(W, 0.5, 8), "factor=0.5"),
        (lambda: yarn(W, 2.0, 8, beta_fast=1.0, beta_slow=32.0), "beta_slow=32.0 and beta_fast=1.0"),
        (lambda: yarn(W, 2.0, 8, formula="code"), "formula='code'.*'released', 'paper'"),
        (lambda: yarn(W[:1], 2.0, 8), "at least 2 pairs"),
        (lambda: yarn_attention_factor(0.1), "factor=0.1"),
        (lambda: longrope(W, [1.0], [2.0] * 4, 8, torch.tensor(9)), "short_factor has 1 numbers.*4 pairs"),
        (lambda: longrope(W, [1.0] * 4, [2.0] * 5, 8, torch.tensor(9)), "long_factor has 5 numbers"),
        (lambda: longrope_attention_factor(0.5, 8), "factor=0.5"),
        (lambda: from_config(LLAMA_31 | {"rope_thata": 1}), "unknown keys rope_thata; known: .*rope_theta"),
        (
            lambda: from_config({"head_dim": 8, "rope_scaling": {"type": "linear", "factr": 2.0}}),
            "rope_type='linear' has unknown keys factr; known: factor, .*rope_theta",
        ),
        (
            lambda: from_config({"head_dim": 8, "rope_scaling": {"type": "linear", "factor": 2.0, "beta_fast": 32}}),
            "unknown keys beta_fast",
        ),
        (lambda: from_config({"head_dim": 8, "rope_scaling": {"type": "linear"}}), "config lacks factor"),
        (lambda: from_config({"head_dim": 8, "rope_scaling": {"type": "ntk"}}), "rope_type='ntk'.*'linear', 'dynamic'"),
        (lambda: from_config({"rope_theta": 1e4}), "config lacks num_attention_heads or n_head"),
        (
            lambda: from_config({"head_dim": 8, "rope_scaling": {"type": "dynamic", "factor": 2.0}}),
            "config lacks max_position_embeddings",
        ),
        (
            lambda: from_config(
                {"head_dim": 8, "rope_scaling": {"type": "linear"}, "rope_parameters": {"type": "yarn"}}
            ),
            "both rope_scaling .* and rope_parameters",
        ),
        (lambda: from_config(GEMMA_3, "chunked_attention"), "layer_type='chunked_attention'"),
        (lambda: from_config({"head_dim": 8, "rope_scaling": {"type": "linear", "factor": 0.5}}), "factor=0.5"),
        (lambda: from_config({"head_dim": 8, "rope_theta": -1.0}), "base=-1.0"),
        (lambda: from_config({"head_dim": 9}), "rotary_dim=9 must be even"),
        (lambda: from_config({"head_dim": 8}, layout="neox"), "layout='neox'"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_config_must_be_a_mapping():
    with pytest.raises(TypeError, match="config must be a dict, got str"):
        rope_parameters("llama")
