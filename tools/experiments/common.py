"""What the experiments share: the text, models that read it, and what they are asked, as rows."""

from functools import lru_cache

from posenc_helpers.lab.beyond import losses_upto
from posenc_helpers.lab.rules import Build
from posenc_helpers.lab.scorecard import learn
from posenc_helpers.lab.shootout import (
    BATCH,
    CONTESTANTS,
    FAR,
    HEADS,
    LAYERS,
    RATE,
    STEPS,
    TRAINED,
    WARM_UP,
    WIDTH,
    Contestant,
    fresh_encoding,
    reader,
    train_readers,
)
from posenc_helpers.lab.tasks import LanguageTask
from posenc_helpers.lab.text import Text, load_text
from posenc_helpers.lab.training import accuracy, solver, train
from posenc_helpers.transformer import TinyTransformer

MANY = 128  # windows; they overlap, so that no position hangs on a few characters
STRETCH = 4
DOUBLINGS = (1, 2, 4, 8, 16)
text_once = lru_cache(maxsize=1)(load_text)


def shootout_model(
    entry: str | Contestant, text: Text, seed: int, steps: int = STEPS, rate: float = RATE
) -> TinyTransformer:
    """Return the trained model of the shootout around one of its contestants, by name, or another."""
    names = [entry] if isinstance(entry, str) else {"other": entry}
    (model,) = train_readers(names, seed, steps, text, label=None, learning_rate=rate).values()
    return model


def text_model(entry: Contestant, text: Text, seed: int, length: int = FAR, layers: int = LAYERS) -> TinyTransformer:
    """Return an untrained model like those of the shootout, with an encoding for `length` characters."""
    return reader(fresh_encoding(entry, WIDTH, HEADS, length, seed), text.vocabulary, seed, layers)


def learn_text(
    model: TinyTransformer,
    text: Text,
    seed: int,
    steps: int,
    length: int = TRAINED,
    batch: int = BATCH,
    warm_up: float = WARM_UP,
    **watching,
) -> None:
    """Train `model` in place, as the shootout does."""
    task = LanguageTask(text.train, text.vocabulary)
    train(model, task, length, steps, batch, RATE, seed, label=None, warm_up=warm_up, **watching)


def language_rows(model: TinyTransformer, text: Text, windows: int, times: tuple[int, ...]) -> list[dict]:
    """Return rows "language": the mean loss over `times` 32 characters of the test text, empty beyond a table's end."""
    losses = losses_upto(model, text.test, windows, times)
    return [{"what": "language", "times": k, "value": loss} for k, loss in losses.items()]


def solver_of(name: str, task, length: int, seed: int, steps: int, layers: int) -> TinyTransformer:
    """Return a model of width 32 that learned a made-up `task`, with a contestant's encoding for `length` tokens."""
    entry = CONTESTANTS[name]
    encoding = fresh_encoding(entry, 32, 2, length, seed)
    return solver(task, encoding, seed, steps, layers, encoding_rate=entry.rate)


def by_length(model: TinyTransformer, task, lengths: tuple[int, ...], examples: int, **columns) -> list[dict]:
    """Return a row for each of `lengths`: the accuracy at the last 8 tokens of texts, after other `columns`."""
    return [{**columns, "length": n, "accuracy": accuracy(model, task, n, examples, last=8)} for n in lengths]


def learn_once(build: Build, seed: int, steps: int) -> dict[str, float]:
    """Return what `scorecard.learn` finds with one seed, a number each."""
    return {column: value for column, (value,) in learn(build, [seed], steps).items()}
