"""Mixtures layer by layer: what a window hides, which layer turns by what, and one stored row made again."""

import pytest
import torch
from torch import Generator

from posenc_helpers.encodings import AlibiEncoding, PositionalEncoding, RotaryEncoding, ShawEncoding, SinusoidalEncoding
from posenc_helpers.lab.results import load_results
from posenc_helpers.lab.rules import examine
from posenc_helpers.lab.training import seeded
from posenc_helpers.lessons.choosing.hybrids import HYBRIDS, LAYERS, Window, hybrid
from posenc_helpers.transformer import TinyTransformer, attend, causal_mask
from tools import experiments


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


def test_an_unknown_mixture_is_refused():
    with pytest.raises(ValueError, match="name='llama' is not known"):
        hybrid("llama", 16)


# What data/results/hybrids.csv shows, in every seed


def stored(mixture: str, what: str, times: int, steps: int) -> list[float]:
    wanted = {"mixture": mixture, "what": what, "times": times, "steps": steps}
    return [row["value"] for row in load_results("hybrids") if wanted.items() <= row.items()]


@pytest.mark.parametrize("steps", [300, 600])
def test_windows_keep_the_loss_and_a_layer_that_sees_all_keeps_the_recall(steps):
    for name in ("windows", "windows, nope layer", "windows, two bases"):
        assert max(stored(name, "language", 16, steps)) < max(stored(name, "language", 1, steps)) + 0.05
    for name in ("rope", "nope layer"):
        assert min(stored(name, "language", 16, steps)) > max(stored(name, "language", 1, steps)) + 0.5
    assert (
        max(stored("windows", "recall", 4, steps)) < 0.3 < 0.5 < min(stored("windows, nope layer", "recall", 4, steps))
    )


@pytest.mark.parametrize("steps", [300, 600])
def test_recall_at_sixteen_times_is_another_question_than_the_loss_there(steps):
    rope, layer = stored("rope", "recall", 16, steps), stored("nope layer", "recall", 16, steps)
    assert sum(a < b for a, b in zip(rope, layer, strict=True)) >= 7
    for name in ("windows, nope layer", "windows, two bases"):  # keeps the loss, and loses some of the recall
        near, far = (sum(stored(name, "recall", times, steps)) / 8 for times in (4, 16))
        assert far < near - 0.05
    assert min(stored("partial rotary", "recall", 16, steps)) > 0.9


def test_a_row_is_made_again():
    for row in experiments.hybrids("windows", seed=0, steps=300, windows=16)[::2]:
        same = stored("windows", row["what"], row["times"], 300)
        room = max(0.1, max(same) - min(same))
        assert len(same) == 8 and min(same) - room < row["value"] < max(same) + room, row
