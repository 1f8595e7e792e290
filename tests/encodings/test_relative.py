"""Relative positions: bias table, Shaw and T5 against Hugging Face and x-transformers, and against definitions."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close
from transformers import T5Config, Wav2Vec2BertConfig
from transformers.models.t5.modeling_t5 import T5Attention
from transformers.models.wav2vec2_bert.modeling_wav2vec2_bert import Wav2Vec2BertSelfAttention
from transformers.models.xlnet.modeling_xlnet import XLNetRelativeAttention
from x_transformers.x_transformers import RelativePositionBias

from posenc_helpers.encodings.relative import (
    RelativeBiasEncoding,
    ShawEncoding,
    T5Encoding,
    clipped_index,
    relative_positions,
    relative_shift,
    shaw_scores,
    shaw_scores_naive,
    shaw_scores_skewed,
    shaw_values,
    t5_buckets,
)
from posenc_helpers.transformer import attend, causal_mask
from tests.encodings.model_checks import heads_of, largest, randomised
from tests.refused import refused

DOUBLE = torch.float64


def test_relative_positions_keep_integers_exact_and_batches_apart():
    far = torch.tensor([2**24 + 1, 100_000], dtype=torch.int64)
    assert relative_positions(far, torch.tensor([2**24 + 2])).tolist() == [[1], [2**24 + 2 - 100_000]]
    assert relative_positions(torch.tensor([5], dtype=torch.uint8), torch.tensor([3], dtype=torch.uint8)).item() == -2
    assert relative_positions(torch.arange(3), torch.arange(8).view(2, 4)).shape == (2, 3, 4)
    assert relative_positions(torch.arange(6).view(2, 3), torch.arange(4)).shape == (2, 3, 4)
    assert relative_positions(torch.tensor([0.5]), torch.tensor([2])).item() == 1.5


@given(st.integers(1, 40), st.lists(st.integers(-300, 300), min_size=1, max_size=30))
def test_clipping_leaves_2k_plus_1_indices(k, relative):
    index = clipped_index(torch.tensor(relative), k)
    assert index.tolist() == [min(max(r, -k), k) + k for r in relative]
    assert clipped_index(torch.arange(-3 * k, 3 * k), k).unique().tolist() == list(range(2 * k + 1))


def test_bias_table_by_the_definition():
    encoding = randomised(RelativeBiasEncoding(3, 4), 1)
    q, k = torch.zeros(2, 3, 6, 8), torch.zeros(2, 3, 11, 8)
    bias = encoding.bias(q, k, 2049 + torch.arange(6), 2047 + torch.arange(11))
    for m in range(6):
        for n in range(11):
            distance = (2047 + n) - (2049 + m)
            assert torch.equal(bias[:, m, n], encoding.table[min(max(distance, -4), 4) + 4])
    assert encoding.table.numel() == (2 * 4 + 1) * 3


def shaw_by_definition(q, k, v, keys, values, index):
    """Eq. 3 and 4 of the paper, one pair at a time, in float64."""
    q, k, v, keys, values = (x.to(DOUBLE) for x in (q, k, v, keys, values))
    out = torch.zeros_like(q)
    for b, h, m in torch.cartesian_prod(*(torch.arange(size) for size in q.shape[:3])):
        scores = [q[b, h, m] @ (k[b, h, n] + keys[index[m, n]]) / math.sqrt(q.shape[-1]) for n in range(k.shape[2])]
        weights = torch.stack(scores).softmax(0)
        out[b, h, m] = sum(weights[n] * (v[b, h, n] + values[index[m, n]]) for n in range(k.shape[2]))
    return out


def test_shaw_by_the_definition():
    encoding = randomised(ShawEncoding(8, 3), 1)
    q, k, v = torch.randn(2, 3, 5, 8), torch.randn(2, 3, 9, 8), torch.randn(2, 3, 9, 8)
    q_positions, k_positions = torch.arange(260, 265), torch.arange(257, 266)
    index = (k_positions[None] - q_positions[:, None]).clamp(-3, 3) + 3
    expected = shaw_by_definition(q, k, v, encoding.key_table, encoding.value_table, index)
    ours = attend(q, k, v, q_positions, k_positions, encoding)
    assert_close(ours.to(DOUBLE), expected, atol=3e-6, rtol=1e-5)


def test_shaw_naive_looked_up_and_skewed_are_one():
    q, table, queries, keys = torch.randn(2, 3, 6, 8, dtype=DOUBLE), torch.randn(9, 8, dtype=DOUBLE), 6, 11
    index = clipped_index(relative_positions(torch.arange(keys - queries, keys), torch.arange(keys)), 4)
    naive = shaw_scores_naive(q, table, index)
    assert_close(shaw_scores(q, table, index), naive, atol=1e-14, rtol=1e-13)
    assert_close(shaw_scores_skewed(q, table, keys), naive, atol=1e-14, rtol=1e-13)
    weights = torch.rand(2, 3, 6, 11, dtype=DOUBLE)
    values = torch.einsum("bhmn,mnd->bhmd", weights, table[index])
    assert_close(shaw_values(weights, table, index), values, atol=1e-14, rtol=1e-13)


def test_shaw_builds_no_tensor_of_length_times_length_times_width():
    length, width = 96, 64
    q, table = torch.randn(1, 2, length, width), torch.randn(17, width)
    index = clipped_index(relative_positions(torch.arange(length), torch.arange(length)), 8)
    big = length * length * width
    assert largest(shaw_scores_naive, q, table, index) >= big
    for function, last in ((shaw_scores, index), (shaw_scores_skewed, length)):
        assert largest(function, q, table, last) <= 2 * 2 * length * (2 * length)  # heads x L x 2L, and the pad
    assert largest(shaw_values, torch.rand(1, 2, length, length), table, index) <= 2 * length * length


def test_shaw_keys_equal_wav2vec2_bert():
    reach = {"left_max_position_embeddings": 4, "right_max_position_embeddings": 4, "attention_dropout": 0.0}
    config = Wav2Vec2BertConfig(hidden_size=30, num_attention_heads=3, position_embeddings_type="relative_key", **reach)
    theirs = Wav2Vec2BertSelfAttention(config).eval()
    encoding = ShawEncoding(10, 4, values=False)
    encoding.load_state_dict({"key_table": theirs.distance_embedding.weight})
    x = torch.randn(2, 17, 30)
    q, k, v = (heads_of(x, linear, 3) for linear in (theirs.linear_q, theirs.linear_k, theirs.linear_v))
    ours = attend(q, k, v, 2049 + torch.arange(17), 2049 + torch.arange(17), encoding)
    assert_close(theirs.linear_out(ours.transpose(1, 2).flatten(-2)), theirs(x)[0], atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize(("queries", "keys"), [(1, 7), (5, 5), (4, 9)])
def test_relative_shift_by_the_definition(queries, keys):
    scores = torch.randn(2, 3, queries, queries + keys - 1)
    shifted = relative_shift(scores, keys)
    for m in range(queries):
        for n in range(keys):
            assert torch.equal(shifted[..., m, n], scores[..., m, n - m + queries - 1])
    past = relative_shift(scores[..., :keys], keys)  # columns up to relative position 0: right up to the query
    assert torch.equal(past[..., causal_mask(queries, keys)], shifted[..., causal_mask(queries, keys)])


def test_relative_shift_equals_xlnet():
    scores = torch.randn(2, 3, 5, 5 + 9)  # XLNet's distances run from L_k down to 1 - L_q: one column more on the left
    theirs = XLNetRelativeAttention.rel_shift_bnij(scores, klen=9)
    assert torch.equal(relative_shift(scores[..., 1:], 9), theirs)


RELATIVE = torch.cat([torch.arange(-2100, 2101), torch.tensor([-100_000, 100_000])])
SETTINGS = [(32, 128), (16, 16), (8, 12), (320, 800), (4, 3), (20, 77)]


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(("num_buckets", "max_distance"), SETTINGS)
def test_t5_buckets(num_buckets, max_distance, bidirectional):
    ours = t5_buckets(RELATIVE, num_buckets, max_distance, bidirectional)
    assert torch.equal(ours, T5Attention._relative_position_bucket(RELATIVE, bidirectional, num_buckets, max_distance))
    theirs = RelativePositionBias._relative_position_bucket(RELATIVE, not bidirectional, num_buckets, max_distance)
    assert torch.equal(ours, theirs)


def test_t5_defaults_are_hugging_faces():
    assert torch.equal(t5_buckets(RELATIVE), T5Attention._relative_position_bucket(RELATIVE))
    encoding, positions = T5Encoding(8), 2049 + torch.arange(41)
    q = torch.zeros(1, 8, 41, 4)
    index = t5_buckets(relative_positions(positions, positions))
    assert torch.equal(encoding.bias(q, q, positions, positions), encoding.table[index].movedim(-1, 0))


@pytest.mark.parametrize("is_decoder", [False, True])
def test_t5_layer_with_copied_weights(is_decoder):
    buckets = {"relative_attention_num_buckets": 12, "relative_attention_max_distance": 20, "dropout_rate": 0.0}
    config = T5Config(d_model=30, d_kv=10, num_heads=3, is_decoder=is_decoder, **buckets)
    theirs = T5Attention(config, has_relative_attention_bias=True, layer_idx=0).eval()
    encoding = T5Encoding(3, 12, 20, bidirectional=not is_decoder)
    encoding.load_state_dict({"table": theirs.relative_attention_bias.weight})
    x, positions = torch.randn(2, 41, 30), 2049 + torch.arange(41)
    q, k, v = (heads_of(x, linear, 3) for linear in (theirs.q, theirs.k, theirs.v))
    q = q * math.sqrt(10)  # T5 has no 1 / sqrt(d_head)
    mask = causal_mask(41, 41) if is_decoder else None
    additive = None if mask is None else torch.zeros(41, 41).masked_fill(~mask, -1e30)[None, None]
    ours = attend(q, k, v, positions, positions, encoding, mask)
    expected = theirs(x, mask=additive)[0]
    assert_close(theirs.o(ours.transpose(1, 2).flatten(-2)), expected, atol=2e-6, rtol=1e-5)


Q, K, P = torch.zeros(2, 3, 4, 8), torch.zeros(2, 3, 5, 8), torch.arange(5)
test_bad_input_is_named = refused(
    (lambda: relative_positions([1], P), "q_positions must be a torch.Tensor", TypeError),
    (lambda: relative_positions(P, P.to(torch.float16)), "k_positions has dtype torch.float16"),
    (lambda: clipped_index(P, 0), "max_distance=0"),
    (lambda: clipped_index(P.float(), 3), "relative has dtype torch.float32", TypeError),
    (lambda: relative_shift(torch.zeros(3, 5), 6), "5 columns; allowed for 3 queries and keys=6: 8 or 6"),
    (lambda: relative_shift(torch.zeros(3, 5), 0), "keys=0"),
    (lambda: shaw_scores_skewed(Q, torch.zeros(3, 8), 3), "keys=3 must be at least 4"),
    (lambda: t5_buckets(P, 7), "num_buckets=7 must be even"),
    (lambda: t5_buckets(P, 1, bidirectional=False), "num_buckets=1 must be at least 2"),
    (lambda: t5_buckets(P, 32, 8), "max_distance=8 must be at least 9"),
    (lambda: t5_buckets(P.float()), "relative has dtype torch.float32", TypeError),
    (lambda: RelativeBiasEncoding(4, 3).bias(Q, K, P[:4], P), "q has 3 heads.*heads=4"),
    (lambda: T5Encoding(3).bias(Q, K, P, P), r"q_positions has shape \(5,\).*\(4,\) or \(2, 4\)"),
    (lambda: T5Encoding(3).bias(Q, K, P[:4], P[None]), r"k_positions has shape \(1, 5\)"),
    (lambda: T5Encoding(3).bias(Q[0], K, P[:4], P), r"q has shape \(3, 4, 8\)"),
    (lambda: ShawEncoding(6, 3).bias(Q, K, P[:4], P), "q has head width 8.*head_dim=6"),
)
