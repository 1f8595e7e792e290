"""Encodings of the package on texts longer than any in training. Takes plain values and returns rows."""

from copy import deepcopy

import torch

from posenc_helpers.checks import check_choice
from posenc_helpers.encodings import ENCODINGS, DebertaEncoding, RotaryEncoding, T5Encoding, t5_buckets
from posenc_helpers.lab.beyond import losses_upto, recall_model
from posenc_helpers.lab.evaluation import cumulative, loss_by_position
from posenc_helpers.lab.rules import reach
from posenc_helpers.lab.shootout import CONTESTANTS, FAR, TRAINED, WINDOWS, Contestant, train_readers
from posenc_helpers.lab.stretching import with_encoding
from posenc_helpers.lab.tasks import RecallTask
from posenc_helpers.lab.training import accuracy
from tools.experiments.on_text import MANY, text_once

CLIPS = {  # encoding -> how it is built with its distances clipped at `clip`
    "t5": lambda clip: lambda width, heads, length: T5Encoding(heads, max_distance=clip),
    "deberta": lambda clip: lambda width, heads, length: DebertaEncoding(heads, width // heads, max_distance=clip),
}
KNOBS = {  # encoding -> the contestant under a setting of its own knob: the rate of T5's table, the base of RoPE
    "t5": lambda rate: Contestant(CONTESTANTS["t5"].build, rate),
    "rope": lambda base: Contestant(lambda width, heads, length: RotaryEncoding(width // heads, base=base)),
}


def lengths(encoding: str, seed: int, steps: int = 300, windows: int = WINDOWS, examples: int = 100) -> list[dict]:
    """Train an entry of ENCODINGS on 32 characters, and on 16 tokens of first-token recall; read both beyond.

    "language" is the mean loss over `times` 32 characters of the test text, "recall" the accuracy of the last 8 of
    `times` 16 tokens, as in the shootout and in recall.csv. Empty where the encoding's table ends before.
    """
    entry, text = Contestant(ENCODINGS[encoding]), text_once()
    model = train_readers({encoding: entry}, seed, steps, text, label=None)[encoding]
    return _read(model, windows) + _recall(entry, seed, steps, examples)


def clipped(encoding: str, clip: int, seed: int, steps: int = 300, windows: int = WINDOWS) -> list[dict]:
    """Train T5 or DeBERTa with distances clipped at `clip`; return "language" as `lengths` does, and "filled".

    "filled" is the same once more, after training: rows of distances that training never showed (32 and more) are
    replaced by the row of the largest that it did (31).
    """
    check_choice("encoding", encoding, tuple(CLIPS))
    entry = Contestant(CLIPS[encoding](clip))
    model = train_readers({encoding: entry}, seed, steps, text_once(), label=None)[encoding]
    filled = with_encoding(model, last_trained_row(model.encoding, TRAINED))
    return _read(model, windows) + [row | {"what": "filled"} for row in _read(filled, windows)]


@torch.no_grad()
def last_trained_row(encoding: T5Encoding | DebertaEncoding, trained: int) -> T5Encoding | DebertaEncoding:
    """Return a copy whose rows of distances from `trained` on hold the row of distance `trained` - 1.

    For keys before the query, as in causal models. Where the table is clipped before that, nothing changes.
    """
    copy = deepcopy(encoding)
    if isinstance(copy, T5Encoding):
        past = t5_buckets(-torch.arange(copy.max_distance + 1), copy.num_buckets, copy.max_distance, copy.bidirectional)
        copy.table[past[trained:]] = copy.table[past[min(trained - 1, copy.max_distance)]].clone()
    else:
        for table in (copy.key_table, copy.query_table):
            last = copy.max_distance + trained - 1  # row `max_distance` is distance 0
            table[:, last + 1 :] = table[:, last : last + 1].clone()
    return copy


def knobs(encoding: str, setting: float, seed: int, steps: int = 300, windows: int = MANY) -> list[dict]:
    """Train T5 or RoPE of the shootout with a `setting` of its own knob; return losses up to 1, 4, 16 times 32 characters.

    The knob of T5 is the rate of its table, as a multiple of that of all else; RoPE's is its base.
    """
    check_choice("encoding", encoding, tuple(KNOBS))
    model = train_readers({encoding: KNOBS[encoding](setting)}, seed, steps, text_once(), label=None)[encoding]
    upto = cumulative(loss_by_position(model, text_once().test, FAR, windows))
    return [{"times": k, "loss": upto[k * TRAINED - 1].item()} for k in (1, 4, 16)]


def _read(model, windows: int) -> list[dict]:
    read = losses_upto(model, text_once().test, windows, (1, 2, 4, 8, 16))
    return [{"what": "language", "times": k, "value": loss} for k, loss in read.items()]


def _recall(entry: Contestant, seed: int, steps: int, examples: int) -> list[dict]:
    task, model = RecallTask(), recall_model(entry, seed, steps)
    end = reach(model.encoding, 32, 2, 256)
    return [
        {"what": "recall", "times": k, "value": accuracy(model, task, 16 * k, examples, last=8) if 16 * k <= end else None}
        for k in (1, 4, 16)
    ]
