"""The three doors of TinyTransformer; an encoding that looks at x; causality; bad input."""

import math

import pytest
import torch
from torch import Generator, Tensor, nn

from posenc_helpers.encodings import ENCODINGS, PerLayer, PositionalEncoding, SinusoidalEncoding
from posenc_helpers.lab.training import seeded
from posenc_helpers.transformer import TinyTransformer

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


class ForgetGates(PositionalEncoding):
    """Door 3 of a causal model: Forgetting Attention (FoX, arXiv 2503.02130), its gates computed from all heads' keys.

    Every key n has a gate f_n of each head; the score of a query m gets the sum of log f over the keys after n up to m.
    """

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.gate = nn.Linear(width, heads)

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        log_gates = nn.functional.logsigmoid(self.gate(k.transpose(1, 2).flatten(-2)))  # (B, L_k, H)
        kept = log_gates.transpose(1, 2).cumsum(dim=-1)  # (B, H, L_k)
        return kept[..., -q.shape[-2] :, None] - kept[..., None, :]  # (B, H, L_q, L_k)


def test_gates_that_look_at_x_equal_forgetting_attention():
    """Gates sigmoid(W x + b) of the layer's own x, as the paper has them, one product of gates at a time."""
    layer = tiny(encoding=ForgetGates(WIDTH, H), layers=1).double().blocks[0].attention
    x, length = random(B, 6, WIDTH), 6
    w_k = layer.qkv.weight[WIDTH : 2 * WIDTH]  # (d, d)
    w_x, b = layer.encoding.gate.weight @ w_k, layer.encoding.gate.bias  # the gate as a map of x
    gates = (x @ w_x.T + b).sigmoid()  # (B, L, H)
    q, k, v = (part.unflatten(-1, (H, D_HEAD)) for part in layer.qkv(x).chunk(3, dim=-1))  # (B, L, H, d_head)
    mixed = torch.zeros(B, length, H, D_HEAD, dtype=x.dtype)
    for m in range(length):
        seen = range(m + 1)
        weights = torch.stack(
            [
                gates[:, n + 1 : m + 1].prod(dim=1) * ((q[:, m] * k[:, n]).sum(-1) / math.sqrt(D_HEAD)).exp()
                for n in seen
            ]
        )  # (L_k, B, H)
        for n in seen:
            mixed[:, m] += (weights[n] / weights.sum(dim=0))[..., None] * v[:, n]
    torch.testing.assert_close(layer(x, torch.arange(length)), layer.out(mixed.flatten(-2)), rtol=0, atol=1e-13)


@pytest.mark.parametrize("chunks", [[1, 3, 2], [5, 1, 1]], ids=str)
def test_gates_that_look_at_x_decode_with_a_key_cache(chunks):
    with seeded(0):
        encoding = PerLayer(ForgetGates(WIDTH, H) for _ in range(2))  # a gate of its own in every layer
    model, text = tiny(encoding=encoding).double(), tokens(length=sum(chunks))
    caches = model.new_caches()
    parts = [model(part, caches=caches) for part in text.split(chunks, dim=1)]
    torch.testing.assert_close(torch.cat(parts, dim=1), model(text), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_causal_model_never_looks_ahead(name):
    changed = 4
    for causal in (True, False):
        model = tiny(encoding=ENCODINGS[name](WIDTH, H, 64), causal=causal)
        before, other = tokens(), tokens()
        other[:, changed] = (other[:, changed] + 1) % VOCABULARY
        moved = (model(before) - model(other)).abs().amax(dim=(0, 2)) > 0  # (L,)
        assert moved[changed:].all()
        assert moved[:changed].any() == (not causal)


def test_outputs_default_to_the_vocabulary():
    assert tiny()(tokens()).shape == (B, 9, VOCABULARY)
    assert tiny(outputs=2)(tokens()).shape == (B, 9, 2)


@pytest.mark.parametrize(("given", "std"), [({}, 0.3), ({"embedding_std": 1.5}, 1.5)])
def test_embeddings_start_at_their_standard_deviation(given, std):
    model = tiny(vocabulary=500, **given)
    assert model.embedding.weight.std().item() == pytest.approx(std, rel=0.03)  # 12,000 numbers: 5 standard errors


# --------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"vocabulary": 0}, ValueError, "vocabulary=0"),
        ({"width": 0}, ValueError, "width=0"),
        ({"heads": 5}, ValueError, "heads=5 does not divide width=24"),
        ({"heads": None}, TypeError, "heads=None"),
        ({"layers": 0}, ValueError, "layers=0"),
        ({"encoding": "rope"}, TypeError, "encoding must be a PositionalEncoding, got str"),
        ({"encoding": SinusoidalEncoding}, TypeError, "encoding must be a PositionalEncoding, got the class"),
        ({"outputs": 0}, ValueError, "outputs=0"),
        ({"embedding_std": -1.0}, ValueError, "embedding_std=-1.0"),
    ],
)
def test_bad_arguments_of_the_model(arguments, error, message):
    with pytest.raises(error, match=message):
        tiny(**arguments)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tiny()(tokens()[0]), r"tokens has shape .*allowed: \(B, L\)"),
        (lambda: tiny(encoding=SinusoidalEncoding(WIDTH))(tokens(), torch.arange(8)), "positions has shape"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
