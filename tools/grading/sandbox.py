"""Runs a student's code in a process of its own, with limits of time, memory and output, and never believes what it says.

It is not a jail: the code runs as the user who grades, can do what that user can, and can change the check that judges it.
That is why the command asks for `--trust`. For submissions of people you do not know, grade in a container or as another
user. guard.py ends the process, and what it started, when the answer is judged, when its time is up, and when the grader
itself ends.
"""

import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from tools.course import ROOT
from tools.grading import guard

KEPT = ("PATH", "HOME", "USERPROFILE", "SYSTEMROOT", "TEMP", "TMP", "LANG", "PYTHONPATH", "LD_LIBRARY_PATH")
MOST = 2**16  # bytes of a result
KINDS = {"right", "wrong", "not attempted", "error"}


def said(kind: str, mistake: str, message: str) -> dict[str, str]:
    """Return the verdict on an answer."""
    return {"kind": kind, "mistake": mistake, "message": message}


def judge(job: dict, seconds: float, stop: threading.Event) -> dict:
    """Return kind, mistake and message of `job`, which holds units, module, check and argument (see `child.verdict`).

    Once `stop` is set, the answer is ended and nothing is judged any more.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as here, tempfile.TemporaryDirectory() as ours:
        result, token = Path(ours) / secrets.token_hex(8), secrets.token_hex(16)
        code = _run(json.dumps(job | {"result": str(result), "token": token}), Path(here), seconds, stop)
        if stop.is_set():
            return said("error", "grading was stopped", "The grader was stopped before the answer was judged.")
        if code is None:
            return said("timed out", "timed out", f"It ran for more than {seconds:g} seconds.")
        found = _read(result)
    if found.get("token") != token or found.get("kind") not in KINDS:
        return said(
            "error", "process ended", f"The answer ended the process before its check was done (exit code {code})."
        )
    return said(found["kind"], *(str(found.get(key, "")) for key in ("mistake", "message")))


def _run(job: str, here: Path, seconds: float, stop: threading.Event) -> str | None:
    """Run `child.py` in the folder `here`; return its exit code, or None if it was ended after `seconds` or by `stop`."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    set_up = {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg", "PYTHONUTF8": "1"}
    child = [sys.executable, "-P", "-m", "tools.grading.child"]  # -P: no module of the folder `here` is imported
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", guard.__file__, *child],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=here,
        start_new_session=True,
        env={key: os.environ[key] for key in KEPT if key in os.environ} | set_up,
    )
    until = time.monotonic() + seconds
    try:
        with suppress(OSError):  # of a guard that was killed
            process.stdin.write(f"{len(job.encode())}\n{job}".encode())
            process.stdin.flush()
        while not stop.is_set() and time.monotonic() < until:
            with suppress(subprocess.TimeoutExpired):
                code = process.wait(0.2)
                return process.stdout.read().decode() or str(code)
        return None
    finally:
        with suppress(OSError):
            process.stdin.close()  # tells the guard to end it all
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def _read(path: Path) -> dict:
    try:
        with open(path, "rb") as file:
            found = json.loads(file.read(MOST))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
