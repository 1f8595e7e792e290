"""The stored benchmarks: each names machine, versions and ratios, has a line in data/README.md, and a way to make it."""

import json
import math
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.benchmarks.__main__ import ALL

DATA = Path(__file__).parents[1] / "data"
STORED = ("bias", "rope", "shaw", "shootout")


def ratios(node):
    """Yield every number below a key "ratios"."""
    for key, value in node.items() if isinstance(node, dict) else ():
        if key == "ratios":
            yield from value.values()
        else:
            yield from ratios(value)


def test_all_stored_benchmarks_are_known():
    assert sorted(path.stem for path in DATA.glob("benchmark_*.json")) == [f"benchmark_{name}" for name in STORED]


@pytest.mark.parametrize("name", STORED)
def test_stored_benchmark(name):
    text = (DATA / f"benchmark_{name}.json").read_text(encoding="utf-8")
    result = json.loads(text)
    assert set(result["machine"]) == {"processor", "system", "threads"}
    assert all(result["machine"].values())
    assert {"python", "torch"} <= set(result["versions"])
    numbers = list(ratios(result))
    assert len(numbers) >= 1 and all(math.isfinite(number) and number > 0 for number in numbers)
    assert any(number != 1 for number in numbers)
    assert find_spec(f"tests.benchmarks.{name}")
    command = f"`python -m tests.benchmarks.{name} --store`"
    lines = (DATA / "README.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith(f"| `benchmark_{name}.json` |") and command in line]


def test_all_benchmarks_are_run_together():
    assert {"explorer", "explorers", "kernel", "pages", *STORED} == set(ALL) and all(
        find_spec(f"tests.benchmarks.{name}") for name in ALL
    )
