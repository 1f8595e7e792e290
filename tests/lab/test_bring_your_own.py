"""What readers bring to notebook 11, all the way through: one for each layer, one that gates by content, one that ends.

Rules, scorecard, what lies beyond the trained length, the shootout, and the capstone's referee.
"""

import inspect

import pytest
import torch
from torch import nn

from posenc_helpers.encodings import ENCODINGS, PerLayer, PositionalEncoding, RotaryEncoding, sinusoidal
from posenc_helpers.lab import beyond as beyond_module
from posenc_helpers.lab.beyond import Score, beyond, in_row, scores
from posenc_helpers.lab.results import load_results, stored
from posenc_helpers.lab.rules import Entrant, examine
from posenc_helpers.lab.scorecard import BEYOND, COLUMNS, TRAINED, learn, scorecard
from posenc_helpers.lab.shootout import WINDOWS, Contestant, shootout
from posenc_helpers.lessons.choosing import leaderboard
from posenc_helpers.lessons.choosing.leaderboard import COUNTERS, HELD, Unfair, board, lost, race, referee
from tests.encodings.wrong_encodings import bias, checked, embed, sheer
from tests.lab.of_readers import ForgetGates, short_text
from tools.experiments import common, on_everyone

TEXT = short_text()


def forget(width: int, heads: int, length: int) -> PositionalEncoding:
    return PerLayer(ForgetGates(width, heads) for _ in range(2))


def ending(rows: int):
    """A builder of sinusoids that end with a table of so many rows."""
    return embed(lambda x, p, m: checked(x, p, sinusoidal(torch.arange(rows), x.shape[-1]).to(x.dtype)))


BROUGHT = {"forget": forget, "a table of 512": ending(512)}


@pytest.mark.parametrize("name", BROUGHT)
def test_what_people_bring_goes_all_the_way_through(name, monkeypatch):
    mine = BROUGHT[name]
    monkeypatch.setattr(beyond_module, "WINDOWS", 2)
    broken = [finding.rule.name for finding in examine(mine) if finding.broken]
    assert broken == (list(COUNTERS) if mine is forget else [])
    assert isinstance(referee(mine), Entrant)
    row = scorecard(mine, learn(mine, steps=2)) | beyond(mine, steps=2, text=TEXT, label=None)
    assert list(row)[: len(COLUMNS)] == list(COLUMNS) and row.keys() >= BEYOND.keys()
    assert all(row[column] is not None for column in (*TRAINED, *BEYOND, "shift", "parameters"))
    assert row["parameters"] == {"forget": 2 * (64 * 2 + 2), "a table of 512": 0}[name]
    rows = shootout({"mine": mine}, steps=2, text=TEXT, length=64, windows=2, label=None)
    assert len(rows) == 64 and all(0 < one.loss < 20 for one in rows)


def test_the_shift_of_a_perlayer_is_that_of_its_worst_layer():
    class Moves(RotaryEncoding):
        def rotate(self, q, k, q_positions, k_positions):
            return super().rotate(q, k, q_positions**2 / 50, k_positions**2 / 50)

    still = lambda w, h, n: PerLayer([RotaryEncoding(w // h), RotaryEncoding(w // h)])  # noqa: E731
    moved = lambda w, h, n: PerLayer([RotaryEncoding(w // h), Moves(w // h)])  # noqa: E731
    alone = lambda w, h, n: Moves(w // h)  # noqa: E731
    nothing = {column: [0.5] for column in TRAINED}
    assert scorecard(still, nothing)["shift"] < 1e-4
    assert scorecard(moved, nothing)["shift"] == scorecard(alone, nothing)["shift"] > 0.05


@pytest.mark.parametrize("name", ["kerple", "rope"])
def test_a_row_of_ones_own_is_read_on_the_windows_of_the_stored_rows(name, monkeypatch):
    """`beyond` and the experiment behind scorecard.csv give one model the same numbers."""
    monkeypatch.setattr(beyond_module, "WINDOWS", 3)
    monkeypatch.setattr(common, "text_once", lambda: TEXT)
    (mine,) = scores({"mine": ENCODINGS[name]}, (5,), 2, TEXT, label=None)
    stored = {(row["what"], row["times"]): row["value"] for row in on_everyone.lengths(name, 5, 2, windows=3)}
    theirs = (stored["language", 1], stored["language", 4], stored["recall", 4])
    assert (mine.short, mine.long, mine.recall) == pytest.approx(theirs, abs=1e-5)
    assert inspect.signature(on_everyone.lengths).parameters["windows"].default == WINDOWS


def test_a_table_that_ends_has_no_score_beyond_its_end(monkeypatch):
    monkeypatch.setattr(beyond_module, "WINDOWS", 2)
    (score,) = scores({"short": ending(50)}, (0,), 2, TEXT, label=None)
    assert score.long is None and score.recall is None and score.short > 0
    assert lost(score, Score("rope", 0, 2, 3, 1)).name == "ends before four times the length"
    row = in_row({"language 4x": [None, None], "language 1x": [1.0, 2.0]})
    assert row["language 4x"] is None and row["language 4x lowest"] is None
    assert (row["language 1x"], row["language 1x lowest"], row["language 1x highest"]) == (1.5, 1.0, 2.0)


# Door 3 from the mean of all keys, those after the query too
PEEKS = bias(lambda q, k, qp, kp: (q @ k.mean(-2, keepdim=True).mT) * kp.to(q.dtype) / 10)


class Shares(PositionalEncoding):
    """One parameter for all that are ever built."""

    slope = nn.Parameter(torch.ones(1))

    def __init__(self):
        super().__init__()
        self.own = Shares.slope

    def bias(self, q, k, q_positions, k_positions):
        return self.own * (k_positions - q_positions[:, None])


@pytest.mark.parametrize(
    ("mine", "steps", "name"),
    [
        (Contestant(RotaryEncoding, rate=8.0), 300, "own rate tuned, RoPE's not"),
        (RotaryEncoding, 600, "another number of steps"),
        (Shares, 300, "not fresh"),
        (ENCODINGS["deberta"], 300, "a second model"),
        (PEEKS, 300, "looks at the future"),
        (bias(sheer), 300, "breaks a rule: takes positions of each row"),
        (lambda w, h, n: PerLayer([RotaryEncoding(w // h)]), 300, "another number of layers"),
        (ENCODINGS["nope"], 300, "does nothing"),
        (ENCODINGS["index"], 300, "breaks a rule: tells neighbours apart in bfloat16"),
        (ENCODINGS["normalised"], 300, "breaks a rule: decodes with a key cache"),
        (ENCODINGS["one-hot"], 300, "ends before four times the length"),
        (embed(lambda x, p, m: x + torch.rand(x.shape)), 300, "breaks a rule: gives the same twice"),
        (ending(127), 300, "ends before four times the length"),
        (ending(128), 300, None),
        (Contestant(RotaryEncoding), 300, None),
        (forget, 300, None),
    ],
)
def test_an_unfair_comparison_is_refused_by_name(mine, steps, name):
    found = referee(mine, steps)
    assert isinstance(found, Unfair if name else Entrant) and (name is None or (found.name == name and found.why))
    assert name != "looks at the future" or "in a text of 3 tokens, what stands from position 2 on" in found.why


ROPE = Score("rope", 0, 1.5, 2.4, 0.3)


@pytest.mark.parametrize(
    ("mine", "name"),
    [
        ((1.4, 1.4, 1.0), None),
        ((1.6, 2.29, 0.95), None),
        ((1.4, 2.31, 1.0), "does not beat RoPE at 4x"),
        ((1.4, 1.4, 0.94), "loses recall"),
        ((1.61, 1.4, 1.0), "pays at the trained length"),
    ],
)
def test_what_is_missing_of_a_win(mine, name):
    found = lost(Score("mine", 0, *mine), ROPE)
    assert (found and found.name) == name


def test_a_race_stops_at_the_first_seed_that_is_lost_and_its_seeds_are_in_no_stored_result(monkeypatch):
    asked = []

    def made_up(names, seeds, steps, label=None):
        asked.append((next(iter(names)), seeds[0]))
        return [Score("x", seeds[0], 1.5, 2.4, 1.0)]

    monkeypatch.setattr(leaderboard, "scores", made_up)
    leaderboard._rope.cache_clear()
    assert len(race(referee(RotaryEncoding), HELD, 7)) == 1
    assert asked == [("mine", HELD[0]), ("rope", HELD[0])]
    leaderboard._rope.cache_clear()
    seeds = {row.get("seed") for name in stored() for row in load_results(name)}
    assert len(HELD) >= 2 and not seeds & set(HELD)


def test_the_board_is_sorted_and_holds_mine():
    rows = board([Score("mine", seed, 1.4, 1.4, 1.0) for seed in HELD])
    far = [row["language 4x"] for row in rows.values() if row["language 4x"] is not None]
    assert far == sorted(far) and rows["yours"]["recall 4x"] == 1.0 and "yours" not in board()
