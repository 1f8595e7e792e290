"""The random table, and the index beyond float32; the rules of all encodings are in test_encodings."""

import pytest
import torch

from posenc_helpers.encodings import IndexEncoding, RandomEncoding, index, normalised, random_codes


@pytest.mark.parametrize("dim", [1, 3, 6, 8, 20])
def test_a_longer_random_table_starts_with_the_shorter_one(dim):
    places = torch.arange(5)
    for length in (5, 6, 7, 16, 100):
        assert torch.equal(random_codes(places, dim, length), random_codes(places, dim, 5))


def test_a_random_table_is_drawn_again_after_a_move():
    encoding, expected = RandomEncoding(8, 5), random_codes(torch.arange(5), 8, 5)
    for move in (
        lambda e: e.to("meta").to_empty(device="cpu"),
        lambda e: e.to_empty(device="cpu"),
        lambda e: e.bfloat16(),
        lambda e: e.double(),
    ):
        assert torch.equal(move(encoding).table, expected)


def test_an_index_that_float32_lacks_is_refused():
    x, first = torch.zeros(1, 1, 4, dtype=torch.float64), 2**24
    assert index(torch.tensor([first - 1]), 1) == first - 1
    for call in (lambda p: index(p, 4), lambda p: normalised(p, 4, 9), lambda p: IndexEncoding(4).embed(x, p)):
        with pytest.raises(ValueError, match=rf"positions reaches {first}; .* every second integer: pass float64"):
            call(torch.tensor([-first]))
    assert IndexEncoding(4).embed(x, torch.tensor([first + 1.0], dtype=torch.float64))[0, 0, 0] == first + 1


def test_normalised_runs_from_0_to_1_and_is_0_for_a_single_token():
    assert normalised(torch.arange(5), 1, 5).flatten().tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert normalised(torch.tensor([0]), 1, 1).item() == 0
