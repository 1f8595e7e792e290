"""The stored benchmarks: each names machine and versions, has a line in data/README.md, and a command that makes it."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.benchmarks.__main__ import ALL

DATA = Path(__file__).parents[1] / "data"
STORED = sorted(DATA.glob("benchmark_*.json"))


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_stored_benchmark(path):
    result, name = json.loads(path.read_text(encoding="utf-8")), path.stem.removeprefix("benchmark_")
    assert (
        result["machine"].keys() == {"processor", "system", "threads"}
        and {"python", "torch"} <= result["versions"].keys()
    )
    lines = (DATA / "README.md").read_text(encoding="utf-8").splitlines()
    told = [line for line in lines if line.startswith(f"| `{path.name}` |")]
    assert name in ALL and len(told) == 1 and f"`python -m tests.benchmarks.{name} --store`" in told[0]


def test_all_benchmarks_are_there():
    assert STORED and [name for name in ALL if not find_spec(f"tests.benchmarks.{name}")] == []
