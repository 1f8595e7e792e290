"""Each column on encodings for which the right number is known by construction."""

import math

import pytest
import torch
from torch import Tensor, nn

from posenc_helpers.encodings import ENCODINGS, LearnedEncoding, PositionalEncoding, RotaryEncoding, SinusoidalEncoding
from posenc_helpers.lab.scorecard import COLUMNS, TRAINED, codes, learn, scorecard, shift_sensitivity
from tests.encodings.wrong_encodings import Counted

WIDTH, HEADS = 32, 2
NOTHING_LEARNED = {column: [0.5] for column in ("order", "order beyond", "distance", "beyond", "ranked")}


class Code(PositionalEncoding):
    """Door 1 adds `value(positions)` (a number per position) to the first column."""

    def __init__(self, value):
        super().__init__()
        self.value = value

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        column = self.value(positions).to(x.dtype)[..., None]
        return x + nn.functional.pad(column, (0, x.shape[-1] - 1))


class Normalised(Code):
    """Door 1 adds the share of the text that is over, and says so."""

    reads_length = True

    def __init__(self):
        super().__init__(lambda positions: positions / positions.max().clamp(1))


class Table(PositionalEncoding):
    """A trained row for each position, the same number in row p as in `Code(p + 1)`, and none beyond."""

    def __init__(self, length: int, width: int):
        super().__init__()
        self.rows = nn.Parameter(torch.zeros(length, width).index_fill(1, torch.tensor([0]), 1).cumsum(0))

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        if positions.max() >= len(self.rows):
            raise ValueError(f"positions reach {positions.max()}, but the table has {len(self.rows)} rows")
        return x + self.rows[positions]


class Bias(PositionalEncoding):
    """Door 3: every query looks at the key `lag` places before it; where there is none, at itself."""

    def __init__(self, lag: int):
        super().__init__()
        self.lag = lag

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        relative = k_positions - q_positions[:, None]  # (L_q, L_k)
        return 30.0 * (relative == -self.lag) + 15.0 * (relative == 0)


class Turn(PositionalEncoding):
    """Door 2: one pair of columns of every head turns with the position, by what `angle` makes of it."""

    def __init__(self, angle):
        super().__init__()
        self.angle = angle

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        return self.turn(q, q_positions), self.turn(k, k_positions)

    def turn(self, x: Tensor, positions: Tensor) -> Tensor:
        angle = self.angle(positions.float())
        first, second = x[..., 0], x[..., 1]
        turned = [first * angle.cos() - second * angle.sin(), first * angle.sin() + second * angle.cos()]
        return torch.cat([torch.stack(turned, dim=-1), x[..., 2:]], dim=-1)


def measured(encoding_of) -> dict:
    """The row of `encoding_of(width, length)`, without the columns that take training."""
    return scorecard(lambda width, heads, length: encoding_of(width, length), NOTHING_LEARNED)


def learned(encoding_of, **arguments) -> dict:
    return learn(lambda width, heads, length: encoding_of(width, length), **arguments)


def test_codes_are_what_door_one_adds_and_none_where_it_stays_shut():
    positions = torch.tensor([3, 257, 0])
    code = codes(Code(lambda p: 2.0 * p), positions, 5)
    assert code.shape == (3, 5) and not code.requires_grad
    assert code[:, 0].tolist() == [6, 514, 0] and not code[:, 1:].any()
    for shut in (PositionalEncoding(), Bias(3), Turn(lambda p: p)):
        assert codes(shut, positions, 6) is None


def test_the_smallest_distance_is_over_all_pairs_not_neighbours_alone():
    """Positions 0 and 40 get nearly the same code, neighbours never."""
    there_and_back = Code(lambda p: torch.where(p < 40, 9.0 * p, 9.0 * (p - 40) + 2))
    assert scorecard(lambda width, heads, length: there_and_back, NOTHING_LEARNED)["unique"] == pytest.approx(2)


def test_shift_sensitivity_is_zero_for_relative_methods_and_not_for_absolute_ones():
    for relative in (PositionalEncoding(), Bias(3), Turn(lambda p: 0.3 * p)):
        assert shift_sensitivity(relative, WIDTH, HEADS) < 1e-4
    for absolute in (SinusoidalEncoding(WIDTH), Code(lambda p: 0.1 * p), Turn(lambda p: 0.001 * p**2)):
        assert shift_sensitivity(absolute, WIDTH, HEADS) > 0.05


def test_shift_sensitivity_counts_in_standard_deviations_of_the_output():
    """A code of period 32 is the same after a shift of 32, and another one after a shift of 16."""
    periodic = Code(lambda p: torch.sin(2 * math.pi * p / 32))
    assert shift_sensitivity(periodic, WIDTH, HEADS, shift=32) < 1e-4
    assert shift_sensitivity(periodic, WIDTH, HEADS, shift=16) > 0.05
    # A code far larger than the embeddings: the whole output changes by what it was, whatever the unit.
    sizes = [shift_sensitivity(Code(lambda p, scale=scale: scale * (p + 32)), WIDTH, HEADS) for scale in (1e3, 1e5)]
    assert sizes[0] == pytest.approx(sizes[1], rel=0.05)


class Looked(LearnedEncoding):
    """A table as most code has it: looked up unchecked, IndexError beyond."""

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return x + self.table[positions]


@pytest.mark.parametrize("rows", [64, 100])
def test_a_table_of_ones_own_is_measured_to_its_end_as_the_courses_own(rows):
    own = measured(lambda width, length: Looked(width, rows, std=0.15))
    assert own == measured(lambda width, length: LearnedEncoding(width, rows, std=0.15))
    assert own["bounded"] == (pytest.approx(0.615, abs=5e-4) if rows == 64 else pytest.approx(own["bounded"]))
    longer = measured(lambda width, length: LearnedEncoding(width, 100, std=0.15))  # its first rows are the same
    assert own["bounded"] <= longer["bounded"]


def test_what_ignores_positions_gets_the_shift_of_what_reads_them(capsys):
    """0.00 is the best mark; the same code at `positions` gets 1.24."""
    expected = measured(lambda width, length: SinusoidalEncoding(width, scale=0.3))
    assert capsys.readouterr().out == ""
    own = measured(lambda width, length: Counted())
    assert own == expected | {"shift": pytest.approx(expected["shift"], rel=1e-4)}
    assert own["shift"] == pytest.approx(1.24, abs=5e-3)
    out = capsys.readouterr().out
    assert out.startswith("Counted: it ignores `positions` and counts tokens where they are stored; ")
    assert out.count("\n") == 1 and "check_encoding says more." in out


@pytest.mark.parametrize("use", [lambda build: learn(build, steps=10**9), scorecard], ids=["learn", "scorecard"])
@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (RotaryEncoding(8), TypeError, "got a RotaryEncoding that is built already"),
        (lambda width, heads, length: "rope", TypeError, "the function returned a str for width="),
        (
            lambda width, heads, length: Looked(width, 20),
            ValueError,
            r"Looked cannot be measured: a text of 21 tokens stops with IndexError.*; (32|64) positions are needed",
        ),
    ],
)
def test_what_cannot_be_measured_is_refused_before_anything_is_trained(use, build, error, message):
    with pytest.raises(error, match=message):
        use(build)


NO_CODES = {"unique": None, "consistent": None, "bounded": None, "shift": 0, "parameters": 0}


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda *_: Code(lambda p: 1.0 * p), {"unique": 1, "consistent": 0, "bounded": 4095, "parameters": 0}),
        (lambda *_: Code(lambda p: 0.5 * (p // 2)), {"unique": 0, "consistent": 0, "bounded": 1023.5, "parameters": 0}),
        (lambda *_: Normalised(), {"unique": 1 / 63, "consistent": 1 - 31 / 63, "bounded": 1, "parameters": 0}),
        (lambda width, rows: Table(rows, width), {"unique": 1, "consistent": 0, "bounded": 64, "parameters": 64 * 64}),
        (lambda *_: Turn(lambda p: 0.3 * p), NO_CODES),
    ],
    ids=["index", "two positions share a code", "normalised", "a trained table", "door 2"],
)
def test_columns_that_need_no_training(make, expected):
    row = measured(make)
    assert list(row)[: len(COLUMNS)] == list(COLUMNS)
    for column, value in expected.items():
        assert row[column] == (None if value is None else pytest.approx(value, rel=1e-5, abs=1e-4)), column


def test_what_was_learned_enters_the_row_as_a_mean_over_seeds():
    found = {"order": [1.0, 0.5], "distance": [0.25, 0.75], "ranked": [0.5, 1.0]}
    row = scorecard(lambda width, heads, length: PositionalEncoding(), found)
    assert [row[column] for column in TRAINED] == [0.75, 0.5, 0.75]
    assert [row["order lowest"], row["order highest"]] == [0.5, 1.0]


def test_an_encoding_that_shows_the_token_three_places_back():
    """All that the gap task asks, at any length; and nothing that tells which of two distant marks came first."""
    found = learned(lambda width, length: Bias(3))
    assert found["distance"][0] > 0.97 and found["beyond"][0] > 0.9 and found["ranked"][0] > 0.97
    assert found["order"][0] < 0.8


def test_the_same_numbers_every_time_and_others_with_another_seed():
    """And the build is asked for as many positions as are used."""
    asked = []

    def build(width, heads, length):
        asked.append((width, heads, length))
        return Table(length, width)

    first, both = (learn(build, seeds, steps=12) for seeds in ((0,), (0, 3)))
    assert all(both[column][0] == first[column][0] for column in first) and any(v[0] != v[1] for v in both.values())
    scorecard(build, first)
    assert set(asked) == {(32, 2, 32), (64, 2, 64)}


@pytest.mark.parametrize("name", ENCODINGS)
def test_every_encoding_of_the_course_gets_a_whole_row_and_none_counts_in_storage(name, capsys):
    """NoPE and CoPE read no positions either, but a key cache does not mislead them; the normalised index reads them."""
    before = torch.get_rng_state()
    row = scorecard(ENCODINGS[name], NOTHING_LEARNED)
    assert list(row)[: len(COLUMNS)] == list(COLUMNS) and capsys.readouterr().out == ""
    assert all(value is None or math.isfinite(value) for value in row.values())
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"steps": 0}, ValueError, "steps=0"),
        ({"seeds": ()}, ValueError, "seeds="),
        ({"seeds": "0"}, TypeError, "seed='0'"),
    ],
)
def test_bad_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        learned(lambda width, length: PositionalEncoding(), **arguments)
