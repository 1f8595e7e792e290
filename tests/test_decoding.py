"""Decoding with a key cache equals the full pass, whatever the pieces, the positions and their coordinates."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Generator

from posenc_helpers.encodings import SinusoidalEncoding
from posenc_helpers.encodings.grid_rope import AxialRotaryEncoding
from posenc_helpers.lab.training import seeded
from posenc_helpers.transformer import KeyCache, TinyTransformer, decode
from tests.refused import refused
from tests.test_transformer import D_HEAD, WIDTH, B, H, Recorder, expected_calls, random, tiny, tokens


@settings(max_examples=15)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=5), st.integers(0, 3000), st.booleans(), st.booleans())
def test_chunks_of_any_size_equal_the_full_pass(chunks, start, rows, masked):
    length = sum(chunks)
    model = tiny(encoding=SinusoidalEncoding(WIDTH)).double()
    text, positions = tokens(length=length), start + torch.arange(length)
    if rows:  # each row counts from a place of its own
        positions = torch.stack([positions, positions + 100])
    mask = torch.rand(length, length, generator=Generator().manual_seed(0)) < 0.5 if masked else None
    full = model(text, positions, mask)
    caches, parts, done = model.new_caches(), [], 0
    for chunk in chunks:
        new = slice(done, done + chunk)
        done += chunk
        seen = None if mask is None else mask[new, :done]
        parts.append(model(text[:, new], positions[..., new], seen, caches))
    torch.testing.assert_close(torch.cat(parts, dim=1), full, rtol=0, atol=1e-12)


def test_decode_takes_the_likeliest_token_of_full_passes():
    model = tiny(encoding=SinusoidalEncoding(WIDTH), embedding_std=1.0)
    prompt, steps = tokens(length=4), 20
    text = prompt
    for _ in range(steps):
        text = torch.cat([text, model(text)[:, -1:].argmax(dim=-1)], dim=1)
    assert torch.equal(decode(model, prompt, steps), text)


def test_decode_reads_one_new_token_a_step():
    recorder = Recorder()
    decode(tiny(encoding=recorder, layers=1), tokens(length=4), 3)
    assert recorder.calls == [
        call
        for queries, keys in (([0, 1, 2, 3], 4), ([4], 5), ([5], 6))
        for call in expected_calls(queries, list(range(keys)), layers=1)
    ]


def test_a_key_cache_holds_positions_with_coordinates():
    """On a grid, with as many rows of the batch as tokens and as coordinates, so that no axis is told by its length."""
    with seeded(0):
        encoding = AxialRotaryEncoding(8)
        model = TinyTransformer(11, 16, 2, layers=2, encoding=encoding, causal=True).double()
    tokens = torch.randint(11, (2, 6), generator=Generator().manual_seed(0))
    grid = torch.stack([torch.arange(6) // 3 + 257, torch.arange(6) % 3], dim=-1)  # (6, 2)
    for positions in (grid, grid.expand(2, 6, 2) + torch.tensor([0, 5])[:, None, None]):
        caches, pieces = model.new_caches(), [slice(i, i + 2) for i in (0, 2, 4)]
        parts = [model(tokens[:, new], positions[..., new, :], caches=caches) for new in pieces]
        torch.testing.assert_close(torch.cat(parts, dim=1), model(tokens, positions), rtol=0, atol=1e-5)


def test_a_cache_refuses_positions_of_another_kind():
    cache, k = KeyCache(), random(B, H, 1, D_HEAD)
    cache.extend(k, k, torch.tensor([0]))
    with pytest.raises(ValueError, match=r"positions has shape \(2, 1\), but the cached ones have \(1,\)"):
        cache.extend(k, k, torch.tensor([[1], [1]]))


test_bad_input = refused(
    (lambda: tiny()(tokens(), caches=[KeyCache()]), r"caches holds 1 caches; .* 2 layers"),
    (lambda: decode(tiny(), tokens(), 0), "steps=0"),
    (lambda: decode(tiny(causal=False), tokens(), 2), "causal=False"),
)
