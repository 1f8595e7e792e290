"""Text to read: English that comes with Python, so that nothing is downloaded, and yardsticks for how predictable it is.

The text is what `help("for")` and its like print (`pydoc_data.topics`), in 29 characters: a to z, space, full stop, comma.
Each paragraph is kept once: of the windows of 33 characters in the test text, 2.0 % stand in the training text, too (of
129, none). It differs a little between versions of Python.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from posenc_helpers.checks import check_choice, check_count

SYMBOLS = " abcdefghijklmnopqrstuvwxyz.,"
BLOCKS = 10  # the text is cut into so many blocks, and each of them 8 : 1 : 1
PRIOR = 3.0  # characters: by how much counting leans on the next shorter context


@dataclass(frozen=True)
class Text:
    """Characters as integers: three parts (N,) without a common paragraph, to train on, to choose by, and to report on."""

    name: str
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
    """Return the English of Python's help pages, each paragraph once."""
    from pydoc_data.topics import topics  # here, since it is large

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


def ngram_losses(text: Text, orders: Sequence[int] = (1, 2, 3, 4), part: str = "test") -> dict[int, float]:
    """Return the loss (nats a character) of counting: {1: ignoring all context, 2: knowing one character before ...}.

    Counts come from text.train. Each order leans on the next lower one as if on three characters seen:
    p_n(x | context) = (count(context, x) + 3 p_(n-1)(x)) / (count(context) + 3).
    Raises ValueError for no orders or one that is not 1 to 5, and for an unknown part.
    """
    if not orders:
        raise ValueError(f"orders={orders} must hold at least one order")
    check_choice("part", part, ("train", "validation", "test"))
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
        fresh = (together[asked] + PRIOR * lower) / (alone[asked // text.vocabulary] + PRIOR)  # (N - n + 1,)
        probability = torch.cat([probability[: order - 1], fresh])
        if order in orders:
            found[order] = -probability[longest - 1 :].log().mean().item()  # all orders on the same characters
    return found


def _grams(tokens: Tensor, order: int, vocabulary: int) -> Tensor:
    """Return every run of `order` characters (N - order + 1,) as one number."""
    runs = tokens.unfold(0, order, 1)  # (N - order + 1, order)
    return (runs * vocabulary ** torch.arange(order - 1, -1, -1)).sum(dim=1)
