"""Each column on encodings for which the right number is known by construction."""

import math

import pytest
import torch
from torch import nn

from posenc_helpers.encodings import (
    ENCODINGS,
    LearnedEncoding,
    PositionalEncoding,
    RotaryEncoding,
    SinusoidalEncoding,
    rotate_pairs,
)
from posenc_helpers.lab.scorecard import COLUMNS, TRAINED, codes, learn, scorecard, shift_sensitivity
from tests.encodings.wrong_encodings import Bias, Counted, Embed, Looked, Rotate
from tests.refused import refused

WIDTH, HEADS = 32, 2
NOTHING_LEARNED = {column: [0.5] for column in ("order", "order beyond", "distance", "beyond", "ranked")}


def code(value) -> Embed:
    """Door 1 adds `value(positions)` (a number per position) to the first column."""
    return Embed(lambda x, p, m: x + nn.functional.pad(value(p).to(x.dtype)[..., None], (0, x.shape[-1] - 1)))


def share() -> Embed:
    """Door 1 adds the share of the text that is over, and says so."""
    encoding = code(lambda positions: positions / positions.max().clamp(1))
    encoding.reads_length = True
    return encoding


def counted(width: int, length: int) -> LearnedEncoding:
    """A trained row for each position, the same number in row p as in `code(p + 1)`, and none beyond."""
    encoding = LearnedEncoding(width, length)
    encoding.table.data = torch.zeros(length, width).index_fill(1, torch.tensor([0]), 1).cumsum(0)
    return encoding


def back(lag: int) -> Bias:
    """Door 3: every query looks at the key `lag` places before it; where there is none, at itself."""
    return Bias(lambda q, k, m, n: 30.0 * (n - m[:, None] == -lag) + 15.0 * (n == m[:, None]))


def turn(angle) -> Rotate:
    """Door 2: one pair of columns of every head turns with the position, by what `angle` makes of it."""
    return Rotate(lambda q, k, m, n: tuple(rotate_pairs(x, angle(p.float())[..., None]) for x, p in ((q, m), (k, n))))


def measured(encoding_of) -> dict:
    """The row of `encoding_of(width, length)`, without the columns that take training."""
    return scorecard(lambda width, heads, length: encoding_of(width, length), NOTHING_LEARNED)


def test_codes_are_what_door_one_adds_and_none_where_it_stays_shut():
    positions = torch.tensor([3, 257, 0])
    added = codes(code(lambda p: 2.0 * p), positions, 5)
    assert added.shape == (3, 5) and not added.requires_grad
    assert added[:, 0].tolist() == [6, 514, 0] and not added[:, 1:].any()
    for shut in (PositionalEncoding(), back(3), turn(lambda p: p)):
        assert codes(shut, positions, 6) is None


def test_the_smallest_distance_is_over_all_pairs_not_neighbours_alone():
    """Positions 0 and 40 get nearly the same code, neighbours never."""
    there_and_back = code(lambda p: torch.where(p < 40, 9.0 * p, 9.0 * (p - 40) + 2))
    assert scorecard(lambda width, heads, length: there_and_back, NOTHING_LEARNED)["unique"] == pytest.approx(2)


def test_shift_sensitivity_is_zero_for_relative_methods_and_not_for_absolute_ones():
    for relative in (PositionalEncoding(), back(3), turn(lambda p: 0.3 * p)):
        assert shift_sensitivity(relative, WIDTH, HEADS) < 1e-4
    for absolute in (SinusoidalEncoding(WIDTH), code(lambda p: 0.1 * p), turn(lambda p: 0.001 * p**2)):
        assert shift_sensitivity(absolute, WIDTH, HEADS) > 0.05


def test_shift_sensitivity_counts_in_standard_deviations_of_the_output():
    """A code of period 32 is the same after a shift of 32, and another one after a shift of 16."""
    periodic = code(lambda p: torch.sin(2 * math.pi * p / 32))
    assert shift_sensitivity(periodic, WIDTH, HEADS, shift=32) < 1e-4
    assert shift_sensitivity(periodic, WIDTH, HEADS, shift=16) > 0.05
    # A code far larger than the embeddings: the whole output changes by what it was, whatever the unit.
    sizes = [shift_sensitivity(code(lambda p, scale=scale: scale * (p + 32)), WIDTH, HEADS) for scale in (1e3, 1e5)]
    assert sizes[0] == pytest.approx(sizes[1], rel=0.05)


@pytest.mark.parametrize("rows", [64, 100])
def test_a_table_is_measured_to_its_end(rows):
    """Also one that is looked up unchecked, as in most code: IndexError beyond."""

    def unchecked(width: int, length: int) -> PositionalEncoding:
        encoding = Looked(width, rows)
        encoding.table.data = counted(width, rows).table.data
        return encoding

    row = measured(unchecked)
    assert row["bounded"] == rows and row == measured(lambda width, length: counted(width, rows))


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


MUCH, SHORT = 10**9, lambda width, heads, length: Looked(width, 20)
ENDS = r"Looked cannot be measured: a text of 21 tokens stops with IndexError.*; (32|64) positions are needed"
test_what_cannot_be_measured_is_refused_before_anything_is_trained = refused(
    (lambda: scorecard(SHORT), ENDS),
    (lambda: learn(SHORT, steps=MUCH), ENDS),
    (lambda: scorecard(RotaryEncoding(8)), "got a RotaryEncoding that is built already", TypeError),
    (lambda: learn(RotaryEncoding(8), steps=MUCH), "got a RotaryEncoding that is built already", TypeError),
    (lambda: learn(PositionalEncoding, steps=0), "steps=0"),
    (lambda: learn(PositionalEncoding, seeds=(), steps=MUCH), "seeds="),
    (lambda: learn(PositionalEncoding, seeds="0", steps=MUCH), "seed='0'", TypeError),
)
NO_CODES = {"unique": None, "consistent": None, "bounded": None, "shift": 0, "parameters": 0}


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda *_: code(lambda p: 1.0 * p), {"unique": 1, "consistent": 0, "bounded": 4095, "parameters": 0}),
        (lambda *_: code(lambda p: 0.5 * (p // 2)), {"unique": 0, "consistent": 0, "bounded": 1023.5, "parameters": 0}),
        (lambda *_: share(), {"unique": 1 / 63, "consistent": 1 - 31 / 63, "bounded": 1, "parameters": 0}),
        (counted, {"unique": 1, "consistent": 0, "bounded": 64, "parameters": 64 * 64}),
        (lambda *_: turn(lambda p: 0.3 * p), NO_CODES),
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
    found = learn(lambda width, heads, length: back(3))
    assert found["distance"][0] > 0.97 and found["beyond"][0] > 0.9 and found["ranked"][0] > 0.97
    assert found["order"][0] < 0.8


def test_the_same_numbers_every_time_and_others_with_another_seed():
    """And the build is asked for as many positions as are used."""
    asked = []

    def build(width, heads, length):
        asked.append((width, heads, length))
        return counted(width, length)

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
