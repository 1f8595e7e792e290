"""Sweeps: every job once, in order, whoever does it; and nothing lost when a job, the file or the sweep itself breaks."""

import contextlib
import importlib.util
import json
import math
import os
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path
from unittest.mock import patch

import joblib
import psutil
import pytest
import torch

from posenc_helpers.lab.sweep import grid, sweep
from tests.lab.sweep_jobs import drawn, drawn_but_one, fail, square, waiting
from tests.notebooks.reading import PATHS, read
from tests.refused import refused
from tools.course import ROOT


def calls(folder):
    return Counter(int(path.name.split("-")[1]) for path in Path(folder).glob("call-*"))


def done(path):
    return [json.loads(line)["job"]["n"] for line in path.read_text(encoding="utf-8").splitlines()]


def squares(numbers):
    return [{"n": n, "square": n * n} for n in numbers]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.jsonl"


def test_grid_is_the_product():
    jobs = grid(seed=range(2), encoding=["rope", "alibi"], task=("gap",))
    every = [(0, "rope"), (0, "alibi"), (1, "rope"), (1, "alibi")]
    assert jobs == [{"seed": seed, "encoding": encoding, "task": "gap"} for seed, encoding in every]


test_bad_choices = refused(
    (lambda: grid(encoding="rope"), "encoding='rope' must be a list of values", TypeError),
    (lambda: grid(seed=3), "seed=3 must be a list of values", TypeError),
    (lambda: grid(seed=[0], task=[]), r"task=\[\] must hold at least one value"),
)


@pytest.mark.parametrize(
    "change, error, message",
    [
        ({"jobs": []}, ValueError, "jobs are empty"),
        ({"jobs": [{"n": 1, "m": 2}, {"m": 2, "n": 1}]}, ValueError, r"jobs hold \{'m': 2, 'n': 1\} twice"),
        ({"jobs": {"n": 1}}, TypeError, "job 'n' must be a dict"),
        ({"jobs": [{"n": math.nan}]}, TypeError, r"job \{'n': nan\} must be a dict of plain values: finite numbers"),
        ({"workers": 0}, ValueError, "workers=0 must be at least 1"),
        ({"path": "missing/results.jsonl"}, ValueError, "must be a file in a folder that exists"),
    ],
)
def test_wrong_arguments_are_refused_and_nothing_is_written(change, error, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = {"run": partial(square, tmp_path), "jobs": [{"n": 1}], "path": "results.jsonl", "workers": 1} | change
    with pytest.raises(error, match=message):
        sweep(**arguments)
    assert list(tmp_path.iterdir()) == []


def test_only_what_is_missing_runs_and_lines_of_other_jobs_stay(path, tmp_path, capsys):
    assert sweep(partial(square, tmp_path), grid(n=[4, 1]), path, workers=1, label="two") == squares([4, 1])
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("two, 0 of 2 jobs found in results.jsonl: done, 2 steps in ")
    first = '{"job": {"n": 4}, "rows": [{"square": 16}]}\n{"job": {"n": 1}, "rows": [{"square": 1}]}\n'
    assert path.read_text(encoding="utf-8") == first
    assert sweep(partial(square, tmp_path), grid(n=range(4)), path, workers=1) == squares(range(4))
    assert calls(tmp_path) == {4: 1, 1: 1, 0: 1, 2: 1, 3: 1} and done(path) == [4, 1, 0, 2, 3]
    assert "1 of 4 jobs found in results.jsonl: done, 3 steps" in capsys.readouterr().err
    assert sweep(partial(square, tmp_path), grid(n=[3, 0])[::-1], path, workers=1) == squares([0, 3])
    assert sum(calls(tmp_path).values()) == 5


def test_the_order_of_names_means_nothing_and_types_do(path):
    sweep(lambda a, b: {"first": True}, [{"a": 1, "b": None}], path, workers=1)
    jobs = [{"b": None, "a": 1}, {"a": 1.0, "b": None}, {"a": True, "b": None}, {"a": "1", "b": None}]
    rows = sweep(lambda a, b: {"first": False}, jobs, path, workers=1)
    assert [row["first"] for row in rows] == [True, False, False, False]
    assert [list(row) for row in rows] == [["b", "a", "first"]] + [["a", "b", "first"]] * 3


def test_values_are_the_same_fresh_and_found(path):
    def run(n):
        return [{"loss": math.nan, "shape": (2, 3)}, {"loss": -math.inf, "text": "é\u2028\n"}, {"loss": 0.1 + 0.2}][:n]

    fresh = sweep(run, grid(n=[0, 3]), path, workers=1)
    assert repr(fresh) == repr(sweep(run, grid(n=[0, 3]), path, workers=1))  # repr, since NaN is not equal to itself
    assert repr(fresh[0]) == "{'n': 3, 'loss': nan, 'shape': [2, 3]}"
    assert fresh[1:] == [{"n": 3, "loss": -math.inf, "text": "é\u2028\n"}, {"n": 3, "loss": 0.30000000000000004}]


@pytest.mark.parametrize("value", [{"loss": torch.ones(1)}, [1, 2]], ids=repr)
def test_a_value_that_json_cannot_hold_stops_the_sweep_and_names_the_job(value, path, tmp_path):
    def run(n):
        return square(tmp_path, n) if n != 1 else value

    with pytest.raises(TypeError, match=r'job \{"n": 1\}: run returned .*; allowed: a dict of plain values'):
        sweep(run, grid(n=range(5)), path, workers=1)
    assert calls(tmp_path) == {0: 1} and done(path) == [0]


@contextlib.contextmanager
def one_of_four_fails(folder, name="n"):
    """What a sweep says in which `fail` does, and what is right afterwards."""
    failed = rf'1 of 4 jobs failed; .* in results.jsonl, .* only these: \{{"{name}": 1\}}'
    with pytest.raises(RuntimeError, match=failed) as caught:
        yield
    assert 'raise Awkward(n, "broken")' in str(caught.value) and str(caught.value).endswith("Awkward: broken at 1\n")
    (folder / "mended").touch()


def test_a_run_that_raises_is_named_and_does_not_stop_the_others(path, tmp_path):
    with one_of_four_fails(tmp_path):
        sweep(partial(fail, tmp_path), grid(n=range(4)), path, workers=1)
    assert sweep(partial(fail, tmp_path), grid(n=range(4)), path, workers=1) == squares(range(4))
    assert calls(tmp_path) == dict.fromkeys(range(4), 1)


@pytest.mark.parametrize("line", [b'{"job": {"n"', b'{"job": {"n": 1}}', b"[]"], ids=repr)
def test_a_file_that_cannot_be_read_is_refused_with_the_line_and_stays(line, path, tmp_path):
    sweep(partial(square, tmp_path), [{"n": 0}], path, workers=1)
    damaged = path.read_bytes() + line + b"\n"
    path.write_bytes(damaged)
    with pytest.raises(
        ValueError, match=r"results\.jsonl, line 2: no finished job; without the line, its job runs again"
    ):
        sweep(partial(square, tmp_path), grid(n=range(2)), path, workers=1)
    assert path.read_bytes() == damaged and calls(tmp_path) == {0: 1}


def test_a_write_that_fails_leaves_the_results_so_far(path, tmp_path):
    sweep(partial(square, tmp_path), [{"n": 0}], path, workers=1)
    before, full = path.read_bytes(), OSError("no space left")
    with patch("os.fsync", side_effect=full), pytest.raises(OSError, match="no space left"):
        sweep(partial(square, tmp_path), grid(n=range(3)), path, workers=1)
    assert path.read_bytes() == before


def workers_left():
    """Return the command lines of joblib's worker processes that this process has."""
    lines = [" ".join(child.cmdline()) for child in psutil.Process().children(recursive=True) if child.is_running()]
    return [line for line in lines if "loky" in line and "resource_tracker" not in line]


def test_processes_give_the_same_as_this_one_in_the_order_of_the_jobs_and_end(path, tmp_path):
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        alone = sweep(drawn, grid(seed=range(4)), path, workers=1)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)
    path.unlink()
    with one_of_four_fails(tmp_path, "seed"):
        sweep(partial(drawn_but_one, tmp_path), grid(seed=range(4)), path, workers=2)
    assert workers_left() == []
    assert sweep(partial(drawn_but_one, tmp_path), grid(seed=range(4)), path, workers=1) == alone
    assert calls(tmp_path) == dict.fromkeys(range(4), 1)
    assert {row["threads"] for row in alone} == {1} and len({row["drawn"] for row in alone}) == 4


def test_runs_in_one_process_take_turns_and_the_readers_backend_is_used(path, tmp_path):
    with joblib.parallel_config(backend="threading", n_jobs=4):
        rows = sweep(lambda seed: {**drawn(seed)[0], "here": os.getpid()}, grid(seed=range(8)), path)
    assert {row.pop("here") for row in rows} == {os.getpid()}
    assert rows == sweep(drawn, grid(seed=range(8)), tmp_path / "alone.jsonl", workers=1)


def test_a_sweep_that_is_killed_loses_nothing_that_was_done(path, tmp_path):
    script = (
        "import sys\nfrom functools import partial\nfrom posenc_helpers.lab.sweep import grid, sweep\n"
        "assert 'joblib' not in sys.modules, 'importing the helpers should stay cheap'\n"
        "from tests.lab.sweep_jobs import waiting\n"
        f"sweep(partial(waiting, {str(tmp_path)!r}), grid(n=range(5)), {str(path)!r}, workers=2)"
    )
    process, workers = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT), []
    try:
        while not (path.exists() and len(done(path)) == 4):  # all but job 2
            assert process.poll() is None
            time.sleep(0.05)
        workers = psutil.Process(process.pid).children(recursive=True)
    finally:
        process.kill()
        process.wait()
        for worker in workers:  # they outlive a killed parent by minutes
            worker.kill()
    (tmp_path / "go").touch()
    assert sweep(partial(waiting, tmp_path), grid(n=range(5)), path, workers=1) == squares(range(5))
    assert sorted(done(path)) == list(range(5)) and calls(tmp_path) == {0: 1, 1: 1, 2: 2, 3: 1, 4: 1}


@pytest.mark.parametrize("installed", [True, False])
def test_the_cell_of_notebook_08_takes_a_dask_cluster_where_there_is_one(installed, monkeypatch, capsys):
    if installed:
        pytest.importorskip("distributed")
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: find(name) if installed else None)
    (notebook,) = [path for path in PATHS if path.name.startswith("08_")]
    sources = {cell.id: cell.source for cell in read(notebook).cells}
    space = {"__name__": "__main__", "run": lambda n: {"dask": "distributed.worker" in sys.modules}}
    exec("from pathlib import Path\nfrom tempfile import TemporaryDirectory\n" + sources["imports"], space)
    space["jobs"] = grid(n=[0, 1])
    with joblib.parallel_config(backend="threading"):  # in place of processes, where the cell asks for nothing
        exec(sources["sweep-dask"], space)
    assert [row["n"] for row in space["elsewhere"]] == [0, 1]
    assert not installed or all(row["dask"] for row in space["elsewhere"])
    assert ("ran on a Dask cluster of two workers" if installed else "ran on all cores") in capsys.readouterr().out
