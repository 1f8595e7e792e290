"""Answers to the exercises of notebook 01, as readers write them: wrong ones with the hint they deserve, and right ones
that look unlike the folded solution.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint that names it); `RIGHT[exercise]` lists (how, answer).
"""

from itertools import islice, permutations

import numpy as np
import torch


def _close(a, b):
    return torch.allclose(a, b, atol=1e-4)


def _shuffle(x, seed=1):
    return torch.randperm(x.shape[1], generator=torch.Generator().manual_seed(seed))


NOTEBOOKS_SHUFFLE = torch.tensor([3, 0, 5, 1, 4, 2])  # a variable of the notebook that lies at hand


# 1. is_equivariant(f, x)


def _says_nothing(f, x):
    print(_close(f(x[:, _shuffle(x)]), f(x)[:, _shuffle(x)]))


def _elementwise(f, x):
    p = _shuffle(x)
    return (f(x[:, p]) - f(x)[:, p]).abs() < 1e-4


def _swaps_first_two(f, x):
    p = torch.arange(x.shape[1])
    p[0], p[1] = 1, 0
    return _close(f(x[:, p]), f(x)[:, p])


def _with(p, f, x):
    return _close(f(x[:, p]), f(x)[:, p])


def _neighbours(f, x):
    for i in range(x.shape[1] - 1):
        p = list(range(x.shape[1]))
        p[i], p[i + 1] = p[i + 1], p[i]
        if (f(x[:, p]) - f(x)[:, p]).abs().max() > 1e-5:
            return False
    return True


def _matrix(f, x):
    P = torch.eye(x.shape[1], dtype=x.dtype)[_shuffle(x)]
    return bool(((f(P @ x) - P @ f(x)).abs() < 1e-4).all())


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


def _aware(f, read_out, x, p, back=None):
    after = f(x[:, p])
    if read_out == "per token" and back is not None:
        after = after[:, back]
    return not _close(_read(after, read_out), _read(f(x), read_out))


def _before_last(x, seed=1):
    places = torch.arange(x.shape[1])
    places[:-1] = _shuffle(x[:, :-1], seed)
    return places


def _all_shuffled(f, read_out, x):
    p = _shuffle(x)
    return _aware(f, read_out, x, p, p.argsort())


def _only_reversed(f, read_out, x):
    p = torch.arange(x.shape[1]).flip(0)
    if read_out == "last":
        p = torch.cat([p[1:], p[:1]])
    return _aware(f, read_out, x, p, p.argsort())


def _outputs_stay(f, read_out, x):
    return _aware(f, read_out, x, _before_last(x) if read_out == "last" else _shuffle(x))


def _exact(f, read_out, x):
    p = _before_last(x) if read_out == "last" else _shuffle(x)
    after, before = f(x[:, p]), f(x)
    return not torch.equal(_read(after, read_out), _read(before[:, p] if read_out == "per token" else before, read_out))


def _the_other_way_round(f, read_out, x):
    return not _straight(f, read_out, x)


def _ignores_read_out(f, read_out, x):
    p = _shuffle(x)
    return not _close(f(x[:, p]), f(x)[:, p])


def _mean_of_features(f, read_out, x):
    p = _before_last(x) if read_out == "last" else _shuffle(x)
    after, before = f(x[:, p]), f(x)
    if read_out == "mean":
        return not _close(after.mean(-1), before.mean(-1))
    return _straight(f, read_out, x)


def _follows_the_last_word(f, read_out, x):
    p = _shuffle(x)
    if read_out == "last":
        return not _close(f(x[:, p])[:, p.argsort()][:, -1], f(x)[:, -1])
    return _straight(f, read_out, x)


def _swaps_two(f, read_out, x):
    p = [1, 0, *range(2, x.shape[1])]
    return _aware(f, read_out, x, p, p)


def _forgets_last(f, read_out, x):
    if read_out != "last":
        return _straight(f, read_out, x)


def _straight(f, read_out, x):
    for seed in range(4):
        p = _before_last(x, seed) if read_out == "last" else _shuffle(x, seed)
        if _aware(f, read_out, x, p, p.argsort()):
            return True
    return False


def _differences(f, read_out, x):
    found = 0.0
    for seed in (3, 4, 5):
        p = _before_last(x, seed) if read_out == "last" else _shuffle(x, seed)
        wanted = f(x)[:, p] if read_out != "last" else f(x)
        gap = f(x[:, p]) - wanted
        gap = gap if read_out == "per token" else gap.mean(1) if read_out == "mean" else gap[:, -1]
        found = max(found, gap.abs().max().item())
    return found > 1e-5


def _changes_x(f, x):
    before, p = f(x).clone(), torch.arange(x.shape[1]).flip(0)
    x[:] = x[:, p]
    return _close(f(x), before[:, p])


def _last_of(pick):  # the output called "last" is another one
    def answer(f, read_out, x):
        p = _before_last(x) if read_out == "last" else _shuffle(x)
        after, before = f(x[:, p]), f(x)
        pairs = {"per token": (after, before[:, p]), "mean": (after.mean(1), before.mean(1))}
        return not _close(*pairs.get(read_out, (pick(after), pick(before))))

    return answer


def _mean_of_each(f, read_out, x):  # "mean" is answered like "per token"
    return _straight(f, "last" if read_out == "last" else "per token", x)


def _changes_x_as_it_reads(f, read_out, x):
    before = f(x).clone()
    x += 0 * x + 1e-3
    return not _close(_read(f(x), "mean"), _read(before, "mean"))


def _by_rolls(f, read_out, x):
    n = x.shape[1] - (read_out == "last")
    found = 0.0
    for by in range(1, n):
        p = torch.cat([torch.arange(n).roll(by)[torch.randperm(n)], torch.arange(n, x.shape[1])])
        after, before = f(x[:, p]).numpy(), f(x).numpy()
        gap = {"per token": after - before[:, p], "mean": after.mean(1) - before.mean(1),
               "last": after[:, -1] - before[:, -1]}[read_out]  # fmt: skip
        found = max(found, np.abs(gap).max())
    return np.bool_(found > 1e-4)


def _neighbours_swapped(f, read_out, x):
    swaps = [[*range(i), i + 1, i, *range(i + 2, x.shape[1])] for i in range(x.shape[1] - 1 - (read_out == "last"))]
    return any(_aware(f, read_out, x, p, p) for p in swaps)


WRONG = {
    "is_equivariant": [
        ("always True", lambda f, x: True, "sum over the tokens"),
        ("always False", lambda f, x: False, "f(P x) with P f(x)"),
        ("invariance", lambda f, x: _close(f(x[:, _shuffle(x)]), f(x)), "f(P x) with P f(x)"),
        ("mean over tokens", lambda f, x: _close(f(x[:, _shuffle(x)]).mean(1), f(x).mean(1)), "token by token"),
        ("sums, not tokens", lambda f, x: abs((f(x[:, _shuffle(x)]) - f(x)).sum()) < 1e-4, "token by token"),
        ("sign of the difference kept", lambda f, x: (f(x[:, _shuffle(x)]) - f(x)[:, _shuffle(x)]).mean() < 1e-4,
         "token by token"),
        ("batch permuted", lambda f, x: _close(f(x.flip(0)), f(x).flip(0)), "axis 1"),
        ("features permuted", lambda f, x: _close(f(x.flip(-1)), f(x).flip(-1)), "axis 1"),
        ("reversal only", lambda f, x: _close(f(x.flip(1)), f(x).flip(1)), "reversal"),
        ("moved round by one", lambda f, x: _close(f(x.roll(1, 1)), f(x).roll(1, 1)), "x.roll"),
        ("first two swapped", _swaps_first_two, "more than once"),
        ("exact comparison", lambda f, x: torch.equal(f(x[:, _shuffle(x)]), f(x)[:, _shuffle(x)]), "torch.allclose"),
        ("wide tolerance", lambda f, x: torch.allclose(f(x[:, _shuffle(x)]), f(x)[:, _shuffle(x)], atol=0.1),
         "tolerance is too wide"),
        ("shuffled back the wrong way", lambda f, x: _close(f(x[:, _shuffle(x)]), f(x)[:, _shuffle(x).argsort()]),
         "f(P x) with P f(x)"),
        ("the notebook's six-token shuffle", lambda f, x: _with(NOTEBOOKS_SHUFFLE, f, x), "x.shape[1]"),
        ("tokens drawn with repeats",
         lambda f, x: _with(torch.randint(7, (7,), generator=torch.Generator().manual_seed(1)), f, x), "x.shape[1]"),
        ("prints, does not return", _says_nothing, "`return` missing"),
        ("a table of booleans", _elementwise, "Tensor of shape (3, 7, 6)"),
        ("a word", lambda f, x: "yes", "True or False"),
        ("True and False exchanged", lambda f, x: not _close(f(x[:, _shuffle(x)]), f(x)[:, _shuffle(x)]),
         "True and False are exchanged"),
        ("token 0 dropped: permutations counted from 1", lambda f, x: _with(1 + torch.randperm(x.shape[1] - 1), f, x),
         "so that every one appears once"),
        ("the input changed in place", _changes_x, "changes its input x in place"),
    ],
    "order_signal": [
        ("always 0", lambda f, encode, x: 0.0, "encode was never called"),
        ("nothing encoded", lambda f, encode, x: _signal(f, lambda z: z, x, _shuffle(x)).max(), "encode was never called"),
        ("encoded first, then shuffled",
         lambda f, encode, x: (f(encode(x)[:, _shuffle(x)]) - f(encode(x))[:, _shuffle(x)]).abs().max(), "first permute x"),
        ("outputs not shuffled",
         lambda f, encode, x: (f(encode(x[:, _shuffle(x)])) - f(encode(x))).abs().max(), "P f(encode(x))"),
        ("not shuffled at all", lambda f, encode, x: _signal(f, encode, x, torch.arange(x.shape[1])).max(), "permute x"),
        ("batch permuted", lambda f, encode, x: (f(encode(x.flip(0))) - f(encode(x)).flip(0)).abs().max(), "axis 1"),
        ("features permuted", lambda f, encode, x: (f(encode(x.flip(2))) - f(encode(x)).flip(2)).abs().max(), "axis 1"),
        ("the notebook's six-token shuffle",
         lambda f, encode, x: _signal(f, encode, x, NOTEBOOKS_SHUFFLE).max(), "x.shape[1]"),
        ("sign kept",
         lambda f, encode, x: (f(encode(x[:, _shuffle(x)])) - f(encode(x))[:, _shuffle(x)]).max(), ".abs()"),
        ("mean, not largest", lambda f, encode, x: _signal(f, encode, x, _shuffle(x)).mean(), "largest"),
        ("Euclidean norm", lambda f, encode, x: _signal(f, encode, x, _shuffle(x)).norm(), "largest"),
        ("yes or no", lambda f, encode, x: bool(_signal(f, encode, x, _shuffle(x)).max() > 1e-4), "number"),
        ("all differences", lambda f, encode, x: _signal(f, encode, x, _shuffle(x)), "one number"),
        ("nothing returned", lambda f, encode, x: print(_signal(f, encode, x, _shuffle(x)).max()), "`return` missing"),
        ("f left out", lambda f, encode, x: (encode(x.flip(1)) - encode(x).flip(1)).abs().max(), "f was never called"),
        ("encoded after f", lambda f, encode, x: (encode(f(x.flip(1))) - encode(f(x)).flip(1)).abs().max(),
         "You encode what f has put out"),
        ("encoded twice", lambda f, encode, x: _signal(f, lambda z: encode(encode(z)), x, _shuffle(x)).max(),
         "You encode twice"),
        ("a sum", lambda f, encode, x: _signal(f, encode, x, _shuffle(x)).sum(), "is a sum"),
        ("squared", lambda f, encode, x: _signal(f, encode, x, _shuffle(x)).square().max(), "is a square"),
        ("cut to a whole number", lambda f, encode, x: int(_signal(f, encode, x, _shuffle(x)).max()),
         "cut to a whole number"),
    ],
    "order_aware": [
        ("always True", lambda f, read_out, x: True, "f(x) = 2 x"),
        ("always False", lambda f, read_out, x: False, "you say False"),
        ("outputs not shuffled along", _outputs_stay, "Permute the outputs along"),
        ("the answer the other way round", _the_other_way_round, "Aware means"),
        ("last token shuffled too", _all_shuffled, "Leave the last token where it is"),
        ("reversal only", _only_reversed, "several random"),
        ("exact comparison", _exact, "small tolerance"),
        ("read_out ignored", _ignores_read_out, "f(x) = x.flip(1) has one mean whatever the order"),
        ("mean over the features", _mean_of_features, "Compare the two means"),
        ("last word followed to its new place", _follows_the_last_word, "You read another place than the last"),
        ("first two swapped, as in the mask's section", _swaps_two, "convolution"),
        ("one case forgotten", _forgets_last, "`return` missing"),
        ("the mean of none: each token compared", _mean_of_each, "has one mean whatever the order"),
        ("the first token read for the last", _last_of(lambda y: y[:, 0]), "You read another place than the last"),
        ("the last column read for the last token", _last_of(lambda y: y[..., -1]), "You read another place than the last"),
        ("the last text read for the last token", _last_of(lambda y: y[-1]), "You read another place than the last"),
        ("the input changed in place", _changes_x_as_it_reads, "changes its input x in place"),
    ],
}  # fmt: skip

RIGHT = {
    "is_equivariant": [
        ("one random permutation, largest difference under 1e-5", lambda f, x: bool(
            (f(x[:, _shuffle(x)]) - f(x)[:, _shuffle(x)]).abs().max() < 1e-5)),
        ("swaps of neighbours, which make every permutation", _neighbours),
        ("permutation matrices", _matrix),
        ("another permutation for each text, NumPy's comparison", _each_text_its_own),
        ("shuffled back with argsort", lambda f, x: _close(f(x[:, _shuffle(x)])[:, _shuffle(x).argsort()], f(x))),
        ("0 or 1", lambda f, x: int(_close(f(x[:, _shuffle(x)]), f(x)[:, _shuffle(x)]))),
        ("a tensor of one boolean", lambda f, x: (f(x[:, _shuffle(x)]) - f(x)[:, _shuffle(x)]).abs().max() < 1e-4),
        ("fifty of all permutations", lambda f, x: all(
            _with(list(p), f, x) for p in islice(permutations(range(x.shape[1])), 1, 5040, 100))),
        ("two rolls in NumPy", lambda f, x: all(np.allclose(
            f(x[:, p]).numpy(), f(x).numpy()[:, p], atol=1e-4) for p in ([1, 0, 3, 2, 5, 4, 6], [2, 4, 6, 1, 3, 5, 0]))),
        ("sorted back, in float64", lambda f, x: (
            f(x[:, _shuffle(x)]).double()[:, _shuffle(x).sort().indices] - f(x).double()).norm() < 1e-3),
    ],
    "order_signal": [
        ("a loop, NumPy's permutation", _signal_loop),
        ("reversal", lambda f, encode, x: (f(encode(x.flip(1))) - f(encode(x)).flip(1)).abs().max().item()),
        ("first two swapped", lambda f, encode, x: _signal(f, encode, x, [1, 0, *range(2, x.shape[1])]).max()),
        ("shuffled back", lambda f, encode, x: (
            f(encode(x[:, _shuffle(x)]))[:, _shuffle(x).argsort()] - f(encode(x))).abs().amax()),
        ("moved round by one, as float", lambda f, encode, x: float(
            (f(encode(x.roll(1, 1))) - f(encode(x)).roll(1, 1)).abs().max())),
        ("NumPy's largest", lambda f, encode, x: np.abs(
            f(encode(x[:, [1, 0, *range(2, x.shape[1])]])).numpy() - f(encode(x)).numpy()[:, [1, 0, *range(2, x.shape[1])]]
        ).max()),
        ("the largest of four permutations, in float64", lambda f, encode, x: max(
            _signal(f, encode, x, _shuffle(x, seed)).double().max() for seed in range(4))),
    ],
    "order_aware": [
        ("a loop with argsort", _straight),
        ("differences, largest over 1e-5", _differences),
        ("rolled and shuffled, NumPy's boolean", _by_rolls),
        ("swaps of neighbours, which make every permutation", _neighbours_swapped),
    ],
}  # fmt: skip
