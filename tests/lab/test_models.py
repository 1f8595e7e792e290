"""data/models.csv: it loads, agrees with the configuration classes it cites, and every kind of mistake is named."""

import csv
import math
import re
from dataclasses import FrozenInstanceError, asdict, replace
from types import NoneType
from typing import get_args

import pytest

from posenc_helpers.classroom import tables
from posenc_helpers.lab.models import CHOICES, DEFAULT_PATH, ROTARY, TYPES, find_models, load_models
from tests.lab.models_rules import problems, written

MODELS = {model.model: model for model in load_models()}


def test_file_is_plain_utf8_with_line_feeds_and_nothing_internal():
    data = DEFAULT_PATH.read_bytes()
    assert b"\r" not in data and data.endswith(b"\n") and not data.startswith(b"\xef\xbb\xbf")
    assert not re.search(r"fs:\d|https?://|(?<![\w.)])/\w+/|\[U\]", data.decode("utf-8"))


def test_every_row_is_readable_and_frozen():
    assert len({name.casefold() for name in MODELS}) == len(load_models()) >= 70, "no name twice"
    for column in ("method", "kind"):
        assert {getattr(m, column) for m in MODELS.values()} == set(CHOICES[column])
    assert {m.scaling for m in MODELS.values()} == {None, *CHOICES["scaling"]}
    with pytest.raises(FrozenInstanceError):
        MODELS["GPT-2"].base = 1.0


def test_every_cell_is_written_as_it_is_read():
    with DEFAULT_PATH.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    assert list(rows[0]) == list(TYPES)
    for model, row in zip(load_models(), rows, strict=True):
        for column, value in asdict(model).items():
            assert (model.model, column, row[column]) == (model.model, column, written(value))
            assert value is not None or NoneType in get_args(TYPES[column]), (model.model, column)
            assert value in (None, *CHOICES.get(column, [value])), (model.model, column)


def test_no_row_contradicts_itself_and_each_has_a_source():
    assert [line for model in MODELS.values() for line in problems(model)] == []
    for model in MODELS.values():
        for column, value in asdict(model).items():
            assert isinstance(value, TYPES[column] if column != "sections" else tuple | None), (model.model, column)
        assert re.search(
            r"arXiv \d{4}\.\d{5}|commit [0-9a-f]{7,9}|transformers 5\.24|Hub|card|third-party", model.source
        )
        released = [2000 + int(yymm[:2]) for yymm in re.findall(r"\b(\d{4})\.\d{5}", model.source)]
        assert not released or not model.year or min(abs(model.year - year) for year in released) <= 1, model.model
        assert (model.base is not None) >= (model.rotary_width is not None) == (model.method in ROTARY)


# Against formulas


def test_olmo_attention_factor_is_yarns_temperature_and_ramps_are_the_released_ones():
    olmo = MODELS["OLMo 3 7B / 32B"]
    assert olmo.attention_factor == pytest.approx(0.1 * math.log(olmo.scaling_factor) + 1, rel=1e-12)
    assert (MODELS["Kimi K2"].beta_fast, MODELS["Kimi K2"].beta_slow) == (1, 1)  # a step, unlike all others
    others = {(m.beta_fast, m.beta_slow) for m in MODELS.values() if m.beta_fast and m.model != "Kimi K2"}
    assert others == {(32, 1)}


@pytest.mark.parametrize("name", ["Gemma 3 4B / 12B", "Gemma 3 27B"])
def test_a_stretched_model_counts_from_its_first_length(name):
    """Gemma 3: trained on 32K, rescaled by 8, then trained on 128K (section 5.3 of its report)."""
    assert (MODELS[name].original_context, MODELS[name].trained_context) == (32768, 131072)
    assert all(m.original_context for m in MODELS.values() if m.scaling and m.scaling != "proportional")


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


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("GPT-2", {"year": 1999}, "2017"),
        ("GPT-2", {"base": 10000.0}, "empty, as the method is 'learned'"),
        ("GPT-2", {"scaling_factor": 2.0}, "empty, as there is no scaling"),
        ("GPT-2", {"verified": False}, "'class default only' or 'not verified'"),
        ("GPT-J-6B", {"base": math.nan}, "a number above 0"),
        ("GPT-J-6B", {"rotary_width": 258}, "at most head_width=256"),
        ("GPT-J-6B", {"rotary_width": 63}, "an even number"),
        ("GPT-J-6B", {"rotary_fraction": 1.5}, "at most 1"),
        ("GPT-J-6B", {"rotary_fraction": 0.5}, "128 = head_width 256 * rotary_fraction 0.5"),
        ("Qwen2-VL 7B", {"sections": (16, 24, 23)}, "rotary_width / 2 = 64"),
        ("DeepSeek-V3", {"scaling_factor": None}, "not empty, as the scaling is 'yarn'"),
        ("DeepSeek-V3", {"beta_slow": 64.0}, "at most beta_fast=32.0"),
    ],
)
def test_a_row_that_contradicts_itself_is_named(name, changes, said):
    found = problems(replace(MODELS[name], **changes))
    assert found and said in " ".join(found) and all(line.startswith(name) for line in found)


def test_a_missing_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("posenc_helpers.lab.models.DEFAULT_PATH", tmp_path / "no.csv")
    with pytest.raises(FileNotFoundError, match="comes with a clone of the repository"):
        load_models()


@pytest.fixture
def shown(monkeypatch):
    bundles = []
    monkeypatch.setattr(tables, "display", lambda data, raw: bundles.append(data))
    return bundles


def test_show_models_marks_unknown_and_unverified(shown):
    rows = [MODELS[n] for n in ("SmolLM3-3B", "gpt-oss 20B / 120B", "OLMo 3 7B / 32B")]
    columns = ["base", "truncate", "attention_factor", "nope_layers", "trained_context"]
    tables.show_models(rows, columns)
    table, note = shown
    cells = [[cell.strip() for cell in re.split(" {2,}", line)] for line in table["text/plain"].splitlines()]
    assert [" | ".join(line[:6]) for line in cells] == [
        "model | base | truncate | attention factor | nope layers | trained context",
        "SmolLM3-3B * | 5,000,000 | - | - | every 4th | 65,536",
        "gpt-oss 20B / 120B | 150,000 | no | - | - | -",
        "OLMo 3 7B / 32B | 500,000 | - | 1.208 | - | 65,536",
    ]
    assert note["text/plain"].startswith("* not verified: ") and note["text/markdown"].startswith("\\* not verified: ")


def test_show_models_has_no_note_where_all_is_verified_and_refuses_bad_input(shown):
    tables.show_models([MODELS["GPT-2"]], [])
    assert [bundle["text/plain"] for bundle in shown] == ["model\nGPT-2"]
    with pytest.raises(ValueError, match="models is empty; allowed: one model or more"):
        tables.show_models([], ["base"])
    with pytest.raises(ValueError, match="column='theta' is not known; allowed: 'model', "):
        tables.show_models([MODELS["GPT-2"]], ["theta"])
    assert len(shown) == 1
