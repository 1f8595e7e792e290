"""Which layers of a configuration turn queries and keys, and which of its settings hold for which layer.

A place is (index, kind): the number of a layer, or None where the file does not say how many there are, and the name of
its kind, "full_attention" or "sliding_attention", or None where all are alike.
"""

from collections.abc import Mapping
from numbers import Integral

from posenc_helpers.checks import check_choice
from posenc_helpers.encodings import rope_models as models
from posenc_helpers.encodings.rope_methods import value_of

Place = tuple[int | None, str | None]

OLD_KINDS = {"attention": "full_attention", "mamba": "linear_attention", "global": "full_attention"}
BY_NUMBER = ("no_rope_layers", "layer_rope_theta", "rope_scaling_layers", "per_layer_config")  # say it layer by layer
LOCAL_BASES = ("rope_local_base_freq", "local_rope_theta", "swa_rope_theta")
TWO_KINDS = ("sliding_attention", "full_attention")


def places(config: Mapping, layer: int | str | None) -> list[Place]:
    """Return the layers that are meant by a number, by the name of a kind, or by None: all that have attention.

    Raises ValueError for a number or a name that the configuration does not have, TypeError for anything else.
    """
    every = _every_place(config)
    if layer is None:
        return [place for place in every if place[1] not in models.NO_ATTENTION] or every
    if isinstance(layer, str):
        kinds = dict.fromkeys(kind for _, kind in every if kind is not None)
        kinds |= dict.fromkeys(nested_kinds(config))
        if not kinds:
            raise ValueError(f"layer={layer!r}, but the layers of this configuration have no names")
        check_choice("layer", layer, tuple(kinds))
        return [place for place in every if place[1] == layer] or [(None, layer)]
    if isinstance(layer, bool) or not isinstance(layer, Integral):
        raise TypeError(f"layer={layer!r} must be the number of a layer, the name of its kind, or None")
    last = (len(every) if every[0][0] is not None else config.get("num_hidden_layers", layer + 1)) - 1
    if not 0 <= layer <= last:
        raise ValueError(f"layer={layer} must lie between 0 and {last}")
    if every[0][0] is not None:
        return [every[layer]]
    if every[0][1] is not None:
        raise ValueError(
            f"layer={layer}, but config lacks layer_types; pass one of {', '.join(kind for _, kind in every)}"
        )
    return [(int(layer), None)]


def _every_place(config: Mapping) -> list[Place]:
    kind_list = config.get("layer_types") or config.get("layers_block_type")
    if kind_list:
        return [(i, OLD_KINDS.get(kind, kind)) for i, kind in enumerate(kind_list)]
    model, count = config.get("model_type"), config.get("num_hidden_layers")
    if count and model in models.EVERY:
        key, n, first = models.EVERY[model]
        n = config.get(key) or config.get(f"_{key}") or n
        n = len(n) if isinstance(n, str) else n  # EXAONE writes "LLLG": three local ones, then a global one
        return [(i, TWO_KINDS[i % n == (n - 1 if first else 0)]) for i in range(count)]
    if nested := nested_kinds(config):
        return [(None, kind) for kind in nested]
    if model in (models.SLIDING_ONLY | models.STRETCH_FULL_LAYERS | set(models.FULL_BASES)):
        return [(None, kind) for kind in TWO_KINDS]
    if any(config.get(key) is not None for key in LOCAL_BASES):
        return [(None, kind) for kind in TWO_KINDS]
    lists = [config.get(key) for key in (*BY_NUMBER, "rope_theta", "partial_rotary_factors")]
    lengths = [len(value) for value in lists[:2] + lists[4:] if isinstance(value, list)]
    if any(lists[2:4]) or any(lengths) or _no_rope_every(config):
        length = count or (lengths[0] if any(lengths) else None)
        return [(i, None) for i in range(length)] if length else [(None, None)]
    return [(None, None)]


def nested_kinds(config: Mapping) -> list[str]:
    """Return the names under which `rope_parameters` holds a dict each (or None), [] for a single dict."""
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    if not any(isinstance(value, Mapping) for value in rope.values()):
        return []
    # Text beside the dicts is left over from older files: DeepSeek-V4 has a rope_type there.
    return [key for key, value in rope.items() if isinstance(value, Mapping) or value is None]


def at(config: Mapping, place: Place) -> Mapping:
    """Return the configuration as it holds for one layer: `per_layer_config` and `global_head_dim` are read into it."""
    index, kind = place
    own = {}
    for key, values in (config.get("per_layer_config") or {}).items():
        if key == kind or (str(key).isdigit() and int(key) == index):
            own |= values
    if kind == "full_attention" and config.get("global_head_dim"):
        own = {"head_dim": config["global_head_dim"]} | own
    if kind == "sliding_attention" and config.get("swa_head_dim"):
        own = {"head_dim": config["swa_head_dim"]} | own
    return {**config, **own} if own else config


def of_layer(name: str, values: object, index: int | None) -> object:
    """Return the value of one layer: the entry of a list, or `values` itself where it is no list.

    Raises ValueError where the list has no entry for that layer, or the layer has no number.
    """
    if not isinstance(values, list | tuple):
        return values
    if index is None:
        raise ValueError(f"{name} has a value for each layer: pass the number of one")
    if index >= len(values):
        raise ValueError(f"layer={index}, but {name} has {len(values)} entries")
    return values[index]


def turns_at(config: Mapping, place: Place) -> bool:
    """Say whether queries and keys turn in a layer at all."""
    index, kind = place
    model = config.get("model_type")
    if kind in models.NO_ATTENTION or model in models.NEVER:
        return False
    if config.get("mla_use_nope") or config.get("use_mem_rope", True) is False or config.get("rotary", True) is False:
        return False
    if config.get("position_embedding_type", "rope") in ("nope", "none", None):
        return False
    if kind in nested_kinds(config) and (config.get("rope_parameters") or config["rope_scaling"])[kind] is None:
        return False
    if config.get("no_rope_layers"):
        return bool(of_layer("no_rope_layers", config["no_rope_layers"], index))  # 1 means: turns
    if every := _no_rope_every(config):
        if index is None:
            value_of(config, "num_hidden_layers")
        return (index + 1) % every != 0
    if of_layer("layer_rope_theta", config.get("layer_rope_theta"), index) == 0:
        return False
    if model in models.SLIDING_ONLY and not (model in models.UNLESS_NO_WINDOW and config.get("sliding_window") is None):
        return kind == "sliding_attention" or _in_dense_prefix(config, index)
    return True


def _no_rope_every(config: Mapping) -> int | None:
    return config.get("no_rope_layer_interval") or models.NO_ROPE_EVERY.get(config.get("model_type"))


def _in_dense_prefix(config: Mapping, index: int | None) -> bool:
    """Say whether this is a full layer of Cohere 2 MoE that turns all the same: those before the experts begin."""
    feed_forward = config.get("mlp_layer_types")
    if not feed_forward or config.get("prefix_dense_sliding_window_pattern") != 1:
        return False
    return of_layer("mlp_layer_types", feed_forward, index) == "dense"
