"""What an answer in the jail cannot reach, what is ended, and that nothing runs where there is no jail."""

import json
import os
import platform
import re
import shutil
import socket
import threading

import pytest

from tests.teaching.classes import JAILED, RIGHT, SECONDS, gray, save, table
from tools.course import ROOT
from tools.grading import __main__ as grade
from tools.grading import package, sandbox, seccomp
from tools.grading.sandbox import Sandbox

JAIL = pytest.mark.skipif(not JAILED, reason="bubblewrap is missing here, or not allowed")

REACH = """
import os, socket, sys
import posenc_helpers
def parent(pid):
    return open(f"/proc/{{pid}}/stat").read().rpartition(")")[2].split()[1]
def others():  # but its own twin
    me = str(os.getpid())
    found = [pid for pid in os.listdir("/proc") if pid.isdigit() and pid not in ("1", me) and parent(pid) != me]
    return open(f"/proc/{{found[0]}}/environ", "rb").read()
ways = {{
    "a file of the teacher": lambda: open({secret!r}).read(),
    "the course": lambda: os.listdir({root!r} + "/notebooks"),
    "solutions": lambda: os.listdir(os.path.dirname(posenc_helpers.__file__) + "/../notebooks"),
    "tests": lambda: os.listdir({root!r} + "/tests"),
    "other submissions": lambda: os.listdir({submitted!r}),
    "the package": lambda: open(posenc_helpers.__file__, "a").close(),
    "the environment": lambda: open(sys.prefix + "/a", "w").close() or os.remove(sys.prefix + "/a"),
    "the network": lambda: socket.create_connection(("127.0.0.1", {port}), 5).close(),
    "processes": others,
    "variables": lambda: os.environ["SECRET"],
    "variables of the guard": lambda: int("SECRET" in open("/proc/1/environ").read()) or 1 / 0,
}}
reached = []
for way, go in ways.items():
    try:
        go()
        reached.append(way)
    except (OSError, KeyError, IndexError, ZeroDivisionError):
        pass
raise RuntimeError(", ".join(reached) or "nothing")
"""


@pytest.fixture
def reach(tmp_path, monkeypatch):
    """A submission that tries to reach what is the teacher's; yields the folder, and hears who knocks."""
    (tmp_path / "secret").write_text("of the teacher", encoding="utf-8")
    monkeypatch.setenv("SECRET", "of the teacher")
    with socket.create_server(("127.0.0.1", 0)) as server:
        where = {"secret": str(tmp_path / "secret"), "root": str(ROOT), "submitted": str(tmp_path / "in")}
        source = REACH.format(port=server.getsockname()[1], **where)
        save(gray(source + RIGHT), tmp_path / "in" / "ada" / "x.ipynb")
        yield tmp_path


def graded(folder, *settings):
    """Return {student: row} of the exercise gray of what lies in the folder "in"."""
    where = [str(folder / "in"), "--csv", str(folder / "out.csv")]
    grade.main([*where, "--jobs", "2", "--seconds", str(SECONDS), *settings])
    return {row["student"]: row for row in table(folder / "out.csv") if row["exercise"] == "gray"}


@JAIL
def test_in_the_jail_an_answer_reaches_nothing(reach):
    row = graded(reach)["ada"]
    assert row["message"].startswith("RuntimeError: nothing"), row
    assert "imports os" in row["look"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no /proc")
def test_without_a_jail_it_reaches_what_you_reach(reach):
    """So the test above asks for what can be reached."""
    row = graded(reach, "--trust")["ada"]
    for way in ("a file of the teacher", "the course", "tests", "other submissions", "the package", "the network"):
        assert way in row["message"], row
    assert "solutions" not in row["message"] and "variables" not in row["message"]


# System calls that no answer needs: (number, arguments); each is tried, and what is not refused is named.
TRY = """
import ctypes, os
system, done = ctypes.CDLL(None, use_errno=True), []
for name, number, *given in {calls}:
    if system.syscall(number, *given) != -1 or ctypes.get_errno() != 1:
        done.append(name)
for way, here in (("id", os.getuid() == 65534), ("name", os.uname().nodename == "student")):
    done += [] if here else [way]
try:
    open("/proc/sys/kernel/core_pattern", "a").close()
    done.append("/proc")
except OSError:
    pass
raise RuntimeError(", ".join(done) or "nothing")
"""


@JAIL
@pytest.mark.skipif(not seccomp.program(), reason="no filter for this machine")
def test_in_the_jail_system_calls_that_reach_further_are_refused(tmp_path):
    _, refused, special = seccomp.MACHINES[platform.machine()]
    calls = [(name, number, 0, 0, 0, 0) for name, number in refused.items()]
    calls += [(f"socket {family}", special["socket"], family, 1, 0) for family in (2, 10, 16, 17, 38, 40)]
    calls += [("a user of its own", special["clone"], 0x10000011, 0, 0, 0, 0)]
    calls += [("x32", 0x40000000 + 39)] if platform.machine() == "x86_64" else []
    save(gray(TRY.format(calls=calls) + RIGHT), tmp_path / "in" / "ada" / "x.ipynb")
    row = graded(tmp_path)["ada"]
    assert row["message"].startswith("RuntimeError: nothing"), row


@JAIL
@pytest.mark.parametrize("without", ["disable-userns", "proc"], ids=["older than 0.8", "no /proc"])
def test_a_jail_may_do_with_less(without, tmp_path, monkeypatch):
    real = shutil.which("bwrap")
    only(tmp_path, monkeypatch, f'case "$*" in *--{without}*) exit 1;; esac\nexec {real} "$@"')
    save(gray(RIGHT), tmp_path / "in" / "ada" / "x.ipynb")
    assert graded(tmp_path)["ada"]["outcome"] == "right"


# What takes too much

# A copy of a process counts as if its memory were its own, so that forks may be ended for either.
FORKS = "import os, time\nfor _ in range(60):\n    if not os.fork():\n        time.sleep(1000)\ntime.sleep(1000)\n"
MEMORY = "held = []\nwhile True:\n    held.append(b'x' * 2**26)\n"
FILES = "for k in range(99):\n    with open(f'/tmp/{k}', 'wb') as file:\n        file.write(bytes(2**23))\n"
FLOOD = "import os\nfor k in range(3, 20):\n    try:\n        os.write(k, b'x' * 10**8)\n    except OSError:\n        pass\n"
GREEDY = {
    "forks": (FORKS, "too much memory|too many processes"),
    "memory": (MEMORY, "too much memory"),
    "files": (FILES, "OSError"),
    "floods": (FLOOD, "process ended"),
}


@JAIL
def test_an_answer_that_takes_too_much_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox, "MEMORY", 2**30)
    for who, (source, _) in GREEDY.items():
        save(gray(source + RIGHT), tmp_path / "in" / who / "x.ipynb")
    rows = graded(tmp_path)
    for who, (_, mistakes) in GREEDY.items():
        assert rows[who]["mistake"] in mistakes.split("|"), rows[who]


# Where there is no jail


def only(folder, monkeypatch, script=""):
    """Let the command find no program but, with `script`, a bubblewrap of that text."""
    (folder / "bin").mkdir()
    if script:
        (folder / "bin" / "bwrap").write_text(f"#!/bin/sh\n{script}", encoding="utf-8")
        (folder / "bin" / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder / "bin"))


FAKES = {
    "none": "",
    "one that fails": "exit 1",
    "one that hides nothing": 'until [ "$1" = -- ]; do shift; done\nshift\nexec "$@"',
}


@pytest.mark.skipif(os.name == "nt", reason="a script of a Unix shell")
@pytest.mark.parametrize("fake", FAKES)
def test_without_a_jail_and_without_trust_nothing_runs(fake, tmp_path, monkeypatch):
    only(tmp_path, monkeypatch, FAKES[fake])
    marker = tmp_path / "ran"
    save(gray(f"open({str(marker)!r}, 'w').close()\n" + RIGHT), tmp_path / "in" / "ada" / "x.ipynb")
    with pytest.raises(SystemExit, match=r"(?s)with your rights.*bubblewrap.*virtual machine.*--trust") as stopped:
        grade.main([str(tmp_path / "in"), "--csv", str(tmp_path / "out.csv")])
    assert str(tmp_path / "in") in stopped.value.code
    assert not marker.exists() and not (tmp_path / "out.csv").exists()


def test_whoever_is_told_the_command_is_told_what_it_takes():
    told = {path: path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "teaching").rglob("*.md")]}
    told = {path: text for path, text in told.items() if "tools.grading" in text}
    assert len(told) >= 3
    for path, text in told.items():
        assert "bubblewrap" in text and "with your rights" in text, path
        assert not re.search(r"tools\.grading FOLDER[^`\n]*--trust", text), path


# Who changes the course, or its verdict


def test_a_change_of_the_course_ends_the_grading(tmp_path):
    source = "import posenc_helpers.checks as module\nopen(module.__file__, 'a').write('#')\n"
    save(gray(source + RIGHT), tmp_path / "in" / "ada" / "x.ipynb")
    with pytest.raises(SystemExit, match=r"files of the course were changed .*checks\.py"):
        graded(tmp_path, "--trust")


def test_a_file_that_is_new_gone_or_another_is_a_change(tmp_path):
    (tmp_path / "a.py").write_text("1", encoding="utf-8")
    before = package.state(tmp_path, ours=False)
    package.compare(before, package.state(tmp_path, ours=False))
    for path, text in (("a.py", "2"), ("__pycache__.pyc", "")):
        (tmp_path / path).write_text(text, encoding="utf-8")
        with pytest.raises(package.Changed, match=re.escape(path)):
            package.compare(before, package.state(tmp_path, ours=False))
    (tmp_path / "a.py").unlink()
    with pytest.raises(package.Changed, match=r"a\.py"):
        package.compare(before, package.state(tmp_path, ours=False))


@pytest.mark.parametrize("forged", [{"mistake": "x"}, {"token": "x"}, {"kind": "best"}])
def test_a_verdict_that_no_check_gives_is_no_right(forged, tmp_path, monkeypatch):
    def run(self, job, *rest):
        given = {"kind": "right", "mistake": "", "message": "", "token": json.loads(job)["token"]}
        return "0", json.dumps(given | forged).encode()

    monkeypatch.setattr(Sandbox, "_run", run)
    found = Sandbox(tmp_path, ["jail"], {}).judge({}, 1, threading.Event())
    assert found["kind"] == "error" and found["mistake"] in ("changes the check", "process ended")


def test_the_copy_holds_no_solutions(tmp_path):
    package.copy_to(tmp_path / "course")
    files = [path.relative_to(tmp_path / "course") for path in (tmp_path / "course").rglob("*") if path.is_file()]
    assert {path.parts[0] for path in files} == {"posenc_helpers", "data", "tools"}
    tools = {path.as_posix() for path in files if path.parts[0] == "tools" and path.suffix == ".py"}
    assert tools == {*package.CHILD} and not [path for path in files if path.suffix == ".ipynb"]
