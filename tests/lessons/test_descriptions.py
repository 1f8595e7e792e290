"""The sentence of an explorer holds the numbers of its picture: some that are known. All settings: test_explorers.py."""

import importlib

import pytest
import torch

from tools.course import ROOT

MODULES = [
    importlib.import_module(f"posenc_helpers.lessons.{path.parent.name}.descriptions")
    for path in sorted((ROOT / "posenc_helpers" / "lessons").glob("*/descriptions.py"))
]
DESCRIBE = {
    name: made
    for module in MODULES
    for name, made in vars(module).items()
    if getattr(made, "__module__", "") == module.__name__ and not name.startswith("_")
}
HANDS = {"move_both": 0, "pair": 8, "head_width": 64, "base": 1e4, "content": "q = k"}
BUCKETS = {"buckets": 32, "max_distance": 128, "keys": "causal", "head": "bands"}
CODES = {"length": 64, "width": 64, "position": 31}
ONE_DOG = {"sentence": "one dog bites two men", "order": "reversed", "own": "", "positions": False}
KNOWN = [
    ("shuffle", ONE_DOG | {"causal_mask": False}, "every word keeps its output; largest difference 0.00."),
    ("codes", CODES | {"encoding": "index"}, "norm 248.0, 31 times that of an embedding"),
    ("codes", CODES | {"encoding": "one-hot", "position": 3}, "the farthest that of 0 (and of 62 more), 1.41 away"),
    (
        "codes",
        CODES | {"encoding": "binary"},
        "that of 15 (and of 5 more), 1.00 away, the farthest that of 32, 2.45 away",
    ),
    ("codes", CODES | {"encoding": "index", "position": 0}, "that of 1, 8.00 away"),
    ("clocks", {"p": 5, "q": 5, "width": 64, "base": 1e4}, "32 of 32 hands point the same way; 0 apart"),
    ("bases", {"base": 1e4, "width": 64}, "turns 159 times, 14 hands finish no turn"),
    ("bases", {"base": 1e4, "width": 64}, "closest two codes are 1.47 apart (in the picture, over √d: 0.184)"),
    ("buckets", BUCKETS, "0 to 15 back have one each, 16 to 18 share bucket 16"),
    ("hands", HANDS | {"m": 30, "n": 27}, "score 0.80 of the largest; highest, 1.00, at n - m = 0"),
    (
        "hands",
        HANDS | {"m": 30, "n": 27, "move_both": 1000},
        "k at 1,027, score 0.80 of the largest, unchanged by moving",
    ),
    ("hands", HANDS | {"m": 0, "n": 9, "content": "k made for 20 back"}, "highest, 1.00, at n - m = -20"),
    ("hands", HANDS | {"m": 0, "n": 9, "base": 5e5}, "In pair 8 (circle in 167 tokens)"),
    ("context", {"base": 1e4, "trained_length": 4096, "rotary_width": 128}, "18 pairs finish no circle in 4,096"),
    (
        "alibi_head",
        {"heads": 8, "head": 0, "length": 64, "content": 0.0, "causal": True},
        "slope 1/2: the nearest 5 of",
    ),
]


@pytest.mark.parametrize(("name", "values", "part"), KNOWN)
def test_numbers_that_are_known(name, values, part):
    assert part in DESCRIBE[name](**values)


def test_a_table_in_training():
    describe = DESCRIBE["training"]({0: torch.eye(32, 64), 20: torch.ones(32, 64)}, [3.0] * 10 + [2.0] * 10)
    assert "after 0 steps" in describe(0) and "cosine 0.00" in describe(0) and "the loss is 3.00 nats" in describe(0)
    assert "cosine 1.00" in describe(20) and "the loss is 2.00 nats" in describe(20)


def test_a_setting_that_the_picture_refuses_is_refused():
    with pytest.raises(ValueError, match="position=9 must be below length=8"):
        DESCRIBE["codes"]("index", 8, 8, 9)
