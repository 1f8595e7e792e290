"""Mixtures layer by layer: what a window hides, which layer turns by what, and one stored row made again."""

import pytest
import torch
from torch import Generator

from posenc_helpers.encodings import AlibiEncoding, PositionalEncoding, RotaryEncoding, ShawEncoding, SinusoidalEncoding
from posenc_helpers.lab.rules import examine
from posenc_helpers.lab.training import seeded
from posenc_helpers.lessons.choosing.hybrids import Window
from posenc_helpers.transformer import TinyTransformer, attend, causal_mask
from tools.experiments.on_everyone import HYBRIDS, LAYERS, hybrid


def some(length: int, heads: int = 2, width: int = 8) -> list[torch.Tensor]:
    return list(torch.randn(3, 3, heads, length, width, generator=Generator().manual_seed(1)))


@pytest.mark.parametrize(
    "inner", [PositionalEncoding(), RotaryEncoding(8), AlibiEncoding(2), ShawEncoding(8, 4)], ids=repr
)
@pytest.mark.parametrize("keys", [1, 5, 20])
def test_a_window_equals_a_mask(inner, keys):
    q, k, v = some(13)
    place = torch.arange(13) + 257
    causal = causal_mask(13, 13)
    seen = causal & (place[:, None] - place < keys)
    windowed = attend(q, k, v, place, place, Window(inner, keys), causal)
    torch.testing.assert_close(windowed, attend(q, k, v, place, place, inner, seen), rtol=0, atol=1e-6)


def test_a_window_counts_by_position_in_every_row():
    q, k, v = some(6)
    place = torch.tensor([[0, 1, 2, 3, 4, 5], [2, 3, 4, 9, 10, 11], [0, 5, 10, 15, 20, 25]])
    seen = causal_mask(6, 6) & (place[:, :, None] - place[:, None, :] < 3)
    windowed = attend(q, k, v, place, place, Window(PositionalEncoding(), 3), causal_mask(6, 6))
    torch.testing.assert_close(windowed, attend(q, k, v, place, place, mask=seen), rtol=0, atol=1e-6)


def test_a_window_keeps_the_rules_in_every_dtype():
    assert [finding for finding in examine(lambda w, h, n: Window(RotaryEncoding(w // h))) if finding.broken] == []


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((RotaryEncoding(8), 0), ValueError, "keys=0 must be at least 1"),
        ((SinusoidalEncoding(8),), ValueError, "SinusoidalEncoding, which uses door 1"),
        (("rope",), TypeError, "encoding must be a PositionalEncoding"),
    ],
)
def test_bad_windows_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        Window(*arguments)


@pytest.mark.parametrize("name", HYBRIDS)
def test_layers_of_a_mixture(name):
    """How far an earlier token reaches: 4 * 7 tokens through windows, any distance where one layer sees all."""
    with seeded(0):
        model = TinyTransformer(11, 32, 2, LAYERS, hybrid(name, 16)).eval()
    text = torch.randint(11, (1, 64), generator=Generator().manual_seed(2))
    other = text.clone()
    other[0, 0] = (other[0, 0] + 1) % 11
    with torch.no_grad():
        moved = (model(text) - model(other))[0].abs().amax(dim=-1) > 0  # (64,)
    assert moved[:29].all()
    assert not moved[29:].any() if name == "windows" else moved[29:].any()
    bases = [getattr(getattr(one, "encoding", one), "base", None) for one in hybrid(name, 16).layers]
    assert bases == {
        "windows, two bases": [100.0] * 3 + [1e6],
        "nope layer": [1e4] * 3 + [None],
        "windows, nope layer": [1e4] * 3 + [None],
    }.get(name, [1e4] * 4)
