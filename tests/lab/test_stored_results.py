"""data/results/: complete, made by a command that exists, what they are said to show, and one row of each made again."""

import re
import statistics
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest

from posenc_helpers.encodings import ENCODINGS
from posenc_helpers.lab.results import EXPERIMENTS, FOLDER, load_results
from posenc_helpers.lab.scorecard import BEYOND, COLUMNS
from posenc_helpers.lab.shootout import CONTESTANTS, RATE
from tools import experiments
from tools.experiments import on_stretching
from tools.results import STUDIES

ROOT = Path(__file__).parents[2]
SEEDS = range(8)


def losses(name: str, what: str, at: int | None = None) -> dict[str, dict[int, float]]:
    """Return {encoding: {seed: loss}} of one kind of row; for "break" the position stands in the place of the loss.

    "twice" for `name` and "length" for `what` find the models of 600 steps.
    """
    found = defaultdict(dict)
    for row in load_results(name):
        if row["what"] == what and at in (None, row["at"]):
            found[row["encoding"]][row["seed"]] = row["at"] if what == "break" else row["loss"]
    return dict(found)


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
    rows = load_results("thresholds")
    place = {"encoding": encoding, "steps": steps, "what": what, "by": by}
    return [row["at"] or 512 for row in rows if place.items() <= row.items()]


def test_a_higher_threshold_is_passed_later():
    for encoding in CONTESTANTS:
        for what in ("position", "mean"):
            found = [breaks(encoding, 300, what, by) for by in experiments.THRESHOLDS]
            assert all(len(seeds) == 8 for seeds in found)
            assert all(low <= high for pair in pairwise(found) for low, high in zip(*pair, strict=True))


def test_breaks_at_the_usual_threshold_are_those_of_the_shootout():
    """Trained once more, perhaps on another processor, whose rounding differs."""
    stored = losses("shootout", "break")
    for encoding in CONTESTANTS:
        low, high = spread([at or 512 for at in stored[encoding].values()], least=6)
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
    def over_512(encoding: str) -> list[float]:
        place = {"encoding": encoding, "steps": steps, "what": "length", "at": 512}
        return [row["loss"] for row in load_results("thresholds") if place.items() <= row.items()]

    trained = over_512("alibi x8")
    assert len(trained) == 8 and set(breaks("alibi x8", steps, "position", 0.3)) == {512}
    plain = losses({300: "windowed", 600: "twice"}[steps], "all keys")
    assert max(trained) < min(plain["alibi"].values()) - 0.1
    assert abs(statistics.mean(trained) - statistics.mean(plain["t5 x8"].values())) < 0.08


def test_a_window_gives_back_two_thirds_of_what_nope_loses_and_all_of_t5():
    found = defaultdict(list)
    for row in load_results("fresh"):
        found[row["encoding"], row["what"]].append(row["loss"])
    assert set(map(len, found.values())) == {8}
    every, near, alone = (statistics.mean(found["nope", what]) for what in ("all keys", "last 32 keys", "fresh text"))
    assert 0.08 < every - alone < 0.16 and 0.5 < (every - near) / (every - alone) < 0.8
    for near, alone in zip(found["t5", "last 32 keys"], found["t5", "fresh text"], strict=True):
        assert abs(near - alone) < 0.02


def test_recall_with_an_untrained_row_at_place_0_is_worse_with_every_seed():
    found = defaultdict(list)
    for row in load_results("first_row"):
        found[row["row 0"], row["length"]].append(row["accuracy"])
    assert set(map(len, found.values())) == {8}
    pairs = zip(found["trained", 64], found["untrained", 64], strict=True)
    assert all(trained - untrained > 0.04 for trained, untrained in pairs)
    assert 0.4 < statistics.mean(found["untrained", 64]) < 0.7


@pytest.mark.parametrize("steps", [300, 600])
def test_larger_scores_rescue_t5_by_its_bias(steps):
    found = defaultdict(list)
    for row in load_results("scaled"):
        if row["steps"] == steps:
            found[row["what"]].append(row["loss"])
    assert all(len(runs) == 8 for runs in found.values())
    for nothing, products, bias, whole in zip(*found.values(), strict=True):
        assert max(bias, whole) < nothing - 0.15 and products > nothing + 0.02


def test_two_layers_teach_alibi_some_of_the_lag_in_training_and_not_beyond():
    at = defaultdict(list)
    for row in load_results("deeper_lag"):
        at[row["encoding"], row["steps"], row["length"]].append(row["accuracy"])
    for steps in (300, 600):
        assert min(at["alibi", steps, 16]) > 0.5 and max(at["alibi", steps, 128]) < 0.45
        assert max(at["nope", steps, 16]) < 0.75 and min(at["t5 x8", steps, 64]) > 0.9


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


def accuracies(name: str, length: int, steps: int = 300) -> dict[str, list[float]]:
    found = defaultdict(list)
    for row in load_results(name):
        if (row["length"], row["steps"]) == (length, steps):
            found[row["encoding"]].append(row["accuracy"])
    return found


@pytest.mark.parametrize("steps", [300, 600])
def test_exact_lag_and_first_token_tell_encodings_apart(steps):
    lag, recall, far = (accuracies(*wanted, steps) for wanted in (("lag", 16), ("recall", 16), ("recall", 1024)))
    assert max(lag["alibi"] + lag["nope"]) < 0.6 and min(lag["rope"] + lag["t5 x8"]) > 0.95
    assert min(min(found) for found in recall.values()) > 0.9
    assert max(far["rope"]) < 0.3 and min(far["nope"]) > 0.9


def test_the_bias_peaks_at_the_lag_in_every_run():
    heads = defaultdict(dict)
    for row in load_results("bias"):
        heads[row["lag"], row["seed"], row["head"]][row["distance"]] = row["bias"]
        assert row["accuracy"] > 0.98
    assert len(heads) == 3 * 3 * 2
    assert all(max(biases, key=biases.get) == lag for (lag, _, _), biases in heads.items())


def test_scorecard_has_every_encoding_and_column():
    rows = {row["encoding"]: row for row in load_results("scorecard")}
    assert list(rows) == list(ENCODINGS)
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
    found = defaultdict(dict)
    for row in load_results("tuning"):
        found[row["what"], row["encoding"]][row["setting"]] = row["loss"]
    for name in CONTESTANTS:
        tried = found["rate", name]
        assert tried[RATE] < min(tried.values()) + 0.05
    assert found["table rate", "t5"][8.0] < found["table rate", "t5"][1.0] - 0.3
    betas = found["beta", "rope"]
    assert betas[2.0] < min(betas.values()) + 0.05 and betas[32.0] > betas[2.0] + 0.3


# One row of each, made again


def spread(values: list[float], least: float) -> tuple[float, float]:
    """Return what a run of another seed, or on another version of the text, may give: the range, widened by itself."""
    room = max(least, max(values) - min(values))
    return min(values) - room, max(values) + room


def test_a_row_of_the_shootout_its_windows_and_shifts_is_made_again():
    fresh = experiments.language("alibi", seed=0, windows=48)
    for result, what, at in (("shootout", "length", 512), ("windowed", "last 32 keys", 512), ("shift", "moved by", 64)):
        (row,) = [row for row in fresh if (row["result"], row["what"], row["at"]) == (result, what, at)]
        low, high = spread(list(losses(result, what, at)["alibi"].values()), least=0.1)
        assert low < row["loss"] < high, (result, row)


@pytest.mark.parametrize(("task", "encoding"), [("recall", "nope"), ("lag", "rope")])
def test_a_row_of_an_algorithmic_task_is_made_again(monkeypatch, task, encoding):
    monkeypatch.setitem(experiments.LENGTHS, task, (16, 64))
    for row in experiments.algorithmic(task, encoding, seed=0):
        low, high = spread(accuracies(task, row["length"])[encoding], least=0.1)
        assert low < row["accuracy"] < high, row


def test_a_row_of_the_rescue_is_made_again(monkeypatch):
    monkeypatch.setattr(on_stretching, "METHODS", ("by-parts",))
    monkeypatch.setattr(on_stretching, "LONG_WINDOWS", {"from the start": 8})
    monkeypatch.setattr(on_stretching, "FINE_TUNED", ("by-parts",))
    stored = [row for row in load_results("rescue") if row["steps"] == 400]
    for row in experiments.rescue(seed=0, windows=48):
        same = [r["loss"] for r in stored if (r["method"], r["tuned"]) == (row["method"], row["tuned"])]
        low, high = spread(same, least=0.1)
        assert low < row["loss"] < high, row


@pytest.mark.parametrize(
    ("name", "run", "job", "column"),
    [
        ("nope", experiments.depth, {"encoding": "nope", "layers": 1, "steps": 300, "seed": 0}, "x4"),
        ("stretched_recall", experiments.stretched_recall, {"steps": 300, "seed": 0}, "accuracy"),
        ("lengths", experiments.lengths, {"encoding": "alibi", "seed": 0}, "value"),
        ("deeper_lag", experiments.deeper_lag, {"encoding": "alibi", "layers": 2, "steps": 300, "seed": 0}, "accuracy"),
        ("fresh", experiments.fresh, {"encoding": "nope", "steps": 300, "seed": 0}, "loss"),
        ("first_row", experiments.first_row, {"steps": 300, "seed": 0}, "accuracy"),
    ],
)
def test_a_row_of_other_results_beyond_the_trained_length_is_made_again(name, run, job, column):
    made = run(**job)
    setting = {key: value for key, value in job.items() if key != "seed"}
    for row in [made] if isinstance(made, dict) else made[::3]:
        place = setting | {key: row[key] for key in ("method", "tuned", "length", "what", "times", "row 0") if key in row}
        same = [stored[column] for stored in load_results(name) if place.items() <= stored.items()]
        low, high = spread(same, least=0.1)
        assert len(same) == 8 and low < row[column] < high, row


def test_rows_of_other_thresholds_and_scaled_scores_are_made_again():
    rows = experiments.thresholds("learned", 0, windows=32)
    (passed,) = [row for row in rows if (row["what"], row["by"]) == ("mean", 0.3)]
    low, high = spread(breaks("learned", 300, "mean", 0.3), least=6)
    assert low <= passed["at"] <= high
    stored = [row for row in load_results("scaled") if row["steps"] == 300]
    for row in experiments.scaled("t5", 0, windows=32):
        low, high = spread([same["loss"] for same in stored if same["what"] == row["what"]], least=0.1)
        assert low < row["loss"] < high, row


def test_a_row_of_the_table_is_made_again():
    stored = load_results("table")
    for row in experiments.table(seed=0, steps=400, every=400):
        same = [r["cosine"] for r in stored if (r["step"], r["offset"]) == (row["step"], row["offset"])]
        low, high = spread(same, least=0.15)
        assert low < row["cosine"] < high, row


def test_a_row_of_the_bias_is_made_again():
    fresh = {row["distance"]: row["bias"] for row in experiments.bias(lag=3, seed=0) if row["head"] == 0}
    stored = [r["bias"] for r in load_results("bias") if (r["lag"], r["distance"]) == (3, 3)]
    low, high = spread(stored, least=0.2)
    assert low < fresh[3] < high


def test_a_row_of_the_scorecard_is_made_again():
    (stored,) = [row for row in load_results("scorecard") if row["encoding"] == "alibi"]
    fresh = experiments.card("alibi")
    assert stored == {"encoding": "alibi"} | {c: v if v is None else pytest.approx(v, abs=1e-4) for c, v in fresh.items()}


def test_a_training_of_the_scorecard_is_made_again():
    (stored,) = [r for r in load_results("learned") if (r["encoding"], r["seed"], r["steps"]) == ("transformer-xl", 0, 300)]
    fresh = experiments.learned("transformer-xl", seed=0)
    for column in ("order", "distance", "ranked"):
        assert stored[column] == pytest.approx(fresh[column], abs=0.15), column


def test_a_row_of_the_tuning_is_made_again():
    stored = [r for r in load_results("tuning") if (r["what"], r["setting"]) == ("beta", 2.0)]
    fresh = experiments.tuning("beta", 2.0, "rope")
    assert fresh["loss"] == pytest.approx(statistics.mean(r["loss"] for r in stored), abs=0.15)
