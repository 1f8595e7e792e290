"""Train a TinyTransformer on a task, and measure how often it is right."""

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Generator, Tensor, nn

from posenc_helpers.checks import check_count, check_positive
from posenc_helpers.encodings import PositionalEncoding
from posenc_helpers.lab.progress import progress
from posenc_helpers.lab.tasks import NOT_ASKED
from posenc_helpers.transformer import TinyTransformer

MOST_SCORES = 4_000_000  # numbers of one head's scores held at a time
_drawing = threading.RLock()


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Draw initial weights from `seed` inside the block, on the CPU, and leave PyTorch's random state as it was.

    One thread at a time, since all threads share that state: keep the block short.
    Raises TypeError or ValueError for a seed that is no integer of at least 0.
    """
    check_count("seed", seed, least=0)
    with _drawing, torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)  # torch.manual_seed would reseed every device, and restore none
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


def device_of(model: nn.Module) -> torch.device:
    """Return where the weights of `model` are."""
    return next((weights.device for weights in model.parameters()), torch.device("cpu"))


def task_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Return the cross-entropy (nats): of the logits averaged over tokens for labels (B,), of each for labels (B, L)."""
    if labels.ndim == 1:
        return nn.functional.cross_entropy(logits.mean(dim=1), labels)
    return nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=NOT_ASKED)


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
    encoding_rate: float = 1.0,
    warm_up: float = 0.1,
    watch: Callable[[int], None] | None = None,
    every: int = 50,
) -> list[float]:
    """Train `model` in place on examples of `length` tokens drawn from `seed`; return the loss (nats) of every step.

    AdamW without weight decay, gradients clipped to norm 1. The rate climbs for `warm_up` of the steps, then falls as a
    cosine to 5 % of `learning_rate`. The encoding's own parameters learn at `encoding_rate` times the rate of the others
    (a table of biases needs more than 1). `watch(step)` is called before the first step and after each `every` steps:
    for snapshots. `label=None` shows no progress.
    Raises ValueError for counts below 1, a negative seed, a rate that is not above 0, and a length too short for the
    task.
    """
    check_count("steps", steps)
    check_count("seed", seed, least=0)
    check_count("every", every)
    check_positive("learning_rate", learning_rate)
    check_positive("encoding_rate", encoding_rate)
    own = list(model.encoding.parameters())
    rest = [p for p in model.parameters() if all(p is not q for q in own)]
    groups = [{"params": rest}] + ([{"params": own, "lr": learning_rate * encoding_rate}] if own else [])
    optimizer = torch.optim.AdamW(groups, lr=learning_rate, betas=(0.9, 0.95), weight_decay=0.0, fused=True)
    climb = max(1, int(warm_up * steps))

    def share(step: int) -> float:
        if step < climb:
            return (1 + step * (1 - 1 / climb)) / climb
        return 0.05 + 0.95 * (1 + math.cos(math.pi * (step - climb) / max(1, steps - climb))) / 2

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, share)
    generator, device, losses = Generator().manual_seed(seed), device_of(model), []
    for step in progress(steps, label):
        if watch and step == 0:
            watch(0)
        model.train()
        tokens, labels = task.sample(batch, length, generator)
        loss = task_loss(model(tokens.to(device)), labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(rest + own, 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        if watch and (step + 1) % every == 0:
            watch(step + 1)
    return losses


def solver(
    task,
    encoding: PositionalEncoding,
    seed: int,
    steps: int = 300,
    layers: int = 1,
    heads: int = 2,
    encoding_rate: float = 1.0,
) -> TinyTransformer:
    """Return a causal model of width 32 trained on 16 tokens of a made-up `task`, its other weights drawn from `seed`."""
    with seeded(seed):
        model = TinyTransformer(task.vocabulary, 32, heads, layers, encoding)
    train(model, task, 16, steps, batch=32, learning_rate=1e-2, seed=seed, label=None, encoding_rate=encoding_rate)
    return model


@torch.no_grad()
def answer_logits(model: TinyTransformer, tokens: Tensor, once: bool) -> Tensor:
    """Return the logits of tokens (B, L): (B, L, V), or their mean over tokens (B, V); a few texts at a time."""
    model.eval()
    parts = tokens.to(device_of(model)).split(max(1, MOST_SCORES // tokens.shape[1] ** 2))
    return torch.cat([logits.mean(dim=1) if once else logits for logits in map(model, parts)])


@one_thread()
@torch.no_grad()
def accuracy(
    model: TinyTransformer, task, length: int, examples: int = 1000, seed: int = 1_000_000, last: int | None = None
) -> float:
    """Return the share (0 to 1) of fresh examples of `length` tokens that `model` gets right.

    Where a task asks at every token, each answer counts, or only those at the `last` tokens of each text.
    Raises ValueError for counts below 1, a negative seed, a length too short for the task, `last` above the length, and
    `last` where the task asks once a text.
    """
    check_count("examples", examples)
    check_count("seed", seed, least=0)
    tokens, labels = task.sample(examples, length, Generator().manual_seed(seed))
    labels = labels.to(device_of(model))
    once = labels.ndim == 1  # asked once a text
    if last is not None:
        if once:
            raise ValueError(f"last={last}: this task asks once a text, not at every token")
        check_count("last", last)
        if last > length:
            raise ValueError(f"last={last} exceeds length={length}")
    answers = answer_logits(model, tokens, once).argmax(dim=-1)
    if last is not None:
        answers, labels = answers[:, -last:], labels[:, -last:]
    return (answers == labels)[labels != NOT_ASKED].float().mean().item()
