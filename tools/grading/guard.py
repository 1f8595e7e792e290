"""Starts a command, and ends it and all that it started once the pipe that stands as standard input closes.

The grader holds the other end of that pipe, and the system closes it however the grader ends, even when it is killed. This
file runs by itself (`python -I -S guard.py COMMAND ...`). It imports nothing of the course and no code of a student, so
nothing in an answer keeps it from listening. First it reads a line with the number of bytes of a job, then the job, which
the command gets as its standard input; at the end it prints the command's exit code.
"""

import ctypes
import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

DIE_WITH_PARENT, ADOPT = 1, 36  # PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER of Linux


def tell_system(what: int, value: int) -> None:
    """Call Linux' prctl; elsewhere do nothing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(what, value, 0, 0, 0)


def children() -> list[int]:
    """Return the processes whose parent this one is, where Linux says so."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat") if sys.platform == "linux" else ():
        with suppress(OSError, ValueError):
            if int(path.read_bytes().rpartition(b")")[2].split()[1]) == os.getpid():
                found.append(int(path.parent.name))
    return found


def end(process: subprocess.Popen) -> None:
    """End `process` and what it started: on Windows its tree, elsewhere its group."""
    if os.name == "nt":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)
    else:
        with suppress(OSError):
            os.killpg(process.pid, 9)
    process.kill()


def end_orphans() -> None:
    """End what left the group, on Linux: once its parent has ended, it is a child of this process."""
    while orphans := children():
        for pid in orphans:
            with suppress(OSError):
                os.kill(pid, 9)
                os.waitpid(pid, 0)


def main(command: list[str]) -> None:
    tell_system(ADOPT, 1)
    pipe = sys.stdin.buffer
    job = pipe.read(int(pipe.readline() or 0))
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )

    def listen() -> None:
        pipe.read()  # returns when the grader closes its end, or is no more
        end(process)

    threading.Thread(target=listen, daemon=True).start()
    with suppress(OSError):
        process.communicate(job)
    process.wait()
    end(process)
    end_orphans()
    os.write(1, str(process.returncode).encode())
    os._exit(0)  # the thread still listens


if __name__ == "__main__":
    main(sys.argv[1:])
