"""Accuracy counts right: every answer or the last ones, in parts of any size; and what training and it refuse."""

import pytest
import torch
from torch import Generator, Tensor, nn

from posenc_helpers.lab import training
from posenc_helpers.lab.tasks import LagTask, LanguageTask, OrderTask
from posenc_helpers.lab.training import accuracy, train
from tests.lab.test_training import small
from tests.refused import refused


def test_accuracy_is_a_share_of_the_examples_that_the_seed_draws():
    model, examples = small(), 30
    tokens, labels = OrderTask().sample(examples, 16, Generator().manual_seed(2))
    right = sum(
        int(logits.mean(dim=0).argmax()) == label for logits, label in zip(model(tokens), labels.tolist(), strict=True)
    )
    assert accuracy(model, OrderTask(), 16, examples, seed=2) == pytest.approx(right / examples)
    assert 0 < right < examples


class Says(nn.Module):
    """A model whose best logit at every token is what `say(tokens)` (B, L) returns; remembers the batches it was given."""

    def __init__(self, say, classes: int = 8):
        super().__init__()
        self.say, self.classes, self.batches = say, classes, []

    def forward(self, tokens: Tensor) -> Tensor:
        self.batches.append(len(tokens))
        return nn.functional.one_hot(self.say(tokens), self.classes).float()


def two_back(tokens: Tensor) -> Tensor:
    """The right answer of LagTask(2) in the second half of a text; before it, what stood one back."""
    half, places = tokens.shape[1] // 2, torch.arange(tokens.shape[1])
    return torch.where(places >= half, tokens.roll(2, dims=1), tokens.roll(1, dims=1))


@pytest.mark.parametrize("last", [None, 1, 6, 7])
def test_accuracy_counts_every_answer_or_the_last_ones(last):
    """Length 12: right at tokens 6 to 11, before that by accident; tokens 0 and 1 are not asked."""
    tokens, labels = LagTask(2).sample(50, 12, Generator().manual_seed(3))
    said, right, asked = two_back(tokens).tolist(), 0, 0
    for row, answers in enumerate(labels.tolist()):
        for place in range(max(0, 12 - (last or 12)), 12):
            if answers[place] >= 0:
                asked, right = asked + 1, right + (said[row][place] == answers[place])
    measured = accuracy(Says(two_back), LagTask(2), 12, examples=50, seed=3, last=last)
    assert measured == pytest.approx(right / asked)
    assert measured == 1 if last in (1, 6) else 0.55 < measured < 1


@pytest.mark.parametrize("scores", [1, 12**2 * 7, 10**9])
@pytest.mark.parametrize("task", [OrderTask(), LanguageTask(torch.arange(400) % 7, 7)])
def test_long_texts_are_read_a_few_at_a_time_with_the_same_result(monkeypatch, scores, task):
    says = Says(lambda tokens: tokens.cumsum(dim=1) % task.classes, task.classes)
    whole = accuracy(says, task, 12, examples=50)
    assert says.batches == [50] and 0 < whole < 1
    monkeypatch.setattr(training, "MOST_SCORES", scores)
    assert accuracy(says, task, 12, examples=50) == whole
    most = max(1, min(50, scores // 12**2))
    assert max(says.batches[1:]) == most and sum(says.batches[1:]) == 50


def trained(**arguments):
    return lambda: train(
        small(), **{"task": OrderTask(), "length": 16, "steps": 2, "batch": 2, "label": None} | arguments
    )


test_bad_arguments = refused(
    (trained(steps=0), "steps=0"),
    (trained(batch=0), "batch=0"),
    (trained(length=1), "length=1 must be at least 2"),
    (trained(learning_rate=0), "learning_rate=0"),
    (trained(seed=-1), "seed=-1"),
    (trained(seed="7"), "seed='7'", TypeError),
    (trained(every=0), "every=0"),
    (trained(encoding_rate=0.0), r"encoding_rate=0\.0"),
    (lambda: accuracy(small(), OrderTask(), 16, examples=0), "examples=0"),
    (lambda: accuracy(small(), OrderTask(), 1), "length=1"),
    (lambda: accuracy(small(), OrderTask(), 16, seed="x"), "seed='x'", TypeError),
    (lambda: accuracy(small(), OrderTask(), 16, last=4), "last=4: this task asks once"),
    (lambda: accuracy(small(), LagTask(), 16, last=0), "last=0"),
    (lambda: accuracy(small(), LagTask(), 16, last=17), "last=17 exceeds length="),
)
