"""The referee is fair: same first weights, same batches, nobody's result depends on who else takes part."""

import inspect

import pytest
import torch
from torch import Generator, nn

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
from posenc_helpers.lab.training import train
from tests.encodings.wrong_encodings import Looked, Sliced
from tests.lab.weights import same, weights

# ------------------------------------------------------------------------------------------------------ how it starts


def test_all_start_from_the_same_weights_and_another_seed_from_others():
    def started(name: str, seed: int) -> dict[str, torch.Tensor]:
        return weights(reader(fresh_encoding(CONTESTANTS[name], WIDTH, HEADS, FAR, seed), 29, seed), without="encoding")

    first = started("nope", 0)
    assert len(first) == 2 + 2 * 6  # embedding, head; per layer qkv, out, two weights and two biases of feed-forward
    for name in CONTESTANTS:
        assert same(started(name, 0), first), name
        assert not same(started(name, 1), first), name


@pytest.mark.parametrize("seed", [0, 7])
def test_no_row_of_a_table_starts_as_a_multiple_of_an_embedding(seed):
    """Drawn from the seed of the model, position 32 was 0.5 times "c"; cosines of 64 random numbers stay below 0.65."""
    encoding = fresh_encoding(CONTESTANTS["learned"], WIDTH, HEADS, FAR, seed)
    embedding = reader(encoding, 29, seed).embedding.weight
    alike = nn.functional.cosine_similarity(encoding.table[:, None], embedding, dim=-1)  # (512, 29)
    assert alike.abs().max() < 0.65
    other = fresh_encoding(CONTESTANTS["learned"], WIDTH, HEADS, FAR, seed + 1)
    assert not torch.equal(encoding.table, other.table)


# ------------------------------------------------------------------------------------------------------- how it trains


@pytest.fixture
def trainings(monkeypatch) -> list[dict]:
    """What every finished training from here on was called with, by the names of `train`'s parameters."""
    made = []

    def spy(*arguments, **keywords):
        losses = train(*arguments, **keywords)
        made.append(inspect.signature(train).bind(*arguments, **keywords).arguments)
        return losses

    monkeypatch.setattr(referee, "train", spy)
    return made


def test_all_learn_from_the_same_batches_of_the_training_text(text, monkeypatch):
    drawn = []

    class Spy(LanguageTask):
        def draw(self, *arguments):
            drawn.append(super().draw(*arguments))
            return drawn[-1]

    monkeypatch.setattr(referee, "LanguageTask", Spy)
    train_readers(list(CONTESTANTS), seed=3, steps=2, text=text, label=None)
    task, generator = LanguageTask(text.train, 29), Generator().manual_seed(3)
    expected = [task.sample(BATCH, TRAINED, generator) for _ in range(2)]
    assert len(drawn) == 2 * len(CONTESTANTS) and expected[0][0].shape == (32, 32)
    for tokens, labels in expected:
        assert sum(torch.equal(tokens, a) and torch.equal(labels, b) for a, b in drawn) == len(CONTESTANTS)


def test_all_have_the_same_budget_but_for_their_own_rate(text, trainings):
    train_readers(list(CONTESTANTS), steps=1, text=text, label=None)
    rates = [(one["encoding_rate"], one["learning_rate"], one["steps"], one["warm_up"]) for one in trainings]
    assert sorted(rates) == [(1.0, 1e-2, 1, 1 / 6)] * 6 + [(8.0, 1e-2, 1, 1 / 6)]
    by_rate = {type(one["model"].encoding).__name__ for one in trainings if one["encoding_rate"] == 8}
    assert by_rate == {"T5Encoding"} and CONTESTANTS["t5 x8"].rate == 8
    train_readers({"mine": Contestant(CONTESTANTS["rope"].build, 3.0)}, 0, 1, text, None, learning_rate=0.5)
    assert (trainings[-1]["learning_rate"], trainings[-1]["encoding_rate"]) == (0.5, 3.0)


def test_the_seed_decides_and_neither_who_else_takes_part_nor_how_many_cores(text, monkeypatch):
    """Bit for bit."""

    def run(names: list[str], seed: int, cores: str) -> dict[str, list[Row]]:
        monkeypatch.setenv("OMP_NUM_THREADS", cores)
        rows = shootout(names, [seed], 11, text, length=64, windows=2, label=None)
        return {name: [row for row in rows if row.encoding == name] for name in names}

    before = torch.get_rng_state()
    alone = run(["learned"], 1, "1") | run(["t5 x8"], 1, "1")
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(99)
    assert run(["learned", "t5 x8"], 1, "5") == alone
    torch.set_rng_state(before)
    other = run(["learned"], 2, "1")["learned"]
    assert not {row.loss for row in other} & {row.loss for row in alone["learned"]}


def test_contestants_of_your_own_and_rows_of_every_seed_encoding_and_position(text):
    """A dict: one is NoPE by another name, and ends up where NoPE does."""
    asked = []

    def build(width: int, heads: int, length: int) -> PositionalEncoding:
        asked.append((width, heads, length))
        return PositionalEncoding()

    names = {"rope": CONTESTANTS["rope"], "mine": Contestant(build)}
    rows = shootout(names, seeds=[4, 2], steps=2, text=text, length=40, windows=3, label=None)
    assert set(asked) == {(64, 4, 512)}
    expected = []
    for seed in (4, 2):
        models = train_readers(["rope", "nope"], seed, 2, text, label=None)
        for name, model in zip(names, models.values(), strict=True):
            losses = loss_by_position(model, text.test, 40, 3).tolist()
            expected += [Row(name, seed, position, loss) for position, loss in enumerate(losses)]
    assert rows == expected


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


@pytest.mark.parametrize("label", [None, "match"])
def test_progress_names_every_seed_or_is_not_there(text, label, capsys):
    shootout(["nope"], [5, 6], 1, text, length=33, windows=1, label=label)
    out, err = capsys.readouterr()
    said = [line.split(" in ")[0] for line in err.splitlines()]
    assert out == "" and said == ([] if label is None else [f"match, seed {seed}: done, 1 models" for seed in (5, 6)])


def test_what_ignores_positions_is_told_once_before_training(text, capsys):
    shootout({"nope": CONTESTANTS["nope"], "mine": Sliced}, [0, 1], 1, text, length=33, windows=1, label=None)
    out = capsys.readouterr().out
    assert out.startswith("mine: it ignores `positions` and counts tokens where they are stored; ")
    assert out.count("\n") == 1


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
def test_bad_arguments_are_refused_before_anything_is_trained(text, trainings, arguments, error, message):
    with pytest.raises(error, match=message):
        shootout(**{"names": ["nope"], "steps": 2, "text": text, "label": None, **arguments})
    assert not trainings


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
