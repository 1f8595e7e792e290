"""Models of the stored runs that notebook 02 reads: codes as long as a word, and what is trained to tell a distance."""

import torch

from posenc_helpers.checks import check_choice, check_positive
from posenc_helpers.encodings import ENCODINGS
from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.lab.scorecard import GAP_BATCH, LENGTH, Build, codes, trained
from posenc_helpers.lab.tasks import GapTask
from posenc_helpers.transformer import TinyTransformer

CODES = ("index", "normalised", "random", "one-hot", "binary", "sinusoidal")
WORD = 0.3  # standard deviation of TinyTransformer's embeddings


def as_long_as_words(code: str, times: float = 1.0) -> Build:
    """Return a function like those in ENCODINGS whose codes are, on average over 16 places, `times` as long as a word.

    Raises ValueError for a code that is not in CODES and for `times` not above 0.
    """
    check_choice("code", code, CODES)
    check_positive("times", times)

    def build(width: int, heads: int, length: int) -> PositionalEncoding:
        encoding = ENCODINGS[code](width, heads, length)
        mean = codes(encoding, torch.arange(LENGTH), width).norm(dim=-1).mean().item()
        encoding.scale *= times * WORD * width**0.5 / mean
        return encoding

    return build


def gap_model(build: Build, seed: int = 0, steps: int = 300) -> TinyTransformer:
    """Return the model that `lab.scorecard.learn` trains to say whether B stands exactly 3 after A: 16 tokens, one layer."""
    return trained(build, GapTask(), GAP_BATCH, steps, seed)
