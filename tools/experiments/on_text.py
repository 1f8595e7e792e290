"""Experiments on text: models of the shootout, read out. Each takes plain values and returns rows."""

import torch
from torch import Tensor

from posenc_helpers.encodings import AlibiEncoding, RotaryEncoding
from posenc_helpers.lab.evaluation import break_position, cumulative, loss_by_position, octave_blocks
from posenc_helpers.lab.shootout import CONTESTANTS, FAR, HEADS, RATE, STEPS, TRAINED, WIDTH, Contestant
from posenc_helpers.lab.stretching import ALPHA, with_encoding
from posenc_helpers.lab.text import cut_windows
from posenc_helpers.transformer import TinyTransformer
from tools.experiments.common import DOUBLINGS, MANY, STRETCH, shootout_model, text_once
from tools.experiments.remedies import SCALED, LogScaled, NoNewDistance, stretch

THRESHOLDS = (0.15, 0.2, 0.3, 0.5, 0.8, 1.0)
SHIFTS = (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 448)
FASTER = {  # the contestants whose own numbers learn eight times as fast as the rest; ALiBi's slopes are trained only here
    "learned x8": CONTESTANTS["learned"]._replace(rate=8.0),
    "alibi x8": Contestant(lambda width, heads, length: AlibiEncoding(heads, learned=True), rate=8.0),
}


def language(encoding: str, seed: int, steps: int = STEPS, windows: int = MANY) -> list[dict]:
    """Train one model of the shootout; return rows of three results on the test text, told apart by `result`.

    shootout: the loss by position (single ones to 16, then eight blocks an octave, `at` their middle), the position
    where it breaks, the mean loss up to 1, 2, 4, 8, 16 times the trained length.
    windowed: the mean loss over 512 characters, with all keys, with the last 32, in separate windows of 32, and with all
    keys but `LogScaled`; for RoPE with all keys at no new distance, too (`NoNewDistance`).
    shift: the mean loss over 32 characters, all positions moved by `at`.
    """
    text = text_once()
    model = shootout_model(encoding, text, seed, steps)
    changed = {"log-scaled": LogScaled(model.encoding, TRAINED)}
    if encoding == "rope":
        changed["no new distance"] = NoNewDistance(WIDTH // HEADS, furthest=TRAINED - 1)
    losses = loss_by_position(model, text.test, FAR, windows)  # (512,)
    windowed = {
        "all keys": losses,
        "last 32 keys": loss_by_position(model, text.test, FAR, windows, keys=TRAINED),
        "separate windows": loss_by_position(model, text.test, TRAINED, 4 * windows),
        **{what: loss_by_position(with_encoding(model, new), text.test, FAR, windows) for what, new in changed.items()},
    }
    moved = {k: loss_by_position(model, text.test, TRAINED, 2 * windows, shift=k) for k in SHIFTS}
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
    text = text_once()
    model = shootout_model(encoding, text, seed, steps)
    changed = {"nothing": model.encoding} | {what: LogScaled(model.encoding, TRAINED, what) for what in SCALED}
    read = {what: loss_by_position(with_encoding(model, new), text.test, FAR, windows) for what, new in changed.items()}
    return [{"what": what, "loss": losses.mean().item()} for what, losses in read.items()]


def thresholds(encoding: str, seed: int, steps: int = STEPS, windows: int = MANY) -> list[dict]:
    """Train a model of the shootout; where it breaks by six thresholds, and its mean losses over 32 and 512 characters.

    `what` is "position" (`at`: where the loss at the position is `by` nats above that in training), "mean" (where the
    mean loss up to it is) or "length" (the mean `loss` up to `at`). "learned x8" and "alibi x8" are the learned table and
    ALiBi with the knob of "t5 x8": their own numbers, table or slopes, learn eight times as fast as the rest.
    """
    text, entries = text_once(), CONTESTANTS | FASTER
    model = shootout_model(entries[encoding], text, seed, steps)
    losses = loss_by_position(model, text.test, FAR, windows)  # (512,)
    means = cumulative(losses)  # (512,)
    level = losses[:TRAINED].mean()
    rows = [{"what": "length", "by": None, "at": n, "loss": means[n - 1].item()} for n in (TRAINED, FAR)]
    for by in THRESHOLDS:
        high = (means[TRAINED:] > level + by).nonzero()  # (positions, 1)
        found = {"position": break_position(losses, TRAINED, by), "mean": TRAINED + int(high[0]) if len(high) else None}
        rows += [{"what": what, "by": by, "at": at, "loss": None} for what, at in found.items()]
    return rows


def fresh(encoding: str, seed: int, steps: int = STEPS, windows: int = 24, every: int = 5) -> list[dict]:
    """Train a model of the shootout; its mean loss on the same characters, told from a long text or from a fresh one of 32.

    Every fifth character beyond 32 of texts of 512. `what` it is told from: "all keys" of its text, the "last 32 keys" in
    every layer, or a "fresh text" of the 32 characters before it, whose last place is asked.
    """
    text = text_once()
    model = shootout_model(encoding, text, seed, steps)
    places = range(TRAINED, FAR, every)
    read = {
        "all keys": loss_by_position(model, text.test, FAR, windows)[places].mean().item(),
        "last 32 keys": loss_by_position(model, text.test, FAR, windows, keys=TRAINED)[places].mean().item(),
        "fresh text": loss_from_fresh_texts(model, text.test, FAR, windows, places).mean().item(),
    }
    return [{"what": what, "loss": loss} for what, loss in read.items()]


@torch.no_grad()
def loss_from_fresh_texts(model: TinyTransformer, part: Tensor, length: int, windows: int, places: range) -> Tensor:
    """Return what `loss_by_position` does at `places` from 31 on, each told from a text of its own: its last 32."""
    cut = cut_windows(part, length + 1, windows)  # (windows, length + 1)
    model.eval()
    logits = (
        (model(cut[:, p + 1 - TRAINED : p + 1])[:, -1], cut[:, p + 1]) for p in places
    )  # (windows, V), (windows,)
    return torch.stack([torch.nn.functional.cross_entropy(*pair).double() for pair in logits])


def tuning(what: str, setting: float, encoding: str, seed: int = 100) -> dict:
    """Return the *validation* loss of a model of the shootout under another setting: how the settings were chosen.

    `what` is "rate" (of training; the loss is that over 32 characters), "table rate" (of T5's table, as a multiple; the
    loss over 512), "base" (of RoPE; the loss over 512) or "beta" (of by-parts, alpha 1; RoPE stretched to 128 without
    fine-tuning, the loss over 128).
    """
    text, entry = text_once(), CONTESTANTS[encoding]
    if what == "table rate":
        entry = Contestant(entry.build, setting)
    if what == "base":
        entry = Contestant(lambda width, heads, length: RotaryEncoding(width // heads, base=setting))
    rate = setting if what == "rate" else RATE
    model = shootout_model(entry, text, seed, rate=rate)
    length = {"rate": TRAINED, "table rate": FAR, "base": FAR, "beta": STRETCH * TRAINED}[what]
    if what == "beta":
        model = stretch(model, "by-parts", STRETCH, ALPHA, setting)
    return {"loss": loss_by_position(model, text.validation, length, MANY).mean().item()}
