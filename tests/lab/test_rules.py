"""Each rule notices the mistake it is for and names its smallest input; the course's encodings keep all of them.

What a reader may bring, and what becomes of it: an instance of unknown sizes, a class, a function, something else.
"""

import math
import re

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from posenc_helpers.checks import check_embedded
from posenc_helpers.encodings import (
    ENCODINGS,
    AlibiEncoding,
    AxialRotaryEncoding,
    LearnedEncoding,
    PerLayer,
    PositionalEncoding,
    RotaryEncoding,
    ShawEncoding,
    SinusoidalEncoding,
    T5Encoding,
    TransformerXLEncoding,
    apply_rope,
    sinusoidal,
)
from posenc_helpers.lab.rules import RULES, Candidate, builder, counts_in_storage, examine, measurable, reach
from posenc_helpers.lab.rules.rule import differ, smallest
from posenc_helpers.transformer import attend
from tests.lab.test_fairness import ContentSpeeds, ForgetGates

NAMES = [rule.name for rule in RULES]
COUNTS = "it counts tokens, and reads no positions"
BY_NATURE = {
    "nope": {"reads positions": "it does nothing"},
    "index": {"tells neighbours apart in bfloat16": "the code is the position itself, and bfloat16 holds no 257"},
    "normalised": dict.fromkeys(
        ("decodes with a key cache", "leaves gaps", "tells neighbours apart in bfloat16"),
        "it divides by the number of tokens in the call: its flaw, and the subject of notebook 02",
    ),
    "cope": dict.fromkeys(("reads positions", "leaves gaps"), COUNTS),
}


def broken(mine: object, **sizes) -> dict[str, str]:
    """{rule: smallest input and what happens there} of the rules that `mine` breaks."""
    return {rule.name: where for rule, where in examine(mine, **sizes) if where is not None}


@pytest.mark.parametrize("name", ENCODINGS)
def test_the_encodings_of_the_course_keep_the_rules(name):
    assert broken(ENCODINGS[name]).keys() == BY_NATURE.get(name, {}).keys()


# ---------------------------------------------------------------------------------------- what each rule is there for


class Embed(PositionalEncoding):
    """Door 1 as a function of x, positions and the module, which holds what it is given."""

    def __init__(self, function, **held):
        super().__init__()
        self.function = function
        for name, value in held.items():
            setattr(self, name, value)

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return self.function(x, positions, self)


class Bias(PositionalEncoding):
    """Door 3 as a function of q, k and their positions."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        return self.function(q, k, q_positions, k_positions)


class Rotate(Bias):
    """Door 2 likewise."""

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> None:
        return None

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        return self.function(q, k, q_positions, k_positions)


class Misspelt(PositionalEncoding):
    def embedd(self, x: Tensor, positions: Tensor) -> Tensor:
        return x + sinusoidal(positions, x.shape[-1])


class Looked(PositionalEncoding):
    """What a reader writes first: nn.Embedding, added."""

    def __init__(self, width: int, length: int):
        super().__init__()
        self.rows = nn.Embedding(length, width)

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return x + self.rows(positions)


class Sliced(PositionalEncoding):
    """A table of which as many rows are taken as there are tokens."""

    def __init__(self, d_model: int, max_len: int):
        super().__init__()
        self.rows = nn.Parameter(0.3 * torch.randn(max_len, d_model))

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return x + self.rows[: x.shape[1]]


class Counted(PositionalEncoding):
    """Sinusoids of where a token is stored."""

    def __init__(self, width: int):
        super().__init__()
        self.width = width

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return x + 0.3 * sinusoidal(torch.arange(x.shape[1]), self.width).to(x.dtype)


def add(x: Tensor, positions: Tensor) -> Tensor:
    return x + sinusoidal(positions, x.shape[-1]).to(x.dtype)


def checked(x: Tensor, positions: Tensor, rows: Tensor, first: int = 0) -> Tensor:
    """A table that is asked for rows it does not have, below `first` or beyond its end."""
    check_embedded(x, positions, rows.shape[-1])
    if positions.max() >= len(rows) or positions.min() < first:
        raise ValueError(f"{len(rows)} rows, positions {positions.min()} to {positions.max()}")
    return x + rows[positions]


def table(rows: int = 320) -> nn.Parameter:
    return nn.Parameter(torch.randn(rows, 64, generator=torch.Generator().manual_seed(0)))


def far_apart(q: Tensor, positions: Tensor, k_positions: Tensor) -> Tensor:
    """A bias that falls with the distance, as (L_q, L_k) or (B, 1, L_q, L_k)."""
    apart = -0.5 * (k_positions[..., None, :] - positions[..., :, None]).abs().to(q.dtype)
    return apart if apart.ndim == 2 else apart[:, None]


def stored(q: Tensor, k: Tensor) -> Tensor:
    """The same of where tokens are stored, the last query at the last key."""
    keys = torch.arange(k.shape[-2])
    return far_apart(q, keys[-q.shape[-2] :], keys)


def first_table(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    if not hasattr(module, "kept"):
        module.register_buffer("kept", sinusoidal(torch.arange(positions.max() + 1), x.shape[-1]), persistent=False)
    return x + module.kept[positions]


def first_of_many(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    if not hasattr(module, "kept"):
        module.register_buffer("kept", sinusoidal(torch.arange(64), x.shape[-1]), persistent=False)
    return x + module.kept[: x.shape[1]] * module.scale


def remembered(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    return x + module.tables.setdefault(x.shape[1], sinusoidal(torch.arange(99), x.shape[-1]))[positions]


MISTAKES = [
    ("gives numbers", lambda: Embed(lambda x, p, m: x + p.nothing), r"positions \[0\]: stops with AttributeError: 'Tensor'"),
    ("gives numbers", lambda: Embed(lambda x, p, m: x + p / p.max()), r"positions \[0\]: NaN or infinity"),
    ("gives numbers", lambda: Embed(lambda x, p, m: x + (1 / (p - 1))[:, None]), r"positions \[1\]: NaN or infinity"),
    ("gives numbers", lambda: Embed(lambda x, p, m: x.expand(2, -1, -1)),
     r"shape \(2, 1, 11\) for tokens of shape \(1, 1\)"),
    ("gives numbers", lambda: Bias(lambda q, k, qp, kp: torch.ones(4) * (kp - qp[..., None]).float()),
     r"positions \[0\]: bias returns shape \(1, 4\); allowed: \(1, 4, 1, 1\)"),
    ("keeps texts apart", lambda: Embed(lambda x, p, m: x + 0.01 * x.mean(0)),
     r"2 texts of two tokens, in one batch or each alone: the logits are off"),
    ("keeps texts apart", lambda: Embed(lambda x, p, m: x + m.rows[:1][torch.arange(len(x))], rows=table()),
     r"2 texts of two tokens, in one batch or each alone: stops with IndexError"),
    ("keeps to the past", lambda: Embed(lambda x, p, m: x + 1e-7 * x.cumsum(1).flip(1)),
     r"it looks at the future: in a text of 2 tokens, what stands from position 1 on changes answers before it$"),
    ("keeps to the past", lambda: Embed(lambda x, p, m: add(x, p / x.shape[1])),
     r"it looks at the future: the answers to the first 2 tokens of a text are others when it goes on to 3 tokens"),
    ("reads positions", Misspelt, r"two tokens at positions \[0, 1\]: moved to \[1, 0\]"),
    ("reads positions", Counted, r"two tokens at positions \[0, 1\]: moved to \[1, 0\]"),
    ("reads positions", Sliced, r"two tokens at positions \[0, 1\]: moved to \[1, 0\]"),
    ("reads positions", lambda: Bias(lambda q, k, qp, kp: stored(q, k)), r"two tokens at positions \[0, 1\]"),
    ("decodes with a key cache", Counted, r"positions \[0, 1\], one a call: the logits are off by \(measured 0\.\d+;"),
    ("decodes with a key cache", Sliced, r"positions \[0, 1\], one a call: the logits are off"),
    ("decodes with a key cache", lambda: Embed(lambda x, p, m: add(x, p - p[..., :1])), r"\[0, 1\], one a call: .* off"),
    ("decodes with a key cache", lambda: Embed(lambda x, p, m: add(x, p * (x.shape[1] > 2))), r"\[0, 1, 2\], one a call"),
    ("decodes with a key cache",
     lambda: Rotate(lambda q, k, qp, kp: (apply_rope(q, qp), apply_rope(k, qp))), r"\[0, 1\], one a call: stops with"),
    ("leaves gaps", lambda: Bias(lambda q, k, qp, kp: stored(q, k)), r"\[0, 2\], the others hidden or left out: .* off"),
    ("leaves gaps", Counted, r"\[0, 2\], the others hidden or left out: the logits are off"),
    ("takes positions of each row", lambda: Embed(lambda x, p, m: add(x, p if p.ndim == 1 else p[0])),
     r"positions \[\[0, 1\], \[3, 1\]\]: the logits are off"),
    ("takes positions of each row",
     lambda: Bias(lambda q, k, qp, kp: -0.5 * (kp[..., None, :] - qp[..., None]).abs()), r"\[\[1\], \[1\]\]: stops with"),
    ("takes positions of each row",
     lambda: Bias(lambda q, k, qp, kp: far_apart(q, qp, kp).sum(0, keepdim=qp.ndim > 1) if qp.ndim > 1
                  else far_apart(q, qp, kp)), r"positions \[\[0, 1\], \[0, 1\]\]: the logits are off"),
    ("refuses (L, B, d)", Looked, r"x of shape \(3, 1, 64\) with 3 positions: embed returns shape \(3, 3, 64\)"),
    ("refuses (L, B, d)", Counted, r"x of shape \(3, 1, 64\) with 3 positions: embed returns shape \(3, 1, 64\)"),
    ("refuses (L, B, d)", lambda: Embed(lambda x, p, m: add(x, p[:, None]) if len(x) == len(p) != x.shape[1] != 1
                                        else checked(x, p, m.rows), rows=table()), r"x of shape \(3, 2, 64\)"),
    ("keeps shape and dtype", lambda: Embed(lambda x, p, m: x + sinusoidal(p, 64)),
     r"two tokens in torch.bfloat16: embed returns torch.float32"),
    ("keeps shape and dtype", lambda: Rotate(lambda q, k, qp, kp: (q.float(), k.float())),
     r"two tokens in torch.bfloat16: rotate \(q\) returns torch.float32"),
    ("keeps shape and dtype", lambda: Bias(lambda q, k, qp, kp: far_apart(q.float(), qp, kp)),
     r"two tokens in torch.bfloat16: bias returns torch.float32"),
    ("keeps shape and dtype", lambda: Rotate(lambda q, k, qp, kp: (q[..., :8], k[..., :8])),
     r"torch.float32: rotate \(q\) returns shape \(1, 4, 2, 8\); allowed: \(1, 4, 2, 16\)"),
    ("keeps shape and dtype", lambda: Bias(lambda q, k, qp, kp: 0.5), r"bias returns a float; allowed: a tensor"),
    ("keeps shape and dtype", lambda: PerLayer([T5Encoding(4), Bias(lambda q, k, qp, kp: far_apart(q.float(), qp, kp))]),
     r"two tokens in torch.bfloat16: bias of layer 1 returns torch.float32"),
    ("tells neighbours apart in bfloat16", lambda: Embed(lambda x, p, m: add(x, p.to(x.dtype).float())),
     r"positions 256 and 257 in torch.bfloat16: they look alike"),
    ("tells neighbours apart in bfloat16",
     lambda: Bias(lambda q, k, qp, kp: (kp.to(q.dtype)[..., None, :] - qp.to(q.dtype)[..., None])[..., None, :, :]
                  .expand(*[-1] * (qp.ndim - 1), 4, -1, -1)), r"positions 256 and 257"),
    ("says where its table ends", Looked, r"one token at position 320: stops with IndexError: index out of range"),
    ("says where its table ends", Sliced, r"321 tokens: stops with RuntimeError: The size of tensor a \(321\)"),
    ("says where its table ends", lambda: Embed(lambda x, p, m: x + functional.embedding(p, m.rows), rows=table(50)),
     r"one token at position 50: stops with IndexError"),
    ("says where its table ends", lambda: ShortBias(30), r"31 tokens: stops with IndexError"),
    ("says where its table ends", lambda: Embed(wordless, rows=table()), r"position 320: the error does not name both"),
    ("says where its table ends", lambda: Embed(lambda x, p, m: checked(x, p, m.rows, first=-320), rows=table()),
     r"one token at position -1: it gets the code of the last row, 319, without a word"),
    ("says where its table ends", lambda: Embed(lambda x, p, m: x + m.rows[p.clamp(max=63)], rows=table(64)),
     r"one token at position 64: it gets the code of position 63 without a word"),
    ("says where its table ends", lambda: Embed(lambda x, p, m: x + m.rows[p % 50], rows=table(50)),
     r"one token at position 50: it gets the code of position 0 without a word"),
    ("takes any length after any other", lambda: Embed(first_table), r"texts of \(1, 2\) tokens, .*: stops with IndexError"),
    ("takes any length after any other", lambda: Embed(longest), r"texts of \(5, 2\) tokens, one after the other: .* off"),
    ("gives the same twice", lambda: Embed(lambda x, p, m: add(x, p) + torch.randn(x.shape)), r"positions \[0\], twice: "),
    ("gives the same twice", lambda: Embed(lambda x, p, m: functional.dropout(add(x, p), 0.5)), r"positions \[0\], twice: "),
    ("learns", lambda: Embed(lambda x, p, m: add(x, p), unused=nn.Parameter(torch.ones(1))), "no gradient reaches unused"),
    ("learns", lambda: Embed(lambda x, p, m: x + m.rows.detach()[p], rows=table()), "no gradient reaches rows"),
    ("learns", lambda: Embed(lambda x, p, m: add(x, p) + m.a.abs().sqrt(), a=Zero()), "the gradient of a.a is not finite"),
    ("learns", lambda: Embed(first_of_many, scale=nn.Parameter(torch.ones(1))), "with RuntimeError: Inference tensors"),
    ("moves with its model", lambda: Embed(lambda x, p, m: x + m.rows[p], rows=table().data), r"self.rows holds a tensor"),
    ("moves with its model", lambda: Embed(remembered, tables={}), r"two tokens: after them, self.tables holds a tensor"),
    ("moves with its model", lambda: Embed(lambda x, p, m: x + m._all[0][p], _all=[table().data]), r"self._all holds"),
    ("can be saved and loaded",
     lambda: Embed(lambda x, p, m: x + m.rows[p], rows=nn.Buffer(torch.randn(320, 64), persistent=False)),
     r"positions \[1\], saved and loaded into a new model: the logits are off"),
    ("survives loading through meta",
     lambda: Embed(lambda x, p, m: checked(x, p, m.rows), rows=nn.Buffer(table().data, persistent=False)),
     r"positions \[1\], built on meta, given memory and loaded: the logits are off"),
    ("can be saved and loaded", lambda: Embed(late), r"saved and loaded into a new model: stops with RuntimeError: Error"),
]  # fmt: skip


class ShortBias(PositionalEncoding):
    """Door 3 whose table of distances ends, as T5's does not: only a text that is long enough shows it."""

    def __init__(self, length: int):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(length))

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        apart = (k_positions[..., None, :] - q_positions[..., None]).abs()
        return self.table[apart if apart.ndim == 2 else apart[:, None]]


class Zero(nn.Module):
    """A parameter that starts, and stays when it is moved, at a place with an infinite slope."""

    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.zeros(1))

    def abs(self) -> Tensor:
        return (self.a - self.a.detach()).abs()


def wordless(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    if positions.max() >= len(module.rows):
        raise ValueError("too long")
    return x + module.rows[positions]


def longest(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    """Sinusoids, stretched to the longest text that came so far."""
    module.seen = max(getattr(module, "seen", 0), int(positions.max()))
    return add(x, positions.float() / max(1, module.seen) + 1)


def late(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    if not hasattr(module, "rows"):
        module.rows = table()
    return x + module.rows[positions]


@pytest.mark.parametrize(("name", "make", "where"), MISTAKES, ids=[f"{name}-{k}" for k, (name, *_) in enumerate(MISTAKES)])
def test_a_rule_notices_its_mistake_and_names_the_smallest_input(name, make, where):
    mine = make if isinstance(make, type) else lambda width, heads, length: make()
    with torch.random.fork_rng():
        found = broken(mine)
    assert name in found, found
    assert re.search(where, found[name]), found[name]


def test_every_rule_has_a_mistake_that_it_notices():
    assert {name for name, *_ in MISTAKES} == set(NAMES) and len(set(NAMES)) == len(NAMES)
    assert all(rule.why.endswith((".", ".\"")) and rule.change.endswith(".") for rule in RULES)


def test_a_bias_of_each_row_that_lands_on_the_heads_is_noticed_where_there_are_as_many():
    """(B, L_q, L_k) is broadcast over the heads without a word if B = H."""
    mine = Bias(lambda q, k, qp, kp: -0.5 * (kp[..., None, :] - qp[..., None]).abs().to(q.dtype))
    found = broken(mine, width=8, heads=2)
    assert list(found) == ["takes positions of each row"]
    assert found["takes positions of each row"].startswith("positions [[0, 1], [3, 1]]: the logits are off by")


class Right(PositionalEncoding):
    """What a reader ends up with."""

    def __init__(self, width: int, length: int):
        super().__init__()
        self.rows = nn.Parameter(0.3 * torch.randn(length, width))

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return checked(x, positions, self.rows)


class Saved(Right):
    """A table that is drawn once, and saved."""

    def __init__(self, width: int, length: int):
        PositionalEncoding.__init__(self)
        self.register_buffer("rows", 0.3 * torch.randn(length, width))


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
        Saved,
        Polar,
        Right(10, 5),  # a table too short for most inputs
        lambda width, heads, length: Bias(lambda q, k, qp, kp: far_apart(q, qp, kp)),
        lambda width, heads, length: Rotate(lambda q, k, qp, kp: (apply_rope(q, qp), apply_rope(k, kp))),
        lambda width, heads, length: PerLayer(T5Encoding(heads) for _ in range(3)),
        PerLayer([SinusoidalEncoding(24), RotaryEncoding(8)]),
    ],
    ids=["class", "saved", "polar", "short instance", "bias", "rotate", "per layer", "per layer, built"],
)
def test_nothing_is_found_where_nothing_is_wrong(mine):
    assert broken(mine) == {} and len(examine(mine)) == len(RULES)


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


def test_what_does_not_run_is_asked_nothing_else():
    found = examine(lambda width, heads, length: Embed(lambda x, p, m: x + p.nothing))
    assert [finding.rule.name for finding in found] == ["gives numbers"]


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


# ------------------------------------------------------------------------------------------------- what a reader brings


@pytest.mark.parametrize(
    ("mine", "sizes"),
    [
        (SinusoidalEncoding(48), (48, None)),
        (LearnedEncoding(10, 7), (10, None)),
        (LearnedEncoding(300, 7), (300, None)),
        (RotaryEncoding(6), (None, 6)),
        (ShawEncoding(20, 4), (None, 20)),
        (T5Encoding(5), (None, None)),
        (AlibiEncoding(12), (None, None)),
        (TransformerXLEncoding(36, 9), (36, 4)),
        (PerLayer([LearnedEncoding(10, 7), T5Encoding(5)]), (10, 2)),
        (PositionalEncoding(), (64, 16)),
    ],
)
def test_sizes_of_an_encoding_that_is_built_are_found(mine, sizes):
    given = Candidate(mine)
    for expected, found in zip(sizes, (given.width, given.width // given.heads), strict=True):
        assert expected in (None, found)
    assert given.model()(given.tokens(3), torch.arange(3)).isfinite().all()


def test_sizes_may_be_given():
    asked = []

    def build(width: int, heads: int, length: int) -> PositionalEncoding:
        asked.append((width, heads, length))
        return SinusoidalEncoding(width)

    assert broken(build, width=12, heads=3) == {} and set(asked) == {(12, 3, 320)}
    assert broken(SinusoidalEncoding(46), width=46, heads=2) == {}
    found = broken(SinusoidalEncoding(46), width=48)
    assert list(found) == ["gives numbers"] and "made for dim=46" in found["gives numbers"]


class Sized(PositionalEncoding):
    def __init__(self, d_model, n_heads, d_head, max_len, scale=1.0, *more, **named):
        super().__init__()
        self.sizes = (d_model, n_heads, d_head, max_len, scale, more, named)


def test_a_class_gets_the_sizes_that_it_asks_for_by_name():
    assert builder(Sized)(64, 4, 320).sizes == (64, 4, 16, 320, 1.0, (), {})
    assert isinstance(builder(PositionalEncoding)(64, 4, 320), PositionalEncoding)


class Odd(PositionalEncoding):
    def __init__(self, wavelength):
        super().__init__()


@pytest.mark.parametrize(
    ("mine", "message"),
    [
        (torch.zeros(3), r"got a Tensor, which is no PositionalEncoding; write class Mine\(PositionalEncoding\)"),
        (nn.Embedding(3, 4), r"got a Embedding, which is no PositionalEncoding"),
        (nn.Embedding, r"got the class Embedding, which is no PositionalEncoding"),
        ("rope", r"got a str, which is no PositionalEncoding"),
        (None, r"got a NoneType"),
        (Odd, r"Odd asks for wavelength, which is not known \(width, heads, .* are\); pass lambda width, heads, .*: Odd\("),
        (lambda width, heads, length: None, r"returned a NoneType for width=64, heads=4, length=320; allowed: a Pos"),
        (lambda width, heads, length: nn.Embedding(length, width), r"returned a Embedding"),
        (lambda width: RotaryEncoding(width), r"cannot be built for .*'width': 64.*: TypeError: .* 3 were given"),
        (lambda width, heads, length: SinusoidalEncoding(width + 1), r"cannot be built for .* must be even"),
        (sinusoidal, r"sinusoidal cannot be built for"),
    ],
)
def test_what_is_no_encoding_is_named(mine, message):
    with pytest.raises(TypeError, match=message):
        examine(mine)


def test_an_encoding_that_is_built_cannot_be_built_in_other_sizes():
    with pytest.raises(TypeError, match=r"got a RotaryEncoding that is built already, .* pass lambda width, heads, length"):
        builder(RotaryEncoding(8))


def test_an_encoding_of_a_grid_is_named():
    with pytest.raises(ValueError, match="AxialRotaryEncoding takes positions of 2 coordinates; allowed: of one number"):
        examine(AxialRotaryEncoding(16))


def test_what_cannot_be_copied_is_named():
    mine = Embed(lambda x, p, m: x, scaled=2 * table())
    with pytest.raises(TypeError, match=r"Embed cannot be copied \(.*\); a tensor computed from a parameter"):
        examine(mine)
    with pytest.raises(TypeError, match="Embed cannot be copied"):
        measurable(mine, 64, 4, 1, 1)


def test_nothing_else_changes():
    """Neither the encoding, nor random numbers to come, nor threads, nor whether gradients are kept."""
    mine = nn.Module.train(Looked(64, 40))
    before, state, threads = mine.rows.weight.clone(), torch.get_rng_state(), torch.get_num_threads()
    examine(mine)
    noisy = Embed(lambda x, p, m: x + torch.randn(x.shape))
    examine(noisy), counts_in_storage(noisy, 64, 4), measurable(RotaryEncoding(16), 64, 4, 10, 20)
    with pytest.raises(ValueError, match="positions \\[0\\], twice: "):
        measurable(noisy, 64, 4, 10, 20)
    assert torch.equal(mine.rows.weight, before) and mine.training and mine.rows.weight.grad is None
    assert torch.equal(torch.get_rng_state(), state) and torch.get_num_threads() == threads and torch.is_grad_enabled()


# ------------------------------------------------------------------------------------------------- before it is measured


@pytest.mark.parametrize("rows", [1, 2, 63, 64, 99, 100, 101])
@pytest.mark.parametrize("make", [Looked, Sliced, LearnedEncoding, lambda width, rows: ShortBias(rows)])
def test_reach_is_where_the_table_ends(make, rows):
    own = make(64, rows)
    if make is Sliced and rows == 1:
        rows = 100  # one row is broadcast to all tokens
    assert reach(own, 64, 4, 100) == min(rows, 100)
    if type(own).embed is PositionalEncoding.embed:
        assert reach(PerLayer([PositionalEncoding(), own]), 64, 4, 100) == min(rows, 100)


def test_reach_of_what_has_no_table_and_of_what_never_runs():
    assert reach(RotaryEncoding(16), 64, 4, 4096) == 4096
    assert reach(RotaryEncoding(15 + 1), 60, 4, 4096) == 0  # heads of 15


def test_measurable_tells_how_far_and_refuses_what_ends_too_soon():
    assert measurable(Looked(64, 50), 64, 4, least=50, most=512) == 50
    assert measurable(RotaryEncoding(16), 64, 4, least=32, most=512) == 512
    with pytest.raises(ValueError, match=r"Looked cannot be measured: a text of 51 tokens stops with IndexError: .* 64 pos"):
        measurable(Looked(64, 50), 64, 4, least=64, most=512)


@pytest.mark.parametrize("mine", [Counted(64), Sliced(64, 80)])
def test_what_counts_in_storage_is_told(mine):
    said = counts_in_storage(mine, 64, 4)
    assert said.startswith("it ignores `positions` and counts tokens where they are stored; tokens at positions [0, 1]")
    assert "torch.arange(x.shape[1])" in said


@pytest.mark.parametrize("name", ENCODINGS)
def test_no_encoding_of_the_course_counts_in_storage(name):
    """NoPE and CoPE read no positions either, but a key cache does not mislead them; the normalised index reads them."""
    assert counts_in_storage(ENCODINGS[name](64, 4, 320), 64, 4) is None
