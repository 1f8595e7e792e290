"""An encoding beyond its trained length: how it reads four times the text, and whether it finds what stood first.

Models and budget are the shootout's, and those of recall.csv: what is compared differs in nothing but its encoding.
"""

from collections.abc import Sequence
from typing import NamedTuple

from torch import Tensor

from posenc_helpers.lab.evaluation import cumulative, loss_by_position
from posenc_helpers.lab.progress import progress
from posenc_helpers.lab.rules import Build, Entrant, reach, still_fair
from posenc_helpers.lab.scorecard import BEYOND, ENDS
from posenc_helpers.lab.shootout import (
    FAR,
    HEADS,
    STEPS,
    TRAINED,
    WIDTH,
    WINDOWS,
    Contestant,
    contestants,
    fresh_encoding,
    train_readers,
)
from posenc_helpers.lab.side_by_side import all_cores
from posenc_helpers.lab.tasks import RecallTask
from posenc_helpers.lab.text import Text, load_text
from posenc_helpers.lab.training import accuracy, solver
from posenc_helpers.transformer import TinyTransformer

TIMES = 4  # the trained length
RECALL = 16  # tokens of a text of first-token recall, in training
SMALL = (32, 2)  # width and heads of the models that learn it


class Score(NamedTuple):
    """What one encoding gets with one seed: two losses (nats a character) and an accuracy; None beyond its end."""

    encoding: str
    seed: int
    short: float  # loss over texts of the trained length
    long: float | None  # loss over texts of four times that
    recall: float | None  # first-token recall at four times the trained length


def recall_model(entry: Contestant | Entrant, seed: int, steps: int = STEPS) -> TinyTransformer:
    """Return two layers of width 32 trained on first-token recall, 16 tokens.

    `entry` is one that `train_readers` takes, too, which asks it. Raises ValueError for what has learned to look at the
    future.
    """
    encoding = fresh_encoding(entry, *SMALL, 256, seed)
    return still_fair(solver(RecallTask(), encoding, seed, steps, layers=2, encoding_rate=entry.rate))


def losses_upto(
    model: TinyTransformer, part: Tensor, windows: int = WINDOWS, times: Sequence[int] = (1, TIMES)
) -> dict[int, float | None]:
    """Return the mean loss over the first 1, 4, ... times 32 characters of `windows` of 512 of `part`; None beyond its end.

    Whatever `times` asks, the windows are those of 512 characters: the stored rows and yours are read on the same text.
    Raises ValueError for `times` beyond 512 characters.
    """
    most = max(times) * TRAINED
    end = reach(model.encoding, WIDTH, HEADS, most)
    upto = cumulative(loss_by_position(model, part, FAR, windows, end=end))  # (end,)
    return {k: upto[k * TRAINED - 1].item() if k * TRAINED <= end else None for k in times}


def scores(
    names: Sequence[str] | dict[str, Contestant | Entrant | Build],
    seeds: Sequence[int] = (0,),
    steps: int = STEPS,
    text: Text | None = None,
    label: str | None = "beyond",
) -> list[Score]:
    """Train all on the same text, and on the same recall, with each of `seeds`; read both at four times the length.

    `names` are entries of the shootout, or entries of your own. Some 7 s of one core per entry and seed.
    Raises what `train_readers` raises, and ValueError without a seed.
    """
    if not seeds:
        raise ValueError(f"seeds={seeds} must hold at least one seed")
    entrants = contestants(names)
    text = load_text() if text is None else text
    found: list[Score] = []
    for k in progress(len(seeds), label, "seeds"):
        readers = train_readers(entrants, seed=seeds[k], steps=steps, text=text, label=None)

        def judge(name: str, seed: int = seeds[k], readers: dict[str, TinyTransformer] = readers) -> Score:
            read = losses_upto(readers[name], text.test, WINDOWS)
            finder, far_back = recall_model(entrants[name], seed, steps), TIMES * RECALL
            right = None
            if reach(finder.encoding, *SMALL, far_back) == far_back:
                right = accuracy(finder, RecallTask(), far_back, 100, last=8)
            return Score(name, seed, read[1], read[TIMES], right)

        with all_cores(len(readers)) as executor:
            found += executor.map(judge, readers)
    return found


def beyond(build: Contestant | Build, **settings) -> dict[str, float | None]:
    """Return what BEYOND adds to the scorecard's row of an encoding: means over the seeds, their lowest and highest.

    `settings` are those of `scores`: seeds, steps, text, label. Raises what `scores` raises.
    """
    found = scores({"mine": build}, **settings)
    columns = zip(BEYOND, ("short", "long", "recall"), strict=True)
    return in_row({column: [getattr(score, field) for score in found] for column, field in columns})


def in_row(found: dict[str, list[float | None]]) -> dict[str, float | None]:
    """Return numbers, one a seed, as columns of a row: their mean, lowest and highest; None where one is missing."""
    ended = {column for column, values in found.items() if None in values}
    row = {column: None if column in ended else sum(values) / len(values) for column, values in found.items()}
    extremes = {
        f"{column} {end}": None if column in ended else pick(values)
        for column, values in found.items()
        for end, pick in ENDS.items()
    }
    return row | extremes
