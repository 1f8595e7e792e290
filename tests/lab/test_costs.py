"""Counted costs against modules that exist and tensors that are made."""

import pytest
import torch

from posenc_helpers.encodings import (
    AlibiEncoding,
    KerpleEncoding,
    LearnedEncoding,
    PerLayer,
    RotaryEncoding,
    ShawEncoding,
    SinusoidalEncoding,
    T5Encoding,
    TransformerXLEncoding,
)
from posenc_helpers.lab.costs import BYTES, CLIP, COSTED, cost
from posenc_helpers.lab.memory import largest_tensor

LENGTH, WIDTH, HEADS, LAYERS = 96, 48, 3, 5
MADE = {
    "learned": lambda: LearnedEncoding(WIDTH, LENGTH),
    "sinusoidal": lambda: SinusoidalEncoding(WIDTH),
    "shaw": lambda: PerLayer(ShawEncoding(WIDTH // HEADS, CLIP) for _ in range(LAYERS)),
    "transformer-xl": lambda: PerLayer(TransformerXLEncoding(WIDTH, HEADS) for _ in range(LAYERS)),
    "t5": lambda: T5Encoding(HEADS),
    "kerple": lambda: KerpleEncoding(HEADS),
    "alibi": lambda: AlibiEncoding(HEADS),
    "rope": lambda: RotaryEncoding(WIDTH // HEADS),
}


@pytest.mark.parametrize("name", COSTED)
def test_trained_numbers_are_those_of_the_module(name):
    made = sum(p.numel() for p in MADE[name]().parameters())
    assert cost(name, LENGTH, WIDTH, HEADS, LAYERS).parameters == made


@pytest.mark.parametrize("name", ["t5", "kerple", "alibi"])
def test_a_stored_bias_takes_as_many_numbers_as_the_tensor_has(name):
    q, place = torch.zeros(1, HEADS, LENGTH, WIDTH // HEADS), torch.arange(LENGTH)
    bias, largest = largest_tensor(lambda: MADE[name]().bias(q, q, place, place))
    assert bias.numel() == cost(name, LENGTH, WIDTH, HEADS, LAYERS).memory // BYTES
    assert largest >= 4 * bias.numel()  # float32 here


def test_work_is_a_share_of_the_layers_own():
    by_hand = 6 * 2 * 4 / (12 * 2 * 16 + 2 * 4 * 4)  # L = 2, d = 4
    assert cost("rope", 2, 4, 2, 1).work == pytest.approx(by_hand)
    assert cost("alibi", 1000, 64, 1, 3).work == cost("alibi", 1000, 64, 1, 9).work
    assert cost("learned", 1000, 64, 1, 8).work == pytest.approx(cost("learned", 1000, 64, 1, 1).work / 8)
    assert cost("shaw", 10**5, 64, 1, 1).work == pytest.approx(1, abs=0.01)  # as much as the scores and the mixing


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        (("rope", 0, 8, 2, 1), "length=0"),
        (("rope", 4, 8, 3, 1), "heads=3 does not divide"),
        (("fire", 4, 8, 2, 1), "'fire'"),
    ],
)
def test_bad_sizes_are_refused(sizes, message):
    with pytest.raises(ValueError, match=message):
        cost(*sizes)
