"""Positions on grids and in time against Hugging Face's vision models, positional-encodings and plain float64."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from positional_encodings.torch_encodings import PositionalEncoding2D
from rotary_embedding_torch import RotaryEmbedding as RotaryEmbeddingTorch
from rotary_embedding_torch import apply_rotary_emb
from torch.testing import assert_close
from transformers import (
    DINOv3ViTConfig,
    PixtralVisionConfig,
    Qwen2VLConfig,
    Qwen3VLTextConfig,
    Qwen3VLVisionConfig,
    ViTConfig,
)
from transformers.models.detr.modeling_detr import DetrSinePositionEmbedding
from transformers.models.dinov3_vit import modeling_dinov3_vit
from transformers.models.pixtral.modeling_pixtral import PixtralVisionRotaryEmbedding
from transformers.models.qwen2_vl import modeling_qwen2_vl
from transformers.models.qwen3_vl.modeling_qwen3_vl import Qwen3VLTextRotaryEmbedding, Qwen3VLVisionModel
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
from posenc_helpers.encodings.grid_rope import (
    AxialRotaryEncoding,
    MultimodalRotaryEncoding,
    axial_angles,
    axial_frequencies,
    mixed_angles,
    mrope_axes,
    mrope_positions,
    patch_centres,
)
from posenc_helpers.encodings.rope import LAYOUTS, RotaryEncoding, XPosEncoding, apply_rope, rotate_pairs
from posenc_helpers.encodings.rope_variants import WarmRotaryEncoding
from posenc_helpers.transformer import TinyTransformer, attend
from tests.encodings.model_checks import BATCH, HEAD_DIM, HEADS, WIDTH

# Rows and columns differ, so that swapping them shows; so do batch, heads, cells and head width.
ROWS, COLUMNS, B, H, D = 2, 3, 4, 5, 16


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(13)


def turn_pairs(x, angle, layout="half"):
    """Turn each pair of x (..., n, d_head) by angle (n, pairs) as complex numbers in float64."""
    x = x.double()
    if layout == "half":
        z = torch.complex(*x.chunk(2, dim=-1)) * torch.polar(torch.ones_like(angle), angle)
        return torch.cat([z.real, z.imag], dim=-1)
    z = torch.complex(x[..., 0::2], x[..., 1::2]) * torch.polar(torch.ones_like(angle), angle)
    return torch.stack([z.real, z.imag], dim=-1).flatten(-2)


# ---------------------------------------------------------------- sums: 2-D sinusoid, learned grids


def test_grid_positions_list_row_by_row():
    expected = [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    assert grid_positions(2, 3).tolist() == expected
    image = torch.arange(6).view(2, 3)
    assert [image[tuple(place)].item() for place in expected] == image.flatten().tolist()


def test_sinusoidal_2d_is_positional_encodings():
    ours = sinusoidal_2d(grid_positions(5, 7), 12).view(5, 7, 12)
    assert_close(ours, PositionalEncoding2D(12)(torch.zeros(1, 5, 7, 12))[0], atol=1e-6, rtol=0)


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


@pytest.mark.parametrize("new", [(3, 7), (16, 9), (14, 14), (2, 8)])
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


@pytest.mark.parametrize("new", [(3, 7), (16, 9), (1, 4), (4, 4)])
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


def test_which_cells_are_lined_up():
    table = torch.tensor([[0.0], [1.0]])
    edges, corners = (interpolate_grid(table, (1, 2), (1, 4), 0, "bilinear", aligned).flatten() for aligned in (False, True))
    assert_close(edges, torch.tensor([0, 0.25, 0.75, 1]))
    assert_close(corners, torch.tensor([0, 1 / 3, 2 / 3, 1]))


def bicubic(signal, size, a=-0.75):
    """Resize a list by cubic convolution (Keys 1981) with half-pixel centres and repeated borders, in float64."""

    def weight(t):
        t = abs(t)
        if t <= 1:
            return (a + 2) * t**3 - (a + 3) * t**2 + 1
        return a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a if t < 2 else 0.0

    out = []
    for index in range(size):
        place = (index + 0.5) * len(signal) / size - 0.5
        near = math.floor(place)
        taps = range(near - 1, near + 3)
        out.append(sum(signal[min(max(tap, 0), len(signal) - 1)] * weight(place - tap) for tap in taps))
    return out


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 9), st.integers(1, 9), st.integers(0, 3))
def test_interpolation_definition(height, width, new_height, new_width, prefix):
    table = torch.randn(prefix + height * width, 2, dtype=torch.float64)
    ours = interpolate_grid(table, (height, width), (new_height, new_width), prefix)
    grid = table[prefix:].view(height, width, 2)
    rows = torch.stack([torch.stack(bicubic(list(column), new_width)) for column in grid])  # first along the columns
    cells = torch.stack([torch.stack(bicubic(list(column), new_height)) for column in rows.transpose(0, 1)], dim=1)
    assert_close(ours[prefix:], cells.flatten(0, 1), atol=1e-10, rtol=0)
    assert torch.equal(ours[:prefix], table[:prefix])


def test_interpolation_of_another_shape_with_as_many_cells():
    table = torch.randn(17, 3)
    resized = interpolate_grid(table, (4, 4), (2, 8))
    assert (resized - table).abs().max() > 0.1
    assert torch.equal(interpolate_grid(table, (4, 4), (4, 4)), table)


# ---------------------------------------------------------------- bias: Swin


@pytest.mark.parametrize("window", [(2, 3), (7, 7), (1, 4)])
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


def test_window_index_definition():
    """Every relative place has a row of its own, and only one."""
    height, width = 3, 5
    places = [(dy, dx) for dy in range(-height + 1, height) for dx in range(-width + 1, width)]
    assert window_index(torch.tensor(places), height, width).tolist() == list(range((2 * height - 1) * (2 * width - 1)))
    for outside in ((3, 0), (0, 5), (-3, 0), (0, -5)):
        with pytest.raises(ValueError, match="window of 3 x 5"):
            window_index(torch.tensor([outside]), height, width)


# ---------------------------------------------------------------- axial RoPE


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("variant", ["shared", "alternating"])
def test_axial_definition(variant, layout):
    positions = torch.tensor([[0, 257], [2049, 3], [12, 0], [1, 2]])
    x = torch.randn(B, H, 4, D)
    steps = {"shared": [0, 4, 8, 12, 0, 4, 8, 12], "alternating": [0, 4, 8, 12, 2, 6, 10, 14]}[variant]
    # The row turns pairs 0 to 3, the column pairs 4 to 7.
    angle = [[place[pair // 4] * 700.0 ** (-steps[pair] / D) for pair in range(8)] for place in positions.tolist()]
    expected = turn_pairs(x, torch.tensor(angle, dtype=torch.float64), layout)
    encoding = AxialRotaryEncoding(D, 700.0, layout, variant)
    ours, _ = encoding.rotate(x, x, positions, positions)
    assert_close(ours.double(), expected, atol=3e-3, rtol=0)
    doubled = encoding.rotate(x.double(), x.double(), positions.double(), positions.double())[0]
    assert_close(doubled, expected, atol=1e-9, rtol=0)
    batched = positions.expand(B, -1, -1)
    assert torch.equal(encoding.rotate(x, x, batched, batched)[1], ours)


def test_axial_is_qwen2_vl_vision():
    config = Qwen2VLConfig().vision_config
    config.embed_dim, config.num_heads = D * H, H
    config.num_attention_heads = H
    theirs = modeling_qwen2_vl.Qwen2VLVisionRotaryEmbedding(config)
    cells = grid_positions(ROWS, COLUMNS) + torch.tensor([257, 2049])
    x = torch.randn(len(cells), H, D)
    cos, sin = theirs(x, cells)
    expected, _ = modeling_qwen2_vl.apply_rotary_pos_emb_vision(x, x, cos, sin)
    encoding = AxialRotaryEncoding(D, config.rope_parameters["rope_theta"])
    ours, _ = encoding.rotate(x.transpose(0, 1)[None], x.transpose(0, 1)[None], cells, cells)
    assert_close(ours[0].transpose(0, 1), expected, atol=2e-3, rtol=0)
    small = grid_positions(ROWS, COLUMNS)
    angle = axial_angles(small, axial_frequencies(D, config.rope_parameters["rope_theta"]))
    assert_close(torch.cat([angle, angle], -1).cos(), theirs(x, small)[0], atol=1e-6, rtol=0)


def test_axial_is_pixtral():
    config = PixtralVisionConfig(hidden_size=D * H, num_attention_heads=H)
    theirs = PixtralVisionRotaryEmbedding(config)
    cells = grid_positions(ROWS, COLUMNS)
    cos, sin = theirs(torch.zeros(1), cells)
    angle = axial_angles(cells, axial_frequencies(D, config.rope_parameters["rope_theta"], "alternating"))
    assert_close(torch.cat([angle, angle], -1).cos(), cos, atol=1e-6, rtol=0)
    assert_close(torch.cat([angle, angle], -1).sin(), sin, atol=1e-6, rtol=0)


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


def test_patch_centres():
    assert_close(patch_centres(2, 4), torch.cartesian_prod(torch.tensor([-0.5, 0.5]), torch.tensor([-3, -1, 1, 3]) / 4))


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


@pytest.mark.parametrize(
    "encoding",
    [AxialRotaryEncoding(HEAD_DIM), AxialRotaryEncoding(HEAD_DIM, variant="alternating")],
    ids=["shared", "alternating"],
)
def test_grid_rope_in_a_model_sees_places_relative_to_each_other(encoding):
    model = TinyTransformer(7, WIDTH, HEADS, encoding=encoding, causal=False, embedding_std=1.0).double().eval()
    tokens = torch.randint(7, (BATCH, ROWS * COLUMNS))
    cells = grid_positions(ROWS, COLUMNS).double()
    with torch.no_grad():
        here = model(tokens, cells)
        assert_close(model(tokens, cells + torch.tensor([257.0, 2049.0])), here, atol=1e-9, rtol=0)
        assert_close(model(tokens, cells.expand(BATCH, -1, -1)), here, atol=1e-12, rtol=0)
        assert (model(tokens, cells.flip(-1)) - here).abs().max() > 0.01  # rows and columns are not the same
        assert (model(tokens, cells * 2) - here).abs().max() > 0.01


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


# ---------------------------------------------------------------- M-RoPE


def test_mrope_is_qwen2_vl_text():
    config = Qwen2VLConfig().text_config
    sections = [2, 3, 3]
    config.head_dim = D
    config.rope_parameters = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": sections}
    theirs = modeling_qwen2_vl.Qwen2VLRotaryEmbedding(config)
    ids = torch.randint(0, 2050, (B, 6, 3))
    q, k = torch.randn(B, H, 6, D), torch.randn(B, 1, 6, D)
    expected = modeling_qwen2_vl.apply_rotary_pos_emb(q, k, *theirs(q, ids.permute(2, 0, 1)))
    ours = MultimodalRotaryEncoding(D, sections, 1e6).rotate(q, k, ids, ids)
    assert_close(ours, expected, atol=2e-3, rtol=0)


def test_mrope_is_qwen3_vl_text():
    rope = {"rope_type": "default", "rope_theta": 5e6, "mrope_section": [4, 2, 2], "mrope_interleaved": True}
    config = Qwen3VLTextConfig(hidden_size=D * H, num_attention_heads=H, head_dim=D, rope_parameters=rope)
    theirs = Qwen3VLTextRotaryEmbedding(config)
    ids = torch.randint(0, 2050, (B, 6, 3))
    q = torch.randn(B, H, 6, D)
    expected, _ = modeling_qwen2_vl.apply_rotary_pos_emb(q, q, *theirs(q, ids.permute(2, 0, 1)))
    ours, _ = MultimodalRotaryEncoding(D, [4, 2, 2], 5e6, interleaved=True).rotate(q, q, ids, ids)
    assert_close(ours, expected, atol=2e-3, rtol=0)


@pytest.mark.parametrize("interleaved", [False, True])
def test_mrope_definition(interleaved):
    axes = mrope_axes([3, 2, 3] if not interleaved else [4, 2, 2], interleaved)
    assert axes.tolist() == ([0, 1, 2, 0, 1, 2, 0, 0] if interleaved else [0, 0, 0, 1, 1, 2, 2, 2])
    ids = torch.tensor([[0, 257, 2049], [5, 1, 2], [9, 9, 9]])
    x = torch.randn(B, H, 3, D)
    angle = [[place[axes[i]] * 100.0 ** (-2 * i / D) for i in range(8)] for place in ids.tolist()]
    sections = [4, 2, 2] if interleaved else [3, 2, 3]
    ours, _ = MultimodalRotaryEncoding(D, sections, 100.0, interleaved=interleaved).rotate(x, x, ids, ids)
    assert_close(ours.double(), turn_pairs(x, torch.tensor(angle, dtype=torch.float64)), atol=2e-3, rtol=0)
    equal = ids[:, :1].expand(-1, 3)
    ordinary = apply_rope(x, ids[:, 0], 100.0, "half")
    encoding = MultimodalRotaryEncoding(D, sections, 100.0, interleaved=interleaved)
    assert torch.equal(encoding.rotate(x, x, equal, equal)[0], ordinary)


@settings(max_examples=60, deadline=None)
@given(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)))
def test_mrope_sections_are_counts(sections):
    assert mrope_axes(sections).bincount(minlength=3).tolist() == list(sections)
    try:
        axes = mrope_axes(sections, interleaved=True)
    except ValueError:
        assert 3 * max(sections[1:]) > sum(sections)
    else:
        assert axes.bincount(minlength=3).tolist() == list(sections)
        assert (axes.eq(1).nonzero() % 3 == 1).all() and (axes.eq(2).nonzero() % 3 == 2).all()


def test_mrope_scaling_follows_the_largest_coordinate():
    encoding = MultimodalRotaryEncoding(D, [2, 3, 3], scaling=lambda w, length: w / length)
    ids = torch.tensor([[[0, 0, 0], [1, 7, 2]], [[0, 0, 0], [1, 2, 3]]])
    x = torch.randn(2, H, 2, D)
    for row, length in ((0, 8), (1, 4)):
        fixed = MultimodalRotaryEncoding(D, [2, 3, 3], scaling=lambda w, _, length=length: w / length)
        expected = fixed.rotate(x[row : row + 1], x[row : row + 1], ids[row], ids[row])[0]
        assert torch.equal(encoding.rotate(x, x, ids, ids)[0][row : row + 1], expected)


def their_ids(parts, merge=2):
    """Ask Qwen2-VL for the ids of text (counts) and images or videos (times, rows, columns after merging)."""
    model = modeling_qwen2_vl.Qwen2VLModel.__new__(modeling_qwen2_vl.Qwen2VLModel)
    torch.nn.Module.__init__(model)
    model.config = Qwen2VLConfig()
    model.config.vision_config.spatial_merge_size = merge
    kinds, images, videos = [], [], []
    for part in parts:
        if isinstance(part, int):
            kinds += [0] * part
            continue
        times, rows, columns = part
        kinds += [1 if times == 1 else 2] * (times * rows * columns)
        (images if times == 1 else videos).append([times, rows * merge, columns * merge])
    kinds = torch.tensor([kinds])
    ids, delta = model.get_rope_index(
        torch.zeros_like(kinds), kinds,
        torch.tensor(images) if images else None, torch.tensor(videos) if videos else None,
    )  # fmt: skip
    return ids[:, 0].T, int(delta)


@pytest.mark.parametrize(
    "parts",
    [[5], [3, (1, 2, 3), 4], [(1, 4, 2), 1], [2, (3, 2, 4), 5, (1, 3, 1), 2], [1, (2, 2, 3)]],
    ids=["text", "image", "image first", "video and image", "video last"],
)
def test_mrope_positions_are_qwen2_vl(parts):
    ids, following = mrope_positions(parts)
    expected, delta = their_ids(parts)
    assert torch.equal(ids, expected)
    assert following == len(ids) + delta  # what decoding goes on with


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.integers(1, 4) | st.tuples(st.integers(1, 6), st.integers(1, 4), st.integers(1, 4)), min_size=1, max_size=5
    ),
    st.integers(0, 300),
)
def test_mrope_positions_never_overlap(parts, start):
    """The paper's rule: what follows starts one behind the largest id so far, long videos included."""
    ids, following = mrope_positions(parts, start)
    assert following == ids.max() + 1
    first = start
    for part in parts:
        count = part if isinstance(part, int) else math.prod(part)
        here, ids = ids[:count], ids[count:]
        assert here.min() == first and torch.equal(here[0], torch.full((3,), first))
        if isinstance(part, int):
            assert torch.equal(here, torch.arange(first, first + part)[:, None].expand(-1, 3))
        else:
            places = [(t, r, c) for t in range(part[0]) for r in range(part[1]) for c in range(part[2])]
            assert here.tolist() == [[first + number for number in place] for place in places]
        first = int(here.max()) + 1
    assert len(ids) == 0


# ---------------------------------------------------------------- time and coordinates


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
    assert encoding.embed(x, times[0]).shape == x.shape
    assert sum(p.numel() for p in encoding.parameters()) == 2 * WIDTH
    encoding(times).square().sum().backward()
    assert encoding.frequency.grad.abs().min() > 0 and encoding.phase.grad.abs().min() > 0
    low = encoding.bfloat16().embed(x.bfloat16(), times)
    assert low.dtype is torch.bfloat16


def test_fourier_features():
    coordinates, projection = torch.rand(B, 7, 2), 5 * torch.randn(3, 2)
    ours = fourier_features(coordinates, projection)
    phase = 2 * math.pi * coordinates.double() @ projection.double().T
    assert_close(ours.double(), torch.cat([phase.cos(), phase.sin()], dim=-1), atol=2e-5, rtol=0)
    # The kernel depends on the difference of places only.
    moved = fourier_features(coordinates + torch.tensor([0.25, -3.0]), projection)
    assert_close(moved @ moved.transpose(-2, -1), ours @ ours.transpose(-2, -1), atol=2e-4, rtol=0)


# ---------------------------------------------------------------- rules and bad input


@pytest.mark.parametrize(
    ("make", "coordinates"),
    [
        (lambda: AxialRotaryEncoding(HEAD_DIM), 2),
        (lambda: MultimodalRotaryEncoding(HEAD_DIM, [2, 1, 1]), 3),
        (lambda: WindowBias(HEADS, 300, 400), 2),
    ],
    ids=["axial", "M-RoPE", "window"],
)
def test_compile_export_and_low_precision(make, coordinates):
    encoding = make()
    positions = torch.tensor([256, 257, 3, 20]).float()[:, None] + torch.arange(coordinates) * 17
    positions = positions.long()

    class Doors(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.encoding = encoding

        def forward(self, q, k, positions):
            bias = self.encoding.bias(q, k, positions, positions)
            return self.encoding.rotate(q, k, positions, positions) + (() if bias is None else (bias,))

    q, k = torch.randn(BATCH, HEADS, 4, HEAD_DIM), torch.randn(BATCH, HEADS, 4, HEAD_DIM)
    plain = Doors()(q, k, positions)
    compiled = torch.compile(Doors(), backend="eager", fullgraph=True)(q, k, positions)
    exported = torch.export.export(Doors(), (q, k, positions)).module()(q, k, positions)
    for one, two, three in zip(plain, compiled, exported, strict=True):
        assert_close(one, two, atol=2e-6, rtol=0)
        assert_close(one, three, atol=2e-6, rtol=0)
    assert not list(encoding.buffers())
    low = Doors().bfloat16()(q.bfloat16(), k.bfloat16(), positions)
    assert all(part.dtype is torch.bfloat16 for part in low)
    for one, two in zip(plain[:2], low[:2], strict=True):
        assert_close(two.float(), one, atol=0.05, rtol=0.02)


X = torch.zeros(B, H, ROWS * COLUMNS, D)
CELLS = grid_positions(ROWS, COLUMNS)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: grid_positions(0, 3), "height=0"),
        (lambda: grid_positions(3, -1), "width=-1"),
        (lambda: sinusoidal_2d(CELLS, 10), "dim=10 must be a multiple of 4"),
        (lambda: sinusoidal_2d(torch.arange(5), 12), r"positions has shape \(5,\); allowed: \(..., 2\)"),
        (lambda: sinusoidal_2d(CELLS, 12, layout="halves"), "layout='halves'"),
        (lambda: interpolate_grid(torch.zeros(17, 3), (2, 7), (4, 4)), r"\(17, 3\).*\(15, d\)"),
        (lambda: interpolate_grid(torch.zeros(16, 3), (4, 4), (8, 8)), r"prefix=1 .*\(17, d\)"),
        (lambda: interpolate_grid(torch.zeros(17, 3), (4, 4), (0, 4)), r"new_size\[0\]=0"),
        (lambda: interpolate_grid(torch.zeros(17, 3), (4, 4, 1), (4, 4)), r"size=\(4, 4, 1\)"),
        (lambda: interpolate_grid(torch.zeros(17, 3), (4, 4), (8, 8), prefix=-1), "prefix=-1"),
        (lambda: interpolate_grid(torch.zeros(17, 3), (4, 4), (8, 8), mode="nearest"), "mode='nearest'"),
        (lambda: window_index(torch.zeros(3), 2, 3), "relative has shape"),
        (lambda: WindowBias(0, 2, 3), "heads=0"),
        (lambda: WindowBias(H, 0, 3), "height=0"),
        (lambda: WindowBias(H, 2, 3).bias(X, X, torch.arange(6), CELLS), "q_positions has shape"),
        (lambda: WindowBias(H, 2, 2).bias(X, X, CELLS, CELLS), r"reaches \(1, 2\)"),
        (lambda: WindowBias(H + 1, 2, 3).bias(X, X, CELLS, CELLS), f"q has {H} heads, .* heads={H + 1}"),
        (lambda: WindowBias(H, 2, 3).bias(X, X, CELLS[:1], CELLS), r"q_positions .*\(1, 2\).* \(6, 2\) or \(4, 6, 2\)"),
        (lambda: WindowBias(H, 2, 3).bias(X, X[0], CELLS, CELLS), r"k has shape \(5, 6, 16\)"),
        (lambda: attend(X, X, X, CELLS[:1], CELLS[:1], WindowBias(H, 2, 3)), "q_positions has shape"),
        (lambda: axial_frequencies(10), "head_dim=10 must be a multiple of 4"),
        (lambda: axial_frequencies(D, variant="mixed"), "variant='mixed'.*'shared', 'alternating'"),
        (lambda: axial_angles(torch.zeros(5, 3), axial_frequencies(D)), r"allowed: \(..., 2\)"),
        (lambda: AxialRotaryEncoding(10), "head_dim=10"),
        (lambda: AxialRotaryEncoding(D, base=0.0), "base=0.0"),
        (lambda: AxialRotaryEncoding(D, widths=(8, 4)), r"widths=\[8, 4\] must sum to head_dim=16"),
        (lambda: AxialRotaryEncoding(D, widths=(9, 7)), "widths=9 must be even"),
        (lambda: AxialRotaryEncoding(D, variant="alternating", widths=(8, 8)), "with variant='shared'"),
        (lambda: AxialRotaryEncoding(D, widths=(8, 4, 4)).rotate(X, X, CELLS, CELLS), r"\(6, 3\) or \(4, 6, 3\)"),
        (lambda: AxialRotaryEncoding(D).rotate(X, X, torch.arange(6), CELLS), r"\(6,\); .*\(6, 2\) or \(4, 6, 2\)"),
        (lambda: AxialRotaryEncoding(D).rotate(X.transpose(1, 2), X, CELLS, CELLS), r"pass x.transpose\(1, 2\)"),
        (lambda: mixed_angles(torch.zeros(5, 3), torch.zeros(2, 8)), r"allowed: \(..., 2\)"),
        (lambda: mrope_axes([1, 2]), r"sections=\[1, 2\]"),
        (lambda: mrope_axes([-1, 2, 3]), "sections=-1"),
        (lambda: mrope_axes([2, 3, 3], interleaved=True), "a third of the pairs"),
        (lambda: mrope_positions([0]), "parts=0"),
        (lambda: mrope_positions([(1, 0, 2)]), "parts=0"),
        (lambda: mrope_positions([(1, 2)]), r"parts has \(1, 2\)"),
        (lambda: mrope_positions([2.5]), r"parts has 2.5; allowed: a number of tokens, or \(times, rows, columns\)"),
        (lambda: mrope_positions([3, None]), "parts has None"),
        (lambda: mrope_positions([(5,)]), r"parts has \(5,\)"),
        (lambda: mrope_positions([3], start=-1), "start=-1"),
        (lambda: MultimodalRotaryEncoding(D, [2, 3, 4]), "must sum to head_dim / 2 = 8"),
        (lambda: MultimodalRotaryEncoding(D, [2, 3, 3]).rotate(X, X, CELLS, CELLS), r"\(6, 3\) or \(4, 6, 3\)"),
        (lambda: Time2Vec(1), "dim=1 must be at least 2"),
        (lambda: Time2Vec(4)(torch.zeros(3).half()), "times has dtype torch.float16"),
        (lambda: Time2Vec(4).embed(torch.zeros(2, 3, 5), torch.zeros(3)), "x has width 5"),
        (lambda: fourier_features(torch.zeros(4, 3), torch.zeros(5, 2)), "coordinates has shape"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: WindowBias(H, 2, 3).bias(X, X, CELLS.float(), CELLS), "q_positions has dtype torch.float32.* integers"),
        (lambda: window_index(torch.zeros(3, 2), 2, 3), "relative has dtype torch.float32"),
        (lambda: mrope_positions(5), "parts=5 must be a list"),
        (lambda: mrope_positions([(1, 2.5, 2)]), "parts=2.5 must be an integer"),
        (lambda: mrope_positions([True]), "parts=True must be an integer"),
        (lambda: mrope_positions([3], start=0.5), "start=0.5 must be an integer"),
    ],
)
def test_bad_types(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_mrope_takes_the_integers_of_numpy():
    ids, end = mrope_positions([np.int64(2), (np.int64(1), 2, 3)], start=np.int64(4))
    expected, expected_end = mrope_positions([2, (1, 2, 3)], start=4)
    assert torch.equal(ids, expected) and end == expected_end and type(end) is int


@pytest.mark.parametrize(
    ("widths", "model"), [((24, 20, 20), "Wan, 64"), ((44, 42, 42), "Wan, 128"), ((16, 56, 56), "Flux"), ((2, 4, 6, 8), "-")]
)
def test_widths_of_axes_are_those_of_wan_and_flux(widths, model):
    """Their code: for each axis 1 / theta^(arange(0, width, 2) / width), outer with its positions, side by side as complex
    numbers that turn neighbouring columns."""
    positions = torch.randint(0, 50, (7, len(widths)))
    turns = []
    for axis, width in enumerate(widths):
        speed = 1.0 / 10000.0 ** (torch.arange(0, width, 2, dtype=torch.float64) / width)
        turns.append(torch.outer(positions[:, axis].double(), speed))
    turn = torch.polar(torch.ones(7, sum(widths) // 2, dtype=torch.float64), torch.cat(turns, dim=1))
    q = torch.randn(B, H, 7, sum(widths))
    encoding = AxialRotaryEncoding(sum(widths), layout="interleaved", widths=widths)
    expected = torch.view_as_real(torch.view_as_complex(q.double().unflatten(-1, (-1, 2))) * turn).flatten(-2)
    assert encoding.coordinates == (len(widths),)
    assert_close(encoding.rotate(q, q, positions, positions)[0].double(), expected, atol=2e-5, rtol=0)


def test_two_equal_widths_are_the_shared_variant():
    x = torch.randn(B, H, 6, D)
    expected = AxialRotaryEncoding(D).rotate(x, x, CELLS, CELLS)[0]
    assert torch.equal(AxialRotaryEncoding(D, widths=(D // 2, D // 2)).rotate(x, x, CELLS, CELLS)[0], expected)


def subclasses(kind: type) -> set[type]:
    return {kind}.union(*map(subclasses, kind.__subclasses__()))


PUBLIC = [
    RotaryEncoding(D, base=50.0),
    RotaryEncoding(D, rotary_dim=6),
    RotaryEncoding(D, scaling=lambda w, length: w / 3, attention_factor=1.5),
    XPosEncoding(D),
    WarmRotaryEncoding(D, beta=0.1, length=8192),
    AxialRotaryEncoding(D),
    AxialRotaryEncoding(64, variant="alternating"),
    AxialRotaryEncoding(D, layout="interleaved", widths=(8, 2, 6)),
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


def test_every_rotary_encoding_of_the_package_is_asked_for_its_frequencies():
    kinds = (kind for kind in subclasses(RotaryEncoding) if kind.__module__.startswith("posenc_helpers.encodings."))
    assert {kind.__name__ for kind in kinds} == {type(encoding).__name__ for encoding in PUBLIC}


def test_one_dimensional_rope_refuses_coordinates():
    with pytest.raises(ValueError, match=r"positions has shape \(6, 2\)"):
        RotaryEncoding(D).rotate(X, X, CELLS, CELLS)
