"""data/models.csv: it loads, agrees with the configuration classes it cites, and every kind of mistake is named."""

import csv
import importlib
import math
import re
from dataclasses import FrozenInstanceError, asdict, replace

import pytest
import torch
import transformers

from posenc_helpers.classroom import tables
from posenc_helpers.lab.models import CHOICES, DEFAULT_PATH, ROTARY, TYPES, find_models, load_models
from tests.lab.models_rules import SCALING_PARAMETERS, problems

MODELS = {model.model: model for model in load_models()}
CLASS_DEFAULT = re.compile(r"transformers 5\.24 class default (\w+)")
CITING = {name: CLASS_DEFAULT.search(m.source).group(1) for name, m in MODELS.items() if CLASS_DEFAULT.search(m.source)}


# The file itself


def test_file_is_plain_utf8_with_line_feeds_and_nothing_internal():
    data = DEFAULT_PATH.read_bytes()
    assert b"\r" not in data and data.endswith(b"\n") and not data.startswith(b"\xef\xbb\xbf")
    assert not re.search(r"fs:\d|https?://|(?<![\w.)])/\w+/|\[U\]", data.decode("utf-8"))


def test_every_row_is_readable_and_frozen():
    assert len({name.casefold() for name in MODELS}) == len(load_models()) >= 70, "no name twice"
    assert {m.method for m in MODELS.values()} == set(CHOICES["method"])
    assert {m.kind for m in MODELS.values()} == set(CHOICES["kind"])
    assert {m.scaling for m in MODELS.values()} == {None, *CHOICES["scaling"]}
    with pytest.raises(FrozenInstanceError):
        MODELS["GPT-2"].base = 1.0


@pytest.mark.parametrize("name", MODELS)
def test_types_and_sources(name):
    for column, value in asdict(MODELS[name]).items():
        assert isinstance(value, TYPES[column] if column != "sections" else tuple | None), column
    source = MODELS[name].source
    assert re.search(r"arXiv \d{4}\.\d{5}|commit [0-9a-f]{7,9}|transformers 5\.24|Hub|model card|third-party", source)
    released = [2000 + int(yymm[:2]) for yymm in re.findall(r"\b(\d{4})\.\d{5}", source)]
    if released and MODELS[name].year:
        assert min(abs(MODELS[name].year - year) for year in released) <= 1  # a paper appears about when the model does


def test_only_rotary_models_have_rotary_numbers_and_base_is_never_missing():
    for model in MODELS.values():
        assert (model.base is not None) >= (model.method in ROTARY)
        assert (model.rotary_width is not None) == (model.method in ROTARY)


# Against Hugging Face: class defaults that the rows cite, read from the classes installed here


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


HALF, INTERLEAVED = [-2.0, -3.0, 0.0, 1.0], [-1.0, 0.0, -3.0, 2.0]  # a quarter turn of [0, 1, 2, 3]


@pytest.mark.parametrize(
    "name, module",
    [
        ("ESM-2 (650M)", "esm"),
        ("Pixtral vision encoder", "pixtral"),
        ("DINOv3 ViT-S/16", "dinov3_vit"),
        ("GPT-J-6B", "gptj"),
        ("GPT-NeoX-20B", "gpt_neox"),
        ("Llama-3.1 8B / 70B", "llama"),
        ("Mistral-7B v0.1", "mistral"),
        ("Ministral 3 3B", "ministral3"),
        ("Gemma 3 1B", "gemma3"),
        ("Gemma 4 E2B", "gemma4"),
        ("Qwen3", "qwen3"),
        ("Qwen2-VL 7B", "qwen2_vl"),
        ("Qwen3.5-0.8B", "qwen3_5"),
        ("Phi-2", "phi"),
        ("Phi-4-mini", "phi3"),
        ("StableLM-3B-4E1T", "stablelm"),
        ("GLM-4-9B-Chat", "glm"),
        ("GLM-4 class default", "glm4"),
        ("Minitron-8B (Nemotron-4)", "nemotron"),
        ("Persimmon-8B", "persimmon"),
        ("StarCoder2-7B", "starcoder2"),
        ("SmolLM3-3B", "smollm3"),
        ("Command-R v01", "cohere"),
        ("Command-R7B (Cohere2)", "cohere2"),
        ("OLMo 3 7B / 32B", "olmo3"),
        ("Apertus-8B", "apertus"),
        ("ModernBERT-base", "modernbert"),
        ("nomic-bert-2048", "nomic_bert"),
        ("Falcon-7B", "falcon"),
    ],
)
def test_layout_is_the_one_the_class_rotates_by(name, module):
    code = importlib.import_module(f"transformers.models.{module}.modeling_{module}")
    rotate = getattr(code, "rotate_half", None) or code.rotate_every_two
    turned = rotate(torch.arange(4.0).expand(1, 1, 1, 4)).flatten().tolist()
    assert turned == (HALF if MODELS[name].layout == "half" else INTERLEAVED)


def test_layouts_that_notebook_06_names_beyond_those_rows():
    """GLM-4.5 takes halves, though GLM-4 takes neighbours; DeepSeek and Llama 4 take neighbours, in other words."""
    code = {
        name: importlib.import_module(f"transformers.models.{name}.modeling_{name}")
        for name in ("glm4_moe", "deepseek_v2", "deepseek_v3", "llama4")
    }
    x = torch.arange(4.0).expand(1, 1, 1, 4)
    assert code["glm4_moe"].rotate_half(x).flatten().tolist() == HALF
    for name in ("deepseek_v2", "llama4"):
        turned, _ = code[name].apply_rotary_emb(x, x, torch.full((1, 1, 2), 1j))
        assert turned.flatten().tolist() == pytest.approx(INTERLEAVED)
    turned, _ = code["deepseek_v3"].apply_rotary_pos_emb_interleave(x, x, torch.zeros(1, 1, 4), torch.ones(1, 1, 4))
    assert turned.flatten().tolist() == [INTERLEAVED[j] for j in (0, 2, 1, 3)]  # written in halves
    assert transformers.DeepseekV3Config().rope_interleave
    assert {MODELS[name].layout for name in ("DeepSeek-V2-Lite", "DeepSeek-V3", "Llama 4 Scout")} == {"interleaved"}


@torch.no_grad()
def test_what_notebook_06_says_of_caches_and_of_restarted_ids():
    """Dynamic NTK keeps keys turned at old speeds; a restart is a border where a pass gets neither mask nor cache."""
    sizes = {
        "vocab_size": 50,
        "hidden_size": 32,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "max_position_embeddings": 16,
    }
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


# Against formulas


def test_olmo_attention_factor_is_yarns_temperature_and_ramps_are_the_released_ones():
    olmo = MODELS["OLMo 3 7B / 32B"]
    assert olmo.attention_factor == pytest.approx(0.1 * math.log(olmo.scaling_factor) + 1, rel=1e-12)
    assert (MODELS["Kimi K2"].beta_fast, MODELS["Kimi K2"].beta_slow) == (1, 1)  # a step, unlike all others
    others = {(m.beta_fast, m.beta_slow) for m in MODELS.values() if m.beta_fast and m.model != "Kimi K2"}
    assert others == {(32, 1)}


def test_the_table_of_beit_follows_from_its_window():
    beit = MODELS["BEiT-base"]  # its configuration class names no window
    assert beit.table_size == (2 * beit.window - 1) ** 2 + 3


@pytest.mark.parametrize("name, pairs", [("Llama-2 7B", 18), ("Llama-3 8B", 29), ("gpt-oss 20B / 120B", 14)])
def test_pairs_that_never_finish_a_turn_in_training(name, pairs):
    model = MODELS[name]
    length = model.trained_context or model.original_context
    turns = [
        length / (2 * math.pi) * model.base ** (-2 * i / model.rotary_width) for i in range(model.rotary_width // 2)
    ]
    assert sum(turn < 1 for turn in turns) == pairs


def test_who_declares_more_than_the_longest_training_text():
    """A model that declares more than a quarter more than it was trained on says by what means (notebook 08)."""
    both = [m for m in MODELS.values() if m.method == "rope" and m.trained_context and m.declared_context]
    ratio = {m.model: m.declared_context / m.trained_context for m in both}
    bold = {name for name, times in ratio.items() if times > 1.25}
    assert bold == {"Mistral-7B v0.1", "Qwen2.5 7B Instruct with YaRN", "Kimi K2", "Llama 4 Scout", "Code Llama 7B"}
    plain = {name for name in bold if not (MODELS[name].scaling or MODELS[name].window)}
    assert plain == {"Code Llama 7B"} and MODELS["Code Llama 7B"].base == 1_000_000


@pytest.mark.parametrize("name", ["Gemma 3 4B / 12B", "Gemma 3 27B"])
def test_a_stretched_model_counts_from_its_first_length(name):
    """Gemma 3: trained on 32K, rescaled by 8, then trained on 128K (section 5.3 of its report)."""
    assert (MODELS[name].original_context, MODELS[name].trained_context) == (32768, 131072)
    assert all(m.original_context for m in MODELS.values() if m.scaling and m.scaling != "proportional")


# Finding rows


def test_find_models():
    models = list(MODELS.values())
    assert [m.model for m in find_models(models, scaling="longrope")] == ["Phi-3.5-mini", "Phi-4-mini"]
    assert all(m.method == "alibi" and m.heads == 32 for m in find_models(models, method="alibi", heads=32))
    assert find_models(models) == models and find_models(models, heads=7) == []
    assert find_models(models, verified=False) == [m for m in models if not m.verified]
    with pytest.raises(ValueError, match="column='methode' is not known; allowed: 'model', 'year'"):
        find_models(models, methode="rope")
    with pytest.raises(ValueError, match=r"method='rotary' is not known; allowed: .*'rope'"):
        find_models(models, method="rotary")


# Mistakes in the file


def spoiled(tmp_path, name: str, column: str, text: str):
    """Write a copy of models.csv with one cell changed and return its path."""
    with DEFAULT_PATH.open(encoding="utf-8", newline="") as file:
        rows = [row | {column: text} if row["model"] == name else row for row in csv.DictReader(file)]
    path = tmp_path / "models.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(TYPES), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.mark.parametrize(
    ("column", "text", "allowed"),
    [
        ("kind", "decodr", "decoder, encoder"),
        ("method", "learnt", "sinusoidal, learned"),
        ("method", "", "sinusoidal, learned"),
        ("formula", "original", "paper, tensor2tensor, released"),
        ("layout", "halves", "interleaved, half"),
        ("scaling", "yarns", "linear, dynamic"),
        ("year", "soon", "a whole number, or empty"),
        ("table_size", "-3", "a whole number, or empty"),
        ("heads", "12.5", "a whole number, or empty"),
        ("heads", " 12", "a whole number, or empty"),
        ("base", "ten", "a number, or empty"),
        ("base", "nan", "a number, or empty"),
        ("base", "-10000", "a number, or empty"),
        ("base", "10_000", "a number, or empty"),
        ("truncate", "false", "yes, no, or empty"),
        ("verified", "maybe", "yes, no"),
        ("verified", "", "yes, no"),
        ("sections", "16,24,24", "'16 24 24'"),
        ("source", "", "text in one line"),
        ("source", " somewhere", "without spaces"),
        ("notes", "two\nlines", "text in one line"),
        ("reason", "", "text in one line"),
    ],
)
def test_a_cell_that_cannot_be_read_is_named_with_its_line(tmp_path, column, text, allowed):
    line = list(MODELS).index("GPT-2") + 2 + text.count("\n")  # the line on which the row ends
    with pytest.raises(ValueError) as caught:
        load_models(spoiled(tmp_path, "GPT-2", column, text))
    named, told = str(caught.value).split("; allowed: ")
    assert named == f"models.csv, line {line}: column {column!r} has {text!r}" and allowed in told


@pytest.mark.parametrize("ending", [b",more", b"\nGPT-3,2020"])
def test_a_row_with_another_number_of_cells_is_refused(tmp_path, ending):
    path = tmp_path / "models.csv"
    path.write_bytes(DEFAULT_PATH.read_bytes().rstrip(b"\n") + ending)
    with pytest.raises(ValueError, match=r"line \d+: another number of cells; allowed: 37"):
        load_models(path)


def test_windows_line_ends_load(tmp_path):
    path = tmp_path / "models.csv"
    path.write_bytes(DEFAULT_PATH.read_bytes().replace(b"\n", b"\r\n"))
    assert load_models(path) == list(MODELS.values())


@pytest.mark.parametrize("name", MODELS)
def test_no_row_contradicts_itself(name):
    assert problems(MODELS[name]) == []


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("GPT-2", {"year": 1999}, "2017"),
        ("GPT-2", {"table_size": 0}, "a number above 0"),
        ("GPT-2", {"base": 10000.0}, "empty, as the method is 'learned'"),
        ("GPT-2", {"scaling_factor": 2.0}, "empty, as there is no scaling"),
        ("GPT-2", {"verified": False}, "'class default only' or 'not verified'"),
        ("GPT-2", {"reason": "believed"}, "'read in' or 'run'"),
        ("GPT-J-6B", {"base": math.nan}, "a number above 0"),
        ("GPT-J-6B", {"buckets": 32}, "empty, as the method is 'rope'"),
        ("GPT-J-6B", {"rotary_width": 258}, "at most head_width=256"),
        ("GPT-J-6B", {"rotary_width": 63}, "an even number"),
        ("GPT-J-6B", {"rotary_fraction": 1.5}, "at most 1"),
        ("GPT-J-6B", {"rotary_fraction": 0.5}, "128 = head_width 256 * rotary_fraction 0.5"),
        ("Qwen2-VL 7B", {"sections": (16, 24, 23)}, "rotary_width / 2 = 64"),
        ("DeepSeek-V3", {"scaling_factor": None}, "not empty, as the scaling is 'yarn'"),
        ("Llama-3.2 1B", {"low_freq_factor": None}, "not empty, as the scaling is 'llama3'"),
        ("Gemma 4 E2B", {"rotary_fraction": None}, "as the scaling is 'proportional'"),
        ("DeepSeek-V3", {"beta_slow": 64.0}, "at most beta_fast=32.0"),
        ("Phi-3.5-mini", {"declared_context": None}, "as the scaling is 'longrope'"),
    ],
)
def test_a_row_that_contradicts_itself_is_named(name, changes, said):
    found = problems(replace(MODELS[name], **changes))
    assert found and said in " ".join(found) and all(line.startswith(name) for line in found)


def test_other_columns_and_a_missing_file_are_refused(tmp_path):
    path = tmp_path / "models.csv"
    path.write_text("model,colour\nGPT-2,red\n", encoding="utf-8")
    with pytest.raises(ValueError, match="allowed: model, year"):
        load_models(path)
    with pytest.raises(FileNotFoundError, match="comes with a clone of the repository"):
        load_models(tmp_path / "no.csv")


# The table that a notebook shows


@pytest.fixture
def shown(monkeypatch):
    bundles = []
    monkeypatch.setattr(tables, "display", lambda data, raw: bundles.append(data))
    return bundles


def test_show_models_marks_unknown_and_unverified(shown):
    rows = [MODELS[n] for n in ("GPT-J-6B", "SmolLM3-3B", "gpt-oss 20B / 120B", "Qwen3-VL", "OLMo 3 7B / 32B")]
    columns = ["year", "base", "sections", "truncate", "attention_factor", "nope_layers", "verified", "trained_context"]
    tables.show_models(rows, columns)
    table, note = shown
    cells = [[cell.strip() for cell in re.split(" {2,}", line)] for line in table["text/plain"].splitlines()]
    assert [" | ".join(line[:9]) for line in cells] == [
        "model | year | base | sections | truncate | attention factor | nope layers | verified | trained context",
        "GPT-J-6B | 2021 | 10,000 | - | - | - | - | yes | 2048",
        "SmolLM3-3B * | 2025 | 5,000,000 | - | - | - | every 4th | no | 65,536",
        "gpt-oss 20B / 120B | 2025 | 150,000 | - | no | - | - | yes | -",
        "Qwen3-VL | 2025 | 5,000,000 | 24 20 20 | - | - | - | yes | -",
        "OLMo 3 7B / 32B | 2025 | 500,000 | - | - | 1.208 | - | yes | 65,536",
    ]
    assert table["text/markdown"].count("\n") == 6
    assert note["text/plain"].startswith("* not verified: ") and note["text/markdown"].startswith("\\* not verified: ")


def test_show_models_without_unverified_rows_has_no_note(shown):
    tables.show_models([MODELS["GPT-2"]], [])
    assert len(shown) == 1 and shown[0]["text/plain"] == "model\nGPT-2"


def test_show_models_refuses_bad_input(shown):
    with pytest.raises(ValueError, match="models is empty; allowed: one model or more"):
        tables.show_models([], ["base"])
    with pytest.raises(ValueError, match="column='theta' is not known; allowed: 'model', "):
        tables.show_models([MODELS["GPT-2"]], ["theta"])
    assert shown == []
