"""KERPLE, Sandwich, FIRE and CoPE against their definitions in float64, CoPE against x-transformers too."""

import math

import pytest
import torch
from torch.testing import assert_close
from x_transformers.x_transformers import CoPE

from posenc_helpers.encodings.distance_bias import (
    CopeEncoding,
    FireEncoding,
    KerpleEncoding,
    SandwichEncoding,
    cope_bias,
    cope_positions,
    fire_distance,
    kerple_bias,
)
from posenc_helpers.encodings.relative import relative_positions
from posenc_helpers.transformer import causal_mask
from tests.encodings.model_checks import largest
from tests.refused import refused


@pytest.mark.parametrize("start", [0, 100_000])
def test_kerple_by_the_definition(start):
    p, a = torch.tensor([0.4, 1.7, 1.0]), torch.tensor([0.9, 0.02, 0.3])
    relative = relative_positions(start + torch.arange(4), torch.tensor([0, 3, 257, 2049, 100_000]))
    bias = kerple_bias(relative, p, a)
    for h, (p_h, a_h) in enumerate(zip(p.double().tolist(), a.double().tolist(), strict=True)):
        for (m, n), r in zip(torch.cartesian_prod(torch.arange(4), torch.arange(5)), relative.flatten(), strict=True):
            d = abs(int(r))
            assert bias[h, m, n].item() == pytest.approx(-p_h * math.log(1 + a_h * d), rel=2e-6)


def test_kerple_clamps_the_numbers_and_not_their_gradient():
    encoding = KerpleEncoding(3)
    with torch.no_grad():
        encoding.p.copy_(torch.tensor([-1.0, 5.0, 0.5]))
        encoding.a.copy_(torch.tensor([0.2, -3.0, 0.5]))
    q, positions = torch.randn(1, 3, 8, 4), torch.arange(8)
    bias = encoding.bias(q, q, positions, positions)
    p, a = torch.tensor([0.01, 5.0, 0.5]), torch.tensor([0.2, 0.01, 0.5])
    clamped = kerple_bias(relative_positions(positions, positions), p, a)
    assert_close(bias, clamped, atol=1e-5, rtol=1e-5)
    bias.sum().backward()
    for parameter in (encoding.p, encoding.a):
        assert parameter.grad.isfinite().all() and (parameter.grad != 0).all()


def test_kerple_starts_as_in_the_paper():
    encoding = KerpleEncoding(4000)
    assert encoding.p.mean().item() == pytest.approx(1, abs=0.05) and encoding.p.max() > 1.9  # uniform in (0, 2)
    assert encoding.a.mean().item() == pytest.approx(0.5, abs=0.03) and 0.9 < encoding.a.max() < 1


@pytest.mark.parametrize("start", [0, 100_000])
def test_sandwich_by_the_definition(start):
    q_positions, k_positions = start + torch.arange(6, 10), start + torch.tensor([0, 1, 5, 9, 300])
    encoding, q, k = SandwichEncoding(5), torch.zeros(1, 5, 4, 8), torch.zeros(1, 5, 5, 8)
    bias = encoding.bias(q, k, q_positions, k_positions)
    exact = encoding.bias(q.double(), k.double(), q_positions.double(), k_positions.double())
    for h in range(5):
        for m, i in enumerate(q_positions.tolist()):
            for n, j in enumerate(k_positions.tolist()):
                cosines = sum(math.cos((i - j) * 10000 ** (-2 * t / 128)) for t in range(1, 65))
                expected = (cosines - 64) / (8 * (h + 1) / 5)
                assert exact[h, m, n].item() == pytest.approx(expected, abs=1e-10)
                assert bias[h, m, n].item() == pytest.approx(expected, abs=3e-4)


def test_sandwich_builds_no_tensor_of_length_times_length_times_width():
    q, places = torch.zeros(1, 2, 256, 4), torch.arange(256)
    assert largest(SandwichEncoding(2).bias, q, q, places, places) <= 2 * 256 * 256


def fire_by_definition(encoding, i, j):
    """Equation of section 3 for one pair, in float64: a number per head."""
    c, threshold = abs(encoding.c.double()), abs(encoding.length * encoding.factor.double())
    x = torch.log(c * abs(i - j) + 1) / (torch.log(c * max(threshold, torch.tensor(float(i))) + 1) + 1e-6)
    hidden = (encoding.inner.weight.double()[:, 0] * x + encoding.inner.bias.double()).relu()
    return encoding.outer.weight.double() @ hidden + encoding.outer.bias.double()


def test_fire_by_the_definition():
    encoding = FireEncoding(3, length=300)
    with torch.no_grad():
        encoding.c.fill_(-0.7)
        encoding.factor.fill_(-0.5)  # a threshold of 150: below some of the positions
    q_positions, k_positions = torch.tensor([0, 149, 257, 2049, 100_000]), torch.tensor([0, 1, 140, 257, 2050, 100_000])
    bias = encoding.bias(torch.zeros(1, 3, 5, 4), torch.zeros(1, 3, 6, 4), q_positions, k_positions)
    for m, i in enumerate(q_positions.tolist()):
        for n, j in enumerate(k_positions.tolist()):
            assert_close(bias[:, m, n].double(), fire_by_definition(encoding, i, j), atol=2e-6, rtol=2e-5)


def test_cope_equals_x_transformers():
    q, k = torch.randn(2, 3, 14, 8), torch.randn(2, 3, 14, 8)
    theirs = CoPE(dim=8, heads=3, max_pos=5)
    with torch.no_grad():
        theirs.pos_emb.normal_()
    logits = (q @ k.transpose(-2, -1) / math.sqrt(8)).masked_fill(~causal_mask(14, 14), -1e30)
    encoding = CopeEncoding(8, 5)
    encoding.load_state_dict({"table": theirs.pos_emb})
    ours = encoding.bias(q, k, torch.arange(14), torch.arange(14))
    assert_close(ours, theirs(q, logits), atol=5e-6, rtol=1e-5)


def test_cope_by_the_definition():
    q, k, table = (torch.randn(*shape, dtype=torch.float64) for shape in ((2, 3, 4, 8), (2, 3, 9, 8), (4, 8)))
    positions = cope_positions(q, k)
    bias = cope_bias(q, positions, table)
    for b, h, m in torch.cartesian_prod(torch.arange(2), torch.arange(3), torch.arange(4)):
        query, last = q[b, h, m], int(m) + 5  # the last of 4 queries is the last of 9 keys
        gates = [torch.sigmoid(query @ k[b, h, n] / math.sqrt(8)) for n in range(9)]
        for n in range(last + 1):
            p = sum(gates[j] for j in range(n, last + 1))
            assert positions[b, h, m, n].item() == pytest.approx(float(p), abs=1e-12)
            low = min(int(p), 3)
            high, share = min(low + 1, 3), min(float(p), 3.0) - low
            expected = (1 - share) * query @ table[low] + share * query @ table[high]
            assert bias[b, h, m, n].item() == pytest.approx(float(expected), abs=1e-12)
        assert (positions[b, h, m, last + 1 :] == 0).all()


def test_cope_counts_beyond_256_in_bfloat16():
    q = torch.full((1, 1, 400, 4), 8.0, dtype=torch.bfloat16)  # every gate is 1
    assert torch.equal(cope_positions(q, q)[0, 0, -1], torch.arange(400.0, 0, -1))


Q, K, P, ONES = torch.zeros(2, 3, 4, 8), torch.zeros(2, 3, 5, 8), torch.arange(5), torch.ones(3)
test_bad_input_is_named = refused(
    (lambda: kerple_bias(P[None].half(), ONES, ONES), "relative has dtype torch.float16"),
    (lambda: KerpleEncoding(4).bias(Q, K, P[:4], P), "q has 3 heads.*heads=4"),
    (lambda: SandwichEncoding(3).bias(Q, K, P[:4], P.bfloat16()), "k_positions has dtype"),
    (lambda: SandwichEncoding(4).bias(Q, K, P[:4], P), "q has 3 heads.*heads=4"),
    (lambda: fire_distance(P[None].half(), P, ONES, ONES), "relative has dtype"),
    (lambda: fire_distance(P[None], P.half(), ONES[0], ONES[0]), "q_positions has dtype"),
    (lambda: FireEncoding(4).bias(Q, K, P[:4], P), "q has 3 heads.*heads=4"),
    (lambda: CopeEncoding(8, 1), "max_position=1"),
    (lambda: CopeEncoding(6).bias(Q, K, P[:4], P), "head width 8.*head_dim=6"),
)
