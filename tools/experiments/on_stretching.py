"""Experiments on RoPE put into a trained model: to read four times its length, or in place of a table. They return rows."""

import torch

from posenc_helpers.encodings import PositionalEncoding, RotaryEncoding
from posenc_helpers.lab.evaluation import loss_by_position
from posenc_helpers.lab.shootout import BATCH, CONTESTANTS, HEADS, RATE, TRAINED, WIDTH, Contestant
from posenc_helpers.lab.stretching import fine_tune, with_encoding
from posenc_helpers.lab.tasks import RecallTask
from posenc_helpers.lab.training import solver, train
from posenc_helpers.transformer import TinyTransformer
from tools.experiments import common
from tools.experiments.common import MANY, by_length, on_test_text, shootout_model, text_once
from tools.experiments.on_text import loss_from_fresh_texts
from tools.experiments.remedies import METHODS, LogScaled, NoNewDistance, slow_some, stretch

STRETCH = 4
LONG = STRETCH * TRAINED  # characters
NTK_FACTOR = 64.0  # for four times the length; chosen on the validation text, see data/results/cure_settings.csv
CURES = ("none", "linear", "ntk", "ntk, tuned", "by-parts", "yarn")  # of stretched_recall
TUNED = {"ntk, tuned": ("ntk", NTK_FACTOR), "by-parts, tuned": ("by-parts", 3.5), "linear, tuned": ("linear", 1.25)}
FINE_TUNED = (*METHODS, "ntk, tuned")
LONG_WINDOWS = {"from the start": BATCH // STRETCH, "from the start, all windows": BATCH}  # of 128 characters a step
PART = {"pairs 0, 1": range(2), "pair 2": [2], "pairs 2-7": range(2, 8), "pairs 3-7": range(3, 8)}  # slowed alone
SETTINGS = {  # seven for each number of a cure, the paper's among them
    "ntk factor": (4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0),
    "linear factor": (1.1, 1.25, 1.5, 2.0, 3.0, 4.0, 8.0),
    "by-parts beta": (1.25, 1.5, 2.0, 3.0, 4.0, 8.0, 32.0),
    "by-parts factor": (2.0, 2.5, 3.0, 3.5, 4.0, 6.0, 8.0),
}


def rescue(seed: int, steps: int = 400, windows: int = MANY) -> list[dict]:
    """Train a RoPE model on 32 characters, stretch it to 128 in every way, fine-tune; losses on the test text.

    `loss` is the mean over 128 characters, `short` over the first 32 of them, `near` over the 128 with the last 32 keys in
    sight, all after `tuned` steps at length 128. The stretching is by 4, and where the name ends in "tuned" by the factor
    that was best on the validation text. "by-parts, beta 32" has the paper's constant; "pair 2" and its like slow these
    pairs alone; "32 characters" is the untouched model on texts of up to 32, the last ones. A name that ends in "at 32"
    spends its 60 steps at length 32. "base 2" was trained with that base. "from the start" was trained at length 128 on as
    many characters a step, "from the start, all windows" on as many windows, so on four times the characters.
    """
    model = shootout_model("rope", seed, steps)
    ways = {method: stretch(model, method, STRETCH) for method in METHODS}
    ways |= {name: stretch(model, method, factor) for name, (method, factor) in TUNED.items()}
    models = {(name, tuned): _tuned(ways[name], LONG, tuned, seed) for name in FINE_TUNED for tuned in (0, 10, 60)}
    models |= {(name, 0): ways[name] for name in TUNED}
    models |= {(name, 0): slow_some(model, pairs, STRETCH) for name, pairs in PART.items()}
    models["by-parts, beta 32", 0] = stretch(model, "by-parts", STRETCH, beta=32.0)
    models["no new distance", 0] = _no_new_distance(model)
    models |= {(f"{name}, at 32", 60): _tuned(ways[name], TRAINED, 60, seed) for name in FINE_TUNED}
    slow = Contestant(lambda width, heads, length: RotaryEncoding(width // heads, base=2.0))
    small = shootout_model(slow, seed, steps)
    models["base 2", 0] = small
    models["base 2, no new distance", 0] = _no_new_distance(small)
    models["base 2, log-scaled", 0] = with_encoding(small, LogScaled(small.encoding, TRAINED))
    models |= {(name, 0): _from_the_start(seed, steps, batch) for name, batch in LONG_WINDOWS.items()}
    rows = []
    for (method, tuned), changed in models.items():
        losses = on_test_text(changed, LONG, windows)  # (128,)
        rows.append(_row(method, tuned, losses, on_test_text(changed, LONG, windows, keys=TRAINED)))
    last = on_test_text(model, LONG, windows)  # (128,)
    last[TRAINED:] = loss_from_fresh_texts(model, LONG, windows, range(TRAINED, LONG))
    return [*rows, _row("32 characters", 0, last, last)]


def _row(method: str, tuned: int, losses: torch.Tensor, near: torch.Tensor) -> dict:
    found = {"loss": losses.mean(), "short": losses[:TRAINED].mean(), "near": near.mean()}
    return {"method": method, "tuned": tuned, **{name: value.item() for name, value in found.items()}}


def _tuned(model: TinyTransformer, length: int, steps: int, seed: int, **rate: float) -> TinyTransformer:
    return fine_tune(model, text_once(), length, steps, seed, **rate) if steps else model


def _no_new_distance(model: TinyTransformer) -> TinyTransformer:
    return with_encoding(model, NoNewDistance(WIDTH // HEADS, model.encoding.base, furthest=TRAINED - 1))


def _from_the_start(seed: int, steps: int, batch: int) -> TinyTransformer:
    """Return the RoPE model of the shootout trained on windows of 128, `batch` of them a step."""
    model = common.text_model(CONTESTANTS["rope"], seed, LONG)
    common.learn_text(model, seed, steps, LONG, batch=batch)
    return model


def cure_settings(steps: int, seed: int = 100) -> list[dict]:
    """Return the *validation* losses of one stretched model under other numbers: how those of the cures were chosen.

    Trained on 32 characters for `steps`, read at 128 without fine-tuning, `short` are the first 32. By-parts has alpha 1;
    its beta is tried at factor 4, its factor at beta 2.
    """
    model, rows = shootout_model("rope", seed, steps), []
    for what, tried in SETTINGS.items():
        method, number = what.rsplit(" ", 1)
        for setting in tried:
            how = {"factor": setting} if number == "factor" else {"factor": STRETCH, number: setting}
            losses = loss_by_position(stretch(model, method, **how), text_once().validation, LONG, MANY)  # (128,)
            found = {"loss": losses.mean().item(), "short": losses[:TRAINED].mean().item()}
            rows.append({"what": what, "setting": setting, **found})
    return rows


def stretched_recall(seed: int, steps: int = 300, examples: int = 200) -> list[dict]:
    """Train RoPE on 16 tokens of "what was the first token?", stretch it to 64, fine-tune there; accuracies.

    Two layers of width 32. The accuracy counts the last 8 tokens of texts of `length`, after `tuned` steps at 64 tokens.
    "ntk, tuned" has the factor chosen for text. "pairs 1, 2" and its like slow these pairs alone, by 4.
    """
    task, length = RecallTask(), 16
    model = solver(task, RotaryEncoding(16), seed, steps, layers=2)
    ways = {name: stretch(model, *TUNED.get(name, (name, STRETCH)), trained=length) for name in CURES}
    some = {"pairs 1-7": range(1, 8), "pairs 1, 2": [1, 2], "pair 1": [1], "pair 2": [2], "pairs 3-7": range(3, 8)}
    ways |= {name: slow_some(model, pairs, STRETCH) for name, pairs in some.items()}
    rows = []
    for method, changed in ways.items():
        for tuned in (0, 60) if method in CURES else (0,):
            if tuned:
                train(changed, task, STRETCH * length, tuned, 32, 1e-3, 10_000 + seed, label=None)
            lengths = (length, 2 * length, STRETCH * length)
            rows += by_length(changed, task, lengths, examples, method=method, tuned=tuned)
    return rows


def swap(seed: int, steps: int = 300, windows: int = 2 * MANY) -> list[dict]:
    """Train with a learned table on 32 characters, then put RoPE in its place; return losses over 32 characters.

    `tuned` steps of fine-tuning follow (1,024 characters a step, rate 0.001). "table" keeps the table and gets the same
    steps; "none" loses the table and gets nothing for it; "rope from the start" was trained with RoPE, and tuned alike.
    "full rate": tuned for 300 steps at the rate of the first training, 0.01.
    """
    learned, rope = (shootout_model(name, seed, steps) for name in ("learned", "rope"))
    models = {
        "table": learned,
        "table to none": with_encoding(learned, PositionalEncoding()),
        "table to rope": with_encoding(learned, RotaryEncoding(WIDTH // HEADS)),
        "rope from the start": rope,
    }
    tunings = [(name, name, tuned, {}) for name in models for tuned in (0, 60, 300)]
    fast = {"learning_rate": RATE}
    tunings += [(f"{name}, full rate", name, 300, fast) for name in models if name != "table to none"]
    rows = []
    for called, name, tuned, rate in tunings:
        changed = _tuned(models[name], TRAINED, tuned, seed, **rate)
        rows.append({"model": called, "tuned": tuned, "loss": on_test_text(changed, TRAINED, windows).mean().item()})
    return rows
