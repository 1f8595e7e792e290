"""The largest tensor inside a computation is found, wherever it is made, and views count what they hold on to."""

import contextlib

import torch

from posenc_helpers.lab.memory import largest_tensor


def test_the_largest_tensor_inside_is_found_though_the_result_is_small():
    x = torch.ones(100)
    result, size = largest_tensor(lambda: (x[:, None] * x[None, :]).sum())
    assert result == 10_000 and size == 4 * 100 * 100


def test_parts_of_a_result_count_and_expanded_views_do_not():
    x = torch.arange(50.0)
    assert largest_tensor(lambda: x.expand(1000, 50))[1] == 4 * 50
    assert largest_tensor(lambda: x.topk(10))[1] == 8 * 10  # values, and indices of 8 bytes
    assert largest_tensor(lambda: 3) == (3, 0)


def test_nothing_is_watched_afterwards_even_if_the_call_fails():
    with contextlib.suppress(RuntimeError):
        largest_tensor(lambda: torch.ones(2) @ torch.ones(3))
    assert largest_tensor(lambda: torch.ones(2) + 1)[1] == 8
