"""Read a released model's configuration (config.json) into the encoding of one of its layers: know, or refuse.

A family ("model_type") is known if data/rope_families.csv has a row for it, which says what its class was seen to do
(data/README.md explains the columns). Any other family, and a key that could matter and that the row does not name, is
refused with what the file does say and the call to make by hand. Two generations of key names are in use, the new one
also with a dict for each kind of layer:
    old    "rope_theta": 1e6, "rope_scaling": {"type": "yarn", "factor": 4.0, ...}
    new    "rope_parameters": {"rope_type": "yarn", "rope_theta": 1e6, "factor": 4.0, ...}
"""

import csv
import re
from collections.abc import Mapping
from functools import cache
from numbers import Integral, Real
from pathlib import Path

from posenc_helpers.checks import check_choice, check_count, check_positive
from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.encodings.grid_rope import AxialRotaryEncoding, MultimodalRotaryEncoding
from posenc_helpers.encodings.rope import LAYOUTS, RotaryEncoding
from posenc_helpers.encodings.rope_methods import cell_of, check_method, first_of, scaling_of, trained_length
from posenc_helpers.encodings.rope_variants import WarmQueries, WarmRotaryEncoding

FAMILIES = Path(__file__).resolve().parents[2] / "data" / "rope_families.csv"
# A key with one of these in it could be about positions, the width of a head, or which layers have what.
MATTERS = re.compile(
    "rope|rotary|position|theta|layer|nope|alibi|ntk|yarn|freq|logn|relative|interleav|pattern|interval|head_dim|mixer"
    "|kv_channels|chunk_att|attention_chunk|att\\w*_type|block_type|attn_scale|floor_scale|temperature_tun|(^|_)pos(_|$)"
)
SAYS = re.compile("rope|rotary|theta|^hidden_size|^num_attention_heads|head_dim|kv_channels|d_model|n_embd|n_heads?$")
WIDTHS = "qk_rope_head_dim | head_dim | kv_channels | hidden_size / num_attention_heads | n_embd / n_head | 0"
COUNTS = ("num_hidden_layers", "n_layers", "n_layer", "num_layers")
NO_ATTENTION = "linear_attention"  # such layers have no q and k


def from_config(config: Mapping, layer: int | str | None = None) -> PositionalEncoding:
    """Return the encoding of a layer as the configuration of a known family says it; PositionalEncoding() if none turns.

    A whole config.json may be given; of one with several models the text model is read. `layer` is the number of a
    layer or the name of its kind ("full_attention"); None will do where all layers with attention are alike. Latent
    attention ("qk_rope_head_dim") encodes a part of the head: the encoding is as wide as that part. Positions count
    tokens; (time, row, column) for M-RoPE, (row, column) of patches for Pixtral.
    Raises ValueError for what is not known: a family, a key about positions, a value; for layers that differ without
    `layer`, a missing key, and what the encodings raise; TypeError for values of a wrong type.
    """
    config, row, where = _family(config)
    try:
        return _build(config, row, *_read(config, row, layer))
    except ValueError as error:
        raise ValueError(f"{where}{error}") from error


@cache
def families() -> dict[str, dict[str, str]]:
    """Return the rows of data/rope_families.csv by model_type; the row "*" has leftovers that any file may have."""
    if not FAMILIES.is_file():
        raise FileNotFoundError(f"no table of families at {FAMILIES}; it comes with a clone of the repository")
    with FAMILIES.open(encoding="utf-8", newline="") as file:
        return {row["model_type"]: row for row in csv.DictReader(file)}


def _family(config: Mapping, path: str = "") -> tuple[Mapping, dict, str]:
    """Return the text model's configuration, the row of its family, and where in the file it stands, for messages."""
    if not isinstance(config, Mapping):
        raise TypeError(f"config{path} must be a dict, got {type(config).__name__}")
    model, where = config.get("model_type"), f"in config{path}: " if path else ""
    row = families().get(model) if isinstance(model, str) and model != "*" else None
    if model is None:
        raise ValueError(f"{where}config has no model_type, so its family is not known; {_says(config)}")
    if row is None:
        raise ValueError(f"{where}model_type={model!r} is a family that is not known here; {_says(config)}")
    if row["layers"] == "refused":
        raise ValueError(f"{where}model_type={model!r} is refused: {row['note']}")
    read = [row[column] for column in ("layers", "head_dim", "rotary", "base", "leftovers")]
    read += [*row["pattern"].split()[2:3], *row["encoding"].split()[1:], row["layout"].rpartition("=")[0]]
    read += [re.sub(r"[!=]+\S+", "", row["needs"])]  # the keys, not their values
    known = {"rope_scaling", "rope_parameters", *re.findall(r"\w+", f"{read} {families()['*']['leftovers']}")}
    unknown = {k: v for k, v in config.items() if v is not None and MATTERS.search(str(k)) and k not in known}
    if unknown:
        shown = ", ".join(f"{key}={value!r}" for key, value in unknown.items())
        raise ValueError(f"{where}model_type={model!r} is not known with {shown}; {_says(config)}")
    for key, sign, wanted in re.findall(r"(\w+)(==|!=|=)(\S+)", row["needs"]):
        found = str(config.get(key)).lower()
        same = found in (wanted, f"{wanted}.0")
        if not {"=": same or config.get(key) is None, "==": same, "!=": key not in config or not same}[sign]:
            raise ValueError(f"{where}model_type={model!r} is known with {key}{sign}{wanted}, not with {key}={found}")
    part, _, inner = row["part"].partition(" ")
    if part and isinstance(config.get(part), Mapping):
        return _family({"model_type": inner, **config[part]}, f"{path}[{part!r}]")
    if row["layers"] == "part":
        raise ValueError(f"{where}config of model_type={model!r} lacks {part}")
    return config, row, where


def _says(config: Mapping) -> str:
    """Say what a refused file does say of RoPE, and the call to make by hand where that is enough for one."""
    rope = next((v for k in ("rope_parameters", "rope_scaling") if isinstance(v := config.get(k), Mapping)), {})
    said = {k: v for k, v in {**config, **rope}.items() if SAYS.search(str(k)) and isinstance(v, Real)}
    words = ", ".join(f"{key} {value}" for key, value in said.items()) or "no width"
    parts = [key for key, value in config.items() if isinstance(value, Mapping) and "model_type" in value]
    parts = f"; inside it {', '.join(parts)}: pass one of them" if parts else ""
    if not any(re.search("rope|rotary|theta", key) for key in said):
        return f"the file says {words}, and nothing about RoPE{parts}"
    width, base = first_of(said, WIDTHS), first_of(said, "rope_theta | rotary_emb_base | global_rope_theta | 0")
    more = ", scaling=..." if rope.get("rope_type", rope.get("type", "default")) != "default" else ""
    call = f": RotaryEncoding({width}, {base:g}, layout=...{more}), once you know its code" if width and base else ""
    return f"the file says {words}{call}{parts}"


def _read(config: Mapping, row: dict, layer: int | str | None) -> tuple[dict | None, str | None]:
    """Return the rope part that all layers in question share, None where they do not turn, and the kind of the first."""
    groups: dict[str, tuple[dict | None, list]] = {}
    for place in _places(config, row, layer):
        turns = row["layers"] != "none" and (place[1] is None or place[1] in row["turning"].split())
        rope = _rope(config, row, place[1]) if turns else None
        groups.setdefault(repr(rope), (rope, []))[1].append(place)
    if len(groups) > 1:
        described = "; ".join(_described(*group) for group in groups.values())
        raise ValueError(f"the layers differ, pass layer=: {described}")
    rope, members = next(iter(groups.values()))
    return rope, members[0][1]


def _described(rope: dict | None, members: list) -> str:
    kinds, numbers = dict.fromkeys(repr(kind) for _, kind in members), [str(index) for index, _ in members]
    what = "do not turn" if rope is None else f"base {rope['rope_theta']:g}, {rope['rope_type']}"
    return f"{', '.join(kinds)} or {', '.join(numbers[:4] + ['...'] * (len(numbers) > 4))} ({what})"


def _places(config: Mapping, row: dict, layer: int | str | None) -> list[tuple[int, str | None]]:
    """Return (number, kind) of the layers that are meant: one, those of a kind, or all that have attention."""
    most, nth, key, n, first, ends = [*row["pattern"].split(), *[""] * 6][:6]
    listed = config.get(row["layers"])
    count = next((check_count(name, config[name]) for name in COUNTS if config.get(name) is not None), None)
    if listed:
        if not isinstance(listed, list | tuple):
            raise TypeError(f"{row['layers']}={listed!r} must be a list")
        kinds = [(most if kind else nth) if kind in (0, 1) else kind for kind in listed[:count]]
        for kind in kinds:
            check_choice(f"an entry of {row['layers']}", kind, tuple({*row["turning"].split(), most, nth} - {""}))
    elif most and count is None:
        raise ValueError(f"config lacks {row['layers']} and {COUNTS[0]}")
    elif most:
        n = check_count(key, config.get(key) or int(n))
        kinds = [nth if i % n == (0 if first == "first" else n - 1) else most for i in range(count)]
    else:
        kinds = [None] * (count or (layer + 1 if isinstance(layer, Integral) and layer >= 0 else 1))
    if ends and kinds[-1] != nth:
        raise ValueError(f"the last layer is of the kind {kinds[-1]!r}, not {nth!r}: code disagrees about such files")
    every = list(enumerate(kinds))
    if layer is None:
        return [place for place in every if place[1] != NO_ATTENTION] or every
    if isinstance(layer, str):
        if kinds[0] is None:
            raise ValueError(f"layer={layer!r}, but the layers of this configuration have no names")
        check_choice("layer", layer, tuple(dict.fromkeys(kinds)))
        return [place for place in every if place[1] == layer]
    if isinstance(layer, bool) or not isinstance(layer, Integral):
        raise TypeError(f"layer={layer!r} must be the number of a layer, the name of its kind, or None")
    if not 0 <= layer < len(every):
        raise ValueError(f"layer={layer} must lie between 0 and {len(every) - 1}")
    return [every[layer]]


def _rope(config: Mapping, row: dict, kind: str | None) -> dict:
    """Return the rope part of a kind of layer under its new key names, checked, with its width."""
    for key in ("rope_scaling", "rope_parameters"):
        if not isinstance(config.get(key), Mapping | None):
            raise TypeError(f"{key}={config[key]!r} must be a dict")
    old, new = config.get("rope_scaling"), config.get("rope_parameters")
    if old and new and old != new:
        raise ValueError("config has both rope_scaling (old) and rope_parameters (new), and they differ")
    if not (old or new) and "rope_scaling" in row["needs"].split():
        raise ValueError(f"config lacks rope_parameters: {row['note']}")
    rope, by_kind = dict(new or old or {}), ": " in row["base"]
    if (by_kind and new) or any(isinstance(value, Mapping) for value in rope.values()):
        if not by_kind or set(rope) != set(row["turning"].split()) or not isinstance(rope[kind], Mapping):
            wanted = f"a dict for each of {row['turning']}" if by_kind else "one dict for all layers"
            raise ValueError(f"rope_parameters has {', '.join(map(str, rope))}; this family is known with {wanted}")
        rope = dict(rope[kind])
    elif by_kind and not cell_of(row, "scaling", kind):
        rope = {}  # the old key is about the other kind of layer
    rope = {key: value for key, value in rope.items() if value is not None}
    form, *told = row["encoding"].split() or [""]
    own = {"m-rope": "mrope_section mrope_interleaved", "warm": "".join(told)}.get(form, "")
    part = " partial_rotary_factor" if row["rotary"] or "proportional" in row["scaling"] else ""
    rope["rope_type"] = check_method(rope, own + part)
    check_choice("rope_type of this family", rope["rope_type"], ("default", *cell_of(row, "scaling", kind).split()))
    if "rope_theta" not in rope:
        rope["rope_theta"] = first_of(config, cell_of(row, "base", kind))
    if row["rotary"] and "partial_rotary_factor" not in rope:
        rope["partial_rotary_factor"] = first_of(config, row["rotary"])
    for key in ("rope_theta", *part.split()):
        check_positive(key, rope.get(key, 1))
    return rope | {"head_dim": check_count("head_dim", first_of(config, cell_of(row, "head_dim", kind)))}


def _build(config: Mapping, row: dict, rope: dict | None, kind: str | None) -> PositionalEncoding:
    """Return the encoding of a layer whose rope part is `rope`, None where nothing turns."""
    form, *told = row["encoding"].split() or [""]
    if rope is None:
        if form == "warm-nope":
            switch, (beta, length) = told[0], (first_of(config, text.replace("=", " | ")) for text in told[1:])
            return WarmQueries(beta, length, first=1) if config.get(switch, True) else PositionalEncoding()
        return PositionalEncoding()
    key, _, default = row["layout"].rpartition("=")
    interleaved = default == "interleaved" if config.get(key) is None else config[key]
    layout = LAYOUTS[0 if interleaved else 1]
    head_dim, base, part = rope["head_dim"], float(rope["rope_theta"]), rope.get("partial_rotary_factor", 1)
    if form == "axial":
        return AxialRotaryEncoding(head_dim, base, layout, *told)
    width = head_dim if rope["rope_type"] == "proportional" else int(head_dim * part)
    if row["rotary"].startswith("rotary_dim"):
        width = part
    scaling, factor = scaling_of(rope, config)
    options = {"base": base, "layout": layout, "rotary_dim": width, "scaling": scaling, "attention_factor": factor}
    if form == "m-rope":
        in_turn, sections = told.pop() == "turns", rope.get("mrope_section")
        check_choice("mrope_interleaved", rope.get("mrope_interleaved", in_turn), (in_turn,))
        return MultimodalRotaryEncoding(head_dim, sections or [int(n) for n in told], interleaved=in_turn, **options)
    if form == "warm" and told[0] in rope:
        return WarmRotaryEncoding(head_dim, beta=rope[told[0]], length=trained_length(rope, config), **options)
    return RotaryEncoding(head_dim, **options)
