"""Threads side by side: how many, on how many cores, and what is left when they end."""

import threading
import time

import pytest
import torch

from posenc_helpers.lab import side_by_side
from posenc_helpers.lab.side_by_side import all_cores


@pytest.fixture(params=[1, 3])
def cores(request, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", str(request.param))
    return request.param


@pytest.mark.parametrize(("asked", "cores"), [("3", 3), ("", 7), ("0", 7), ("2,1", 7)])
def test_how_many_cores(monkeypatch, asked, cores):
    monkeypatch.setattr("joblib.cpu_count", lambda: 7)
    monkeypatch.setenv("OMP_NUM_THREADS", asked)
    assert side_by_side.cores() == cores


def test_each_thread_computes_on_one_core_and_all_end(cores):
    before, threads = threading.active_count(), torch.get_num_threads()
    with all_cores(3) as executor:
        assert set(executor.map(lambda _: torch.get_num_threads(), range(20))) == {1}
        assert torch.get_num_threads() == 1
        assert threading.active_count() - before <= min(cores, 3)
    assert threading.active_count() == before and torch.get_num_threads() == threads


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_what_has_not_begun_is_dropped_when_it_is_interrupted(cores, error):
    begun, threads = [], threading.active_count()

    def work(item: int) -> None:
        begun.append(item)
        time.sleep(0.01)

    with pytest.raises(error), all_cores(2) as executor:
        executor.map(work, range(1000))
        raise error
    assert threading.active_count() == threads and len(begun) < 100
