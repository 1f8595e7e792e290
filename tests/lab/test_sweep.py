"""Sweeps: every job once, in order, whoever does it; and nothing lost when a job, the file or the sweep itself breaks."""

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
from uuid import uuid4

import joblib
import psutil
import pytest
import torch

from posenc_helpers.lab.sweep import grid, sweep
from tests.notebooks.reading import PATHS, read
from tools.course import ROOT


def square(folder, n):
    """What the jobs do; a call leaves a file, so that it counts in whatever process it happens."""
    Path(folder, f"call-{n}-{uuid4().hex}").touch()
    return {"square": n * n}


def waiting(folder, n):
    """As `square`, but job 2 does not end before the file "go" is there."""
    row = square(folder, n)
    while n == 2 and not Path(folder, "go").exists():
        time.sleep(0.01)
    return row


class Awkward(Exception):
    """It can be pickled, but not unpickled."""

    def __init__(self, number, text):
        super().__init__(f"{text} at {number}")


def fail(folder, n):
    if n == 1 and not Path(folder, "mended").exists():
        raise Awkward(n, "broken")
    return square(folder, n)


def drawn(seed):
    torch.manual_seed(seed)
    time.sleep(0.01)  # another run in this process would draw here
    return [{"threads": torch.get_num_threads(), "drawn": torch.rand(1).item()}]


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
    assert grid(seed=range(2), encoding=["rope", "alibi"], task=("gap",)) == [
        {"seed": 0, "encoding": "rope", "task": "gap"},
        {"seed": 0, "encoding": "alibi", "task": "gap"},
        {"seed": 1, "encoding": "rope", "task": "gap"},
        {"seed": 1, "encoding": "alibi", "task": "gap"},
    ]
    with pytest.raises(TypeError, match="encoding='rope' must be a list of values"):
        grid(encoding="rope")
    with pytest.raises(TypeError, match="seed=3 must be a list of values"):
        grid(seed=3)
    with pytest.raises(ValueError, match=r"task=\[\] must hold at least one value"):
        grid(seed=[0], task=[])


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


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_that_raises_is_named_and_does_not_stop_the_others(workers, path, tmp_path):
    with pytest.raises(
        RuntimeError, match=r'1 of 4 jobs failed; .* in results.jsonl, .* only these: \{"n": 1\}'
    ) as caught:
        sweep(partial(fail, tmp_path), grid(n=range(4)), path, workers=workers)
    assert 'raise Awkward(n, "broken")' in str(caught.value) and str(caught.value).endswith("Awkward: broken at 1\n")
    (tmp_path / "mended").touch()
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


def test_a_write_that_fails_leaves_the_results_so_far(path, tmp_path, monkeypatch):
    sweep(partial(square, tmp_path), [{"n": 0}], path, workers=1)
    before = path.read_bytes()
    with monkeypatch.context() as patch, pytest.raises(OSError, match="no space left"):
        patch.setattr(os, "fsync", lambda *_: (_ for _ in ()).throw(OSError("no space left")))
        sweep(partial(square, tmp_path), grid(n=range(3)), path, workers=1)
    assert path.read_bytes() == before
    assert {p.name for p in tmp_path.iterdir() if p.name[:5] != "call-"} == {path.name}


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
    assert sweep(drawn, grid(seed=range(4)), tmp_path / "both.jsonl", workers=2) == alone
    assert workers_left() == []
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
        "from tests.lab.test_sweep import waiting\n"
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
    space = {
        "__name__": "__main__",
        "run": lambda n: {"dask": "distributed.worker" in sys.modules},
        "jobs": grid(n=[0, 1]),
    }
    exec("from pathlib import Path\nfrom tempfile import TemporaryDirectory\n" + sources["imports"], space)
    exec(sources["sweep-dask"], space)
    assert [row["n"] for row in space["elsewhere"]] == [0, 1]
    assert all(row["dask"] for row in space["elsewhere"]) == installed
    assert ("ran on a Dask cluster of two workers" if installed else "ran on all cores") in capsys.readouterr().out
