"""Experiments on text: models of the shootout, read out. Each takes plain values and returns rows."""

import torch
from torch import Generator, Tensor, nn

from posenc_helpers.encodings import AlibiEncoding, RotaryEncoding
from posenc_helpers.lab.beyond import losses_upto
from posenc_helpers.lab.evaluation import break_position, cumulative, loss_by_position, octave_blocks
from posenc_helpers.lab.shootout import CONTESTANTS, FAR, HEADS, STEPS, TRAINED, WIDTH, Contestant
from posenc_helpers.lab.stretching import with_encoding
from posenc_helpers.lab.text import cut_windows
from posenc_helpers.lab.training import answer_logits
from posenc_helpers.transformer import TinyTransformer
from tools.experiments.common import DOUBLINGS, MANY, learn_text, on_test_text, shootout_model, text_model, text_once
from tools.experiments.remedies import SCALED, LogScaled, NoNewDistance

THRESHOLDS = (0.15, 0.2, 0.3, 0.5, 0.8, 1.0)
SHIFTS = (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 448)
FASTER = {  # the contestants whose own numbers learn eight times as fast as the rest; ALiBi's slopes are trained only here
    "learned x8": CONTESTANTS["learned"]._replace(rate=8.0),
    "alibi x8": Contestant(lambda width, heads, length: AlibiEncoding(heads, learned=True), rate=8.0),
}
KNOBS = {  # encoding -> the contestant under a setting of its own knob: the rate of T5's table, the base of RoPE
    "t5": lambda rate: Contestant(CONTESTANTS["t5"].build, rate),
    "rope": lambda base: Contestant(lambda width, heads, length: RotaryEncoding(width // heads, base=base)),
}


def language(encoding: str, seed: int, steps: int = STEPS, windows: int = MANY) -> list[dict]:
    """Train one model of the shootout; return rows of three results on the test text, told apart by `result`.

    shootout: the loss by position (single ones to 16, then eight blocks an octave, `at` their middle), the position
    where it breaks, the mean loss up to 1, 2, 4, 8, 16 times the trained length.
    windowed: the mean loss over 512 characters, with all keys, with the last 32, in separate windows of 32, and with all
    keys but `LogScaled`; for RoPE with all keys at no new distance, too (`NoNewDistance`).
    shift: the mean loss over 32 characters, all positions moved by `at`.
    """
    model = shootout_model(encoding, seed, steps)
    changed = {"log-scaled": LogScaled(model.encoding, TRAINED)}
    if encoding == "rope":
        changed["no new distance"] = NoNewDistance(WIDTH // HEADS, furthest=TRAINED - 1)
    losses = on_test_text(model, FAR, windows)  # (512,)
    windowed = {
        "all keys": losses,
        "last 32 keys": on_test_text(model, FAR, windows, keys=TRAINED),
        "separate windows": on_test_text(model, TRAINED, 4 * windows),
        **{what: on_test_text(with_encoding(model, new), FAR, windows) for what, new in changed.items()},
    }
    moved = {k: on_test_text(model, TRAINED, 2 * windows, shift=k) for k in SHIFTS}
    found = [
        *(("shootout", "position", (a + b - 1) / 2, losses[a:b].mean().item()) for a, b in octave_blocks(FAR)),
        ("shootout", "break", break_position(losses, TRAINED), None),
        *(("shootout", "length", k * TRAINED, cumulative(losses)[k * TRAINED - 1].item()) for k in DOUBLINGS),
        *(("windowed", what, FAR, read.mean().item()) for what, read in windowed.items()),
        *(("shift", "moved by", k, read.mean().item()) for k, read in moved.items()),
    ]
    return [{"result": result, "what": what, "at": at, "loss": loss} for result, what, at, loss in found]


def twice(encoding: str, seed: int) -> list[dict]:
    """Train the models of the shootout for twice the steps; rows of `language`, without single positions and shifts."""
    rows = language(encoding, seed, 2 * STEPS)
    kept = [row for row in rows if row["result"] != "shift" and row["what"] != "position"]
    return [{"of" if key == "result" else key: value for key, value in row.items()} for row in kept]


def scaled(encoding: str, seed: int, steps: int = STEPS, windows: int = MANY) -> list[dict]:
    """Train a model of the shootout; its loss over 512 characters with scores that grow by the logarithm of the place.

    `what` grows from place 32 on: "nothing", "q . k", "bias" (what door 3 adds), "whole score" (`LogScaled`).
    """
    model = shootout_model(encoding, seed, steps)
    changed = {"nothing": model.encoding} | {what: LogScaled(model.encoding, TRAINED, what) for what in SCALED}
    read = {what: on_test_text(with_encoding(model, new), FAR, windows) for what, new in changed.items()}
    return [{"what": what, "loss": losses.mean().item()} for what, losses in read.items()]


def thresholds(encoding: str, seed: int, steps: int = STEPS, windows: int = MANY) -> list[dict]:
    """Train a model of the shootout; where it breaks by six thresholds, and its mean losses over 32 and 512 characters.

    `what` is "position" (`at`: where the loss at the position is `by` nats above that in training), "mean" (where the
    mean loss up to it is) or "length" (the mean `loss` up to `at`). "learned x8" and "alibi x8" are the learned table and
    ALiBi with the knob of "t5 x8": their own numbers, table or slopes, learn eight times as fast as the rest.
    """
    model = shootout_model((CONTESTANTS | FASTER)[encoding], seed, steps)
    losses = on_test_text(model, FAR, windows)  # (512,)
    means = cumulative(losses)  # (512,)
    level = losses[:TRAINED].mean()
    rows = [{"what": "length", "by": None, "at": n, "loss": means[n - 1].item()} for n in (TRAINED, FAR)]
    for by in THRESHOLDS:
        high = (means[TRAINED:] > level + by).nonzero()  # (positions, 1)
        found = {"position": break_position(losses, TRAINED, by), "mean": TRAINED + int(high[0]) if len(high) else None}
        rows += [{"what": what, "by": by, "at": at, "loss": None} for what, at in found.items()]
    return rows


def fresh(encoding: str, seed: int, steps: int = STEPS, windows: int = 24) -> list[dict]:
    """Train a model of the shootout; its mean loss on the same characters, told from a long text or from a fresh one of 32.

    Every fifth character beyond 32 of texts of 512. `what` it is told from: "all keys" of its text, the "last 32 keys" in
    every layer, or a "fresh text" of the 32 characters before it, whose last place is asked.
    """
    model = shootout_model(encoding, seed, steps)
    places = range(TRAINED, FAR, 5)
    read = {
        "all keys": on_test_text(model, FAR, windows)[places].mean().item(),
        "last 32 keys": on_test_text(model, FAR, windows, keys=TRAINED)[places].mean().item(),
        "fresh text": loss_from_fresh_texts(model, FAR, windows, places).mean().item(),
    }
    return [{"what": what, "loss": loss} for what, loss in read.items()]


@torch.no_grad()
def loss_from_fresh_texts(model: TinyTransformer, length: int, windows: int, places: range) -> Tensor:
    """Return what `on_test_text` does at `places` from 31 on, each told from a text of its own: its last 32."""
    cut, losses = cut_windows(text_once().test, length + 1, windows), []  # (windows, length + 1)
    model.eval()
    for p in places:
        logits = model(cut[:, p + 1 - TRAINED : p + 1])[:, -1]  # (windows, V)
        losses.append(nn.functional.cross_entropy(logits, cut[:, p + 1]).double())
    return torch.stack(losses)


def knobs(encoding: str, setting: float, seed: int, steps: int = 300, windows: int = MANY) -> list[dict]:
    """Train T5 or RoPE of the shootout with a `setting` of its own knob; return losses up to 1, 4, 16 times 32 characters.

    The knob of T5 is the rate of its table, as a multiple of that of all else; RoPE's is its base.
    """
    model = shootout_model(KNOBS[encoding](setting), seed, steps)
    upto = losses_upto(model, text_once().test, windows, (1, 4, 16))
    return [{"times": k, "loss": loss} for k, loss in upto.items()]


def tuning(what: str, setting: float, encoding: str, seed: int = 100) -> dict:
    """Return the *validation* loss of a model of the shootout under another setting: how the settings were chosen.

    `what` is "rate" (of training; the loss is that over 32 characters), "table rate" (of T5's table, as a multiple) or
    "base" (of RoPE; the loss of these two is that over 512).
    """
    if what == "rate":
        model, length = shootout_model(encoding, seed, rate=setting), TRAINED
    else:
        model, length = shootout_model(KNOBS[encoding](setting), seed), FAR
    return {"loss": loss_by_position(model, text_once().validation, length, MANY).mean().item()}


def depth(encoding: str, layers: int, steps: int, seed: int, windows: int = MANY) -> dict:
    """Train a character model of so many layers on 32 characters; losses on the test text, and on shuffled characters.

    x1 to x16 are mean losses over 32 to 512 characters. `in order` is the loss of the character after 32, `shuffled` the
    same where the first 31 of these 32 stand in another order: their difference is what the order of the past is worth.
    """
    model, text = text_model(CONTESTANTS[encoding], seed, layers=layers), text_once().test
    learn_text(model, seed, steps)
    cut = cut_windows(text, TRAINED + 1, 2000)  # (2000, 33)
    return {
        **{f"x{k}": loss for k, loss in losses_upto(model, text, windows, DOUBLINGS).items()},
        "in order": loss_at_the_end(model, cut),
        "shuffled": loss_at_the_end(model, shuffled_past(cut, Generator().manual_seed(0))),
    }


def shuffled_past(windows: Tensor, generator: Generator) -> Tensor:
    """Return windows (B, L + 1) with the first L - 1 characters of each in an order of its own; the last two stay."""
    past = windows.shape[1] - 2
    order = torch.rand(len(windows), past, generator=generator).argsort(dim=1)  # (B, L - 1)
    return torch.cat([windows[:, :past].gather(1, order), windows[:, past:]], dim=1)


def loss_at_the_end(model: TinyTransformer, windows: Tensor) -> float:
    """Return the mean loss (nats) of the last character of windows (B, L + 1), read after the L before it."""
    logits = answer_logits(model, windows[:, :-1], once=False)[:, -1]  # (B, V)
    return nn.functional.cross_entropy(logits, windows[:, -1]).item()
