"""Inside `seeded` draws come from its seed; after it, and beside it, nothing has changed. `one_thread` likewise."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from posenc_helpers.lab.tasks import OrderTask
from posenc_helpers.lab.training import accuracy, one_thread, seeded, train
from tests.lab.test_training import small


def test_training_runs_on_one_thread_and_puts_their_number_back():
    seen = []

    class Counting(OrderTask):
        def sample(self, *arguments):
            seen.append(torch.get_num_threads())
            return super().sample(*arguments)

    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        model = small()
        train(model, Counting(), steps=2, batch=2, label=None)
        accuracy(model, Counting(), 16, examples=2)
        with pytest.raises(RuntimeError, match="inside"), one_thread():
            assert torch.get_num_threads() == 1
            raise RuntimeError("inside")
        assert seen == [1, 1, 1] and torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


def test_seeded_draws_the_same_in_many_threads_at_once():
    """They share one generator: without a lock, most such draws differ."""

    def draw(seed):
        with seeded(seed):
            drawn = [torch.rand(50).sum().item()]
            time.sleep(0.001)  # another thread would draw here
            return [*drawn, torch.rand(50).sum().item()]

    alone = [draw(seed) for seed in range(20)]
    with ThreadPoolExecutor(8) as executor:
        assert list(executor.map(draw, range(20))) == alone


def test_seeded_draws_from_its_seed_and_puts_the_state_back_after_an_error_too():
    before = torch.get_rng_state()
    with seeded(7):
        first = torch.randn(3)
        with seeded(8):
            other = torch.randn(3)
        second = torch.randn(3)
    assert torch.equal(torch.get_rng_state(), before)
    with seeded(7):
        assert torch.equal(torch.cat([first, second]), torch.cat([torch.randn(3), torch.randn(3)]))
    assert not torch.equal(first, other)
    with pytest.raises(RuntimeError, match="inside"), seeded(7):
        torch.randn(3)
        raise RuntimeError("inside")
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("device", ["cuda", "xpu", "mps"])
def test_seeded_leaves_the_generators_of_other_devices_alone(device, monkeypatch):
    """Not put back afterwards, but never touched: a seed for a device that is not there would wait until it is."""
    touched, kind = [], getattr(torch, device)
    for name in ("manual_seed", "manual_seed_all"):
        if hasattr(kind, name):
            monkeypatch.setattr(kind, name, lambda *_, name=name: touched.append(name))
    with seeded(3):
        torch.rand(1)
    assert touched == []
