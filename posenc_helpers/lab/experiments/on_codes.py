"""What models learn from code vectors of equal size, and what they answer case by case (notebooks 02 and 03)."""

import torch
from torch import Generator

from posenc_helpers.checks import check_choice, check_positive
from posenc_helpers.encodings import ENCODINGS
from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.lab.answers import auc, b_after_a, preference, yes_by_gap
from posenc_helpers.lab.scorecard import GAP_BATCH, LENGTH, ORDER_BATCH, ORDER_SHARE, Build, codes, learn_once, trained
from posenc_helpers.lab.tasks import GapTask, OrderTask
from posenc_helpers.transformer import TinyTransformer

CODES = ("index", "normalised", "random", "one-hot", "binary", "sinusoidal")
WORD = 0.3  # standard deviation of TinyTransformer's embeddings
PLACES = {"trained": range(LENGTH), "new": range(LENGTH, 2 * LENGTH)}  # of both marks, in a text of 32 tokens
GAPS = range(1, 10)


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


def order_model(build: Build, seed: int = 0, steps: int = 300) -> TinyTransformer:
    """Return the model that `lab.scorecard.learn` trains to say which mark comes first, in its share of `steps`."""
    return trained(build, OrderTask(), ORDER_BATCH, max(1, int(ORDER_SHARE * steps)), seed)


def naive_codes(code: str, times: float, seed: int, steps: int = 300) -> list[dict]:
    """Train on order and on distance with codes `times` as long as the word; return rows of two results.

    naive_codes: accuracies at 16 tokens and beyond, at 32; at 32 also, among texts with B after A, how often one with B
    3 after A is ranked above another (AUC): wherever they stand, and with both marks in places 0 to 15 or 16 to 31.
    answers: the share of yes at 32 tokens by the gap, both marks in places 0 to 15 (trained) or 16 to 31 (new).
    """
    build, task = as_long_as_words(code, times), GapTask()
    model = gap_model(build, seed, steps)
    tokens, labels = task.sample(4000, 2 * LENGTH, Generator().manual_seed(1_000_000))  # (4000, 32), (4000,)
    a, b = ((tokens == mark).int().argmax(dim=1) for mark in (task.first_mark, task.second_mark))  # (4000,) each
    scores, after = preference(model, tokens), b_after_a(tokens)  # (4000,) each
    kept = {"ranked": after, "ranked trained": after & (b < LENGTH), "ranked new": after & (a >= LENGTH)}
    row = learn_once(build, seed, steps) | {name: auc(scores[here], labels[here]) for name, here in kept.items()}
    answers = [
        {"places": name, "gap": gap, "yes": yes}
        for name, places in PLACES.items()
        for gap, yes in yes_by_gap(model, 2 * LENGTH, GAPS, places).items()
    ]
    return [{"result": "naive_codes", **row}, *({"result": "answers", **answer} for answer in answers)]
