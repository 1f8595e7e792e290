"""`from_config` against every rotary embedding class of the installed transformers, layer by layer.

The classes are found by name (*RotaryEmbedding, *RopePositionEmbedding), their configurations by the annotation of
`config`, and each is made with the defaults of its configuration class: no model is built, no weight is made.
"""

import contextlib
import importlib
import inspect
import json
import logging
import re
from functools import cache
from pathlib import Path

import pytest
import torch
import transformers
from transformers import CONFIG_MAPPING, PreTrainedConfig

from posenc_helpers.encodings import PositionalEncoding, from_config
from posenc_helpers.encodings import rope_models as models
from posenc_helpers.encodings.grid_rope import AxialRotaryEncoding, axial_frequencies
from posenc_helpers.encodings.rope import RotaryEncoding
from posenc_helpers.encodings.rope_config import rope_parameters
from posenc_helpers.encodings.rope_variants import AxesRotaryEncoding, BlocksRotaryEncoding, WarmRotaryEncoding

GRID = (AxialRotaryEncoding, AxesRotaryEncoding, BlocksRotaryEncoding)

MODELS = Path(transformers.__file__).parent / "models"
CLASS = re.compile(r"^class (\w*(?:Rotary|Rope)\w*Embedding)\(", re.MULTILINE)

# What is refused, and why it has to be
REFUSED = {
    "EfficientLoFTRRotaryEmbedding": "turns all heads as one",
    "MusicFlamingoRotaryEmbedding": "turns by seconds",
    "Qwen3OmniMoeRotaryEmbedding": "the default configuration has heads of 73 columns",
    "Qwen3OmniMoeTalkerRotaryEmbedding": "the default configuration has heads of 73 columns",
    "Qwen3OmniMoeThinkerTextRotaryEmbedding": "the default configuration has heads of 73 columns",
    "EsmRotaryEmbedding": "the default configuration has absolute positions",
}
# Classes that exist while the default configuration does not use them
UNUSED = {"GraniteMoeHybridRotaryEmbedding", "Zamba2RotaryEmbedding"}


@pytest.fixture(autouse=True)
def quiet():
    logging.disable(logging.WARNING)  # transformers warns of its own defaults
    yield
    logging.disable(logging.NOTSET)


def nested(config):
    parts = [part for part in vars(config).values() if isinstance(part, PreTrainedConfig)]
    return parts + [inner for part in parts for inner in nested(part)]


@cache
def rotary_modules():
    """Return [(module, configuration)] of every class that its default configuration can make."""
    logging.disable(logging.WARNING)
    found = []
    for path in sorted(MODELS.glob("*/modeling_*.py")):
        if not (names := CLASS.findall(path.read_text(encoding="utf-8"))):
            continue
        source = importlib.import_module(f"transformers.models.{path.parent.name}.{path.stem}")
        for name in names:
            rotary = getattr(source, name)
            annotation = list(inspect.signature(rotary.__init__).parameters.values())[1].annotation
            if not (isinstance(annotation, type) and issubclass(annotation, PreTrainedConfig)):
                continue
            config = annotation()
            made = [(made, c) for c in [config] if (made := make(rotary, c))]
            if not made:  # the annotation names the whole model, the module is made for its parts
                made = {type(c): (made, c) for c in nested(config) if (made := make(rotary, c))}.values()
            found += made
    return found


def make(rotary, config):
    try:
        return rotary(config)
    except (AttributeError, KeyError, TypeError, ValueError, RuntimeError):
        return None


def tables(module):
    """Return {kind of layer or None: (frequencies, attention factor)} of a rotary module."""
    out = {}
    for name, table in module.named_buffers():
        if name.endswith("inv_freq") and "original" not in name:
            kind = name.removesuffix("inv_freq").removesuffix("_") or None
            out[kind] = table, getattr(module, f"{kind}_attention_scaling" if kind else "attention_scaling", 1.0)
        elif name == "embed_positions":  # GPT-J and CodeGen store sines and cosines: those of position 1
            sines, cosines = table[1].chunk(2)
            out[None] = torch.atan2(sines, cosines), 1.0
    return out


def layers_of(whole, kind):
    """Return the numbers of the layers that use the table `kind`, [None] where layers have none."""
    kinds = list(whole.get("layer_types") or [])
    if kind in ("main", "compress"):  # DeepSeek-V4
        return [i for i, k in enumerate(kinds) if (k == "sliding_attention") == (kind == "main")] or [kind]
    if kind is not None:
        return [i for i, k in enumerate(kinds) if k == kind] or [kind]
    return list(range(len(kinds))) or [None]


def frequencies_of(encoding):
    if isinstance(encoding, AxialRotaryEncoding):
        return axial_frequencies(encoding.head_dim, encoding.base, encoding.variant)
    return encoding.frequencies().detach()


def same_table(encoding, table, factor):
    """Say whether the frequencies and the attention factor agree.

    Vision towers write the frequencies that row and column share once, and two of them in another order.
    """
    ours, on_grid = frequencies_of(encoding), isinstance(encoding, GRID)
    theirs = table.flatten() if on_grid else table
    ours = ours.flatten() if on_grid else ours.abs()  # nanochat turns the other way: below, by its scores
    if on_grid:
        ours, theirs = ours.unique(), theirs.unique()
    equal = ours.shape == theirs.shape and torch.allclose(ours, theirs, atol=0, rtol=1e-5)
    return equal and abs(encoding.attention_factor - factor) < 1e-6


def different_encodings(whole, layers):
    """Return {settings as text: encoding} of layers: one encoding for all that agree."""
    found = {}
    for layer in layers:
        settings = str(rope_parameters(whole, layer))
        if settings not in found:
            found[settings] = from_config(whole, layer)
    return list(found.values())


def test_every_table_of_every_class():
    equal, refused, different, unused = [], {}, {}, []
    for module, config in rotary_modules():
        name, whole = type(module).__name__, config.to_dict()
        for kind, (table, factor) in tables(module).items():
            case = f"{name} {config.model_type} {kind or ''}"
            try:
                encodings = different_encodings(whole, layers_of(whole, kind))
            except ValueError as error:
                refused[case] = error
                continue
            turning = [encoding for encoding in encodings if hasattr(encoding, "frequencies")]
            if wrong := [encoding for encoding in turning if not same_table(encoding, table, factor)]:
                different[case] = wrong
            elif turning:
                equal.append(case)
            else:
                unused.append(name)
    counts = f"{len(equal)} equal, {len(refused)} refused, {len(different)} different"
    report = f"{counts}\n" + "\n".join(f"{case}: {what}" for case, what in [*refused.items(), *different.items()])
    assert not different, report
    assert len(equal) >= 246 and {case.split()[0] for case in refused} <= set(REFUSED), report
    assert set(unused) == UNUSED, (unused, report)


def test_what_a_file_leaves_out_is_the_default_of_the_class_or_refused():
    """Nested files leave out what is a default: without any key about the base, none may come out with another one."""
    equal, different = 0, {}
    for module, config in rotary_modules():
        whole = {key: value for key, value in config.to_dict().items() if key not in ("rope_parameters", "rope_theta")}
        for kind, (table, factor) in tables(module).items():
            try:
                encodings = different_encodings(whole, layers_of(config.to_dict(), kind))
            except ValueError:
                continue
            if wrong := [e for e in encodings if hasattr(e, "frequencies") and not same_table(e, table, factor)]:
                different[f"{type(module).__name__} {config.model_type} {kind or ''}"] = wrong
            else:
                equal += 1
    assert not different and equal >= 100, (equal, different)


@pytest.mark.parametrize("path", sorted((Path(__file__).parent / "configs").glob("*.json")), ids=lambda path: path.stem)
def test_small_files_are_read_as_transformers_reads_them(path):
    """Files of models whose class transformers has: our table of each layer is that of its rotary module."""
    whole = json.loads(path.read_text(encoding="utf-8"))["config"]
    part = whole.get("text_config", whole)
    classes = {type(config).model_type: (type(module), type(config)) for module, config in rotary_modules()}
    if part.get("model_type") not in classes:
        pytest.skip("no rotary class of that name")
    rotary, configuration = classes[part["model_type"]]
    config = configuration(**json.loads(json.dumps(part)))
    for kind, (table, factor) in tables(rotary(config)).items():
        for layer in layers_of(config.to_dict(), kind) if kind else [0]:
            try:
                encoding = from_config(whole, layer)
            except ValueError as error:
                assert re.search("ALiBi|not RoPE", str(error)), error
                continue
            if hasattr(encoding, "frequencies"):
                assert same_table(encoding, table, factor), (layer, encoding)


def test_which_models_turn_some_layers_only():
    """The list is read in the code: a rotation behind a condition, so that a new model with one does not pass unseen."""
    condition = re.compile(
        r"if (self\.(sliding_window|is_local_attention|use_rope|is_sliding|force_rope)|position_emb)[^\n]*:[^\n]*\n"
    )
    turning = re.compile(r"(?:[^\n]*\n){0,2}[^\n]*apply_rotary")
    found = set()
    for path in MODELS.glob("*/modeling_*.py"):
        code = path.read_text(encoding="utf-8")
        if any(turning.match(code, match.end()) for match in condition.finditer(code)):
            found.add(path.parent.name)
    by_switch = {"llama4", "smollm3", "mistral_large4", "muse_glimmer", "muse_spark", "granite_swa", "granitemoe_swa"}
    by_rope_part = {"beam", "cohere_compass", "olmo_hybrid", "granitemoehybrid"}
    other = {"exaone4_5", "lightglue", "efficientloftr"}  # a nested Exaone 4; learned positions; refused
    assert found == set(models.SLIDING_ONLY) | by_switch | by_rope_part | other


# ---------------------------------------------------------------- whole rotations


# Their functions are called otherwise, or the default configuration cannot run
UNTURNED = {
    "DINOv3ViTRopePositionEmbedding",
    "Dots3NoteAudioRotaryEmbedding",
    "CodeGenRotaryEmbedding",
    "EdgeTamVideoVisionRotaryEmbedding",
    "GPTJRotaryEmbedding",
    "EomtDinov3RotaryEmbedding",
    "Glm4vMoeTextRotaryEmbedding",
    "Glm4vTextRotaryEmbedding",
    "GlmImageTextRotaryEmbedding",
    "HunYuanVLRotaryEmbedding",
    "PixtralVisionRotaryEmbedding",
    "Qwen2_5OmniRotaryEmbedding",
    "Qwen4ExpTextRotaryEmbedding",
    "Sapiens2RopePositionEmbedding",
}


def scores(q, k):
    return q @ k.transpose(-2, -1)


def their_scores(module, config, encoding, q, k, positions, kind):
    """Turn q and k (1, 1, L, d_head) by the functions that stand beside a rotary class, and return q . k (1, 1, L, L)."""
    source, on_grid = importlib.import_module(type(module).__module__), config.model_type in models.ON_GRID
    names = ["apply_rotary_emb", "apply_rotary_pos_emb"]
    if on_grid:
        names += ["apply_rotary_pos_emb_2d", "apply_rotary_pos_emb_vision"]
    elif getattr(config, "rope_interleave", True):
        names += ["apply_rotary_pos_emb_interleave"]
    turn = [getattr(source, name) for name in names if hasattr(source, name)][-1]
    if not on_grid:  # text: (1, L), or (axes, 1, L)
        positions = positions[None] if positions.ndim == 1 else positions.T[:, None]
    elif config.model_type == "gemma4_vision":
        positions = positions[None]
    turned = module(q, positions, **({"layer_type": kind} if kind else {}))
    if config.model_type == "gemma4_vision":
        heads_last = (source.apply_multidimensional_rope(x.transpose(1, 2), *turned, positions) for x in (q, k))
        return scores(*(x.transpose(1, 2) for x in heads_last))
    if config.model_type == "llama4_text":
        return scores(*(x.transpose(1, 2) for x in turn(q.transpose(1, 2), k.transpose(1, 2), turned)))
    if isinstance(turned, torch.Tensor):  # DeepSeek-V2: complex numbers
        return scores(*turn(q, k, turned))
    if turn.__name__ == "apply_rotary_pos_emb_vision":
        return scores(*(x.transpose(0, 1) for x in turn(q[0].transpose(0, 1), k[0].transpose(0, 1), *turned)))[None]
    if next(iter(inspect.signature(turn).parameters)) == "x":  # Gemma 3n and 4, DeepSeek-V4: one at a time
        return scores(turn(q, *turned), turn(k, *turned))
    try:
        q_turned, k_turned = turn(q, k, *turned)
    except RuntimeError:  # Phi, StableLM and Persimmon cut off what does not turn themselves
        width = encoding.rotary_dim
        parts = zip(turn(q[..., :width], k[..., :width], *turned), (q, k), strict=True)
        q_turned, k_turned = (torch.cat([part, x[..., width:]], dim=-1) for part, x in parts)
    return scores(q_turned, k_turned)


def test_whole_rotations_give_the_same_scores():
    """The layout too: q . k does not change when both are permuted alike, so that it is compared and not q."""
    generator, compared, different = torch.Generator().manual_seed(0), 0, []
    for module, config in rotary_modules():
        whole = config.to_dict()
        if type(module).__name__ in UNTURNED | UNUSED | set(REFUSED):
            continue
        for kind in tables(module):
            for encoding in different_encodings(whole, layers_of(whole, kind)):
                if not hasattr(encoding, "frequencies"):
                    continue
                shape = (5, *encoding.coordinates)
                positions = torch.randint(0, 30, shape, generator=generator)
                q, k = torch.randn(2, 1, 1, 5, encoding.head_dim, generator=generator)
                theirs = their_scores(module, config, encoding, q, k, positions, kind)
                turn = RotaryEncoding.rotate if isinstance(encoding, WarmRotaryEncoding) else type(encoding).rotate
                ours = scores(*turn(encoding, q, k, positions, positions))
                compared += 1
                if ours.shape != theirs.shape or not torch.allclose(ours, theirs, atol=1e-3, rtol=1e-3):
                    different.append((type(module).__name__, kind, encoding))
    assert not different and compared >= 225, (compared, different)


# ---------------------------------------------------------------- whole files


@cache
def default_configs():
    """Return [(model type, default configuration)] of every type that transformers knows and makes without arguments."""
    found = []
    for name in CONFIG_MAPPING:
        with contextlib.suppress(Exception):  # some need arguments
            found.append((name, CONFIG_MAPPING[name]()))
    return found


def outcome(whole):
    try:
        return f"{from_config(whole)} {rope_parameters(whole)}"
    except ValueError as error:
        return str(error)


def test_a_file_with_several_models_gives_its_text_model():
    compared = 0
    for name, config in default_configs():
        text = getattr(config, "text_config", None)
        if isinstance(text, PreTrainedConfig) and name not in models.REFUSED:
            whole, inner = outcome(config.to_dict()), outcome(text.to_dict())
            assert whole.removeprefix("in config['text_config']: ") == inner, name
            compared += 1
    assert compared >= 130, compared


def test_models_without_rotary_code_are_refused_or_do_not_turn():
    """Those whose folder has code and no word about rotation in it: BERT, GPT-2, BLOOM, T5, Mamba, Whisper ..."""
    asked, wrong = 0, []
    for name, config in default_configs():
        folder = MODELS / type(config).__module__.split(".")[-2]
        code = "".join(path.read_text(encoding="utf-8") for path in folder.glob("modeling_*.py"))
        if not code or re.search("rotary|rope", code, re.IGNORECASE) or hasattr(config, "text_config"):
            continue
        asked += 1
        with contextlib.suppress(ValueError):
            encoding = from_config(config.to_dict())
            wrong += [(name, encoding)] * (type(encoding) is not PositionalEncoding)
    assert not wrong and asked >= 200, (asked, wrong)
