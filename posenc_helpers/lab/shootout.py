"""The referee: character models that differ in nothing but their encoding, trained under one budget, read out far beyond.

Two causal layers of width 64 with four heads learn from windows of 32 characters for 300 steps, and are then asked about
windows of 512. Equal for all: first weights, batches, steps, rates, clipping. Not equal: `rate`, that of an encoding's
own parameters.
"""

from collections.abc import Sequence
from typing import NamedTuple

from posenc_helpers.checks import check_choice, check_count
from posenc_helpers.encodings import ENCODINGS, PositionalEncoding, T5Encoding
from posenc_helpers.lab.evaluation import loss_by_position
from posenc_helpers.lab.progress import progress
from posenc_helpers.lab.rules import Build, Entrant, admit, still_fair
from posenc_helpers.lab.side_by_side import all_cores
from posenc_helpers.lab.tasks import LanguageTask
from posenc_helpers.lab.text import Text, load_text
from posenc_helpers.lab.training import seeded, train
from posenc_helpers.transformer import TinyTransformer

WIDTH, HEADS, LAYERS = 64, 4, 2
TRAINED, FAR = 32, 512  # characters a window: in training, and at the end
BATCH, STEPS, RATE, WARM_UP = 32, 300, 1e-2, 1 / 6
WINDOWS = 64  # read out in a live run


class Contestant(NamedTuple):
    """An encoding to compare: how to build it from (width, heads, length), and the rate of its own parameters."""

    build: Build
    rate: float = 1.0


def _t5(width: int, heads: int, length: int) -> PositionalEncoding:
    return T5Encoding(heads, num_buckets=16, max_distance=16, bidirectional=False)


CONTESTANTS = {
    "nope": Contestant(ENCODINGS["nope"]),
    "sinusoidal": Contestant(ENCODINGS["sinusoidal"]),
    "learned": Contestant(ENCODINGS["learned"]),
    "rope": Contestant(ENCODINGS["rope"]),
    "t5": Contestant(_t5),
    "t5 x8": Contestant(_t5, rate=8.0),
    "alibi": Contestant(ENCODINGS["alibi"]),
}


class Row(NamedTuple):
    """One number of a shootout: the loss in nats a character. `position` counts tokens, or training steps."""

    encoding: str
    seed: int
    position: int
    loss: float


def reader(encoding: PositionalEncoding, vocabulary: int, seed: int, layers: int = LAYERS) -> TinyTransformer:
    """Return an untrained character model around `encoding`. Its other weights depend on `seed` alone."""
    with seeded(seed):
        return TinyTransformer(vocabulary, WIDTH, HEADS, layers, encoding)


def fresh_encoding(entry: Contestant | Entrant, width: int, heads: int, length: int, seed: int) -> PositionalEncoding:
    """Return the untrained encoding of `entry`, drawn from numbers of its own, far from `seed`.

    Drawn from `seed` itself, as the model is, rows of a learned table would be multiples of the embeddings.
    """
    with seeded(1_000_000 + seed):
        return entry.build(width, heads, length)


def contestants(names: Sequence[str] | dict[str, Contestant | Entrant | Build]) -> dict[str, Entrant]:
    """Let in what `names` stands for: entries of CONTESTANTS by name, or entries of your own. The door: asked once.

    Those may be bare functions (width, heads, length) -> encoding, or classes (see `rules.builder`).
    Raises ValueError for an unknown name, for none at all and for what `rules.admit` refuses or ends before 32 positions,
    TypeError for an entry that is none of these.
    """
    if not names:
        raise ValueError(f"names={names!r} must hold at least one of {', '.join(CONTESTANTS)}")
    if not isinstance(names, dict):
        for name in names:
            check_choice("name", name, tuple(CONTESTANTS))
        names = {name: CONTESTANTS[name] for name in names}
    own = {name: entry if isinstance(entry, Contestant) else Contestant(entry) for name, entry in names.items()}
    return {name: admit(entry.build, (WIDTH, HEADS, FAR), TRAINED, entry.rate) for name, entry in own.items()}


def train_readers(
    names: Sequence[str] | dict[str, Contestant | Entrant],
    seed: int = 0,
    steps: int = STEPS,
    text: Text | None = None,
    label: str | None = "training",
    learning_rate: float = RATE,
) -> dict[str, TinyTransformer]:
    """Train one model per encoding, all on the same batches, side by side on all cores; return them by name.

    `label=None` shows no progress line.
    Raises ValueError for `steps` below 1, a negative seed, what has learned to look at the future, and as `contestants`
    does, TypeError as `rules.builder` does.
    """
    entrants = contestants(names)
    text = load_text() if text is None else text
    task = LanguageTask(text.train, text.vocabulary)
    models = {
        name: reader(fresh_encoding(entrant, WIDTH, HEADS, FAR, seed), text.vocabulary, seed)
        for name, entrant in entrants.items()
    }

    def learn(name: str) -> None:
        rates = {"learning_rate": learning_rate, "encoding_rate": entrants[name].rate, "warm_up": WARM_UP}
        train(models[name], task, TRAINED, steps, BATCH, seed=seed, label=None, **rates)
        still_fair(models[name])

    with all_cores(len(models)) as executor:
        learned = executor.map(learn, models)
        for _ in progress(len(models), label, "models"):
            next(learned)
    return models


def shootout(
    names: Sequence[str] | dict[str, Contestant | Build] = tuple(CONTESTANTS),
    seeds: Sequence[int] = (0,),
    steps: int = STEPS,
    text: Text | None = None,
    length: int = FAR,
    windows: int = WINDOWS,
    label: str | None = "shootout",
) -> list[Row]:
    """Train every encoding under one budget and read each out at positions 0 to length - 1 of text.test.

    Returns rows (encoding, seed, position, loss); those of a table end where it ends. About 5 s of one core per encoding
    and seed. See `train_readers` for the rest. Raises ValueError for unknown names, no seeds, counts below 1, a length
    above 512.
    """
    if not seeds:
        raise ValueError(f"seeds={seeds} must hold at least one seed")
    check_count("length", length)  # now, not when all is trained
    if length > FAR:
        raise ValueError(f"length={length}; allowed: 1 to {FAR}, where the learned table ends")
    check_count("windows", windows)
    text = load_text() if text is None else text
    entrants = contestants(names)
    for name, entrant in entrants.items():
        if entrant.stored:
            print(f"{name}: {entrant.stored}")
    rows = []
    for seed in seeds:
        models = train_readers(entrants, seed, steps, text, label and f"{label}, seed {seed}")

        def read_out(name: str, models: dict[str, TinyTransformer] = models) -> list[float]:
            end = min(entrants[name].reach, length)
            return loss_by_position(models[name], text.test, length, windows, end=end).tolist()

        with all_cores(len(models)) as executor:
            for name, losses in zip(models, executor.map(read_out, models), strict=True):
                rows += [Row(name, seed, position, loss) for position, loss in enumerate(losses)]
    return rows
