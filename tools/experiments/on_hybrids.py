"""Encodings mixed layer by layer, beyond the trained length. Takes plain values and returns rows."""

from torch import Generator

from posenc_helpers.lab.evaluation import cumulative, loss_by_position
from posenc_helpers.lab.shootout import BATCH, FAR, HEADS, RATE, TRAINED, WARM_UP, WIDTH
from posenc_helpers.lab.tasks import LanguageTask, RecallTask
from posenc_helpers.lab.training import Trainer, accuracy, one_thread, seeded, train
from posenc_helpers.lessons.choosing.hybrids import LAYERS, hybrid
from posenc_helpers.transformer import TinyTransformer
from tools.experiments.on_text import text_once


@one_thread()
def hybrids(mixture: str, seed: int, steps: int = 300, windows: int = 32, examples: int = 100) -> list[dict]:
    """Train four layers with a mixture of `lab.hybrids` on 32 characters, and on 16 tokens of recall; read both beyond.

    "language" is the mean loss over `times` 32 characters of the test text, "recall" the accuracy of the last 8 of
    `times` 16 tokens of first-token recall (width 32, two heads). Rates and warm-up are the shootout's; half of its batch.
    """
    text = text_once()
    with seeded(seed):
        model = TinyTransformer(text.vocabulary, WIDTH, HEADS, LAYERS, hybrid(mixture, WIDTH // HEADS))
    trainer, generator = Trainer(model, steps, RATE, warm_up=WARM_UP), Generator().manual_seed(seed)
    task = LanguageTask(text.train, text.vocabulary)
    for _ in range(steps):
        trainer.step(*task.sample(BATCH // 2, TRAINED, generator))
    upto = cumulative(loss_by_position(model, text.test, FAR, windows))
    rows = [{"what": "language", "times": k, "value": upto[k * TRAINED - 1].item()} for k in (1, 4, 16)]
    recall = RecallTask()
    with seeded(seed):
        model = TinyTransformer(recall.vocabulary, 32, 2, LAYERS, hybrid(mixture, 16))
    train(model, recall, 16, steps, 32, RATE, seed, label=None)
    found = {k: accuracy(model, recall, 16 * k, examples, last=8) for k in (1, 4, 16)}
    return rows + [{"what": "recall", "times": k, "value": value} for k, value in found.items()]
