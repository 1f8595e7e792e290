"""The loss by position is that of reading each window alone, prefix by prefix; curves are summed up as they say."""

from itertools import pairwise

import pytest
import torch
from torch import Generator, Tensor

from posenc_helpers.encodings import (
    AlibiEncoding,
    LearnedEncoding,
    PositionalEncoding,
    RotaryEncoding,
    SinusoidalEncoding,
    T5Encoding,
)
from posenc_helpers.lab import evaluation
from posenc_helpers.lab.evaluation import break_position, cumulative, loss_by_position, octave_blocks
from posenc_helpers.lab.text import cut_windows
from posenc_helpers.lab.training import seeded
from posenc_helpers.transformer import TinyTransformer
from tests.refused import refused

WIDTH, HEADS, SYMBOLS = 16, 2, 7
PART = torch.randint(SYMBOLS, (600,), generator=Generator().manual_seed(1))
RELATIVE = {  # what a score sees is the distance alone
    "nope": PositionalEncoding,
    "rope": lambda: RotaryEncoding(WIDTH // HEADS),
    "t5": lambda: T5Encoding(HEADS, num_buckets=16, max_distance=16, bidirectional=False),
    "alibi": lambda: AlibiEncoding(HEADS),
}
ABSOLUTE = {"sinusoidal": lambda: SinusoidalEncoding(WIDTH), "learned": lambda: LearnedEncoding(WIDTH, 600, std=1.0)}


def untrained(name: str, layers: int = 2) -> TinyTransformer:
    """A model with weights large enough that every input shows in its output."""
    with seeded(0):
        model = TinyTransformer(SYMBOLS, WIDTH, HEADS, layers, (RELATIVE | ABSOLUTE)[name](), embedding_std=1.0)
        for weight in model.blocks.parameters():
            weight.data *= 2
        if name == "t5":
            model.encoding.table.data *= 20
    return model.eval()


@torch.no_grad()
def naive(model: TinyTransformer, length: int, windows: int, keys: int | None = None, stay: bool = True) -> Tensor:
    """Read each window alone, and each prefix of it, or its last `keys` characters where they stand or from 0 on."""
    losses = torch.zeros(length, dtype=torch.float64)
    for window in cut_windows(PART, length + 1, windows):
        for p in range(length):
            first = max(0, p + 1 - keys) if keys else 0
            positions = torch.arange(first, p + 1) - (0 if stay else first)
            logits = model(window[None, first : p + 1], positions)[0, -1].double()
            losses[p] += (logits.exp().sum().log() - logits[window[p + 1]]).item() / windows
    return losses


@pytest.mark.parametrize("name", [*RELATIVE, *ABSOLUTE])
def test_it_is_the_loss_of_every_prefix_of_every_window_read_alone(name):
    model = untrained(name)
    measured = loss_by_position(model, PART, length=21, windows=5)
    assert measured.shape == (21,) and measured.dtype == torch.float64
    assert (measured - naive(model, 21, 5)).abs().max() < 1e-5
    assert measured.std() > 0.05  # not by being all alike


def test_windows_are_read_a_few_at_a_time_and_give_the_mean_of_all(monkeypatch):
    model, read = untrained("rope", layers=1), []
    alone = [loss_by_position(model, window, 300, 1) for window in cut_windows(PART, 301, 25)]
    forward = model.forward
    monkeypatch.setattr(evaluation, "MOST_SCORES", 11 * 300**2)
    monkeypatch.setattr(model, "forward", lambda tokens, *rest: read.append(len(tokens)) or forward(tokens, *rest))
    together = loss_by_position(model, PART, 300, 25)
    assert read == [11, 11, 3]
    assert (together - sum(alone) / 25).abs().max() < 1e-5


@pytest.mark.parametrize("name", [*RELATIVE, *ABSOLUTE])
def test_seeing_k_keys_in_one_layer_is_reading_the_last_k_characters_where_they_stand(name):
    """With one layer a key holds its own character alone; if scores see distances, it does not matter where."""
    model = untrained(name, layers=1)
    measured = loss_by_position(model, PART, 17, 4, keys=4)
    assert (measured - naive(model, 17, 4, keys=4)).abs().max() < 1e-5
    assert (measured - loss_by_position(model, PART, 17, 4)).abs().max() > 0.01
    moved = (measured - naive(model, 17, 4, keys=4, stay=False)).abs().max()
    assert moved < 1e-5 if name in RELATIVE else moved > 0.01


def test_two_layers_see_further_than_the_last_k_characters():
    """The keys of the second layer have seen k - 1 characters more: 2k - 1 in all, and not one more."""
    model = untrained("rope", layers=2)
    measured = loss_by_position(model, PART, 17, 4, keys=4)
    assert (measured - naive(model, 17, 4, keys=4, stay=False))[4:].abs().max() > 0.01
    changed = PART.clone()
    window = cut_windows(torch.arange(600), 18, 1)[0]
    changed[window[9]] = (changed[window[9]] + 1) % SYMBOLS
    before, after = (loss_by_position(model, part, 17, 1, keys=4) for part in (PART, changed))
    moved = ((after - before).abs() > 1e-6).nonzero().flatten().tolist()
    assert moved == [8, *range(9, 16)]  # 8: the character to predict; 9 + 6: the last reader


def test_a_shift_is_what_the_model_is_told():
    """The loss at position p, moved by 5, is that of a learned table whose rows stand 5 lower."""
    model, moved = untrained("learned"), untrained("learned")
    moved.encoding.table.data = moved.encoding.table.data.roll(-5, dims=0)
    assert torch.equal(loss_by_position(model, PART, 21, 4, shift=5), loss_by_position(moved, PART, 21, 4))


def curve(length: int = 200, seed: int = 0) -> Tensor:
    return 2 + torch.rand(length, generator=Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("length", [1, 17, 100, 1000])
def test_blocks_cover_every_position_once_and_grow_with_the_octaves(length):
    blocks = octave_blocks(length)
    assert [p for start, stop in blocks for p in range(start, stop)] == list(range(length))
    sizes = [stop - start for start, stop in blocks]
    assert sizes[:16] == [1] * min(16, length)
    assert all(first <= then for first, then in pairwise(sizes[:-1]))
    for octave in (8, 16, 32, 64, 128, 256, 512):
        if 2 * octave <= length:
            assert sum(octave <= start < 2 * octave for start, _ in blocks) == 8


def test_it_is_what_looking_at_every_position_gives():
    """On 60 random curves that drift upwards."""
    found = set()
    for seed in range(60):
        losses = curve(90, seed) + torch.linspace(0, 0.5, 90)
        for by in (0.3, 0.2):
            limit = losses[:20].mean() + by
            above = [p for p in range(20, 87) if losses[p - 4 : p + 4].mean() > limit]
            assert break_position(losses, 20, by) == (above[0] if above else None)
            found.add(above[0] if above else None)
    assert len(found) > 15 and {None, 20} <= found
    for last, at in ((198, None), (197, 196)):  # 2 and 3 of the last eight are high
        assert break_position(2.0 + (torch.arange(200) >= last), 32) == at


def test_cumulative_is_the_mean_up_to_every_position():
    losses = curve(37)
    assert cumulative(losses).tolist() == pytest.approx([sum(losses[: p + 1].tolist()) / (p + 1) for p in range(37)])


def test_reading_leaves_no_trace():
    model = untrained("learned")
    before, state = torch.nn.utils.parameters_to_vector(model.parameters()).clone(), torch.get_rng_state()
    loss_by_position(model, PART, 21, 4)
    assert torch.equal(torch.nn.utils.parameters_to_vector(model.parameters()), before)
    assert all(weight.grad is None for weight in model.parameters()) and torch.equal(torch.get_rng_state(), state)


test_bad_arguments = refused(
    (lambda: loss_by_position(untrained("nope"), PART, 0, 2), "length=0"),
    (lambda: loss_by_position(untrained("nope"), PART, 600, 2), "length=600 must stay below the 600 characters"),
    (lambda: loss_by_position(untrained("nope"), PART, 8, 0), "windows=0"),
    (lambda: loss_by_position(untrained("nope"), PART, 8, 2, keys=0), "keys=0"),
    (lambda: loss_by_position(untrained("nope"), PART, 8, 2, shift=-1), "shift=-1"),
    (lambda: loss_by_position(untrained("nope"), PART, 20, 5, end=21), "end=21 exceeds length=20"),
    (lambda: octave_blocks(0), "length=0"),
    (lambda: break_position(torch.ones(40), 0), "trained=0"),
    (lambda: break_position(torch.ones(40), 33), "40 positions; allowed: at least trained .* = 41"),
    (lambda: break_position(torch.ones(40), 32, by=0), "by=0"),
)


@pytest.mark.parametrize("name", ["rope", "learned"])
@pytest.mark.parametrize("end", [1, 7])
def test_an_end_reads_the_same_windows_up_to_there(name, end):
    model = untrained(name)
    whole = loss_by_position(model, PART, 20, 5, keys=4, shift=3)
    begun = loss_by_position(model, PART, 20, 5, keys=4, shift=3, end=end)
    assert begun.tolist() == pytest.approx(whole[:end].tolist())
