"""From the rope part of a configuration to the `scaling` of a RotaryEncoding, and what a cell of the table says.

What is returned holds no local functions, so that an encoding can be pickled (joblib, Dask, multiprocessing).
"""

import re
from collections.abc import Callable, Mapping
from functools import partial

from torch import Tensor

from posenc_helpers.checks import check_choice, check_count
from posenc_helpers.encodings import rope_scaling as scale
from posenc_helpers.encodings.rope import p_rope

METHODS = {  # rope_type -> the keys that it needs, the keys that it may have
    "default": ("", ""),
    "linear": ("factor", ""),
    "dynamic": ("factor", ""),
    "yarn": ("factor", "attention_factor beta_fast beta_slow mscale mscale_all_dim truncate"),
    "llama3": ("factor low_freq_factor high_freq_factor", ""),
    "longrope": ("short_factor long_factor", "factor attention_factor"),
    "proportional": ("", "factor"),
    "axial": ("", ""),
}
RENAMED = {"mrope": "default"}  # an old name of a rope_type
# max_position_embeddings is said again beside the rope part; only training code reads finetuned. attn_factor is refused:
# vLLM multiplies YaRN's attention factor by it, transformers does not read it.
COMMON = "rope_theta original_max_position_embeddings rope_type type max_position_embeddings finetuned"


def check_method(rope: Mapping, own: str = "") -> str:
    """Return the rope_type of a rope part, whose keys are refused by name unless they are its, or the family's `own`."""
    method = rope.get("rope_type", rope.get("type", "default"))
    method = RENAMED.get(method, method)
    check_choice("rope_type", method, tuple(METHODS))
    if RENAMED.get(rope.get("type"), rope.get("type", method)) != method:
        raise ValueError(f"rope_type={rope['rope_type']!r} and type={rope['type']!r} of the rope part differ")
    needed, optional = METHODS[method]
    known = set(f"{COMMON} {needed} {optional} {own}".split())
    if unknown := sorted(set(rope) - known):
        said = f"{', '.join(unknown)}; known: {', '.join(sorted(known))}"
        raise ValueError(f"rope_type={method!r} has unknown keys {said}")
    for key in needed.split():
        value_of(rope, key)
    return method


def scaling_of(rope: Mapping, config: Mapping) -> tuple[Callable[[Tensor, Tensor], Tensor] | None, float]:
    """Return the function of (frequencies, length) and the attention factor that a checked rope part asks for.

    DeepSeek's second correction, by mscale_all_dim, belongs to the scores: `rope_scaling.yarn_attention_factor`.
    """
    method, factor = rope["rope_type"], rope.get("factor")
    if method in ("default", "axial"):
        return None, 1.0
    if method == "linear":
        return partial(_fixed, partial(scale.linear, factor=factor)), 1.0
    if method == "proportional":
        return partial(_proportional, rope.get("partial_rotary_factor", 1.0), factor or 1.0), 1.0
    if method == "dynamic":
        trained = value_of(config, "max_position_embeddings")
        return partial(_growing, partial(scale.dynamic_ntk, factor=factor, original_length=trained)), 1.0
    trained = trained_length(rope, config)
    if method == "llama3":
        bounds = {key: rope[key] for key in ("low_freq_factor", "high_freq_factor")}
        return partial(_fixed, partial(scale.llama3, factor=factor, original_length=trained, **bounds)), 1.0
    factor = factor or value_of(config, "max_position_embeddings") / trained
    attention_factor = rope.get("attention_factor")
    if method == "longrope":
        lists = {key: rope[key] for key in ("short_factor", "long_factor")}
        if attention_factor is None:
            attention_factor = scale.longrope_attention_factor(max(factor, 1.0), trained)
        return partial(_growing, partial(scale.longrope, original_length=trained, **lists)), attention_factor
    if attention_factor is None:
        attention_factor = scale.yarn_attention_factor(factor)
        if rope.get("mscale") and rope.get("mscale_all_dim"):
            above, below = (scale.yarn_attention_factor(factor, rope[key]) for key in ("mscale", "mscale_all_dim"))
            attention_factor = above / below
    ramp = {key: rope[key] for key in ("beta_fast", "beta_slow", "truncate") if key in rope}
    return partial(_fixed, partial(scale.yarn, factor=factor, original_length=trained, **ramp)), attention_factor


def trained_length(rope: Mapping, config: Mapping) -> float:
    """Return how many tokens the model was trained on before it was stretched; of two that the file says, the outer."""
    original = "original_max_position_embeddings"
    return config.get(original) or value_of(rope, original)


def _fixed(rule: Callable[..., Tensor], frequencies: Tensor, length: Tensor) -> Tensor:
    return rule(frequencies)


def _growing(rule: Callable[..., Tensor], frequencies: Tensor, length: Tensor) -> Tensor:
    return rule(frequencies, length=length)


def _proportional(proportion: float, factor: float, frequencies: Tensor, length: Tensor) -> Tensor:
    return scale.linear(p_rope(frequencies, proportion), factor)


def value_of(config: Mapping, name: str):
    """Return the value under `name`; ValueError if there is none."""
    if config.get(name) is None:
        raise ValueError(f"config lacks {name}")
    return config[name]


def cell_of(row: dict, column: str, kind: str | None) -> str:
    """Return what a cell says of a kind of layer: of "A: x; B: y" one, of a cell without kinds all."""
    cell = row[column]
    return dict(part.split(": ") for part in cell.split("; ")).get(kind, "") if ": " in cell else cell


def first_of(config: Mapping, cell: str) -> float:
    """Return the first that there is of KEY | KEY / KEY | NUMBER, the last of which is the default of the class."""
    for name in cell.split(" | "):
        over, _, under = name.partition(" / ")
        if re.fullmatch(r"[\d.]+", name):
            return float(name) if "." in name else int(name)
        if under and None not in (config.get(over), config.get(under)):
            return check_count(over, config[over]) // check_count(under, config[under])
        if not under and config.get(over) is not None:
            return config[over]
    raise ValueError(f"config lacks {cell.replace(' | ', ' or ')}")
