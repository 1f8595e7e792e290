"""What a model answers case by case, on models whose answers are known by construction."""

import pytest
import torch
from torch import Tensor, nn

from posenc_helpers.lab.answers import auc, preference, ranking
from posenc_helpers.lab.tasks import GapTask, OrderTask
from posenc_helpers.lab.training import accuracy
from posenc_helpers.transformer import TinyTransformer
from tests.refused import refused
from tools.experiments.on_tasks import yes_by_gap


class Rule(nn.Module):
    """Answers by `prefers(place of A, place of B)`, a number above 0 for yes."""

    def __init__(self, prefers):
        super().__init__()
        self.prefers, self.head = prefers, nn.Linear(1, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        a, b = ((tokens == mark).int().argmax(dim=1) for mark in (GapTask.first_mark, GapTask.second_mark))
        yes = torch.as_tensor(self.prefers(a, b), dtype=torch.float32)
        return torch.stack([-yes / 2, yes / 2], dim=-1)[:, None].expand(-1, tokens.shape[1], -1)


def test_preference_is_the_difference_of_two_logits():
    tokens, _ = OrderTask().sample(50, 9, torch.Generator().manual_seed(0))
    a, b = ((tokens == mark).int().argmax(dim=1) for mark in (4, 5))
    assert torch.equal(preference(Rule(lambda a, b: b - a), tokens), (b - a).float())


def test_texts_too_many_for_one_pass_are_read_in_parts(monkeypatch):
    model = TinyTransformer(6, 16, 2, 1, causal=False, outputs=2)
    tokens, _ = OrderTask().sample(11, 9, torch.Generator().manual_seed(0))
    whole = preference(model, tokens)
    monkeypatch.setattr("posenc_helpers.lab.training.MOST_SCORES", 200)
    assert torch.allclose(preference(model, tokens), whole, atol=1e-6)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [([1, 2, 3, 4], 1.0), ([4, 3, 2, 1], 0.0), ([1, 3, 2, 4], 0.75), ([0, 0, 0, 0], 0.5), ([-4, -3, 7, 9], 1.0)],
)
def test_auc_counts_pairs_in_the_right_order(scores, expected):
    assert auc(torch.tensor(scores), torch.tensor([0, 0, 1, 1])) == expected


def test_auc_knows_what_accuracy_misses():
    """A model that ranks every yes above every no, and says no to all of them."""
    shy = Rule(lambda a, b: 1.0 * (b - a == 3) - 5)
    assert accuracy(shy, GapTask(), 16) < 0.6
    assert ranking(shy, GapTask(), 16) == 1.0


@pytest.mark.parametrize(
    ("knows", "prefers", "expected"),
    [
        ("nothing", lambda a, b: 0 * a, 0.5),
        ("the order alone", lambda a, b: torch.sign(b - a), 0.5),
        ("the order, the other way round", lambda a, b: torch.sign(a - b), 0.5),
        ("the distance", lambda a, b: 1.0 * (b - a == 3), 1.0),
        ("soon after, and nothing of 3", lambda a, b: torch.where(b > a, a - b, -100), 0.87),
        ("as far after as can be", lambda a, b: b - a, 0.13),
    ],
)
def test_ranking_asks_for_distance_and_not_for_order(knows, prefers, expected):
    """0.5 for whoever knows the order alone; over all texts that would be 0.76, so 0.5 would not mean "knows nothing"."""
    assert ranking(Rule(prefers), GapTask(), 32, examples=6000) == pytest.approx(expected, abs=0.03), knows


def test_answers_by_gap_and_by_place():
    near = Rule(lambda a, b: ((b - a == 3) & (a < 8)).float() - 0.5)
    assert yes_by_gap(near, range(11)) == {gap: float(gap == 3) for gap in range(1, 10)}
    assert yes_by_gap(near, range(16, 32))[3] == 0.0
    assert 0.1 < yes_by_gap(near, range(32), examples=400)[3] < 0.45  # 8 of 29 places


test_bad_input = refused(
    (lambda: auc(torch.ones(3), torch.ones(3)), "3 ones and 0 zeros"),
    (lambda: preference(TinyTransformer(8, 16, 2, 1), torch.zeros(2, 5, dtype=torch.long)), "model has 8 outputs"),
    (lambda: ranking(Rule(lambda a, b: b - a), GapTask(), 3), "length=3"),
    (lambda: ranking(Rule(lambda a, b: b), GapTask(), 16, examples=0), "examples=0"),
)
