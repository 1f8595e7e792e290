"""Further rules about numbers: dtypes of activations, parameters and positions, far positions, and sizes."""

import numpy as np
import torch
from torch import Tensor

from posenc_helpers.lab.rules import Candidate
from posenc_helpers.lab.rules.candidate import LENGTH
from posenc_helpers.lab.training import seeded
from tests.encodings.asking import BATCH, PLACES, TOKENS, agree, doors, queries, rule


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
