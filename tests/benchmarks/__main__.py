"""`python -m tests.benchmarks`: all timings, one after the other, each in a process of its own: some measure its memory."""

import subprocess
import sys

ALL = ("kernel", "rope", "shootout", "pages", "frames")

if __name__ == "__main__":
    for name in ALL:
        needed = ["tools.pages"] if name == "pages" else []
        for module in (*needed, f"tests.benchmarks.{name}"):
            subprocess.run([sys.executable, "-m", module], check=True)
