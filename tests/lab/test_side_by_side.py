"""Threads that take turns: order, errors, and what is left when they end."""

import threading

import pytest
import torch

from posenc_helpers.lab import side_by_side
from posenc_helpers.lab.side_by_side import all_cores, in_turns


@pytest.fixture(params=[1, 3])
def cores(request, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", str(request.param))
    return request.param


@pytest.mark.parametrize(("asked", "cores"), [("3", 3), ("", 7), ("0", 7), ("2,1", 7)])
def test_how_many_cores(monkeypatch, asked, cores):
    monkeypatch.setattr("joblib.cpu_count", lambda: 7)
    monkeypatch.setenv("OMP_NUM_THREADS", asked)
    assert side_by_side.cores() == cores


def test_every_item_takes_its_turns_in_order(cores):
    seen = {name: [] for name in "abc"}

    def step(name: str, turn: int) -> str:
        seen[name].append(turn)
        return f"{name}{turn}"

    with all_cores(3) as executor:
        rounds = in_turns(executor, step, "abc", 50)
        found = [[future.result() for future in futures] for futures in rounds]
    assert found == [[f"{name}{turn}" for name in "abc"] for turn in range(50)]
    assert seen == {name: list(range(50)) for name in "abc"}


def test_each_thread_computes_on_one_core_and_all_end(cores):
    before, threads = threading.active_count(), torch.get_num_threads()
    with all_cores(3) as executor:
        assert set(executor.map(lambda _: torch.get_num_threads(), range(20))) == {1}
        assert torch.get_num_threads() == 1
        assert threading.active_count() - before <= min(cores, 3)
    assert threading.active_count() == before and torch.get_num_threads() == threads


def test_what_a_step_raises_ends_its_item_and_reaches_the_caller(cores):
    done = []

    def step(name: str, turn: int) -> None:
        if (name, turn) == ("b", 2):
            raise ZeroDivisionError(name)
        done.append((name, turn))

    with pytest.raises(ZeroDivisionError, match="b"), all_cores(2) as executor:
        for futures in in_turns(executor, step, "ab", 1000):
            for future in futures:
                future.result()
    assert [turn for name, turn in done if name == "b"] == [0, 1]
