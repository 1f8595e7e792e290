"""`from_config` against every rotary embedding class of the installed transformers, layer by layer.

The classes are found by name (*RotaryEmbedding, *RopePositionEmbedding), their configurations by the annotation of
`config`, and each is made with the defaults of its configuration class: no model is built, no weight is made.
"""

import importlib
import inspect
import logging
import re
from functools import cache
from pathlib import Path

import pytest
import torch
import transformers
from transformers import CONFIG_MAPPING, PreTrainedConfig

from posenc_helpers.encodings import from_config
from posenc_helpers.encodings import rope_models as models
from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.encodings.grid_rope import AxialRotaryEncoding, MultimodalRotaryEncoding, axial_frequencies
from posenc_helpers.encodings.rope_variants import AxesRotaryEncoding, BlocksRotaryEncoding

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
        if not (names := CLASS.findall(path.read_text())):
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
    return out


def layers_of(config, kind):
    """Return the numbers of the layers that use the table `kind`, [None] where layers have none."""
    kinds = list(getattr(config, "layer_types", None) or [])
    if kind in ("main", "compress"):  # DeepSeek-V4
        return [i for i, k in enumerate(kinds) if (k == "sliding_attention") == (kind == "main")]
    if kind is not None:
        return [i for i, k in enumerate(kinds) if k == kind] or [kind]
    return list(range(len(kinds))) or [None]


def frequencies_of(encoding):
    if isinstance(encoding, AxialRotaryEncoding):
        return axial_frequencies(encoding.head_dim, encoding.base, encoding.variant)
    return encoding.frequencies().detach()


def same_table(encoding, table, factor):
    """Say whether the frequencies and the attention factor agree; two axes may share a table that one of us repeats."""
    ours, theirs = (values.flatten().abs().unique() for values in (frequencies_of(encoding), table))
    equal = ours.shape == theirs.shape and torch.allclose(ours, theirs, atol=0, rtol=1e-5)
    if table.numel() == frequencies_of(encoding).numel() and type(encoding).__name__ == "RotaryEncoding":
        equal = equal and torch.allclose(frequencies_of(encoding).abs(), table, atol=0, rtol=1e-5)
    return equal and abs(encoding.attention_factor - factor) < 1e-6


def test_every_table_of_every_class():
    equal, refused, different, unused = [], {}, {}, []
    for module, config in rotary_modules():
        name, whole = type(module).__name__, config.to_dict()
        for kind, (table, factor) in tables(module).items():
            case = f"{name} {config.model_type} {kind or ''}"
            turning = 0
            try:
                for layer in layers_of(config, kind):
                    encoding = from_config(whole, layer)
                    if hasattr(encoding, "frequencies"):
                        turning += 1
                        if not same_table(encoding, table, factor):
                            different[case] = f"layer {layer}: {encoding}"
            except ValueError as error:
                refused[case] = error
                continue
            if turning == 0:
                unused.append(name)
            elif case not in different:
                equal.append(case)
    counts = f"{len(equal)} equal, {len(refused)} refused, {len(different)} different"
    report = f"{counts}\n" + "\n".join(f"{case}: {what}" for case, what in [*refused.items(), *different.items()])
    assert not different, report
    assert len(equal) >= 225 and {case.split()[0] for case in refused} <= set(REFUSED), report
    assert set(unused) == UNUSED, (unused, report)
    print(counts)
