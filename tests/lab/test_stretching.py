"""Stretching changes the frequencies alone, fine-tuning every weight; the model itself stays as it was."""

import math

import pytest
import torch

from posenc_helpers.encodings import AlibiEncoding, RotaryEncoding
from posenc_helpers.lab import stretching
from posenc_helpers.lab.shootout import HEADS, TRAINED, WIDTH, reader
from posenc_helpers.lab.stretching import fine_tune, with_encoding
from posenc_helpers.lab.text import Text
from posenc_helpers.transformer import TinyTransformer
from tests.lab.weights import same, weights
from tests.refused import refused
from tools.experiments.remedies import METHODS, slow_some, stretch

PLAIN = RotaryEncoding(WIDTH // HEADS).frequencies()  # (8,)  1, 0.316, 0.1 ...
PAIRS = torch.arange(8)
TURNS = TRAINED * PLAIN / (2 * math.pi)  # within the trained length: 5.1, 1.6, 0.5 ...
RULES = {  # the definitions of the papers, for a factor s
    "none": lambda s: PLAIN,
    "linear": lambda s: PLAIN / s,
    "ntk": lambda s: PLAIN / s ** (PAIRS / 7),
    "by-parts": lambda s: PLAIN * torch.where(TURNS < 1, 1 / s, (TURNS.clamp(max=2) - 1) * (1 - 1 / s) + 1 / s),
}
RULES["yarn"] = RULES["by-parts"]


@pytest.fixture
def model() -> TinyTransformer:
    return reader(RotaryEncoding(WIDTH // HEADS), 29, seed=0)


@pytest.mark.parametrize("factor", [1, 1.5, 16.0])
@pytest.mark.parametrize("method", METHODS)
def test_frequencies_are_those_of_the_rule_at_any_length(model, method, factor):
    stretched = stretch(model, method, factor).encoding
    for length in (1, 32, 128, 5000):
        assert torch.allclose(stretched.frequencies(length), RULES[method](factor), rtol=1e-6, atol=0)
    expected = 0.1 * math.log(factor) + 1 if method == "yarn" else 1.0  # on cos and sin: scores get its square
    assert stretched.attention_factor == pytest.approx(expected)


def test_by_parts_takes_the_ends_of_its_ramp(model):
    wide = stretch(model, "by-parts", 4.0, alpha=0.2, beta=32.0).encoding.frequencies()
    keep = ((TURNS - 0.2) / 31.8).clamp(0, 1)
    assert torch.allclose(wide, PLAIN * (keep + (1 - keep) / 4), rtol=1e-6)
    assert not torch.allclose(wide, RULES["by-parts"](4.0), rtol=1e-2)


def test_only_the_pairs_named_are_slowed(model):
    divisors = torch.ones(8)
    divisors[[2, 5]] = 4
    assert torch.allclose(slow_some(model, [2, 5], 4.0).encoding.frequencies(128), PLAIN / divisors, rtol=1e-6, atol=0)


@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_another_rope_is_stretched_as_it_is(layout):
    """Its base, its layout and its rotary width stay; what stretched it before is replaced."""
    rope = RotaryEncoding(16, base=500.0, layout=layout, rotary_dim=8, scaling=lambda w, length: w / 7)
    model = reader(rope, 29, seed=0)
    plain = 500.0 ** (-torch.arange(0, 8, 2) / 8)
    encoding = stretch(model, "linear", 4.0).encoding
    assert torch.allclose(encoding.frequencies(), plain / 4) and encoding.layout == layout
    assert encoding.rotary_dim == 8 and encoding.head_dim == 16
    assert torch.allclose(stretch(model, "none", 4.0).encoding.frequencies(), plain)


def test_a_copy_gets_another_encoding_and_the_model_stays_as_it_was(model):
    before, encoding, tokens = weights(model), model.encoding, torch.arange(29)[None]
    said, other = model(tokens), AlibiEncoding(HEADS)
    changed = with_encoding(model, other)
    assert changed.encoding is other and all(block.attention.encoding is other for block in changed.blocks)
    assert same(weights(changed), before)
    assert torch.equal(changed(tokens), reader(other, 29, seed=0)(tokens))
    for weight in changed.parameters():  # nothing is shared
        weight.data.zero_()
    assert same(weights(model), before) and torch.equal(model(tokens), said)
    assert all(block.attention.encoding is encoding for block in (model.blocks[0], model.blocks[1]))


def test_every_weight_is_tuned_and_the_model_stays_as_it_was(model, text):
    before, tokens = weights(model), torch.arange(29)[None]
    said = model(tokens)
    tuned = fine_tune(model, text, length=64, steps=3)
    assert same(weights(model), before) and all(weight.grad is None for weight in model.parameters())
    assert torch.equal(model(tokens), said)
    for name, weight in tuned.named_parameters():
        assert weight.grad is not None, name
        moved = (weight.detach() != before[name]).float().mean().item()
        assert moved > 0.9, (name, moved)
    assert (tuned(tokens) - said).abs().max() > 1e-3


@pytest.mark.parametrize(("length", "batch"), [(128, 8), (1024, 1), (300, 3)])
def test_how_it_is_trained(model, text, monkeypatch, length, batch):
    """1024 characters a step, fewer where the length does not divide them; batches that no first training saw."""
    called = []
    monkeypatch.setattr(stretching, "train", lambda *arguments, **names: called.append((arguments, names)))
    fine_tune(model, text, length, steps=60, seed=2)
    (((tuned, task, *rest), names),) = called
    assert tuned is not model and torch.equal(task.part, text.train)
    assert rest == [length]
    assert names == {"steps": 60, "batch": batch, "learning_rate": 1e-3, "seed": 10_002, "label": None}


MODEL = reader(RotaryEncoding(WIDTH // HEADS), 29, seed=0)
NONE = Text("none", *3 * [torch.arange(29)])
test_bad_input_is_named = refused(
    (lambda: fine_tune(MODEL, NONE, 0, 1), "length=0"),
    (lambda: fine_tune(MODEL, NONE, 1025, 1), "length=1025; allowed: 1 to 1024"),
    (lambda: fine_tune(MODEL, NONE, 64, 1, seed=-1), "seed=-1"),
)
