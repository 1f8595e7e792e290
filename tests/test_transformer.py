"""Attention against PyTorch's own and against its definition; the three doors; masks; decoding with a key cache.

Sizes all differ: batch 2, heads 3, queries 5, keys 7, head width 8, value width 6.
"""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Generator, Tensor, nn
from torch.nn.attention.bias import causal_lower_right
from torch.nn.functional import scaled_dot_product_attention

from posenc_helpers.encodings import (
    ENCODINGS,
    LearnedEncoding,
    PerLayer,
    PositionalEncoding,
    RotaryEncoding,
    SinusoidalEncoding,
    T5Encoding,
)
from posenc_helpers.encodings.grid_rope import AxialRotaryEncoding
from posenc_helpers.lab.training import seeded
from posenc_helpers.transformer import Attention, Block, KeyCache, TinyTransformer, attend, causal_mask, decode

B, H, L_Q, L_K, D_HEAD, D_VALUE = 2, 3, 5, 7, 8, 6
WIDTH, VOCABULARY = H * D_HEAD, 11
MASK_SHAPES = [(L_Q, L_K), (B, L_Q, L_K), (B, 1, L_Q, L_K), (B, H, L_Q, L_K)]


def random(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(*shape, generator=Generator().manual_seed(seed), dtype=dtype)


def random_mask(*shape: int, seed: int = 0) -> Tensor:
    """About half True; the first key is always allowed, so that no row is empty."""
    mask = torch.rand(*shape, generator=Generator().manual_seed(seed)) < 0.5
    mask[..., 0] = True
    return mask


def qkv(dtype: torch.dtype = torch.float64, queries: int = L_Q) -> tuple[Tensor, Tensor, Tensor]:
    shapes = [(queries, D_HEAD), (L_K, D_HEAD), (L_K, D_VALUE)]
    return tuple(random(B, H, *shape, seed=seed, dtype=dtype) for seed, shape in enumerate(shapes))


def places(queries: int = L_Q, keys: int = L_K, start: int = 0) -> tuple[Tensor, Tensor]:
    """Positions of the keys, and of the queries, which are the last of them."""
    k_positions = start + torch.arange(keys)
    return k_positions[-queries:], k_positions


def tokens(batch: int = B, length: int = 9, seed: int = 0) -> Tensor:
    return torch.randint(VOCABULARY, (batch, length), generator=Generator().manual_seed(seed))


def tiny(**arguments) -> TinyTransformer:
    with seeded(0):
        return TinyTransformer(**{"vocabulary": VOCABULARY, "width": WIDTH, "heads": H, "layers": 2, **arguments})


# ------------------------------------------------------------------------------------------------------------ attend


def for_sdpa(mask: Tensor | None) -> Tensor | None:
    return mask[:, None] if mask is not None and mask.ndim == 3 else mask


@pytest.mark.parametrize(("dtype", "atol"), [(torch.float64, 1e-14), (torch.float32, 2e-6)])
@pytest.mark.parametrize("shape", [None, *MASK_SHAPES], ids=str)
def test_attend_equals_scaled_dot_product_attention(shape, dtype, atol):
    q, k, v = qkv(dtype)
    mask = None if shape is None else random_mask(*shape)
    ours = attend(q, k, v, *places(), mask=mask)
    theirs = scaled_dot_product_attention(q, k, v, attn_mask=for_sdpa(mask))
    assert ours.shape == (B, H, L_Q, D_VALUE) and ours.dtype is dtype
    torch.testing.assert_close(ours, theirs, rtol=0, atol=atol)


@pytest.mark.parametrize("shape", MASK_SHAPES, ids=str)
def test_attend_equals_its_definition(shape):
    """Eq. 1 of Vaswani et al., one number at a time."""
    q, k, v = qkv()
    mask = random_mask(*shape)
    ours = attend(q, k, v, *places(), mask=mask)
    seen = for_sdpa(mask).expand(B, H, L_Q, L_K)
    for b in range(B):
        for h in range(H):
            for m in range(L_Q):
                keys = [n for n in range(L_K) if seen[b, h, m, n]]
                powers = [
                    math.exp(sum(x * y for x, y in zip(q[b, h, m].tolist(), k[b, h, n].tolist(), strict=True))
                             / math.sqrt(D_HEAD))
                    for n in keys
                ]  # fmt: skip
                for column in range(D_VALUE):
                    mean = sum(p * v[b, h, n, column].item() for p, n in zip(powers, keys, strict=True)) / sum(powers)
                    assert ours[b, h, m, column].item() == pytest.approx(mean, abs=1e-13)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("shape", MASK_SHAPES, ids=str)
def test_a_fully_masked_row_gives_zeros_and_finite_gradients(shape, dtype):
    q, k, v = (part.requires_grad_() for part in qkv(dtype))
    mask = random_mask(*shape)
    mask[..., 2, :] = False
    out = attend(q, k, v, *places(), mask=mask)
    assert (out[..., 2, :] == 0).all()
    others = [0, 1, 3, 4]
    theirs = scaled_dot_product_attention(q[..., others, :], k, v, attn_mask=for_sdpa(mask)[..., others, :])
    torch.testing.assert_close(out[..., others, :], theirs, rtol=0, atol=8 * torch.finfo(dtype).eps)
    with torch.autograd.set_detect_anomaly(True):  # not even on the way, where NaN times 0 could still hide it
        grads = torch.autograd.grad(out.square().sum(), (q, k, v))
    assert all(grad.isfinite().all() and grad.any() for grad in grads)
    assert (grads[0][..., 2, :] == 0).all()


def test_masked_keys_have_no_influence_however_large_their_scores():
    q, k, v = qkv()
    mask = random_mask(L_Q, L_K)
    mask[:, 4] = False
    k_loud, v_loud = k.clone(), v.clone()
    k_loud[..., 4, :], v_loud[..., 4, :] = 1e6, 1e6
    assert torch.equal(attend(q, k_loud, v_loud, *places(), mask=mask), attend(q, k, v, *places(), mask=mask))


@pytest.mark.parametrize(("queries", "keys"), [(5, 5), (5, 7), (1, 7), (1, 1)])
def test_causal_mask_lets_the_last_query_see_every_key(queries, keys):
    mask = causal_mask(queries, keys)
    expected = [[key <= query + keys - queries for key in range(keys)] for query in range(queries)]
    assert mask.dtype is torch.bool and mask.tolist() == expected
    q, k, v = qkv(queries=queries)
    k, v = k[..., :keys, :], v[..., :keys, :]
    ours = attend(q, k, v, *places(queries, keys), mask=mask)
    theirs = scaled_dot_product_attention(q, k, v, attn_mask=causal_lower_right(queries, keys))
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-14)
    if queries == keys:
        theirs = scaled_dot_product_attention(q, k, v, is_causal=True)
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-14)
    else:  # PyTorch's is_causal aligns the first query with the first key: another mask
        other = scaled_dot_product_attention(q, k, v, is_causal=True)
        assert (ours - other).abs().max() > 0.1


# --------------------------------------------------------------------------------------------------- the three doors


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


@pytest.mark.parametrize("causal", [True, False])
def test_doors_are_called_once_before_the_first_layer_and_then_in_every_layer(causal):
    recorder = Recorder()
    model = tiny(encoding=recorder, causal=causal)
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
    model, caches = tiny(encoding=recorder), None
    caches = model.new_caches()
    model(tokens(length=2), torch.tensor([[0, 1], [5, 6]]), caches=caches)
    recorder.calls.clear()
    model(tokens(length=1), torch.tensor([[2], [7]]), caches=caches)
    _, _, _, q_positions, k_positions = recorder.calls[1]
    assert q_positions == [[2], [7]] and k_positions == [[0, 1, 2], [5, 6, 7]]


class Doors(PositionalEncoding):
    """Door 1 adds 3, door 2 multiplies q by 2 and k by 5, door 3 adds the bias it is given, the side window negates."""

    def __init__(self, added: Tensor):
        super().__init__()
        self.added = added

    def embed(self, x, positions):
        return x + 3

    def rotate(self, q, k, q_positions, k_positions):
        return 2 * q, 5 * k

    def bias(self, q, k, q_positions, k_positions):
        self.seen = q, k
        return self.added

    def mix(self, weights, v, q_positions, k_positions):
        return -(weights @ v)


@pytest.mark.parametrize("shape", [(L_Q, L_K), (H, 1, L_K), (B, H, L_Q, L_K)], ids=str)
@pytest.mark.parametrize("masked", [False, True])
def test_attend_rotates_then_scales_then_adds_the_bias_then_masks(shape, masked):
    q, k, v = qkv()
    bias = random(*shape, seed=9)
    mask = random_mask(L_Q, L_K)
    encoding = Doors(bias)
    ours = attend(q, k, v, *places(), encoding, mask if masked else None)
    added = bias.masked_fill(~mask, -math.inf) if masked else bias.expand(B, H, L_Q, L_K)
    theirs = -scaled_dot_product_attention(2 * q, 5 * k, v, attn_mask=added.expand(B, H, L_Q, L_K))
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-13)
    assert torch.equal(encoding.seen[0], 2 * q) and torch.equal(encoding.seen[1], 5 * k)  # door 3 sees rotated ones


def test_door_one_stands_between_the_embedding_and_the_first_layer():
    encoding = Doors(torch.zeros(1))
    with_door, without = tiny(encoding=encoding, layers=1), tiny(layers=1)
    shifted = tiny(layers=1)
    shifted.embedding.weight.data += 3
    shifted.blocks[0].attention.encoding = encoding
    assert torch.equal(with_door(tokens()), shifted(tokens()))
    assert not torch.allclose(with_door(tokens()), without(tokens()), atol=1e-2)


def test_without_an_encoding_the_model_has_none():
    assert type(tiny().encoding) is PositionalEncoding
    assert all(block.attention.encoding is model.encoding for model in [tiny()] for block in model.blocks)


# ------------------------------------------------------- another encoding, one for each layer, one that looks at x


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("old", ["nope", "sinusoidal", "rope", "alibi"])
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
    assert torch.equal(encoding.embed(x := random(B, 5, WIDTH), torch.arange(5)),
                       encoding.layers[0].embed(x, torch.arange(5)))  # fmt: skip
    recorder = Recorder()
    model = tiny(encoding=PerLayer([recorder, recorder]))  # one and the same for both layers: as without
    model(tokens(length=4))
    assert recorder.calls == expected_calls([0, 1, 2, 3], [0, 1, 2, 3])


@pytest.mark.parametrize(
    ("encodings", "error", "message"),
    [
        ([], ValueError, "encodings is empty; allowed: one for each layer"),
        ([PositionalEncoding(), "rope"], TypeError, "encoding of layer 1 must be a PositionalEncoding, got str"),
        ([PerLayer([PositionalEncoding()])], TypeError, "encoding of layer 0 is a PerLayer"),
        ([RotaryEncoding(8), LearnedEncoding(24, 9)], ValueError,
         "encoding of layer 1 is a LearnedEncoding, which uses door 1"),
    ],
)  # fmt: skip
def test_bad_encodings_of_layers(encodings, error, message):
    with pytest.raises(error, match=message):
        PerLayer(encodings)


def test_several_encodings_must_fit_the_layers_and_are_none_for_a_layer_alone():
    with pytest.raises(ValueError, match=r"encoding holds 2 encodings, one a layer; this model has layers=3"):
        tiny(encoding=own_tables(), layers=3)
    with pytest.raises(TypeError, match=r"got list; for one a layer: PerLayer\(\[\.\.\.\]\)"):
        tiny(encoding=[T5Encoding(H), T5Encoding(H)])
    with pytest.raises(TypeError, match=r"PerLayer holds one encoding a layer; .* \.layers\[0\]"):
        Attention(WIDTH, H, own_tables())(torch.zeros(B, 5, WIDTH), torch.arange(5))


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
        weights = torch.stack([
            gates[:, n + 1 : m + 1].prod(dim=1) * ((q[:, m] * k[:, n]).sum(-1) / math.sqrt(D_HEAD)).exp() for n in seen
        ])  # (L_k, B, H)  # fmt: skip
        for n in seen:
            mixed[:, m] += (weights[n] / weights.sum(dim=0))[..., None] * v[:, n]
    torch.testing.assert_close(layer(x, torch.arange(length)), layer.out(mixed.flatten(-2)), rtol=0, atol=1e-13)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=5))
def test_gates_that_look_at_x_decode_with_a_key_cache(chunks):
    with seeded(0):
        encoding = PerLayer(ForgetGates(WIDTH, H) for _ in range(2))  # a gate of its own in every layer
    model, text = tiny(encoding=encoding).double(), tokens(length=sum(chunks))
    caches = model.new_caches()
    parts = [model(part, caches=caches) for part in text.split(chunks, dim=1)]
    torch.testing.assert_close(torch.cat(parts, dim=1), model(text), rtol=0, atol=1e-12)


# -------------------------------------------------------------------------------------------------- attention layers


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("masked", [True, False])
def test_attention_equals_multihead_attention_with_copied_weights(causal, masked):
    length = 6
    ours = Attention(WIDTH, H, causal=causal).double()
    theirs = nn.MultiheadAttention(WIDTH, H, bias=False, batch_first=True).double()
    theirs.in_proj_weight.data.copy_(ours.qkv.weight.data)
    theirs.out_proj.weight.data.copy_(ours.out.weight.data)
    x = random(B, length, WIDTH)
    mask = random_mask(B, H, length, length) if masked else None
    allowed = torch.ones(length, length, dtype=torch.bool).tril() if causal else torch.ones(length, length).bool()
    if masked:
        allowed = allowed & mask
    hidden = ~allowed.expand(B, H, length, length).flatten(0, 1)  # MultiheadAttention says True where a key is hidden
    expected, _ = theirs(x, x, x, attn_mask=hidden, need_weights=False)
    torch.testing.assert_close(ours(x, torch.arange(length), mask), expected, rtol=0, atol=1e-14)


def test_a_mask_narrows_the_causal_mask_whatever_its_shape():
    length = 6
    layer = Attention(WIDTH, H, causal=True).double()
    x, positions = random(B, length, WIDTH), torch.arange(length)
    mask = random_mask(length, length)
    first = layer(x, positions, mask)
    for shape in ((B, length, length), (B, 1, length, length), (B, H, length, length)):
        assert torch.equal(layer(x, positions, mask.expand(shape)), first)
    assert torch.equal(layer(x, positions, mask | ~causal_mask(length, length)), first)  # the future stays hidden
    assert not torch.allclose(layer(x, positions), first, atol=1e-3)


def test_block_is_two_residual_sublayers_behind_norms():
    block = Block(WIDTH, H, PositionalEncoding(), causal=True).double()
    x, positions = random(B, 5, WIDTH), torch.arange(5)

    def normed(y: Tensor) -> Tensor:
        return (y - y.mean(-1, keepdim=True)) / (y.var(-1, keepdim=True, unbiased=False) + 1e-5).sqrt()

    middle = x + block.attention(normed(x), positions)
    first, _, second = block.feed_forward
    expected = middle + second(first(normed(middle)).clamp(min=0))
    torch.testing.assert_close(block(x, positions), expected, rtol=0, atol=1e-13)


# --------------------------------------------------------------------------------------------------------- the model


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("changed", [0, 4, 8])
def test_a_causal_model_never_looks_ahead(name, changed):
    for causal in (True, False):
        model = tiny(encoding=ENCODINGS[name](WIDTH, H, 64), causal=causal)
        before, other = tokens(), tokens()
        other[:, changed] = (other[:, changed] + 1) % VOCABULARY
        moved = (model(before) - model(other)).abs().amax(dim=(0, 2)) > 0  # (L,)
        assert moved[changed:].all()
        assert moved[:changed].any() == (not causal and changed > 0)


def test_outputs_default_to_the_vocabulary():
    assert tiny()(tokens()).shape == (B, 9, VOCABULARY)
    assert tiny(outputs=2)(tokens()).shape == (B, 9, 2)


@pytest.mark.parametrize("std", [0.02, 1.5])
def test_embeddings_start_at_their_standard_deviation(std):
    model = tiny(vocabulary=500, embedding_std=std)
    assert model.embedding.weight.std().item() == pytest.approx(std, rel=0.03)  # 12,000 numbers: 5 standard errors


# ---------------------------------------------------------------------------------------------------------- decoding


def test_cache_returns_all_there_is_so_far():
    cache = KeyCache()
    assert len(cache) == 0
    k, v = random(B, H, L_K, D_HEAD), random(B, H, L_K, D_VALUE)
    positions = 257 + torch.arange(L_K)
    done = 0
    for part in (3, 1, 1, 2):
        new = slice(done, done + part)
        got = cache.extend(k[..., new, :], v[..., new, :], positions[new])
        done += part
        assert len(cache) == done
        for have, want in zip(got, (k[..., :done, :], v[..., :done, :], positions[:done]), strict=True):
            assert torch.equal(have, want)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=5), st.integers(0, 3000), st.booleans(), st.booleans())
def test_chunks_of_any_size_equal_the_full_pass(chunks, start, rows, masked):
    length = sum(chunks)
    model = tiny(encoding=SinusoidalEncoding(WIDTH)).double()
    text, positions = tokens(length=length), start + torch.arange(length)
    if rows:  # each row counts from a place of its own
        positions = torch.stack([positions, positions + 100])
    mask = random_mask(length, length) if masked else None
    full = model(text, positions, mask)
    caches, parts, done = model.new_caches(), [], 0
    for chunk in chunks:
        new = slice(done, done + chunk)
        done += chunk
        seen = None if mask is None else mask[new, :done]
        parts.append(model(text[:, new], positions[..., new], seen, caches))
    torch.testing.assert_close(torch.cat(parts, dim=1), full, rtol=0, atol=1e-12)


@pytest.mark.parametrize("prompt_length", [1, 4])
def test_decode_takes_the_likeliest_token_of_full_passes(prompt_length):
    model = tiny(encoding=SinusoidalEncoding(WIDTH), embedding_std=1.0)
    prompt, steps = tokens(length=prompt_length), 20
    text = prompt
    for _ in range(steps):
        text = torch.cat([text, model(text)[:, -1:].argmax(dim=-1)], dim=1)
    decoded = decode(model, prompt, steps)
    assert decoded.shape == (B, prompt_length + steps) and torch.equal(decoded, text)
    assert not decoded.requires_grad
    # This text can tell: at the wrong positions (every new token at 0) the model goes another way.
    caches, lost = model.new_caches(), prompt
    new = prompt
    for _ in range(steps):
        new = model(new, torch.zeros(new.shape[1]), caches=caches)[:, -1:].argmax(dim=-1)
        lost = torch.cat([lost, new], dim=1)
    assert not torch.equal(lost, text)


def test_decode_reads_one_new_token_a_step():
    recorder = Recorder()
    decode(tiny(encoding=recorder, layers=1), tokens(length=4), 3)
    assert recorder.calls == [
        call
        for queries, keys in (([0, 1, 2, 3], 4), ([4], 5), ([5], 6))
        for call in expected_calls(queries, list(range(keys)), layers=1)
    ]


# --------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((0, 5), ValueError, "queries=0"),
        ((6, 5), ValueError, "keys=5 must be at least 6"),
        ((2.0, 5), TypeError, "queries=2.0"),
        ((2, "5"), TypeError, "keys='5'"),
    ],
)
def test_bad_counts_of_causal_mask(arguments, error, message):
    with pytest.raises(error, match=message):
        causal_mask(*arguments)


@pytest.mark.parametrize("name", ["q", "k", "v"])
def test_bad_shapes_of_attend(name):
    arguments = dict(zip("qkv", qkv(), strict=True))
    arguments[name] = arguments[name][0]
    with pytest.raises(ValueError, match=rf"{name} has shape .*allowed: \(B, H, L"):
        attend(**arguments, q_positions=places()[0], k_positions=places()[1])


@pytest.mark.parametrize("wrong", [torch.zeros(L_Q, L_K), torch.ones(L_Q, L_K, dtype=torch.int64), [[True]], "causal"])
def test_bad_type_of_mask(wrong):
    with pytest.raises(TypeError, match="mask must be a boolean tensor, True = may attend; got "):
        attend(*qkv(), *places(), mask=wrong)


@pytest.mark.parametrize("shape", [(L_K, L_Q), (L_K,), (1, L_K), (H, L_Q, L_K), (B, 2, L_Q, L_K), (1, H, L_Q, L_K), ()])
def test_bad_shape_of_mask(shape):
    with pytest.raises(ValueError, match=r"mask has shape .*allowed: \(5, 7\), \(2, 5, 7\) or \(2, 3 or 1, 5, 7\)"):
        attend(*qkv(), *places(), mask=torch.ones(shape, dtype=torch.bool))


def test_bad_mask_of_a_causal_layer():
    layer, x = Attention(WIDTH, H, causal=True), torch.zeros(B, 5, WIDTH)
    with pytest.raises(TypeError, match="mask must be a boolean tensor"):
        layer(x, torch.arange(5), torch.zeros(5, 5))
    with pytest.raises(ValueError, match="mask has shape"):
        layer(x, torch.arange(5), torch.ones(5, 4, dtype=torch.bool))


@pytest.mark.parametrize("shape", [(5, WIDTH), (B, 5, WIDTH + 1), (B, 1, 5, WIDTH)])
def test_bad_input_of_a_layer(shape):
    with pytest.raises(ValueError, match=rf"x has shape .*allowed: \(B, L, {WIDTH}\)"):
        Attention(WIDTH, H)(torch.zeros(shape), torch.arange(5))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"vocabulary": 0}, ValueError, "vocabulary=0"),
        ({"vocabulary": 11.0}, TypeError, "vocabulary=11.0"),
        ({"width": 0}, ValueError, "width=0"),
        ({"width": "24"}, TypeError, "width='24'"),
        ({"heads": 0}, ValueError, "heads=0"),
        ({"heads": 5}, ValueError, "heads=5 does not divide width=24"),
        ({"heads": None}, TypeError, "heads=None"),
        ({"layers": 0}, ValueError, "layers=0"),
        ({"layers": 1.5}, TypeError, "layers=1.5"),
        ({"encoding": "rope"}, TypeError, "encoding must be a PositionalEncoding, got str"),
        ({"encoding": SinusoidalEncoding}, TypeError, "encoding must be a PositionalEncoding, got the class"),
        ({"outputs": 0}, ValueError, "outputs=0"),
        ({"outputs": 2.0}, TypeError, "outputs=2.0"),
        ({"embedding_std": -1.0}, ValueError, "embedding_std=-1.0"),
        ({"embedding_std": "0.3"}, TypeError, "embedding_std='0.3'"),
    ],
)
def test_bad_arguments_of_the_model(arguments, error, message):
    with pytest.raises(error, match=message):
        tiny(**arguments)


def test_bad_arguments_of_attention():
    with pytest.raises(ValueError, match="heads=5 does not divide width=24"):
        Attention(WIDTH, 5)
    with pytest.raises(ValueError, match="width=-24"):
        Attention(-WIDTH, H)


@pytest.mark.parametrize("shape", [(9,), (B, 9, 1), ()])
def test_bad_tokens(shape):
    with pytest.raises(ValueError, match=r"tokens has shape .*allowed: \(B, L\)"):
        tiny()(torch.zeros(shape, dtype=torch.long))


def test_bad_positions_of_the_model():
    with pytest.raises(ValueError, match="positions has shape"):
        tiny(encoding=SinusoidalEncoding(WIDTH))(tokens(), torch.arange(8))


def test_bad_caches():
    with pytest.raises(ValueError, match=r"caches holds 1 caches; .* 2 layers"):
        tiny()(tokens(), caches=[KeyCache()])
    cache = KeyCache()
    k = random(B, H, 1, D_HEAD)
    cache.extend(k, k, torch.tensor([0]))
    with pytest.raises(ValueError, match=r"positions has shape \(2, 1\), but the cached ones have \(1,\)"):
        cache.extend(k, k, torch.tensor([[1], [1]]))


@pytest.mark.parametrize(("steps", "error"), [(0, ValueError), (-1, ValueError), (2.0, TypeError), (None, TypeError)])
def test_bad_steps_of_decode(steps, error):
    with pytest.raises(error, match=f"steps={steps}"):
        decode(tiny(), tokens(), steps)


def test_decode_refuses_a_model_that_sees_the_future():
    with pytest.raises(ValueError, match="causal=False"):
        decode(tiny(causal=False), tokens(), 2)


def test_decode_refuses_a_prompt_without_a_batch():
    with pytest.raises(ValueError, match="tokens has shape"):
        decode(tiny(), tokens()[0], 2)


def test_a_key_cache_holds_positions_with_coordinates():
    """On a grid, with as many rows of the batch as tokens and as coordinates, so that no axis is told by its length."""
    with seeded(0):
        encoding = AxialRotaryEncoding(8)
        model = TinyTransformer(11, 16, 2, layers=2, encoding=encoding, causal=True).double()
    tokens = torch.randint(11, (2, 6), generator=Generator().manual_seed(0))
    grid = torch.stack([torch.arange(6) // 3 + 257, torch.arange(6) % 3], dim=-1)  # (6, 2)
    full = model(tokens, grid)
    caches = model.new_caches()
    parts = [model(tokens[:, i : i + 2], grid[i : i + 2], caches=caches) for i in (0, 2, 4)]
    torch.testing.assert_close(torch.cat(parts, dim=1), full, rtol=0, atol=1e-5)
    batched = grid.expand(2, 6, 2) + torch.tensor([0, 5])[:, None, None]  # (2, 6, 2)
    caches = model.new_caches()
    parts = [model(tokens[:, i : i + 2], batched[:, i : i + 2], caches=caches) for i in (0, 2, 4)]
    torch.testing.assert_close(torch.cat(parts, dim=1), model(tokens, batched), rtol=0, atol=1e-5)
