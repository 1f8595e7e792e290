"""Small tasks whose right answers are known, each made to ask one thing about position.

Every task draws tokens (B, L) and labels (B,) from a generator, and is read from the mean of a model's logits over the
tokens, so that nothing but the encoding (or a causal mask) can tell the model where a token stands.

The idea of a pair of tasks, one that needs order and one that must not use it, is from the UvA Deep Learning
Tutorials, no. 6 (Lippe 2022).
"""

import torch
from torch import Generator, Tensor

from posenc_helpers.encodings.checks import check_count


class OrderTask:
    """Two marks A and B stand somewhere among noise: which came first? Label 0: A, 1: B. Chance 0.5."""

    noise, first_mark, second_mark = 4, 4, 5  # tokens 0 to 3 are noise
    vocabulary, classes, chance = 6, 2, 0.5
    shortest = 2

    def sample(self, batch: int, length: int, generator: Generator) -> tuple[Tensor, Tensor]:
        """Return tokens (batch, length) and labels (batch,). Raises ValueError for a length under 2."""
        check_count("batch", batch)
        check_count("length", length, least=self.shortest)
        tokens = torch.randint(self.noise, (batch, length), generator=generator)  # (B, L)
        places = torch.rand(batch, length, generator=generator).topk(2).indices  # (B, 2)  two different places
        tokens.scatter_(1, places, torch.tensor([self.first_mark, self.second_mark]).expand(batch, 2))
        return tokens, (places[:, 0] > places[:, 1]).long()


class GapTask(OrderTask):
    """Does B stand exactly `gap` places after A? Label 1: yes. Half of the examples are yes. Chance 0.5."""

    def __init__(self, gap: int = 3):
        check_count("gap", gap)
        self.gap, self.shortest = gap, gap + 1

    def sample(self, batch: int, length: int, generator: Generator) -> tuple[Tensor, Tensor]:
        """Return tokens (batch, length) and labels (batch,). Raises ValueError for a length of `gap` or less."""
        check_count("batch", batch)
        check_count("length", length, least=self.shortest)
        tokens = torch.randint(self.noise, (batch, length), generator=generator)  # (B, L)
        labels = torch.randint(2, (batch,), generator=generator)  # (B,)
        distance = torch.arange(length) - torch.arange(length)[:, None]  # (L, L)  place of B minus place of A
        yes, no = (distance == self.gap).nonzero(), ((distance != self.gap) & (distance != 0)).nonzero()  # (pairs, 2)
        places = torch.where(
            labels[:, None].bool(), _pick(yes, batch, generator), _pick(no, batch, generator)
        )  # (B, 2)
        tokens.scatter_(1, places, torch.tensor([self.first_mark, self.second_mark]).expand(batch, 2))
        return tokens, labels


def _pick(pairs: Tensor, count: int, generator: Generator) -> Tensor:
    return pairs[torch.randint(len(pairs), (count,), generator=generator)]  # (count, 2)


class OddOneOutTask:
    """All tokens are alike but one: which token is the odd one? Where it stands means nothing. Chance 1/8."""

    vocabulary, classes, chance = 8, 8, 1 / 8
    shortest = 3

    def sample(self, batch: int, length: int, generator: Generator) -> tuple[Tensor, Tensor]:
        """Return tokens (batch, length) and labels (batch,). Raises ValueError for a length under 3."""
        check_count("batch", batch)
        check_count("length", length, least=self.shortest)
        pair = torch.rand(batch, self.vocabulary, generator=generator).topk(2).indices  # (B, 2)  two different tokens
        common, odd = pair.split(1, dim=1)  # (B, 1) each
        place = torch.randint(length, (batch, 1), generator=generator)  # (B, 1)
        return common.repeat(1, length).scatter_(1, place, odd), odd.squeeze(1)
