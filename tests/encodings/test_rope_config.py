"""Configurations of real models against transformers, against formulas in float64, and against what is known of them."""

import json
import math
import pickle
from pathlib import Path

import pytest
import torch
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
from posenc_helpers.encodings.rope_variants import AxesRotaryEncoding, warmed
from tests.encodings.model_checks import HEAD_DIM, LENGTH, assert_decoding_equals_full_pass, change_by_shift, tiny
from tests.encodings.rope_formulas import assert_frequencies, exact, exact_by_parts, exact_yarn

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
    with pytest.raises(ValueError, match=r"the layers differ.*'sliding_attention'.*'full_attention'"):
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


# ---------------------------------------------------------------- small files of real models


FILES = sorted((Path(__file__).parent / "configs").glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_file(path):
    """Each file holds a configuration and what is expected of its layers, or of no layer in particular."""
    content = json.loads(path.read_text(encoding="utf-8"))
    assert set(content) == {"source", "config", "expected"} and content["expected"]
    for expected in content["expected"]:
        layer = expected.pop("layer")
        if "error" in expected:
            with pytest.raises(ValueError, match=expected["error"]):
                from_config(content["config"], layer)
            continue
        encoding = from_config(content["config"], layer)
        assert type(encoding).__name__ == expected.pop("encoding")
        pairs, turning = expected.pop("pairs", {}), expected.pop("turning", None)
        for name, value in expected.items():
            found = getattr(encoding, name)
            assert (list(found) if isinstance(value, list) else found) == pytest.approx(value), name
        for pair, frequency in pairs.items():
            assert encoding.frequencies()[int(pair)].item() == pytest.approx(frequency, rel=2e-5)
        assert turning in (None, int((encoding.frequencies() > 0).sum()) if turning else None)
        again = pickle.loads(pickle.dumps(encoding))  # joblib and Dask send models
        assert repr(again) == repr(encoding)


@pytest.mark.parametrize(
    "rope",
    [
        {"rope_type": "linear", "factor": 4.0},
        {"rope_type": "dynamic", "factor": 4.0},
        {"rope_type": "dynamic", "alpha": 10.0},
        {"rope_type": "yarn", "factor": 4.0},
        {"rope_type": "llama3", "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
        {"rope_type": "longrope", "short_factor": [1.0] * 4, "long_factor": [2.0] * 4},
        {"rope_type": "proportional", "partial_rotary_factor": 0.5},
        {"rope_type": "default", "mrope_section": [1, 1, 2]},
    ],
    ids=lambda rope: " ".join(rope),
)
def test_every_scaling_can_be_pickled(rope):
    encoding = from_config({"head_dim": 8, "max_position_embeddings": 32, "rope_parameters": rope})
    again = pickle.loads(pickle.dumps(encoding))
    for length in (16, 64):
        assert torch.equal(again.frequencies(length), encoding.frequencies(length))


# ---------------------------------------------------------------- switches


def test_keys_that_say_nothing_about_positions_stop_nothing():
    extra = {"linear_key_head_dim": 4, "index_head_dim": 128, "rotary": True, "qk_nope_head_dim": 4, "num_heads_kv": 2}
    extra |= {"tie_word_embeddings": False, "europe": 1, "microscope_dim": 2, "position_embedding_size": 9, 7: "seven"}
    assert from_config({"head_dim": 8} | extra).head_dim == 8
    assert from_config({"head_dim": 8, "rope_thata": None, "use_rope_magic": False}).base == 1e4  # switched off


def test_multimodal_sections_with_partial_rotary():
    section = {"type": "mrope", "mrope_section": [1, 1, 0]}
    encoding = from_config({"head_dim": 8, "partial_rotary_factor": 0.5, "rope_scaling": section})
    assert (encoding.rotary_dim, encoding.sections) == (4, (1, 1, 0))
    q = torch.randn(1, 1, 2, 8)
    turned, _ = encoding.rotate(q, q, torch.tensor([[1, 2, 3], [4, 5, 6]]), torch.tensor([[1, 2, 3], [4, 5, 6]]))
    assert torch.equal(turned[..., 4:], q[..., 4:]) and not torch.equal(turned[..., :4], q[..., :4])


def test_which_layers_turn():
    by_list = {"head_dim": 8, "no_rope_layers": [1, 0]}  # 1 means: turns
    assert type(from_config(by_list, 0)) is RotaryEncoding and type(from_config(by_list, 1)) is PositionalEncoding
    with pytest.raises(ValueError, match=r"pass layer=: 0 \(base 10000, default\); 1 \(do not turn\)"):
        from_config(by_list)
    every = {"head_dim": 8, "no_rope_layer_interval": 2, "num_hidden_layers": 4}
    kinds = [type(from_config(every, i)) for i in range(4)]
    assert kinds == [RotaryEncoding, PositionalEncoding] * 2
    exaone = {"model_type": "exaone4", "head_dim": 8, "sliding_window": 4}
    exaone["layer_types"] = ["sliding_attention", "full_attention"]
    assert type(from_config(exaone, "full_attention")) is PositionalEncoding
    assert type(from_config(exaone, "sliding_attention")) is RotaryEncoding
    assert type(from_config({"head_dim": 8, "position_embedding_type": "nope"})) is PositionalEncoding
    hybrid = {"head_dim": 8, "layer_types": ["linear_attention", "mamba", "attention"]}
    assert [type(from_config(hybrid, i)) for i in range(3)] == [PositionalEncoding] * 2 + [RotaryEncoding]
    assert type(from_config(hybrid)) is RotaryEncoding  # of the layers that have queries at all


def test_a_base_for_each_layer():
    config = {"head_dim": 8, "rope_theta": [1e6, 1e4]}
    assert [from_config(config, i).base for i in (0, 1)] == [1e6, 1e4]
    with pytest.raises(ValueError, match="the layers differ"):
        from_config(config)
    with pytest.raises(ValueError, match="layer=2 must lie between 0 and 1"):
        from_config(config, 2)
    zero = {"head_dim": 8, "rope_theta": 1e4, "layer_rope_theta": [1e6, 0]}
    assert from_config(zero, 0).base == 1e6 and type(from_config(zero, 1)) is PositionalEncoding


def test_the_layout_is_read_and_can_be_overridden():
    latent = {"qk_rope_head_dim": 64, "rope_theta": 1e4}
    assert from_config(latent).layout == "half"
    assert from_config(latent | {"rope_interleave": True}).layout == "interleaved"
    assert from_config(latent | {"rope_interleave": True}, layout="half").layout == "half"
    assert from_config(latent | {"model_type": "deepseek_v3", "rope_interleave": False}).layout == "half"
    assert from_config(latent | {"model_type": "kimi_k2"}).layout == "interleaved"
    assert from_config({"head_dim": 8, "position_embedding_type": "rope_gptj"}).layout == "interleaved"


def test_an_odd_partial_width_is_rounded_up():
    """As in transformers: base^(-2i/21) for 11 pairs."""
    encoding = from_config({"head_dim": 42, "partial_rotary_factor": 0.5})
    assert encoding.rotary_dim == 22
    assert_frequencies(encoding.frequencies(), [1e4 ** (-2 * i / 21) for i in range(11)])


def test_queries_grow_with_their_position():
    rope = {"rope_type": "yarn", "factor": 16.0, "original_max_position_embeddings": 8192, "llama_4_scaling_beta": 0.1}
    config = {"head_dim": 8, "max_position_embeddings": 131072, "rope_parameters": rope}
    plain = from_config(config | {"rope_parameters": {k: v for k, v in rope.items() if k != "llama_4_scaling_beta"}})
    encoding, positions = from_config(config), torch.tensor([0, 8191, 8192, 100_000])
    q = torch.randn(2, 3, 4, 8)
    turned_q, turned_k = encoding.rotate(q, q, positions, positions)
    plain_q, plain_k = plain.rotate(q, q, positions, positions)
    growth = torch.tensor([1.0, 1.0, 1 + 0.1 * math.log(2), 1 + 0.1 * math.log(13)])
    assert torch.equal(encoding.frequencies(), plain.frequencies()) and torch.equal(turned_k, plain_k)
    assert_close(turned_q, plain_q * growth[:, None])
    assert_close(warmed(q, positions.expand(2, -1), 0.1, 8192), q * growth[:, None])
    # Llama 4's layers without RoPE count from 1.
    llama = {"model_type": "llama4_text", "head_dim": 8, "num_hidden_layers": 4, "attn_temperature_tuning": True}
    nope = from_config(llama, 3)
    assert torch.equal(
        nope.rotate(q, q, positions - 1, positions)[0][..., 1:, :], warmed(q, positions, 0.1, 8192)[..., 1:, :]
    )


def test_axes_pair_by_pair():
    encoding = AxesRotaryEncoding(8, [0, 1, 0, 1], [0, 0, 2, 2], base=100.0)
    assert_frequencies(encoding.frequencies(), [1.0, 1.0, 100**-0.5, 100**-0.5])
    angles = encoding.angles(torch.tensor([[3, 5]]), torch.tensor([[3, 5]]))
    assert_close(angles, torch.tensor([[3.0, 5.0, 0.3, 0.5]]))
    with pytest.raises(ValueError, match="axes has 2 entries, but steps has 1"):
        AxesRotaryEncoding(8, [0, 1], [0], base=100.0)


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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: from_config(LLAMA_31 | {"rope_thata": 1}), "unknown keys rope_thata; known: .*rope_theta"),
        (
            lambda: from_config({"head_dim": 8, "rope_scaling": {"type": "linear", "factr": 2.0}}),
            "rope_type='linear' has unknown keys factr; known: .*factor, .*rope_theta",
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
        (
            lambda: from_config(GEMMA_3, "chunked_attention"),
            "layer='chunked_attention'.*'sliding_attention'",
        ),
        (lambda: from_config({"head_dim": 8, "rope_scaling": {"type": "linear", "factor": 0.5}}), "factor=0.5"),
        (lambda: from_config({"head_dim": 8, "rope_theta": -1.0}), "rope_theta=-1.0"),
        (lambda: from_config({"head_dim": 8, "rope_theta": 0}), "rope_theta=0 must be a finite number above 0"),
        (lambda: from_config({"head_dim": 8, "alibi": True}), "alibi=True: ALiBi"),
        (lambda: from_config({"head_dim": 8, "rope_ratio": 500}), "unknown keys rope_ratio"),
        (
            lambda: from_config({"hidden_size": 8, "position_embedding_type": "absolute"}),
            "'absolute', which is not RoPE",
        ),
        (lambda: from_config({"model_type": "gpt2", "n_embd": 8, "n_head": 1}), "model_type='gpt2' says nothing"),
        (lambda: from_config({"text_config": {"model_type": "gpt2"}}), r"in config\['text_config'\]: .*'gpt2'"),
        (lambda: from_config({"head_dim": 8, "no_rope_layers": [1, 0]}, 2), "layer=2 must lie between 0 and 1"),
        (lambda: from_config({"head_dim": 8}, "full_attention"), "layer='full_attention', but the layers .* no names"),
        (lambda: from_config({"head_dim": 8, "num_hidden_layers": 2}, 2), "layer=2 must lie between 0 and 1"),
        (lambda: from_config(GEMMA_3, 0), "layer=0, but config lacks layer_types; pass one of sliding_attention"),
        (
            lambda: from_config({"head_dim": 8, "rope_scaling": {"type": "mrope", "mrope_section": [1, 1, 0]}}),
            "must sum to rotary_dim / 2 = 4",
        ),
        (
            lambda: from_config(LLAMA_31 | {"rope_scaling": LLAMA_31["rope_scaling"] | {"low_freq_factor": 8.0}}),
            "high_freq_factor=4.0 must be at least low_freq_factor=8.0",
        ),
        (lambda: from_config({"hidden_size": 8, "num_attention_heads": 0}), "heads=0 must be at least 1"),
        (lambda: from_config({"head_dim": 9}), "rotary_dim=9 must be even"),
        (lambda: from_config({"head_dim": 8}, layout="neox"), "layout='neox'"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("llama", "config must be a dict, got str"),
        ({"head_dim": 8, "rope_scaling": "yarn"}, "rope_scaling='yarn' must be a dict"),
        ({"head_dim": 8, "layer_types": "full_attention"}, "layer_types='full_attention' must be a list"),
        ({"head_dim": 8, "rope_theta": "1e4"}, "rope_theta='1e4' must be a number"),
    ],
)
def test_wrong_types(config, message):
    with pytest.raises(TypeError, match=message):
        rope_parameters(config)


@pytest.mark.parametrize("layer", [1.0, True, (0, 1)])
def test_a_layer_is_a_number_or_a_name(layer):
    with pytest.raises(TypeError, match="must be the number of a layer, the name of its kind, or None"):
        from_config({"head_dim": 8}, layer)
