"""What the benchmarks of functions share: contestants that take turns, ratios, and how results are kept."""

import argparse
import json
import platform
import random
import statistics
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import torch

DATA = Path(__file__).parents[2] / "data"


def take_turns(runners: dict[str, Callable], rounds: int, against: tuple[str, ...]) -> dict[str, dict]:
    """Time every contestant once a round, in a new random order, so that a busy machine slows all of them alike.

    Returns, per contestant, milliseconds (least and median) and, for each name in `against`, the ratio of the medians.
    """
    times = {name: [] for name in runners}
    order = list(runners)
    for run in runners.values():  # warm up
        run()
    for _ in range(rounds):
        random.shuffle(order)
        for name in order:
            start = time.perf_counter()
            runners[name]()
            times[name].append(time.perf_counter() - start)
    median = {name: statistics.median(seconds) for name, seconds in times.items()}
    return {
        name: {
            "least_ms": round(1e3 * min(seconds), 3),
            "median_ms": round(1e3 * median[name], 3),
            "ratios": {base: round(median[name] / median[base], 3) for base in against},
        }
        for name, seconds in times.items()
    }


def show(title: str, rows: dict[str, dict]) -> None:
    """Print what `take_turns` returns, the fastest first."""
    bases = list(next(iter(rows.values()))["ratios"])
    print(f"\n{title}\n  {'':<36}{'least ms':>9}{'median ms':>11}" + "".join(f"{f'/ {base}':>25}" for base in bases))
    for name, row in sorted(rows.items(), key=lambda item: item[1]["median_ms"]):
        ratios = "".join(f"{row['ratios'][base]:>25.2f}" for base in bases)
        print(f"  {name:<36}{row['least_ms']:>9.2f}{row['median_ms']:>11.2f}{ratios}")


def machine() -> dict[str, str | int]:
    """Describe what the numbers were measured on."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
        processor = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), processor)
    return {"processor": processor, "system": platform.system(), "threads": torch.get_num_threads()}


def parse(description: str, rounds: int) -> argparse.Namespace:
    """Read the options that all benchmarks have (`rounds` is the default) and set the number of threads."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--store", action="store_true", help="write data/benchmark_NAME.json")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    return options


def store(name: str, packages: tuple[str, ...], result: dict) -> None:
    """Write data/benchmark_NAME.json: machine, versions of Python, torch and `packages`, and the result."""
    versions = {"python": platform.python_version()} | {package: version(package) for package in ("torch", *packages)}
    text = json.dumps({"machine": machine(), "versions": versions} | result, indent=2)
    (DATA / f"benchmark_{name}.json").write_text(text + "\n", encoding="utf-8", newline="\n")
