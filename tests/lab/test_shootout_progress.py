"""What a shootout tells while it runs, and what is left when it is interrupted."""

import threading
from itertools import count
from statistics import mean
from types import SimpleNamespace

import pytest
import torch

from posenc_helpers.lab import shootout as referee
from posenc_helpers.lab.shootout import Row, shootout, train_readers
from posenc_helpers.lab.training import Trainer
from tests.lab.of_readers import short_text

TEXT = short_text()


@pytest.fixture
def clock(monkeypatch):
    """Make time pass in steps: `clock(2.0)` lets 2 s go by from one look at it to the next."""

    def tick(seconds: float) -> None:
        now = count(0, seconds)
        monkeypatch.setattr(referee, "time", SimpleNamespace(monotonic=lambda: next(now)))

    return tick


@pytest.fixture
def losses(monkeypatch) -> list[list[float]]:
    """The losses of every Trainer that is made from here on."""
    made = []

    class Spy(Trainer):
        def step(self, tokens, labels):
            loss = super().step(tokens, labels)
            self.losses.append(loss)
            return loss

        def __init__(self, *arguments):
            super().__init__(*arguments)
            self.losses = []
            made.append(self.losses)

    monkeypatch.setattr(referee, "Trainer", Spy)
    return made


def test_progress_is_told_in_means_of_ten_steps_every_one_and_a_half_seconds_and_at_the_end(losses, clock):
    told: list[list[Row]] = []

    def train(seconds: float, steps: int) -> list[int]:
        told.clear(), losses.clear(), clock(seconds)
        train_readers(["nope", "rope"], 0, steps, TEXT, told.append, label=None)
        return [rows[-1].position for rows in told]

    assert train(0.0, 12) == [12]
    assert train(1.0, 40) == [20, 40]
    assert train(2.0, 23) == [10, 20, 23]
    expected = [
        Row(name, 0, stop, pytest.approx(mean(of[start:stop])))
        for start, stop in ((0, 10), (10, 20), (20, 23))
        for name, of in zip(("nope", "rope"), losses, strict=True)
    ]
    assert told == [expected[:2], expected[:4], expected]


@pytest.mark.parametrize("label", [None, "match"])
def test_progress_names_every_seed_or_is_not_there(label, capsys):
    told: list[Row] = []
    shootout(["nope"], [5, 6], 2, TEXT, length=33, windows=1, on_progress=told.extend, label=label)
    assert [(row.seed, row.position) for row in told] == [(5, 2), (6, 2)]
    out, err = capsys.readouterr()
    assert out == "" and (err == "" if label is None else err.startswith("match, seed 5: done, 2 steps"))


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_nothing_runs_on_when_it_is_interrupted(losses, monkeypatch, clock, error):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    clock(2.0)

    def interrupt(rows):
        raise error

    running, threads = threading.active_count(), torch.get_num_threads()
    with pytest.raises(error):
        train_readers(["nope", "rope", "alibi"], 0, 1000, TEXT, interrupt, label=None)
    assert threading.active_count() == running and torch.get_num_threads() == threads
    assert max(map(len, losses)) < 100
