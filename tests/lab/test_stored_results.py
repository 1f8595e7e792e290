"""data/results/: complete, made by a command that exists, what they are said to show, and one row of each made again."""

import re
import statistics
from itertools import pairwise
from pathlib import Path

import pytest

from posenc_helpers.encodings import ENCODINGS
from posenc_helpers.lab.results import EXPERIMENTS, FOLDER, load_results, values_of
from posenc_helpers.lab.scorecard import BEYOND, COLUMNS
from posenc_helpers.lab.shootout import CONTESTANTS, RATE
from tools import experiments
from tools.experiments import on_stretching
from tools.results import STUDIES

ROOT = Path(__file__).parents[2]
SEEDS = range(8)


def eight(name: str, column: str, **where) -> list:
    """Return a value for each of the eight seeds."""
    found = values_of(load_results(name), column, **where)
    assert len(found) == 8
    return found


def losses(name: str, what: str, at: int | None = None) -> dict[str, list]:
    """Return {encoding: a loss a seed} of one kind of row; for "break" the position stands in the place of the loss.

    "twice" for `name` and "length" for `what` find the models of 600 steps.
    """
    column, place = ("at", {}) if what == "break" else ("loss", {} if at is None else {"at": at})
    rows = [row for row in load_results(name) if row["what"] == what]
    encodings = dict.fromkeys(row["encoding"] for row in rows)
    return {encoding: values_of(rows, column, encoding=encoding, **place) for encoding in encodings}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_file_says_how_it_was_made_and_is_complete(name):
    lines = (FOLDER / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    notes = [line for line in lines if line.startswith("#")]
    assert f"# made by: make results ONLY={name}" in notes
    assert any(re.search(r"Python 3\.\d+\.\d+, torch 2\.\d+", note) for note in notes)
    (study,) = [study for study in STUDIES.values() if name in study.files]
    kept = load_results(name)
    jobs = {tuple(str(row[key]) for key in study.jobs[0]) for row in kept}
    assert jobs == {tuple(str(value) for value in job.values()) for job in study.jobs}
    described = (ROOT / "data" / "README.md").read_text(encoding="utf-8")
    assert f"| `results/{name}.csv` |" in described and f"`make results ONLY={name}`" in described


def test_files_and_studies_are_the_same_list():
    assert sorted(path.stem for path in FOLDER.glob("*.csv")) == sorted(EXPERIMENTS)
    assert sorted(file for study in STUDIES.values() for file in study.files) == sorted(EXPERIMENTS)


# What they show, in every seed


@pytest.mark.parametrize("name", ["shootout", "twice"])
def test_break_positions_in_every_seed(name):
    """learned and sinusoidal < RoPE < T5; ALiBi and T5 x8 never. NoPE after T5 with 300 steps, before it with 600."""
    found = losses(name, "break")
    for seed in SEEDS:
        learned, sinusoidal, rope, t5, nope, alibi, fast = (
            found[name][seed] for name in ("learned", "sinusoidal", "rope", "t5", "nope", "alibi", "t5 x8")
        )
        assert max(learned, sinusoidal) < rope < t5 and alibi is None and fast is None
        assert rope < nope < t5 if name == "twice" else nope is None or nope > t5


def breaks(encoding: str, steps: int, what: str, by: float) -> list[int]:
    """Return where each seed passes a threshold, 512 where it does not."""
    return [at or 512 for at in eight("thresholds", "at", encoding=encoding, steps=steps, what=what, by=by)]


def test_a_higher_threshold_is_passed_later():
    for encoding in CONTESTANTS:
        for what in ("position", "mean"):
            found = [breaks(encoding, 300, what, by) for by in experiments.THRESHOLDS]
            assert all(low <= high for pair in pairwise(found) for low, high in zip(*pair, strict=True))


def test_breaks_at_the_usual_threshold_are_those_of_the_shootout():
    """Trained once more, perhaps on another processor, whose rounding differs."""
    stored = losses("shootout", "break")
    for encoding in CONTESTANTS:
        low, high = spread([at or 512 for at in stored[encoding]], least=6)
        assert all(low <= at <= high for at in breaks(encoding, 300, "position", 0.3))


@pytest.mark.parametrize("by", [0.15, 0.3, 0.5, 0.8])
def test_the_order_of_four_holds_at_every_threshold_and_nopes_place_does_not(by):
    order = [breaks(encoding, 300, "position", by) for encoding in ("learned", "sinusoidal", "rope", "t5", "nope")]
    for learned, sinusoidal, rope, t5, nope in zip(*order, strict=True):
        assert max(learned, sinusoidal) < rope < t5
        assert nope < t5 if by == 0.15 else nope > t5 or t5 == 512


@pytest.mark.parametrize("steps", [300, 600])
def test_a_faster_learned_table_breaks_at_32_all_the_same(steps):
    assert max(breaks("learned x8", steps, "position", 0.3)) <= 34


@pytest.mark.parametrize("steps", [300, 600])
def test_alibi_with_trained_slopes_reads_512_about_as_well_as_the_faster_t5(steps):
    trained = eight("thresholds", "loss", encoding="alibi x8", steps=steps, what="length", at=512)
    assert set(breaks("alibi x8", steps, "position", 0.3)) == {512}
    plain = losses({300: "windowed", 600: "twice"}[steps], "all keys")
    assert max(trained) < min(plain["alibi"]) - 0.1
    assert abs(statistics.mean(trained) - statistics.mean(plain["t5 x8"])) < 0.08


def test_a_window_gives_back_two_thirds_of_what_nope_loses_and_all_of_t5():
    (every, near, alone), (_, t5_near, t5_alone) = (
        [eight("fresh", "loss", encoding=name, what=what) for what in ("all keys", "last 32 keys", "fresh text")]
        for name in ("nope", "t5")
    )
    every, near, alone = (statistics.mean(found) for found in (every, near, alone))
    assert 0.08 < every - alone < 0.16 and 0.5 < (every - near) / (every - alone) < 0.8
    assert all(abs(near - alone) < 0.02 for near, alone in zip(t5_near, t5_alone, strict=True))


def test_recall_with_an_untrained_row_at_place_0_is_worse_with_every_seed():
    trained, untrained = (
        eight("first_row", "accuracy", **{"row 0": row}, length=64) for row in ("trained", "untrained")
    )
    assert all(was - now > 0.04 for was, now in zip(trained, untrained, strict=True))
    assert 0.4 < statistics.mean(untrained) < 0.7


@pytest.mark.parametrize("steps", [300, 600])
def test_larger_scores_rescue_t5_by_its_bias(steps):
    found = [eight("scaled", "loss", steps=steps, what=what) for what in ("nothing", "q . k", "bias", "whole score")]
    for nothing, products, bias, whole in zip(*found, strict=True):
        assert max(bias, whole) < nothing - 0.15 and products > nothing + 0.02


@pytest.mark.parametrize("steps", [300, 600])
def test_two_layers_teach_alibi_some_of_the_lag_in_training_and_not_beyond(steps):
    def at(encoding: str, length: int) -> list[float]:
        return eight("deeper_lag", "accuracy", encoding=encoding, steps=steps, length=length)

    assert min(at("alibi", 16)) > 0.5 and max(at("alibi", 128)) < 0.45
    assert max(at("nope", 16)) < 0.75 and min(at("t5 x8", 64)) > 0.9


@pytest.mark.parametrize("name", ["shootout", "twice"])
def test_far_out_the_order_is_the_same_in_every_seed(name):
    at_512 = losses(name, "length", 512)
    expected = ["t5 x8", "alibi", "nope", "sinusoidal", "rope"]
    for seed in SEEDS:
        assert sorted(expected, key=lambda name: at_512[name][seed]) == expected


@pytest.mark.parametrize("name", ["windowed", "twice"])
def test_a_window_of_32_keys_rescues_rope_alone(name):
    whole, near = losses(name, "all keys"), losses(name, "last 32 keys")
    for seed in SEEDS:
        gain = {name: whole[name][seed] - near[name][seed] for name in CONTESTANTS}
        assert gain["rope"] > 1.0 and abs(gain["alibi"]) < 0.1 and abs(gain["t5 x8"]) < 0.1
        assert gain["sinusoidal"] < 0.3 and gain["learned"] < 0.4


def test_only_absolute_encodings_notice_a_shift():
    here, there = losses("shift", "moved by", 0), losses("shift", "moved by", 64)
    for seed in SEEDS:
        for name in CONTESTANTS:
            change = there[name][seed] - here[name][seed]
            assert change > 0.5 if name in ("sinusoidal", "learned") else abs(change) < 1e-3


@pytest.mark.parametrize("name", ["windowed", "twice"])
def test_rope_breaks_by_new_distances_more_than_by_more_keys(name):
    whole, near, known = (losses(name, what)["rope"] for what in ("all keys", "last 32 keys", "no new distance"))
    for seed in SEEDS:
        assert near[seed] < known[seed] < whole[seed] - 0.3


def accuracies(name: str, length: int, steps: int) -> dict[str, list[float]]:
    return {
        encoding: eight(name, "accuracy", encoding=encoding, length=length, steps=steps) for encoding in CONTESTANTS
    }


@pytest.mark.parametrize("steps", [300, 600])
def test_exact_lag_and_first_token_tell_encodings_apart(steps):
    lag, recall, far = (accuracies(*wanted, steps) for wanted in (("lag", 16), ("recall", 16), ("recall", 1024)))
    assert max(lag["alibi"] + lag["nope"]) < 0.6 and min(lag["rope"] + lag["t5 x8"]) > 0.95
    assert min(min(found) for found in recall.values()) > 0.9
    assert max(far["rope"]) < 0.3 and min(far["nope"]) > 0.9


def test_the_bias_peaks_at_the_lag_in_every_run():
    rows = load_results("bias")
    assert len(rows) == 3 * 3 * 2 * 8 and min(row["accuracy"] for row in rows) > 0.98
    for first in range(0, len(rows), 8):  # eight distances of a head
        assert max(rows[first : first + 8], key=lambda row: row["bias"])["distance"] == rows[first]["lag"]


def test_scorecard_has_every_encoding_and_column():
    rows = {row["encoding"]: row for row in load_results("scorecard")}
    assert list(rows) == list(ENCODINGS), "run `make results` for learned, lengths, scorecard, in this order"
    assert all(list(row)[: len(COLUMNS) + 1] == ["encoding", *COLUMNS] for row in rows.values())
    assert all(row.keys() >= BEYOND.keys() for row in rows.values())


def test_who_reads_on_and_finds_the_first_token():
    """Methods that look at the distance, by a rule that stays known far out; every seed of RoPE fails at both."""
    rows = {row["encoding"]: row for row in load_results("scorecard")}
    far = {name: row for name, row in rows.items() if row["language 4x"] is not None}
    flat = {name for name, row in far.items() if row["language 4x"] < row["language 1x"] + 0.1}
    assert {name for name in flat if far[name]["recall 4x lowest"] > 0.9} == {
        *("relative bias", "shaw", "alibi", "kerple", "sandwich", "fire", "cope")
    }
    assert flat - {"transformer-xl"} == {name for name in flat if far[name]["recall 4x lowest"] > 0.9}
    for name in ("rope", "xpos"):
        assert far[name]["language 4x lowest"] > far[name]["language 1x highest"] + 0.5
        assert far[name]["recall 4x highest"] < 0.8
    for name in ("sinusoidal", "learned", "binary", "random"):
        assert far[name]["language 4x lowest"] > far[name]["language 1x highest"] + 0.5
        assert far[name]["recall 4x lowest"] > 0.9


def test_settings_are_the_best_on_the_validation_text():
    """The one rate that all share costs nobody more than 0.05 nats; T5's second rate and beta are near their best."""

    def tried(what: str, encoding: str) -> dict[float, float]:
        rows = [row for row in load_results("tuning") if (row["what"], row["encoding"]) == (what, encoding)]
        return {row["setting"]: row["loss"] for row in rows}

    for name in CONTESTANTS:
        rates = tried("rate", name)
        assert rates[RATE] < min(rates.values()) + 0.05
    table, betas = tried("table rate", "t5"), tried("beta", "rope")
    assert table[8.0] < table[1.0] - 0.3
    assert betas[2.0] < min(betas.values()) + 0.05 and betas[32.0] > betas[2.0] + 0.3


# Rows of each, made again


PLACES = {  # columns that say what a row is about; all others are measured
    *("encoding", "task", "layers", "steps", "lag", "std", "question", "rate", "speed", "scale", "wavelength"),
    *("what", "at", "by", "method", "tuned", "length", "times", "row 0", "step", "offset", "distance", "head"),
    *("rows", "columns", "table", "new", "apart", "square", "circle", "asked", "setting"),
}
FEW = {"windows": 48}
LEFT = {"question": "left", "seed": 0, "steps": 300, "rate": 1.0}
AGAIN = [  # result, job, cheaper settings, what is measured, how far from the eight seeds it may be at least
    ("shootout", {"encoding": "alibi", "seed": 0}, FEW, "loss", 0.1),
    ("recall", {"task": "recall", "encoding": "nope", "seed": 0, "steps": 300}, {}, "accuracy", 0.1),
    ("lag", {"task": "lag", "encoding": "rope", "seed": 0, "steps": 300}, {}, "accuracy", 0.1),
    ("rescue", {"seed": 0, "steps": 400}, FEW, "loss", 0.1),
    ("nope", {"encoding": "nope", "layers": 1, "steps": 300, "seed": 0}, {}, "x4", 0.1),
    ("stretched_recall", {"steps": 300, "seed": 0}, {}, "accuracy", 0.1),
    ("lengths", {"encoding": "alibi", "seed": 0}, {}, "value", 0.1),
    ("deeper_lag", {"encoding": "alibi", "layers": 2, "steps": 300, "seed": 0}, {}, "accuracy", 0.1),
    ("fresh", {"encoding": "nope", "steps": 300, "seed": 0}, {}, "loss", 0.1),
    ("first_row", {"steps": 300, "seed": 0}, {}, "accuracy", 0.1),
    ("scaled", {"encoding": "t5", "steps": 300, "seed": 0}, {"windows": 32}, "loss", 0.1),
    ("table", {"seed": 0}, {"every": 400}, "cosine", 0.15),
    ("bias", {"lag": 3, "seed": 0}, {}, "bias", 0.5),
    ("learned", {"encoding": "transformer-xl", "seed": 0, "steps": 300}, {}, "distance", 0.15),
    ("keys_only", {"seed": 1, "steps": 300}, {}, "distance", 0.15),
    ("three_back", {"encoding": "t5", "seed": 0, "steps": 300, "rate": 1.0}, {}, "levelled", 0.1),
    ("ruler", {"std": 0.02, "seed": 0, "steps": 400}, {}, "value", 0.1),
    ("tuning", {"what": "beta", "setting": 2.0, "encoding": "rope"}, {}, "loss", 0.15),
    ("pictures", LEFT | {"encoding": "sinusoidal 2-D"}, {}, "accuracy", 0.1),
    ("pictures", LEFT | {"encoding": "learned"}, {}, "accuracy", 0.1),
    ("new_columns", {"encoding": "axial rope", "seed": 0, "steps": 300, "rate": 1.0}, {}, "accuracy", 0.1),
    ("slower", {"encoding": "sinusoidal 2-D", "speed": 0.25, "scale": 1.0, "seed": 0}, {}, "accuracy", 0.1),
    ("waves", {"wavelength": 4.0, "columns": 4, "seed": 0, "steps": 300, "scale": 0.3}, {}, "accuracy", 0.1),
    ("waves", {"wavelength": 6.2832, "columns": 4, "seed": 0, "steps": 600, "scale": 1.0}, {}, "accuracy", 0.1),
]


def spread(values: list[float], least: float) -> tuple[float, float]:
    """Return what a run of another seed, or on another version of the text, may give: the range, widened by itself."""
    room = max(least, max(values) - min(values))
    return min(values) - room, max(values) + room


@pytest.mark.parametrize(("name", "job", "cheaper", "column", "least"), AGAIN)
def test_rows_made_again_lie_where_those_of_eight_seeds_do(name, job, cheaper, column, least, monkeypatch):
    monkeypatch.setitem(experiments.LENGTHS, "recall", (16, 64, 256))
    for which, fewer in (
        ("METHODS", ["by-parts"]),
        ("FINE_TUNED", ["by-parts"]),
        ("LONG_WINDOWS", {"from the start": 8}),
    ):
        monkeypatch.setattr(on_stretching, which, fewer)
    (study,) = [study for study in STUDIES.values() if name in study.files]
    made = study.run(**job, **cheaper)
    made = [row for row in ([made] if isinstance(made, dict) else made) if row[column] is not None]
    made = [row for row in made if row.get("what") != "position"]  # a single position of few windows is noise
    assert made
    for row in made:
        stored = load_results(row.get("result", name))
        place = {key: None if value == "" else value for key, value in (job | row).items() if key in PLACES - {column}}
        low, high = spread(values_of(stored, column, **{k: v for k, v in place.items() if k in stored[0]}), least)
        assert low < row[column] < high, row


def test_a_threshold_is_passed_again_where_it_was():
    rows = experiments.thresholds("learned", 0, windows=32)
    low, high = spread(breaks("learned", 300, "mean", 0.3), least=6)
    assert low <= values_of(rows, "at", what="mean", by=0.3)[0] <= high


def test_a_row_of_the_scorecard_is_made_again():
    (stored,) = [row for row in load_results("scorecard") if row["encoding"] == "alibi"]
    fresh = experiments.card("alibi")
    assert stored == {"encoding": "alibi"} | {
        c: v if v is None else pytest.approx(v, abs=1e-4) for c, v in fresh.items()
    }
