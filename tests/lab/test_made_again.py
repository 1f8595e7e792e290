"""The experiments behind data/results/, done again: with two steps on each push, at full length nightly."""

import inspect

import pytest

from posenc_helpers.lab.results import load_results, values_of
from tools import experiments
from tools.experiments import on_released, on_stretching
from tools.results import STUDIES

PLACES = {  # columns that say what a row is about; all others are measured
    *("encoding", "task", "layers", "steps", "lag", "std", "question", "rate", "speed", "scale", "wavelength"),
    *("what", "at", "by", "method", "tuned", "length", "times", "row 0", "step", "offset", "distance", "head"),
    *("rows", "columns", "table", "new", "apart", "square", "circle", "asked", "setting"),
    *("base", "heads", "slopes", "mixture", "clip", "code", "places", "gap", "model"),
    *("stretch", "change", "seen", "layer"),
}
FEW = {"windows": 48}
RUN = {"seed": 0, "steps": 300}
LEFT = {"question": "left", "rate": 1.0} | RUN
AGAIN = [  # result, job, cheaper settings, what is measured, how far from the eight seeds it may be at least
    ("shootout", {"encoding": "alibi", "seed": 0}, FEW, "loss", 0.1),
    ("recall", {"task": "recall", "encoding": "nope"} | RUN, {}, "accuracy", 0.1),
    ("lag", {"task": "lag", "encoding": "rope"} | RUN, {}, "accuracy", 0.1),
    ("rescue", {"seed": 0, "steps": 400}, FEW, "loss", 0.1),
    ("nope", {"encoding": "nope", "layers": 1} | RUN, {}, "x4", 0.1),
    ("stretched_recall", RUN, {}, "accuracy", 0.1),
    ("lengths", {"encoding": "alibi", "seed": 0}, {}, "value", 0.1),
    ("deeper_lag", {"encoding": "alibi", "layers": 2} | RUN, {}, "accuracy", 0.1),
    ("fresh", {"encoding": "nope"} | RUN, {}, "loss", 0.1),
    ("first_row", RUN, {}, "accuracy", 0.1),
    ("scaled", {"encoding": "t5"} | RUN, {"windows": 32}, "loss", 0.1),
    ("table", {"seed": 0}, {"every": 400}, "cosine", 0.15),
    ("bias", {"lag": 3, "seed": 0}, {}, "bias", 0.5),
    ("learned", {"encoding": "transformer-xl"} | RUN, {}, "distance", 0.15),
    ("keys_only", RUN | {"seed": 1}, {}, "distance", 0.15),
    ("three_back", {"encoding": "t5", "rate": 1.0} | RUN, {}, "levelled", 0.1),
    ("ruler", {"std": 0.02, "seed": 0, "steps": 400}, {}, "value", 0.1),
    ("tuning", {"what": "base", "setting": 2.0, "encoding": "rope"}, {}, "loss", 0.15),
    ("pictures", LEFT | {"encoding": "sinusoidal 2-D"}, {}, "accuracy", 0.1),
    ("pictures", LEFT | {"encoding": "learned"}, {}, "accuracy", 0.1),
    ("new_columns", {"encoding": "axial rope", "rate": 1.0} | RUN, {}, "accuracy", 0.1),
    ("slower", {"encoding": "sinusoidal 2-D", "speed": 0.25, "scale": 1.0, "seed": 0}, {}, "accuracy", 0.1),
    ("waves", {"wavelength": 4.0, "columns": 4, "scale": 0.3} | RUN, {}, "accuracy", 0.1),
    ("waves", {"wavelength": 6.2832, "columns": 4, "seed": 0, "steps": 600, "scale": 1.0}, {}, "accuracy", 0.1),
    ("rope_base", {"base": 2.0} | RUN, {}, "accuracy", 0.1),
    ("alibi_lag", {"heads": 2, "slopes": "learned"} | RUN, {}, "accuracy", 0.15),
    ("alibi_lag", {"heads": 2, "slopes": "steep"} | RUN, {}, "flattest", 0.15),
    ("two_sided", RUN, {}, "distance", 0.15),
    ("naive_codes", {"code": "binary", "times": 1.0} | RUN, {}, "distance", 0.15),
    ("hybrids", {"mixture": "windows"} | RUN, {"windows": 16}, "value", 0.1),
    ("knobs", {"encoding": "rope", "setting": 2.0} | RUN, {}, "loss", 0.1),
    ("clipped", {"encoding": "t5", "clip": 128} | RUN, {}, "value", 0.1),
    ("swap", RUN, FEW, "loss", 0.1),
    ("thresholds", {"encoding": "learned"} | RUN, {"windows": 32}, "loss", 0.1),
    ("released", {"stretch": "Python: import"}, {}, "loss", 0.1),
    ("released_windows", {"stretch": "NumPy: einsum"}, {}, "loss", 0.3),
    ("released_heads", {"length": 256}, {}, "first", 0.1),
]


def spread(values: list[float], least: float) -> tuple[float, float]:
    """Return what a run of another seed, or on another version of the text, may give: the range, widened by itself."""
    room = max(least, max(values) - min(values))
    return min(values) - room, max(values) + room


def made(name: str, job: dict, settings: dict, column: str) -> list[tuple[float, list[float]]]:
    """Do a job; return what it measured with the stored values of all seeds in the same place, a pair a row."""
    (study,) = [study for study in STUDIES.values() if name in study.files]
    rows = study.run(**job | settings)
    rows = [row for row in ([rows] if isinstance(rows, dict) else rows) if row.get(column) is not None]
    pairs = []
    for row in rows:
        stored = load_results(row.get("result", name))
        place = {key: None if value == "" else value for key, value in (job | row).items() if key in PLACES - {column}}
        place = {key: value for key, value in place.items() if key in stored[0]}
        if row.get("what") != "position":  # a single position of few windows is noise
            pairs.append((row[column], values_of(stored, column, **place)))
    assert pairs
    return pairs


@pytest.fixture(autouse=True)
def smaller(monkeypatch):
    monkeypatch.setitem(experiments.LENGTHS, "recall", (16, 64, 256))
    for which in ("METHODS", "FINE_TUNED", "CURES"):
        monkeypatch.setattr(on_stretching, which, ["by-parts"])
    monkeypatch.setattr(on_stretching, "LONG_WINDOWS", {"from the start": 8})
    monkeypatch.setattr(on_released, "SEEN", {"last 64, first": [0]})
    few = {name: on_released.CHANGES[name] for name in ("as released", "the other layout", "NTK-aware, 2")}
    monkeypatch.setattr(on_released, "CHANGES", few)


@pytest.mark.parametrize(("name", "job", "cheaper", "column", "least"), AGAIN)
def test_an_experiment_runs_and_its_rows_stand_where_stored_ones_do(name, job, cheaper, column, least, monkeypatch):
    tune = on_stretching.fine_tune
    monkeypatch.setattr(
        on_stretching,
        "fine_tune",
        lambda model, text, length, _, *rest, **rate: tune(model, text, length, 2, *rest, **rate),
    )
    (study,) = [study for study in STUDIES.values() if name in study.files]
    taken = inspect.signature(study.run).parameters
    small = {key: value for key, value in {"steps": 2, "windows": 2, "examples": 4}.items() if key in taken}
    made(name, job, cheaper | small, column)


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "job", "cheaper", "column", "least"), AGAIN)
def test_rows_made_again_lie_where_those_of_eight_seeds_do(name, job, cheaper, column, least):
    for value, stored in made(name, job, cheaper, column):
        low, high = spread(stored, least)
        assert low < value < high, (value, stored)


def test_a_row_of_the_scorecard_is_made_again():
    (stored,) = [row for row in load_results("scorecard") if row["encoding"] == "alibi"]
    fresh = experiments.card("alibi")
    assert stored == {"encoding": "alibi"} | {
        c: v if v is None else pytest.approx(v, abs=1e-4) for c, v in fresh.items()
    }
