"""What is refused of a configuration, by name and in a sentence."""

import itertools
import re

import pytest

from posenc_helpers.encodings import from_config
from posenc_helpers.encodings.rope_config import families
from tests.encodings.refused_files import REFUSED
from tests.encodings.released_files import FILES, count_of
from tests.encodings.released_parts import LLAMA_3
from tests.encodings.rope_formulas import rope_part
from tests.refused import refused

LLAMA = {"model_type": "llama", "head_dim": 8}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_known_is_refused_in_a_sentence(name):
    config, words = REFUSED[name]
    for layer in (None, 0):
        with pytest.raises(ValueError, match=words):
            from_config(config, layer)


WORDS = [
    *("rope", "rotary", "position", "theta", "layer", "nope", "alibi", "ntk"),
    *("interleave", "head_dim", "pos", "freq"),
]
INVENTED = [f"{a}_{b}" for a, b in itertools.product(("use", "new"), WORDS)] + [f"{word}_mode" for word in WORDS]
INVENTED += ["layer_rope_theta", "partial_rotary_factors", "rope_ratio", "rope_pct", "use_xpos_rope", "swa_head_dim"]


@pytest.mark.parametrize("name", FILES)
def test_keys_that_a_family_does_not_know_are_refused_by_name(name):
    """Whatever they say, off included: `"use_rope": false` may be all that says so."""
    config = FILES[name]
    needs = [families()[c["model_type"]]["needs"] for c in (config, config.get("text_config", config))]
    own = {"head_dim", *re.findall(r"(\w+)[!=]", " ".join(needs))}
    bare = [word for word in (*WORDS, "interleaved", "rope_gptj") if word not in own]
    for key, value in itertools.product(INVENTED + bare, (True, False, [0, 1])):
        with pytest.raises(ValueError, match=rf"is not known with {key}="):
            from_config(config | {key: value}, 0)
        if "text_config" in config:
            with pytest.raises(ValueError, match=rf"in config\['text_config'\]: .* is not known with {key}="):
                from_config(config | {"text_config": config["text_config"] | {key: value}}, 0)
    rope = {"rope_type": "default", "rope_theta": 1e4, "rope_thata": 1e4}
    turning = [layer for layer in range(count_of(config)) if rope_part(config, layer)]
    if turning and "text_config" not in config:
        with pytest.raises(ValueError, match=r"rope_thata|is known with"):
            from_config(config | {"rope_scaling": None, "rope_parameters": rope}, turning[0])


def test_keys_without_such_a_word_stop_nothing():
    extra = {"tie_word_embeddings": False, "attention_bias": 1, "vocab_size": 9, "new_rope": None, 7: "seven"}
    assert from_config(LLAMA | extra).head_dim == 8


def said(rope):
    """A configuration of LLaMA's family with this scaling."""
    return LLAMA | {"rope_scaling": rope}


def gemma(**inner):
    return {"model_type": "gemma3", "text_config": inner}


BAD = (  # a configuration, what is said of it, and of which layer it was asked
    (said({"type": "linear", "factr": 2.0}), "keys factr; known: .*factor"),
    (said({"type": "linear", "factor": 2.0, "beta_fast": 32}), "beta_fast"),
    (said({"type": "linear"}), "config lacks factor"),
    (said({"type": "ntk"}), "rope_type='ntk'.*'linear', 'dynamic'"),
    (said({"type": "yarn", "rope_type": "linear", "factor": 2.0}), "differ"),
    (said({"type": "mrope", "mrope_section": [1, 1, 2]}), "mrope_section"),
    (said({"type": "yarn", "factor": 2.0, "attn_factor": 2.0}), "attn_factor"),
    (said({"type": "yarn", "factor": 2.0}), "lacks original_max_position_emb"),
    (said({"type": "dynamic", "factor": 2.0}), "lacks max_position_embeddings"),
    (said({"type": "linear", "factor": 0.5}), "factor=0.5"),
    (said({"type": "linear"}) | {"rope_parameters": {"type": "yarn"}}, "both"),
    (said(LLAMA_3 | {"low_freq_factor": 8.0}), "at least low_freq_factor=8.0"),
    (LLAMA | {"rope_parameters": {"full_attention": {}}}, "one dict for all layers"),
    (FILES["Gemma 2B"] | {"rope_scaling": LLAMA_3}, "rope_type of this family='llama3'"),
    (LLAMA | {"rope_theta": -1.0}, "rope_theta=-1.0"),
    (LLAMA | {"rope_interleaved": True}, "rope_interleaved=false, not with rope_interleaved=true"),
    ({"model_type": "llama"}, "config lacks head_dim or hidden_size / num_attention_heads"),
    ({"model_type": "llada", "d_model": 8, "n_heads": 1, "rope": True}, "config lacks rope_theta"),
    ({"model_type": "phi3", "hidden_size": 8, "num_attention_heads": 0}, "heads=0 must be"),
    (LLAMA, "layer='full_attention', but the layers .* no names", "full_attention"),
    (LLAMA, "layer=-1 must lie between 0 and 0", -1),
    (FILES["LLaMA 7B"], "layer=32 must lie between 0 and 31", 32),
    (FILES["Gemma 3 1B"], "layer='chunked_attention'.*'sliding_attention'", "chunked_attention"),
    (FILES["gpt-oss 20B"] | {"layer_types": ["mamba"]}, "an entry of layer_types='mamba'"),
    (gemma(vocab_size=9), r"in config\['text_config'\]: config lacks layer_types and num_hidden_layers", 0),
    (FILES["Phi-2"] | {"partial_rotary_factor": 2}, "rotary_dim=160 exceeds head_dim=80"),
    (FILES["Qwen3-VL 4B"]["text_config"] | {"rope_scaling": {"mrope_interleaved": False}}, "mrope_interleaved=False"),
)
NUMBER_OR_NAME = "must be the number of a layer, the name of its kind, or None"
WRONG_TYPES = (
    ("llama", "config must be a dict, got str"),
    (said("yarn"), "rope_scaling='yarn' must be a dict"),
    (FILES["Qwen2 7B"] | {"layer_types": "full_attention"}, "layer_types='full_attention' must be a list"),
    (LLAMA | {"rope_theta": "1e4"}, "rope_theta='1e4' must be a number"),
    (LLAMA | {"rope_theta": [1e4, 1e6]}, "must be a number"),
    (LLAMA | {"head_dim": 8.0}, "head_dim=8.0 must be an integer"),
    *((LLAMA, NUMBER_OR_NAME, layer) for layer in (1.0, True, (0, 1))),
)


def asked(config, says, *layer):
    return lambda: from_config(config, *layer), says


test_bad_input = refused(*(asked(*row) for row in BAD), *((*asked(*row), TypeError) for row in WRONG_TYPES))
