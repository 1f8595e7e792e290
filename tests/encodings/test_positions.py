"""Position ids against Hugging Face's RoBERTa, against loops, and inside models."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers.models.roberta.modeling_roberta import RobertaEmbeddings

from posenc_helpers.encodings.alibi import AlibiEncoding
from posenc_helpers.encodings.learned import LearnedEncoding
from posenc_helpers.encodings.positions import (
    next_position_ids,
    packed_position_ids,
    position_ids,
    roberta_position_ids,
)
from posenc_helpers.transformer import TinyTransformer
from tests.refused import refused

masks = st.integers(1, 9).flatmap(
    lambda length: st.lists(st.lists(st.booleans(), min_size=length, max_size=length), min_size=1, max_size=4)
)


@given(masks, st.integers(0, 5), st.integers(0, 5))
def test_real_tokens_are_counted_wherever_the_padding_is(mask, start, padding_id):
    mask = torch.tensor(mask)
    ids = position_ids(mask, start, padding_id)
    for row, real in zip(ids, mask, strict=True):
        assert row[real].tolist() == list(range(start, start + int(real.sum())))
        assert (row[~real] == padding_id).all()


@given(masks, st.integers(1, 3))
def test_next_ids_continue_the_real_tokens(mask, new):
    mask = torch.tensor(mask)
    longer = torch.cat([mask, torch.ones(len(mask), new, dtype=torch.bool)], dim=1)
    assert torch.equal(next_position_ids(mask, new, start=2), position_ids(longer, start=2)[:, -new:])


@pytest.mark.parametrize("padding_index", [0, 1, 4])
def test_roberta_equals_hugging_face(padding_index):
    tokens = torch.randint(2, 9, (3, 2049))
    tokens[0, :300] = tokens[1, 257:] = tokens[2, ::7] = padding_index
    theirs = RobertaEmbeddings.create_position_ids_from_input_ids(tokens, padding_index)
    assert torch.equal(roberta_position_ids(tokens, padding_index), theirs)


def test_packed_ids_and_mask_by_hand():
    ids, mask = packed_position_ids(torch.tensor([[4, 4, 4, 7, 7, -1], [0, 1, 0, 0, -1, -1]]))
    assert ids.tolist() == [[0, 1, 2, 0, 1, 0], [0, 0, 0, 1, 0, 0]]  # a number that comes back is a new document
    documents = [["a", "a", "a", "b", "b", None], ["a", "b", "c", "c", None, None]]
    for row, names in zip(mask, documents, strict=True):
        assert row.tolist() == [[a == b and a is not None for b in names] for a in names]


@pytest.mark.parametrize("make", [lambda: LearnedEncoding(24, 16, std=1.0), lambda: AlibiEncoding(3)])
def test_packed_documents_equal_documents_alone(make):
    model = TinyTransformer(17, 24, 3, layers=2, encoding=make(), embedding_std=1.0).eval()
    for block in model.blocks:
        block.attention.qkv.weight.data.mul_(2)  # scores of size 1, so that attention is far from uniform
    tokens = torch.randint(17, (2, 13))
    documents = torch.tensor([[0] * 5 + [1] * 6 + [-1] * 2, [0] * 2 + [1] * 10 + [-1]])
    ids, mask = packed_position_ids(documents)
    packed = model(tokens, ids, mask)
    for row in range(2):
        for number in range(2):
            here = documents[row] == number
            torch.testing.assert_close(packed[row, here], model(tokens[row : row + 1, here])[0], atol=2e-5, rtol=1e-5)
    leaking = model(tokens, ids)  # ids alone
    assert float((leaking - packed)[documents == 1].abs().max().detach()) > 0.1


test_bad_input_is_named = refused(
    (lambda: position_ids(torch.ones(2, 3)), "mask.*boolean.*torch.float32", TypeError),
    (lambda: position_ids([[True]]), "mask.*list", TypeError),
    (lambda: position_ids(torch.ones(3, dtype=torch.bool)), r"mask has shape \(3,\)"),
    (lambda: position_ids(torch.ones(1, 3, dtype=torch.bool), start=-1), "start=-1"),
    (lambda: position_ids(torch.ones(1, 3, dtype=torch.bool), padding_id=-1), "padding_id=-1"),
    (lambda: next_position_ids(torch.ones(2, 3)), "mask.*boolean", TypeError),
    (lambda: next_position_ids(torch.ones(1, 3, dtype=torch.bool), new=0), "new=0"),
    (lambda: next_position_ids(torch.ones(1, 3, dtype=torch.bool), start=-2), "start=-2"),
    (lambda: roberta_position_ids(torch.ones(1, 3)), "tokens.*float32", TypeError),
    (lambda: roberta_position_ids(torch.ones(3, dtype=torch.long)), "mask has shape"),
    (lambda: roberta_position_ids(torch.ones(1, 3, dtype=torch.long), -1), "padding_index=-1"),
    (lambda: packed_position_ids(torch.ones(1, 3)), "documents.*float32", TypeError),
    (lambda: packed_position_ids(torch.ones(3, dtype=torch.long)), r"documents has shape \(3,\)"),
)
