"""Configurations as they are released: what stands in each file about positions, layers and widths, leftovers included.

Written after the published config.json of the models named, not copied: keys without a bearing (vocabulary, dropout,
token ids) are left out. `FILES` has one or more for every known family, name -> config.
"""

from tests.encodings.released_others import OTHERS
from tests.encodings.released_parts import LLAMA_3, wide

YARN_40 = {"type": "yarn", "factor": 40, "beta_fast": 32, "beta_slow": 1, "original_max_position_embeddings": 4096}
DEEPSEEK = {"kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "n_group": 1,
            "topk_group": 1, "moe_intermediate_size": 64, "n_shared_experts": 1, "moe_layer_freq": 1,
            "first_k_dense_replace": 1}  # fmt: skip
GEMMA_4 = ["sliding_attention"] * 4 + ["full_attention"]
QWEN_3_5 = ["linear_attention"] * 3 + ["full_attention"]

FILES = {
    # LLaMA and what is built like it
    "LLaMA 7B": {"model_type": "llama", **wide(4096, 32, 32, max_position_embeddings=2048)},  # no rope_theta
    "Code Llama 7B": {"model_type": "llama", **wide(4096, 32, 32, max_position_embeddings=16384),
                      "rope_scaling": None, "rope_theta": 1000000},
    "Llama 3.1 8B": {"model_type": "llama", **wide(4096, 32, 32, max_position_embeddings=131072, num_key_value_heads=8),
                     "rope_scaling": LLAMA_3, "rope_theta": 500000.0, "mlp_bias": False, "pretraining_tp": 1},
    "Llama 3.2 1B": {"model_type": "llama", **wide(2048, 32, 16, max_position_embeddings=131072, num_key_value_heads=8),
                     "head_dim": 64, "rope_scaling": LLAMA_3 | {"factor": 32.0}, "rope_theta": 500000.0},
    "SmolLM2 135M": {"model_type": "llama", **wide(576, 9, 30, max_position_embeddings=8192, num_key_value_heads=3),
                     "is_llama_config": True, "rope_interleaved": False, "rope_scaling": None, "rope_theta": 100000},
    "YaRN Llama 2 7B": {"model_type": "llama", **wide(4096, 32, 32, max_position_embeddings=65536), "rope_scaling": {
        "factor": 16.0, "finetuned": True, "original_max_position_embeddings": 4096, "type": "yarn"}},
    "Mistral 7B": {"model_type": "mistral", **wide(4096, 32, 32, max_position_embeddings=32768, num_key_value_heads=8),
                   "rope_theta": 10000.0, "sliding_window": 4096},
    "Mistral 7B v0.3": {"model_type": "mistral", **wide(4096, 32, 32, num_key_value_heads=8), "head_dim": 128,
                        "max_position_embeddings": 32768, "rope_theta": 1000000.0, "sliding_window": None},
    "Mixtral 8x7B": {"model_type": "mixtral", **wide(4096, 32, 32, max_position_embeddings=32768, num_key_value_heads=8),
                     "num_local_experts": 8, "rope_theta": 1000000.0, "sliding_window": None},
    "Ministral 3 3B": {"model_type": "mistral3", "vision_feature_layer": -1, "spatial_merge_size": 2, "text_config": {
        "model_type": "ministral3", **wide(3072, 32, 26, max_position_embeddings=262144, num_key_value_heads=8),
        "head_dim": 128, "sliding_window": None, "rope_parameters": {
            "beta_fast": 32.0, "beta_slow": 1.0, "factor": 16.0, "llama_4_scaling_beta": 0.1, "mscale": 1.0,
            "mscale_all_dim": 1.0, "original_max_position_embeddings": 16384, "rope_theta": 1000000.0,
            "rope_type": "yarn", "type": "yarn"}}},
    "Mistral Small 3.1": {"model_type": "mistral3", "vision_feature_layer": -1, "text_config": {
        "model_type": "mistral", **wide(5120, 32, 40, max_position_embeddings=131072, num_key_value_heads=8),
        "head_dim": 128, "rope_theta": 1000000000.0, "sliding_window": None}},
    "SmolLM3 3B": {"model_type": "smollm3", **wide(2048, 16, 36, max_position_embeddings=65536, num_key_value_heads=4),
                   "layer_types": ["full_attention"] * 36, "max_window_layers": 28, "no_rope_layer_interval": 4,
                   "no_rope_layers": [1, 1, 1, 0] * 9, "rope_scaling": None, "rope_theta": 5000000.0,
                   "sliding_window": None, "use_sliding_window": False},
    "Llama 4 Scout": {"model_type": "llama4", "text_config": {
        "model_type": "llama4_text", **wide(5120, 40, 48, max_position_embeddings=10485760, num_key_value_heads=8),
        "head_dim": 128, "attention_chunk_size": 8192, "attn_scale": 0.1, "attn_temperature_tuning": True,
        "floor_scale": 8192, "interleave_moe_layer_step": 1, "moe_layers": list(range(48)), "no_rope_layers": [],
        "rope_scaling": LLAMA_3 | {"factor": 16.0, "high_freq_factor": 1.0}, "rope_theta": 500000.0,
        "num_local_experts": 16, "use_qk_norm": True}, "vision_config": {"model_type": "llama4_vision_model"}},
    "Llama 4 with defaults": {"model_type": "llama4_text", **wide(5120, 40, 4), "head_dim": 128, "rope_theta": 500000.0},
    "Llama 4, temperature off": {"model_type": "llama4_text", **wide(5120, 40, 4), "head_dim": 128, "rope_theta": 5e5,
                                 "attn_temperature_tuning": False},
    # Google
    "Gemma 2B": {"model_type": "gemma", **wide(2048, 8, 18, max_position_embeddings=8192, num_key_value_heads=1),
                 "head_dim": 256, "rope_scaling": None, "rope_theta": 10000.0},
    "Gemma 2 27B": {"model_type": "gemma2", **wide(4608, 32, 46, max_position_embeddings=8192, num_key_value_heads=16),
                    "head_dim": 128, "rope_theta": 10000.0, "sliding_window": 4096, "sliding_window_size": 4096,
                    "query_pre_attn_scalar": 144},
    "Gemma 3 1B": {"model_type": "gemma3_text", **wide(1152, 4, 26, max_position_embeddings=32768, num_key_value_heads=1),
                   "head_dim": 256, "rope_local_base_freq": 10000, "rope_scaling": None, "rope_theta": 1000000,
                   "sliding_window": 512, "sliding_window_pattern": 6, "query_pre_attn_scalar": 256},
    "Gemma 3 4B": {"model_type": "gemma3", "mm_tokens_per_image": 256, "text_config": {
        "model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34,
        "rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "sliding_window": 1024},
        "vision_config": {"model_type": "siglip_vision_model", "num_hidden_layers": 27}},
    "Gemma 4 E2B": {"model_type": "gemma4", "text_config": {
        "model_type": "gemma4_text", **wide(1536, 8, 35, num_key_value_heads=1), "head_dim": 256,
        "global_head_dim": 512, "hidden_size_per_layer_input": 256, "num_kv_shared_layers": 20, "sliding_window": 512,
        "vocab_size_per_layer_input": 262144, "layer_types": GEMMA_4 * 7, "rope_parameters": {
            "full_attention": {"partial_rotary_factor": 0.25, "rope_theta": 1000000.0, "rope_type": "proportional"},
            "sliding_attention": {"rope_theta": 10000.0, "rope_type": "default"}}}},
    # Qwen
    "Qwen2 7B": {"model_type": "qwen2", **wide(3584, 28, 28, max_position_embeddings=32768, num_key_value_heads=4),
                 "max_window_layers": 28, "rope_theta": 1000000.0, "sliding_window": 131072, "use_sliding_window": False},
    "Qwen2.5 7B with YaRN": {
        "model_type": "qwen2", **wide(3584, 28, 28, max_position_embeddings=32768, num_key_value_heads=4),
        "max_window_layers": 28, "rope_theta": 1000000.0, "use_mrope": False, "use_sliding_window": False,
        "rope_scaling": {"factor": 4.0, "original_max_position_embeddings": 32768, "type": "yarn"}},
    "Qwen1.5 MoE": {"model_type": "qwen2_moe", **wide(2048, 16, 24, max_position_embeddings=8192), "num_experts": 60,
                    "decoder_sparse_step": 1, "max_window_layers": 21, "rope_theta": 1000000.0, "sliding_window": 32768,
                    "use_sliding_window": False},
    "Qwen3 0.6B": {"model_type": "qwen3", **wide(1024, 16, 28, max_position_embeddings=40960, num_key_value_heads=8),
                   "head_dim": 128, "max_window_layers": 28, "rope_scaling": None, "rope_theta": 1000000,
                   "sliding_window": None, "use_sliding_window": False},
    "Qwen3 235B A22B": {"model_type": "qwen3_moe", **wide(4096, 64, 94, max_position_embeddings=262144),
                        "num_key_value_heads": 4, "head_dim": 128, "decoder_sparse_step": 1, "max_window_layers": 94,
                        "mlp_only_layers": [], "num_experts": 128, "rope_scaling": None, "rope_theta": 5000000,
                        "sliding_window": None, "use_sliding_window": False},
    "Qwen2-VL 7B": {"model_type": "qwen2_vl", **wide(3584, 28, 28, max_position_embeddings=32768, num_key_value_heads=4),
                    "max_window_layers": 28, "rope_theta": 1000000.0, "sliding_window": 32768,
                    "use_sliding_window": False, "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]},
                    "vision_config": {"model_type": "qwen2_vl", "depth": 32, "embed_dim": 1280}},
    "Qwen2-VL 7B, saved anew": {"model_type": "qwen2_vl", "text_config": {
        "model_type": "qwen2_vl_text", **wide(3584, 28, 28, max_position_embeddings=32768, num_key_value_heads=4),
        "layer_types": ["full_attention"] * 28, "max_window_layers": 28, "use_sliding_window": False,
        "rope_parameters": {"mrope_section": [16, 24, 24], "rope_theta": 1000000.0, "rope_type": "default",
                            "type": "default"}}, "vision_config": {"model_type": "qwen2_vl_vision", "depth": 32}},
    "Qwen3-VL 4B": {"model_type": "qwen3_vl", "text_config": {
        "model_type": "qwen3_vl_text", **wide(2560, 32, 36, max_position_embeddings=262144, num_key_value_heads=8),
        "head_dim": 128, "rope_theta": 5000000, "rope_scaling": {
            "mrope_interleaved": True, "mrope_section": [24, 20, 20], "rope_type": "default"}},
        "vision_config": {"model_type": "qwen3_vl", "depth": 24}},
    "Qwen3.5 27B": {"model_type": "qwen3_5", "text_config": {
        "model_type": "qwen3_5_text", **wide(5120, 24, 64, max_position_embeddings=262144, num_key_value_heads=4),
        "head_dim": 256, "attn_output_gate": True, "full_attention_interval": 4, "layer_types": QWEN_3_5 * 16,
        "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128, "linear_num_key_heads": 16,
        "linear_num_value_heads": 48, "linear_value_head_dim": 128, "mtp_num_hidden_layers": 1,
        "partial_rotary_factor": 0.25, "rope_parameters": {
            "mrope_interleaved": True, "mrope_section": [11, 11, 10], "partial_rotary_factor": 0.25,
            "rope_theta": 10000000, "rope_type": "default"}}, "vision_config": {"model_type": "qwen3_5", "depth": 27}},
    "Qwen3.5 without layer_types": {"model_type": "qwen3_5_text", **wide(1024, 8, 24), "full_attention_interval": 4,
                                    "rope_parameters": {"rope_theta": 10000000, "rope_type": "default"}},
    "Qwen3-Next 80B": {"model_type": "qwen3_next", **wide(2048, 16, 48, max_position_embeddings=262144),
                       "num_key_value_heads": 2, "head_dim": 256, "decoder_sparse_step": 1, "full_attention_interval": 4,
                       "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128, "linear_num_key_heads": 16,
                       "linear_num_value_heads": 32, "linear_value_head_dim": 128, "mlp_only_layers": [],
                       "partial_rotary_factor": 0.25, "rope_scaling": None, "rope_theta": 10000000},
    # DeepSeek and what is built like it
    "DeepSeek-V2-Lite": {"model_type": "deepseek_v2", **wide(2048, 16, 27, max_position_embeddings=163840), **DEEPSEEK,
                         "q_lora_rank": None, "n_routed_experts": 64, "num_experts_per_tok": 6, "rope_theta": 10000,
                         "rope_scaling": YARN_40 | {"mscale": 0.707, "mscale_all_dim": 0.707}},
    "DeepSeek-V3": {"model_type": "deepseek_v3", **wide(7168, 128, 61, max_position_embeddings=163840), **DEEPSEEK,
                    "q_lora_rank": 1536, "n_routed_experts": 256, "num_experts_per_tok": 8, "rope_theta": 10000,
                    "num_nextn_predict_layers": 1, "rope_scaling": YARN_40 | {"mscale": 1.0, "mscale_all_dim": 1.0}},
    "DeepSeek-V3, in halves": {"model_type": "deepseek_v3", **wide(7168, 128, 61), **DEEPSEEK, "q_lora_rank": 1536,
                               "n_routed_experts": 256, "num_experts_per_tok": 8, "rope_interleave": False},
    "Kimi K2": {"model_type": "kimi_k2", **wide(7168, 64, 61, max_position_embeddings=131072), **DEEPSEEK,
                "q_lora_rank": 1536, "n_routed_experts": 384, "num_experts_per_tok": 8, "num_nextn_predict_layers": 0,
                "rope_theta": 50000.0,
                "rope_scaling": YARN_40 | {"beta_fast": 1.0, "factor": 32.0, "mscale": 1.0, "mscale_all_dim": 1.0}},
    "Kimi Linear 48B": {"model_type": "kimi_linear", **wide(2304, 32, 27), **DEEPSEEK, "head_dim": 72,
                        "mla_use_nope": True, "q_lora_rank": None, "rope_scaling": None, "rope_theta": 10000.0,
                        "linear_attn_config": {"full_attn_layers": [4, 8, 12, 16, 20, 24, 27], "head_dim": 128,
                                               "kda_layers": [i for i in range(1, 27) if i % 4], "num_heads": 32,
                                               "short_conv_kernel_size": 4}},
    "GLM-5.2": {"model_type": "glm_moe_dsa", **wide(6144, 64, 78, max_position_embeddings=1048576), **DEEPSEEK,
                "head_dim": 192, "qk_head_dim": 256, "qk_nope_head_dim": 192, "v_head_dim": 256, "q_lora_rank": 2048,
                "index_head_dim": 128, "index_n_heads": 32, "index_topk": 2048, "indexer_rope_interleave": True,
                "n_routed_experts": 256, "num_experts_per_tok": 8, "num_nextn_predict_layers": 1,
                "rope_interleave": True, "rope_parameters": {"rope_theta": 8000000, "rope_type": "default"}},
    "Ling-3.0-flash": {"model_type": "bailing_hybrid", **wide(2560, 32, 42, max_position_embeddings=262144), **DEEPSEEK,
                       "head_dim": 128, "q_lora_rank": None, "first_k_dense_replace": 2, "layer_group_size": 6,
                       "num_experts": 512, "num_experts_per_tok": 8, "num_key_value_heads": 32, "rotary_dim": 64,
                       "rope_interleave": True, "rope_scaling": None, "rope_theta": 6000000,
                       "short_conv_kernel_size": 4},
    **OTHERS,
}  # fmt: skip


def count_of(config):
    """Return how many layers a file says that its text model has."""
    part = config.get("text_config", config)
    return next(part[key] for key in ("num_hidden_layers", "n_layer", "n_layers") if key in part)
