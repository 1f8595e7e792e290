"""What a decoder learns by its depth and its training, without positions and with. Each takes plain values."""

import torch
from torch import Generator, Tensor, nn

from posenc_helpers.lab.beyond import losses_upto
from posenc_helpers.lab.shootout import CONTESTANTS, TRAINED
from posenc_helpers.lab.tasks import LagTask
from posenc_helpers.lab.text import cut_windows
from posenc_helpers.lab.training import answer_logits
from posenc_helpers.transformer import TinyTransformer
from tools.experiments.common import DOUBLINGS, MANY, by_length, learn_text, solver_of, text_model, text_once
from tools.experiments.on_tasks import LENGTHS


def depth(encoding: str, layers: int, steps: int, seed: int, windows: int = MANY) -> dict:
    """Train a character model of so many layers on 32 characters; losses on the test text, and on shuffled characters.

    x1 to x16 are mean losses over 32 to 512 characters. `in order` is the loss of the character after 32, `shuffled` the
    same where the first 31 of these 32 stand in another order: their difference is what the order of the past is worth.
    """
    text = text_once()
    model = text_model(CONTESTANTS[encoding], text, seed, layers=layers)
    learn_text(model, text, seed, steps)
    cut = cut_windows(text.test, TRAINED + 1, 2000)  # (2000, 33)
    return {
        **{f"x{k}": loss for k, loss in losses_upto(model, text.test, windows, DOUBLINGS).items()},
        "in order": loss_at_the_end(model, cut),
        "shuffled": loss_at_the_end(model, shuffled_past(cut, Generator().manual_seed(0))),
    }


def deeper_lag(encoding: str, layers: int, steps: int, seed: int, examples: int = 100) -> list[dict]:
    """Train a model of so many layers on 16 tokens to copy the token two back; accuracies at 16 to 128 (see `lag`)."""
    task = LagTask(2)
    model = solver_of(encoding, task, max(LENGTHS["lag"]), seed, steps, layers)
    return by_length(model, task, LENGTHS["lag"], examples)


def shuffled_past(windows: Tensor, generator: Generator) -> Tensor:
    """Return windows (B, L + 1) with the first L - 1 characters of each in an order of its own; the last two stay."""
    past = windows.shape[1] - 2
    order = torch.rand(len(windows), past, generator=generator).argsort(dim=1)  # (B, L - 1)
    return torch.cat([windows[:, :past].gather(1, order), windows[:, past:]], dim=1)


def loss_at_the_end(model: TinyTransformer, windows: Tensor) -> float:
    """Return the mean loss (nats) of the last character of windows (B, L + 1), read after the L before it."""
    logits = answer_logits(model, windows[:, :-1], once=False)[:, -1]  # (B, V)
    return nn.functional.cross_entropy(logits, windows[:, -1]).item()
