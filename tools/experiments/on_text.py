"""Experiments on text: models of the shootout, read out and watched. Each takes plain values and returns rows."""

from functools import lru_cache

import torch
from torch import Tensor

from posenc_helpers.checks import check_choice
from posenc_helpers.encodings import AlibiEncoding, LearnedEncoding, RotaryEncoding
from posenc_helpers.lab.evaluation import break_position, cumulative, loss_by_position, octave_blocks
from posenc_helpers.lab.shootout import (
    BATCH,
    CONTESTANTS,
    FAR,
    HEADS,
    RATE,
    STEPS,
    TRAINED,
    WIDTH,
    Contestant,
    fresh_encoding,
    reader,
    train_readers,
)
from posenc_helpers.lab.stretching import ALPHA, stretch, with_encoding
from posenc_helpers.lab.tasks import LanguageTask
from posenc_helpers.lab.text import cut_windows, load_text
from posenc_helpers.lab.training import train
from posenc_helpers.transformer import TinyTransformer
from tools.experiments.remedies import SCALED, LogScaled, NoNewDistance

MANY = 128  # windows; they overlap, so that no position hangs on a few characters
THRESHOLDS = (0.15, 0.2, 0.3, 0.5, 0.8, 1.0)
SHIFTS = (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 448)
STRETCH = 4
FASTER = {  # the contestants whose own numbers learn eight times as fast as the rest; ALiBi's slopes are trained only here
    "learned x8": CONTESTANTS["learned"]._replace(rate=8.0),
    "alibi x8": Contestant(lambda width, heads, length: AlibiEncoding(heads, learned=True), rate=8.0),
}
text_once = lru_cache(maxsize=1)(load_text)


def language(encoding: str, seed: int, steps: int = STEPS, windows: int = MANY) -> list[dict]:
    """Train one model of the shootout; return rows of three results on the test text, told apart by `result`.

    shootout: the loss by position (single ones to 16, then eight blocks an octave, `at` their middle), the position
    where it breaks, the mean loss up to 1, 2, 4, 8, 16 times the trained length.
    windowed: the mean loss over 512 characters, with all keys, with the last 32, in separate windows of 32, and with all
    keys but `LogScaled`; for RoPE with all keys at no new distance, too (`NoNewDistance`).
    shift: the mean loss over 32 characters, all positions moved by `at`.
    """
    text = text_once()
    model = train_readers([encoding], seed, steps, text, label=None)[encoding]
    losses = loss_by_position(model, text.test, FAR, windows)  # (512,)
    blocks = [((a + b - 1) / 2, losses[a:b].mean().item()) for a, b in octave_blocks(FAR)]
    upto = cumulative(losses)
    near = loss_by_position(model, text.test, FAR, windows, keys=TRAINED)
    separate = loss_by_position(model, text.test, TRAINED, 4 * windows)
    changed = {"log-scaled": LogScaled(model.encoding, TRAINED)}
    if encoding == "rope":
        changed["no new distance"] = NoNewDistance(WIDTH // HEADS, furthest=TRAINED - 1)
    remedied = {what: loss_by_position(with_encoding(model, new), text.test, FAR, windows) for what, new in changed.items()}
    moved = [loss_by_position(model, text.test, TRAINED, 2 * windows, shift=k).mean().item() for k in SHIFTS]
    found = [
        *(("shootout", "position", at, loss) for at, loss in blocks),
        ("shootout", "break", break_position(losses, TRAINED), None),
        *(("shootout", "length", k * TRAINED, upto[k * TRAINED - 1].item()) for k in (1, 2, 4, 8, 16)),
        ("windowed", "all keys", FAR, losses.mean().item()),
        ("windowed", "last 32 keys", FAR, near.mean().item()),
        ("windowed", "separate windows", FAR, separate.mean().item()),
        *(("windowed", what, FAR, remedied[what].mean().item()) for what in remedied),
        *(("shift", "moved by", k, loss) for k, loss in zip(SHIFTS, moved, strict=True)),
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
    model = train_readers([encoding], seed, steps, text, label=None)[encoding]
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
    check_choice("encoding", encoding, tuple(entries))
    model = train_readers({encoding: entries[encoding]}, seed, steps, text, label=None)[encoding]
    losses = loss_by_position(model, text.test, FAR, windows)  # (512,)
    means = cumulative(losses)  # (512,)
    level = losses[:TRAINED].mean()
    rows = [{"what": "length", "by": None, "at": n, "loss": means[n - 1].item()} for n in (TRAINED, FAR)]
    for by in THRESHOLDS:
        high = (means[TRAINED:] > level + by).nonzero()  # (positions, 1)
        found = {
            "position": break_position(losses, TRAINED, by),
            "mean": TRAINED + int(high[0]) if len(high) else None,
        }
        rows += [{"what": what, "by": by, "at": at, "loss": None} for what, at in found.items()]
    return rows


def fresh(encoding: str, seed: int, steps: int = STEPS, windows: int = 24, every: int = 5) -> list[dict]:
    """Train a model of the shootout; its mean loss on the same characters, told from a long text or from a fresh one of 32.

    Every fifth character beyond 32 of texts of 512. `what` it is told from: "all keys" of its text, the "last 32 keys" in
    every layer, or a "fresh text" of the 32 characters before it, whose last place is asked.
    """
    text = text_once()
    model = train_readers([encoding], seed, steps, text, label=None)[encoding]
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
    logits = ((model(cut[:, p + 1 - TRAINED : p + 1])[:, -1], cut[:, p + 1]) for p in places)  # (windows, V), (windows,)
    return torch.stack([torch.nn.functional.cross_entropy(*pair).double() for pair in logits])


def table(seed: int, std: float = 0.02, steps: int = 400, every: int = 100) -> list[dict]:
    """Train a learned table on the text and take snapshots: how alike rows are that stand `offset` apart (cosine).

    `norm` is the mean norm of the trained rows, `untrained` of those beyond the trained length.
    """
    text = text_once()
    entry = Contestant(lambda width, heads, length: LearnedEncoding(width, length, std))
    encoding = fresh_encoding(entry, WIDTH, HEADS, 2 * TRAINED, seed)
    model, rows = reader(encoding, text.vocabulary, seed), []

    def watch(step: int) -> None:
        learned, rest = encoding.table.detach().split(TRAINED)  # (32, d) each
        alike = torch.nn.functional.cosine_similarity(learned[:, None], learned, dim=-1)  # (32, 32)
        for offset in (1, 2, 4, 8, 16, 24):
            rows.append(
                {
                    "step": step,
                    "offset": offset,
                    "cosine": alike.diagonal(offset).mean().item(),
                    "norm": learned.norm(dim=-1).mean().item(),
                    "untrained": rest.norm(dim=-1).mean().item(),
                }
            )

    task = LanguageTask(text.train, text.vocabulary)
    train(model, task, TRAINED, steps, BATCH, RATE, seed, label=None, watch=watch, every=every)
    return rows


def tuning(what: str, setting: float, encoding: str, seed: int = 100) -> dict:
    """Return the *validation* loss of a model of the shootout under another setting: how the settings were chosen.

    `what` is "rate" (of training; the loss is that over 32 characters), "table rate" (of T5's table, as a multiple; the
    loss over 512), "base" (of RoPE; the loss over 512) or "beta" (of by-parts, alpha 1; RoPE stretched to 128 without
    fine-tuning, the loss over 128).
    """
    check_choice("what", what, ("rate", "table rate", "base", "beta"))
    text, entry = text_once(), CONTESTANTS[encoding]
    if what == "table rate":
        entry = Contestant(entry.build, setting)
    if what == "base":
        entry = Contestant(lambda width, heads, length: RotaryEncoding(width // heads, base=setting))
    rate = setting if what == "rate" else RATE
    model = train_readers({encoding: entry}, seed, STEPS, text, label=None, learning_rate=rate)[encoding]
    length = {"rate": TRAINED, "table rate": FAR, "base": FAR, "beta": STRETCH * TRAINED}[what]
    if what == "beta":
        model = stretch(model, "by-parts", STRETCH, ALPHA, setting)
    return {"loss": loss_by_position(model, text.validation, length, MANY).mean().item()}
