"""Every known family against its class in transformers, layer by layer, from files as they are released.

What the functions apply_rotary... of a small model get and return says which layers turn, by which angles, in which
layout, by which factor; the frequencies of all layers of the whole file come from its rotary module.
"""

import logging
import re
from functools import cache

import pytest
import torch

from posenc_helpers.encodings.grid_rope import axial_frequencies
from posenc_helpers.encodings.rope import RotaryEncoding
from posenc_helpers.encodings.rope_config import from_config
from tests.encodings.class_spy import LENGTH, ROWS, Spy, code_of, same_turn, shrunk, text_of, their_config
from tests.encodings.released_files import FILES, count_of
from tests.encodings.released_others import PHI_LONG, PHI_SHORT
from tests.encodings.released_parts import LLAMA_3

POSITIONS = torch.tensor([3, 0, 700, 21, 5])
FAR = torch.tensor([40_000, 3, 9_000, 70_001, 0])  # where queries have grown, and slow pairs moved
WITH_CLASS = [name for name, config in FILES.items() if ROWS[text_of(config)["model_type"]]["class"]]


@pytest.fixture(autouse=True)
def quiet(caplog):
    caplog.set_level(logging.ERROR, "transformers")  # it warns of its own defaults


@pytest.mark.parametrize("name", WITH_CLASS)
def test_layers_turn_as_in_a_model_of_the_class(name, monkeypatch):
    config = FILES[name]
    part = shrunk(text_of(config))
    if part["model_type"] == "llama4_text":  # it counts tokens of the call instead of reading position_ids
        part["floor_scale"] = 2
    whole = config | {"text_config": part} if "text_config" in config else part
    spy = Spy(part)
    encodings = [from_config(whole, layer) for layer in range(count_of(part))]
    axes = encodings[-1].coordinates
    positions, far = POSITIONS, FAR.clamp(max=part.get("n_positions", 10**6) - 1)
    if axes == (3,):
        positions, far = (torch.stack([p, p + 2, 3 * p], dim=-1) for p in (positions, far))
    if axes == (2,):  # 32 x 48 pixels in patches of 16
        positions = torch.cartesian_prod(torch.arange(2), torch.arange(3))
    turned, _ = spy.run(positions, monkeypatch)
    _, zero = spy.run(torch.zeros_like(positions), monkeypatch, same_token=True)
    _, moved = spy.run(far, monkeypatch, same_token=True)
    for layer, encoding in enumerate(encodings):
        turns = isinstance(encoding, RotaryEncoding)
        equal = turns == (layer in turned)
        if turns and equal:
            equal = same_turn(encoding, turned[layer], positions)
        if layer in zero and equal:  # what attention got: how much queries grew, and how many columns turned
            x = torch.ones(1, 1, LENGTH, getattr(encoding, "head_dim", 8))
            counted = torch.arange(LENGTH) if "floor_scale" in part and not turns else far
            ours, still = (encoding.rotate(x, x, p, p)[0][0].norm(dim=-1) for p in (counted, torch.zeros_like(far)))
            theirs, their_still = moved[layer].norm(dim=-1), zero[layer].norm(dim=-1)
            if "floor_scale" in part:  # both runs have it, but all tokens are one
                still, their_still = ours[..., -1:], theirs[..., -1:]
            ours, grown = ours / still, theirs / their_still
            changed = (moved[layer] / grown[..., None] - zero[layer]).abs() > 1e-6
            columns = 2 * int((encoding.frequencies() > 0).sum()) if turns else 0
            equal = torch.allclose(grown, ours.expand_as(grown), atol=1e-4)
            equal &= int(changed.any(1).any(0).sum()) == columns or "floor_scale" in part
        assert equal, (layer, encoding)


# ---------------------------------------------------------------- frequencies of the whole file


@cache
def rotary_class(model_type):
    """Return the class of the rotary module of a family."""
    name = next(name for name in FILES if text_of(FILES[name])["model_type"] == model_type)
    model = Spy(shrunk(text_of(FILES[name]))).model
    return next((type(m) for m in model.modules() if "Rotary" in type(m).__name__), None)


def tables(part, length):
    """Return {kind of layer or None: (frequencies, factor)} that the class has for a text of this length."""
    module = rotary_class(part["model_type"])(their_config(part))
    kinds = [k for k in getattr(module, "layer_types", None) or [] if hasattr(module, f"{k}_inv_freq")]
    for kind in kinds or [None]:
        last = torch.tensor([[length - 1]])
        if part["model_type"] != "pixtral":
            module(torch.zeros(1, 1, 8), last, **({"layer_type": kind} if kind else {}))
    prefix = {kind: f"{kind}_" for kind in kinds} or {None: ""}
    return {kind: (getattr(module, f"{before}inv_freq", None), getattr(module, f"{before}attention_scaling", 1.0))
            for kind, before in prefix.items()}, module  # fmt: skip


def assert_tables_are_equal(config, length=16):
    """Compare frequencies and factor of all layers of a whole file that turn, of which there must be one."""
    part, compared = text_of(config), 0
    theirs, module = tables(part, length)
    kinds = getattr(module.config if hasattr(module, "config") else their_config(part), "layer_types", None) or []
    for layer in range(count_of(part)):
        encoding = from_config(config, layer)
        if not isinstance(encoding, RotaryEncoding):
            continue
        compared += 1
        frequencies, factor = theirs[kinds[layer] if None not in theirs else None]
        if frequencies is None:  # GPT-J keeps sines and cosines: those of position 1
            sines, cosines = module.embed_positions[1].chunk(2) if hasattr(module, "embed_positions") else (None, None)
            frequencies = torch.atan2(sines, cosines)
        on_grid = encoding.coordinates == (2,)
        ours = axial_frequencies(64, 1e4, "alternating").flatten() if on_grid else encoding.frequencies(length)
        torch.testing.assert_close(ours, frequencies.float(), atol=0, rtol=1e-5)
        assert abs(encoding.attention_factor - factor) < 1e-6, (layer, encoding)
    assert compared


TURNING = [name for name in WITH_CLASS if ROWS[text_of(FILES[name])["model_type"]]["layers"] != "none"]


@pytest.mark.parametrize("name", TURNING)
def test_frequencies_are_those_of_the_class_and_what_a_file_leaves_out_is_its_default_or_refused(name):
    """Of every layer of the whole file; then each key that is read is left out in turn."""
    assert_tables_are_equal(FILES[name])
    part = text_of(FILES[name])
    columns = ("layers", "pattern", "head_dim", "rotary", "base", "encoding")
    read = set(re.findall(r"\w+", " ".join(ROWS[part["model_type"]][column] for column in columns)))
    read |= {"rope_scaling", "rope_parameters", "max_position_embeddings", "original_max_position_embeddings"}
    for key in sorted(read & set(part)):
        less = {k: v for k, v in part.items() if k != key}
        try:
            from_config(less, 0)
        except ValueError:
            continue
        assert_tables_are_equal(less)


SCALED = {
    "linear": {"rope_type": "linear", "factor": 4.0},
    "dynamic": {"rope_type": "dynamic", "factor": 4.0},
    "yarn": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 2048},
    "llama3": LLAMA_3,
    "longrope": {"rope_type": "longrope", "long_factor": PHI_LONG, "short_factor": PHI_SHORT},
    "proportional": {"rope_type": "proportional", "partial_rotary_factor": 0.25},
}
STRETCHED = [(name, rope_type) for name in TURNING for rope_type in SCALED
             if rope_type in ROWS[text_of(FILES[name])["model_type"]]["scaling"]]  # fmt: skip


@pytest.mark.parametrize(("name", "rope_type"), STRETCHED)
def test_every_rope_type_that_a_family_is_known_with(name, rope_type):
    """Below the trained length and beyond it, where that matters."""
    part = {k: v for k, v in text_of(FILES[name]).items() if k not in ("rope_scaling", "rope_parameters")}
    part |= {"max_position_embeddings": 8192}
    key = "rope_scaling"
    rope = SCALED[rope_type]
    if part["model_type"] == "gemma4_text":
        rope = {"full_attention": rope | {"rope_theta": 1e6}, "sliding_attention": {"rope_theta": 1e4}}
        key = "rope_parameters"
    for length in (100, 10_000):
        assert_tables_are_equal(part | {key: rope}, length)


@pytest.mark.parametrize("name", WITH_CLASS)
def test_files_that_transformers_saves_anew_say_the_same(name):
    """Its new key names, and every default written out; what cannot be read is refused by name."""
    part = text_of(FILES[name])
    new = their_config(part).to_dict()
    if part["model_type"] == "gemma4_text":
        with pytest.raises(ValueError, match="per_layer_config"):
            from_config(new, 0)
        return
    for layer in range(count_of(part)):
        ours, again = from_config(part, layer), from_config(new, layer)
        assert repr(ours) == repr(again), layer
        if isinstance(ours, RotaryEncoding):
            assert all(torch.equal(ours.frequencies(n), again.frequencies(n)) for n in (1, 100_000))
            assert ours.attention_factor == again.attention_factor


def test_what_grows_by_default_is_what_the_class_has():
    settings = code_of("llama4_text")[1].config_class(num_hidden_layers=4)
    warm = from_config(FILES["Llama 4 with defaults"], 3)
    assert settings.attn_temperature_tuning and (warm.beta, warm.length) == (settings.attn_scale, settings.floor_scale)
