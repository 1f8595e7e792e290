"""Encodings beyond any length of training: all of the package, mixtures layer by layer, clipped distances."""

from copy import deepcopy

import torch

from posenc_helpers.encodings import (
    ENCODINGS,
    DebertaEncoding,
    PerLayer,
    PositionalEncoding,
    RotaryEncoding,
    T5Encoding,
    t5_buckets,
)
from posenc_helpers.lab.beyond import recall_model
from posenc_helpers.lab.rules import reach
from posenc_helpers.lab.shootout import BATCH, HEADS, STEPS, TRAINED, WIDTH, WINDOWS, Contestant, reader
from posenc_helpers.lab.stretching import with_encoding
from posenc_helpers.lab.tasks import RecallTask
from posenc_helpers.lab.training import accuracy, solver
from posenc_helpers.lessons.choosing.hybrids import Window
from posenc_helpers.transformer import TinyTransformer
from tools.experiments.common import DOUBLINGS, language_rows, learn_text, shootout_model, text_once

LAYERS = 4
HYBRIDS = (*("rope", "partial rotary", "nope layer"), *("windows", "windows, nope layer", "windows, two bases"))
CLIPS = {  # encoding -> how it is built with its distances clipped at `clip`
    "t5": lambda clip: lambda width, heads, length: T5Encoding(heads, max_distance=clip),
    "deberta": lambda clip: lambda width, heads, length: DebertaEncoding(heads, width // heads, max_distance=clip),
}


def lengths(encoding: str, seed: int, steps: int = STEPS, windows: int = WINDOWS, examples: int = 100) -> list[dict]:
    """Train an entry of ENCODINGS on 32 characters, and on 16 tokens of first-token recall; read both beyond.

    "language" is the mean loss over `times` 32 characters of the test text, "recall" the accuracy of the last 8 of
    `times` 16 tokens, as in the shootout and in recall.csv. Empty where the encoding's table ends before.
    """
    entry = Contestant(ENCODINGS[encoding])
    read = language_rows(shootout_model(entry, seed, steps), windows, DOUBLINGS)
    return read + recall_rows(recall_model(entry, seed, steps), examples)


def hybrid(name: str, head_dim: int) -> PerLayer:
    """Return the encodings of four layers, for heads of `head_dim` columns.

    rope                 RoPE in every layer, base 10,000
    partial rotary       RoPE on the first quarter of every head's columns (GPT-NeoX, StableLM)
    nope layer           RoPE, and none in the last layer (SmolLM3)
    windows              RoPE, the last 8 keys in sight, in every layer
    windows, nope layer  the same, but all keys and no encoding in the last layer (Command-R7B)
    windows, two bases   RoPE of base 100 on the last 8 keys, and of base 10^6 on all keys in the last layer (Gemma 3)

    Layers 0 to 2 are alike, layer 3 is another: one in four, as in SmolLM3, Command-R7B, OLMo 3 and Llama 4, whose layers
    with RoPE see chunks of 8,192 tokens (not the last so many) and which belongs beside "windows, nope layer".
    """
    rope = RotaryEncoding(head_dim)
    local, last = {
        "rope": (rope, rope),
        "partial rotary": (RotaryEncoding(head_dim, rotary_dim=head_dim // 4),) * 2,
        "nope layer": (rope, PositionalEncoding()),
        "windows": (Window(rope), Window(rope)),
        "windows, nope layer": (Window(rope), PositionalEncoding()),
        "windows, two bases": (Window(RotaryEncoding(head_dim, base=100.0)), RotaryEncoding(head_dim, base=1e6)),
    }[name]
    return PerLayer([local] * (LAYERS - 1) + [last])


def hybrids(mixture: str, seed: int, steps: int = 300, windows: int = 32, examples: int = 100) -> list[dict]:
    """Train four layers with a mixture of HYBRIDS on 32 characters, and on 16 tokens of recall; read both beyond.

    "language" is the mean loss over `times` 32 characters of the test text, "recall" the accuracy of the last 8 of
    `times` 16 tokens of first-token recall (width 32, two heads). Rates and warm-up are the shootout's; half of its batch.
    """
    model = reader(hybrid(mixture, WIDTH // HEADS), text_once().vocabulary, seed, LAYERS)
    learn_text(model, seed, steps, batch=BATCH // 2)
    finder = solver(RecallTask(), hybrid(mixture, 16), seed, steps, LAYERS)
    return language_rows(model, windows, (1, 4, 16)) + recall_rows(finder, examples)


def recall_rows(model: TinyTransformer, examples: int) -> list[dict]:
    """Return rows "recall": the accuracy of the last 8 of `times` 16 tokens, empty beyond a table's end."""
    end = reach(model.encoding, 32, 2, 256)
    found = {k: accuracy(model, RecallTask(), 16 * k, examples, last=8) for k in (1, 4, 16) if 16 * k <= end}
    return [{"what": "recall", "times": k, "value": found.get(k)} for k in (1, 4, 16)]


def clipped(encoding: str, clip: int, seed: int, steps: int = 300, windows: int = WINDOWS) -> list[dict]:
    """Train T5 or DeBERTa with distances clipped at `clip`; return "language" as `lengths` does, and "filled".

    "filled" is the same once more, after training: rows of distances that training never showed (32 and more) are
    replaced by the row of the largest that it did (31).
    """
    model = shootout_model(Contestant(CLIPS[encoding](clip)), seed, steps)
    filled = with_encoding(model, last_trained_row(model.encoding, TRAINED))
    rows, others = (language_rows(read, windows, DOUBLINGS) for read in (model, filled))
    return rows + [row | {"what": "filled"} for row in others]


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
