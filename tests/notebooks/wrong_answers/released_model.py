"""Answers to the exercises of notebook 12, as readers write them, that its table of likely mistakes does not hold.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint); `RIGHT[exercise]` lists (how, answer).
"""

import math

import numpy as np
import torch


def _back(length):
    """Return how far back each key stands from each query, (length, length)."""
    place = torch.arange(length)
    return place[:, None] - place


def _near(length, count):
    back = _back(length)
    return (back >= 0) & (back < count)


def _with_first(length, near):
    seen = _near(length, near)
    seen[:, 0] = True
    return seen


def _last_row_alone(length):
    seen = _near(length, 23)
    seen[-1, 0] = True
    return seen


def _second_for_first(length):
    seen = _near(length, 23)
    seen[1:, 1] = True
    return seen


def _blocks(length):
    place = torch.arange(length)
    same = (place[:, None] - length) // 23 == (place - length) // 23
    return (same | (place == 0)) & (place[:, None] >= place)


def _every_second(length):
    back = _back(length)
    return (back >= 0) & ((back < 46) & (back % 2 == 0) | (torch.arange(length) == 0))


def _doubling(length):
    back = _back(length)
    far = sum((back == step) for step in (16, 24, 32, 48, 64, 96, 128, 192)).bool()
    return (back >= 0) & ((back < 12) | far | (torch.arange(length) == 0))


def _many_first(length):
    return (_back(length) >= 0) & ((_back(length) < 16) | (torch.arange(length) < 8))


def _loops(length):
    rows = []
    for query in range(length):
        allowed = {0, *range(max(0, query - 22), query + 1)}
        rows.append([key in allowed for key in range(length)])
    return rows


def _numpy(length):
    query, key = np.indices((length, length))
    return (key <= query) & ((query - key < 23) | (key == 0))


def _triangles(length):
    ones = torch.ones(length, length)
    seen = ones.tril() - ones.tril(-23)
    seen[:, 0] = 1
    return seen


def _alone(length):
    seen = _near(length, 23)
    seen[20:, 20] = True
    seen[20, :20] = False
    return seen


def _four_first(length):
    seen = _near(length, 20)
    seen[:, :4] = True
    return seen.tril()


WRONG = {
    # 1. {"A": ..., "B": ..., "C": ...}
    "layouts": [
        ("all alike", dict.fromkeys("ABC", "interleaved"), "What if none fits"),
        ("half wherever it can be read", {"A": "half", "B": "neither", "C": "half"}, "A low loss"),
        ("A and C exchanged", {"A": "interleaved", "B": "neither", "C": "half"}, "Do not go by"),
        ("the lowest of three, taken by its name", {"A": "half", "B": "not turned", "C": "interleaved"}, "one of"),
        ("none at all", {"A": "half", "B": None, "C": "interleaved"}, "one of interleaved, half, neither"),
        ("losses for layouts", {"A": 2.6, "B": 9.1, "C": 2.6}, "one of interleaved, half, neither"),
        ("one still to do", {"A": "half", "B": ..., "C": "interleaved"}, "still the dots"),
        ("a file forgotten", {"A": "half", "C": "interleaved"}, "for A, B and C"),
        ("small letters", {"a": "half", "b": "neither", "c": "interleaved"}, "for A, B and C"),
        ("a list", ["half", "neither", "interleaved"], "Give a dict"),
    ],
    # 2. a list of at least 18 numbers of pairs
    "still": [
        ("all that make less than a circle", list(range(12, 32)), "which one goes round most often"),
        ("the middle ones", list(range(7, 25)), "which one goes round most often"),
        ("one in three from pair 5, and the slow ones", [5, 8, 11, *range(17, 32)], "which one goes round most often"),
        ("every second, and the slow ones", [*range(1, 18, 2), *range(18, 32)], "fastest pairs"),
        ("their columns", list(range(28, 64)), "32 pairs, counted from 0"),
        ("counted from the end", list(range(-18, 0)), "32 pairs, counted from 0"),
        ("how many", 18, "not one number"),
        ("first and last", (14, 31), "At least 18"),
        ("none", [], "At least 18"),
        ("their speeds", [100_000 ** (-pair / 32) for pair in range(14, 32)], "whole number"),
        ("how far each comes", np.arange(14, 32) / 32, "whole number"),
        ("a slice", slice(14, 32), "Give a list"),
        ("a list in a list", [list(range(14, 32))], "still should have shape (1,)"),
        ("in words", "14 to 31", "still should be a tensor"),
        ("a function", lambda: list(range(14, 32)), "Give a list"),
    ],
    # 3. seen(length) -> (length, length)
    "seen": [
        ("keys are rows", lambda length: _with_first(length, 23).T, "keys after itself"),
        ("True where nothing is seen", lambda length: ~_with_first(length, 23), "keys after itself"),
        ("near on both sides", lambda length: (_back(length).abs() < 12) | (torch.arange(length) == 0), "after itself"),
        ("the near ones without itself", lambda length: _with_first(length, 24) & (_back(length) > 0), "see itself"),
        ("four first, and the last 24", lambda length: _near(length, 24) | _four_first(length), "more than 24"),
        ("as in the notebook", lambda length: _with_first(length, 64), "more than 24 keys"),
        ("the second for the first", _second_for_first, "see no key that saw only itself"),
        ("for the last token alone", _last_row_alone, "could be spent better"),
        ("blocks, each with the first token", _blocks, "could be spent better"),
        ("every second key", _every_second, "far away"),
        ("near ones, then at doubled distances", _doubling, "could be spent better"),
        ("eight first tokens", _many_first, "could be spent better"),
        ("few near ones", lambda length: _with_first(length, 8), "could be spent better"),
        ("0 and minus infinity", lambda length: torch.where(_with_first(length, 23), 0.0, -math.inf), "infinity"),
        ("shares", lambda length: _with_first(length, 23) / 24, "True where a token sees a key"),
        ("for one query", lambda length: _with_first(length, 23)[-1], "An axis is missing"),
        ("a batch", lambda length: _with_first(length, 23)[None], "An axis of length 1 is too many"),
        ("for 256 tokens, whatever is asked", lambda length: _with_first(256, 23), "should have shape (30, 30)"),
        ("numbers of keys", lambda length: torch.zeros(length, 24).long(), "should have shape"),
        ("no return", lambda length: _with_first(length, 23) and None if length < 0 else None, "return"),
    ],
}

RIGHT = {
    "layouts": [
        ("capitals and spaces", {"A": "Half", "B": " neither", "C": "INTERLEAVED "}),
        ("in another order", {"C": "interleaved", "B": "neither", "A": "half"}),
        ("with a file more", {"A": "half", "B": "neither", "C": "interleaved", "D": "half"}),
        ("NumPy's strings", dict(zip("ABC", np.array(["half", "neither", "interleaved"]), strict=True))),
    ],
    "still": [
        ("a range", range(14, 32)),
        ("a tuple, slowest first", tuple(reversed(range(14, 32)))),
        ("a set", {*range(14, 32)}),
        ("a tensor", torch.arange(14, 32)),
        ("NumPy", np.arange(14, 32)),
        ("floats", [float(pair) for pair in range(14, 32)]),
        ("less than half a circle", [i for i in range(32) if 384 * 100_000 ** (-i / 32) < math.pi]),
        ("read off a tensor", torch.nonzero(100_000 ** (-torch.arange(32) / 32) * 384 < math.pi).flatten()),
        ("pair 13 in place of 14", [13, *range(15, 32)]),
    ],
    "seen": [
        ("rows one by one, lists", _loops),
        ("NumPy", _numpy),
        ("ones in triangles", _triangles),
        ("four first, and the last 20", _four_first),
        ("token 20, which sees only itself, and the last 23", _alone),
        ("23 keys", lambda length: _with_first(length, 22)),
        ("whole numbers", lambda length: _with_first(length, 23).int()),
        ("float64", lambda length: _with_first(length, 23).double()),
    ],
}
