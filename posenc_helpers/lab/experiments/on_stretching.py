"""Experiments on RoPE made to read four times its trained length. Each takes plain values and returns rows."""

from posenc_helpers.encodings import RotaryEncoding
from posenc_helpers.lab.evaluation import loss_by_position
from posenc_helpers.lab.experiments.on_text import MANY, STRETCH, text_once
from posenc_helpers.lab.shootout import (
    BATCH,
    CONTESTANTS,
    HEADS,
    RATE,
    TRAINED,
    WARM_UP,
    WIDTH,
    Contestant,
    fresh_encoding,
    reader,
    train_readers,
)
from posenc_helpers.lab.stretching import METHODS, fine_tune, stretch
from posenc_helpers.lab.tasks import LanguageTask, RecallTask
from posenc_helpers.lab.training import accuracy, solver, train
from posenc_helpers.transformer import TinyTransformer

LONG = STRETCH * TRAINED  # characters
CURES = ("none", "linear", "ntk", "by-parts", "yarn")  # of stretched_recall


def rescue(seed: int, steps: int = 400, windows: int = MANY) -> list[dict]:
    """Train a RoPE model on 32 characters, stretch it to 128 in every way, fine-tune; losses on the test text.

    `loss` is the mean over 128 characters, `short` over the first 32 of them, `near` over the 128 with the last 32 keys in
    sight, all after `tuned` steps at length 128. "by-parts, beta 32" has the constant of Llama; "control" spends the same
    steps at length 32, without stretching; "base 2" was trained with that base, and "from the start" at length 128, on as
    many characters.
    """
    text = text_once()
    model = train_readers(["rope"], seed, steps, text, label=None)["rope"]
    slow = Contestant(lambda width, heads, length: RotaryEncoding(width // heads, base=2.0))
    small = train_readers({"base 2": slow}, seed, steps, text, label=None)["base 2"]
    models = {
        (method, tuned): _tuned(stretch(model, method, STRETCH), LONG, tuned, seed)
        for method in METHODS
        for tuned in (0, 10, 60)
    }
    models["by-parts, beta 32", 0] = stretch(model, "by-parts", STRETCH, beta=32.0)
    models["control", 60] = _tuned(model, TRAINED, 60, seed)
    models["base 2", 0] = small
    models["from the start", 0] = _from_the_start(seed, steps)
    rows = []
    for (method, tuned), changed in models.items():
        losses = loss_by_position(changed, text.test, LONG, windows)  # (128,)
        near = loss_by_position(changed, text.test, LONG, windows, keys=TRAINED)
        found = {"loss": losses.mean(), "short": losses[:TRAINED].mean(), "near": near.mean()}
        rows.append({"method": method, "tuned": tuned, **{name: value.item() for name, value in found.items()}})
    return rows


def _tuned(model: TinyTransformer, length: int, steps: int, seed: int) -> TinyTransformer:
    return fine_tune(model, text_once(), length, steps, seed) if steps else model


def _from_the_start(seed: int, steps: int) -> TinyTransformer:
    """Return the RoPE model of the shootout trained on windows of 128, a quarter as many of them a step."""
    text = text_once()
    model = reader(fresh_encoding(CONTESTANTS["rope"], WIDTH, HEADS, LONG, seed), text.vocabulary, seed)
    task = LanguageTask(text.train, text.vocabulary)
    train(model, task, LONG, steps, BATCH // STRETCH, RATE, seed, label=None, warm_up=WARM_UP)
    return model


def stretched_recall(seed: int, steps: int = 300, examples: int = 200) -> list[dict]:
    """Train RoPE on 16 tokens of "what was the first token?", stretch it to 64, fine-tune there; accuracies.

    Two layers of width 32. The accuracy counts the last 8 tokens of texts of `length`, after `tuned` steps at 64 tokens.
    """
    task, length = RecallTask(), 16
    model = solver(task, RotaryEncoding(16), seed, steps, layers=2)
    rows = []
    for method in CURES:
        changed = stretch(model, method, STRETCH, trained=length)
        for tuned in (0, 60):
            if tuned:
                train(changed, task, STRETCH * length, tuned, 32, 1e-3, 10_000 + seed, label=None)
            rows += [
                {"method": method, "tuned": tuned, "length": n, "accuracy": accuracy(changed, task, n, examples, last=8)}
                for n in (length, 2 * length, STRETCH * length)
            ]
    return rows
