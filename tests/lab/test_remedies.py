"""Changes made when a trained model reads: what they leave alone, what they take away, what they refuse."""

import math

import pytest
import torch
from torch import Generator

from posenc_helpers.encodings import AlibiEncoding, RotaryEncoding, ShawEncoding, SinusoidalEncoding, apply_rope
from posenc_helpers.lab.training import seeded
from posenc_helpers.transformer import TinyTransformer, attend, causal_mask
from tools.experiments.remedies import LogScaled, NoNewDistance


def model_with(encoding) -> TinyTransformer:
    with seeded(0):
        return TinyTransformer(11, 16, 2, 2, encoding).eval()


ENCODINGS = [SinusoidalEncoding(16), RotaryEncoding(8), AlibiEncoding(2), ShawEncoding(8, 4)]


@pytest.mark.parametrize("inner", ENCODINGS, ids=repr)
def test_log_scaling_changes_nothing_up_to_the_trained_length_and_something_beyond(inner):
    tokens = torch.randint(11, (2, 50), generator=Generator().manual_seed(1))
    usual, scaled = (model_with(encoding)(tokens) for encoding in (inner, LogScaled(inner, 20)))
    assert torch.equal(usual[:, :20], scaled[:, :20])
    assert (usual - scaled)[:, 20:].abs().amax() > 1e-4


def test_what_grows_is_what_was_asked_for():
    """The score of two tokens is q . k plus the bias; each grows alone, or both do."""
    q, k = torch.randn(2, 1, 2, 40, 8, generator=Generator().manual_seed(4))
    places = torch.arange(40)
    inner = AlibiEncoding(2)
    times = torch.tensor([max(1.0, math.log(p + 1) / math.log(16)) for p in range(40)])[:, None]
    products, added = q @ k.mT, inner.bias(q, k, places, places)
    expected = {"q . k": products * times + added, "bias": products + added * times}
    expected["whole score"] = (products + added) * times
    for of, score in expected.items():
        scaled = LogScaled(inner, 16, of)
        turned_q, turned_k = scaled.rotate(q, k, places, places)
        assert torch.allclose(
            turned_q @ turned_k.mT + scaled.bias(turned_q, turned_k, places, places), score, atol=1e-5
        )
    assert LogScaled(RotaryEncoding(8), 16, "whole score").bias(q, k, places, places) is None


@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_no_new_distance_changes_nothing_within_16_tokens_and_stops_turning_beyond(layout):
    q, k, v = torch.randn(3, 2, 2, 40, 8, generator=Generator().manual_seed(0))  # (B, H, L, d_head) each
    places = torch.arange(40) + 7
    kinds = (RotaryEncoding(8, 30.0, layout), NoNewDistance(8, 30.0, layout))
    usual, new = (attend(q, k, v, places, places, kind, causal_mask(40, 40)) for kind in kinds)
    assert torch.allclose(usual[:, :, :16], new[:, :, :16], atol=1e-5) and not torch.allclose(usual, new, atol=1e-2)
    back = (places[:, None] - places).clamp(max=15)  # (L, L)
    scores = (
        torch.stack([(apply_rope(q, back[:, n], 30.0, layout) * k[:, :, n : n + 1]).sum(-1) for n in range(40)], -1)
        / 8**0.5
    )
    weights = scores.masked_fill(~causal_mask(40, 40), -torch.inf).softmax(-1)
    assert torch.allclose(weights @ v, new, atol=1e-4)
