"""What a reader may bring, and what becomes of it: an instance of unknown sizes, a class, a function, something else.

That each rule notices its mistakes stands in tests/encodings/test_encodings.py.
"""

import math

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from posenc_helpers.encodings import (
    ENCODINGS,
    AxialRotaryEncoding,
    PerLayer,
    PositionalEncoding,
    RotaryEncoding,
    SinusoidalEncoding,
    T5Encoding,
    apply_rope,
    sinusoidal,
)
from posenc_helpers.lab.rules import RULES, admit, builder, counts_in_storage, examine
from posenc_helpers.lab.rules.rule import differ, smallest
from posenc_helpers.transformer import attend
from tests.encodings.wrong_encodings import Bias, Looked, bias, checked, embed, far_apart, rotate, sheer, table
from tests.lab.of_readers import ContentSpeeds, ForgetGates


def broken(mine: object, **sizes) -> dict[str, str]:
    """{rule: smallest input and what happens there} of the rules that `mine` breaks."""
    return {rule.name: where for rule, where in examine(mine, **sizes) if where is not None}


def test_a_bias_of_each_row_that_lands_on_the_heads_is_noticed_where_there_are_as_many():
    """(B, L_q, L_k) is broadcast over the heads without a word if B = H."""
    found = broken(Bias(sheer), width=8, heads=2)
    assert list(found) == ["takes positions of each row"]
    assert found["takes positions of each row"].startswith("positions [[0, 1], [3, 1]]: the logits are off by")


class Right(Looked):
    """What a reader ends up with."""

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return checked(x, positions, self.table)


class Polar(PositionalEncoding):
    """PoPE (arXiv 2509.10534): each column becomes a length and an angle, so q and k are twice as wide."""

    def __init__(self, head_dim: int):
        super().__init__()
        self.delta = nn.Parameter(torch.zeros(head_dim))

    def spread(self, x: Tensor, positions: Tensor, shift: Tensor | float = 0.0) -> Tensor:
        speeds = 10000.0 ** (-torch.arange(x.shape[-1]) / x.shape[-1])
        angle = (positions.float()[..., None] * speeds + shift)[..., None, :, :]
        length = functional.softplus(x.float())
        return torch.cat([length * angle.cos(), length * angle.sin()], dim=-1).to(x.dtype)

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        return self.spread(q, q_positions), self.spread(k, k_positions, self.delta)


@pytest.mark.parametrize(
    "mine",
    [
        Right,
        embed(lambda x, p, m: checked(x, p, m.rows), rows=lambda: nn.Buffer(torch.randn(320, 64))),
        Polar,
        Right(64, 5),  # a table too short for most inputs
        bias(lambda q, k, qp, kp: far_apart(q, qp, kp)),
        rotate(lambda q, k, qp, kp: (apply_rope(q, qp), apply_rope(k, kp))),
        lambda width, heads, length: PerLayer(T5Encoding(heads) for _ in range(3)),
        PerLayer([SinusoidalEncoding(64), RotaryEncoding(16)]),
    ],
    ids=["class", "saved", "polar", "short instance", "bias", "rotate", "per layer", "per layer, built"],
)
def test_nothing_is_found_where_nothing_is_wrong(mine):
    found = examine(mine)
    assert len(found) == len(RULES) and not any(finding.broken for finding in found)


def test_wider_queries_and_keys_are_divided_by_the_root_of_the_head_width():
    """sum_c |q_c| |k_c| cos((m - n) w_c - delta_c) / sqrt(d_head), not / sqrt(2 d_head)."""
    q, k, v = torch.randn(3, 1, 1, 4, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    places, speeds = torch.tensor([0, 3, 7, 20]), 10000.0 ** (-torch.arange(6) / 6)
    mine, turn = Polar(6), (places[:, None] - places)[..., None] * speeds.double()  # (L, L, d_head)
    scores = functional.softplus(q)[0, 0, :, None] * functional.softplus(k)[0, 0] * turn.cos()
    expected = (scores.sum(-1) / math.sqrt(6)).softmax(-1) @ v[0, 0]
    torch.testing.assert_close(attend(q, k, v, places, places, mine)[0, 0], expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("mine", [ENCODINGS["cope"], ForgetGates, ContentSpeeds], ids=["cope", "fox", "carope"])
def test_gates_on_the_content_are_told_that_they_break_two_rules_by_nature(mine):
    found = {finding.rule.name: finding.rule.change for finding in examine(mine) if finding.broken}
    assert set(found) - {"takes positions of each row"} <= {"reads positions", "leaves gaps"} and len(found) >= 2
    assert all("Gates on the content (CoPE, FoX, CARoPE)" in change for change in found.values())


def test_smallest_stops_at_the_first_input_that_fails():
    asked = []

    def test(one: int) -> str | None:
        asked.append(one)
        if one == 3:
            raise KeyError("no such\nthing")
        return "wrong" if one == 2 else None

    assert smallest([1, 2, 3], "input {}", test) == "input 2: wrong" and asked == [1, 2]
    assert smallest([1, 3], "input {}", test) == "input 3: stops with KeyError: 'no such\\nthing'"
    assert smallest([1, 1], "input {}", test) is None and smallest([], "input {}", test) is None


def test_differ_counts_against_the_size_of_the_logits():
    left = torch.tensor([100.0, 2.0])
    assert differ(left, left + 0.09) is None
    assert differ(left, left + 0.2).startswith("the logits are off by (measured 0.002;")
    assert differ(left[1:] / 10, left[1:] / 10 + 0.002) is not None  # small logits: absolute
    assert differ(torch.tensor([math.nan]), torch.tensor([1.0])) is not None


def test_sizes_may_be_given():
    asked = []

    def build(width: int, heads: int, length: int) -> PositionalEncoding:
        asked.append((width, heads, length))
        return SinusoidalEncoding(width)

    assert broken(build, width=12, heads=3) == {} and set(asked) == {(12, 3, 320)}
    assert broken(SinusoidalEncoding(46), width=46, heads=2) == {}
    found = broken(SinusoidalEncoding(46), width=48)
    assert list(found) == ["gives numbers"] and "made for dim=46" in found["gives numbers"]


class Odd(PositionalEncoding):
    def __init__(self, wavelength):
        super().__init__()


class Sized(PositionalEncoding):
    def __init__(self, d_model, n_heads, d_head, max_len, scale=1.0, *more, **named):
        super().__init__()
        self.sizes = (d_model, n_heads, d_head, max_len, scale, more, named)


def test_a_class_gets_the_sizes_that_it_asks_for_by_name():
    assert builder(Sized)(64, 4, 320).sizes == (64, 4, 16, 320, 1.0, (), {})
    assert isinstance(builder(PositionalEncoding)(64, 4, 320), PositionalEncoding)


@pytest.mark.parametrize(
    ("mine", "message"),
    [
        (torch.zeros(3), r"got a Tensor, which is no PositionalEncoding; write class Mine\(PositionalEncoding\)"),
        (nn.Embedding, r"got the class Embedding, which is no PositionalEncoding"),
        (Odd, r"Odd asks for wavelength, which is not known \(width, heads, .*: Odd\("),
        (lambda width, heads, length: None, r"returned a NoneType for width=64, heads=4, length=320; allowed: a Pos"),
        (lambda width: RotaryEncoding(width), r"cannot be built for .*'width': 64.*: TypeError: .* 3 were given"),
        (sinusoidal, r"sinusoidal cannot be built for"),
    ],
)
def test_what_is_no_encoding_is_named(mine, message):
    with pytest.raises(TypeError, match=message):
        examine(mine)


def test_what_is_built_already_on_a_grid_or_cannot_be_copied_is_named():
    with pytest.raises(
        TypeError, match=r"got a RotaryEncoding that is built already, .* pass lambda width, heads, length"
    ):
        builder(RotaryEncoding(8))
    with pytest.raises(
        ValueError, match="AxialRotaryEncoding takes positions of 2 coordinates; allowed: of one number"
    ):
        examine(AxialRotaryEncoding(16))
    make = embed(lambda x, p, m: x, scaled=lambda: 2 * table())
    for ask in (lambda: examine(make(64, 4, 320)), lambda: admit(make, (64, 4, 1), least=1)):
        with pytest.raises(TypeError, match=r"Embed cannot be copied \(.*\); a tensor computed from a parameter"):
            ask()


def test_nothing_else_changes():
    """Neither the encoding, nor random numbers to come, nor threads, nor whether gradients are kept."""
    mine = nn.Module.train(Looked(64, 40))
    before, state, threads = mine.table.clone(), torch.get_rng_state(), torch.get_num_threads()
    examine(mine)
    noisy = embed(lambda x, p, m: x + torch.randn(x.shape))
    examine(noisy), counts_in_storage(noisy(64, 4, 20), 64, 4), admit(RotaryEncoding, (64, 4, 20), least=10)
    with pytest.raises(ValueError, match="positions \\[0\\], twice: "):
        admit(noisy, (64, 4, 20), least=10)
    assert torch.equal(mine.table, before) and mine.training and mine.table.grad is None
    assert torch.equal(torch.get_rng_state(), state) and torch.get_num_threads() == threads and torch.is_grad_enabled()
