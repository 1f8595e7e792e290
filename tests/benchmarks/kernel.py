"""What a kernel costs: imports, and the way to the first figure. `tests.benchmarks.classroom` runs whole notebooks.

    python -m tests.benchmarks.kernel [ROUNDS]

What is compared takes turns, so that noise hits all alike.
"""

import subprocess
import sys
import time
from statistics import median

import nbformat
from jupyter_client.manager import start_new_kernel

from tools.course import NOTEBOOKS, ROOT, notebook_paths
from tools.grading.reading import code_cells

# What a kernel holds already is imported before the clock starts: our own share is what remains.
OWN_IMPORT = """
import importlib, pkgutil, sys, time
import torch, matplotlib.figure, matplotlib.backends.backend_agg, IPython.display
sys.path.insert(0, {root!r})
start = time.perf_counter()
import posenc_helpers
for module in pkgutil.walk_packages(posenc_helpers.__path__, "posenc_helpers."):
    importlib.import_module(module.name)
print(time.perf_counter() - start)
"""


def own_import() -> float:
    """Return the seconds that all modules of the helper package take, beyond torch, Matplotlib and IPython."""
    code = OWN_IMPORT.format(root=str(ROOT))
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return float(done.stdout)


def until_picture(cells: list[str]) -> float:
    """Run `cells` in a fresh kernel; return the seconds from its start to the first picture, or else to the end."""
    begin = time.monotonic()
    pictured = []

    def watch(message):
        if "image/png" in message["content"].get("data", {}):
            pictured.append(time.monotonic())

    manager, client = start_new_kernel(kernel_name="python3", cwd=str(NOTEBOOKS), stderr=subprocess.DEVNULL)
    try:
        for cell in cells:
            run(client, cell, watch)
            if pictured:
                break
        return (pictured or [time.monotonic()])[0] - begin
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def run(client, source: str, hook=lambda message: None) -> None:
    """Run one cell and pass each of its messages to `hook`. Raises RuntimeError if the cell does."""
    reply = client.execute_interactive(source, allow_stdin=False, timeout=300, output_hook=hook)["content"]
    if reply["status"] != "ok":
        raise RuntimeError("\n".join(reply.get("traceback", [reply["status"]])))


def main(rounds: int = 5) -> None:
    first = [cell.source for cell in code_cells(nbformat.read(notebook_paths()[0], as_version=4))]
    ways = {
        "import torch, matplotlib": lambda: until_picture(["import torch, matplotlib"]),
        "import torch, matplotlib.pyplot": lambda: until_picture(["import torch, matplotlib.pyplot"]),
        "first figure of notebook 01": lambda: until_picture(first),
        "import of the helpers alone": own_import,
    }
    seconds = {way: [] for way in ways}
    for _ in range(rounds):
        for way, measure in ways.items():
            seconds[way].append(measure())
    base = median(seconds["import torch, matplotlib"])
    print(f"seconds, median of {rounds} (fastest); the first three from the start of a fresh kernel")
    for way, times in seconds.items():
        print(f"  {way:32} {median(times):5.2f} ({min(times):.2f})  {median(times) / base:.2f} times the first")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
