"""Text to read: English that comes with Python, so that nothing is downloaded, and yardsticks for how predictable it is.

The text is what `help("for")` and its like print (`pydoc_data.topics`), in 29 characters: a to z, space, full stop, comma.
A fifth of it repeats what is printed under another topic; each paragraph is kept once, so that a model is tested on hardly
anything that it was trained on: of the windows of 33 characters in the test text, 2.0 % stand in the training text too (set
phrases; of 129, none). It differs a little between versions of Python.
"""

import importlib
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from posenc_helpers.checks import check_count, check_positive

SYMBOLS = " abcdefghijklmnopqrstuvwxyz.,"
BLOCKS = 10  # the text is cut into so many blocks, and each of them 8 : 1 : 1
NO_ENGLISH = (
    "This Python comes without the English of its help pages (pydoc_data.topics), so a generated language takes its place: "
    "it behaves alike, but the losses differ from those in the text of the notebooks."
)


@dataclass(frozen=True)
class Text:
    """Characters as integers: three parts (N,) without a common paragraph, to train on, to choose by, and to report on."""

    name: str  # "English" or "generated"
    train: Tensor
    validation: Tensor
    test: Tensor
    symbols: str = SYMBOLS

    @property
    def vocabulary(self) -> int:
        return len(self.symbols)

    def decode(self, tokens: Tensor) -> str:
        """Return the characters of tokens (N,) as a string."""
        return "".join(self.symbols[token] for token in tokens.tolist())


def load_text() -> Text:
    """Return the English of Python's help pages; where this Python has none, `generated` and a warning that says so."""
    try:
        return english()
    except ModuleNotFoundError:
        warnings.warn(NO_ENGLISH, stacklevel=2)
        return generated()


def english() -> Text:
    """Return the English text, each paragraph once. Raises ModuleNotFoundError where Python comes without it."""
    topics = importlib.import_module("pydoc_data.topics").topics
    paragraphs = (_clean(p) for topic in sorted(topics) for p in re.split(r"\n\s*\n", topics[topic]))
    once = dict.fromkeys(p for p in paragraphs if len(p) >= 40)  # shorter ones are headings and single lines of code
    number = {symbol: token for token, symbol in enumerate(SYMBOLS)}
    return _split("English", torch.tensor([number[symbol] for symbol in " ".join(once)]))


def _clean(paragraph: str) -> str:
    return " ".join(re.sub("[^a-z., ]", " ", paragraph.lower()).split())


def _split(name: str, tokens: Tensor) -> Text:
    """Cut tokens (N,) into train, validation and test, each spread over the whole text: it changes as it goes on."""
    parts: list[list[Tensor]] = [[], [], []]
    for block in tokens.chunk(BLOCKS):
        tenth = len(block) // 10
        for part, piece in zip(parts, block.split([len(block) - 2 * tenth, tenth, tenth]), strict=True):
            part.append(piece)
    return Text(name, *(torch.cat(part) for part in parts))


def generated(characters: int = 300_000, seed: int = 0) -> Text:
    """Return a text drawn from a log-linear language: the next character depends on the last, second and fourth last.

    logits(x_t) = A1[x_(t-1)] + A2[x_(t-2)] + A4[x_(t-4)] + topic, with four topics that change every 60 characters or so.
    Raises ValueError for fewer than 10,000 characters and for a negative seed.
    """
    check_count("characters", characters, least=10_000)
    check_count("seed", seed, least=0)
    generator = Generator().manual_seed(seed)
    size, streams = len(SYMBOLS), 500  # drawn side by side, then laid end to end
    one, two, four = 1.5 * torch.randn(3, size, size, generator=generator)  # (V, V) each
    topics = torch.randn(4, size, generator=generator)
    x = torch.randint(size, (streams, 4), generator=generator)
    topic = torch.randint(4, (streams,), generator=generator)
    drawn = []
    for _ in range(-(-characters // streams)):
        fresh = torch.randint(4, (streams,), generator=generator)
        topic = torch.where(torch.rand(streams, generator=generator) < 1 / 60, fresh, topic)
        logits = one[x[:, -1]] + two[x[:, -2]] + four[x[:, -4]] + topics[topic]  # (streams, V)
        drawn.append(torch.multinomial(logits.softmax(dim=-1), 1, generator=generator))
        x = torch.cat([x[:, 1:], drawn[-1]], dim=1)
    return _split("generated", torch.cat(drawn, dim=1).flatten()[:characters])


def cut_windows(part: Tensor, length: int, count: int) -> Tensor:
    """Return `count` windows (count, length) of a part (N,), spread evenly over it; they overlap where it is short.

    Raises ValueError for counts below 1 and a part shorter than one window.
    """
    check_count("length", length)
    check_count("count", count)
    if length > len(part):
        raise ValueError(f"length={length} exceeds the {len(part)} characters of part")
    starts = torch.linspace(0, len(part) - length, count).long()  # (count,)
    return part[starts[:, None] + torch.arange(length)]


def ngram_losses(
    text: Text, orders: Sequence[int] = (1, 2, 3, 4), part: str = "test", prior: float = 3.0
) -> dict[int, float]:
    """Return the loss (nats a character) of counting: {1: ignoring all context, 2: knowing one character before ...}.

    Counts come from text.train. Each order leans on the next lower one as if on `prior` characters seen:
    p_n(x | context) = (count(context, x) + prior * p_(n-1)(x)) / (count(context) + prior).
    Raises ValueError for no orders or one that is not 1 to 5, an unknown part, a prior that is not above 0.
    """
    if not orders:
        raise ValueError(f"orders={orders} must hold at least one order")
    check_positive("prior", prior)
    if part not in ("train", "validation", "test"):
        raise ValueError(f"part={part!r}; allowed: 'train', 'validation', 'test'")
    for order in orders:
        check_count("order", order)
        if order > 5:
            raise ValueError(f"order={order}; allowed: 1 to 5, since counts take 29^order numbers")
    read = getattr(text, part)
    longest, found = max(orders), {}
    probability = torch.full((len(read),), 1 / text.vocabulary, dtype=torch.float64)
    for order in range(1, longest + 1):
        seen, asked = _grams(text.train, order, text.vocabulary), _grams(read, order, text.vocabulary)
        together = torch.bincount(seen, minlength=text.vocabulary**order)  # (V^n,)
        alone = together.unflatten(0, (-1, text.vocabulary)).sum(dim=1)  # (V^(n-1),)
        lower = probability[order - 1 :]  # (N - n + 1,)
        fresh = (together[asked] + prior * lower) / (alone[asked // text.vocabulary] + prior)  # (N - n + 1,)
        probability = torch.cat([probability[: order - 1], fresh])
        if order in orders:
            found[order] = -probability[longest - 1 :].log().mean().item()  # all orders on the same characters
    return found


def _grams(tokens: Tensor, order: int, vocabulary: int) -> Tensor:
    """Return every run of `order` characters (N - order + 1,) as one number."""
    runs = tokens.unfold(0, order, 1)  # (N - order + 1, order)
    return (runs * vocabulary ** torch.arange(order - 1, -1, -1)).sum(dim=1)
