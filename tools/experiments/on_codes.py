"""What models learn from code vectors of equal size, and what they answer case by case (notebooks 02 and 03)."""

from torch import Generator

from posenc_helpers.lab.answers import auc, b_after_a, preference, yes_by_gap
from posenc_helpers.lab.scorecard import LENGTH, learn_once
from posenc_helpers.lab.tasks import GapTask
from posenc_helpers.lessons.naive_encodings.models import as_long_as_words, gap_model

PLACES = {"trained": range(LENGTH), "new": range(LENGTH, 2 * LENGTH)}  # of both marks, in a text of 32 tokens
GAPS = range(1, 10)


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
