"""Counted costs against modules that exist and tensors that are made."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from posenc_helpers.encodings import (
    AlibiEncoding,
    KerpleEncoding,
    LearnedEncoding,
    PerLayer,
    PositionalEncoding,
    RotaryEncoding,
    ShawEncoding,
    SinusoidalEncoding,
    T5Encoding,
    TransformerXLEncoding,
)
from posenc_helpers.lab.costs import BYTES, CLIP, COSTED, cost, own_operations
from posenc_helpers.lab.memory import largest_tensor
from posenc_helpers.transformer import TinyTransformer
from tests.refused import refused

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
    by_hand = 6 * 2 * 4 / (24 * 2 * 16 + 4 * 4 * 4)  # L = 2, d = 4
    assert cost("rope", 2, 4, 2, 1).work == pytest.approx(by_hand)
    assert cost("learned", 1000, 64, 1, 8).work == pytest.approx(cost("learned", 1000, 64, 1, 1).work / 8)
    assert cost("transformer-xl", 10**6, 64, 1, 1).work == pytest.approx(0.5, abs=0.01)  # scores once more, no mixing


def counted(run) -> int:
    """Return the operations in the matrix products of `run`: two a multiplication with its addition."""
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        run()
    return counter.get_total_flops()


def test_a_layer_does_the_operations_of_its_products():
    block = TinyTransformer(7, WIDTH, HEADS, 1, PositionalEncoding()).blocks[0]
    x, place = torch.zeros(1, LENGTH, WIDTH), torch.arange(LENGTH)
    assert counted(lambda: block(x, place)) == own_operations(LENGTH, WIDTH)


def test_shaws_vectors_are_multiplied_once_a_distance_not_once_a_pair():
    shaw = ShawEncoding(WIDTH // HEADS, CLIP)
    q, place = torch.zeros(1, HEADS, LENGTH, WIDTH // HEADS), torch.arange(LENGTH)
    weights = torch.zeros(1, HEADS, LENGTH, LENGTH)
    products = counted(lambda: (shaw.bias(q, q, place, place), shaw.mix(weights, q, place, place)))
    products -= counted(lambda: weights @ q)  # the mixing of values that every layer does
    adding = 2 * HEADS * LENGTH**2  # the scores to the scores, and the weights of each distance
    assert products + adding == pytest.approx(
        cost("shaw", LENGTH, WIDTH, HEADS, LAYERS).work * own_operations(LENGTH, WIDTH)
    )


test_bad_sizes_are_refused = refused(
    (lambda: cost("rope", 0, 8, 2, 1), "length=0"),
    (lambda: cost("rope", 4, 8, 3, 1), "heads=3 does not divide"),
    (lambda: cost("fire", 4, 8, 2, 1), "'fire'"),
)
