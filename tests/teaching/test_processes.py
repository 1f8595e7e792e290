"""No process of an answer outlives the one that judges it, with a jail and without."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from tests.teaching.classes import RIGHT, SECONDS, gray, save, table
from tests.teaching.test_jail import JAIL
from tools.course import ROOT
from tools.grading import report
from tools.grading.sandbox import opened

# An answer that never ends, holds Python's lock, and has started a process that left its group.
ENDLESS = """
import os, re, subprocess, sys
other = subprocess.Popen([sys.executable, "-c", "import time\\nwhile True: time.sleep(1)"], start_new_session=True)
with open({path!r} + ".part", "w") as file:
    file.write(f"{{os.getpid()}} {{os.getppid()}} {{other.pid}}")
os.replace({path!r} + ".part", {path!r})
re.match("(a+)+$", "a" * 99 + "b")
"""


def alive(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def until(condition, seconds=60):
    """Wait until `condition()` holds, and return what it returned last."""
    end = time.monotonic() + seconds
    while not (held := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return held


def started(folder):
    """Start the command on an endless answer without a jail; return its process, and the processes of the answer."""
    pids = folder / "pids"
    save(gray(ENDLESS.format(path=str(pids)) + RIGHT), folder / "in" / "ada" / "x.ipynb")
    (folder / "tmp").mkdir()
    command = [sys.executable, "-m", "tools.grading", "in", "--csv", "out.csv", "--trust"]
    set_up = {"PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "tmp")}
    process = subprocess.Popen(command, env=os.environ | set_up, cwd=folder)
    assert until(pids.exists)
    found = [int(pid) for pid in pids.read_text(encoding="utf-8").split()]
    assert all(map(alive, found))
    return process, found


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no such signals")
@pytest.mark.parametrize("name", [pytest.param("SIGINT", marks=pytest.mark.nightly), "SIGTERM", "SIGKILL"])
def test_no_process_of_an_answer_outlives_the_grader(name, tmp_path):
    process, pids = started(tmp_path)
    process.send_signal(getattr(signal, name))
    assert process.wait(60) != 0
    assert until(lambda: not any(map(alive, pids)))
    assert name == "SIGKILL" or not list((tmp_path / "tmp").iterdir())  # told to end, it leaves no folders behind


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_an_answer_ends_with_its_guard_too(tmp_path):
    process, (answer, guard, other) = started(tmp_path)
    os.kill(guard, 9)
    assert until(lambda: not alive(answer))
    process.wait(60)
    rows = table(tmp_path / "out.csv")
    assert [row["mistake"] for row in rows if row["exercise"] == "gray"] == ["process ended"]
    os.kill(other, 9)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a process that left its group is not found")
@pytest.mark.parametrize("ending, mistake", [("", ""), ("import time\ntime.sleep(1000)\n", "timed out")])
def test_what_an_answer_started_ends_when_it_is_judged(ending, mistake, tmp_path):
    pids = tmp_path / "pids"
    source = ENDLESS.format(path=str(pids)).replace('re.match("(a+)+$", "a" * 99 + "b")\n', ending) + RIGHT
    save(gray(source), tmp_path / "in" / "ada" / "x.ipynb")
    with opened(trust=True) as sandbox:
        rows = list(report.grade_folder(tmp_path / "in", report.lessons(), sandbox, SECONDS / 3, jobs=1))
    assert [row.mistake for row in rows if row.exercise == "gray"] == [mistake]
    assert not any(map(alive, map(int, pids.read_text(encoding="utf-8").split())))


@JAIL
def test_no_process_in_a_jail_outlives_the_grader(tmp_path):
    save(gray("while True:\n    pass\n" + RIGHT), tmp_path / "in" / "ada" / "x.ipynb")
    command = [sys.executable, "-m", "tools.grading", str(tmp_path / "in"), "--csv", str(tmp_path / "out.csv")]
    process = psutil.Popen(command, cwd=ROOT)

    # the guard, bubblewrap twice, and the answer
    assert until(lambda: len(process.children(recursive=True)) >= 4)
    found = process.children(recursive=True)
    process.kill()
    process.wait(60)
    assert until(lambda: not any(alive(p.pid) for p in found))
