"""Stored results come back as they were kept."""

import stat
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from posenc_helpers.lab.results import load_results, values_of
from tests.refused import refused
from tools.results import save_results

ROWS = [
    {"encoding": "rope", "seed": 0, "what": "position", "at": 1.5, "loss": 2.25, "note": None},
    {"encoding": "t5 x8", "seed": 1, "what": 'said "so, well"', "at": None, "loss": -0.5, "note": "a, b,"},
    {"encoding": "# 3", "seed": -2, "what": "two\nlines", "at": 512, "loss": 1e6, "note": "é, 1 2"},
]


def test_rows_come_back_with_their_types(tmp_path):
    path = save_results("shootout", ROWS, ["made by: make results"], tmp_path)
    assert path == tmp_path / "shootout.csv"
    kept = load_results("shootout", tmp_path)
    assert kept == ROWS
    for row, expected in zip(kept, ROWS, strict=True):
        assert list(row) == list(expected)  # in the same order
        assert [type(value) for value in row.values()] == [type(value) for value in expected.values()]


def test_floats_keep_four_decimals_and_stay_floats(tmp_path):
    values = [1 / 3, 2.0, 1e-9, -123456.78901, np.float64(0.5)]
    save_results("lag", [{"x": value} for value in values], [], tmp_path)
    assert [row["x"] for row in load_results("lag", tmp_path)] == [0.3333, 2.0, 0.0, -123456.789, 0.5]
    assert all(type(row["x"]) is float for row in load_results("lag", tmp_path))
    save_results("lag", [{"x": None}, {"x": 3}], [], tmp_path)  # a row that is empty from end to end
    assert load_results("lag", tmp_path) == [{"x": None}, {"x": 3}]


def test_what_is_no_finite_number_stays_text(tmp_path):
    words = ["nan", "inf", "-Infinity", "1.2.3", "twelve", "0x10"]
    save_results("lag", [{"word": word, "n": 1} for word in words], [], tmp_path)
    assert [row["word"] for row in load_results("lag", tmp_path)] == words


def test_notes_stand_above_the_table_and_are_not_read(tmp_path):
    path = save_results("bias", [{"lag": 3, "bias": 0.5}], ["made by: it, on", "two\nlines"], tmp_path)
    assert path.read_text(encoding="utf-8") == "# made by: it, on\n# two\n# lines\nlag,bias\n3,0.5000\n"
    assert load_results("bias", tmp_path) == [{"lag": 3, "bias": 0.5}]
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))  # as Windows ends lines
    assert load_results("bias", tmp_path) == [{"lag": 3, "bias": 0.5}]


def test_saving_replaces_the_file_as_everyone_may_read_it(tmp_path):
    folder = tmp_path
    for value in (1, 2):
        path = save_results("bias", [{"lag": value}], [], folder)
    assert load_results("bias", folder) == [{"lag": 2}]
    assert [file.name for file in folder.iterdir()] == ["bias.csv"]
    plain = folder / "plain"
    plain.touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = save_results("bias", [{"lag": 1}], ["old"], tmp_path)
    before = path.read_bytes()
    with patch("os.replace", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        save_results("bias", [{"lag": 2}], ["new"], tmp_path)
    assert path.read_bytes() == before and [file.name for file in tmp_path.iterdir()] == ["bias.csv"]


SEEDS = [
    {"encoding": "rope", "seed": 0, "loss": 1.5},
    {"encoding": "rope", "seed": 1, "loss": 2.5},
    {"encoding": "alibi", "seed": 0, "loss": 3.5},
]


def test_values_of_a_column():
    assert values_of(SEEDS, "loss", encoding="rope") == [1.5, 2.5]
    assert values_of(SEEDS, "loss", encoding="alibi", seed=0) == [3.5]


def saved(*rows):
    return lambda: save_results("lag", rows, [], Path(__file__, "no folder"))


OTHERS = ({"a": 1}, {"b": 1, "a": 1}, {"a": 1, "b": 2, "c": 3})
test_bad_input = refused(
    (lambda: load_results("shotout"), "name='shotout' is not known; allowed: 'alibi_lag', 'answers', 'bias'"),
    (saved(), "lag has no rows"),
    *((saved({"a": 1, "b": 2}, row), r"other columns than the first: \['a', 'b'\]") for row in OTHERS),
    *((saved({"length": 16, "accuracy": value}), "not finite") for value in (float("nan"), float("inf"))),
    (lambda: values_of(SEEDS, "loss", encoding="nope"), r"no row with \{'encoding': 'nope'\}; there are 3 rows with"),
    (lambda: values_of([], "loss", encoding="nope"), "0 rows with no columns"),
)
