"""Another encoding put into a built model, and an encoding of its own for each layer."""

import pytest
import torch
from torch import nn

from posenc_helpers.encodings import (
    ENCODINGS,
    LearnedEncoding,
    PerLayer,
    PositionalEncoding,
    RotaryEncoding,
    SinusoidalEncoding,
    T5Encoding,
)
from posenc_helpers.lab.training import seeded
from posenc_helpers.transformer import Attention
from tests.refused import refused
from tests.test_transformer import D_HEAD, WIDTH, B, H, random, tiny, tokens


@pytest.mark.parametrize("name", ["learned", "rope", "t5", "shaw"])
@pytest.mark.parametrize("old", ["sinusoidal", "alibi"])
def test_an_encoding_put_in_later_is_as_if_it_had_been_there(name, old):
    """Through every door, in every layer; the other weights stay, and nothing of the old one is left."""
    with seeded(1):
        new = ENCODINGS[name](WIDTH, H, 64)
    built = tiny(encoding=new)
    swapped = tiny(encoding=ENCODINGS[old](WIDTH, H, 64))
    swapped.encoding = new
    assert swapped.encoding is new and swapped.state_dict().keys() == built.state_dict().keys()
    assert torch.equal(swapped(tokens()), built(tokens()))
    assert [*map(id, swapped.parameters())][: len(list(new.parameters()))] == [*map(id, new.parameters())]
    caches = [swapped.new_caches(), built.new_caches()]
    for part in tokens().split([4, 5], dim=1):
        assert torch.equal(swapped(part, caches=caches[0]), built(part, caches=caches[1]))


def test_a_layer_may_still_be_given_one_by_hand():
    model, other = tiny(encoding=RotaryEncoding(D_HEAD)), PositionalEncoding()
    model.blocks[1].attention.encoding = other
    assert model.blocks[1].attention.encoding is other and model.blocks[0].attention.encoding is model.encoding


@pytest.mark.parametrize("wrong", ["rope", None, SinusoidalEncoding, nn.Linear(2, 2), [PositionalEncoding()]])
def test_what_is_no_encoding_cannot_be_put_in(wrong):
    model = tiny(encoding=RotaryEncoding(D_HEAD))
    before = model.encoding
    with pytest.raises(TypeError, match="encoding must be a PositionalEncoding, got"):
        model.encoding = wrong
    with pytest.raises(ValueError, match=r"encoding holds 3 encodings, one a layer; this model has layers=2"):
        model.encoding = PerLayer(T5Encoding(H) for _ in range(3))
    assert model.encoding is before and all(block.attention.encoding is before for block in model.blocks)


def own_tables(layers: int = 2) -> PerLayer:
    """A T5 table for each layer, as in umT5, with numbers large enough to be seen."""
    with seeded(1):
        encoding = PerLayer(T5Encoding(H) for _ in range(layers))
        for table in encoding.parameters():
            nn.init.normal_(table)
    return encoding


def test_every_layer_uses_the_encoding_of_its_own():
    encoding = own_tables()
    model = tiny(encoding=encoding)
    first, second = (tiny(encoding=one) for one in encoding.layers)
    x, place = random(B, 9, WIDTH, dtype=torch.float32), torch.arange(9)
    for layer, right, wrong in ((0, first, second), (1, second, first)):
        out = model.blocks[layer](x, place)
        assert torch.equal(out, right.blocks[layer](x, place))
        assert not torch.allclose(out, wrong.blocks[layer](x, place), atol=1e-2)
    model(tokens()).square().mean().backward()
    assert all(table.grad.any() for table in encoding.parameters()) and len(list(encoding.parameters())) == 2
    swapped = tiny(encoding=RotaryEncoding(D_HEAD))
    swapped.encoding = encoding
    assert torch.equal(swapped(tokens()), model(tokens()))


def test_door_one_of_several_encodings_is_the_first_ones():
    encoding = PerLayer([SinusoidalEncoding(WIDTH), T5Encoding(H)])
    assert torch.equal(
        encoding.embed(x := random(B, 5, WIDTH), torch.arange(5)), encoding.layers[0].embed(x, torch.arange(5))
    )


X, P = torch.zeros(B, 5, WIDTH), torch.arange(5)
TWO_DOORS = [RotaryEncoding(8), LearnedEncoding(24, 9)]
test_bad_encodings_of_layers = refused(
    (lambda: PerLayer([]), "encodings is empty; allowed: one for each layer"),
    (lambda: PerLayer([PositionalEncoding(), "rope"]), "layer 1 must be a PositionalEncoding, got str", TypeError),
    (lambda: PerLayer([PerLayer([PositionalEncoding()])]), "encoding of layer 0 is a PerLayer", TypeError),
    (lambda: PerLayer(TWO_DOORS), "encoding of layer 1 is a LearnedEncoding, which uses door 1"),
    (lambda: tiny(encoding=own_tables(), layers=3), "encoding holds 2 encodings, .*; this model has layers=3"),
    (lambda: tiny(encoding=[T5Encoding(H)] * 2), r"got list; for one a layer: PerLayer\(\[\.\.\.\]\)", TypeError),
    (
        lambda: Attention(WIDTH, H, own_tables())(X, P),
        r"PerLayer holds one encoding a layer; .* \.layers\[0\]",
        TypeError,
    ),
)
