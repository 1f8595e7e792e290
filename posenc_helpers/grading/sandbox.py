"""Runs a student's code in a process of its own, with limits of time, memory and output, and never believes what it says.

It is not a jail: the code runs as the user who grades and can read what that user can. For submissions of people you do
not know, grade in a container or as another user.
"""

import json
import os
import secrets
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

COURSE = Path(__file__).resolve().parents[2]
KEPT = ("PATH", "HOME", "USERPROFILE", "SYSTEMROOT", "TEMP", "TMP", "LANG", "PYTHONPATH", "LD_LIBRARY_PATH")
MOST = 2**16  # bytes of a result
KINDS = {"right", "wrong", "not attempted", "error"}


def judge(job: dict, seconds: float) -> dict:
    """Return kind, mistake and message of `job`, which holds units, module, check and argument (see `child.verdict`)."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as here, tempfile.TemporaryDirectory() as ours:
        result, token = Path(ours) / secrets.token_hex(8), secrets.token_hex(16)
        code = _run(json.dumps(job | {"result": str(result), "token": token}), Path(here), seconds)
        if code is None:
            return _error("timed out", "timed out", f"It ran for more than {seconds:g} seconds.")
        said = _read(result)
    if said.pop("token", None) != token or said.get("kind") not in KINDS:
        return _error(
            "error", "process ended", f"The answer ended the process before its check was done (exit code {code})."
        )
    return {key: str(said.get(key, "")) for key in ("kind", "mistake", "message")}


def _run(job: str, here: Path, seconds: float) -> int | None:
    """Run `child.py` in the folder `here`; return its exit code, or None if it took longer than `seconds`."""
    paths = [str(COURSE), *filter(None, [os.environ.get("PYTHONPATH")])]
    set_up = {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg", "PYTHONUTF8": "1"}
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "posenc_helpers.grading.child"],  # -P: no module of the folder `here` is imported
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=here, start_new_session=True,
        env={key: os.environ[key] for key in KEPT if key in os.environ} | set_up)  # fmt: skip
    try:
        process.communicate(job.encode(), timeout=seconds)
        return process.returncode
    except subprocess.TimeoutExpired:
        return None
    finally:
        if os.name == "posix":
            with suppress(OSError):
                os.killpg(process.pid, 9)  # and all that it started
        process.kill()
        process.wait()


def _read(path: Path) -> dict:
    try:
        with open(path, "rb") as file:
            said = json.loads(file.read(MOST))
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def _error(kind: str, mistake: str, message: str) -> dict:
    return {"kind": kind, "mistake": mistake, "message": message}
