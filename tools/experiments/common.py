"""What the experiments share: the text, models that read it, and what they are asked, as rows."""

from functools import cache

from torch import Tensor

from posenc_helpers.lab import shootout
from posenc_helpers.lab.beyond import losses_upto
from posenc_helpers.lab.evaluation import loss_by_position
from posenc_helpers.lab.rules import Build
from posenc_helpers.lab.scorecard import learn
from posenc_helpers.lab.shootout import CONTESTANTS, FAR, TRAINED, Contestant, fresh_encoding
from posenc_helpers.lab.tasks import LanguageTask
from posenc_helpers.lab.text import load_text
from posenc_helpers.lab.training import accuracy, solver, train
from posenc_helpers.transformer import TinyTransformer

MANY = 128  # windows; they overlap, so that no position hangs on a few characters
DOUBLINGS = (1, 2, 4, 8, 16)
text_once = cache(load_text)


def shootout_model(
    entry: str | Contestant, seed: int, steps: int = shootout.STEPS, rate: float = shootout.RATE
) -> TinyTransformer:
    """Return the trained model of the shootout around one of its contestants, by name, or another."""
    names = [entry] if isinstance(entry, str) else {"other": entry}
    (model,) = shootout.train_readers(names, seed, steps, text_once(), label=None, learning_rate=rate).values()
    return model


def text_model(entry: Contestant, seed: int, length: int = FAR, layers: int = shootout.LAYERS) -> TinyTransformer:
    """Return an untrained model like those of the shootout, with an encoding for `length` characters."""
    encoding = fresh_encoding(entry, shootout.WIDTH, shootout.HEADS, length, seed)
    return shootout.reader(encoding, text_once().vocabulary, seed, layers)


def learn_text(model: TinyTransformer, seed: int, steps: int, length: int = TRAINED, **settings) -> None:
    """Train `model` in place, as the shootout does but for `settings` of `train`."""
    task = LanguageTask(text_once().train, text_once().vocabulary)
    usual = {"batch": shootout.BATCH, "learning_rate": shootout.RATE, "warm_up": shootout.WARM_UP, "label": None}
    train(model, task, length, steps, seed=seed, **(usual | settings))


def on_test_text(model: TinyTransformer, length: int, windows: int, **settings) -> Tensor:
    """Return the loss at each of `length` positions (length,) on the test text, see `loss_by_position`."""
    return loss_by_position(model, text_once().test, length, windows, **settings)


def language_rows(model: TinyTransformer, windows: int, times: tuple[int, ...]) -> list[dict]:
    """Return rows "language": the mean loss over `times` 32 characters of the test text, empty beyond a table's end."""
    losses = losses_upto(model, text_once().test, windows, times)
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
