"""data/results/: complete, made by a command that exists, one with another.

What they are said to show, notebooks claim; test_made_again.py makes a row of each again.
"""

import re
import statistics
from itertools import pairwise
from pathlib import Path

import pytest

from posenc_helpers.encodings import ENCODINGS
from posenc_helpers.lab.results import FOLDER, load_results, stored, values_of
from posenc_helpers.lab.scorecard import BEYOND, COLUMNS
from posenc_helpers.lab.shootout import CONTESTANTS, STEPS
from posenc_helpers.lab.stretching import BETA
from tests.lab.test_made_again import spread
from tools import experiments
from tools.experiments.on_stretching import NTK_FACTOR, SETTINGS, TUNED
from tools.results import STUDIES

ROOT = Path(__file__).parents[2]


def test_the_shootout_is_stored_with_the_steps_that_it_has():
    assert STEPS == 300, (
        "the files do not say it: CONTRIBUTING (A stored result) lists what to make again; then write the new number here"
    )


@pytest.mark.parametrize("name", stored())
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
    assert sorted(file for study in STUDIES.values() for file in study.files) == stored()


# What holds between files, and what no notebook claims


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


def test_breaks_at_the_usual_threshold_are_those_of_the_shootout_and_higher_ones_are_passed_later():
    """Trained once more, perhaps on another processor, whose rounding differs."""
    passed, first = load_results("thresholds"), load_results("shootout")
    for encoding in CONTESTANTS:
        for what in ("position", "mean"):
            where = {"encoding": encoding, "steps": 300, "what": what}
            found = [[at or 512 for at in values_of(passed, "at", by=by, **where)] for by in experiments.THRESHOLDS]
            assert all(low <= high for pair in pairwise(found) for low, high in zip(*pair, strict=True))
        low, high = spread([at or 512 for at in values_of(first, "at", encoding=encoding, what="break")], least=6)
        usual = values_of(passed, "at", encoding=encoding, steps=300, what="position", by=0.3)
        assert len(usual) == 8 and all(low <= (at or 512) <= high for at in usual)


def test_each_cure_of_rope_got_the_best_of_seven_on_the_validation_text():
    rows = load_results("cure_settings")
    chosen = {"ntk factor": NTK_FACTOR, "by-parts beta": BETA}
    chosen |= {f"{method} factor": factor for method, factor in TUNED.values()}
    assert set(chosen) == set(SETTINGS) and {len(tried) for tried in SETTINGS.values()} == {7}
    for what, tried in SETTINGS.items():
        losses = {setting: values_of(rows, "loss", what=what, setting=setting) for setting in tried}
        assert {len(found) for found in losses.values()} == {2}
        assert min(losses, key=lambda setting: statistics.mean(losses[setting])) == chosen[what]


@pytest.mark.parametrize("steps", [300, 600])
@pytest.mark.parametrize(("rows", "pairs"), [(6, (12, 10, 6, 2)), (2, (12, 12, 20, 12))])
def test_on_larger_pictures_rope_errs_at_new_distances_and_sinusoids_not_in_two_new_columns_alone(rows, pairs, steps):
    """`pairs` counts the pairs of columns of each kind: none or one new, one at a new distance, both new."""
    share, stored = {}, load_results("new_columns")
    for encoding in ("sinusoidal 2-D", "axial rope"):
        right = [
            values_of(stored, "accuracy", encoding=encoding, new=new, apart=apart, rows=rows, steps=steps)
            for new, apart in ((0, "old"), (1, "old"), (1, "new"), (2, "old"))
        ]
        wrong = [n * (8 - sum(found)) for n, found in zip(pairs, right, strict=True)]
        share[encoding] = [each / sum(wrong) for each in wrong]
        assert encoding == "axial rope" or max(right[3]) < 0.6
    assert share["axial rope"][2] > 0.5 and share["sinusoidal 2-D"][3] < 0.65
