"""Experiments on made-up tasks, where the right answer is known. Each takes plain values and returns rows."""

from posenc_helpers.checks import check_choice
from posenc_helpers.encodings import ENCODINGS
from posenc_helpers.lab.beyond import in_row
from posenc_helpers.lab.results import load_results
from posenc_helpers.lab.scorecard import learn_once, scorecard
from posenc_helpers.lab.shootout import CONTESTANTS, fresh_encoding
from posenc_helpers.lab.tasks import LagTask, RecallTask
from posenc_helpers.lab.training import accuracy, solver

LENGTHS = {"recall": (16, 64, 256, 1024), "lag": (16, 32, 64, 128)}


def algorithmic(task: str, encoding: str, seed: int, steps: int = 300, examples: int = 100) -> list[dict]:
    """Train on 16 tokens of "what was the first token?" (recall) or "copy the token two back" (lag); accuracies beyond.

    Two layers for recall, one for lag. The accuracy counts the last 8 tokens of texts of each length.
    """
    check_choice("task", task, tuple(LENGTHS))
    asked, entry = RecallTask() if task == "recall" else LagTask(2), CONTESTANTS[encoding]
    made = fresh_encoding(entry, 32, 2, max(LENGTHS[task]), seed)
    model = solver(asked, made, seed, steps, layers=2 if task == "recall" else 1, encoding_rate=entry.rate)
    return [{"length": n, "accuracy": accuracy(model, asked, n, examples, last=8)} for n in LENGTHS[task]]


def first_row(seed: int, steps: int = 300, examples: int = 100) -> list[dict]:
    """Train the learned table on recall as `algorithmic` does; accuracies as it is, and with an untrained row at place 0."""
    task, made = RecallTask(), fresh_encoding(CONTESTANTS["learned"], 32, 2, max(LENGTHS["recall"]), seed)
    model, rows = solver(task, made, seed, steps, layers=2), []
    for row in ("trained", "untrained"):
        if row == "untrained":
            made.table.data[0] = made.table.data[-1]  # the last row, which no training text reached
        lengths = LENGTHS["recall"][:3]  # not 1,024, whose last place has that row, too
        rows += [{"row 0": row, "length": n, "accuracy": accuracy(model, task, n, examples, last=8)} for n in lengths]
    return rows


def bias(lag: int, seed: int) -> list[dict]:
    """Train one layer with T5's bias to copy the token `lag` back; return the bias of each distance, per head.

    `accuracy` is that on 16 tokens, the trained length.
    """
    task = LagTask(lag)
    encoding = fresh_encoding(CONTESTANTS["t5"], 32, 2, 16, seed)
    right = accuracy(solver(task, encoding, seed), task, 16)
    values = encoding.table.detach()  # (buckets, H)   buckets 0 to 7 are distances 0 to 7
    return [
        {"distance": distance, "head": head, "bias": values[distance, head].item(), "accuracy": right}
        for head in range(2)
        for distance in range(8)
    ]


def learned(encoding: str, seed: int, steps: int = 300) -> dict:
    """Train the scorecard's models of an entry of ENCODINGS with one seed; return their accuracies, and `ranked`."""
    return learn_once(ENCODINGS[encoding], seed, steps)


def card(encoding: str) -> dict:
    """Return the scorecard's row of an entry of ENCODINGS, over stored trainings of 300 steps (`learned`, `lengths`)."""
    runs = [row for row in load_results("learned") if row["encoding"] == encoding and row["steps"] == 300]
    accuracies = {
        column: [run[column] for run in runs] for column in runs[0] if column not in ("encoding", "seed", "steps")
    }
    far = [row for row in load_results("lengths") if row["encoding"] == encoding]
    places = {"language 1x": ("language", 1), "language 4x": ("language", 4), "recall 4x": ("recall", 4)}
    values = {
        column: [row["value"] for row in far if (row["what"], row["times"]) == place]
        for column, place in places.items()
    }
    return scorecard(ENCODINGS[encoding], accuracies) | in_row(values)
