"""Runs a student's code in a process of its own, with limits of time, memory and output, and never believes what it says.

With a jail (jail.py) the code reaches nothing that is the teacher's. Without one it runs as the user who grades, which takes
`--trust`. In both, the code shares a process with the check, and can forge its verdict: see suspicious.py. guard.py ends the
process, and what it started, when the answer is judged, when it takes too much, and when the grader itself ends.
"""

import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tools.grading import guard, jail, package, said

# variables that an answer sees without a jail
KEPT = ("PATH", "HOME", "USERPROFILE", "SYSTEMROOT", "TEMP", "TMP", "LANG", "LD_LIBRARY_PATH", "POSENC_MODELS")
KINDS = {"right", "wrong", "not attempted", "error"}
MEMORY = 4 * 2**30  # bytes that an answer may hold, all its processes together


class NoJail(ValueError):
    """There is no jail here, and nobody said that none is needed."""


@contextmanager
def opened(trust: bool) -> Iterator["Sandbox"]:
    """Yield a sandbox with a jail, or with `trust` one without. Raises NoJail where there is none."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        course = Path(folder) / "course"
        package.copy_to(course)
        found = None if trust else jail.find(course)
        if not (trust or found):
            raise NoJail(jail.TAKES)
        yield Sandbox(course, found, package.state(course, ours=trust))


@dataclass(frozen=True)
class Sandbox:
    """Where answers are judged.

    course   the copy of the course that they import
    jail     what stands before their command, or None where they run with the rights of the teacher
    before   what `package.state` said of the course's files
    """

    course: Path
    jail: list[str] | None
    before: dict[Path, str]

    def judge(self, job: dict, seconds: float, stop: threading.Event) -> dict:
        """Return kind, mistake and message of `job`, which holds units, module, check and argument (see `child.verdict`).

        Once `stop` is set, the answer is ended and nothing is judged any more. Raises package.Changed.
        """
        token = secrets.token_hex(16)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as here:
            code, printed = self._run(json.dumps(job | {"token": token}), Path(here), seconds, stop)
        if stop.is_set():
            return said("error", "grading was stopped", "The grader was stopped before the answer was judged.")
        package.compare(self.before, package.state(self.course, ours=not self.jail))
        if code is None:
            return said("timed out", "timed out", f"It ran for more than {seconds:g} seconds.")
        if code == "memory":
            return said("error", "too much memory", f"It took more than {MEMORY / 2**30:g} GB of memory.")
        if code == "processes":
            return said("error", "too many processes", f"It started more than {guard.PROCESSES} processes.")
        found = _read(printed)
        if found.get("token") != token or found.get("kind") not in KINDS:
            why = f"The answer ended the process before its check was done (exit code {code})."
            return said("error", "process ended", why)
        if found["kind"] == "right" and found.get("mistake"):  # no check says so
            return said("error", "changes the check", "The verdict says right, and names a mistake.")
        verdict = said(found["kind"], *(str(found.get(key, "")) for key in ("mistake", "message")))
        return verdict | {"look": str(found.get("look", ""))}

    def _run(self, job: str, here: Path, seconds: float, stop: threading.Event) -> tuple[str | None, bytes]:
        """Run `child.py`, without a jail in the folder `here`; return its exit code and what it printed.

        The exit code is None if it was ended after `seconds` or by `stop`.
        """
        fixed = {"OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg", "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        if self.jail:
            surroundings = fixed | jail.environment()
        else:
            paths = os.pathsep.join(filter(None, [str(self.course), os.environ.get("PYTHONPATH")]))
            kept = {key: os.environ[key] for key in KEPT if key in os.environ}
            surroundings = kept | fixed | {"PYTHONPATH": paths}
        # -P: no module of the folder `here` is imported
        child = [*(self.jail or []), sys.executable, "-P", "-m", "tools.grading.child"]
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", guard.__file__, *child],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=here,
            start_new_session=True,
            env=surroundings,
        )
        printed: list[bytes] = []
        reader = threading.Thread(target=lambda: printed.append(process.stdout.read()), daemon=True)
        reader.start()
        until = time.monotonic() + seconds
        try:
            with suppress(OSError):  # of a guard that was killed
                process.stdin.write(f"{len(job.encode())} {MEMORY}\n{job}".encode())
                process.stdin.flush()
            while reader.is_alive() and not stop.is_set() and time.monotonic() < until:
                reader.join(0.2)
            if reader.is_alive():
                return None, b""
            code, _, rest = printed[0].partition(b"\n")
            return code.decode() or str(process.wait(30)), rest
        finally:
            with suppress(OSError):
                process.stdin.close()  # tells the guard to end it all
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            reader.join(5)


def _read(printed: bytes) -> dict:
    try:
        found = json.loads(printed)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
