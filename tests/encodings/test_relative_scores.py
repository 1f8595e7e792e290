"""Transformer-XL and DeBERTa against Hugging Face's XLNet and DeBERTa v1, and definitions."""

import pytest
import torch
from torch.testing import assert_close
from transformers import DebertaConfig, XLNetConfig, XLNetModel
from transformers.models.deberta import modeling_deberta

from posenc_helpers.encodings.relative import relative_positions
from posenc_helpers.encodings.relative_scores import (
    DebertaEncoding,
    TransformerXLEncoding,
    deberta_scores,
    distance_scores,
    from_first_key,
)
from posenc_helpers.encodings.sinusoidal import sinusoidal
from posenc_helpers.transformer import attend, causal_mask
from tests.encodings.model_checks import heads_of, largest, randomised
from tests.refused import refused

DOUBLE = torch.float64


@pytest.mark.parametrize("start", [0, 100_000])
def test_distance_scores_by_the_definition(start):
    x, projection = torch.randn(2, 3, 5, 8), torch.randn(3, 8, 24)
    q_positions, k_positions = start + torch.arange(6, 11), start + torch.arange(11)
    distance = -relative_positions(q_positions, k_positions)  # query minus key
    code = sinusoidal(distance.to(DOUBLE), 24, layout="half")  # (L_q, L_k, width), in float64
    expected = torch.einsum("bhmd,hdw,mnw->bhmn", x.to(DOUBLE), projection.to(DOUBLE), code)
    ours = distance_scores(x, projection, q_positions, k_positions)
    assert_close(ours.to(DOUBLE), expected, atol=3e-5, rtol=0)
    exact = distance_scores(x.to(DOUBLE), projection.to(DOUBLE), q_positions.to(DOUBLE), k_positions.to(DOUBLE))
    assert_close(exact, expected, atol=1e-11, rtol=0)


def test_no_tensor_of_length_times_length_times_width():
    length, width = 96, 64
    x, projection, positions = torch.randn(1, 2, length, 32), torch.randn(2, 32, width), torch.arange(length)
    assert largest(distance_scores, x, projection, positions, positions) <= 2 * length * length


@pytest.mark.parametrize(("attn_type", "memory"), [("bi", 0), ("bi", 4), ("uni", 4)])
def test_transformer_xl_scores_equal_xlnet(attn_type, memory):
    config = XLNetConfig(d_model=24, n_head=3, d_inner=8, n_layer=1, vocab_size=9, attn_type=attn_type, dropout=0.0)
    model = XLNetModel(config).eval()
    layer = model.layer[0].rel_attn
    randomised(layer)
    queries, keys = 5, 5 + memory
    q, k, v = torch.randn(queries, 2, 3, 8), torch.randn(keys, 2, 3, 8), torch.randn(keys, 2, 3, 8)
    code = model.relative_positional_encoding(queries, keys, bsz=2)
    mask = causal_mask(queries, keys) if attn_type == "uni" else torch.ones(queries, keys, dtype=torch.bool)
    r = torch.einsum("ibh,hnd->ibnd", code, layer.r)
    theirs = layer.rel_attn_core(q, k, v, r, attn_mask=(~mask)[:, :, None, None].float())

    encoding = TransformerXLEncoding(24, 3)
    encoding.load_state_dict({"projection": layer.r.permute(1, 2, 0), "u": layer.r_w_bias, "v": layer.r_r_bias})
    k_positions = 2049 + torch.arange(keys)
    q, k, v = (x.permute(1, 2, 0, 3) for x in (q, k, v))
    ours = attend(q, k, v, k_positions[-queries:], k_positions, encoding, mask)
    assert_close(ours.permute(2, 0, 1, 3), theirs, atol=2e-5, rtol=1e-5)


SETTINGS = {"hidden_size": 24, "num_attention_heads": 3, "relative_attention": True, "pos_att_type": ["c2p", "p2c"]}
SETTINGS |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}


def deberta_by_definition(q, k, key_table, query_table, q_positions, k_positions, formula):
    """Eq. 4 one pair at a time, in float64; the released code swaps the arguments of delta in the last term."""
    q, k, key_table, query_table = (x.to(DOUBLE) for x in (q, k, key_table, query_table))
    span, scores = key_table.shape[1] // 2, torch.zeros(*q.shape[:3], k.shape[2], dtype=DOUBLE)

    def delta(a, b):
        return 0 if a - b <= -span else 2 * span - 1 if a - b >= span else a - b + span

    for m, i in enumerate(q_positions.tolist()):
        for n, j in enumerate(k_positions.tolist()):
            swapped = delta(i, j) if formula == "released" else delta(j, i)
            scores[..., m, n] = (q[:, :, m] * key_table[:, delta(i, j)]).sum(-1)
            scores[..., m, n] += (k[:, :, n] * query_table[:, swapped]).sum(-1)
    return scores


@pytest.mark.parametrize("formula", ["released", "paper"])
def test_deberta_scores_by_the_definition(formula):
    q, k = torch.randn(2, 3, 6, 8), torch.randn(2, 3, 11, 8)
    key_table, query_table = torch.randn(3, 8, 8), torch.randn(3, 8, 8)
    q_positions, k_positions = 2049 + torch.arange(6), 2046 + torch.arange(11)
    expected = deberta_by_definition(q, k, key_table, query_table, q_positions, k_positions, formula)
    distance = -relative_positions(q_positions, k_positions)
    ours = deberta_scores(q, k, key_table, query_table, distance, formula)
    assert_close(ours.to(DOUBLE), expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("span", [5, 40])  # shorter than the text (clipped) and longer
@pytest.mark.parametrize("formula", ["released", "paper"])
def test_deberta_v1_layer_with_copied_weights(span, formula):
    config = DebertaConfig(max_relative_positions=span, **SETTINGS)
    theirs = modeling_deberta.DisentangledSelfAttention(config).eval()
    randomised(theirs)
    x, table = torch.randn(2, 17, 24), torch.randn(2 * span, 24)
    distance = modeling_deberta.build_relative_position(x, x)
    mask = torch.ones(2, 1, 17, 17, dtype=torch.bool)
    expected = theirs(x, mask, relative_pos=distance, rel_embeddings=table)[0]

    encoding = DebertaEncoding(3, 8, max_distance=span, formula=formula)
    tables = (heads_of(table[None], linear, 3)[0] for linear in (theirs.pos_proj, theirs.pos_q_proj))
    encoding.load_state_dict(dict(zip(("key_table", "query_table"), tables, strict=True)))
    q, k, v = heads_of(x, theirs.in_proj, 3).chunk(3, dim=-1)
    q, v = (part + bias.view(3, 1, 8) for part, bias in ((q, theirs.q_bias), (v, theirs.v_bias)))
    ours = attend(q, k, v, 257 + torch.arange(17), 257 + torch.arange(17), encoding).transpose(1, 2).flatten(-2)
    if formula == "released":
        assert_close(ours, expected, atol=1e-5, rtol=1e-5)
    else:  # eq. 4 as printed is another function
        assert float((ours - expected).abs().max().detach()) > 0.1


Q, K, P = torch.zeros(2, 3, 4, 8), torch.zeros(2, 3, 5, 8), torch.arange(5)
TABLE = torch.zeros(3, 6, 8)
test_bad_input_is_named = refused(
    (lambda: TransformerXLEncoding(9, 3), "width=9 must be even"),
    (lambda: TransformerXLEncoding(24, 5), "heads=5 does not divide width=24"),
    (lambda: TransformerXLEncoding(24, 4).bias(Q, K, P[:4], P), "q has 3 heads.*heads=4"),
    (lambda: TransformerXLEncoding(30, 3).bias(Q, K, P[:4], P), "head width 8.*head_dim=10"),
    (lambda: from_first_key(P.bfloat16(), P), "q_positions has dtype torch.bfloat16"),
    (lambda: deberta_scores(Q, K, TABLE, TABLE, P[None], "papers"), "formula='papers'.*'paper'"),
    (lambda: DebertaEncoding(4, 8).bias(Q, K, P[:4], P), "q has 3 heads.*heads=4"),
    (lambda: DebertaEncoding(3, 6).bias(Q, K, P[:4], P), "head width 8.*head_dim=6"),
    (lambda: DebertaEncoding(3, 8).bias(Q, K, P[:4] / 2, P), "distance has dtype", TypeError),
)
