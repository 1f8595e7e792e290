"""data/models.csv against Hugging Face: the class defaults that rows cite, tables that are built, layouts that rotate."""

import importlib
import re

import pytest
import torch
import transformers

from posenc_helpers.lab.models import load_models
from tests.lab.models_rules import SCALING_PARAMETERS

MODELS = {model.model: model for model in load_models()}
CLASS_DEFAULT = re.compile(r"transformers 5\.24 class default (\w+)")
CITING = {name: CLASS_DEFAULT.search(m.source).group(1) for name, m in MODELS.items() if CLASS_DEFAULT.search(m.source)}


def class_values(name: str, config) -> dict:
    """Return what a configuration class says, under the names of our columns; None where it says nothing."""

    def get(*keys):
        return next((v for v in (getattr(config, key, None) for key in keys) if v is not None), None)

    row = MODELS[name]
    rope = get("rope_parameters") or {}
    local, rope = rope.get("sliding_attention", {}), rope.get("full_attention", rope)
    width, heads = get("hidden_size", "n_embd", "d_model"), get("num_attention_heads", "n_head")
    scaling = rope.get("rope_type", "default")
    context = {"Whisper encoder": "max_source_positions", "Whisper decoder": "max_target_positions"}.get(name)
    return {
        "base": rope.get("rope_theta", get("rope_theta")),
        "local_base": local.get("rope_theta"),
        "rotary_fraction": rope.get("partial_rotary_factor"),
        "head_width": (get("head_dim") or width // heads) if row.head_width else None,
        "heads": heads if row.heads else None,
        "scaling": None if scaling in ("default", "axial") else scaling,
        "scaling_factor": rope.get("factor"),
        "original_context": rope.get("original_max_position_embeddings"),
        **{key: rope.get(key) for key in SCALING_PARAMETERS[2:]},
        "window": get("local_attention", "attention_chunk_size", "window_size", "sliding_window"),
        "buckets": get("relative_attention_num_buckets"),
        "max_distance": get("relative_attention_max_distance", "left_max_position_embeddings"),
        "declared_context": get(context or "max_position_embeddings", "n_positions"),
    }


@pytest.mark.parametrize("name", CITING)
def test_row_equals_the_class_default_it_cites(name):
    row = MODELS[name]
    values = class_values(name, getattr(transformers, CITING[name])())
    shared = {c: v for c, v in values.items() if v is not None and getattr(row, c) is not None}
    assert {c: getattr(row, c) for c in shared} == shared
    assert shared or name in {case[0] for case in TABLES}, "nothing of this row was compared"
    assert row.scaling == values["scaling"]


@pytest.mark.parametrize(
    "name, config, column, default",
    [
        ("Persimmon-8B", "PersimmonConfig", "base", 10000),
        ("Command-R7B (Cohere2)", "Cohere2Config", "base", 10000),
        ("GLM-4-9B-Chat", "GlmConfig", "base", 10000),
        ("GLM-5.2", "GlmMoeDsaConfig", "base", 10000),
        ("GLM-5.2", "GlmMoeDsaConfig", "declared_context", 202752),
        ("SmolLM3-3B", "SmolLM3Config", "base", 2000000),
    ],
)
def test_where_the_class_default_is_not_the_checkpoint_the_notes_say_so(name, config, column, default):
    assert class_values(name, getattr(transformers, config)())[column] == default
    assert getattr(MODELS[name], column) != default
    assert f"{default}" in MODELS[name].notes


DEBERTA = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "position_biased_input": False}
SHARED = {"position_buckets": 256, "share_att_key": True, "norm_rel_ebd": "layer_norm"}
GERMAN = {"langs": ["en", "de"], "src_vocab_size": 10, "tgt_vocab_size": 10}
BOTH = {"encoder_layers": 1, "decoder_layers": 1}
ONE = {"num_hidden_layers": 1}
TABLES = [
    ("BERT-base", "Bert", ONE, "position_embeddings.weight"),
    ("RoBERTa-base", "Roberta", {**ONE, "max_position_embeddings": 514}, "position_embeddings.weight"),
    ("GPT-2", "GPT2", {"n_layer": 1}, "wpe.weight"),
    ("OPT", "OPT", ONE, "embed_positions.weight"),
    ("BART / mBART", "Bart", BOTH, "encoder.embed_positions.weight"),
    ("BART / mBART", "MBart", BOTH, "decoder.embed_positions.weight"),
    ("ESM class default", "Esm", {**ONE, "vocab_size": 33, "pad_token_id": 1}, "position_embeddings.weight"),
    ("Marian (OPUS-MT)", "Marian", BOTH, "encoder.embed_positions.weight"),
    ("M2M100", "M2M100", BOTH, "encoder.embed_positions.weights"),
    ("FSMT (WMT19)", "FSMT", {**BOTH, **GERMAN}, "encoder.embed_positions.weight"),
    ("Pegasus", "Pegasus", BOTH, "encoder.embed_positions.weight"),
    ("Whisper encoder", "Whisper", BOTH, "encoder.embed_positions.weight"),
    ("Whisper decoder", "Whisper", BOTH, "decoder.embed_positions.weight"),
    ("DeBERTa-base", "Deberta", {**ONE, **DEBERTA}, "rel_embeddings.weight"),
    ("DeBERTa-v3-base", "DebertaV2", {**ONE, **DEBERTA, **SHARED}, "rel_embeddings.weight"),
    ("Swin", "Swin", {"depths": [1], "num_heads": [3]}, "relative_position_bias_table"),
    ("BEiT-base", "Beit", {**ONE, "use_relative_position_bias": True}, "relative_position_bias_table"),
    ("ViT-B/16", "ViT", ONE, "position_embeddings"),
    ("DINOv2", "Dinov2", {**ONE, "image_size": 518}, "position_embeddings"),
    ("w2v-BERT 2.0", "Wav2Vec2Bert", ONE, "distance_embedding.weight"),
]


@pytest.mark.parametrize("name, family, settings, ending", TABLES, ids=lambda value: str(value)[:20])
def test_table_has_as_many_rows_as_the_model_built_from_the_class(name, family, settings, ending):
    with torch.device("meta"):  # shapes only, no memory
        model = getattr(transformers, f"{family}Model")(getattr(transformers, f"{family}Config")(**settings))
    shapes = [p.shape for n, p in [*model.named_parameters(), *model.named_buffers()] if n.endswith(ending)]
    rows = {shape[1] if len(shape) == 3 else shape[0] for shape in shapes}  # vision tables have a batch axis of 1
    assert rows == {MODELS[name].table_size}


@pytest.mark.parametrize("family, tables_expected", [("T5", 2), ("MT5", 2), ("UMT5", 6)])
def test_t5_has_one_bias_per_stack_and_umt5_one_per_layer(family, tables_expected):
    config = getattr(transformers, f"{family}Config")(num_layers=3, num_decoder_layers=3)
    with torch.device("meta"):
        model = getattr(transformers, f"{family}Model")(config)
    shapes = [p.shape for n, p in model.named_parameters() if "relative_attention_bias" in n]
    assert len(shapes) == tables_expected and {shape[0] for shape in shapes} == {MODELS["T5 / Flan-T5"].buckets}


def test_dinov3_turns_halves():
    """It is of no family that is known; the layouts of those hold the rows in tests/encodings/test_rope_config.py."""
    turned = importlib.import_module("transformers.models.dinov3_vit.modeling_dinov3_vit").rotate_half(
        torch.arange(4.0)
    )
    assert turned.tolist() == [-2, -3, 0, 1] and MODELS["DINOv3 ViT-S/16"].layout == "half"


@pytest.mark.nightly  # it changes with the library alone
@torch.no_grad()
def test_what_notebook_06_says_of_caches_and_of_restarted_ids():
    """Dynamic NTK keeps keys turned at old speeds; a restart is a border where a pass gets neither mask nor cache."""
    sizes = {"vocab_size": 50, "hidden_size": 32, "intermediate_size": 32, "max_position_embeddings": 16}
    sizes |= dict.fromkeys(("num_hidden_layers", "num_attention_heads", "num_key_value_heads"), 2)
    torch.manual_seed(0)
    words = torch.randint(50, (1, 48))
    dynamic = {"rope_type": "dynamic", "factor": 4.0, "rope_theta": 10000.0}
    models = [transformers.LlamaModel(transformers.LlamaConfig(**sizes, rope_parameters=dynamic)) for _ in range(2)]
    models[1].load_state_dict(models[0].state_dict())
    step_by_step, at_once = transformers.DynamicCache(), transformers.DynamicCache()
    for i in range(48):
        models[0](words[:, i : i + 1], past_key_values=step_by_step)
        if i == 7:
            early = step_by_step.layers[0].keys.clone()
    models[1](words, past_key_values=at_once)
    assert torch.equal(step_by_step.layers[0].keys[:, :, :8], early)
    assert (at_once.layers[0].keys[:, :, :8] - early).abs().max() > 0.02

    ids = torch.tensor([[*range(5), *range(10)]])
    for kind in ("eager", "sdpa"):
        model = transformers.LlamaModel(transformers.LlamaConfig(**sizes, attn_implementation=kind))
        alone = model(words[:, 5:15], use_cache=False).last_hidden_state

        def off(alone=alone, model=model, **arguments):
            packed = model(words[:, :15], position_ids=ids, **arguments).last_hidden_state
            return (packed[:, 5:] - alone).abs().max()

        assert off(use_cache=False) < 1e-4
        assert off(use_cache=True) > 0.1
        assert off(use_cache=False, attention_mask=torch.ones(1, 15, dtype=torch.long)) > 0.1
