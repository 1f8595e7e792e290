"""Grids, windows and moments against Hugging Face's vision models and plain float64."""

import math

import pytest
import torch
from torch.testing import assert_close
from transformers import Qwen3VLVisionConfig, ViTConfig
from transformers.models.detr.modeling_detr import DetrSinePositionEmbedding
from transformers.models.qwen3_vl.modeling_qwen3_vl import Qwen3VLVisionModel
from transformers.models.swin.modeling_swin import SwinRelativePositionBias
from transformers.models.vit.modeling_vit import ViTEmbeddings
from transformers.vision_utils import get_vision_interpolation_indices_and_weights

from posenc_helpers.encodings.grid import (
    Time2Vec,
    WindowBias,
    fourier_features,
    grid_positions,
    interpolate_grid,
    sinusoidal_2d,
    window_index,
)
from tests.refused import refused

# Rows and columns differ, so that swapping them shows; so do batch, heads, cells and head width.
B, H, D, WIDTH = 4, 5, 16, 24


def test_grid_positions_list_row_by_row():
    assert grid_positions(2, 3).tolist() == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]


@pytest.mark.parametrize("normalise", [False, True])
def test_sinusoidal_2d_is_detr_with_its_positions(normalise):
    theirs = DetrSinePositionEmbedding(6, normalize=normalise)((1, 12, 5, 7), "cpu", torch.float32)[0]
    positions = (grid_positions(5, 7) + 1).float()
    if normalise:
        positions = positions / (torch.tensor([5.0, 7.0]) + 1e-6) * 2 * math.pi
    assert_close(sinusoidal_2d(positions, 12).T.view(12, 5, 7), theirs, atol=2e-6, rtol=0)


def test_sinusoidal_2d_definition():
    positions = torch.tensor([[0.0, 257.0], [2049.0, 3.0], [-1.5, 100_000.0]], dtype=torch.float64)
    expected = [
        [(math.sin, math.cos)[column % 2](p * 50.0 ** (-2 * (column // 2) / 6)) for p in place for column in range(6)]
        for place in positions.tolist()
    ]
    assert_close(sinusoidal_2d(positions, 12, 50.0), torch.tensor(expected, dtype=torch.float64), atol=1e-9, rtol=0)


@pytest.mark.parametrize("new", [(3, 7), (16, 9), (2, 8)])
def test_interpolation_is_vit(new):
    old, patch = 4, 8
    theirs = ViTEmbeddings(ViTConfig(image_size=old * patch, patch_size=patch, hidden_size=6))
    torch.nn.init.normal_(theirs.position_embeddings)
    cells = torch.zeros(1, 1 + new[0] * new[1], 6)
    expected = theirs.interpolate_pos_encoding(cells, new[0] * patch, new[1] * patch)[0]
    table = theirs.position_embeddings[0].detach()
    ours = interpolate_grid(table, (old, old), new)
    assert_close(ours, expected.detach(), atol=0, rtol=0)
    assert ours.shape[0] == 1 + new[0] * new[1] and torch.equal(ours[0], table[0])  # the class row is no cell


@pytest.mark.parametrize("new", [(3, 7), (16, 9), (1, 4)])
def test_interpolation_with_aligned_corners_is_qwen3_vl(new):
    """Its text says nothing of it: `interpolation_align_corners` of the class, and the weights that it takes."""
    config = Qwen3VLVisionConfig(depth=1, hidden_size=8, intermediate_size=8, num_heads=1, num_position_embeddings=16)
    theirs = Qwen3VLVisionModel(config)
    cells, weights = get_vision_interpolation_indices_and_weights(
        torch.tensor([[1, *new]]), 4, theirs.interpolation_mode, theirs.interpolation_align_corners
    )
    table = torch.randn(16, 6)
    expected = (table[cells] * weights[..., None]).sum(1)
    assert_close(interpolate_grid(table, (4, 4), new, 0, "bilinear", align_corners=True), expected, atol=1e-6, rtol=0)


@pytest.mark.parametrize("window", [(2, 3), (1, 4)])
def test_window_bias_is_swin(window):
    theirs = SwinRelativePositionBias(H, window)
    torch.nn.init.normal_(theirs.relative_position_bias_table)
    cells = grid_positions(*window)
    n = len(cells)
    ours = WindowBias(H, *window)
    ours.load_state_dict({"table": theirs.relative_position_bias_table.detach().flip(0)})  # theirs is query - key
    q = k = torch.zeros(B, H, n, D)
    assert torch.equal(ours.bias(q, k, cells, cells), theirs()[0])
    batched = cells + torch.arange(B)[:, None, None]  # a window elsewhere in the image
    assert torch.equal(ours.bias(q, k, batched, batched), theirs().expand(B, -1, -1, -1))
    index = theirs.relative_position_index.view(n, n)
    relative = cells[None, :] - cells[:, None]
    assert torch.equal(window_index(-relative, *window), index)
    assert torch.equal(window_index(relative, *window), index.T)


def test_time2vec():
    encoding = Time2Vec(WIDTH)
    times = torch.tensor([[0.0, 257.5, -2049.0], [3.25, 1.0, 2.0]])
    w, phase = (p.tolist() for p in (encoding.frequency, encoding.phase))
    expected = [
        [[w[0] * t + phase[0]] + [math.sin(w[i] * t + phase[i]) for i in range(1, WIDTH)] for t in row]
        for row in times.tolist()
    ]
    assert_close(encoding(times).double(), torch.tensor(expected, dtype=torch.float64), atol=2e-3, rtol=1e-6)
    x = torch.randn(2, 3, WIDTH)
    assert_close(encoding.embed(x, times), x + encoding(times), atol=0, rtol=0)


def test_fourier_features():
    coordinates, projection = torch.rand(B, 7, 2), 5 * torch.randn(3, 2)
    ours = fourier_features(coordinates, projection)
    phase = 2 * math.pi * coordinates.double() @ projection.double().T
    assert_close(ours.double(), torch.cat([phase.cos(), phase.sin()], dim=-1), atol=2e-5, rtol=0)


X, CELLS = torch.zeros(B, H, 6, D), grid_positions(2, 3)
test_bad_input = refused(
    (lambda: grid_positions(0, 3), "height=0"),
    (lambda: grid_positions(3, -1), "width=-1"),
    (lambda: sinusoidal_2d(CELLS, 10), "dim=10 must be a multiple of 4"),
    (lambda: sinusoidal_2d(torch.arange(5), 12), r"positions has shape \(5,\); allowed: \(..., 2\)"),
    (lambda: interpolate_grid(torch.zeros(17, 3), (2, 7), (4, 4)), r"\(17, 3\).*\(15, d\)"),
    (lambda: interpolate_grid(torch.zeros(16, 3), (4, 4), (8, 8)), r"prefix=1 .*\(17, d\)"),
    (lambda: interpolate_grid(torch.zeros(17, 3), (4, 4), (0, 4)), r"new_size\[0\]=0"),
    (lambda: interpolate_grid(torch.zeros(17, 3), (4, 4, 1), (4, 4)), r"size=\(4, 4, 1\)"),
    (lambda: interpolate_grid(torch.zeros(17, 3), (4, 4), (8, 8), prefix=-1), "prefix=-1"),
    (lambda: interpolate_grid(torch.zeros(17, 3), (4, 4), (8, 8), mode="nearest"), "mode='nearest'"),
    (lambda: window_index(torch.zeros(3), 2, 3), "relative has shape"),
    (lambda: window_index(torch.zeros(3, 2), 2, 3), "relative has dtype torch.float32", TypeError),
    (lambda: WindowBias(H, 2, 2).bias(X, X, CELLS, CELLS), r"reaches \(1, 2\)"),
    (lambda: WindowBias(H, 2, 3).bias(X, X, CELLS.float(), CELLS), "q_positions has dtype .* integers", TypeError),
    (lambda: WindowBias(H + 1, 2, 3).bias(X, X, CELLS, CELLS), f"q has {H} heads, .* heads={H + 1}"),
    (lambda: WindowBias(H, 2, 3).bias(X, X, CELLS[:1], CELLS), r"\(1, 2\).* \(6, 2\) or \(4, 6, 2\)"),
    (lambda: Time2Vec(1), "dim=1 must be at least 2"),
    (lambda: Time2Vec(4)(torch.zeros(3).half()), "times has dtype torch.float16"),
    (lambda: Time2Vec(4).embed(torch.zeros(2, 3, 5), torch.zeros(3)), "x has width 5"),
    (lambda: fourier_features(torch.zeros(4, 3), torch.zeros(5, 2)), "coordinates has shape"),
)
