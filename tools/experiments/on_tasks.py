"""Experiments on made-up tasks, where the right answer is known. Each takes plain values and returns rows."""

import torch
from torch import Generator

from posenc_helpers.encodings import ENCODINGS, PositionalEncoding
from posenc_helpers.lab.answers import FRESH, auc, b_after_a, preference
from posenc_helpers.lab.beyond import in_row
from posenc_helpers.lab.results import load_results, values_of
from posenc_helpers.lab.scorecard import GAP_BATCH, LENGTH, Build, codes, scorecard, trained
from posenc_helpers.lab.tasks import GapTask, LagTask, RecallTask
from posenc_helpers.lab.training import accuracy
from posenc_helpers.transformer import TinyTransformer
from tools.experiments.common import by_length, learn_once, solver_of

LENGTHS = {"recall": (16, 64, 256, 1024), "lag": (16, 32, 64, 128)}
PLACES = {"trained": range(LENGTH), "new": range(LENGTH, 2 * LENGTH)}  # of both marks, in a text of 32 tokens
GAPS = range(1, 10)
WORD = 0.3  # standard deviation of TinyTransformer's embeddings


def algorithmic(task: str, encoding: str, seed: int, steps: int = 300, examples: int = 100) -> list[dict]:
    """Train on 16 tokens of "what was the first token?" (recall) or "copy the token two back" (lag); accuracies beyond.

    Two layers for recall, one for lag. The accuracy counts the last 8 tokens of texts of each length.
    """
    asked, layers = (RecallTask(), 2) if task == "recall" else (LagTask(2), 1)
    model = solver_of(encoding, asked, max(LENGTHS[task]), seed, steps, layers)
    return by_length(model, asked, LENGTHS[task], examples)


def deeper_lag(encoding: str, layers: int, steps: int, seed: int, examples: int = 100) -> list[dict]:
    """Train a model of so many layers on 16 tokens to copy the token two back; accuracies at 16 to 128 (see `lag`)."""
    task = LagTask(2)
    model = solver_of(encoding, task, max(LENGTHS["lag"]), seed, steps, layers)
    return by_length(model, task, LENGTHS["lag"], examples)


def first_row(seed: int, steps: int = 300, examples: int = 100) -> list[dict]:
    """Train the learned table on recall as `algorithmic` does; accuracies as it is, and with an untrained row at place 0."""
    task, lengths = RecallTask(), LENGTHS["recall"]
    model = solver_of("learned", task, max(lengths), seed, steps, layers=2)
    rows = by_length(model, task, lengths[:3], examples, **{"row 0": "trained"})
    table = model.encoding.table.data
    table[0] = table[-1]  # the last row, which no training text reached; at 1,024 tokens the last place has it, too
    return rows + by_length(model, task, lengths[:3], examples, **{"row 0": "untrained"})


def bias(lag: int, seed: int) -> list[dict]:
    """Train one layer with T5's bias to copy the token `lag` back; return the bias of each distance, per head.

    `accuracy` is that on 16 tokens, the trained length.
    """
    task = LagTask(lag)
    model = solver_of("t5", task, 16, seed, steps=300, layers=1)
    right = accuracy(model, task, 16)
    values = model.encoding.table.detach()  # (buckets, H)   buckets 0 to 7 are distances 0 to 7
    return [
        {"distance": distance, "head": head, "bias": values[distance, head].item(), "accuracy": right}
        for head in range(2)
        for distance in range(8)
    ]


def as_long_as_words(code: str, times: float = 1.0) -> Build:
    """Return a function like those in ENCODINGS whose codes are, on average over 16 places, `times` as long as a word."""

    def build(width: int, heads: int, length: int) -> PositionalEncoding:
        encoding = ENCODINGS[code](width, heads, length)
        mean = codes(encoding, torch.arange(LENGTH), width).norm(dim=-1).mean().item()
        encoding.scale *= times * WORD * width**0.5 / mean
        return encoding

    return build


def naive_codes(code: str, times: float, seed: int, steps: int = 300) -> list[dict]:
    """Train on order and on distance with codes `times` as long as the word; return rows of two results.

    naive_codes: accuracies at 16 tokens and beyond, at 32; at 32 also, among texts with B after A, how often one with B
    3 after A is ranked above another (AUC): wherever they stand, and with both marks in places 0 to 15 or 16 to 31.
    answers: the share of yes at 32 tokens by the gap, both marks in places 0 to 15 (trained) or 16 to 31 (new).
    """
    build, task = as_long_as_words(code, times), GapTask()
    model = trained(build, task, GAP_BATCH, steps, seed)  # the model of the scorecard's column "distance"
    tokens, labels = task.sample(4000, 2 * LENGTH, Generator().manual_seed(FRESH))  # (4000, 32), (4000,)
    a, b = ((tokens == mark).int().argmax(dim=1) for mark in (task.first_mark, task.second_mark))  # (4000,) each
    scores, after = preference(model, tokens), b_after_a(tokens)  # (4000,) each
    kept = {"ranked": after, "ranked trained": after & (b < LENGTH), "ranked new": after & (a >= LENGTH)}
    row = learn_once(build, seed, steps) | {name: auc(scores[here], labels[here]) for name, here in kept.items()}
    answers = [
        {"places": name, "gap": gap, "yes": yes}
        for name, places in PLACES.items()
        for gap, yes in yes_by_gap(model, places).items()
    ]
    return [{"result": "naive_codes", **row}, *({"result": "answers", **answer} for answer in answers)]


def yes_by_gap(model: TinyTransformer, places: range, examples: int = 100) -> dict[int, float]:
    """Return how often a model of `GapTask` says yes where B stands `gap` places after A: {gap: share, 0 to 1}.

    Texts have 32 tokens; both marks stand at `places`, A anywhere that leaves room.
    """
    generator, shares = Generator().manual_seed(FRESH), {}
    for gap in GAPS:
        tokens = torch.randint(GapTask.noise, (examples, 2 * LENGTH), generator=generator)  # (B, L)
        first = places.start + torch.randint(len(places) - gap, (examples, 1), generator=generator)  # (B, 1)
        tokens.scatter_(1, first, GapTask.first_mark).scatter_(1, first + gap, GapTask.second_mark)
        shares[gap] = (preference(model, tokens) > 0).double().mean().item()
    return shares


def learned(encoding: str, seed: int, steps: int = 300) -> dict:
    """Train the scorecard's models of an entry of ENCODINGS with one seed; return their accuracies, and `ranked`."""
    return learn_once(ENCODINGS[encoding], seed, steps)


def card(encoding: str) -> dict:
    """Return the scorecard's row of an entry of ENCODINGS, over stored trainings of 300 steps (`learned`, `lengths`)."""
    runs, far = load_results("learned"), load_results("lengths")
    columns = [column for column in runs[0] if column not in ("encoding", "seed", "steps")]
    accuracies = {column: values_of(runs, column, encoding=encoding, steps=300) for column in columns}
    places = {"language 1x": ("language", 1), "language 4x": ("language", 4), "recall 4x": ("recall", 4)}
    beyond = {
        column: values_of(far, "value", encoding=encoding, what=what, times=times)
        for column, (what, times) in places.items()
    }
    return scorecard(ENCODINGS[encoding], accuracies) | in_row(beyond)
