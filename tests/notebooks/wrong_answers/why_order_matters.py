"""Answers to the exercises of notebook 01, as readers write them, that its table of likely mistakes does not hold.

`WRONG[exercise]` lists (what is wrong, answer, part of a hint that no row gives); `RIGHT[exercise]` lists (how, answer).
"""

import torch


def _close(a, b):
    return torch.allclose(a, b, atol=1e-4)


def _shuffle(x, seed=1):
    return torch.randperm(x.shape[1], generator=torch.Generator().manual_seed(seed))


# 1. is_equivariant(f, x)


def _neighbours(f, x):
    for i in range(x.shape[1] - 1):
        p = list(range(x.shape[1]))
        p[i], p[i + 1] = p[i + 1], p[i]
        if (f(x[:, p]) - f(x)[:, p]).abs().max() > 1e-5:
            return False
    return True


# 2. order_signal(f, encode, x)


def _signal(f, encode, x, p):
    return (f(encode(x[:, p])) - f(encode(x))[:, p]).abs()


# 3. order_aware(f, read_out, x)


def _forgets_last(f, read_out, x):
    if read_out != "last":
        return _neighbours_swapped(f, read_out, x)


def _neighbours_swapped(f, read_out, x):
    swaps = [[*range(i), i + 1, i, *range(i + 2, x.shape[1])] for i in range(x.shape[1] - 1 - (read_out == "last"))]
    read = {"per token": lambda y, p: y[:, p], "mean": lambda y, p: y.mean(1), "last": lambda y, p: y[:, -1]}[read_out]
    return any(not _close(read(f(x[:, p]), p), read(f(x), slice(None))) for p in swaps)


WRONG = {
    "is_equivariant": [],
    "order_signal": [
        ("yes or no", lambda f, encode, x: bool(_signal(f, encode, x, _shuffle(x)).max() > 1e-4), "number")
    ],
    "order_aware": [
        (
            "no order in a mean",
            lambda f, read_out, x: read_out != "mean" and _neighbours_swapped(f, read_out, x),
            "convolution",
        ),
        ("one case forgotten", _forgets_last, "`return` missing"),
    ],
}

RIGHT = {
    "is_equivariant": [
        (
            "one random permutation, largest difference under 1e-5",
            lambda f, x: bool((f(x[:, _shuffle(x)]) - f(x)[:, _shuffle(x)]).abs().max() < 1e-5),
        ),
        ("swaps of neighbours, which make every permutation", _neighbours),
    ],
    "order_signal": [
        ("reversal", lambda f, encode, x: (f(encode(x.flip(1))) - f(encode(x)).flip(1)).abs().max().item()),
        (
            "the largest of four permutations, in float64",
            lambda f, encode, x: max(_signal(f, encode, x, _shuffle(x, seed)).double().max() for seed in range(4)),
        ),
    ],
    "order_aware": [("swaps of neighbours, which make every permutation", _neighbours_swapped)],
}
