"""Answers to the exercises of notebook 01, as readers write them, that its table of likely mistakes does not hold.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint); `RIGHT[exercise]` lists (how, answer).
"""

import numpy as np
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


def _each_text_its_own(f, x):
    p = torch.stack([_shuffle(x, seed) for seed in range(len(x))])[..., None].expand_as(x)
    return np.allclose(f(x.gather(1, p)).detach().numpy(), f(x).gather(1, p).detach().numpy(), atol=1e-4)


# 2. order_signal(f, encode, x)


def _signal(f, encode, x, p):
    return (f(encode(x[:, p])) - f(encode(x))[:, p]).abs()


def _signal_loop(f, encode, x):
    p = np.random.default_rng(0).permutation(x.shape[1])
    shuffled, straight, largest = f(encode(x[:, p])), f(encode(x)), 0.0
    for new, old in enumerate(p):
        largest = max(largest, float((shuffled[:, new] - straight[:, old]).abs().max()))
    return largest


# 3. order_aware(f, read_out, x)


def _read(y, read_out):
    return {"per token": y, "mean": y.mean(1), "last": y[:, -1]}[read_out]


def _aware(f, read_out, x, p, back):
    after = f(x[:, p])
    if read_out == "per token":
        after = after[:, back]
    return not _close(_read(after, read_out), _read(f(x), read_out))


def _before_last(x, seed=1):
    places = torch.arange(x.shape[1])
    places[:-1] = _shuffle(x[:, :-1], seed)
    return places


def _forgets_last(f, read_out, x):
    if read_out != "last":
        return _straight(f, read_out, x)


def _straight(f, read_out, x):
    for seed in range(4):
        p = _before_last(x, seed) if read_out == "last" else _shuffle(x, seed)
        if _aware(f, read_out, x, p, p.argsort()):
            return True
    return False


def _by_rolls(f, read_out, x):
    n = x.shape[1] - (read_out == "last")
    found = 0.0
    for by in range(1, n):
        p = torch.cat([torch.arange(n).roll(by)[torch.randperm(n)], torch.arange(n, x.shape[1])])
        after, before = f(x[:, p]).numpy(), f(x).numpy()
        gap = {
            "per token": after - before[:, p],
            "mean": after.mean(1) - before.mean(1),
            "last": after[:, -1] - before[:, -1],
        }[read_out]
        found = max(found, np.abs(gap).max())
    return np.bool_(found > 1e-4)


def _neighbours_swapped(f, read_out, x):
    swaps = [[*range(i), i + 1, i, *range(i + 2, x.shape[1])] for i in range(x.shape[1] - 1 - (read_out == "last"))]
    return any(_aware(f, read_out, x, p, p) for p in swaps)


WRONG = {
    "is_equivariant": [],
    "order_signal": [
        ("yes or no", lambda f, encode, x: bool(_signal(f, encode, x, _shuffle(x)).max() > 1e-4), "number")
    ],
    "order_aware": [
        ("no order in a mean", lambda f, read_out, x: read_out != "mean" and _straight(f, read_out, x), "convolution"),
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
        ("another permutation for each text, NumPy's comparison", _each_text_its_own),
        ("0 or 1", lambda f, x: int(_close(f(x[:, _shuffle(x)]), f(x)[:, _shuffle(x)]))),
    ],
    "order_signal": [
        ("a loop, NumPy's permutation", _signal_loop),
        ("reversal", lambda f, encode, x: (f(encode(x.flip(1))) - f(encode(x)).flip(1)).abs().max().item()),
        (
            "the largest of four permutations, in float64",
            lambda f, encode, x: max(_signal(f, encode, x, _shuffle(x, seed)).double().max() for seed in range(4)),
        ),
    ],
    "order_aware": [
        ("rolled and shuffled, NumPy's boolean", _by_rolls),
        ("swaps of neighbours, which make every permutation", _neighbours_swapped),
    ],
}
