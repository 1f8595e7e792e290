"""Answers that the checks of notebook 11 must refuse, each with a part of the hint it deserves, and right ones."""

from posenc_helpers.encodings import AlibiEncoding, RotaryEncoding
from posenc_helpers.lab.shootout import Contestant

RIGHT_JOBS = {"sensors": "nope", "encoder": "rope", "decoder": "kerple", "forms": "learned", "kernel": "sinusoidal"}


def _mean(mine, theirs):
    average = lambda losses: sum(losses.values()) / len(losses)  # noqa: E731
    return "better" if average(mine) < average(theirs) else "worse"


def _in_order(mine, theirs):
    pairs = list(zip(mine.values(), theirs.values(), strict=False))
    if all(a < b for a, b in pairs):
        return "better"
    return "worse" if all(a > b for a, b in pairs) else "cannot say"


def _majority(mine, theirs):
    wins = sum(mine[seed] < theirs[seed] for seed in mine.keys() & theirs.keys())
    return "better" if wins > 4 else "worse" if wins < 4 else "cannot say"


def _verdict(mine, theirs, least=6):
    shared = sorted(mine.keys() & theirs.keys())
    signs = {(mine[seed] > theirs[seed]) - (mine[seed] < theirs[seed]) for seed in shared}
    if len(shared) < least or len(signs) != 1:
        return "cannot say"
    return {-1: "better", 1: "worse", 0: "cannot say"}[signs.pop()]


WRONG = {
    "jobs": [
        ("ALiBi for sensors", RIGHT_JOBS | {"sensors": "alibi"}, "look at the column distance"),
        ("T5 for the encoder", RIGHT_JOBS | {"encoder": "t5"}, "look at the column parameters"),
        ("RoPE for the decoder", RIGHT_JOBS | {"decoder": "rope"}, "look at the column language 4x"),
        ("RoPE for forms", RIGHT_JOBS | {"forms": "rope"}, "look at the column shift"),
        ("learned for the kernel", RIGHT_JOBS | {"kernel": "learned"}, "look at the column parameters"),
    ],
    "verdict": [
        ("means", _mean, "Two of eight seeds went the other way"),
        ("in the order of the dict", _in_order, "pair them by seed"),
        ("five are enough", lambda mine, theirs: _verdict(mine, theirs, 5), "Five shared seeds are too few"),
        ("majority", _majority, "Two of eight seeds went the other way"),
    ],
    "beats_rope": [
        ("own rate", Contestant(AlibiEncoding, rate=8.0), "Not a fair comparison (own rate tuned, RoPE's not)"),
        ("an object", RotaryEncoding(16), "without brackets"),
        ("ALiBi", AlibiEncoding, "does any head see near tokens sharply enough"),
    ],
}
RIGHT = {
    "jobs": [("xPos, binary", RIGHT_JOBS | {"encoder": "xpos", "kernel": "binary"})],
    "verdict": [("by signs", _verdict)],
}
