"""The door before anything is measured: how far an encoding reaches, what counts in storage, who is let in."""

import pytest

from posenc_helpers.encodings import LearnedEncoding, PerLayer, PositionalEncoding, RotaryEncoding
from posenc_helpers.lab.rules import admit, reach
from tests.encodings.wrong_encodings import Looked, ShortBias, Sliced


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
