"""Training lowers the loss, repeats itself exactly, and leaves the global random state alone; accuracy counts right."""

import math
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import Generator, Tensor, nn

from posenc_helpers.encodings import LearnedEncoding, SinusoidalEncoding, T5Encoding
from posenc_helpers.lab import training
from posenc_helpers.lab.tasks import NOT_ASKED, LagTask, LanguageTask, OrderTask, RecallTask
from posenc_helpers.lab.training import Trainer, accuracy, one_thread, seeded, task_loss, train
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


def test_seeded_draws_the_same_in_many_threads_at_once():
    """They share one generator: without a lock, a seventh of such draws differed."""

    def draw(seed):
        with seeded(seed):
            return [torch.rand(50).sum().item() for _ in range(20)]

    alone = [draw(seed) for seed in range(40)]
    with ThreadPoolExecutor(8) as executor:
        assert list(executor.map(draw, range(40))) == alone


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


@pytest.mark.parametrize("device", ["cuda", "xpu", "mps"])
def test_seeded_leaves_the_generators_of_other_devices_alone(device, monkeypatch):
    """Not put back afterwards, but never touched: a seed for a device that is not there would wait until it is."""
    touched, kind = [], getattr(torch, device)
    for name in ("manual_seed", "manual_seed_all"):
        if hasattr(kind, name):
            monkeypatch.setattr(kind, name, lambda *_, name=name: touched.append(name))
    with seeded(3):
        torch.rand(1)
    assert touched == []


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


@pytest.mark.parametrize(("steps", "warm_up"), [(100, 0.1), (7, 0.1), (1, 0.1), (60, 1 / 6), (13, 0.5)])
def test_the_rate_warms_up_and_follows_a_cosine_down_to_a_twentieth(steps, warm_up, monkeypatch):
    """The encoding's is a multiple of it from the first step to the last."""
    rates = []

    class Spy(torch.optim.AdamW):
        def step(self, *arguments, **keywords):
            group, own = self.param_groups
            assert group["betas"] == (0.9, 0.95) and group["weight_decay"] == 0
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


# ----------------------------------------------------------------------------------------------------------- trainer


def weights(model: nn.Module) -> dict[str, Tensor]:
    return {name: weight.detach().clone() for name, weight in model.named_parameters()}


def batches(count: int, batch: int = 8, length: int = 9) -> list[tuple[Tensor, Tensor]]:
    generator = Generator().manual_seed(0)
    return [OrderTask().sample(batch, length, generator) for _ in range(count)]


@pytest.mark.parametrize("encoding", [lambda: T5Encoding(2), lambda: LearnedEncoding(16, 9)], ids=["t5", "learned"])
def test_the_encodings_rate_reaches_its_parameters_and_no_others(encoding):
    """AdamW's first step is the rate times the sign of the gradient, whatever its size."""
    moved = {}
    for rate in (1.0, 5.0):
        with seeded(1):
            model = small(encoding())
        before = weights(model)
        Trainer(model, 10, learning_rate=0.01, encoding_rate=rate).step(*batches(1)[0])
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
    model = small(T5Encoding(2, scale=10.0))
    model.head.weight.data *= size
    tokens, labels = batches(1)[0]
    task_loss(model(tokens), labels).backward()
    whole = torch.cat([p.grad.flatten() for p in model.parameters()]).norm().item()
    Trainer(model, 10).step(tokens, labels)
    assert (whole > 1.5) if clipped else (whole < 0.9)
    assert norms == [pytest.approx(1.0 if clipped else whole, rel=1e-4)]


def test_what_gets_no_gradient_does_not_move_by_a_bit():
    """No weight decay: rows of positions and tokens that never occur keep their random start."""
    with seeded(0):
        model = TinyTransformer(9, 16, 2, 1, LearnedEncoding(16, 40, std=0.3), causal=False, outputs=2)
    before = weights(model)
    train(model, OrderTask(), length=12, steps=20, batch=8, label=None)
    after = weights(model)
    table, embedding = "encoding.table", "embedding.weight"
    for name, used in ((table, 12), (embedding, 6)):
        assert torch.equal(after[name][used:], before[name][used:])
        assert ((after[name][:used] - before[name][:used]).abs() > 1e-3).any(dim=1).all()


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
        Trainer(model, 10).step(*batches(1)[0])
    assert all(torch.equal(a, b) for a, b in zip(clean.parameters(), stale.parameters(), strict=True))


def test_train_is_a_trainer_fed_by_the_task():
    model, same = small(T5Encoding(2)), small(T5Encoding(2))
    same.load_state_dict(model.state_dict())
    losses = train(model, OrderTask(), 9, 6, 8, learning_rate=0.02, label=None, encoding_rate=3.0)
    trainer = Trainer(same, 6, 0.02, encoding_rate=3.0)
    assert losses == [trainer.step(tokens, labels) for tokens, labels in batches(6)]
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), same.parameters(), strict=True))


@pytest.mark.parametrize(("steps", "every", "called"), [(9, 3, [0, 3, 6, 9]), (8, 3, [0, 3, 6]), (2, 5, [0])])
def test_watch_sees_the_model_at_the_start_and_after_every_so_many_steps(steps, every, called):
    model, seen = small(), {}
    start = weights(model)
    train(
        model, OrderTask(), 9, steps, 8, label=None, every=every, watch=lambda step: seen.update({step: weights(model)})
    )
    assert list(seen) == called
    assert all(torch.equal(seen[0][name], start[name]) for name in start)
    by_hand = small()
    trainer = Trainer(by_hand, steps)
    for step, (tokens, labels) in enumerate(batches(steps), start=1):
        trainer.step(tokens, labels)
        if step in seen:
            assert all(torch.equal(seen[step][name], weight) for name, weight in weights(by_hand).items())


def test_answers_at_every_token_are_learned():
    with seeded(0):
        task, encoding = LagTask(2), T5Encoding(2, num_buckets=16, max_distance=16, bidirectional=False)
        model = TinyTransformer(8, 32, 2, 1, encoding)
    losses = train(model, task, 8, 120, 32, 1e-2, label=None, encoding_rate=8.0)
    assert sum(losses[:3]) / 3 == pytest.approx(math.log(8), abs=0.3)
    assert losses[-1] < 0.5 and accuracy(model, task, 8, 100) > 0.9


@pytest.mark.parametrize("label", [None, "learning"])
def test_progress_is_shown_under_its_label_or_not_at_all(label, capsys):
    train(small(), OrderTask(), steps=2, batch=2, label=label)
    out, err = capsys.readouterr()
    assert out == "" and (err == "" if label is None else err.startswith("learning: done, 2 steps"))


# ---------------------------------------------------------------------------------------------------------- accuracy


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


@pytest.mark.parametrize("last", [None, 1, 4, 6, 7, 12])
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
    assert measured == 1 if last in (1, 4, 6) else 0.55 < measured < 1


@pytest.mark.parametrize("scores", [1, 12**2 * 7, 12**2 * 50, 10**9])
@pytest.mark.parametrize("task", [LagTask(2), OrderTask(), LanguageTask(torch.arange(400) % 7, 7)])
def test_long_texts_are_read_a_few_at_a_time_with_the_same_result(monkeypatch, scores, task):
    says = Says(lambda tokens: tokens.cumsum(dim=1) % task.classes, task.classes)
    whole = accuracy(says, task, 12, examples=50)
    assert says.batches == [50] and 0 < whole < 1
    monkeypatch.setattr(training, "MOST_SCORES", scores)
    assert accuracy(says, task, 12, examples=50) == whole
    most = max(1, min(50, scores // 12**2))
    assert max(says.batches[1:]) == most and sum(says.batches[1:]) == 50


# --------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"steps": 0}, ValueError, "steps=0"),
        ({"batch": 0}, ValueError, "batch=0"),
        ({"length": 1}, ValueError, "length=1 must be at least 2"),
        ({"learning_rate": 0}, ValueError, "learning_rate=0"),
        ({"seed": -1}, ValueError, "seed=-1"),
        ({"every": 0}, ValueError, "every=0"),
        ({"encoding_rate": 0.0}, ValueError, r"encoding_rate=0\.0"),
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
        ({"length": 1}, ValueError, "length=1"),
        ({"seed": "x"}, TypeError, "seed='x'"),
        ({"last": 4}, ValueError, "last=4: this task asks once"),
        ({"task": LagTask(), "last": 0}, ValueError, "last=0"),
        ({"task": LagTask(), "last": 17}, ValueError, "last=17 exceeds length="),
    ],
)
def test_bad_arguments_of_accuracy(arguments, error, message):
    with pytest.raises(error, match=message):
        accuracy(small(), **{"task": OrderTask(), "length": 16, **arguments})


def test_bad_seed_of_seeded():
    with pytest.raises(TypeError, match="seed='7'"), seeded("7"):
        pass
