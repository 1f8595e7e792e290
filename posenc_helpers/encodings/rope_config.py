"""Read the rope part of a real model's configuration (config.json) into an encoding.

Two generations of key names are in use:
    old    "rope_theta": 1e6, "rope_scaling": {"type": "yarn", "factor": 4.0, ...}
    new    "rope_parameters": {"rope_type": "yarn", "rope_theta": 1e6, "factor": 4.0, ...}
and some models have one such dict per kind of layer: {"full_attention": {...}, "sliding_attention": {...}}, or None for
layers without positions. The rest of a file decides too: whether this layer turns at all (`rope_layers`), how wide a
head is, and which columns make a pair. Few files say the last ("rope_interleave", "rope_interleaved"); for the others,
and for what files leave to the code of their model, `rope_models` knows the "model_type".
"""

from collections.abc import Mapping

from posenc_helpers.checks import check_choice, check_count, check_positive
from posenc_helpers.encodings import rope_models as models
from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.encodings.rope_build import build
from posenc_helpers.encodings.rope_layers import LOCAL_BASES, Place, at, nested_kinds, of_layer, places, turns_at
from posenc_helpers.encodings.rope_methods import check_method, refuse_unknown, value_of

# Keys with "rope" or "rotary" in their name that are read here. All others with these words are refused by name, unless
# they are off (None, False); keys without them say nothing about the turning and never stop a file.
KNOWN = "rope_theta rope_scaling rope_parameters rope_interleave rope_interleaved no_rope_layers no_rope_layer_interval"
KNOWN += " layer_rope_theta rope_scaling_layers rotary rotary_dim rotary_pct rotary_emb_base rotary_embedding_base"
KNOWN += " partial_rotary_factor partial_rotary_factors qk_rope_head_dim use_mem_rope rope global_rope_theta"
KNOWN += " " + " ".join(LOCAL_BASES)
KNOWN += " memory_attention_rope_feat_sizes memory_attention_rope_k_sizes memory_attention_rope_dropout"
SWITCHES = {  # what else puts positions in, and is no RoPE of ours
    "alibi": "ALiBi", "use_alibi": "ALiBi", "use_dynamic_ntk": "Qwen-1's own NTK", "use_logn_attn": "log n scores",
    "rotary_value": "values that turn", "use_xpos": "xPos",
}  # fmt: skip
ROTARY_TYPES = ("rope", "rotary", "rope_gptj", "rope_llama", "nope", "none", None)
PARTS = ("text_config", "language_config", "llm_config", "thinker_config")  # where files with several models have text
WIDTHS = ("embed_dim", "n_embd", "d_model", "hidden_size")
HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
HEADS += ("speech_encoder_attention_heads", "encoder_num_attention_heads")  # SeamlessM4T, Moonshine


def from_config(config: Mapping, layer: int | str | None = None, layout: str | None = None) -> PositionalEncoding:
    """Return the encoding that a configuration describes for a layer; PositionalEncoding() where nothing turns.

    A whole config.json may be given; of one with several models the text model is read. `layer` is the number of a
    layer or the name of a kind ("full_attention"); None will do where all layers with attention are alike. `layout`
    overrides what the file, or the code of its model_type, says. Multi-head latent attention ("qk_rope_head_dim") and
    DeepSeek-V4 encode a part of the head: the encoding is as wide as that part.
    Raises ValueError for layers that differ without `layer`, a model without RoPE, a key about RoPE that is not known
    (naming those that are), a missing key, and what the encodings raise; TypeError for anything but a mapping.
    """
    config, path = _text_part(config)
    try:
        rope, place = _read(config, layer)
        return build(config, rope, place, layout)
    except ValueError as error:
        if not path:
            raise
        raise ValueError(f"in config{path}: {error}") from error


def rope_parameters(config: Mapping, layer: int | str | None = None) -> dict | None:
    """Return the rope part under its new key names, checked, for a layer; None where nothing turns.

    Raises what `from_config` raises.
    """
    return _read(_text_part(config)[0], layer)[0]


def _text_part(config: Mapping) -> tuple[Mapping, str]:
    """Return the configuration of the text model, and how it was reached."""
    if not isinstance(config, Mapping):
        raise TypeError(f"config must be a dict, got {type(config).__name__}")
    if why := models.REFUSED.get(config.get("model_type")):
        raise ValueError(f"model_type={config['model_type']!r} cannot be built: it {why}")
    for key in PARTS:
        if isinstance(config.get(key), Mapping):
            inner, path = _text_part(config[key])
            return inner, f"[{key!r}]{path}"
    nested = config.get("attn_config")  # DBRX and MPT keep theirs there
    return ({**nested, **config} if isinstance(nested, Mapping) else config), ""


def _read(config: Mapping, layer: int | str | None) -> tuple[dict | None, Place]:
    """Return the rope part that all layers in question share, and one of these layers."""
    _refuse_other_positions(config)
    groups: list[tuple[dict | None, list[Place]]] = []
    for place in places(config, layer):
        rope = _rope_at(at(config, place), place) if turns_at(at(config, place), place) else None
        for known, members in groups:
            if known == rope:
                members.append(place)
                break
        else:
            groups.append((rope, [place]))
    if len(groups) > 1:
        raise ValueError(f"the layers differ, pass layer=: {'; '.join(_describe(*group) for group in groups)}")
    rope, members = groups[0]
    return rope, members[0]


def _describe(rope: dict | None, members: list[Place]) -> str:
    kinds = dict.fromkeys(repr(kind) for _, kind in members if kind is not None)
    numbers = [str(index) for index, _ in members if index is not None]
    numbers = numbers[:4] + ["..."] * (len(numbers) > 4)
    where = " or ".join([", ".join(part) for part in (kinds, numbers) if part])
    what = "do not turn" if rope is None else f"base {rope['rope_theta']:g}, {rope['rope_type']}"
    return f"{where} ({what})"


def _refuse_other_positions(config: Mapping) -> None:
    """Refuse a model that has positions, but not by RoPE, and keys about RoPE that are not known."""
    model = config.get("model_type")
    for key, kind in (("rope_parameters", Mapping), ("rope_scaling", Mapping), ("layer_types", list | tuple)):
        if not isinstance(config.get(key), kind | None):
            raise TypeError(f"{key}={config[key]!r} must be a {'dict' if kind is Mapping else 'list'}")
    for key, what in SWITCHES.items():
        if config.get(key):
            raise ValueError(f"config has {key}={config[key]!r}: {what}, not RoPE as it is built here")
    for key in ("position_embedding_type", "position_embeddings_type"):
        if config.get(key) not in ROTARY_TYPES and model not in models.OLD_LEFTOVER:
            raise ValueError(f"config has {key}={config[key]!r}, which is not RoPE")
    about = _about_rope(config)
    said_again = " compress_rope_theta" if nested_kinds(config) else ""  # DeepSeek-V4
    refuse_unknown("config", {key for key in about if config[key] not in (None, False)}, KNOWN + said_again)
    rope = config.get("rope_parameters") or config.get("rope_scaling")
    if model in models.NEED_ROPE_PART and not rope:
        raise ValueError(f"config of model_type={model!r} lacks rope_parameters, whose default is more than a base")
    if model and not about and not rope and "position_embedding_type" not in config and model not in models.ROTARY:
        inside = [key for key, value in config.items() if isinstance(value, Mapping) and _about_rope(value)]
        hint = f"; its parts {', '.join(inside)} do: pass one" if inside else ""
        raise ValueError(f"config of model_type={model!r} says nothing about RoPE, such as rope_theta{hint}")


def _about_rope(config: Mapping) -> set[str]:
    return {key for key in config if {"rope", "rotary"} & set(str(key).split("_"))}


def _rope_at(config: Mapping, place: Place) -> dict:
    """Return the rope part of one layer under its new key names, checked, with its widths."""
    index, kind = place
    model = config.get("model_type")
    old, new = config.get("rope_scaling"), config.get("rope_parameters")
    if old and new and old != new:
        raise ValueError("config has both rope_scaling (old) and rope_parameters (new), and they differ")
    rope, nested = dict(new or old or {}), nested_kinds(config)
    if nested:
        if set(nested) == {"main", "compress"} and kind not in nested:  # DeepSeek-V4
            kind = "main" if kind == "sliding_attention" else "compress"
        check_choice("layer", kind, tuple(nested))
        rope = dict(rope[kind])
    elif new is None and kind == "sliding_attention" and model in models.STRETCH_FULL_LAYERS:
        rope = {}
    scaled = config.get("rope_scaling_layers")  # Molmo 2 stretches some layers only
    if scaled is not None and index not in scaled:
        rope = {"rope_theta": rope["rope_theta"]} if "rope_theta" in rope else {}
    rope = {key: value for key, value in rope.items() if value is not None}
    rope["rope_type"] = check_method(rope)
    rope.setdefault("rope_theta", _base(config, place))
    rope["rope_theta"] = of_layer("layer_rope_theta", config.get("layer_rope_theta"), index) or rope["rope_theta"]
    check_positive("rope_theta", rope["rope_theta"])
    part = of_layer("partial_rotary_factors", config.get("partial_rotary_factors"), index)
    for value in (part, config.get("partial_rotary_factor"), config.get("rotary_pct"), models.PARTS.get(model)):
        if value is not None and rope["rope_type"] != "proportional":
            rope.setdefault("partial_rotary_factor", value)
    return rope | {"head_dim": _head_dim(config)}


def _base(config: Mapping, place: Place) -> float:
    """Return the base of a layer from the keys beside the rope part, or as the code of the model has it."""
    index, kind = place
    model = config.get("model_type")
    if kind == "sliding_attention":
        for key in LOCAL_BASES:
            if config.get(key) is not None:
                return config[key]
        if model in models.FULL_BASES:
            return 10000.0
    for key in ("global_rope_theta", "rope_theta", "rotary_emb_base", "rotary_embedding_base"):
        if config.get(key) is not None:
            return of_layer(key, config[key], index)
    return models.FULL_BASES.get(model) or models.BASES.get(model, 10000.0)


def _head_dim(config: Mapping) -> int:
    """Return the width of the part of a head that is encoded."""
    if "memory_attention_hidden_size" in config:  # SAM 2
        shrunk = config["memory_attention_downsample_rate"] * config["memory_attention_num_attention_heads"]
        return config["memory_attention_hidden_size"] // shrunk
    for key in ("qk_rope_head_dim", "head_dim", "attention_head_dim", "kv_channels"):
        if config.get(key) is not None:
            return config[key]
    if known := models.HEAD_DIMS.get(config.get("model_type")):
        return known
    heads = value_of(config, *HEADS)
    check_count("heads", heads)
    return value_of(config, *WIDTHS) // heads
