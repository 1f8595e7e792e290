"""The referee is fair: same first weights, same batches, nobody's result depends on who else takes part."""

import threading
from itertools import count, pairwise
from statistics import mean
from types import SimpleNamespace

import pytest
import torch
from torch import Generator, Tensor, nn

from posenc_helpers.encodings import LearnedEncoding, PerLayer, PositionalEncoding, RotaryEncoding, T5Encoding
from posenc_helpers.lab import shootout as referee
from posenc_helpers.lab.evaluation import loss_by_position
from posenc_helpers.lab.shootout import (
    BATCH,
    CONTESTANTS,
    FAR,
    HEADS,
    TRAINED,
    WIDTH,
    Contestant,
    Row,
    contestants,
    fresh_encoding,
    reader,
    shootout,
    train_readers,
)
from posenc_helpers.lab.tasks import LanguageTask
from posenc_helpers.lab.text import Text, english
from posenc_helpers.lab.training import Trainer
from tests.encodings.wrong_encodings import Looked, Sliced


@pytest.fixture(scope="module")
def text() -> Text:
    return english()


def others(model: nn.Module) -> dict[str, torch.Tensor]:
    """Return the weights that are not the encoding's."""
    return {name: weight.detach().clone() for name, weight in model.state_dict().items() if "encoding" not in name}


def same(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


# ------------------------------------------------------------------------------------------------------ how it starts


def test_all_start_from_the_same_weights_and_another_seed_from_others():
    def started(name: str, seed: int) -> dict[str, torch.Tensor]:
        return others(reader(fresh_encoding(CONTESTANTS[name], WIDTH, HEADS, FAR, seed), 29, seed))

    first = started("nope", 0)
    assert len(first) == 2 + 2 * 6  # embedding, head; per layer qkv, out, two weights and two biases of feed-forward
    for name in CONTESTANTS:
        assert same(started(name, 0), first), name
        assert not same(started(name, 1), first), name


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_no_row_of_a_table_starts_as_a_multiple_of_an_embedding(seed):
    """Drawn from the seed of the model, position 32 was 0.5 times "c"; cosines of 64 random numbers stay below 0.65."""
    encoding = fresh_encoding(CONTESTANTS["learned"], WIDTH, HEADS, FAR, seed)
    embedding = reader(encoding, 29, seed).embedding.weight
    alike = nn.functional.cosine_similarity(encoding.table[:, None], embedding, dim=-1)  # (512, 29)
    assert alike.abs().max() < 0.65
    again = fresh_encoding(CONTESTANTS["learned"], WIDTH, HEADS, FAR, seed)
    other = fresh_encoding(CONTESTANTS["learned"], WIDTH, HEADS, FAR, seed + 1)
    assert torch.equal(encoding.table, again.table) and not torch.equal(encoding.table, other.table)


def test_two_of_them_differ_in_their_rate_alone():
    tables = [fresh_encoding(CONTESTANTS[name], WIDTH, HEADS, FAR, 0).table for name in ("t5", "t5 x8")]
    assert torch.equal(*tables)
    assert {name: entry.rate for name, entry in CONTESTANTS.items() if entry.rate != 1} == {"t5 x8": 8.0}


# ------------------------------------------------------------------------------------------------------- how it trains


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

    monkeypatch.setattr(referee, "Trainer", Spy)
    return made


def test_all_learn_from_the_same_batches_of_the_training_text(text, trainers):
    train_readers(list(CONTESTANTS), seed=3, steps=2, text=text, label=None)
    task, generator = LanguageTask(text.train, 29), Generator().manual_seed(3)
    expected = [task.sample(BATCH, TRAINED, generator) for _ in range(2)]
    assert len(trainers) == len(CONTESTANTS) and expected[0][0].shape == (32, 32)
    for trainer in trainers:
        for (tokens, labels), (same_tokens, same_labels) in zip(trainer.batches, expected, strict=True):
            assert torch.equal(tokens, same_tokens) and torch.equal(labels, same_labels)


def test_all_have_the_same_budget_but_for_their_own_rate(text, trainers):
    train_readers(list(CONTESTANTS), steps=1, text=text, label=None)
    for (name, entry), trainer in zip(CONTESTANTS.items(), trainers, strict=True):
        assert trainer.arguments == (1, 1e-2, entry.rate, 1 / 6), name
    train_readers({"mine": Contestant(CONTESTANTS["rope"].build, 3.0)}, 0, 1, text, None, None, learning_rate=0.5)
    assert trainers[-1].arguments == (1, 0.5, 3.0, 1 / 6)


def test_nobodys_result_depends_on_who_else_takes_part(text):
    """Bit for bit."""
    together = train_readers(["learned", "rope", "t5 x8"], seed=1, steps=4, text=text, label=None)
    assert list(together) == ["learned", "rope", "t5 x8"]
    for name in ("t5 x8", "learned", "rope"):
        alone = train_readers([name], seed=1, steps=4, text=text, label=None)[name]
        assert same(alone.state_dict(), together[name].state_dict()), name


def test_all_cores_give_the_bits_of_one(text, monkeypatch):
    def run() -> list[Row]:
        return shootout(["learned", "rope", "t5 x8"], [1], 25, text, length=64, windows=2, label=None)

    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    alone = run()
    for cores in ("2", "5"):
        monkeypatch.setenv("OMP_NUM_THREADS", cores)
        assert run() == alone


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_nothing_runs_on_when_it_is_interrupted(text, trainers, monkeypatch, clock, error):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    clock(2.0)

    def interrupt(rows):
        raise error

    running, threads = threading.active_count(), torch.get_num_threads()
    with pytest.raises(error):
        train_readers(["nope", "rope", "alibi"], 0, 1000, text, interrupt, label=None)
    assert threading.active_count() == running and torch.get_num_threads() == threads
    assert max(len(trainer.losses) for trainer in trainers) < 100


def test_the_seed_decides_and_nothing_else(text):
    def trained(seed: int) -> dict[str, Tensor]:
        return train_readers(["learned"], seed, 2, text, label=None)["learned"].state_dict()

    before = torch.get_rng_state()
    first = trained(0)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(99)
    again, other = trained(0), trained(1)
    torch.set_rng_state(before)
    assert same(first, again)
    assert not any(torch.equal(first[name], other[name]) for name in first)


def test_contestants_of_your_own(text, trainers):
    """A dict: this one is NoPE by another name, and ends up where NoPE does."""
    asked = []

    def build(width: int, heads: int, length: int) -> PositionalEncoding:
        asked.append((width, heads, length))
        return PositionalEncoding()

    rows = shootout({"mine": Contestant(build)}, steps=2, text=text, length=40, windows=3, label=None)
    assert set(asked) == {(64, 4, 512)}
    expected = shootout(["nope"], steps=2, text=text, length=40, windows=3, label=None)
    assert rows == [row._replace(encoding="mine") for row in expected]


@pytest.mark.parametrize("end", [32, 50])
def test_a_table_is_read_out_to_its_end_on_the_windows_of_all_others(text, end):
    def build(width: int, heads: int, length: int) -> PositionalEncoding:
        return Looked(width, end)

    rows = shootout({"rope": CONTESTANTS["rope"], "mine": build}, steps=2, text=text, length=60, windows=3, label=None)
    mine = [row for row in rows if row.encoding == "mine"]
    assert [row.position for row in mine] == list(range(end)) and len(rows) == 60 + end
    model = train_readers({"mine": build}, steps=2, text=text, label=None)["mine"]
    rows_of_mine = model.encoding.table.data
    model.encoding = LearnedEncoding(WIDTH, 60)  # the same rows, and any others behind them
    model.encoding.table.data[:end] = rows_of_mine
    whole = loss_by_position(model, text.test, 60, 3)
    assert [row.loss for row in mine] == pytest.approx(whole[:end].tolist(), rel=1e-5)


def test_what_ignores_positions_is_told_once_before_training(text, trainers, capsys):
    shootout({"nope": CONTESTANTS["nope"], "mine": Sliced}, [0, 1], 1, text, length=33, windows=1, label=None)
    out = capsys.readouterr().out
    assert out.startswith("mine: it ignores `positions` and counts tokens where they are stored; ")
    assert out.count("\n") == 1


# ----------------------------------------------------------------------------------------------------- what it returns


def test_rows_are_the_losses_of_every_seed_encoding_and_position(text):
    rows = shootout(["rope", "nope"], seeds=[4, 2], steps=2, text=text, length=40, windows=3, label=None)
    expected = []
    for seed in (4, 2):
        models = train_readers(["rope", "nope"], seed, 2, text, label=None)
        for name in ("rope", "nope"):
            losses = loss_by_position(models[name], text.test, 40, 3).tolist()
            expected += [Row(name, seed, position, loss) for position, loss in enumerate(losses)]
    assert rows == expected


@pytest.fixture
def clock(monkeypatch):
    """Make time pass in steps: `clock(2.0)` lets 2 s go by from one look at it to the next."""

    def tick(seconds: float) -> None:
        now = count(0, seconds)
        monkeypatch.setattr(referee, "time", SimpleNamespace(monotonic=lambda: next(now)))

    return tick


def test_progress_is_told_in_means_of_ten_steps(text, trainers, clock):
    clock(2.0)
    told: list[list[Row]] = []
    train_readers(["nope", "rope"], 0, 25, text, told.append, label=None)
    assert [len(rows) for rows in told] == sorted(len(rows) for rows in told)
    assert all(longer[: len(rows)] == rows for rows, longer in pairwise(told))
    expected = []
    for start, stop in ((0, 10), (10, 20), (20, 25)):
        for name, trainer in zip(("nope", "rope"), trainers, strict=True):
            expected.append(Row(name, 0, stop, pytest.approx(mean(trainer.losses[start:stop]))))
    assert told[-1] == expected
    assert told[0] == expected[:2]  # never without a row, however slow the first ten steps are


def test_progress_is_told_every_one_and_a_half_seconds_and_at_the_end(text, clock):
    told: list[int] = []

    def train(seconds: float, steps: int) -> list[int]:
        told.clear()
        clock(seconds)
        train_readers(["nope"], 0, steps, text, lambda rows: told.append(rows[-1].position), label=None)
        return list(told)

    assert train(0.0, 12) == [12]
    assert train(1.0, 40) == [20, 40]
    assert train(2.0, 23) == [10, 20, 23]


def test_progress_of_every_seed_is_told(text):
    told: list[Row] = []
    shootout(["nope"], [5, 6], 2, text, length=33, windows=1, on_progress=told.extend, label=None)
    assert [(row.seed, row.position) for row in told] == [(5, 2), (6, 2)]


@pytest.mark.parametrize("label", [None, "match"])
def test_a_line_of_progress_names_the_seed_or_is_not_there(text, label, capsys):
    shootout(["nope"], [7], 2, text, length=33, windows=1, label=label)
    out, err = capsys.readouterr()
    assert out == "" and (err == "" if label is None else err.startswith("match, seed 7: done, 2 steps"))


# ------------------------------------------------------------------------------------------------------ what it shows


def test_a_short_shootout_ends_in_the_order_that_the_course_reports(text):
    """A third of the steps. Only gaps above 0.3 nats are asserted; with seeds 0 to 3 they were 0.4 or more."""
    names = ["learned", "sinusoidal", "rope", "t5 x8", "alibi"]
    near, far = {}, {}
    rows = shootout(names, steps=100, text=text, length=8 * TRAINED, windows=24, label=None)
    for name in names:
        losses = [row.loss for row in rows if row.encoding == name]
        near[name], far[name] = mean(losses[8:TRAINED]), mean(losses[4 * TRAINED :])
    assert max(near.values()) < 2.5  # all have learned: 2.9 is what the frequencies of letters give
    assert far["rope"] > far["alibi"] + 0.3
    assert min(far["learned"], far["sinusoidal"], far["rope"]) > far["t5 x8"] + 0.3
    assert far["rope"] > near["rope"] + 0.5 and far["alibi"] < near["alibi"] + 0.3
    assert near["rope"] < near["learned"] - 0.15 and far["rope"] > far["learned"] + 0.1  # the order turns over


# ----------------------------------------------------------------------------------------------------------- bad input


def three_layers(width: int, heads: int, length: int) -> PositionalEncoding:
    return PerLayer(T5Encoding(heads) for _ in range(3))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"names": ["rope", "ropes"]}, ValueError, "name='ropes' is not known; allowed: 'nope', 'sinusoidal'"),
        ({"names": []}, ValueError, r"names=\[\] must hold at least one of nope, sinusoidal"),
        ({"names": {"mine": RotaryEncoding(16)}}, TypeError, "got a RotaryEncoding that is built already"),
        (
            {"names": {"mine": lambda *_: Looked(64, 31)}},
            ValueError,
            "a text of 32 tokens stops.*; 32 positions are needed",
        ),
        (
            {"names": {"mine": three_layers}},
            ValueError,
            "encoding holds 3 encodings, one a layer; this model has layers=2",
        ),
        ({"seeds": ()}, ValueError, r"seeds=\(\)"),
        ({"seeds": [-1]}, ValueError, "seed=-1"),
        ({"steps": 0}, ValueError, "steps=0"),
        ({"length": 0}, ValueError, "length=0"),
        ({"length": 513}, ValueError, "length=513; allowed: 1 to 512"),
        ({"windows": 0}, ValueError, "windows=0"),
    ],
)
def test_bad_arguments_are_refused_before_anything_is_trained(text, trainers, arguments, error, message):
    with pytest.raises(error, match=message):
        shootout(**{"names": ["nope"], "steps": 2, "text": text, "label": None, **arguments})
    assert not any(trainer.losses for trainer in trainers)


def test_names_stand_for_entries():
    found = contestants(["rope", "t5 x8"])
    assert [(name, one.name, one.rate) for name, one in found.items()] == [
        ("rope", "RotaryEncoding", 1.0),
        ("t5 x8", "T5Encoding", 8.0),
    ]
    own = {
        "mine": Contestant(lambda width, heads, length: RotaryEncoding(width // heads, base=100.0), 3.0),
        "function": lambda width, heads, length: RotaryEncoding(width // heads, base=10.0),
        "class": LearnedEncoding,
        "let in": found["t5 x8"],
    }
    entrants = contestants(own)
    assert [(one.rate, one.reach) for one in entrants.values()] == [(3.0, 4096), (1.0, 4096), (1.0, 512), (8.0, 4096)]
    built = [one.build(64, 4, 30) for one in entrants.values()]
    assert [built[0].base, built[1].base, built[2].table.shape] == [100, 10, (30, 64)]
