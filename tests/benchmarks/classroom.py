"""What a class costs a server: memory and processor time of each notebook's kernel, of kernels side by side, of idle ones.

    python -m tests.benchmarks.classroom                                  # all notebooks, then ten kernels of notebook 06
    python -m tests.benchmarks.classroom --notebooks 01 03
    python -m tests.benchmarks.classroom --write                          # put the table into teaching/running.md

Memory is what a kernel and its child processes hold in RAM. On Linux a page that several processes share (PyTorch's code)
counts in each by its share, so that sums are what the machine gives; elsewhere it counts in full in each. The fall of
the machine's available memory is given, too. Run it on a machine that does nothing else.
"""

import argparse
import os
import platform
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import nbformat
import psutil
from jupyter_client.manager import start_new_kernel

from posenc_helpers.lab.files import replace_file
from tests.benchmarks.kernel import run
from tests.browser import Lab
from tools.course import ROOT, notebook_paths
from tools.guide import put

PAGE = ROOT / "teaching" / "running.md"
BY = "python -m tests.benchmarks.classroom --write"
OPENING = ("setup", "imports")  # the cells that every notebook begins with
CROWD, TOGETHER = "06", 10  # the notebook that runs in several kernels at once, and in how many
IDLE = 30  # seconds
MB = 1e6


class Watched:
    """A process and its children, looked at ten times a second: memory now, at its peak, and processor seconds so far."""

    def __init__(self, pid: int):
        self.root = psutil.Process(pid)
        self.peak = 0
        self._seconds: dict[int, float] = {}  # of each process, also of those that have ended
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def memory(self) -> int:
        """Return the bytes that the process and its children hold now."""
        held = 0
        for process in self._alive():
            try:
                held += proportional(process)
                times = process.cpu_times()
                self._seconds[process.pid] = times.user + times.system
            except (psutil.NoSuchProcess, psutil.AccessDenied):  # it is just ending
                continue
        self.peak = max(self.peak, held)
        return held

    def seconds(self) -> float:
        """Return the processor seconds that the process and its children have used."""
        self.memory()
        return sum(self._seconds.values())

    def stop(self) -> None:
        self._end.set()
        self._thread.join()

    def _alive(self) -> list[psutil.Process]:
        try:
            return [self.root, *self.root.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []

    def _watch(self) -> None:
        while not self._end.wait(0.1):
            self.memory()


def proportional(process: psutil.Process) -> int:
    """Return the bytes that `process` holds, shared pages by its share; where the system does not say, in full."""
    return process.memory_full_info().pss if sys.platform == "linux" else process.memory_info().rss


@contextmanager
def kernel(folder: Path):
    """Yield the client of a fresh kernel and what watches it; end both."""
    manager, client = start_new_kernel(kernel_name="python3", cwd=str(folder), stderr=subprocess.DEVNULL)
    watched = Watched(manager.provisioner.pid)
    try:
        yield client, watched
    finally:
        watched.stop()
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def cells(path: Path) -> tuple[list[str], list[str]]:
    """Return the sources of the code cells of a notebook: those that open it, and all others."""
    code = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    return [c.source for c in code if c.id in OPENING], [c.source for c in code if c.id not in OPENING]


def one(path: Path) -> dict[str, float]:
    """Run a notebook in a fresh kernel; return bytes at rest, at the peak and after, and processor and wall seconds."""
    opening, rest = cells(path)
    with kernel(path.parent) as (client, watched):
        for source in opening:
            run(client, source)
        at_rest, before, begin = watched.memory(), watched.seconds(), time.monotonic()
        for source in rest:
            run(client, source)
        wall, used = time.monotonic() - begin, watched.seconds() - before
        after = watched.memory()
        time.sleep(2)  # until nothing is left to do
        quiet = watched.seconds()
        time.sleep(IDLE)
        idle = (watched.seconds() - quiet) / IDLE
        return {"rest": at_rest, "peak": watched.peak, "after": after, "cpu": used, "wall": wall, "idle": idle}


def side_by_side(path: Path) -> dict[str, float]:
    """Run a notebook in TOGETHER kernels; return their memory together and when the first and the last was ready.

    Raises RuntimeError if a kernel fails.
    """
    everything = [source for part in cells(path) for source in part]
    started, done, failed, go, end = [], [], [], threading.Event(), threading.Event()

    def student() -> None:
        try:
            with kernel(path.parent) as (client, watched):
                started.append(client)
                go.wait()
                begin = time.monotonic()
                for source in everything:
                    run(client, source)
                done.append((time.monotonic() - begin, watched.seconds(), watched))
                end.wait()  # hold the memory until the last is ready
        except Exception as error:
            failed.append(error)

    students = [threading.Thread(target=student, daemon=True) for _ in range(TOGETHER)]
    before = lowest = psutil.virtual_memory().available
    for thread in students:
        thread.start()
    while len(started) + len(failed) < TOGETHER:
        time.sleep(0.1)
    go.set()
    while len(done) + len(failed) < TOGETHER:
        lowest = min(lowest, psutil.virtual_memory().available)
        time.sleep(0.1)
    end.set()
    for thread in students:
        thread.join()
    if failed:
        raise RuntimeError(f"{len(failed)} of {TOGETHER} kernels did not run {path.name} to its end") from failed[0]
    walls = [wall for wall, _, _ in done]
    found = {"first": min(walls), "median": median(walls), "last": max(walls), "cpu": sum(used for _, used, _ in done)}
    return found | {"peaks": sum(watched.peak for _, _, watched in done), "fall": before - lowest}


def server() -> int:
    """Return the bytes that a JupyterLab server holds with nothing open, ten seconds after it answers."""
    before = set(psutil.Process().children())
    with Lab():
        (process,) = set(psutil.Process().children()) - before
        time.sleep(10)
        watched = Watched(process.pid)
        watched.stop()
        return watched.memory()


def machine() -> str:
    """Return in a sentence what was measured on."""
    here = psutil.Process()
    cores = len(here.cpu_affinity()) if hasattr(here, "cpu_affinity") else os.cpu_count()  # those that we may use
    memory, threads = psutil.virtual_memory().total / 1e9, os.environ.get("OMP_NUM_THREADS", "not set")
    version = sys.version.split()[0]
    return f"{cores} cores, {memory:.0f} GB, {platform.system()}, Python {version}, `OMP_NUM_THREADS` {threads}."


def table(paths: list[Path], crowd: Path) -> str:
    """Measure and return the Markdown that goes into teaching/running.md."""
    lines = [
        "Measured on " + machine(),
        "",
        "| Notebook | At rest, MB | Peak, MB | After, MB | Processor s | Wall s | Idle, % of a core |",
        "|---|---|---|---|---|---|---|",
    ]
    for path in paths:
        m = one(path)
        memory = " | ".join(f"{m[what] / MB:.0f}" for what in ("rest", "peak", "after"))
        lines.append(f"| {path.stem[:2]} | {memory} | {m['cpu']:.0f} | {m['wall']:.0f} | {100 * m['idle']:.1f} |")
        print(lines[-1], file=sys.stderr)
    lines += ["", f"A JupyterLab server with nothing open: {server() / MB:.0f} MB."]
    m = side_by_side(crowd)
    lines += [
        "",
        f"{TOGETHER} kernels of notebook {CROWD}, Run All at once: the first is ready after {m['first']:.0f} s,"
        f" half after {m['median']:.0f} s, the last after {m['last']:.0f} s; {m['cpu']:.0f} processor seconds;"
        f" sum of peaks {m['peaks'] / 1e9:.1f} GB, and available memory fell by {m['fall'] / 1e9:.1f} GB.",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notebooks", nargs="+", default=[], metavar="NN", help="01 03 for two; all without it")
    parser.add_argument("--write", action="store_true", help="put the result into teaching/running.md")
    options = parser.parse_args()
    known = {path.stem[:2]: path for path in notebook_paths()}
    unknown = set(options.notebooks) - set(known)
    if unknown:
        parser.error(f"no notebook {', '.join(sorted(unknown))}; allowed: {', '.join(known)}")
    if options.write and options.notebooks:
        parser.error("--write takes all notebooks: leave --notebooks out")
    measured = table([known[nn] for nn in options.notebooks or known], known[CROWD])
    print(measured)
    if options.write:
        replace_file(PAGE, put(PAGE.read_text(encoding="utf-8"), "measured", measured, by=BY))


if __name__ == "__main__":
    main()
