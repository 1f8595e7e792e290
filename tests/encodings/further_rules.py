"""Rules for the course's own encodings, beyond those of `lab.rules` that a reader's keep, too: what only tests can hold.

Compilers, dtypes, positions of any kind, what is stored. A rule asserts something of a `Candidate`, and so is broken by
whatever it raises. LENGTH leaves room for positions 256 and 257.
"""

import copy
import inspect
import pickle

import numpy as np
import torch
from torch import Generator, Tensor

from posenc_helpers.encodings import PositionalEncoding
from posenc_helpers.lab.rules import Candidate
from posenc_helpers.lab.rules.candidate import LENGTH, VOCABULARY
from posenc_helpers.lab.rules.rule import Rule, said
from posenc_helpers.lab.training import seeded

BATCH, TOKENS = 2, 5
PLACES = 250 + torch.arange(TOKENS)
FURTHER: list[Rule] = []


def rule(function):
    def broken(given: Candidate) -> str | None:
        try:
            return function(given)
        except Exception as error:
            return said(error)

    FURTHER.append(Rule(function.__name__.replace("_", " "), function.__doc__, "", broken))
    return function


def random(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=Generator().manual_seed(0), dtype=torch.float32)


def queries(given: Candidate, length: int = TOKENS, batch: int = BATCH) -> Tensor:
    """Ones of the shape of q and of k."""
    return torch.ones(batch, given.heads, length, given.width // given.heads)


def doors(given: Candidate, encoding: PositionalEncoding, positions: Tensor, *dtypes: torch.dtype) -> dict[str, Tensor]:
    """What comes out of each door of `encoding` at `positions` (L,) for the same input in every place.

    A door that returns None is left out. The input is cast to `dtypes` in turn.
    """
    length = len(positions)
    x = random(BATCH, 1, given.width).expand(-1, length, -1)
    q, k = random(2, BATCH, given.heads, 1, given.width // given.heads).expand(-1, -1, -1, length, -1)
    for dtype in dtypes:
        x, q, k = x.to(dtype), q.to(dtype), k.to(dtype)
    out = {"embed": encoding.embed(x, positions)}
    out["rotated q"], out["rotated k"] = encoding.rotate(q, k, positions, positions)
    bias = encoding.bias(q, k, positions, positions)
    return out if bias is None else {**out, "bias": bias}


def agree(left: Tensor, right: Tensor, what: str) -> None:
    """Equal but for rounding: logits are of order 1, and float32 sums in another order differ by about 1e-6."""
    torch.testing.assert_close(left, right, rtol=1e-4, atol=2e-5, msg=lambda report: f"{what}: {report}")


@rule
def doors_take_what_the_base_class_says(given):
    encoding = given.encoding()
    assert encoding is not given.encoding(), "the same encoding twice"
    for door in ("embed", "rotate", "bias", "mix"):
        taken = inspect.signature(getattr(type(getattr(encoding, "grid", encoding)), door)).parameters
        allowed = inspect.signature(getattr(PositionalEncoding, door)).parameters
        assert taken.keys() == allowed.keys(), f"{door} takes {', '.join(taken)}"


@rule
def runs_in_a_model_of_any_dtype(given):
    for dtype in (torch.bfloat16, torch.float16, torch.float64):
        assert given.model().to(dtype)(given.tokens(TOKENS), PLACES).dtype is dtype, f"another dtype than {dtype}"


def positions_may_be_of(given: Candidate, *dtypes: torch.dtype) -> None:
    model, places = given.model(), torch.tensor([3, 4, 200, 257, 300])
    expected = model(given.tokens(5), places)
    for dtype in dtypes:
        agree(model(given.tokens(5), places.to(dtype)), expected, f"positions in {dtype}")


@rule
def positions_may_be_of_any_integer_type(given):
    positions_may_be_of(given, torch.int32, torch.int16)


@rule
def positions_may_be_real(given):
    positions_may_be_of(given, torch.float32, torch.float64)


@rule
def neighbours_differ(given):
    """By embedding, by rotation, or by what the query at 257 adds for the key at 256 and for the key at 257."""
    seen = doors(given, given.encoding(), torch.tensor([256, 257]))
    pairs = [seen[name].unbind(dim=-2) for name in ("embed", "rotated q", "rotated k")]
    if "bias" in seen:
        pairs.append(seen["bias"].expand(BATCH, given.heads, 2, 2)[..., 1, :].unbind(dim=-1))
    assert any(not torch.equal(left, right) for left, right in pairs), "256 and 257 look alike"


@rule
def order_of_storage_is_nothing(given):
    """Tokens stored in another order, each with its position, get what they got."""
    model, text, order = given.model(causal=False), given.tokens(4, BATCH), torch.tensor([2, 0, 3, 1])
    places = torch.tensor([252, 255, 256, 262])
    agree(model(text[:, order], places[order]), model(text, places)[:, order], "stored in another order")


@rule
def decodes_in_chunks_of_any_size(given):
    model, length = given.model(), 12
    text, places = given.tokens(length, BATCH), 250 + torch.arange(length)
    full = model(text, places)
    for chunks in ([5, 1, 1, 3, 2], [11, 1]):
        caches = model.new_caches()
        parts = zip(text.split(chunks, dim=1), places.split(chunks), strict=True)
        agree(torch.cat([model(*part, caches=caches) for part in parts], dim=1), full, f"in chunks of {chunks}")


@rule
def a_shift_changes_nothing(given):
    """Relative methods see differences of positions alone; absolute ones are exceptions."""
    model, text = given.model(), given.tokens(TOKENS)
    here, there = (model(text, start + torch.arange(TOKENS)) for start in (3, 260))
    torch.testing.assert_close(here, there, rtol=1e-3, atol=1e-3)  # float32 angles near 260 are good to 3e-5


@rule
def gradients_come_back(given):
    """Through every door to what went in."""
    x, q, k = (one.requires_grad_() for one in (random(BATCH, TOKENS, given.width), queries(given), queries(given)))
    positions, encoding = torch.arange(TOKENS), given.encoding()
    total = encoding.embed(x, positions).square().sum()
    for turned in encoding.rotate(q, k, positions, positions):
        total = total + (turned * random(*turned.shape)).sum()
    for name, grad in zip("xqk", torch.autograd.grad(total, (x, q, k)), strict=True):
        assert grad.isfinite().all() and grad.any(), f"no gradient comes back to {name}"


@rule
def second_derivatives_are_finite(given):
    """At distance 0 too, where a power or a logarithm has none of its own."""
    encoding = given.encoding(moved=False)
    parameters = list(encoding.parameters())
    if not parameters:
        return
    total = sum(value.square().sum() for value in doors(given, encoding, torch.tensor([0, 1, 2, 300])).values())
    first = torch.autograd.grad(total, parameters, create_graph=True, allow_unused=True)
    slopes = sum(grad.square().sum() for grad in first if grad is not None)
    for grad in (*first, *torch.autograd.grad(slopes, parameters, allow_unused=True)):
        assert grad is None or grad.isfinite().all(), "a derivative is not finite"


# ------------------------------------------------------------------------------------------------- what is stored


@rule
def fixed_numbers_are_not_stored(given):
    """The state dict holds what is trained and at most the number of a seed."""
    encoding = given.encoding()
    stored = {name for name, value in encoding.state_dict().items() if value.ndim or "_extra_state" not in name}
    assert stored == dict(encoding.named_parameters()).keys(), "a fixed table is stored"
    assert all(parameter.requires_grad for parameter in encoding.parameters()), "a fixed table is a parameter"


@rule
def length_may_change_between_save_and_load(given):
    model = given.model()
    with seeded(1):
        longer = given.model(encoding=given.build(given.width, given.heads, 2 * LENGTH))
    longer.load_state_dict(model.state_dict())
    agree(longer(given.tokens(TOKENS)), model(given.tokens(TOKENS)), "loaded into a longer model")


@rule
def memory_stays_flat(given):
    """Calls with varying lengths leave nothing behind."""
    encoding = given.encoding()

    def held() -> int:
        return len(pickle.dumps({name: value for name, value in vars(encoding).items() if name != "_forward_hooks"}))

    doors(given, encoding, torch.arange(2, 7))
    before = held()
    for call in range(40):
        doors(given, encoding, torch.arange(call, call + 1 + call % 13))
    assert held() == before, f"the module grew from {before} to {held()} bytes"


@rule
def copies_and_pickles(given):
    model, text = given.model(), given.tokens(TOKENS)
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert twin.encoding is twin.blocks[-1].attention.encoding, "no longer one encoding for all layers"
        assert torch.equal(twin(text, PLACES), model(text, PLACES)), "a copy says something else"


@rule
def follows_the_device(given):
    """On the device "meta", which holds shapes alone, any number left on the CPU raises."""
    out = given.model().to("meta")(given.tokens(TOKENS).to("meta"), torch.arange(TOKENS, device="meta"))
    assert out.shape == (1, TOKENS, VOCABULARY)


@rule
def made_on_meta_then_loaded_by_assignment(given):
    """Made without any memory but that of what is stored: the same model again."""
    expected, text = given.model(encoding=given.encoding(moved=False)), given.tokens(TOKENS)
    with torch.device("meta"):
        model = given.model(encoding=given.build(given.width, given.heads, LENGTH))
        assert model(torch.zeros(1, TOKENS, dtype=torch.long)).shape == (1, TOKENS, VOCABULARY)
    model.load_state_dict(expected.state_dict(), assign=True)
    assert torch.equal(model(text), expected(text)), "what was never stored was not made again"


# --------------------------------------------------------------------------------------------- dtypes and sizes


@rule
def integers_are_refused_by_name(given):
    """Integer activations would cut off a code or a bias: each door refuses them, or leaves them as they are."""
    encoding, places = given.encoding(), torch.arange(TOKENS)
    x, q = torch.ones(BATCH, TOKENS, given.width), queries(given)

    def embed(x: Tensor) -> tuple[Tensor]:
        return (encoding.embed(x, places),)

    def rotate(q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        return encoding.rotate(q, k, places, places)

    def bias(q: Tensor, k: Tensor) -> Tensor | None:
        return encoding.bias(q, k, places, places)

    for dtype in (torch.int64, torch.uint8):
        pairs = [("q", (q.to(dtype), q)), ("k", (q, q.to(dtype)))]
        for name, inputs, door in [
            ("x", (x.to(dtype),), embed),
            *((*pair, door) for pair in pairs for door in (rotate, bias)),
        ]:
            try:
                result = door(*inputs)
            except TypeError as error:
                assert f"{name} has dtype {dtype}" in str(error), f"refused without a name: {error}"
                continue
            same = result is None or all(a is b for a, b in zip(result, inputs, strict=True))
            assert same, f"{name} in {dtype} is accepted and changed"


@rule
def autocast_changes_nothing(given):
    """Mixed precision rounds matrix products to bfloat16; what is made from positions must not pass through one."""
    encoding, positions = given.encoding(), torch.tensor([0, 1, 2, 256, 257, 300])
    expected, model = doors(given, encoding, positions), given.model()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        seen, logits = doors(given, encoding, positions), model(given.tokens(TOKENS))
    for name, value in seen.items():
        assert value.dtype is torch.float32 and torch.equal(value, expected[name]), f"autocast changes {name}"
    torch.testing.assert_close(logits.float(), model(given.tokens(TOKENS)), rtol=0.05, atol=0.05)


@rule
def parameters_and_activations_may_differ_in_type(given):
    """As under autocast, or with adapters: the arithmetic takes the wider type, the result that of the activations."""
    single, half = torch.float32, (torch.bfloat16, torch.float16)
    for stored, active in ((single, half[0]), (single, half[1]), (half[0], single)):
        encoding, what = given.encoding(moved=False).to(stored), f"parameters in {stored}, activations in {active}"
        seen = doors(given, encoding, PLACES, active)
        expected = doors(given, encoding.float(), PLACES, active, single)
        for name, value in seen.items():
            assert value.dtype is active, f"{what}: {name} is {value.dtype}"
            rounding = max(1e-5, torch.finfo(active).eps) * expected[name].abs().max()
            assert (value.float() - expected[name]).abs().max() <= rounding, f"{what}: {name} is rounded before its end"


@rule
def far_positions_keep_their_distances(given):
    """Whole positions far out say of each pair what float64 says, or are refused: float32 ends at 2^24."""
    near = torch.tensor([0, 1, 2, 7, 300])

    def pairs(positions: Tensor, dtype: torch.dtype = torch.float32) -> dict[str, Tensor]:
        encoding = given.encoding(moved=False).to(dtype)
        code = encoding.embed(torch.zeros(1, len(positions), given.width, dtype=dtype), positions)
        seen = doors(given, encoding, positions, dtype)
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
            off = (seen[door] - value).abs().max() / value.abs().max().clamp(min=1e-9)
            assert off <= 0.01, f"{door} at {start}"


@rule
def the_default_dtype_changes_nothing(given):
    encoding = given.encoding(moved=False)
    expected = doors(given, encoding, PLACES)
    for dtype in (torch.bfloat16, torch.float16, torch.float64):
        torch.set_default_dtype(dtype)
        try:
            seen = doors(given, encoding, PLACES)
            made = doors(given, given.encoding(moved=False), PLACES, dtype)
        finally:
            torch.set_default_dtype(torch.float32)
        for name, value in seen.items():
            assert torch.equal(value, expected[name]), f"{name} changes with the default {dtype}"
            assert made[name].dtype is dtype and made[name].isfinite().all(), f"{name} made with the default {dtype}"


@rule
def no_tokens_give_an_empty_result(given):
    encoding = given.encoding()
    for batch, asking, keys in ((BATCH, 0, 0), (BATCH, 0, 5), (BATCH, 5, 0), (0, 5, 5)):
        x, q, k = torch.ones(batch, asking, given.width), queries(given, asking, batch), queries(given, keys, batch)
        shared = torch.arange(asking), torch.arange(keys)
        for m, n in (shared, tuple(places.expand(batch, -1) for places in shared)):
            embedded, turned, bias = encoding.embed(x, m), encoding.rotate(q, k, m, n), encoding.bias(q, k, m, n)
            assert embedded.shape == x.shape and [part.shape for part in turned] == [q.shape, k.shape]
            if bias is not None:
                assert bias.expand(batch, given.heads, asking, keys).shape[-2:] == bias.shape[-2:]


@rule
def sizes_may_be_numpy_integers(given):
    with seeded(0):
        encoding = given.build(np.int64(given.width), np.int32(given.heads), np.int64(LENGTH))
    for name, value in doors(given, given.encoding(moved=False), PLACES).items():
        assert torch.equal(doors(given, encoding, PLACES)[name], value), f"{name} is another one"
    assert "np." not in repr(encoding), "NumPy's integers are kept"


# -------------------------------------------------------------- slow: on each push for one encoding a door (NIGHTLY)


@rule
def compiles_in_one_piece(given):
    torch.compiler.reset()
    model = given.model()
    compiled = torch.compile(model, backend="eager", fullgraph=True)
    for length in (TOKENS, TOKENS + 4):  # the second length compiles with a symbolic one
        text, positions = given.tokens(length, BATCH), 250 + torch.arange(length)
        agree(compiled(text, positions), model(text, positions), "compiled")


@rule
def exports_with_any_length(given):
    """From 3 tokens on: PyTorch 2.6 takes max(1, length - 1) for two cases."""
    model, length = given.model(), torch.export.Dim("length", min=3, max=LENGTH)
    longer = (given.tokens(9, BATCH), 240 + torch.arange(9))
    sizes = ({1: length}, {0: length})
    exported = torch.export.export(model, (given.tokens(TOKENS, BATCH), PLACES), dynamic_shapes=sizes, strict=False)
    agree(exported.module()(*longer), model(*longer), "exported")


SLOW = FURTHER[-2:]
