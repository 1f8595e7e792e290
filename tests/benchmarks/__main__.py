"""`python -m tests.benchmarks`: all timings, one after the other."""

import runpy

ALL = ("explorer", "explorers", "kernel", "rope", "bias", "shaw", "shootout", "pages")

if __name__ == "__main__":
    for name in ALL:
        if name == "pages":
            runpy.run_module("tools.pages", run_name="__main__")
        runpy.run_module(f"tests.benchmarks.{name}", run_name="__main__")
