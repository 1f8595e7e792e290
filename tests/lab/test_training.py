"""Training lowers the loss, repeats itself exactly, and leaves the global random state alone."""

import math

import pytest
import torch
from torch import Generator

from posenc_helpers.encodings import SinusoidalEncoding, T5Encoding
from posenc_helpers.lab.tasks import NOT_ASKED, OrderTask, RecallTask
from posenc_helpers.lab.training import accuracy, seeded, task_loss, train
from posenc_helpers.transformer import TinyTransformer
from tests.lab.weights import weights


def small(encoding=None, seed: int = 0) -> TinyTransformer:
    with seeded(seed):
        return TinyTransformer(6, width=16, heads=2, layers=1, encoding=encoding, causal=False, outputs=2)


def test_loss_falls_from_chance_where_the_task_can_be_learned(capsys):
    """Cross-entropy in nats: ln 2 for a guess."""
    losses = train(small(SinusoidalEncoding(16, scale=0.3)), OrderTask(), length=8, steps=100, label=None)
    assert len(losses) == 100 and all(isinstance(loss, float) for loss in losses)
    assert sum(losses[:5]) / 5 == pytest.approx(math.log(2), abs=0.15)
    assert sum(losses[-20:]) / 20 < 0.3
    assert capsys.readouterr() == ("", ""), "label=None shows no progress"


def test_the_same_seeds_give_the_same_run_and_others_another_and_nothing_touches_the_global_state():
    def run(model_seed: int = 0, seed: int = 0) -> tuple[list[float], float]:
        model = small(SinusoidalEncoding(16), model_seed)
        losses = train(model, OrderTask(), steps=6, batch=8, seed=seed, label=None)
        return losses, accuracy(model, OrderTask(), 16, examples=10)

    first = run()
    torch.manual_seed(99)
    before = torch.get_rng_state()
    assert run() == first and torch.equal(torch.get_rng_state(), before)
    assert first[0] != run(model_seed=1)[0] and first[0] != run(seed=1)[0]


@pytest.mark.parametrize("use", [train, accuracy])
@pytest.mark.parametrize("task, outputs", [(OrderTask(), 2), (RecallTask(), None)], ids=["once", "at every token"])
def test_examples_go_to_the_device_of_the_model(use, task, outputs):
    """The device "meta" stands for a GPU; it computes everything but the numbers, so the run ends where it needs one."""
    model = TinyTransformer(task.vocabulary, 16, 2, 1, causal=False, outputs=outputs).to("meta")
    seen = []
    model.register_forward_hook(lambda _, inputs, logits: seen.append((inputs[0].device, logits.device)))
    label = {"label": None} if use is train else {}
    with pytest.raises((NotImplementedError, RuntimeError), match=r"(?i)meta"):
        use(model, task, 16, 10, **label)
    assert seen and {device.type for pair in seen for device in pair} == {"meta"}


@pytest.mark.parametrize(("steps", "warm_up"), [(60, 1 / 6), (7, 0.1), (1, 0.1)])
def test_the_rate_warms_up_and_follows_a_cosine_down_to_a_twentieth(steps, warm_up, monkeypatch):
    """The encoding's is a multiple of it from the first step to the last."""
    rates = []

    class Spy(torch.optim.AdamW):
        def step(self, *arguments, **keywords):
            group, own = self.param_groups
            assert all(one["betas"] == (0.9, 0.95) and one["weight_decay"] == 0 for one in self.param_groups)
            assert own["lr"] == pytest.approx(8 * group["lr"])
            rates.append(group["lr"])
            return super().step(*arguments, **keywords)

    monkeypatch.setattr(torch.optim, "AdamW", Spy)
    train(small(T5Encoding(2)), OrderTask(), 16, steps, 2, 0.2, label=None, encoding_rate=8.0, warm_up=warm_up)
    climb = max(1, int(warm_up * steps))
    rising = [0.2 * (1 + (climb - 1) * step / climb) / climb for step in range(climb)]  # never 0
    left = max(1, steps - climb)
    falling = [0.01 + 0.19 * (1 + math.cos(math.pi * step / left)) / 2 for step in range(steps - climb)]
    assert rates == pytest.approx(rising + falling)


def test_the_encodings_rate_reaches_its_parameters_and_no_others():
    """AdamW's first step is the rate times the sign of the gradient, whatever its size."""
    moved = {}
    for rate in (1.0, 5.0):
        with seeded(1):
            model = small(T5Encoding(2))
        before = weights(model)
        train(model, OrderTask(), 9, 1, 8, 0.01, label=None, encoding_rate=rate)
        moved[rate] = {name: weight - before[name] for name, weight in weights(model).items()}
    assert [name for name in moved[1.0] if name.startswith("encoding.")] == ["encoding.table"]
    for name, change in moved[1.0].items():
        assert change.any()
        if name.startswith("encoding."):
            assert torch.allclose(moved[5.0][name], 5 * change, rtol=1e-3, atol=1e-7)
        else:
            assert torch.equal(moved[5.0][name], change)


@pytest.mark.parametrize(("size", "clipped"), [(30.0, True), (1.0, False)])
def test_gradients_longer_than_1_are_cut_to_1_all_together(monkeypatch, size, clipped):
    norms = []

    class Spy(torch.optim.AdamW):
        def step(self, *arguments, **keywords):
            every = [p.grad.flatten() for group in self.param_groups for p in group["params"]]
            norms.append(torch.cat(every).norm().item())
            return super().step(*arguments, **keywords)

    monkeypatch.setattr(torch.optim, "AdamW", Spy)
    model = small(T5Encoding(2))
    model.encoding.table.data *= 10
    model.head.weight.data *= size
    tokens, labels = OrderTask().sample(8, 9, Generator().manual_seed(0))
    task_loss(model(tokens), labels).backward()
    whole = torch.cat([p.grad.flatten() for p in model.parameters()]).norm().item()
    train(model, OrderTask(), 9, 1, 8, label=None)
    assert (whole > 1.5) if clipped else (whole < 0.9)
    assert norms == [pytest.approx(1.0 if clipped else whole, rel=1e-4)]


def test_the_loss_of_answers_at_every_token_leaves_out_those_not_asked_for():
    logits = torch.randn(3, 5, 4, generator=Generator().manual_seed(0))  # (B, L, classes)
    labels = torch.tensor([[NOT_ASKED, 0, 1, 2, 3], [NOT_ASKED, NOT_ASKED, 3, 3, 0], [NOT_ASKED] * 5])
    by_hand = [
        math.log(sum(math.exp(x) for x in scores)) - scores[label]
        for row, answers in zip(logits.double().tolist(), labels.tolist(), strict=True)
        for scores, label in zip(row, answers, strict=True)
        if label >= 0
    ]
    assert len(by_hand) == 7
    assert task_loss(logits, labels).item() == pytest.approx(sum(by_hand) / 7, rel=1e-5)
    other = torch.where(labels[..., None] < 0, 100 * logits.flip(-1), logits)
    assert torch.equal(task_loss(other, labels), task_loss(logits, labels))
    once = torch.tensor([2, 0, 3])  # one answer a text
    mean = logits.double().mean(dim=1).log_softmax(dim=-1)
    assert task_loss(logits, once).item() == pytest.approx(-sum(mean[b, k].item() for b, k in enumerate(once)) / 3)


def test_gradients_of_an_earlier_step_are_forgotten():
    clean, stale = small(SinusoidalEncoding(16)), small(SinusoidalEncoding(16))
    for weight in stale.parameters():
        weight.grad = torch.full_like(weight, 100.0)
    for model in (clean, stale):
        train(model, OrderTask(), 9, 1, 8, label=None)
    assert all(torch.equal(a, b) for a, b in zip(clean.parameters(), stale.parameters(), strict=True))


def test_the_task_is_asked_for_texts_drawn_from_the_seed():
    tokens, labels = OrderTask().sample(8, 9, Generator().manual_seed(4))
    expected = task_loss(small()(tokens), labels).item()
    assert train(small(), OrderTask(), 9, 2, 8, seed=4, label=None)[0] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("steps", "every", "called"), [(6, 3, [0, 3, 6]), (5, 3, [0, 3]), (2, 5, [0])])
def test_watch_sees_the_model_at_the_start_and_after_every_so_many_steps(steps, every, called):
    model, seen = small(), {}
    start = weights(model)
    train(
        model, OrderTask(), 9, steps, 8, label=None, every=every, watch=lambda step: seen.update({step: weights(model)})
    )
    assert list(seen) == called
    assert all(torch.equal(seen[0][name], start[name]) for name in start)
    if steps in seen:
        assert all(torch.equal(seen[steps][name], weight) for name, weight in weights(model).items())
