"""Learned absolute embeddings against Hugging Face's RoBERTa; resizing against NumPy."""

import numpy as np
import pytest
import torch
from transformers import RobertaConfig
from transformers.models.roberta.modeling_roberta import RobertaEmbeddings

from posenc_helpers.encodings.learned import LearnedEncoding, learned, resize_table
from posenc_helpers.encodings.positions import roberta_position_ids
from tests.encodings.model_checks import largest
from tests.refused import refused


def test_roberta_input_with_copied_weights():
    config = RobertaConfig(vocab_size=31, hidden_size=12, max_position_embeddings=514, type_vocab_size=1)
    theirs = RobertaEmbeddings(config).eval()
    encoding = LearnedEncoding(12, 514)
    encoding.load_state_dict({"table": theirs.position_embeddings.weight})
    tokens = torch.randint(2, 31, (2, 512))  # 514 rows hold 512 tokens
    tokens[1, 300:] = 1
    x = encoding.embed(theirs.word_embeddings(tokens), roberta_position_ids(tokens))
    ours = theirs.LayerNorm(x + theirs.token_type_embeddings.weight[0])
    torch.testing.assert_close(theirs(tokens), ours, atol=1e-6, rtol=1e-6)
    with pytest.raises(ValueError, match="go up to 514"):
        encoding.embed(torch.zeros(1, 513, 12), roberta_position_ids(torch.full((1, 513), 5)))


@pytest.mark.parametrize("rows", [2, 7, 32])
@pytest.mark.parametrize("align_corners", [True, False])
def test_resizing_is_linear_interpolation(rows, align_corners):
    table = torch.randn(9, 4)
    centres = np.clip((np.arange(rows) + 0.5) * 9 / rows - 0.5, 0, 8)
    source = np.linspace(0, 8, rows) if align_corners else centres
    columns = [np.interp(source, np.arange(9), column) for column in table.double().numpy().T]
    expected = torch.tensor(np.stack(columns, axis=-1), dtype=torch.float32)
    torch.testing.assert_close(resize_table(table, rows, align_corners), expected, atol=2e-6, rtol=1e-5)


def test_resizing_keeps_dtype_and_the_ends_and_stays_trained():
    encoding = LearnedEncoding(6, 32).to(torch.bfloat16)
    longer = encoding.resized(48)
    assert longer.table.shape == (48, 6) and longer.table.dtype is torch.bfloat16 and longer.table.requires_grad
    assert torch.equal(longer.table[[0, -1]], encoding.table[[0, -1]])
    exact = resize_table(encoding.table.detach().float(), 48)
    assert torch.equal(longer.table, exact.to(torch.bfloat16))  # interpolated in float32, rounded once


def test_the_table_is_looked_up_once_for_the_whole_batch():
    encoding, x = LearnedEncoding(16, 64), torch.randn(32, 64, 16)
    assert largest(learned, encoding.table, torch.arange(64)) <= 64 * 16  # not (32, 64, 16)
    assert torch.equal(encoding.embed(x, torch.arange(64)), encoding.embed(x, torch.arange(64).expand(32, -1)))


TABLE = torch.zeros(32, 4)
test_bad_input_is_named = refused(
    (lambda: learned(TABLE, torch.tensor([32])), "go up to 32.*table of 33 rows.*has 32 "),
    (lambda: learned(TABLE, torch.tensor([3, -1])), "go down to -1; allowed: 0 to 31"),
    (lambda: learned(TABLE, torch.arange(3.0)), "positions has dtype torch.float32", TypeError),
    (lambda: learned(TABLE[0], torch.arange(3)), r"table has shape \(4,\)"),
    (lambda: resize_table(TABLE, 0), "rows=0"),
    (lambda: resize_table(TABLE[None], 4), "table has shape"),
    (lambda: resize_table([1], 4), "table has shape list"),
    (lambda: LearnedEncoding(4, 32).embed(torch.zeros(2, 5, 6), torch.arange(5)), "x has width 6"),
)
