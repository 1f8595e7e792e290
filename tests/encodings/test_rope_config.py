"""What configurations of known families are read as: formulas, data/models.csv, which layers turn.

Against the classes of transformers: test_rope_families.py. What is refused: test_rope_config_refused.py.
"""

import math
import pickle
import re

import pytest
import torch
from torch.testing import assert_close

from posenc_helpers.encodings import PositionalEncoding, from_config
from posenc_helpers.encodings.rope import RotaryEncoding
from posenc_helpers.encodings.rope_config import families
from posenc_helpers.encodings.rope_variants import warmed
from posenc_helpers.lab.models import ROTARY, load_models
from tests.encodings.released_files import FILES, count_of
from tests.encodings.released_others import PHI_LONG, PHI_SHORT
from tests.encodings.rope_formulas import assert_frequencies, exact, exact_yarn, rope_part

# ---------------------------------------------------------------- formulas in float64


@pytest.mark.parametrize("length", [2, 32768, 32769, 65536, 100_001])
def test_dynamic_at_several_lengths(length):
    base = 1e6 * max(1.0, 2 * length / 32768 - 1) ** (128 / 126)
    assert_frequencies(from_config(FILES["InternLM 2.5 7B"]).frequencies(length), exact(128, base))


@pytest.mark.parametrize(("length", "factors"), [(4096, PHI_SHORT), (4097, PHI_LONG)])
def test_longrope_switches_behind_the_original_length(length, factors):
    definition = [w / s for w, s in zip(exact(96, 1e4), factors, strict=True)]
    assert_frequencies(from_config(FILES["Phi-3.5-mini"]).frequencies(length), definition)


def test_families_of_no_class_by_their_formulas():
    for name, layer, frequencies in (
        ("LLaDA 8B", 31, exact(128, 5e5)),
        ("MiniCPM 2B 128k", 0, exact(64, 1e6)),
        ("Kimi K2", 0, exact_yarn(64, 5e4, 32, 4096, 1, 1)),
    ):
        encoding = from_config(FILES[name], layer)
        assert_frequencies(encoding.frequencies(1000), frequencies)
        assert encoding.attention_factor == 1


def test_what_released_files_do_not_show_of_yarn():
    """Their two mscale are equal, their attention factors those of the formula, their two lengths one number."""
    yarn = {"rope_type": "yarn", "factor": 40.0, "original_max_position_embeddings": 4096}
    llama = {"model_type": "llama", "head_dim": 64}
    twice = from_config(llama | {"rope_scaling": yarn | {"mscale": 1.0, "mscale_all_dim": 0.5}})
    assert twice.attention_factor == pytest.approx((0.1 * math.log(40) + 1) / (0.05 * math.log(40) + 1))
    assert from_config(llama | {"rope_scaling": yarn | {"attention_factor": 1.5}}).attention_factor == 1.5
    outer = from_config(llama | {"rope_scaling": yarn, "original_max_position_embeddings": 1024})
    assert_frequencies(outer.frequencies(), exact_yarn(64, 1e4, 40, 1024))


def test_each_row_of_a_batch_has_its_own_length_and_early_queries_that_of_all_keys():
    encoding = from_config(FILES["Phi-3.5-mini"])
    positions = torch.tensor([[0, 1, 2, 100], [0, 257, 2049, 5000]])
    x = torch.randn(2, 3, 4, 96)
    together, _ = encoding.rotate(x, x, positions, positions)
    for row in range(2):
        alone, _ = encoding.rotate(x[row : row + 1], x[row : row + 1], positions[row], positions[row])
        assert torch.equal(together[row : row + 1], alone)
    early, _ = encoding.rotate(x[1:, :, 1:3], x[1:], positions[1, 1:3], positions[1])
    assert_close(early, together[1:, :, 1:3], atol=0, rtol=0)


@pytest.mark.parametrize("name", ["Phi-3.5-mini", "InternLM 2.5 7B", "gpt-oss 20B"])
def test_compile(name):
    encoding = from_config(FILES[name])

    def turned(x, positions):
        return encoding.rotate(x, x, positions, positions)[0]

    compiled = torch.compile(turned, backend="eager", fullgraph=True)
    x = torch.randn(2, 3, 4, encoding.head_dim)
    for last in (100, 40_000):  # one graph for both sides of the switch
        positions = torch.tensor([[0, 1, 2, 3], [0, 257, 2049, last]])
        assert_close(compiled(x, positions), turned(x, positions), atol=1e-5, rtol=0)


# ---------------------------------------------------------------- the rows of data/models.csv


MODELS = {model.model: model for model in load_models()}
FILE_OF = {  # a row of data/models.csv -> our file, or the reason why there is none
    "ESM-2 (650M)": "ESM-2 650M", "DINOv3 ViT-S/16": "refused", "Pixtral vision encoder": "Pixtral's encoder",
    "GPT-J-6B": "GPT-J 6B", "GPT-NeoX-20B": "GPT-NeoX 20B", "RedPajama-INCITE-3B": "RedPajama 3B",
    "LLaMA-1 7B": "LLaMA 7B", "Llama-2 7B": "LLaMA 7B", "Code Llama 7B": "Code Llama 7B", "Llama-3 8B": "Llama 3.1 8B",
    "Llama-3.1 8B / 70B": "Llama 3.1 8B", "Llama-3.2 1B": "Llama 3.2 1B", "Llama-3.2 3B": "Llama 3.2 1B",
    "Llama 4 Scout": "Llama 4 Scout", "Llama 4 Maverick": "Llama 4 with defaults", "Mistral-7B v0.1": "Mistral 7B",
    "Mistral-7B v0.3": "Mistral 7B v0.3", "Mixtral 8x7B": "Mixtral 8x7B", "Ministral 3 3B": "Ministral 3 3B",
    "Gemma 2B": "Gemma 2B", "Gemma 2 2B / 9B": "Gemma 2 27B", "Gemma 3 1B": "Gemma 3 1B",
    "Gemma 3 4B / 12B": "Gemma 3 4B", "Gemma 3 27B": "Gemma 3 4B", "Gemma 4 E2B": "Gemma 4 E2B",
    "Qwen-1.8B": "refused", "Qwen2 / Qwen2.5 7B": "Qwen2 7B", "Qwen2.5 7B Instruct with YaRN": "Qwen2.5 7B with YaRN",
    "Qwen3": "Qwen3 0.6B", "Qwen3-235B-A22B / 4B 2507": "Qwen3 235B A22B", "Qwen3-30B-A3B 2507": "Qwen3 235B A22B",
    "Qwen3-VL": "Qwen3-VL 4B", "Qwen2-VL 7B": "Qwen2-VL 7B", "Qwen3.5-0.8B": "Qwen3.5 without layer_types",
    "DeepSeek-V2-Lite": "DeepSeek-V2-Lite", "DeepSeek-V3": "DeepSeek-V3", "Kimi K2": "Kimi K2",
    "gpt-oss 20B / 120B": "gpt-oss 20B", "Phi-1.5": "Phi-1.5, factor left out", "Phi-2": "Phi-2",
    "Phi-3.5-mini": "Phi-3.5-mini", "Phi-4-mini": "Phi-4-mini", "StableLM-3B-4E1T": "StableLM-3B-4E1T",
    "StableLM-2-1.6B": "StableLM-3B-4E1T", "GLM-4-9B-Chat": "GLM-4-9B, converted",
    "GLM-4 class default": "GLM-4-0414 9B", "GLM-5.2": "GLM-5.2", "Minitron-8B (Nemotron-4)": "Minitron-8B",
    "Persimmon-8B": "Persimmon-8B", "InternLM2.5-7B": "InternLM 2.5 7B", "MiniCPM-2B-128k": "MiniCPM 2B 128k",
    "StarCoder2-7B": "StarCoder2-7B", "SmolLM2 135M / 360M": "SmolLM2 135M", "SmolLM2 1.7B": "SmolLM2 135M",
    "SmolLM3-3B": "SmolLM3 3B", "Command-R v01": "Command-R v01", "Aya-23 8B": "Command-R v01",
    "Command-R7B (Cohere2)": "Command-R7B", "OLMo 3 7B / 32B": "OLMo 3 7B", "Apertus-8B": "Apertus 8B",
    "ModernBERT-base": "ModernBERT base", "nomic-bert-2048": "nomic-bert-2048", "Falcon-7B": "Falcon 7B",
}  # fmt: skip


def test_every_rotary_model_of_the_table_has_a_file_of_its_family():
    assert set(FILE_OF) == {name for name, model in MODELS.items() if model.method in ROTARY}
    known = {name for name, file in FILE_OF.items() if file != "refused"}
    assert len(known) >= 60 and {FILE_OF[name] for name in known} <= set(FILES)


@pytest.mark.parametrize("name", [name for name, file in FILE_OF.items() if file != "refused"])
def test_the_table_and_the_file_say_the_same(name):
    """Of one family: the row's own base and widths, where it is a sibling of our file."""
    row, config = MODELS[name], FILES[FILE_OF[name]]
    encodings = [from_config(config, layer) for layer in range(count_of(config))]
    turning = [encoding for encoding in encodings if isinstance(encoding, RotaryEncoding)]
    assert {encoding.layout for encoding in turning} == {row.layout}
    assert (len(turning) < len(encodings)) == bool(row.nope_layers or "hybrid" in (row.notes or ""))
    if [name for name, file in FILE_OF.items() if file == FILE_OF[name]] != [name] and name not in ("LLaMA-1 7B",):
        return  # siblings differ in base or width, which is what the table has two rows for
    full = turning[-1] if row.local_base or row.scaling == "proportional" else turning[0]
    assert {encoding.base for encoding in turning} == {row.base, row.local_base or full.base}
    turned = int((full.frequencies() > 0).sum()) * 2
    latent = row.head_width in (192, 256) and row.rotary_width == 64 == full.head_dim  # as wide as the part that turns
    assert turned == row.rotary_width and (full.head_dim == row.head_width or latent)
    if row.sections:
        assert full.sections == row.sections
    scaling = rope_part(config, encodings.index(turning[-1]))["rope_type"]
    assert scaling == (row.scaling or "default") or turning[0].coordinates


# ---------------------------------------------------------------- which layers turn


def test_layers_by_number_by_name_and_all():
    gemma = FILES["Gemma 3 1B"]
    assert from_config(gemma, 5).base == from_config(gemma, "full_attention").base == 1e6
    assert from_config(gemma, 4).base == from_config(gemma, "sliding_attention").base == 1e4
    with pytest.raises(ValueError, match=r"differ, pass layer=: 'sliding_attention' or 0, 1, 2, 3, \.\.\. \(base 1"):
        from_config(gemma)
    assert from_config(FILES["Qwen3-Next 80B"]).base == 1e7  # of the layers that have q and k
    assert type(from_config(FILES["Qwen3-Next 80B"], "linear_attention")) is PositionalEncoding
    assert from_config({"model_type": "llama", "head_dim": 8}, 1000).head_dim == 8  # a file that does not say how many


@pytest.mark.parametrize("name", FILES)
def test_every_layer_of_every_file_is_read_and_can_be_sent(name):
    config = FILES[name]
    for layer in sorted({0, 1, 2, 3, count_of(config) - 1}):
        encoding = from_config(config, layer)
        again = pickle.loads(pickle.dumps(encoding))  # joblib and Dask send models
        assert repr(again) == repr(encoding)
        if isinstance(encoding, RotaryEncoding):
            assert all(torch.equal(encoding.frequencies(n), again.frequencies(n)) for n in (16, 100_000))


def test_queries_grow_with_their_position():
    encoding, positions = from_config(FILES["Ministral 3 3B"]), torch.tensor([0, 16383, 16384, 200_000])
    q = torch.randn(2, 3, 4, 128)
    turned_q, turned_k = encoding.rotate(q, q, positions, positions)
    plain_q, plain_k = RotaryEncoding.rotate(encoding, q, q, positions, positions)
    grown = torch.tensor([1.0, 1.0, 1 + 0.1 * math.log(2), 1 + 0.1 * math.log(13)])
    assert torch.equal(turned_k, plain_k)
    assert_close(turned_q, plain_q * grown[:, None])
    assert_close(warmed(q, positions.expand(2, -1), 0.1, 16384), q * grown[:, None])


# ---------------------------------------------------------------- the table of families itself


def test_every_row_has_what_a_reader_needs():
    for name, row in families().items():
        assert row["source"] and not re.search(r"https?://|(?<![\w.)])/\w+/", str(row)), name
        assert all(value == value.strip() and "\n" not in value for value in row.values()), name
        if row["layers"] in ("refused", "none") or not row["class"]:
            assert row["note"], name
        if row["layers"] not in ("", "part", "refused", "none"):
            assert row["head_dim"] and row["base"] and row["layout"].split("=")[-1] in ("half", "interleaved"), name
            assert bool(row["turning"]) == (row["layers"] != "all"), name


def test_every_known_family_has_a_file_and_every_refused_one_a_reason():
    parts = [part for config in FILES.values() for part in (config, config.get("text_config", config))]
    known = {name for name, row in families().items() if row["layers"] not in ("", "refused")}
    assert {part["model_type"] for part in parts} == known
