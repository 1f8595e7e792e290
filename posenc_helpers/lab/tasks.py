"""Small tasks whose right answers are known, each made to ask one thing about position.

`sample(batch, length, generator)` draws tokens (B, L) and labels, of one of two kinds:
    (B,)    one answer a text, read from the mean of a model's logits over the tokens, so that nothing but the encoding
            (or a causal mask) can tell the model where a token stands
    (B, L)  one answer a token, for causal models; NOT_ASKED where there is no right answer yet
Every task knows its `vocabulary`, its number of `classes`, the accuracy of guessing (`chance`), its `shortest` length.
A pair of tasks, one that needs order and one that must not use it: UvA Deep Learning Tutorials, no. 6 (Lippe 2022).
"""

import torch
from torch import Generator, Tensor

from posenc_helpers.checks import check_count

NOT_ASKED = -100  # the label that PyTorch's cross-entropy leaves out


class Task:
    """What all tasks share: counts are checked, then `draw` makes the examples."""

    shortest = 1

    def sample(self, batch: int, length: int, generator: Generator) -> tuple[Tensor, Tensor]:
        """Return tokens (batch, length) and labels, (batch,) or (batch, length).

        Raises ValueError for a batch below 1, a length below `shortest` or, of a text, one that it does not hold.
        """
        check_count("batch", batch)
        check_count("length", length, least=self.shortest)
        return self.draw(batch, length, generator)


class OrderTask(Task):
    """Two marks A and B stand somewhere among noise: which came first? Label 0: A, 1: B. Chance 0.5."""

    noise, first_mark, second_mark = 4, 4, 5  # tokens 0 to 3 are noise
    vocabulary, classes, chance = 6, 2, 0.5
    shortest = 2

    def draw(self, batch: int, length: int, generator: Generator) -> tuple[Tensor, Tensor]:
        tokens = torch.randint(self.noise, (batch, length), generator=generator)  # (B, L)
        places = torch.rand(batch, length, generator=generator).topk(2).indices  # (B, 2)  two different places
        tokens.scatter_(1, places, torch.tensor([self.first_mark, self.second_mark]).expand(batch, 2))
        return tokens, (places[:, 0] > places[:, 1]).long()


class GapTask(OrderTask):
    """Does B stand exactly `gap` places after A? Label 1: yes. Half of the examples are yes. Chance 0.5."""

    def __init__(self, gap: int = 3):
        check_count("gap", gap)
        self.gap, self.shortest = gap, gap + 1

    def draw(self, batch: int, length: int, generator: Generator) -> tuple[Tensor, Tensor]:
        tokens = torch.randint(self.noise, (batch, length), generator=generator)  # (B, L)
        labels = torch.randint(2, (batch,), generator=generator)  # (B,)
        distance = torch.arange(length) - torch.arange(length)[:, None]  # (L, L)  place of B minus place of A
        yes, no = (distance == self.gap).nonzero(), ((distance != self.gap) & (distance != 0)).nonzero()  # (pairs, 2)
        right, wrong = (
            pairs[torch.randint(len(pairs), (batch,), generator=generator)] for pairs in (yes, no)
        )  # (B, 2)
        places = torch.where(labels[:, None].bool(), right, wrong)  # (B, 2)
        tokens.scatter_(1, places, torch.tensor([self.first_mark, self.second_mark]).expand(batch, 2))
        return tokens, labels


class OddOneOutTask(Task):
    """All tokens are alike but one: which token is the odd one? Where it stands means nothing. Chance 1/8."""

    vocabulary, classes, chance = 8, 8, 1 / 8
    shortest = 3

    def draw(self, batch: int, length: int, generator: Generator) -> tuple[Tensor, Tensor]:
        pair = torch.rand(batch, self.vocabulary, generator=generator).topk(2).indices  # (B, 2)  two different tokens
        common, odd = pair.split(1, dim=1)  # (B, 1) each
        place = torch.randint(length, (batch, 1), generator=generator)  # (B, 1)
        return common.repeat(1, length).scatter_(1, place, odd), odd.squeeze(1)


class LagTask(Task):
    """Say at every token what stood exactly `lag` places earlier. Chance 1/8."""

    vocabulary, classes, chance = 8, 8, 1 / 8

    def __init__(self, lag: int = 2):
        check_count("lag", lag)
        self.lag, self.shortest = lag, lag + 1

    def draw(self, batch: int, length: int, generator: Generator) -> tuple[Tensor, Tensor]:
        tokens = torch.randint(self.vocabulary, (batch, length), generator=generator)  # (B, L)
        labels = torch.full_like(tokens, NOT_ASKED)
        labels[:, self.lag :] = tokens[:, : -self.lag]
        return tokens, labels


class RecallTask(Task):
    """Say at every token but the first what the first one was. Chance 1/8."""

    vocabulary, classes, chance = 8, 8, 1 / 8
    shortest = 2

    def draw(self, batch: int, length: int, generator: Generator) -> tuple[Tensor, Tensor]:
        tokens = torch.randint(self.vocabulary, (batch, length), generator=generator)  # (B, L)
        labels = tokens[:, :1].repeat(1, length)
        labels[:, 0] = NOT_ASKED
        return tokens, labels


class LanguageTask(Task):
    """Say at every character of a text what the next one is. Chance: the share of the commonest character.

    `part` (N,) is where the windows are drawn from, say `load_text().train`. Raises ValueError for a `vocabulary` that
    has no room for one of its tokens.
    """

    def __init__(self, part: Tensor, vocabulary: int):
        check_count("vocabulary", vocabulary)
        if part.max() >= vocabulary:
            raise ValueError(f"vocabulary={vocabulary} must be above the largest token of part, {part.max()}")
        self.part, self.vocabulary, self.classes = part, vocabulary, vocabulary
        self.chance = part.bincount().max().item() / len(part)

    def draw(self, batch: int, length: int, generator: Generator) -> tuple[Tensor, Tensor]:
        if length >= len(self.part):
            raise ValueError(f"length={length} must stay below the {len(self.part)} characters of the text")
        starts = torch.randint(len(self.part) - length, (batch, 1), generator=generator)  # (B, 1)
        window = self.part[starts + torch.arange(length + 1)]  # (B, L + 1)
        return window[:, :-1], window[:, 1:]
