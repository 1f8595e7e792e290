"""Sweeps: every job once, in order, whoever does it; and nothing lost when workers, files or the sweep itself break."""

import contextlib
import json
import logging
import math
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter
from functools import partial
from pathlib import Path
from uuid import uuid4

import joblib
import psutil
import pytest
import torch
from joblib.parallel import ThreadingBackend

from posenc_helpers.encodings import ENCODINGS
from posenc_helpers.lab import sweep as module
from posenc_helpers.lab.sweep import grid, sweep
from posenc_helpers.lab.tasks import GapTask, OrderTask
from posenc_helpers.lab.training import seeded, train
from posenc_helpers.transformer import TinyTransformer
from tools.course import ROOT

# What the jobs do. Worker processes import these, so they stand in the module; a call leaves a file, so that it counts
# in whatever process it happens.


def square(folder, n):
    Path(folder, f"call-{n}-{uuid4().hex}").touch()
    return {"square": n * n}


def wait_for(done, seconds=120):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(PermissionError):  # Windows, just while a file is replaced
            if done():
                return
        time.sleep(0.01)
    raise AssertionError("waited too long")


def stuck(folder, n):
    """As `square`, but job 2 tells its process and does not end before the file "go" is there."""
    row = square(folder, n)
    if n == 2:
        name = Path(folder, f"pid-{uuid4().hex}")
        name.write_text(str(os.getpid()), encoding="utf-8")
        os.replace(name, Path(folder, "pid"))
        wait_for(Path(folder, "go").exists)
    return row


def fail(folder, n):
    if n in (1, 3) and not Path(folder, "mended").exists():
        raise Awkward(n, "broken") if n == 1 else SystemExit("broken at 3")
    return square(folder, n)


class Awkward(Exception):
    """It can be pickled, but not unpickled."""

    def __init__(self, number, text):
        super().__init__(f"{text} at {number}")


def learn(seed, encoding, task):
    task = {"order": OrderTask(), "gap": GapTask()}[task]
    with seeded(seed):
        model = TinyTransformer(task.vocabulary, 16, 2, layers=1, encoding=ENCODINGS[encoding](16, 2, 12), causal=False)
    losses = train(model, task, length=12, steps=4, batch=6, seed=seed, label=None)
    return [{"step": step, "loss": loss, "threads": torch.get_num_threads()} for step, loss in enumerate(losses)]


def calls(folder):
    return Counter(int(path.name.split("-")[1]) for path in Path(folder).glob("call-*"))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.jsonl"


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def squares(numbers):
    return [{"n": n, "square": n * n} for n in numbers]


# Jobs


def test_grid_is_the_product():
    assert grid(seed=range(2), encoding=["rope", "alibi"], task=("gap",)) == [
        {"seed": 0, "encoding": "rope", "task": "gap"},
        {"seed": 0, "encoding": "alibi", "task": "gap"},
        {"seed": 1, "encoding": "rope", "task": "gap"},
        {"seed": 1, "encoding": "alibi", "task": "gap"},
    ]


@pytest.mark.parametrize(
    "choices, error, message",
    [
        ({"encoding": "rope"}, TypeError, "encoding='rope' must be a list of values"),
        ({"seed": 3}, TypeError, "seed=3 must be a list of values"),
        ({"seed": [0], "task": []}, ValueError, r"task=\[\] must hold at least one value"),
    ],
)
def test_grid_refuses(choices, error, message):
    with pytest.raises(error, match=message):
        grid(**choices)


@pytest.mark.parametrize(
    "change, error, message",
    [
        ({"run": "square"}, TypeError, "run='square' must be a function"),
        ({"jobs": []}, ValueError, "jobs are empty"),
        ({"jobs": [{"n": 1}, {"n": 2}, {"n": 1}]}, ValueError, r"jobs hold \{'n': 1\} twice"),
        ({"jobs": [{"n": 1, "m": 2}, {"m": 2, "n": 1}]}, ValueError, r"jobs hold \{'m': 2, 'n': 1\} twice"),
        ({"jobs": [{"n": 5}] * 2}, ValueError, r"jobs hold \{'n': 5\} twice"),
        ({"jobs": {"n": 1}}, TypeError, "job 'n' must be a dict"),
        ({"jobs": [("n", 1)]}, TypeError, r"job \('n', 1\) must be a dict"),
        ({"jobs": [{"n": math.nan}]}, TypeError, r"job \{'n': nan\} must hold plain values"),
        ({"jobs": [{"n": math.inf}]}, TypeError, r"job \{'n': inf\} must hold plain values: finite numbers"),
        ({"jobs": [{"n": (1, 2)}]}, TypeError, r"job \{'n': \(1, 2\)\} must hold plain values"),
        ({"jobs": [{"n": torch.ones(1)}]}, TypeError, r"job \{'n': tensor.* must hold plain values"),
        ({"jobs": [{1: "n"}]}, TypeError, r"job \{1: 'n'\} must hold plain values"),
        ({"workers": 0}, ValueError, "workers=0 must be at least 1, or -1 for all cores"),
        ({"workers": -2}, ValueError, "workers=-2 must be at least -1"),
        ({"workers": 1.5}, TypeError, "workers=1.5 must be an integer"),
        (
            {"path": "missing/results.jsonl"},
            ValueError,
            "missing.results.jsonl' must be a file in a folder that exists",
        ),
        ({"path": "."}, ValueError, "must be a file in a folder that exists"),
    ],
)
def test_wrong_arguments_are_refused_and_nothing_is_written(change, error, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = {"run": partial(square, tmp_path), "jobs": [{"n": 1}], "path": "results.jsonl", "workers": 1} | change
    with pytest.raises(error, match=message):
        sweep(**arguments)
    assert list(tmp_path.iterdir()) == []


# Results, the file, and what is found there


def test_rows_and_file(path, tmp_path, capsys):
    jobs = grid(n=[3, 1, 2])
    assert sweep(partial(square, tmp_path), jobs, path, workers=1, label="three") == squares([3, 1, 2])
    assert path.read_text(encoding="utf-8") == (
        '{"job": {"n": 3}, "rows": [{"square": 9}]}\n'
        '{"job": {"n": 1}, "rows": [{"square": 1}]}\n'
        '{"job": {"n": 2}, "rows": [{"square": 4}]}\n'
    )
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("three, 0 of 3 jobs found in results.jsonl: done, 3 steps in ")
    assert jobs == grid(n=[3, 1, 2])


def test_only_what_is_missing_runs(path, tmp_path, capsys):
    sweep(partial(square, tmp_path), grid(n=[4, 1]), path, workers=1)
    assert sweep(partial(square, tmp_path), grid(n=range(4)), path, workers=1) == squares(range(4))
    assert calls(tmp_path) == {4: 1, 1: 1, 0: 1, 2: 1, 3: 1}
    assert [line["job"]["n"] for line in lines(path)] == [4, 1, 0, 2, 3]  # the job that is not asked for stays
    assert "1 of 4 jobs found in results.jsonl: done, 3 steps" in capsys.readouterr().err
    before = path.read_bytes()
    assert sweep(partial(square, tmp_path), grid(n=[3, 0]), path, workers=1) == squares([3, 0])
    assert path.read_bytes() == before and sum(calls(tmp_path).values()) == 5


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
    found = sweep(run, grid(n=[0, 3]), path, workers=1)
    assert repr(fresh) == repr(found)  # repr, since NaN is not equal to itself
    assert repr(found[0]) == "{'n': 3, 'loss': nan, 'shape': [2, 3]}"
    assert found[1:] == [{"n": 3, "loss": -math.inf, "text": "é\u2028\n"}, {"n": 3, "loss": 0.30000000000000004}]
    assert len(path.read_bytes().splitlines()) == 2


@pytest.mark.parametrize(
    "value, what",
    [(torch.ones(1), "got Tensor"), ({"loss": torch.ones(1)}, "Tensor is not JSON serializable"), (None, "got NoneType"),
     ([1, 2], "got list"), ({"seeds": {1, 2}}, "set is not JSON serializable")],
)  # fmt: skip
def test_a_value_that_json_cannot_hold_stops_the_sweep_and_names_the_job(value, what, path):
    ran = []

    def run(n):
        ran.append(n)
        return {"fine": 1} if n == 0 else value

    with pytest.raises(TypeError, match=rf'job \{{"n": 1\}}: run must return a dict of plain values.*{what}'):
        sweep(run, grid(n=range(5)), path, workers=1)
    assert ran == [0, 1]
    assert lines(path) == [{"job": {"n": 0}, "rows": [{"fine": 1}]}]


def test_a_run_that_raises_does_not_stop_the_others(path, tmp_path):
    with pytest.raises(RuntimeError) as caught:
        sweep(partial(fail, tmp_path), grid(n=range(5)), path, workers=1)
    assert str(caught.value) == (
        "2 of 5 jobs failed; the results of the others are in results.jsonl, and the next call runs only these:\n"
        '  {"n": 1}: Awkward: broken at 1\n  {"n": 3}: SystemExit: broken at 3'
    )
    assert 'raise Awkward(n, "broken")' in str(caught.value.__cause__)
    assert [line["job"]["n"] for line in lines(path)] == [0, 2, 4]
    (tmp_path / "mended").touch()
    assert sweep(partial(fail, tmp_path), grid(n=range(5)), path, workers=1) == squares(range(5))
    assert calls(tmp_path) == dict.fromkeys(range(5), 1)


def test_many_failures_are_not_all_listed(path):
    with pytest.raises(RuntimeError, match="30 of 30 jobs failed") as caught:
        sweep(lambda n: 1 / 0, grid(n=range(30)), path, workers=1)
    assert len(str(caught.value).splitlines()) == 12
    assert not path.exists()


def test_one_thread_inside_and_as_before_outside(path, monkeypatch):
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        assert sweep(lambda n: {"threads": torch.get_num_threads()}, [{"n": 0}], path, workers=1)[0]["threads"] == 1
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


# Damaged files

GOOD = [json.dumps({"job": {"n": n}, "rows": [{"square": n * n}]}).encode() for n in range(4)]


@pytest.mark.parametrize(
    "content, bad, kept",
    [
        (b"\n".join(GOOD)[:-20], "4", [0, 1, 2]),
        (b"\n".join([GOOD[0], b'{"job": {"n"', GOOD[2], b"garbage", GOOD[3]]) + b"\n", "2, 4", [0, 2, 3]),
        (b"\n".join([GOOD[0], b'{"job": {"n": 1}}', b'{"rows": []}', b"[]", b"3", GOOD[3]]), "2, 3, 4, 5", [0, 3]),
        (b"\n".join([GOOD[0], b'{"job": {"n": 1}, "rows": [5]}', b'{"job": {"n": NaN}, "rows": []}']), "2, 3", [0]),
        (b"\n".join([GOOD[0], GOOD[1], GOOD[0]]), "3", [0, 1]),
        (b"\n".join([GOOD[0], b"[" * 100_000, GOOD[1]]), "2", [0, 1]),
        (b"\n".join([GOOD[0], b"\0" * 5000]), "2", [0]),
        (random.Random(0).randbytes(3000).replace(b"\n", b"x"), "1", []),
        (b"\n".join([GOOD[1]] + [b"?"] * 15), "2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ...", [1]),
    ],
    ids=["truncated", "garbage", "missing fields", "wrong fields", "twice", "deep", "zeros", "binary", "many"],
)
def test_damaged_lines_are_named_and_the_file_is_set_aside(content, bad, kept, path, tmp_path):
    path.write_bytes(content)
    with pytest.warns(UserWarning) as caught:
        rows = sweep(partial(square, tmp_path), grid(n=range(4)), path, workers=1)
    where = ("lines " if "," in bad else "line ") + bad
    assert [str(warning.message) for warning in caught] == [
        f"results.jsonl was damaged at {where}: set aside as results.jsonl.corrupt-1; {len(kept)} results are kept, "
        "and the jobs of the damaged lines run again"
    ]
    assert caught[0].filename == __file__  # it points to the call
    assert (tmp_path / "results.jsonl.corrupt-1").read_bytes() == content
    assert rows == squares(range(4))
    assert calls(tmp_path) == dict.fromkeys(set(range(4)) - set(kept), 1)
    assert sorted(line["job"]["n"] for line in lines(path)) == list(range(4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sweep(partial(square, tmp_path), grid(n=range(4)), path, workers=1) == rows


def test_a_second_damaged_file_does_not_replace_the_first(path, tmp_path):
    for number in (1, 2, 3):
        path.write_bytes(GOOD[0] + f"\n{number}".encode())
        with pytest.warns(UserWarning, match=f"set aside as results.jsonl.corrupt-{number};"):
            sweep(partial(square, tmp_path), [{"n": 0}], path, workers=1)
    assert [(tmp_path / f"results.jsonl.corrupt-{n}").read_bytes()[-1:] for n in (1, 2, 3)] == [b"1", b"2", b"3"]
    assert calls(tmp_path) == {}


@pytest.mark.parametrize("ending", [b"", b"\n", b"\r\n", b"\n\n"], ids=repr)
def test_how_the_last_line_ends_means_nothing(ending, path, tmp_path, recwarn):
    path.write_bytes(GOOD[0] + (ending or b"\n") + GOOD[2] + ending)
    assert sweep(partial(square, tmp_path), grid(n=range(3)), path, workers=1) == squares(range(3))
    assert calls(tmp_path) == {1: 1} and len(lines(path)) == 3 and not recwarn.list


# Interrupted at the worst moment


@pytest.mark.parametrize("broken", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_results_so_far(broken, path, tmp_path, monkeypatch):
    sweep(partial(square, tmp_path), grid(n=range(2)), path, workers=1)
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(module.os, broken, lambda *_: (_ for _ in ()).throw(OSError("no space left")))
        with pytest.raises(OSError, match="no space left"):
            sweep(partial(square, tmp_path), grid(n=range(4)), path, workers=1)
        assert path.read_bytes() == before
    assert sweep(partial(square, tmp_path), grid(n=range(4)), path, workers=1) == squares(range(4))
    assert calls(tmp_path) == {0: 1, 1: 1, 2: 2, 3: 1}
    assert {p.name for p in tmp_path.iterdir() if p.name[:5] != "call-"} == {path.name, f".{path.name}.lock"}


def test_a_sweep_killed_while_it_sets_a_file_aside_hides_no_good_line(path, tmp_path, monkeypatch):
    path.write_bytes(GOOD[0] + b"\ngarbage")
    with monkeypatch.context() as patch:
        patch.setattr(module.os, "replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            sweep(partial(square, tmp_path), grid(n=range(2)), path, workers=1)
    with pytest.warns(UserWarning, match=r"line 2: set aside as results.jsonl.corrupt-2; 1 results are kept"):
        sweep(partial(square, tmp_path), grid(n=range(2)), path, workers=1)
    assert calls(tmp_path) == {1: 1}


def test_who_reads_during_a_sweep_sees_whole_lines(path):
    seen, stop = [], threading.Event()

    def read():
        while not stop.is_set():
            with contextlib.suppress(PermissionError):  # Windows, just while the file is replaced
                seen.append(path.read_bytes() if path.exists() else b"")

    reader = threading.Thread(target=read)
    reader.start()
    try:
        sweep(lambda n: {"text": str(n) * 50_000}, grid(n=range(1, 10)), path, workers=1)
    finally:
        stop.set()
        reader.join()
    found = [[json.loads(line)["job"]["n"] for line in content.splitlines()] for content in set(seen)]
    assert all(numbers == list(range(1, 1 + len(numbers))) for numbers in found)
    assert all(content.endswith(b"\n") for content in seen if content)


def start(function, folder, path, workers):
    """Start a sweep over n = 0 ... 5 in a process of its own."""
    script = (
        "import signal, sys\nfrom functools import partial\nfrom posenc_helpers.lab.sweep import grid, sweep\n"
        # a shell that starts tests in the background has Ctrl-C ignored, and children inherit that
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "assert 'joblib' not in sys.modules, 'importing the helpers should stay cheap'\n"
        f"from tests.lab.test_sweep import {function}\n"
        f"sweep(partial({function}, {str(folder)!r}), grid(n=range(6)), {str(path)!r}, workers={workers})"
    )
    return subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stderr=subprocess.PIPE, start_new_session=True)


@pytest.mark.parametrize(
    "how, workers",
    [
        ("kill", 1),
        ("kill", 2),
        pytest.param("interrupt", 2, marks=pytest.mark.skipif(os.name == "nt", reason="Windows sends Ctrl-C to us, too")),
    ],
)
def test_a_sweep_that_is_killed_loses_nothing_that_was_done(how, workers, path, tmp_path):
    process = start("stuck", tmp_path, path, workers)
    others, workers_of_it = 2 if workers == 1 else 5, []  # `others` finish while job 2 does not
    try:
        wait_for(lambda: process.poll() is not None or (path.exists() and len(lines(path)) == others))
        wait_for(lambda: process.poll() is not None or (tmp_path / "pid").exists())
        assert process.poll() is None, process.stderr.read().decode()
        with pytest.raises(RuntimeError, match=r"another sweep is writing results\.jsonl"):
            sweep(partial(stuck, tmp_path), grid(n=range(6)), path, workers=1)
        workers_of_it = psutil.Process(process.pid).children(recursive=True)
        process.kill() if how == "kill" else process.send_signal(signal.SIGINT)
        process.wait(120)
        (tmp_path / "go").touch()
        # while workers of the killed sweep may still be there
        assert sweep(partial(stuck, tmp_path), grid(n=range(6)), path, workers=1) == squares(range(6))
    finally:
        process.kill()
        process.stderr.close()
        process.wait(120)
        for worker in workers_of_it:  # they outlive a killed parent by minutes
            with contextlib.suppress(psutil.NoSuchProcess):
                worker.kill()
    assert sorted(line["job"]["n"] for line in lines(path)) == list(range(6))
    assert calls(tmp_path) == {n: 2 if n == 2 else 1 for n in range(6)}


# More than one worker


def test_two_processes_give_the_same_as_one(path, tmp_path):
    jobs = grid(seed=[0, 1], encoding=["sinusoidal", "rope"], task=["order", "gap"])
    alone = sweep(learn, jobs, path, workers=1)
    both = sweep(learn, jobs, tmp_path / "both.jsonl", workers=2)
    again = sweep(learn, jobs[::-1], tmp_path / "again.jsonl", workers=1)
    assert alone == both
    assert sorted(again, key=str) == sorted(alone, key=str)
    assert len(alone) == 32 and {row["threads"] for row in both} == {1}
    assert len({row["loss"] for row in alone}) == 32, "every job should be another one"


def workers_left():
    """Return the command lines of joblib's worker processes that this process has."""
    lines = [" ".join(child.cmdline()) for child in psutil.Process().children(recursive=True) if child.is_running()]
    return [line for line in lines if "loky" in line and "resource_tracker" not in line]


def test_no_worker_stays_behind_with_its_memory(path, tmp_path):
    sweep(partial(square, tmp_path), grid(n=range(4)), path, workers=2)
    assert workers_left() == []
    with pytest.raises(RuntimeError, match="2 of 5 jobs failed"):
        sweep(partial(fail, tmp_path), grid(n=range(5)), tmp_path / "failed.jsonl", workers=2)
    assert workers_left() == []


def test_order_is_that_of_the_jobs_whatever_finishes_first(path, tmp_path):
    def let_go():
        wait_for(lambda: path.exists() and len(lines(path)) == 3)
        (tmp_path / "go").touch()

    thread = threading.Thread(target=let_go)
    thread.start()
    try:
        assert sweep(partial(stuck, tmp_path), grid(n=[2, 0, 3, 1]), path, workers=2) == squares([2, 0, 3, 1])
    finally:
        thread.join()
    assert [line["job"]["n"] for line in lines(path)][-1] == 2


def test_in_other_processes_too_a_run_that_raises_is_named(path, tmp_path):
    with pytest.raises(RuntimeError, match="broken at 1") as caught:
        sweep(partial(fail, tmp_path), grid(n=range(5)), path, workers=2)
    assert 'raise Awkward(n, "broken")' in str(caught.value.__cause__)
    assert sorted(line["job"]["n"] for line in lines(path)) == [0, 2, 4]


class Recorder(ThreadingBackend):
    """Threads of this process, and a note of how many were asked for; like Ray it gives results a whole call at a time."""

    supports_return_generator = False

    def configure(self, n_jobs=1, parallel=None, **options):
        self.asked = n_jobs
        return super().configure(n_jobs=n_jobs, parallel=parallel, **options)


@pytest.mark.parametrize(
    "workers, context, asked", [(None, 3, 3), (2, 3, 2), (None, None, -1), (2, None, 2), (1, 3, 1)]
)
def test_the_readers_backend_is_used(workers, context, asked, path, tmp_path):
    backend = Recorder()
    with joblib.parallel_config(backend=backend, n_jobs=context):
        assert sweep(partial(square, tmp_path), grid(n=range(7)), path, workers=workers) == squares(range(7))
    assert backend.asked == asked
    assert calls(tmp_path) == dict.fromkeys(range(7), 1)


def test_a_backend_that_gives_results_late_is_asked_for_a_few_at_a_time(path, tmp_path):
    with joblib.parallel_config(backend=Recorder(), n_jobs=2), pytest.raises(TypeError, match=r'job \{"n": 4\}'):
        sweep(lambda n: square(tmp_path, n) if n != 4 else None, grid(n=range(8)), path)
    assert [line["job"]["n"] for line in lines(path)] == [0, 1, 2, 3]


@pytest.mark.parametrize("backend", ["threading", Recorder()], ids=["threading", "recorder"])
def test_runs_in_one_process_take_turns(backend, path):
    running, most = [], []

    def run(n):
        running.append(n)
        time.sleep(0.002)
        most.append(len(running))
        running.remove(n)
        return {}

    with joblib.parallel_config(backend=backend, n_jobs=4):
        sweep(run, grid(n=range(12)), path)
    assert most == [1] * 12


@pytest.fixture(scope="module")
def cluster():
    """A Dask cluster of two worker processes with one thread each."""
    from dask.distributed import Client, LocalCluster  # here, since every worker process imports this module

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def test_a_dask_worker_killed_in_mid_sweep_loses_nothing(cluster, path, tmp_path):
    killed, pids = [], cluster.run(os.getpid).values()

    def kill():
        wait_for((tmp_path / "pid").exists)
        wait_for(lambda: path.exists() and len(lines(path)) >= 2)
        killed.append(int((tmp_path / "pid").read_text(encoding="utf-8")))
        psutil.Process(killed[0]).kill()
        (tmp_path / "go").touch()

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        with joblib.parallel_config(backend="dask"):
            rows = sweep(partial(stuck, tmp_path), grid(n=range(10)), path)
    finally:
        (tmp_path / "go").touch()
        thread.join()
    assert killed[0] in pids and len(pids) == 2
    assert rows == squares(range(10))
    assert sorted(line["job"]["n"] for line in lines(path)) == list(range(10))
    assert calls(tmp_path)[2] >= 2, "the job of the killed worker should have been done again"


def test_dask_gives_the_same_as_this_process_and_resumes(cluster, path, tmp_path):
    jobs = grid(seed=[3], encoding=["alibi", "learned"], task=["order", "gap"])
    with joblib.parallel_config(backend="dask"):
        sweep(learn, jobs[:1], path)
        rows = sweep(learn, jobs, path)
        with pytest.raises(RuntimeError, match="2 of 5 jobs failed"):
            sweep(partial(fail, tmp_path), grid(n=range(5)), tmp_path / "failing.jsonl")
        with pytest.raises(TypeError, match=r'job \{"real": 1\}: run must return .* \(got complex\)'):
            sweep(complex, grid(real=[1]), tmp_path / "complex.jsonl")
    assert rows == sweep(learn, jobs, tmp_path / "here.jsonl", workers=1)
    assert calls(tmp_path) == dict.fromkeys([0, 2, 4], 1)
