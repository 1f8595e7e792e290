"""Every encoding of the package on texts longer than any in training. Takes plain values and returns rows."""

from posenc_helpers.encodings import ENCODINGS
from posenc_helpers.lab.beyond import recall_model
from posenc_helpers.lab.evaluation import cumulative, loss_by_position
from posenc_helpers.lab.experiments.on_text import text_once
from posenc_helpers.lab.rules import reach
from posenc_helpers.lab.shootout import FAR, HEADS, TRAINED, WIDTH, Contestant, train_readers
from posenc_helpers.lab.tasks import RecallTask
from posenc_helpers.lab.training import accuracy


def lengths(encoding: str, seed: int, steps: int = 300, windows: int = 64, examples: int = 100) -> list[dict]:
    """Train an entry of ENCODINGS on 32 characters, and on 16 tokens of first-token recall; read both beyond.

    "language" is the mean loss over `times` 32 characters of the test text, "recall" the accuracy of the last 8 of
    `times` 16 tokens, as in the shootout and in recall.csv. Empty where the encoding's table ends before.
    """
    entry, text = Contestant(ENCODINGS[encoding]), text_once()
    model = train_readers({encoding: entry}, seed, steps, text, label=None)[encoding]
    end = reach(model.encoding, WIDTH, HEADS, FAR)
    upto = cumulative(loss_by_position(model, text.test, FAR, windows, end=end))
    rows = [
        {"what": "language", "times": k, "value": upto[k * TRAINED - 1].item() if k * TRAINED <= end else None}
        for k in (1, 2, 4, 8, 16)
    ]
    task, model = RecallTask(), recall_model(entry, seed, steps)
    end = reach(model.encoding, 32, 2, 256)
    return rows + [
        {"what": "recall", "times": k, "value": accuracy(model, task, 16 * k, examples, last=8) if 16 * k <= end else None}
        for k in (1, 4, 16)
    ]
