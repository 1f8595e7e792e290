"""M-RoPE: text, images and videos in one sequence, against Qwen2-VL's positions and plain float64.

How the models of Qwen2-VL and Qwen3-VL turn: test_rope_families.py.
"""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close
from transformers import Qwen2VLConfig
from transformers.models.qwen2_vl import modeling_qwen2_vl

from posenc_helpers.encodings.grid_rope import MultimodalRotaryEncoding, mrope_axes, mrope_positions
from posenc_helpers.encodings.rope import apply_rope, rotate_pairs
from tests.refused import refused

B, H, D = 4, 5, 16  # batch, heads and head width differ


@pytest.mark.parametrize("interleaved", [False, True])
def test_mrope_definition(interleaved):
    sections = [4, 2, 2] if interleaved else [3, 2, 3]
    axes = mrope_axes(sections, interleaved)
    assert axes.tolist() == ([0, 1, 2, 0, 1, 2, 0, 0] if interleaved else [0, 0, 0, 1, 1, 2, 2, 2])
    assert mrope_axes([2, 2, 1], interleaved=True).tolist() == [0, 1, 2, 0, 1]  # as many rows as fit
    ids = torch.tensor([[0, 257, 2049], [5, 1, 2], [9, 9, 9]])
    x = torch.randn(B, H, 3, D)
    angle = [[place[axes[i]] * 100.0 ** (-2 * i / D) for i in range(8)] for place in ids.tolist()]
    ours, _ = MultimodalRotaryEncoding(D, sections, 100.0, interleaved=interleaved).rotate(x, x, ids, ids)
    assert_close(
        ours.double(), rotate_pairs(x.double(), torch.tensor(angle, dtype=torch.float64), "half"), atol=2e-3, rtol=0
    )
    equal = ids[:, :1].expand(-1, 3)
    ordinary = apply_rope(x, ids[:, 0], 100.0, "half")
    encoding = MultimodalRotaryEncoding(D, sections, 100.0, interleaved=interleaved)
    assert torch.equal(encoding.rotate(x, x, equal, equal)[0], ordinary)


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


def test_mrope_takes_the_integers_of_numpy():
    ids, end = mrope_positions([np.int64(2), (np.int64(1), 2, 3)], start=np.int64(4))
    expected, expected_end = mrope_positions([2, (1, 2, 3)], start=4)
    assert torch.equal(ids, expected) and end == expected_end and type(end) is int


X, PLACES = torch.zeros(B, H, 6, D), torch.zeros(6, 2)
test_bad_input = refused(
    (lambda: mrope_axes([1, 2]), r"sections=\[1, 2\]"),
    (lambda: mrope_axes([-1, 2, 3]), "sections=-1"),
    (lambda: mrope_axes([1, 2, 1], interleaved=True), "a third of the pairs"),
    (lambda: mrope_axes([2, 1, 2], interleaved=True), "a third of the pairs"),
    (lambda: mrope_positions([0]), "parts=0"),
    (lambda: mrope_positions([(1, 0, 2)]), "parts=0"),
    (lambda: mrope_positions([(1, 2)]), r"parts has \(1, 2\)"),
    (lambda: mrope_positions([2.5]), r"parts has 2.5; allowed: .* tokens, or \(times, rows, columns\)"),
    (lambda: mrope_positions([3], start=-1), "start=-1"),
    (lambda: mrope_positions(5), "parts=5 must be a list", TypeError),
    (lambda: mrope_positions([(1, 2.5, 2)]), "parts=2.5 must be an integer", TypeError),
    (lambda: mrope_positions([True]), "parts=True must be an integer", TypeError),
    (lambda: mrope_positions([3], start=0.5), "start=0.5 must be an integer", TypeError),
    (lambda: MultimodalRotaryEncoding(D, [2, 3, 4]), "must sum to head_dim / 2 = 8"),
    (lambda: MultimodalRotaryEncoding(D, [2, 3, 3]).rotate(X, X, PLACES, PLACES), r"\(4, 6, 3\)"),
)
