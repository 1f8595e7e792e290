"""Training lowers the loss, repeats itself exactly, and leaves the global random state alone; accuracy counts right."""

import math

import pytest
import torch
from torch import Generator, Tensor, nn

from posenc_helpers.encodings import SinusoidalEncoding
from posenc_helpers.lab.tasks import OddOneOutTask, OrderTask
from posenc_helpers.lab.training import accuracy, one_thread, seeded, train
from posenc_helpers.transformer import TinyTransformer


def small(encoding=None, seed: int = 0) -> TinyTransformer:
    with seeded(seed):
        return TinyTransformer(6, width=16, heads=2, layers=1, encoding=encoding, causal=False, outputs=2)


def test_loss_falls_from_chance_where_the_task_can_be_learned():
    """Cross-entropy in nats: ln 2 for a guess. Without positions there is nothing to learn, and it stays there."""
    losses = train(small(SinusoidalEncoding(16, scale=0.3)), OrderTask(), length=8, steps=120, label=None)
    assert len(losses) == 120 and all(isinstance(loss, float) for loss in losses)
    assert sum(losses[:5]) / 5 == pytest.approx(math.log(2), abs=0.15)
    assert sum(losses[-20:]) / 20 < 0.3
    blind = train(small(), OrderTask(), length=8, steps=60, label=None)
    assert sum(blind[-20:]) / 20 == pytest.approx(math.log(2), abs=0.05)


def test_the_first_loss_is_the_cross_entropy_of_the_mean_logits():
    model = small(SinusoidalEncoding(16))
    tokens, labels = OrderTask().sample(7, 9, Generator().manual_seed(5))
    log_odds = model(tokens).mean(dim=1).log_softmax(dim=-1)
    expected = -sum(log_odds[row, label].item() for row, label in enumerate(labels.tolist())) / 7
    assert train(model, OrderTask(), length=9, steps=1, batch=7, seed=5, label=None) == [pytest.approx(expected)]


def test_the_same_seeds_give_the_same_run_and_others_another():
    def run(model_seed: int = 0, seed: int = 0) -> tuple[list[float], Tensor]:
        model = small(SinusoidalEncoding(16), model_seed)
        losses = train(model, OrderTask(), steps=12, batch=8, seed=seed, label=None)
        return losses, nn.utils.parameters_to_vector(model.parameters()).detach()

    losses, weights = run()
    torch.manual_seed(99)
    again, same_weights = run()
    assert losses == again and torch.equal(weights, same_weights)
    for other in (run(model_seed=1), run(seed=1)):
        assert losses != other[0] and not torch.equal(weights, other[1])


def test_nothing_touches_the_global_random_state():
    before = torch.get_rng_state()
    model = small()
    train(model, OrderTask(), steps=2, label=None)
    accuracy(model, OrderTask(), 16, examples=10)
    assert torch.equal(torch.get_rng_state(), before)


def test_training_runs_on_one_thread_and_puts_their_number_back():
    seen = []

    class Counting(OrderTask):
        def sample(self, *arguments):
            seen.append(torch.get_num_threads())
            return super().sample(*arguments)

    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        model = small()
        train(model, Counting(), steps=2, batch=2, label=None)
        accuracy(model, Counting(), 16, examples=2)
        with pytest.raises(RuntimeError, match="inside"), one_thread():
            assert torch.get_num_threads() == 1
            raise RuntimeError("inside")
        assert seen == [1, 1, 1] and torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


def test_seeded_draws_from_its_seed_and_puts_the_state_back_after_an_error_too():
    before = torch.get_rng_state()
    with seeded(7):
        first = torch.randn(3)
        with seeded(8):
            other = torch.randn(3)
        second = torch.randn(3)
    assert torch.equal(torch.get_rng_state(), before)
    with seeded(7):
        assert torch.equal(torch.cat([first, second]), torch.cat([torch.randn(3), torch.randn(3)]))
    assert not torch.equal(first, other)
    with pytest.raises(RuntimeError, match="inside"), seeded(7):
        torch.randn(3)
        raise RuntimeError("inside")
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("steps", [100, 7, 1])
def test_the_rate_warms_up_and_follows_a_cosine_down_to_a_twentieth(steps, monkeypatch):
    rates = []

    class Spy(torch.optim.AdamW):
        def step(self, *arguments, **keywords):
            (group,) = self.param_groups
            assert group["betas"] == (0.9, 0.95) and group["weight_decay"] == 0
            rates.append(group["lr"])
            return super().step(*arguments, **keywords)

    monkeypatch.setattr(torch.optim, "AdamW", Spy)
    train(small(), OrderTask(), steps=steps, batch=2, learning_rate=0.2, label=None)
    warm_up = max(1, steps // 10)
    rising = [0.2 * (1 + (warm_up - 1) * step / warm_up) / warm_up for step in range(warm_up)]
    left = max(1, steps - warm_up)
    falling = [0.01 + 0.19 * (1 + math.cos(math.pi * step / left)) / 2 for step in range(steps - warm_up)]
    assert rates == pytest.approx(rising + falling)


@pytest.mark.parametrize("label", [None, "learning"])
def test_progress_is_shown_under_its_label_or_not_at_all(label, capsys):
    train(small(), OrderTask(), steps=2, batch=2, label=label)
    out, err = capsys.readouterr()
    assert out == "" and (err == "" if label is None else err.startswith("learning: done, 2 steps"))


# ---------------------------------------------------------------------------------------------------------- accuracy


class Oracle(nn.Module):
    """Knows which mark came first: its logits, averaged over the tokens, prefer the label that `say` makes of it."""

    def __init__(self, say):
        super().__init__()
        self.say = say

    def forward(self, tokens: Tensor) -> Tensor:
        first, second = (tokens == 4).long().argmax(dim=1), (tokens == 5).long().argmax(dim=1)
        logits = torch.zeros(*tokens.shape, 2)
        logits[:, 0] = nn.functional.one_hot(self.say((second < first).long()), 2).float()  # in one token alone
        return logits


@pytest.mark.parametrize("length", [2, 16, 31])
def test_accuracy_of_models_that_are_always_right_and_always_wrong(length):
    assert accuracy(Oracle(lambda label: label), OrderTask(), length) == 1
    assert accuracy(Oracle(lambda label: 1 - label), OrderTask(), length) == 0


def test_accuracy_of_blind_models_is_chance():
    for blind in (lambda label: torch.zeros_like(label), lambda label: torch.ones_like(label)):
        assert accuracy(Oracle(blind), OrderTask(), 16, examples=4000) == pytest.approx(0.5, abs=0.04)

    def one_class(tokens: Tensor) -> Tensor:
        return torch.eye(8)[3].expand(*tokens.shape, 8)

    constant = Oracle(None)
    constant.forward = one_class
    assert accuracy(constant, OddOneOutTask(), 16, examples=4000) == pytest.approx(1 / 8, abs=0.03)


def test_accuracy_is_a_share_of_the_examples_that_the_seed_draws():
    model, examples = small(), 30
    tokens, labels = OrderTask().sample(examples, 16, Generator().manual_seed(2))
    right = sum(
        int(logits.mean(dim=0).argmax()) == label for logits, label in zip(model(tokens), labels.tolist(), strict=True)
    )
    assert accuracy(model, OrderTask(), 16, examples, seed=2) == pytest.approx(right / examples)
    assert 0 < right < examples


# --------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"steps": 0}, ValueError, "steps=0"),
        ({"steps": 2.5}, TypeError, r"steps=2\.5"),
        ({"batch": 0}, ValueError, "batch=0"),
        ({"batch": "8"}, TypeError, "batch='8'"),
        ({"length": 1}, ValueError, "length=1 must be at least 2"),
        ({"length": None}, TypeError, "length=None"),
        ({"learning_rate": 0}, ValueError, "learning_rate=0"),
        ({"learning_rate": float("nan")}, ValueError, "learning_rate=nan"),
        ({"learning_rate": "fast"}, TypeError, "learning_rate='fast'"),
        ({"seed": 1.5}, TypeError, r"seed=1\.5"),
        ({"seed": -1}, ValueError, "seed=-1"),
    ],
)
def test_bad_arguments_of_train(arguments, error, message):
    model = small()
    before = nn.utils.parameters_to_vector(model.parameters()).clone()
    with pytest.raises(error, match=message):
        train(model, OrderTask(), **{"steps": 2, "batch": 2, "label": None, **arguments})
    assert torch.equal(nn.utils.parameters_to_vector(model.parameters()), before)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"examples": 0}, ValueError, "examples=0"),
        ({"examples": 10.0}, TypeError, r"examples=10\.0"),
        ({"length": 1}, ValueError, "length=1"),
        ({"seed": "x"}, TypeError, "seed='x'"),
    ],
)
def test_bad_arguments_of_accuracy(arguments, error, message):
    with pytest.raises(error, match=message):
        accuracy(small(), OrderTask(), **{"length": 16, **arguments})


def test_bad_seed_of_seeded():
    with pytest.raises(TypeError, match="seed='7'"), seeded("7"):
        pass
