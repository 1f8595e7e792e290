"""The English text, and trainers that remember what they did."""

import pytest
from torch import Tensor

from posenc_helpers.lab import shootout
from posenc_helpers.lab.rules import Entrant
from posenc_helpers.lab.text import Text, load_text
from posenc_helpers.lab.training import Trainer


@pytest.fixture(scope="session")
def text() -> Text:
    return load_text()


@pytest.fixture(scope="session")
def entrants() -> dict[str, Entrant]:
    """The contestants of the shootout, which have been let in: asking all of them takes seconds."""
    return shootout.contestants(tuple(shootout.CONTESTANTS))


@pytest.fixture
def trainers(monkeypatch) -> list:
    """Every Trainer that is made from here on; each remembers what it was made with, its batches and losses."""
    made = []

    class Spy(Trainer):
        def __init__(self, model, *arguments):
            super().__init__(model, *arguments)
            self.arguments, self.batches, self.losses = arguments, [], []
            made.append(self)

        def step(self, tokens: Tensor, labels: Tensor) -> float:
            self.batches.append((tokens.clone(), labels.clone()))
            self.losses.append(super().step(tokens, labels))
            return self.losses[-1]

    monkeypatch.setattr(shootout, "Trainer", Spy)
    return made
