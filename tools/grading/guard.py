"""Starts a command, and ends it and all that it started once the pipe that stands as standard input closes.

The grader holds the other end of that pipe, and the system closes it however the grader ends, even when it is killed. This
file runs by itself (`python -I -S guard.py COMMAND ...`). It imports nothing of the course and no code of a student, so
nothing in an answer keeps it from listening. First it reads a line with the number of bytes of a job and the bytes of memory
that all processes together may take, then the job, which the command gets as its standard input. At the end it prints a
line with the command's exit code, or what there was too much of, and then what the command printed.
"""

import ctypes
import os
import platform
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

DIE_WITH_PARENT, ADOPT = 1, 36  # PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER of Linux
MOST = 2**14  # bytes that the command may print: fewer than a pipe holds, so that printing them waits for nobody
PROCESSES = 32


def tell_system(what: int, value: int) -> None:
    """Call Linux' prctl; elsewhere do nothing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(what, value, 0, 0, 0)


def leave_keyring() -> None:
    """Begin a session keyring of Linux that holds nothing: processes of a jail share that of the teacher otherwise."""
    number = {"x86_64": 250, "aarch64": 219}.get(platform.machine()) if sys.platform == "linux" else None
    if number:
        ctypes.CDLL(None).syscall(number, 1, None)  # keyctl(KEYCTL_JOIN_SESSION_KEYRING)


def parents() -> dict[int, int]:
    """Return {process: its parent} of all processes, where Linux says so."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat") if sys.platform == "linux" else ():
        with suppress(OSError, ValueError):
            found[int(path.parent.name)] = int(path.read_bytes().rpartition(b")")[2].split()[1])
    return found


def descendants() -> list[int]:
    """Return the processes that this one started, and those that they started."""
    known, found = parents(), [os.getpid()]
    for pid in found:
        found += [child for child, parent in known.items() if parent == pid]
    return found[1:]


def memory_of(pid: int) -> int:
    """Return the bytes that `pid` alone holds in memory, without what is read from files."""
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
        return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(("RssAnon:", "RssShmem:")))
    return 0


def too_much(memory: int) -> str:
    """Return what the command takes too much of: "memory", "processes" or ""."""
    pids = descendants()
    if len(pids) > PROCESSES:
        return "processes"
    return "memory" if sum(map(memory_of, pids)) > memory else ""


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
    while orphans := [pid for pid, parent in parents().items() if parent == os.getpid()]:
        for pid in orphans:
            with suppress(OSError):
                os.kill(pid, 9)
                os.waitpid(pid, 0)


def main(command: list[str]) -> None:
    tell_system(ADOPT, 1)
    leave_keyring()
    pipe = sys.stdin.buffer
    length, memory = map(int, pipe.readline().split() or (0, 0))
    job = pipe.read(length)
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    )
    printed = []

    def listen() -> None:
        pipe.read()  # returns when the grader closes its end, or is no more
        end(process)

    def read() -> None:
        printed.append(process.stdout.read(MOST))
        process.stdout.close()  # whoever prints more is told that nobody reads

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    threading.Thread(target=listen, daemon=True).start()
    with suppress(OSError):
        process.stdin.write(job)
        process.stdin.close()
    excess = ""
    while process.poll() is None:
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.2)
        if excess := excess or too_much(memory):
            end(process)
    end(process)
    end_orphans()
    reader.join(5)  # by then nobody has the other end of the pipe
    os.write(1, f"{excess or process.returncode}\n".encode() + b"".join(printed))
    os._exit(0)  # the thread still listens


if __name__ == "__main__":
    main(sys.argv[1:])
