"""Experiments that readers asked for by name. Each takes plain values and returns rows."""

from posenc_helpers.encodings import RotaryEncoding
from posenc_helpers.lab.evaluation import loss_by_position
from posenc_helpers.lab.shootout import HEADS, RATE, TRAINED, WIDTH, train_readers
from posenc_helpers.lab.stretching import fine_tune, with_encoding
from tools.experiments.on_text import MANY, text_once


def swap(seed: int, steps: int = 300, windows: int = 2 * MANY) -> list[dict]:
    """Train with a learned table on 32 characters, then put RoPE in its place; return losses over 32 characters.

    `tuned` steps of fine-tuning follow (1,024 characters a step, rate 0.001). "table" keeps the table and gets the same
    steps; "none" loses the table and gets nothing for it; "rope from the start" was trained with RoPE, and tuned alike.
    "full rate": tuned for 300 steps at the rate of the first training, 0.01.
    """
    text = text_once()
    learned, rope = (train_readers([name], seed, steps, text, label=None)[name] for name in ("learned", "rope"))
    none = train_readers(["nope"], seed, 1, text, label=None)["nope"].encoding
    models = {
        "table": learned,
        "table to none": with_encoding(learned, none),
        "table to rope": with_encoding(learned, RotaryEncoding(WIDTH // HEADS)),
        "rope from the start": rope,
    }
    rows = []
    tunings = [(name, name, tuned, {}) for name in models for tuned in (0, 60, 300)]
    tunings += [(f"{name}, full rate", name, 300, {"learning_rate": RATE}) for name in models if name != "table to none"]
    for called, name, tuned, rate in tunings:
        changed = fine_tune(models[name], text, TRAINED, tuned, seed, **rate) if tuned else models[name]
        loss = loss_by_position(changed, text.test, TRAINED, windows).mean().item()
        rows.append({"model": called, "tuned": tuned, "loss": loss})
    return rows
