"""Notebook 12's two released models: fetched as said, and equal to what independent code computes from the same files."""

import os
import re
import statistics
import subprocess
import sys
import zipfile

import pytest
import torch

from posenc_helpers.encodings import apply_rope
from posenc_helpers.lab.results import load_results, values_of
from posenc_helpers.lessons.released_model import fetching, minilm, smollm2
from posenc_helpers.lessons.released_model.carried import carried_over
from posenc_helpers.lessons.released_model.explorer import pairs_words
from posenc_helpers.lessons.released_model.smollm2 import BASE, PAIRS, turning
from posenc_helpers.lessons.released_model.stretches import STRETCHES, stretches
from tools.course import ROOT
from tools.experiments.on_released import CHANGES, DECLARED, TEXTS, long_text, only

transformers = pytest.importorskip("transformers")
TEXT = 'The "import" statement finds a module, loads it if that was not done in 2024, and binds a name.\n\n  x = 1'


@pytest.fixture(scope="module")
def smol():
    return smollm2.load()


@pytest.fixture(scope="module")
def mini():
    return minilm.read(fetching.fetch("all-MiniLM-L6-v2"))


# Against the outside


def test_smollm2_computes_what_transformers_computes_from_the_same_file(smol):
    path = fetching.fetch("SmolLM2-135M-Instruct")
    theirs = transformers.AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32)
    tokens = smol.tokens(TEXT)
    with torch.no_grad():
        logits = theirs(tokens[None]).logits[0]  # (L, V)
    ours = smollm2.hidden(smol, tokens, turning()) @ smol.weights["token_embd.weight"].T
    assert (ours - logits).abs().max() < 1e-3 * logits.abs().max()
    assert (theirs.config.rope_parameters["rope_theta"], theirs.config.num_key_value_heads) == (
        smol.base,
        smol.key_heads,
    )


def test_smollm2_cuts_text_as_transformers_does(smol):
    path = fetching.fetch("SmolLM2-135M-Instruct")
    theirs = transformers.AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    assert smol.tokens(TEXT).tolist() == theirs(TEXT, add_special_tokens=False)["input_ids"]
    assert smol.text(smol.tokens(TEXT)) == TEXT


def test_minilm_computes_what_transformers_computes_from_the_same_file(mini, tmp_path):
    with zipfile.ZipFile(fetching.fetch("all-MiniLM-L6-v2")) as packed:
        packed.extractall(tmp_path)
    theirs, tokenizer = (
        transformers.AutoModel.from_pretrained(tmp_path),
        transformers.AutoTokenizer.from_pretrained(tmp_path),
    )
    given = tokenizer(TEXT, return_tensors="pt")
    assert mini.tokens(TEXT).tolist() == given["input_ids"][0].tolist()
    with torch.no_grad():
        vector = torch.nn.functional.normalize(theirs(**given).last_hidden_state[0].mean(dim=0), dim=0)
        moved = theirs(**given, position_ids=torch.arange(given["input_ids"].shape[1])[None] + 7).last_hidden_state[0]
    assert (minilm.vector(mini, mini.tokens(TEXT)) - vector).abs().max() < 1e-5
    places = torch.arange(len(mini.tokens(TEXT))) + 7
    moved = torch.nn.functional.normalize(moved.mean(dim=0), dim=0)
    assert (minilm.vector(mini, mini.tokens(TEXT), places) - moved).abs().max() < 1e-5


# What the changes are


def test_the_numbers_of_the_file_are_those_of_the_changes(smol):
    assert (smol.base, smol.context) == (BASE, DECLARED)
    x = torch.randn(smol.heads, 20, 2 * PAIRS, generator=torch.Generator().manual_seed(0))
    expected = apply_rope(x, torch.arange(20), base=smol.base, layout="interleaved")
    assert torch.equal(CHANGES["as released"](x), expected)
    assert torch.equal(turning(only(fastest=PAIRS))(x), expected)
    assert torch.equal(CHANGES["not turned"](x), x)


def test_each_change_changes_something_else():
    x = torch.randn(1, 20, 2 * PAIRS, generator=torch.Generator().manual_seed(0))
    turned = {name: turn(x) for name, turn in CHANGES.items()}
    same = [(a, b) for a in turned for b in turned if a < b and torch.allclose(turned[a], turned[b])]
    assert same == []


def test_a_mask_that_hides_nothing_changes_nothing_and_one_that_hides_does(smol):
    tokens = stretches(smol.tokens, 33)[STRETCHES[0]]
    place = torch.arange(32)
    causal = smollm2.losses(smol, tokens, turning())
    assert torch.allclose(smollm2.losses(smol, tokens, turning(), place[:, None] >= place), causal, atol=1e-3)
    near = (place[:, None] >= place) & (place[:, None] - place < 4)
    cut = smollm2.losses(smol, tokens, turning(), near)
    assert torch.allclose(cut[:4], causal[:4], atol=1e-3) and (cut - causal)[4:].abs().max() > 0.1


def test_what_is_watched_is_attention(smol):
    seen = []
    smollm2.hidden(smol, smol.tokens("one two three"), turning(), watch=lambda number, weights: seen.append(weights))
    assert len(seen) == smol.layers and all(weights.shape[0] == smol.heads for weights in seen)
    assert all(torch.allclose(w.sum(-1), torch.ones(())) and not w.triu(1).any() for w in seen)


def test_what_cannot_be_is_refused(smol, mini):
    with pytest.raises(ValueError, match="below 30"):
        smol.layer(30)
    with pytest.raises(ValueError, match="2 or more"):
        smollm2.losses(smol, torch.tensor([1]), turning())
    with pytest.raises(ValueError, match="from 0 to 511"):
        minilm.vector(mini, mini.tokens("a"), torch.tensor([510, 511, 512]))


# Stored results


def mean_loss(name, **where):
    return statistics.mean(values_of(load_results(name), "loss", **where))


def test_stored_results_agree_with_one_another():
    for change, turn in (("as released", 32), ("fastest 16 turn", 16), ("not turned", 0)):
        for stretch in STRETCHES:
            (one,) = values_of(load_results("released"), "loss", change=change, stretch=stretch)
            (other,) = values_of(load_results("released_pairs"), "loss", end="fastest", turn=turn, stretch=stretch)
            assert one == pytest.approx(other, abs=2e-3)


@pytest.mark.parametrize("text", TEXTS)
def test_the_first_places_of_a_long_text_are_made_again(smol, text):
    """Later tokens do not change them, so that a short text is enough."""
    losses = smollm2.losses(smol, long_text(smol.tokens, text, 1025), turning())
    row = {"text": text, "change": "as released", "from": 0}
    (stored,) = values_of(load_results("released_long"), "loss", **row)
    assert losses.mean().item() == pytest.approx(stored, abs=0.1)


def test_the_explorer_says_the_loss_and_the_circles_that_it_draws():
    describe = pairs_words(load_results("released_pairs"))
    said = describe("slowest", 16)
    assert f"loss {mean_loss('released_pairs', end='slowest', turn=16):.2f}" in said and "0.19 circles" in said
    assert "no pair turns" in describe("fastest", 0) and "0.00 more" in describe("fastest", 32)


def test_what_carried_over_has_the_numbers_of_the_stored_results():
    def rise(change):
        return mean_loss("released", change=change) - mean_loss("released", change="as released")

    def seeing(seen):
        return mean_loss("released_windows", seen=seen) - mean_loss("released_windows", seen="all")

    ahead = [rise(f"NTK-aware, {s}") - rise(f"by parts, {s}") for s in (2, 4)]
    found = [mean_loss("released", change=c) for c in ("as released", "the other layout", "not turned")]
    found += [rise("fastest 16 turn"), rise("interpolation, 2"), rise("interpolation, 4"), *ahead]
    said = " ".join(row["released"] for row in carried_over())
    assert [f"{number:.2f}" for number in found if f"{number:.2f}" not in said] == []
    (window,) = [row["released"] for row in carried_over() if "window" in row["statement"]]
    assert f"{seeing('last 64'):.1f}" in window and f"{seeing('last 64, first'):.1f}" in window
    assert {row["same"] for row in carried_over()} == {"yes", "no", "in part"}


@pytest.mark.parametrize("row", carried_over(), ids=lambda row: row["statement"][:40])
def test_what_the_miniature_did_stands_in_its_notebook(row):
    (path,) = (ROOT / "notebooks").glob(f"{row['notebook']}_*.ipynb")
    said = path.read_text(encoding="utf-8")
    assert [number for number in re.findall(r"\d+\.\d+|\de-\d", row["miniature"]) if number not in said] == []


# Fetching


def test_a_damaged_file_is_refused_in_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("POSENC_MODELS", str(tmp_path))
    (tmp_path / "model.zip").write_bytes(b"half of it")
    with pytest.raises(fetching.ModelMissing, match="delete it, then run this again"):
        fetching.fetch("all-MiniLM-L6-v2")
    with pytest.raises(ValueError, match="all-MiniLM-L6-v2"):
        fetching.fetch("another")


def test_without_a_network_one_sentence_and_nothing_half_fetched(tmp_path, monkeypatch):
    monkeypatch.setenv("POSENC_MODELS", str(tmp_path / "new"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    with pytest.raises(fetching.ModelMissing, match=r"python -m tools\.released") as raised:
        fetching.fetch("all-MiniLM-L6-v2")
    assert raised.value._render_traceback_() == [str(raised.value)] and "\n" not in str(raised.value)
    assert list((tmp_path / "new").iterdir()) == []


def test_a_folder_that_cannot_be_is_said_in_a_sentence(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("POSENC_MODELS", str(tmp_path / "file" / "below"))
    with pytest.raises(fetching.ModelMissing, match="cannot be kept"):
        fetching.fetch("all-MiniLM-L6-v2")


def test_the_command_says_where_they_are(tmp_path):
    run = subprocess.run([sys.executable, "-m", "tools.released"], capture_output=True, text=True, check=True)
    assert all(name in run.stdout for name in fetching.PACKAGES)
