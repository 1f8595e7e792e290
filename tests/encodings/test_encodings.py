"""The rules that every encoding of the course keeps, put to everything in ENCODINGS, to grids and to other settings.

A rule is a function of `build` (width, heads, length -> encoding) that fails an assertion where an encoding breaks it.
An encoding that breaks one by nature stands in EXCEPTIONS with the reason; it must then really break it, by a failed
assertion or by refusing. To add an encoding, add it to ENCODINGS; to add a rule, write a function with @rule.
A grid's encoding is read along its diagonal: position p is the place (p, p).

All sizes differ. LENGTH leaves room for positions 256 and 257, and WIDTH for a column per position.
"""

import copy
import inspect
import pickle
from contextlib import contextmanager

import numpy as np
import pytest
import torch
from torch import Generator, Tensor, nn

from posenc_helpers.encodings import (
    ENCODINGS,
    AlibiEncoding,
    AxialRotaryEncoding,
    DebertaEncoding,
    KerpleEncoding,
    MultimodalRotaryEncoding,
    PositionalEncoding,
    RotaryEncoding,
    Time2Vec,
    WindowBias,
    frequencies,
    sinusoidal,
)
from posenc_helpers.encodings.rope_scaling import linear
from posenc_helpers.lab.training import seeded
from posenc_helpers.transformer import TinyTransformer

VOCABULARY, WIDTH, HEADS, HEAD_WIDTH, LENGTH = 11, 324, 3, 108, 320
BATCH, TOKENS = 2, 5



class Diagonal(PositionalEncoding):
    """An encoding of places with several coordinates, asked for places on the diagonal."""

    def __init__(self, grid: PositionalEncoding):
        super().__init__()
        self.grid = grid

    def places(self, positions: Tensor) -> Tensor:
        return positions[..., None].expand(*positions.shape, *self.grid.coordinates)

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return self.grid.embed(x, self.places(positions))

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        return self.grid.rotate(q, k, self.places(q_positions), self.places(k_positions))

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor | None:
        return self.grid.bias(q, k, self.places(q_positions), self.places(k_positions))


def halved(frequencies: Tensor, length: Tensor) -> Tensor:
    return linear(frequencies, 2.0)


OTHERS = {
    "window bias": lambda width, heads, length: Diagonal(WindowBias(heads, length, length)),
    "axial rope": lambda width, heads, length: Diagonal(AxialRotaryEncoding(width // heads)),
    "m-rope": lambda width, heads, length: Diagonal(MultimodalRotaryEncoding(width // heads, 3 * [width // heads // 6])),
    "time2vec": lambda width, heads, length: Time2Vec(width),
    "kerple, power": lambda width, heads, length: KerpleEncoding(heads, "power"),
    "alibi, two-sided and learned": lambda width, heads, length: AlibiEncoding(heads, "two-sided", learned=True),
    "deberta, buckets": lambda width, heads, length: DebertaEncoding(heads, width // heads, length, buckets=32),
    "rope, scaled": lambda width, heads, length: RotaryEncoding(width // heads, layout="half", scaling=halved),
}
ALL = {**ENCODINGS, **OTHERS}

LENGTH_OF_THE_CALL = "it divides by the number of tokens in the call: its flaw, and the subject of notebook 02"
ABSOLUTE = "door 1 gives every place a code of its own"
ROW_OF_A_TABLE = "there is no row between two rows"
EXCEPTIONS: dict[str, dict[str, str]] = {
    "nope": {"neighbours_differ": "it adds nothing at all, so no position is told from another"},
    "index": {
        "neighbours_differ": "the code is the position itself, and bfloat16 holds no 257",
        "a_shift_changes_nothing": ABSOLUTE,
    },
    "normalised": {
        "a_shift_changes_nothing": ABSOLUTE,
        "neighbours_differ": "256 and 257 of 320 differ by 1/319, less than bfloat16 resolves near 0.8",
        "explicit_positions_are_honoured": LENGTH_OF_THE_CALL,
        "padding_on_the_left_changes_nothing": LENGTH_OF_THE_CALL,
        "cached_decoding_equals_the_full_pass": LENGTH_OF_THE_CALL,
    },
    "random": {"positions_may_be_real": ROW_OF_A_TABLE, "a_shift_changes_nothing": ABSOLUTE},
    "one-hot": {
        "positions_may_be_real": "there is no column between two columns",
        "a_shift_changes_nothing": ABSOLUTE,
    },
    "binary": {"positions_may_be_real": "a fraction has no bits", "a_shift_changes_nothing": ABSOLUTE},
    "sinusoidal": {"a_shift_changes_nothing": ABSOLUTE},
    "learned": {
        "a_shift_changes_nothing": ABSOLUTE,
        "positions_may_be_real": ROW_OF_A_TABLE,
        "length_may_change_between_save_and_load": "a longer table has rows that the shorter one cannot fill",
    },
    "relative bias": {"positions_may_be_real": ROW_OF_A_TABLE},
    "shaw": {"positions_may_be_real": ROW_OF_A_TABLE},
    "t5": {"positions_may_be_real": ROW_OF_A_TABLE},
    "deberta": {
        "positions_may_be_real": ROW_OF_A_TABLE,
        "length_may_change_between_save_and_load": "its table has a row for every distance up to the length",
    },
    "fire": {"length_may_change_between_save_and_load": "it divides distances by the length that it was made for"},
    "window bias": {
        "positions_may_be_real": ROW_OF_A_TABLE,
        "length_may_change_between_save_and_load": "its table has a row for every place in the window",
    },
    "time2vec": {"a_shift_changes_nothing": ABSOLUTE},
    "deberta, buckets": {"positions_may_be_real": ROW_OF_A_TABLE},
    "cope": {"explicit_positions_are_honoured": "it counts with gates on the content, and reads no positions"},
}

RULES = {}


def rule(function):
    RULES[function.__name__] = function
    return function


@pytest.mark.parametrize("rule_name", RULES)
@pytest.mark.parametrize("name", ALL)
def test_rule(name, rule_name):
    keep = RULES[rule_name]
    if rule_name not in EXCEPTIONS.get(name, {}):
        keep(ALL[name])
        return
    with pytest.raises((AssertionError, ValueError)):
        keep(ALL[name])


def test_exceptions_name_encodings_and_rules_and_give_a_reason():
    for name, broken in EXCEPTIONS.items():
        assert name in ALL
        for rule_name, reason in broken.items():
            assert rule_name in RULES and reason


# ------------------------------------------------------------------------------------------------------ what is read


def encoding_of(build, length: int = LENGTH) -> PositionalEncoding:
    with seeded(0):
        return build(WIDTH, HEADS, length)


def model_of(build, causal: bool = True) -> TinyTransformer:
    with seeded(0):
        return TinyTransformer(VOCABULARY, WIDTH, HEADS, layers=2, encoding=encoding_of(build), causal=causal)


def random(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=Generator().manual_seed(seed), dtype=torch.float32)


def tokens(batch: int = BATCH, length: int = TOKENS, seed: int = 0) -> Tensor:
    return torch.randint(VOCABULARY, (batch, length), generator=Generator().manual_seed(seed))


def doors(encoding: PositionalEncoding, positions: Tensor, *dtypes: torch.dtype) -> dict[str, Tensor]:
    """What comes out of each door at `positions` (L,) or (B, L) for the same input in every place.

    The bias comes with L_q = L_k = L. A door that returns None is left out. The input is cast to `dtypes` in turn.
    """
    length = positions.shape[-1]
    x = random(BATCH, 1, WIDTH, seed=1).expand(-1, length, -1)
    q, k = random(2, BATCH, HEADS, 1, HEAD_WIDTH, seed=2).expand(-1, -1, -1, length, -1)
    for dtype in dtypes:
        x, q, k = x.to(dtype), q.to(dtype), k.to(dtype)
    out = {"embed": encoding.embed(x, positions)}
    out["rotated q"], out["rotated k"] = encoding.rotate(q, k, positions, positions)
    bias = encoding.bias(q, k, positions, positions)
    return out if bias is None else {**out, "bias": bias}


def agree(left: Tensor, right: Tensor, what: str) -> None:
    """Equal but for rounding: logits are of order 1, and float32 sums in another order differ by about 1e-6."""
    torch.testing.assert_close(left, right, rtol=1e-4, atol=2e-5, msg=lambda report: f"{what}: {report}")


@contextmanager
def works(what: str):
    try:
        yield
    except Exception as error:
        raise AssertionError(f"{what}: {error}") from error


# ------------------------------------------------------------------------------------------------------------- rules


@rule
def is_an_encoding(build):
    """A new PositionalEncoding each time, whose doors take what the base class says."""
    first, second = encoding_of(build), encoding_of(build)
    assert isinstance(first, PositionalEncoding) and first is not second
    for door in ("embed", "rotate", "bias", "mix"):
        assert (
            inspect.signature(getattr(type(getattr(first, "grid", first)), door)).parameters.keys()
            == inspect.signature(getattr(PositionalEncoding, door)).parameters.keys()
        ), f"{door} takes other arguments than PositionalEncoding.{door}"


@rule
def dtype_and_shape_follow_the_activations(build):
    for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64):
        positions = torch.arange(250, 250 + TOKENS)
        for name, value in doors(encoding_of(build).to(dtype), positions, dtype).items():
            assert value.dtype is dtype, f"{name} is {value.dtype} where the activations are {dtype}"
            shapes = {"embed": (BATCH, TOKENS, WIDTH), "bias": (BATCH, HEADS, TOKENS, TOKENS)}
            shape = shapes.get(name, (BATCH, HEADS, TOKENS, HEAD_WIDTH))
            assert value.shape == shape or (name == "bias" and torch.broadcast_shapes(value.shape, shape) == shape)
        assert model_of(build).to(dtype)(tokens(), positions).dtype is dtype


@rule
def neighbours_differ(build):
    """In bfloat16, whose numbers end at 256, position 257 is still another one: by embedding, by rotation, or by bias."""
    for dtype in (torch.float32, torch.bfloat16):
        seen = doors(encoding_of(build).to(dtype), torch.tensor([256, 257]), dtype)
        pairs = [seen[name].unbind(dim=-2) for name in ("embed", "rotated q", "rotated k")]
        if "bias" in seen:  # what the query at 257 adds for the key at 256 and for the key at 257
            pairs.append(seen["bias"].expand(BATCH, HEADS, 2, 2)[..., 1, :].unbind(dim=-1))
        assert any(not torch.equal(left, right) for left, right in pairs), f"256 and 257 look alike in {dtype}"


def positions_may_be_of(build, *dtypes: torch.dtype) -> None:
    model, places = model_of(build), torch.tensor([3, 4, 200, 257, 300])
    expected = model(tokens(), places)
    for dtype in dtypes:
        with works(f"positions in {dtype}"):
            result = model(tokens(), places.to(dtype))
        agree(result, expected, f"positions in {dtype}")


@rule
def positions_may_be_of_any_integer_type(build):
    positions_may_be_of(build, torch.int32, torch.int16)


@rule
def positions_may_be_real(build):
    positions_may_be_of(build, torch.float32, torch.float64)


@rule
def fixed_numbers_are_not_stored(build):
    """The state dict holds what is trained and at most the number of a seed, and no tensor hides in an attribute."""
    encoding = encoding_of(build)
    stored = {name: value for name, value in encoding.state_dict().items() if value.ndim or "_extra_state" not in name}
    assert stored.keys() == dict(encoding.named_parameters()).keys(), "a fixed table is stored"
    assert all(parameter.requires_grad for parameter in encoding.parameters()), "a fixed table is a parameter"
    encoding.embed(random(BATCH, TOKENS, WIDTH), torch.arange(TOKENS))
    for module in encoding.modules():
        hidden = [name for name, value in vars(module).items() if isinstance(value, Tensor)]
        assert not hidden, f"{hidden} will not follow .to()"


@rule
def length_may_change_between_save_and_load(build):
    model = model_of(build)
    with seeded(1):
        longer = TinyTransformer(VOCABULARY, WIDTH, HEADS, layers=2, encoding=encoding_of(build, 2 * LENGTH))
    with works("loading into a longer model"):
        longer.load_state_dict(model.state_dict())
    agree(longer(tokens()), model(tokens()), "loaded into a longer model")


@rule
def follows_the_device(build):
    """On the device "meta", which holds shapes alone, any number left on the CPU raises."""
    model = model_of(build).to("meta")
    with works("leaving the CPU"):
        out = model(tokens().to("meta"), torch.arange(TOKENS, device="meta"))
    assert out.shape == (BATCH, TOKENS, VOCABULARY)


@rule
def positions_of_a_row_are_its_own(build):
    """Positions (B, L) that repeat (L,) change nothing; others give each row what it gets alone."""
    model, encoding = model_of(build, causal=False), encoding_of(build)
    shared = torch.tensor([7, 250, 251, 257, 300])
    agree(model(tokens(), shared.expand(BATCH, -1)), model(tokens(), shared), "(B, L) against (L,)")
    own = torch.stack([shared, shared.flip(0) - 5])
    together = model(tokens(), own)
    for row in range(BATCH):
        agree(together[[row]], model(tokens()[[row]], own[row]), f"row {row}")
    for name, value in doors(encoding, shared.expand(BATCH, -1)).items():
        agree(value, doors(encoding, shared)[name].expand_as(value), name)


@rule
def explicit_positions_are_honoured(build):
    """Tokens left out of a text, or hidden by the mask in it, come to the same: the others keep their positions."""
    model, kept, length = model_of(build, causal=False), torch.tensor([1, 4, 5, 11]), 13
    text, start = tokens(length=length), 251
    mask = torch.zeros(length, dtype=torch.bool).index_fill(0, kept, True).expand(length, length)
    whole = model(text, start + torch.arange(length), mask)[:, kept]
    agree(model(text[:, kept], start + kept), whole, "a text with gaps")
    order = torch.tensor([2, 0, 3, 1])
    agree(model(text[:, kept[order]], start + kept[order]), whole[:, order], "the same tokens stored in another order")


@rule
def padding_on_the_left_changes_nothing(build):
    text, pads = tokens(length=7), 3
    padded = torch.cat([torch.zeros(BATCH, pads, dtype=torch.long), text], dim=1)
    real = torch.arange(padded.shape[1]) >= pads  # (L,)
    positions = (real.cumsum(0) - 1).clamp(min=0)
    model = model_of(build)
    agree(model(padded, positions, real.expand(len(real), -1))[:, pads:], model(text), "padded on the left")


@rule
def cached_decoding_equals_the_full_pass(build):
    model, length, start = model_of(build), 12, 250
    text, positions = tokens(length=length), start + torch.arange(length)
    full = model(text, positions)
    for chunks in ([1] * length, [5, 1, 1, 3, 2], [11, 1]):
        caches = model.new_caches()
        parts = [
            model(part, places, caches=caches)
            for part, places in zip(text.split(chunks, dim=1), positions.split(chunks), strict=True)
        ]
        agree(torch.cat(parts, dim=1), full, f"in chunks of {chunks}")


@rule
def gradients_flow(build):
    """To every parameter of the encoding, and through every door to what went in."""
    model = model_of(build)
    with works("the backward pass"):
        model(tokens(), torch.arange(250, 250 + TOKENS)).square().mean().backward()
    for name, parameter in model.named_parameters():
        grad = parameter.grad
        assert grad is not None and grad.isfinite().all() and grad.any(), f"no gradient reaches {name}"
    x, q, k = (random(*shape, seed=3).requires_grad_() for shape in
               [(BATCH, TOKENS, WIDTH)] + 2 * [(BATCH, HEADS, TOKENS, HEAD_WIDTH)])  # fmt: skip
    positions, encoding = torch.arange(TOKENS), encoding_of(build)
    total = encoding.embed(x, positions).square().sum()
    for turned in encoding.rotate(q, k, positions, positions):
        total = total + turned.square().sum()
    for name, grad in zip("xqk", torch.autograd.grad(total, (x, q, k)), strict=True):
        assert grad.isfinite().all() and grad.any(), f"no gradient comes back to {name}"


@rule
def compiles_in_one_piece(build):
    torch.compiler.reset()
    model = model_of(build)
    compiled = torch.compile(model, backend="eager", fullgraph=True)
    for length in (TOKENS, TOKENS + 4):  # the second length compiles with a symbolic one
        text, positions = tokens(length=length), 250 + torch.arange(length)
        with works("compiling"):
            result = compiled(text, positions)
        agree(result, model(text, positions), "compiled")


@rule
def exports_with_any_length(build):
    """From 3 tokens on: PyTorch 2.6 takes max(1, length - 1) for two cases."""
    model, length = model_of(build).eval(), torch.export.Dim("length", min=3, max=LENGTH)
    example = (tokens(), 250 + torch.arange(TOKENS))
    longer = (tokens(length=9), 240 + torch.arange(9))
    with works("exporting"):
        exported = torch.export.export(model, example, dynamic_shapes=({1: length}, {0: length}), strict=False)
        result = exported.module()(*longer)
    agree(result, model(*longer), "exported")


@rule
def inference_mode_then_training(build):
    """What a first call in inference mode leaves behind must not stop the gradient of a later one."""
    model = model_of(build)
    with torch.inference_mode():
        before = model(tokens())
    with works("training after inference mode"):
        after = model(tokens())
        after.square().mean().backward()
    agree(after, before.clone(), "after inference mode")


@rule
def a_shift_changes_nothing(build):
    """Relative methods see differences of positions alone; absolute ones stand in EXCEPTIONS."""
    model, text = model_of(build), tokens()
    with torch.no_grad():
        for parameter in model.encoding.parameters():  # some start too small to be seen
            parameter.add_(0.5 * torch.randn(parameter.shape, generator=Generator().manual_seed(7)))
        here, there = (model(text, start + torch.arange(TOKENS)) for start in (3, 260))
    torch.testing.assert_close(here, there, rtol=1e-3, atol=1e-3)  # float32 angles near 260 are good to 3e-5


@rule
def memory_stays_flat(build):
    """A thousand calls with varying lengths leave nothing behind."""
    encoding = encoding_of(build)

    def held() -> int:
        return len(pickle.dumps({name: value for name, value in vars(encoding).items() if name != "_forward_hooks"}))

    doors(encoding, torch.arange(2, 7))
    before = held()
    with torch.no_grad():
        for call in range(1000):
            length, start = 1 + call % 13, call % 211
            x, q = torch.zeros(1, length, WIDTH), torch.zeros(1, HEADS, length, HEAD_WIDTH)
            places = torch.arange(start, start + length)
            encoding.embed(x, places)
            encoding.bias(*encoding.rotate(q, q, places, places), places, places)
    assert held() == before, f"the module grew from {before} to {held()} bytes"


@rule
def copies_and_pickles(build):
    model, positions = model_of(build), torch.arange(250, 250 + TOKENS)
    expected = model(tokens(), positions)
    with works("copying"):
        twins = copy.deepcopy(model), pickle.loads(pickle.dumps(model))
    for twin in twins:
        assert twin.encoding is twin.blocks[-1].attention.encoding  # still one encoding for all layers
        assert torch.equal(twin(tokens(), positions), expected)


@rule
def loading_makes_the_same_model(build):
    """Built from other random numbers, then loaded: whatever is drawn is stored, or drawn alike."""
    with seeded(1):
        other = build(WIDTH, HEADS, LENGTH)
    encoding, positions = encoding_of(build), torch.arange(250, 250 + TOKENS)
    other.load_state_dict(encoding.state_dict())
    for name, value in doors(other, positions).items():
        assert torch.equal(value, doors(encoding, positions)[name]), f"{name} is another one after loading"


@rule
def made_without_memory_then_loaded(build):
    """On the device "meta", then given memory that holds nothing, then loaded strictly: the same model again."""
    with torch.device("meta"), works('on the device "meta"'):
        model = model_of(build)
        assert model(torch.zeros(BATCH, TOKENS, dtype=torch.long)).shape == (BATCH, TOKENS, VOCABULARY)
    torch.use_deterministic_algorithms(True)  # fills the new memory with NaN
    try:
        model.to_empty(device="cpu")
    finally:
        torch.use_deterministic_algorithms(False)
    expected = model_of(build)
    model.load_state_dict(expected.state_dict())
    assert torch.equal(model(tokens()), expected(tokens())), "what was never stored was not made again"
    with torch.device("meta"):
        model = model_of(build)
    model.load_state_dict(expected.state_dict(), assign=True)  # no memory but that of what is stored
    with works("loaded by assignment"):
        assert torch.equal(model(tokens()), expected(tokens()))


@rule
def integers_are_refused_by_name(build):
    """Integer activations would cut off a code or a bias: each door refuses them, or leaves them as they are."""
    encoding, positions = encoding_of(build), torch.arange(TOKENS)
    x, q = torch.ones(BATCH, TOKENS, WIDTH), torch.ones(BATCH, HEADS, TOKENS, HEAD_WIDTH)
    for dtype in (torch.int64, torch.uint8):
        whole = q.to(dtype)
        calls = [
            ("x", [x.to(dtype)], lambda x: [encoding.embed(x, positions)]),
            *((name, pair, door) for name, pair in (("q", [whole, q]), ("k", [q, whole]))
              for door in (lambda q, k: encoding.rotate(q, k, positions, positions),
                           lambda q, k: encoding.bias(q, k, positions, positions)))
        ]  # fmt: skip
        for name, given, door in calls:
            try:
                result = door(*given)
            except TypeError as error:
                assert f"{name} has dtype {dtype}" in str(error), f"refused without a name: {error}"
                continue
            same = result is None or all(a is b for a, b in zip(result, given, strict=True))
            assert same, f"{name} in {dtype} is accepted and changed"


@rule
def autocast_changes_nothing(build):
    """Mixed precision rounds matrix products to bfloat16; what is made from positions must not pass through one."""
    encoding, positions = encoding_of(build), torch.tensor([0, 1, 2, 256, 257, 300])
    expected, model = doors(encoding, positions), model_of(build)
    with torch.autocast("cpu", dtype=torch.bfloat16), works("autocast"):
        seen, logits = doors(encoding, positions), model(tokens())
    for name, value in seen.items():
        assert value.dtype is torch.float32 and torch.equal(value, expected[name]), f"autocast changes {name}"
    torch.testing.assert_close(logits.float(), model(tokens()), rtol=0.05, atol=0.05)


@rule
def parameters_and_activations_may_differ_in_type(build):
    """As under autocast, or with adapters: the arithmetic takes the wider type, the result that of the activations."""
    positions = torch.arange(250, 250 + TOKENS)
    for stored, given in ((torch.float32, torch.bfloat16), (torch.float32, torch.float16), (torch.bfloat16, torch.float32)):
        encoding, what = encoding_of(build).to(stored), f"parameters in {stored}, activations in {given}"
        with works(what):
            seen = doors(encoding, positions, given)
        expected = doors(encoding.float(), positions, given, torch.float32)
        for name, value in seen.items():
            assert value.dtype is given, f"{what}: {name} is {value.dtype}"
            rounding = max(1e-5, torch.finfo(given).eps) * expected[name].abs().max()
            assert (value.float() - expected[name]).abs().max() <= rounding, f"{what}: {name} is rounded before its end"


@rule
def far_positions_keep_their_distances(build):
    """Whole positions far out say of each pair what float64 says, or are refused: float32 ends at 2^24."""
    near = torch.tensor([0, 1, 2, 7, 300])

    def pairs(positions: Tensor, dtype: torch.dtype = torch.float32) -> dict[str, Tensor]:
        encoding = encoding_of(build).to(dtype)
        code = encoding.embed(torch.zeros(1, len(positions), WIDTH, dtype=dtype), positions)
        seen = doors(encoding, positions, dtype)
        result = {"embed": code @ code.mT, "rotate": seen["rotated q"] @ seen["rotated k"].mT}
        return {**result, "bias": seen["bias"]} if "bias" in seen else result

    for start in (10**5, 2**24 + 1, 2**31 + 5):
        try:
            seen = pairs(start + near)
        except ValueError as error:
            assert "positions" in str(error), f"refused without a name: {error}"
            continue
        try:
            expected = pairs((start + near).double(), torch.float64)
        except TypeError:  # whole rows only: a row for a distance says the same as near 0
            expected = pairs(near)
            del expected["embed"]
        for door, value in expected.items():
            size, what = value.abs().max().item(), f"{door} at {start}"
            assert (seen[door] - value).abs().max() <= 0.01 * size, what


@rule
def the_default_dtype_changes_nothing(build):
    encoding, positions = encoding_of(build), torch.arange(250, 250 + TOKENS)
    expected = doors(encoding, positions)
    for dtype in (torch.bfloat16, torch.float16, torch.float64):
        torch.set_default_dtype(dtype)
        try:
            with works(f"default {dtype}"):
                seen = doors(encoding, positions)
                made = doors(encoding_of(build), positions, dtype)
        finally:
            torch.set_default_dtype(torch.float32)
        for name, value in seen.items():
            assert torch.equal(value, expected[name]), f"{name} changes with the default {dtype}"
            assert made[name].dtype is dtype and made[name].isfinite().all()


@rule
def no_tokens_give_an_empty_result(build):
    encoding = encoding_of(build)
    for batch, queries, keys in ((BATCH, 0, 0), (BATCH, 0, 5), (BATCH, 5, 0), (0, 5, 5)):
        x, q = torch.ones(batch, queries, WIDTH), torch.ones(batch, HEADS, queries, HEAD_WIDTH)
        k = torch.ones(batch, HEADS, keys, HEAD_WIDTH)
        for m, n in ((torch.arange(queries), torch.arange(keys)),
                     (torch.arange(queries).expand(batch, -1), torch.arange(keys).expand(batch, -1))):  # fmt: skip
            with works(f"{batch} texts, {queries} queries, {keys} keys"):
                embedded, turned = encoding.embed(x, m), encoding.rotate(q, k, m, n)
                bias = encoding.bias(q, k, m, n)
            assert embedded.shape == x.shape and [part.shape for part in turned] == [q.shape, k.shape]
            if bias is not None:
                assert bias.expand(batch, HEADS, queries, keys).shape[-2:] == bias.shape[-2:]


@rule
def sizes_may_be_numpy_integers(build):
    positions = torch.arange(250, 250 + TOKENS)
    with seeded(0), works("NumPy's integers"):
        encoding = build(np.int64(WIDTH), np.int32(HEADS), np.int64(LENGTH))
        seen = doors(encoding, positions)
    for name, value in doors(encoding_of(build), positions).items():
        assert torch.equal(seen[name], value)
    assert "np." not in repr(encoding)


@rule
def second_derivatives_are_finite(build):
    """At distance 0 too, where a power or a logarithm has none of its own."""
    encoding = encoding_of(build)
    parameters = list(encoding.parameters())
    total = sum(value.square().sum() for value in doors(encoding, torch.tensor([0, 1, 2, 300])).values())
    if not parameters:
        return
    first = torch.autograd.grad(total, parameters, create_graph=True, allow_unused=True)
    slopes = sum(grad.square().sum() for grad in first if grad is not None)
    second = torch.autograd.grad(slopes, parameters, allow_unused=True)
    for grad in (*first, *second):
        assert grad is None or grad.isfinite().all(), "a derivative is not finite"


# ------------------------------------------------------------------- each rule notices a mistake of the kind it is for


class Embed(PositionalEncoding):
    """Door 1 as a function of x, positions and the module itself, with whatever the module is to hold."""

    def __init__(self, function, stored: Tensor | None = None, fixed: Tensor | None = None, **attributes):
        super().__init__()
        self.function = function
        for table, persistent in ((stored, True), (fixed, False)):
            if table is not None:
                self.register_buffer("table", table, persistent)
        for name, value in attributes.items():
            setattr(self, name, value)

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return self.function(x, positions, self)


class OtherName(PositionalEncoding):
    def embed(self, x: Tensor, index: Tensor) -> Tensor:
        return x


def add(x: Tensor, positions: Tensor) -> Tensor:
    return x + sinusoidal(positions, WIDTH).to(x.dtype)


def table(length: int = LENGTH) -> Tensor:
    return sinusoidal(torch.arange(length), WIDTH)


def add_row(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    return x + module.table[positions].to(x.dtype)


def keep_first_table(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    if not hasattr(module, "table"):
        module.register_buffer("table", table(), persistent=False)
    return x * module.table[: x.shape[1]]


def keep_every_table(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    return x + module.tables.setdefault((x.shape[1], int(positions[0])), sinusoidal(positions, WIDTH))


MISTAKES = [
    ("is_an_encoding", lambda length: OtherName()),
    ("dtype_and_shape_follow_the_activations", lambda length: Embed(lambda x, p, m: x + sinusoidal(p, WIDTH))),
    ("neighbours_differ", lambda length: Embed(lambda x, p, m: add(x, p.to(x.dtype).float()))),
    ("positions_may_be_of_any_integer_type", lambda length: Embed(lambda x, p, m: x + table()[p].to(x.dtype))),
    ("positions_may_be_real", lambda length: Embed(lambda x, p, m: x + table()[p].to(x.dtype))),
    ("fixed_numbers_are_not_stored", lambda length: Embed(lambda x, p, m: add(x, p), stored=table())),
    ("fixed_numbers_are_not_stored", lambda length: Embed(lambda x, p, m: add(x, p), table=table())),
    ("fixed_numbers_are_not_stored",
     lambda length: Embed(lambda x, p, m: add(x, p), table=nn.Parameter(table(), requires_grad=False))),
    ("length_may_change_between_save_and_load",
     lambda length: Embed(lambda x, p, m: add(x, p), stored=table(length))),
    ("follows_the_device", lambda length: Embed(lambda x, p, m: add(x, torch.arange(x.shape[1])))),
    ("positions_of_a_row_are_its_own", lambda length: Embed(lambda x, p, m: add(x, p if p.ndim == 1 else p[0]))),
    ("explicit_positions_are_honoured", lambda length: Embed(lambda x, p, m: add(x, torch.arange(x.shape[1])))),
    ("explicit_positions_are_honoured", lambda length: Embed(lambda x, p, m: add(x, p.amin() + p - p[..., :1]))),
    ("padding_on_the_left_changes_nothing", lambda length: Embed(lambda x, p, m: add(x, torch.arange(x.shape[1])))),
    ("cached_decoding_equals_the_full_pass", lambda length: Embed(lambda x, p, m: add(x, torch.arange(x.shape[1])))),
    ("gradients_flow", lambda length: Embed(lambda x, p, m: add(x.detach(), p))),
    ("gradients_flow", lambda length: Embed(lambda x, p, m: add(x, p), unused=nn.Parameter(torch.ones(1)))),
    ("compiles_in_one_piece", lambda length: Embed(lambda x, p, m: add(x, p if p.max() < 1e6 else p % 1e6))),
    ("exports_with_any_length", lambda length: Embed(lambda x, p, m: add(x, p if p.max() < 1e6 else p % 1e6))),
    ("inference_mode_then_training", lambda length: Embed(keep_first_table)),
    ("a_shift_changes_nothing", lambda length: Embed(lambda x, p, m: add(x, p))),
    ("memory_stays_flat", lambda length: Embed(keep_every_table, tables={})),
    ("copies_and_pickles", lambda length: Embed(lambda x, p, m: add(x, p))),  # a lambda cannot be pickled
    ("loading_makes_the_same_model", lambda length: Embed(add_row, fixed=torch.randn(length, WIDTH))),
    ("made_without_memory_then_loaded", lambda length: Embed(add_row, fixed=table(length))),
    ("integers_are_refused_by_name", lambda length: Embed(lambda x, p, m: add(x, p))),
    ("autocast_changes_nothing", lambda length: Embed(lambda x, p, m: x + sinusoidal(p, WIDTH) @ torch.eye(WIDTH))),
    ("parameters_and_activations_may_differ_in_type",
     lambda length: Embed(lambda x, p, m: x + m.table[p], table=nn.Parameter(table()))),
    ("parameters_and_activations_may_differ_in_type",
     lambda length: Embed(lambda x, p, m: x + (p[:, None] * m.slope).to(x.dtype), slope=nn.Parameter(torch.tensor([0.3])))),
    ("far_positions_keep_their_distances",
     lambda length: Embed(lambda x, p, m: x + (p.to(x.dtype)[..., None] * frequencies(2 * WIDTH).to(x.dtype)).sin())),
    ("far_positions_keep_their_distances",
     lambda length: Embed(lambda x, p, m: add(x, p.float() if x.dtype is torch.float32 else p))),
    ("the_default_dtype_changes_nothing",
     lambda length: Embed(lambda x, p, m: x + (p[..., None] / torch.arange(1, WIDTH + 1)).to(x.dtype))),
    ("no_tokens_give_an_empty_result", lambda length: Embed(lambda x, p, m: add(x, p - p[..., 0]))),
    ("sizes_may_be_numpy_integers", lambda length: Embed(lambda x, p, m: add(x, p), bits=length.bit_length())),
    ("second_derivatives_are_finite",
     lambda length: Embed(lambda x, p, m: x + p.float()[..., None] ** m.power, power=nn.Parameter(torch.tensor(0.5)))),
]  # fmt: skip


@pytest.mark.parametrize(("rule_name", "make"), MISTAKES)
def test_a_rule_notices(rule_name, make):
    with pytest.raises(AssertionError):
        RULES[rule_name](lambda width, heads, length: make(length))


def test_every_rule_has_a_mistake_that_it_notices():
    assert {rule_name for rule_name, _ in MISTAKES} == RULES.keys()
