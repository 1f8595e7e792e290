"""The three doors of TinyTransformer, and what it refuses; what is causal: the rule "keeps to the past"."""

import pytest
import torch
from torch import Generator, Tensor

from posenc_helpers.encodings import PositionalEncoding, SinusoidalEncoding
from posenc_helpers.lab.training import seeded
from posenc_helpers.transformer import TinyTransformer
from tests.refused import refused

B, H, D_HEAD, VOCABULARY = 2, 3, 8, 11
WIDTH = H * D_HEAD


def random(*shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(*shape, generator=Generator().manual_seed(0), dtype=dtype)


def tokens(batch: int = B, length: int = 9, seed: int = 0) -> Tensor:
    return torch.randint(VOCABULARY, (batch, length), generator=Generator().manual_seed(seed))


def tiny(**arguments) -> TinyTransformer:
    with seeded(0):
        return TinyTransformer(**{"vocabulary": VOCABULARY, "width": WIDTH, "heads": H, "layers": 2, **arguments})


class Recorder(PositionalEncoding):
    """Does nothing, and notes every call of a door: (name, shapes and positions it was given)."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def embed(self, x, positions):
        self.calls.append(("embed", tuple(x.shape), positions.tolist()))
        return x

    def rotate(self, q, k, q_positions, k_positions):
        self.calls.append(("rotate", tuple(q.shape), tuple(k.shape), q_positions.tolist(), k_positions.tolist()))
        return q, k

    def bias(self, q, k, q_positions, k_positions):
        self.calls.append(("bias", tuple(q.shape), tuple(k.shape), q_positions.tolist(), k_positions.tolist()))

    def mix(self, weights, v, q_positions, k_positions):
        self.calls.append(("mix", tuple(weights.shape), tuple(v.shape), q_positions.tolist(), k_positions.tolist()))
        return weights @ v


def expected_calls(queries: list, keys: list, layers: int = 2) -> list:
    length, total = len(queries), len(keys)
    q, k = (B, H, length, D_HEAD), (B, H, total, D_HEAD)
    layer = [
        ("rotate", q, k, queries, keys),
        ("bias", q, k, queries, keys),
        ("mix", (B, H, length, total), k, queries, keys),
    ]
    return [("embed", (B, length, WIDTH), queries), *(layers * layer)]


def test_doors_are_called_once_before_the_first_layer_and_then_in_every_layer():
    recorder = Recorder()
    model = tiny(encoding=recorder, causal=False)
    model(tokens(length=4), torch.tensor([3, 8, 257, 9]))
    assert recorder.calls == expected_calls([3, 8, 257, 9], [3, 8, 257, 9])


def test_positions_default_to_counting_from_0_and_on_from_the_cache():
    recorder = Recorder()
    model = tiny(encoding=recorder)
    caches = model.new_caches()
    model(tokens(length=3), caches=caches)
    assert recorder.calls == expected_calls([0, 1, 2], [0, 1, 2])
    recorder.calls.clear()
    model(tokens(length=2), caches=caches)
    assert recorder.calls == expected_calls([3, 4], [0, 1, 2, 3, 4])


def test_positions_of_rows_reach_the_doors_and_the_cache():
    recorder = Recorder()
    model = tiny(encoding=recorder)
    caches = model.new_caches()
    model(tokens(length=2), torch.tensor([[0, 1], [5, 6]]), caches=caches)
    recorder.calls.clear()
    model(tokens(length=1), torch.tensor([[2], [7]]), caches=caches)
    _, _, _, q_positions, k_positions = recorder.calls[1]
    assert q_positions == [[2], [7]] and k_positions == [[0, 1, 2], [5, 6, 7]]


class AddRamp(PositionalEncoding):
    def embed(self, x, positions):
        return x + torch.arange(WIDTH)  # another number in every column, which no norm takes out


def test_door_one_stands_between_the_embedding_and_the_first_layer():
    with_door, without = tiny(encoding=AddRamp(), layers=1), tiny(layers=1)
    shifted = tiny(layers=1)
    shifted.embedding.weight.data += torch.arange(WIDTH)
    assert torch.equal(with_door(tokens()), shifted(tokens()))
    assert not torch.allclose(with_door(tokens()), without(tokens()), atol=1e-2)


def test_without_an_encoding_the_model_has_none():
    assert type(tiny().encoding) is PositionalEncoding
    assert all(block.attention.encoding is model.encoding for model in [tiny()] for block in model.blocks)


def test_outputs_default_to_the_vocabulary():
    assert tiny()(tokens()).shape == (B, 9, VOCABULARY)
    assert tiny(outputs=2)(tokens()).shape == (B, 9, 2)


@pytest.mark.parametrize(("given", "std"), [({}, 0.3), ({"embedding_std": 1.5}, 1.5)])
def test_embeddings_start_at_their_standard_deviation(given, std):
    model = tiny(vocabulary=500, **given)
    assert model.embedding.weight.std().item() == pytest.approx(std, rel=0.03)  # 12,000 numbers: 5 standard errors


test_bad_input = refused(
    (lambda: tiny(vocabulary=0), "vocabulary=0"),
    (lambda: tiny(width=0), "width=0"),
    (lambda: tiny(heads=5), "heads=5 does not divide width=24"),
    (lambda: tiny(heads=None), "heads=None", TypeError),
    (lambda: tiny(layers=0), "layers=0"),
    (lambda: tiny(encoding="rope"), "encoding must be a PositionalEncoding, got str", TypeError),
    (lambda: tiny(encoding=SinusoidalEncoding), "encoding must be a PositionalEncoding, got the class", TypeError),
    (lambda: tiny(outputs=0), "outputs=0"),
    (lambda: tiny(embedding_std=-1.0), "embedding_std=-1.0"),
    (lambda: tiny()(tokens()[0]), r"tokens has shape .*allowed: \(B, L\)"),
    (lambda: tiny(encoding=SinusoidalEncoding(WIDTH))(tokens(), torch.arange(8)), "positions has shape"),
)
