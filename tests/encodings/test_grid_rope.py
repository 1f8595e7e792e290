"""RoPE on grids and in time against Hugging Face's DINOv3, rotary-embedding-torch and plain float64."""

import math

import pytest
import torch
from rotary_embedding_torch import RotaryEmbedding as RotaryEmbeddingTorch
from rotary_embedding_torch import apply_rotary_emb
from torch.testing import assert_close
from transformers import DINOv3ViTConfig
from transformers.models.dinov3_vit import modeling_dinov3_vit

from posenc_helpers.encodings.grid import grid_positions
from posenc_helpers.encodings.grid_rope import (
    AxialRotaryEncoding,
    MultimodalRotaryEncoding,
    axial_angles,
    axial_frequencies,
    mixed_angles,
    patch_centres,
)
from posenc_helpers.encodings.rope import LAYOUTS, RotaryEncoding, rotate_pairs
from posenc_helpers.encodings.rope_variants import WarmRotaryEncoding
from posenc_helpers.encodings.xpos import XPosEncoding
from tests.refused import refused

# Rows and columns differ, so that swapping them shows; so do batch, heads, cells and head width.
ROWS, COLUMNS, B, H, D = 2, 3, 4, 5, 16


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("variant", ["shared", "alternating"])
def test_axial_definition(variant, layout):
    positions = torch.tensor([[0, 257], [2049, 3], [12, 0], [1, 2]])
    x = torch.randn(B, H, 4, D)
    steps = {"shared": [0, 4, 8, 12, 0, 4, 8, 12], "alternating": [0, 4, 8, 12, 2, 6, 10, 14]}[variant]
    # The row turns pairs 0 to 3, the column pairs 4 to 7.
    angle = [[place[pair // 4] * 700.0 ** (-steps[pair] / D) for pair in range(8)] for place in positions.tolist()]
    expected = rotate_pairs(x.double(), torch.tensor(angle, dtype=torch.float64), layout)
    encoding = AxialRotaryEncoding(D, 700.0, layout, variant)
    ours, _ = encoding.rotate(x, x, positions, positions)
    assert_close(ours.double(), expected, atol=3e-3, rtol=0)
    doubled = encoding.rotate(x.double(), x.double(), positions.double(), positions.double())[0]
    assert_close(doubled, expected, atol=1e-9, rtol=0)
    batched = positions.expand(B, -1, -1)
    assert torch.equal(encoding.rotate(x, x, batched, batched)[1], ours)


@pytest.mark.parametrize("prefix", [0, 5])
def test_axial_is_dinov3(prefix):
    patch = 4
    config = DINOv3ViTConfig(hidden_size=D * H, num_attention_heads=H, patch_size=patch)
    theirs = modeling_dinov3_vit.DINOv3ViTRopePositionEmbedding(config).eval()
    cos, sin = theirs(torch.zeros(1, 3, ROWS * patch, COLUMNS * patch))
    q, k = torch.randn(2, B, H, prefix + ROWS * COLUMNS, D)
    expected = modeling_dinov3_vit.apply_rotary_pos_emb(q, k, cos, sin)
    # Class token and registers sit at the middle, (0, 0): they do not turn.
    positions = torch.cat([torch.zeros(prefix, 2), 2 * math.pi * patch_centres(ROWS, COLUMNS)])
    ours = AxialRotaryEncoding(D, config.rope_theta).rotate(q, k, positions, positions)
    assert_close(ours, expected, atol=5e-6, rtol=0)


def test_axial_is_rotary_embedding_torch():
    pixel = RotaryEmbeddingTorch(D // 2, freqs_for="pixel", max_freq=20)
    lang = RotaryEmbeddingTorch(D // 2)
    x = torch.randn(B, ROWS, COLUMNS, D)
    flat = x.flatten(1, 2)
    lines = torch.cartesian_prod(torch.linspace(-1, 1, ROWS), torch.linspace(-1, 1, COLUMNS))
    linear = (torch.linspace(1.0, 10.0, D // 4) * math.pi).expand(2, -1)
    for theirs, positions, frequencies in (
        (pixel, lines, linear),
        (lang, grid_positions(ROWS, COLUMNS), axial_frequencies(D)),
    ):
        expected = apply_rotary_emb(theirs.get_axial_freqs(ROWS, COLUMNS), x).flatten(1, 2)
        ours = rotate_pairs(flat, axial_angles(positions, frequencies), "interleaved")
        assert_close(ours, expected, atol=3e-5, rtol=0)


def test_mixed_is_axial_for_a_matrix_with_one_entry_per_pair_and_learns():
    cells, frequencies = grid_positions(ROWS, COLUMNS) + 257, axial_frequencies(D)
    matrix = torch.block_diag(*frequencies).requires_grad_()  # (2, pairs)
    assert torch.equal(mixed_angles(cells, matrix), axial_angles(cells, frequencies))
    diagonal = torch.randn(2, D // 2, dtype=torch.float64)
    expected = cells.double() @ diagonal
    assert_close(mixed_angles(cells.double(), diagonal), expected, atol=1e-9, rtol=0)
    x = torch.randn(B, H, ROWS * COLUMNS, D)
    rotate_pairs(x, mixed_angles(cells, matrix)).sum().backward()
    assert matrix.grad.abs().min() > 0


def test_axial_rope_has_the_base_of_the_sinusoids_unless_told_otherwise():
    right = axial_frequencies(D, base=10_000.0)
    assert torch.equal(axial_frequencies(D), right)
    assert torch.equal(AxialRotaryEncoding(D).frequencies(), right.flatten())


PUBLIC = [
    RotaryEncoding(D, base=50.0),
    RotaryEncoding(D, rotary_dim=6),
    RotaryEncoding(D, scaling=lambda w, length: w / 3, attention_factor=1.5),
    XPosEncoding(D),
    WarmRotaryEncoding(D, beta=0.1, length=8192),
    AxialRotaryEncoding(D),
    AxialRotaryEncoding(64, variant="alternating"),
    AxialRotaryEncoding(D, layout="interleaved"),
    MultimodalRotaryEncoding(D, [2, 3, 3]),
    MultimodalRotaryEncoding(D, [4, 2, 2], interleaved=True),
]


@pytest.mark.parametrize("encoding", PUBLIC, ids=lambda encoding: type(encoding).__name__)
def test_angles_are_positions_times_the_public_frequencies(encoding):
    """At p on every axis: glm4v's grid gave 64 numbers 1, 0.866 ..., and turned by 32 of them twice."""
    places = torch.tensor([0, 1, 5, 30])
    positions = places[:, None].expand(-1, *encoding.coordinates) if encoding.coordinates else places
    expected = places[:, None] * encoding.frequencies()
    assert_close(encoding.angles(positions, positions), expected)
    x = torch.randn(B, H, 4, encoding.head_dim)
    turned = encoding.rotate(x, x, positions, positions)
    if type(encoding) is not XPosEncoding:  # which also stretches
        assert_close(turned[0], rotate_pairs(x, expected, encoding.layout, encoding.attention_factor))


X, CELLS = torch.zeros(B, H, ROWS * COLUMNS, D), grid_positions(ROWS, COLUMNS)
test_bad_input = refused(
    (lambda: axial_frequencies(10), "head_dim=10 must be a multiple of 4"),
    (lambda: axial_frequencies(D, variant="mixed"), "variant='mixed'.*'shared', 'alternating'"),
    (lambda: axial_angles(torch.zeros(5, 3), axial_frequencies(D)), r"allowed: \(..., 2\)"),
    (lambda: AxialRotaryEncoding(D).rotate(X, X, CELLS[:, 0], CELLS), r"\(6,\); .*\(6, 2\) or \(4, 6, 2\)"),
    (lambda: AxialRotaryEncoding(D).rotate(X.transpose(1, 2), X, CELLS, CELLS), r"pass x.transpose\(1, 2\)"),
    (lambda: RotaryEncoding(D).rotate(X, X, CELLS, CELLS), r"positions has shape \(6, 2\)"),
    (lambda: mixed_angles(torch.zeros(5, 3), torch.zeros(2, 8)), r"allowed: \(..., 2\)"),
)
