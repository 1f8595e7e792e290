"""What a reader may bring, what becomes of it, and the door before anything is measured: who is let in, how far it reaches.

That each rule notices its mistakes stands in tests/encodings/test_encodings.py.
"""

import math

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from posenc_helpers.encodings import (
    ENCODINGS,
    AxialRotaryEncoding,
    LearnedEncoding,
    PerLayer,
    PositionalEncoding,
    RotaryEncoding,
    SinusoidalEncoding,
    T5Encoding,
    apply_rope,
    sinusoidal,
)
from posenc_helpers.lab.rules import RULES, admit, builder, counts_in_storage, examine, reach
from posenc_helpers.lab.rules.rule import differ
from tests.encodings.wrong_encodings import (
    Bias,
    Looked,
    ShortBias,
    Sliced,
    bias,
    checked,
    embed,
    far_apart,
    rotate,
    sheer,
    table,
)
from tests.lab.of_readers import ContentSpeeds, ForgetGates
from tests.refused import refused


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


@pytest.mark.parametrize(
    "mine",
    [
        Right,
        embed(lambda x, p, m: checked(x, p, m.rows), rows=lambda: nn.Buffer(torch.randn(320, 64))),
        Right(64, 5),  # a table too short for most inputs
        bias(lambda q, k, qp, kp: far_apart(q, qp, kp)),
        rotate(lambda q, k, qp, kp: (pad(apply_rope(q, qp), (0, 8)), pad(apply_rope(k, kp), (0, 8)))),  # wider
        lambda width, heads, length: PerLayer(T5Encoding(heads) for _ in range(3)),
        PerLayer([SinusoidalEncoding(64), RotaryEncoding(16)]),
    ],
    ids=["class", "saved", "short instance", "bias", "rotate", "per layer", "per layer, built"],
)
def test_nothing_is_found_where_nothing_is_wrong(mine):
    found = examine(mine)
    assert len(found) == len(RULES) and not any(finding.broken for finding in found)


@pytest.mark.parametrize("mine", [ENCODINGS["cope"], ForgetGates, ContentSpeeds], ids=["cope", "fox", "carope"])
def test_gates_on_the_content_are_told_that_they_break_two_rules_by_nature(mine):
    found = {finding.rule.name: finding.rule.change for finding in examine(mine) if finding.broken}
    assert set(found) - {"takes positions of each row"} <= {"reads positions", "leaves gaps"} and len(found) >= 2
    assert all("Gates on the content (CoPE, FoX, CARoPE)" in change for change in found.values())


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


SCALED = embed(lambda x, p, m: x, scaled=lambda: 2 * table())
COPIED = r"Embed cannot be copied \(.*\); a tensor computed from a parameter"
test_what_is_no_encoding_or_cannot_be_asked_is_named = refused(
    (lambda: examine(torch.zeros(3)), r"got a Tensor, .* no Pos.*; write class Mine\(PositionalEncoding\)", TypeError),
    (lambda: examine(nn.Embedding), "got the class Embedding, which is no PositionalEncoding", TypeError),
    (lambda: examine(Odd), r"Odd asks for wavelength, which is not known \(width, heads, .*: Odd\(", TypeError),
    (
        lambda: examine(lambda width, heads, length: None),
        "a NoneType for width=64, heads=4, length=320; all",
        TypeError,
    ),
    (lambda: examine(lambda width: RotaryEncoding(width)), "cannot be built for .*: TypeError: .* 3 were", TypeError),
    (lambda: examine(sinusoidal), "sinusoidal cannot be built for", TypeError),
    (lambda: builder(RotaryEncoding(8)), "got a RotaryEncoding that is built already, .* pass lambda width", TypeError),
    (lambda: examine(AxialRotaryEncoding(16)), "takes positions of 2 coordinates; allowed: of one number"),
    (lambda: examine(SCALED(64, 4, 320)), COPIED, TypeError),
    (lambda: admit(SCALED, (64, 4, 1), least=1), COPIED, TypeError),
)


@pytest.mark.parametrize("rows", [1, 64, 99, 100])
@pytest.mark.parametrize("make", [Looked, Sliced, LearnedEncoding, lambda width, rows: ShortBias(rows)])
def test_reach_is_where_the_table_ends(make, rows):
    assert reach(RotaryEncoding(16), 60, 4, 100) == 0, "heads of 15: it never runs"
    own = make(64, rows)
    if make is Sliced and rows == 1:
        rows = 100  # one row is broadcast to all tokens
    assert reach(own, 64, 4, 100) == min(rows, 100)
    if type(own).embed is PositionalEncoding.embed:
        assert reach(PerLayer([PositionalEncoding(), own]), 64, 4, 100) == min(rows, 100)


def test_who_is_let_in_knows_how_far_and_is_not_asked_again():
    entrant = admit(Looked, (64, 4, 50), least=50, rate=3.0)
    assert (entrant.name, entrant.reach, entrant.stored, entrant.rate) == ("Looked", 50, None, 3.0)
    assert admit(entrant, (1, 1, 1), least=99) is entrant
    assert admit(RotaryEncoding, (64, 4, 1), least=32).reach == 4096
    with pytest.raises(
        ValueError, match=r"Looked cannot be measured: a text of 51 tokens stops with IndexError: .* 64 pos"
    ):
        admit(Looked, (64, 4, 50), least=64)


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
