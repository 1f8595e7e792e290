"""What several released configurations share: their widths, and what they say of scaling and of layers."""

YARN_40 = {"type": "yarn", "factor": 40, "beta_fast": 32, "beta_slow": 1, "original_max_position_embeddings": 4096}
LLAMA_3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
           "original_max_position_embeddings": 8192}  # fmt: skip
DEEPSEEK = {"kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "n_group": 1,
            "topk_group": 1, "moe_intermediate_size": 64, "n_shared_experts": 1, "moe_layer_freq": 1,
            "first_k_dense_replace": 1}  # fmt: skip
PHI_SHORT = [1.0 + i / 48 for i in range(48)]  # as long as the searched factors of Phi-3.5 and Phi-4, other numbers
PHI_LONG = [1.0 + i for i in range(48)]
GEMMA_4 = ["sliding_attention"] * 4 + ["full_attention"]
QWEN_3_5 = ["linear_attention"] * 3 + ["full_attention"]


def wide(hidden, heads, layers, **more):
    return {"hidden_size": hidden, "num_attention_heads": heads, "num_hidden_layers": layers, **more}
