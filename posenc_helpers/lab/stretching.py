"""A trained model around another encoding, and a few steps of fine-tuning at a longer length.

Notebook 09 shows why each rule of stretching does what it does; `posenc_helpers.encodings.rope_scaling` holds the rules.
"""

import copy

from posenc_helpers.checks import check_count
from posenc_helpers.encodings import PositionalEncoding
from posenc_helpers.lab.tasks import LanguageTask
from posenc_helpers.lab.text import Text
from posenc_helpers.lab.training import train
from posenc_helpers.transformer import TinyTransformer

ALPHA, BETA = 1.0, 2.0  # of by-parts; BETA chosen on the validation text, see data/results/cure_settings.csv


def with_encoding(model: TinyTransformer, encoding: PositionalEncoding) -> TinyTransformer:
    """Return a copy of `model` with the same weights around another encoding."""
    changed = copy.deepcopy(model)
    changed.encoding = encoding
    return changed


def fine_tune(
    model: TinyTransformer, text: Text, length: int, steps: int, seed: int = 0, learning_rate: float = 1e-3
) -> TinyTransformer:
    """Return a copy of `model` trained for `steps` more, on up to 1024 characters a step in windows of `length`.

    Raises ValueError for counts below 1, a length above 1024, a negative seed, a rate that is not above 0.
    """
    check_count("length", length)
    check_count("seed", seed, least=0)
    if length > 1024:
        raise ValueError(f"length={length}; allowed: 1 to 1024")
    tuned = copy.deepcopy(model)
    task = LanguageTask(text.train, text.vocabulary)
    settings = {"steps": steps, "batch": 1024 // length, "learning_rate": learning_rate}
    train(tuned, task, length, **settings, seed=10_000 + seed, label=None)
    return tuned
