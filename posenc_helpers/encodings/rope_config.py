"""Read the rope part of a real model's configuration (config.json) into an encoding.

Two generations of key names are in use:
    old    "rope_theta": 1e6, "rope_scaling": {"type": "yarn", "factor": 4.0, ...}
    new    "rope_parameters": {"rope_type": "yarn", "rope_theta": 1e6, "factor": 4.0, ...}
and some models have one such dict per layer type: {"full_attention": {...}, "sliding_attention": {...}}, or None for
layers without positions. What a configuration never says is the layout: GPT-J, GLM and Cohere are interleaved.
"""

from collections.abc import Mapping

from posenc_helpers.checks import check_choice
from posenc_helpers.encodings import rope_scaling as scale
from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.encodings.grid_rope import MultimodalRotaryEncoding
from posenc_helpers.encodings.rope import RotaryEncoding, p_rope

METHODS = {  # rope_type -> the keys that it needs, the keys that it may have
    "default": ("", ""),
    "linear": ("factor", ""),
    "dynamic": ("factor", ""),
    "yarn": ("", "factor attention_factor beta_fast beta_slow mscale mscale_all_dim truncate"),
    "llama3": ("factor low_freq_factor high_freq_factor", ""),
    "longrope": ("short_factor long_factor", "factor attention_factor"),
    "proportional": ("partial_rotary_factor", "factor"),
}
RENAMED = {"su": "longrope", "mrope": "default"}  # old names of a rope_type
SHARED = "rope_theta partial_rotary_factor original_max_position_embeddings"  # inside such a dict or beside it
COMMON = f"{SHARED} rope_type type mrope_section mrope_interleaved"
TOP_LEVEL = f"{SHARED} rope_parameters rope_scaling rope_local_base_freq rotary_emb_base rotary_pct rotary_dim"
TOP_LEVEL += " head_dim qk_rope_head_dim max_position_embeddings"
# Keys that sound like ours and say nothing about frequencies; all others of a config.json are none of our business.
ELSEWHERE = "position_embedding_type v_head_dim qk_nope_head_dim qk_head_dim rope_interleave"
ELSEWHERE += " no_rope_layers no_rope_layer_interval"
STRETCH_FULL_LAYERS = ("gemma3", "gemma3_text", "olmo3")  # with full attention only: their old configs don't say so


def from_config(config: Mapping, layer_type: str | None = None, layout: str = "half") -> PositionalEncoding:
    """Return the encoding that a configuration describes; `layer_type` chooses where layers differ.

    A whole config.json may be given. `layout` is not in it: pass "interleaved" for GPT-J, GLM, Cohere.
    Raises ValueError for a key about rope that is not known (naming those that are), a missing key, an unknown
    rope_type or layer type, and what the encodings raise; TypeError for anything but a mapping.
    """
    rope = rope_parameters(config, layer_type)
    if rope is None:
        return PositionalEncoding()
    method = rope["rope_type"]
    head_dim = config.get("qk_rope_head_dim") or config.get("head_dim")
    if head_dim is None:
        heads = _needed(config, "num_attention_heads", "n_head")
        head_dim = _needed(config, "hidden_size", "n_embd") // heads
    rotary_dim = config.get("rotary_dim")
    if rotary_dim is None and method != "proportional":
        rotary_dim = int(head_dim * rope.get("partial_rotary_factor", 1.0))
    scaling, attention_factor = _scaling(rope, config)
    base = float(rope["rope_theta"])
    sections = rope.get("mrope_section")
    if sections is None:
        return RotaryEncoding(head_dim, base, layout, rotary_dim, scaling, attention_factor)
    interleaved = rope.get("mrope_interleaved", False)
    return MultimodalRotaryEncoding(head_dim, sections, base, layout, interleaved, scaling, attention_factor)


def rope_parameters(config: Mapping, layer_type: str | None = None) -> dict | None:
    """Return the rope part under its new key names, checked, for one layer type; None for layers without positions.

    Raises what `from_config` raises.
    """
    if not isinstance(config, Mapping):
        raise TypeError(f"config must be a dict, got {type(config).__name__}")
    about_rope = {k for k in config if any(w in k for w in ("rope", "rotary", "head_dim", "position_embedding"))}
    _refuse_unknown("config", about_rope, f"{TOP_LEVEL} {ELSEWHERE}")
    old, new = config.get("rope_scaling"), config.get("rope_parameters")
    if old and new and old != new:
        raise ValueError("config has both rope_scaling (old) and rope_parameters (new), and they differ")
    rope = new or old or {}
    base = config.get("rope_theta") or config.get("rotary_emb_base") or 10000.0
    if rope and all(value is None or isinstance(value, Mapping) for value in rope.values()):
        check_choice("layer_type", layer_type, tuple(rope))
        rope = rope[layer_type]
        if rope is None:
            return None
    elif new is None and ("rope_local_base_freq" in config or config.get("model_type") in STRETCH_FULL_LAYERS):
        check_choice("layer_type", layer_type, ("full_attention", "sliding_attention"))
        if layer_type == "sliding_attention":
            rope, base = {}, config.get("rope_local_base_freq", base)
    method = rope.get("rope_type", rope.get("type", "default"))
    method = RENAMED.get(method, method)
    check_choice("rope_type", method, tuple(METHODS))
    part = config.get("partial_rotary_factor", config.get("rotary_pct"))
    rope = {"rope_theta": base, "partial_rotary_factor": part} | dict(rope) | {"rope_type": method}
    rope = {key: value for key, value in rope.items() if value is not None}
    needed, optional = METHODS[method]
    _refuse_unknown(f"rope_type={method!r}", set(rope), f"{COMMON} {needed} {optional}")
    for key in needed.split():
        _needed(rope, key)
    return rope


def _scaling(rope: dict, config: Mapping):
    """Return the function of (frequencies, length) and the attention factor that `rope` asks for."""
    method, factor = rope["rope_type"], rope.get("factor")
    if method == "default":
        return None, 1.0
    if method == "linear":
        return lambda w, length: scale.linear(w, factor), 1.0
    if method == "proportional":
        return lambda w, length: scale.linear(p_rope(w, rope["partial_rotary_factor"]), factor or 1.0), 1.0
    if method == "dynamic":
        trained = _needed(config, "max_position_embeddings")
        return lambda w, length: scale.dynamic_ntk(w, factor, trained, length), 1.0
    trained = config.get("original_max_position_embeddings") or rope.get("original_max_position_embeddings")
    trained = trained or _needed(config, "max_position_embeddings")
    if method == "llama3":
        low, high = rope["low_freq_factor"], rope["high_freq_factor"]
        return lambda w, length: scale.llama3(w, factor, trained, low, high), 1.0
    factor = factor or _needed(config, "max_position_embeddings") / trained
    attention_factor = rope.get("attention_factor")
    if method == "longrope":
        lists = rope["short_factor"], rope["long_factor"]
        attention_factor = attention_factor or scale.longrope_attention_factor(max(factor, 1.0), trained)
        return lambda w, length: scale.longrope(w, *lists, trained, length), attention_factor
    if attention_factor is None:
        attention_factor = scale.yarn_attention_factor(factor)
        if rope.get("mscale") and rope.get("mscale_all_dim"):
            above, below = (scale.yarn_attention_factor(factor, rope[key]) for key in ("mscale", "mscale_all_dim"))
            attention_factor = above / below
    ramp = rope.get("beta_fast", 32.0), rope.get("beta_slow", 1.0), rope.get("truncate", True)
    return lambda w, length: scale.yarn(w, factor, trained, *ramp), attention_factor


def _refuse_unknown(where: str, keys: set[str], known: str) -> None:
    if unknown := sorted(keys - set(known.split())):
        raise ValueError(f"{where} has unknown keys {', '.join(unknown)}; known: {', '.join(sorted(known.split()))}")


def _needed(config: Mapping, *names: str):
    """Return the value under the first of `names` that is there."""
    for name in names:
        if config.get(name) is not None:
            return config[name]
    raise ValueError(f"config lacks {' or '.join(names)}")
