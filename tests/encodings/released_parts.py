"""What released configurations of several makers share."""

LLAMA_3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
           "original_max_position_embeddings": 8192}  # fmt: skip


def wide(hidden, heads, layers, **more):
    return {"hidden_size": hidden, "num_attention_heads": heads, "num_hidden_layers": layers, **more}
