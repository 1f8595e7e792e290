"""Train a TinyTransformer on a task, and measure how often it is right."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Generator, nn

from posenc_helpers.encodings.checks import check_count, check_positive
from posenc_helpers.lab.progress import progress
from posenc_helpers.transformer import TinyTransformer


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Draw initial weights from `seed` inside the block, and leave PyTorch's global random state as it was.

    Raises TypeError or ValueError for a seed that is no integer of at least 0.
    """
    check_count("seed", seed, least=0)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute on one core inside the block: on matrices this small, several threads mostly wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@one_thread()
def train(
    model: TinyTransformer,
    task,
    length: int = 16,
    steps: int = 300,
    batch: int = 64,
    learning_rate: float = 5e-3,
    seed: int = 0,
    label: str | None = "training",
) -> list[float]:
    """Train `model` in place on examples of `length` tokens drawn from `seed`; return the loss of every step.

    The loss is the cross-entropy (nats) of the logits averaged over the tokens. AdamW without weight decay, 10 % of the
    steps to warm up, then a cosine down to 5 % of `learning_rate`. `label=None` shows no progress.
    Raises ValueError for counts below 1, a negative seed, a rate that is not above 0, and a length too short for the
    task.
    """
    check_count("steps", steps)
    check_count("seed", seed, least=0)
    check_positive("learning_rate", learning_rate)
    generator = Generator().manual_seed(seed)
    parameters = list(model.parameters())
    optimizer = torch.optim.AdamW(parameters, lr=learning_rate, betas=(0.9, 0.95), weight_decay=0.0, fused=True)
    warm_up = max(1, steps // 10)
    schedule = torch.optim.lr_scheduler.SequentialLR(
        optimizer,
        [
            torch.optim.lr_scheduler.LinearLR(optimizer, 1 / warm_up, total_iters=warm_up),
            torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, max(1, steps - warm_up), learning_rate / 20),
        ],
        milestones=[warm_up],
    )
    model.train()
    losses = []
    for _ in range(steps) if label is None else progress(steps, label):
        tokens, labels = task.sample(batch, length, generator)
        loss = nn.functional.cross_entropy(model(tokens).mean(dim=1), labels)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    return losses


@one_thread()
@torch.no_grad()
def accuracy(model: TinyTransformer, task, length: int, examples: int = 1000, seed: int = 1_000_000) -> float:
    """Return the share (0 to 1) of fresh examples of `length` tokens that `model` gets right.

    The default `seed` differs from those used to train, so no example was seen before by design.
    Raises ValueError for counts below 1, a negative seed, and a length too short for the task.
    """
    check_count("examples", examples)
    check_count("seed", seed, least=0)
    tokens, labels = task.sample(examples, length, Generator().manual_seed(seed))
    model.eval()
    return (model(tokens).mean(dim=1).argmax(dim=-1) == labels).float().mean().item()
