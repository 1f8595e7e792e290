"""What a configuration leaves to the code of its model: layout, base, width, which layers turn, by "model_type".

Everything here was read in the code of transformers 5.24 (src/transformers/models/TYPE/), and the sweep in
tests/encodings/test_rope_sweep.py holds it to the installed version. Names in capitals are sets or tables of such types.
"""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _by_type(table: dict) -> dict:
    """Turn {value: "type type ..."} round: {type: value}."""
    return {name: value for value, names in table.items() for name in names.split()}


# Pair i is columns 2i and 2i + 1 ("interleaved"); everywhere else columns i and i + d/2 ("half").
INTERLEAVED = _names(
    "axk1 axk2 bailing_hybrid blt blt_global_transformer blt_local_decoder blt_local_encoder blt_patcher codegen cohere "
    "cohere2 cohere2_moe deepseek_v2 deepseek_v3 deepseek_v32 deepseek_v4 dots3_note_text edgetam_video ernie4_5 "
    "ernie4_5_moe ernie4_5_vl_moe_text glm glm4 glm4_moe_lite glm4v_text glm_moe_dsa glm_ocr_text gptj helium "
    "hy_v4_vl_text inkling2_vision kimi_k2 llama4_text llama4_vision_model longcat_flash mistral4 mistral_large4_text "
    "moonshine moonshine_streaming openai_privacy_filter pe_audio_encoder pe_audio_video_encoder pe_video_encoder roformer "
    "sam2_video sam3_tracker_video sam3_vit_model sarvam_mla youtu"
)

# Layers with a sliding window turn, the full ones see no positions.
SLIDING_ONLY = _names("afmoe cohere2 cohere2_moe exaone4 exaone_moe flint kolibri1 lara_mini")
# ... where the file gives a window at all; without one, every layer turns.
UNLESS_NO_WINDOW = {"exaone4", "exaone_moe", "kolibri1"}
# Their key qk_rope_head_dim is a width only: nothing turns.
NEVER = {"kimi_linear", "glm5_next_text"}
NO_ATTENTION = {"linear_attention", "mamba", "mamba2", "conv", "recurrent", "mlp", "moe"}  # such layers have no q and k

# Which layers are full, where "layer_types" is missing: every n-th, (key of n, n, index of the first full layer)
EVERY = {
    name: (key, n, n - 1)
    for key, n, names in [
        ("sliding_window_pattern", 6, "gemma3_text t5gemma2_text gemma4_text"),
        ("sliding_window_pattern", 4, "cohere2 exaone4 exaone_moe"),
        ("global_attn_every_n_layers", 4, "afmoe"),
        ("", 4, "olmo3"),
        ("", 5, "gemma3n_text"),
    ]
    for name in names.split()
} | dict.fromkeys(("modernbert", "modernbert-decoder"), ("global_attn_every_n_layers", 3, 0))
NO_ROPE_EVERY = {"llama4_text": 4, "smollm3": 4}  # every n-th layer does not turn, unless "no_rope_layers" says which
STRETCH_FULL_LAYERS = {"gemma3", "gemma3_text", "olmo3"}  # old files do not say that the sliding layers stay

# Defaults of the classes, which files may leave out (nested ones do). Everything else: 10,000, all of the head.
BASES = _by_type({
    100.0: "dinov3_vit eomt_dinov3 gemma4_vision sapiens2",
    1e3: "nomic_bert",
    2e4: "jina_embeddings_v3 pe_audio_encoder pe_audio_video_encoder pe_video_encoder",
    1e5: "helium",
    1.6e5: "gte",
    5e5: "bitnet blt_global_transformer blt_local_decoder blt_local_encoder cohere csm csm_depth_decoder_model ernie4_5 "
    "ernie4_5_moe ernie4_5_vl_moe_text evolla exaone flex_olmo llama4_text mllama_text_model muse_glimmer_assistant "
    "olmo3 paddleocr_vl_text qwen3_vl_moe_text qwen3_vl_text",
    1e6: "emu3_text_model lfm2 lfm2_moe lfm3_vl_vision minimax mixtral phimoe qwen2_5_vl_text qwen2_vl_text "
    "qwen3_omni_moe_text solar_open",
    2e6: "smollm3",
    5e6: "minimax_m2 minimax_m3_vl_text",
    6e6: "bailing_hybrid",
    8e6: "sarvam_moe",
    1e7: "longcat_flash",
    11158840.0: "hy_v3",
    1e8: "cosmos3_edge_text",
})  # fmt: skip
# Their default is a scaling, or a base for each kind of layer: a file without a rope part is refused.
NEED_ROPE_PART = _names(
    "apertus apertus1p5_text cwm deepseek_v4 diffusion_gemma_text dots3_note_text embedding_gemma2_text gemma4_text "
    "gemma4_unified_text gpt_oss laguna lfm3 mellum ministral3 mistral4 mistral_large4_text neomme "
    "openai_privacy_filter ultrabert zaya"
)
FULL_BASES = _by_type({1e6: "gemma3_text gemma3n_text t5gemma2_text", 1.6e5: "modernbert modernbert-decoder"})
PARTS = _by_type({
    0.25: "gpt_neox qwen3_5_moe_text qwen3_5_text qwen3_next stablelm",
    0.5: "bamba dots3_note_audio_encoder glm glm4 glm4_moe glm4v_moe_text nemotron persimmon phi recurrent_gemma",
    0.8: "moonshine_streaming",
    0.9: "moonshine",
})  # fmt: skip
HEAD_DIMS = _by_type({
    64: "gpt_oss openai_privacy_filter",
    128: "ernie4_5 flint hy_v3 mellum minimax_m2 minimax_m3_vl_text paddleocr_vl_text seed_oss solar_open step3p5",
    256: "gemma gemma2 gemma3_text gemma3n_text gemma4_text qwen3_5_moe_text qwen3_5_text qwen3_next t5_gemma_module "
    "t5gemma2_text vaultgemma",
})  # fmt: skip

# M-RoPE: pairs for time, row, column; and whether they come in turn (Qwen3-VL) or in blocks (Qwen2-VL)
SECTIONS = {name: (list(sections), in_turn) for sections, in_turn, names in [
    ((16, 24, 24), False, "paddleocr_vl_text qwen2_5_vl_text qwen2_vl_text"),
    ((8, 12, 12), False, "glm4v_moe_text glm4v_text glm_image_text glm_ocr_text"),
    ((24, 20, 20), True, "cosmos3_edge_text qwen3_omni_moe_text qwen3_vl_moe_text qwen3_vl_text"),
    ((12, 10, 10), True, "hy_v4_vl_text"),
    ((11, 11, 10), True, "qwen3_5_moe_text qwen3_5_text qwen4_exp_text"),
] for name in names.split()}  # fmt: skip

# Vision towers, on a grid of rows and columns, whatever their rope_type (old files have none) ...
ON_GRID = _names(
    "cohere_compass_vision dinov3_vit dots3_note_vision_encoder edgetam_video eomt_dinov3 ernie4_5_vl_moe_vision "
    "exaone4_5_vision gemma4_vision glm4v_moe_vision glm4v_vision glm5_next_vision glm_image_vision glm_ocr_vision "
    "inkling2_vision kimi_k25_vision lfm3_vl_vision llama4_vision_model minimax_m3_vl_vision mlcd_vision_model "
    "muse_glimmer_vision muse_spark_vision paddleocr_vl_vision pixtral qwen2_5_omni_vision_encoder qwen2_5_vl_vision "
    "qwen2_vl_vision qwen3_5_moe_vision qwen3_5_vision qwen3_omni_moe_vision_encoder qwen3_vl_moe_vision "
    "qwen3_vl_vision qwen4_exp_vision sam2_video sam3_tracker_video sam3_vit_model sapiens2 step3p5_vision "
    "video_llama_3_vision"
)
# ... that do not put the row's pairs first: which coordinate comes when (0 row, 1 column), and whether pair by pair
GRID_AXES = {
    "inkling2_vision": ((1, 0), False),
    "kimi_k25_vision": ((1, 0), True),
    "llama4_vision_model": ((1, 0), False),
    "minimax_m3_vl_vision": ((0, 1, 2), False),  # time, row, column
    "step3p5_vision": ((1, 0), False),
}
# Text with coordinates pair by pair: a function of the number of pairs
IN_TURN = {
    "ernie4_5_vl_moe_text": lambda pairs: [1 + i % 2 for i in range(pairs - 20)] + [0] * 20,  # rows, columns; time last
    "neomme": lambda pairs: [i % 2 for i in range(pairs)],
}
ROTARY_DIM_UNREAD = {"minimax_m3_vl_text"}  # the key stands in its files, partial_rotary_factor decides
OLD_LEFTOVER = {"modernbert", "modernbert-decoder"}  # "position_embedding_type": "absolute" stands in them unread

# What none of our encodings does, and why
REFUSED = {
    "clvp_encoder": "turns values too",
    "clvp_decoder": "turns values too",
    "efficientloftr": "turns all heads as one vector on a grid",
    "musicflamingo": "turns by seconds of audio",
    "vjepa2": "turns by three axes of its own",
}

# Rotary models whose files may hold no key about it; any other type needs one.
ROTARY = INTERLEAVED | SLIDING_ONLY | NEVER | ON_GRID | set(EVERY) | set(NO_ROPE_EVERY) | set(IN_TURN) | set(SECTIONS)
ROTARY |= set(BASES) | set(FULL_BASES) | set(PARTS) | set(HEAD_DIMS)
ROTARY |= _names("falcon gpt_neox_japanese llama mistral olmo olmo2 phi3 qwen2 qwen2_moe qwen3 qwen3_moe RefinedWeb")
ROTARY |= _names("RefinedWebModel starcoder2")
