"""Answers to the exercises of notebook 12, as readers write them, that its table of likely mistakes does not hold.

`WRONG[exercise]` lists (what is wrong, answer, part of a hint that no row gives); `RIGHT[exercise]` lists (how, answer).
"""

import math

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
        ("none at all", {"A": "half", "B": None, "C": "interleaved"}, "one of interleaved, half, neither"),
        ("one still to do", {"A": "half", "B": ..., "C": "interleaved"}, "still the dots"),
        ("a file forgotten", {"A": "half", "C": "interleaved"}, "for A, B and C"),
    ],
    # 2. a list of at least 18 numbers of pairs
    "still": [
        ("how many", 18, "not one number"),
        ("their speeds", [100_000 ** (-pair / 32) for pair in range(14, 32)], "whole number"),
    ],
    # 3. seen(length) -> (length, length)
    "seen": [
        ("for the last token alone", _last_row_alone, "could be spent better"),
        ("shares", lambda length: _with_first(length, 23) / 24, "True where a token sees a key"),
        ("for 256 tokens, whatever is asked", lambda length: _with_first(256, 23), "should have shape (30, 30)"),
    ],
}

RIGHT = {
    "layouts": [
        ("capitals and spaces", {"A": "Half", "B": " neither", "C": "INTERLEAVED "}),
        ("with a file more", {"A": "half", "B": "neither", "C": "interleaved", "D": "half"}),
    ],
    "still": [
        ("a set", {*range(14, 32)}),
        ("less than half a circle", [i for i in range(32) if 384 * 100_000 ** (-i / 32) < math.pi]),
        ("pair 13 in place of 14", [13, *range(15, 32)]),
    ],
    "seen": [
        ("four first, and the last 20", _four_first),
        ("token 20, which sees only itself, and the last 23", _alone),
        ("23 keys", lambda length: _with_first(length, 22)),
    ],
}
