"""Stretched RoPE: every cure against its formula in float64."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from posenc_helpers.encodings.rope import RotaryEncoding
from posenc_helpers.encodings.rope_scaling import (
    by_parts,
    dynamic_ntk,
    linear,
    llama3,
    longrope,
    longrope_attention_factor,
    ntk_aware,
    turns,
    yarn,
    yarn_attention_factor,
)
from posenc_helpers.encodings.sinusoidal import frequencies
from tests.encodings.rope_formulas import assert_frequencies, exact, exact_by_parts, exact_yarn
from tests.refused import refused


@settings(max_examples=60, deadline=None)
@given(pairs=st.integers(2, 64), base=st.floats(100, 1e7), factor=st.floats(1, 64), original=st.integers(2, 40_000))
def test_what_every_cure_promises(pairs, base, factor, original):
    """Frequencies are divided, never multiplied, by at most the factor, and the fast ones by no more than the slow."""
    w = frequencies(2 * pairs, base, dtype=torch.float64)
    cures = {
        "linear": linear(w, factor),
        "ntk_aware": ntk_aware(w, factor),
        "by_parts": by_parts(w, factor, original),
        "llama3": llama3(w, factor, original),
        "yarn": yarn(w, factor, original),
        "yarn without rounding": yarn(w, factor, original, truncate=False),
    }
    for name, scaled in cures.items():
        divided = w / scaled
        assert ((divided >= 1 - 1e-9) & (divided <= factor * (1 + 1e-9))).all(), name
        assert (divided.diff() >= -1e-9).all(), name
    assert_close(cures["linear"] * factor, w)
    assert_close(cures["ntk_aware"][[0, -1]], torch.stack([w[0], w[-1] / factor]))
    assert_close(
        cures["ntk_aware"], frequencies(2 * pairs, base * factor ** (pairs / (pairs - 1)), dtype=torch.float64)
    )
    r = turns(w, original)
    assert_close(cures["by_parts"][r > 32], w[r > 32])
    assert_close(cures["by_parts"][r < 1], w[r < 1] / factor)


@pytest.mark.parametrize(
    ("dim", "base", "length", "count"),
    [(128, 1e4, 4096, 18), (128, 5e5, 8192, 29), (128, 1e6, 32768, 24), (64, 1.5e5, 4096, 14)],
    ids=["Llama-2", "Llama-3", "Qwen2.5", "gpt-oss"],
)
def test_pairs_that_never_finish_a_turn(dim, base, length, count):
    r = turns(frequencies(dim, base), length)
    assert (r < 1).sum() == count and (r.diff() < 0).all()  # the slow ones, at the end
    assert count == sum(length * w < 2 * math.pi for w in exact(dim, base))


def test_dynamic_effective_factor():
    w = frequencies(96, 1e6)
    for length, effective in [(1, 1.0), (32768, 1.0), (65536, 3.0), (98304, 5.0)]:
        assert_close(dynamic_ntk(w, 2.0, 32768, torch.tensor(length)), ntk_aware(w, effective), atol=0, rtol=2e-6)


def test_the_two_ramps_of_yarn_are_different_functions():
    w = frequencies(128, 1e4)
    paper, released = by_parts(w, 16.0, 4096), yarn(w, 16.0, 4096)
    assert 3 < (released / paper).max() < 3.1  # the paper divides the middle pairs by much more
    oss = frequencies(64, 1.5e5)
    paper_oss, released_oss = by_parts(oss, 32.0, 4096), yarn(oss, 32.0, 4096, truncate=False)
    assert 0.72 < ((released_oss - paper_oss) / released_oss).abs().max() < 0.74
    assert_frequencies(released, exact_yarn(128, 1e4, 16.0, 4096))
    assert_frequencies(paper, exact_by_parts(128, 1e4, 16.0, 4096, 1.0, 32.0))


def test_equal_betas_make_a_step_of_one_pair():
    divided = frequencies(64, 5e4) / yarn(frequencies(64, 5e4), 32.0, 4096, beta_fast=1.0, beta_slow=1.0)
    assert_close(divided.round().unique(), torch.tensor([1.0, 32.0]))
    exactly_one = yarn(frequencies(64, 5e4), 32.0, 4096, beta_fast=1.0, beta_slow=1.0, truncate=False)
    assert_close((frequencies(64, 5e4) / exactly_one).round().unique(), torch.tensor([1.0, 32.0]))


def test_equal_bounds_make_a_step():
    """Llama 4 Scout: factor 16, both frequency factors 1."""
    w = frequencies(128, 5e5)
    divided = w / llama3(w, 16.0, 8192, 1.0, 1.0)
    assert_close(divided, torch.cat([torch.ones(35), torch.full((29,), 16.0)]))
    assert torch.equal(by_parts(w, 16.0, 8192, 2.0, 2.0) == w, turns(w, 8192) >= 2)


def test_attention_factors():
    assert yarn_attention_factor(1.0) == 1.0
    assert yarn_attention_factor(4.0) == pytest.approx(1.1386294)
    # DeepSeek's second correction, beside 1/sqrt(d): facts of V2-Lite and V3.
    assert yarn_attention_factor(40, 0.707) ** 2 == pytest.approx(1.59, abs=0.005)
    assert yarn_attention_factor(40, 1.0) ** 2 == pytest.approx(1.87, abs=0.005)
    assert longrope_attention_factor(32, 4096) == pytest.approx(math.sqrt(1 + 5 / 12))
    assert longrope_attention_factor(1, 4096) == 1.0
    positions, x = torch.tensor([257, 2049]), torch.randn(1, 3, 2, 8)
    encoding = RotaryEncoding(8, rotary_dim=6, attention_factor=1.5)
    q, k = encoding.rotate(x, x, positions, positions)
    assert_close(q[..., :6].norm(), 1.5 * x[..., :6].norm())
    assert torch.equal(q, k) and torch.equal(q[..., 6:], x[..., 6:])  # what does not turn is not stretched


W = frequencies(8)
test_bad_input = refused(
    (lambda: linear(W, 0.5), "factor=0.5 must be at least 1"),
    (lambda: ntk_aware(W, -2.0), "factor=-2.0"),
    (lambda: ntk_aware(W[:1], 2.0), "at least 2 pairs"),
    (lambda: dynamic_ntk(W, 0.5, 8, torch.tensor(9)), "factor=0.5"),
    (lambda: dynamic_ntk(W, 2.0, 0, torch.tensor(9)), "original_length=0"),
    (lambda: by_parts(W, 0.5, 8), "factor=0.5"),
    (lambda: by_parts(W, 2.0, -8), "original_length=-8"),
    (lambda: by_parts(W, 2.0, 8, alpha=-1.0), "alpha=-1.0"),
    (lambda: by_parts(W, 2.0, 8, alpha=4.0, beta=1.0), "beta=1.0 must be at least alpha=4.0"),
    (lambda: by_parts(W, 2.0, 8, beta=math.nan), "beta=nan"),
    (lambda: llama3(W, 8.0, 8192, 4.0, 1.0), "high_freq_factor=1.0 must be at least low_freq_factor=4.0"),
    (lambda: llama3(W, 8.0, 8192, 0.0, 1.0), "low_freq_factor=0.0"),
    (lambda: yarn(W, 0.5, 8), "factor=0.5"),
    (lambda: yarn(W, 2.0, 8, beta_fast=1.0, beta_slow=32.0), "beta_fast=1.0 must be at least beta_slow=32.0"),
    (lambda: yarn(W[:1], 2.0, 8), "at least 2 pairs"),
    (lambda: yarn_attention_factor(0.1), "factor=0.1"),
    (lambda: longrope(W, [1.0], [2.0] * 4, 8, torch.tensor(9)), "short_factor has 1 numbers.*4 pairs"),
    (lambda: longrope(W, [1.0] * 4, [2.0] * 5, 8, torch.tensor(9)), "long_factor has 5 numbers"),
    (lambda: longrope(W, [1.0, 1.0, 0.0, 1.0], [2.0] * 4, 8, torch.tensor(9)), r"short_factor\[2\]=0.0"),
    (lambda: longrope(W, [1.0] * 4, [-2.0] * 4, 8, torch.tensor(9)), r"long_factor\[0\]=-2.0"),
    (lambda: longrope(W, [1.0] * 4, [2.0] * 4, -8, torch.tensor(9)), "original_length=-8"),
    (lambda: longrope_attention_factor(0.5, 8), "factor=0.5"),
    (lambda: longrope_attention_factor(2.0, 1), "original_length=1 must be above 1"),
    (lambda: longrope_attention_factor(2.0, -8), "original_length=-8"),
)
