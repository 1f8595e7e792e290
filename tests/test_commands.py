"""Commands named in README, CONTRIBUTING and workflows exist; versions of platforms are what pyproject.toml promises."""

import importlib.util
import re
import sys
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from tests.benchmarks.__main__ import ALL as BENCHMARKS
from tests.platforms import __main__ as command
from tools.course import ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z-]+):(?!=)", MAKEFILE, re.M))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PROMISED = {need.name: need.specifier for need in map(Requirement, PROJECT["dependencies"])}
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "teaching").rglob("*.md")),
    ROOT / "data" / "README.md",
]


@pytest.mark.parametrize("path", [*PAGES, *WORKFLOWS], ids=lambda path: path.stem)
def test_what_is_said_to_be_run_exists(path):
    text = path.read_text(encoding="utf-8")
    assert set(re.findall(r"`make ([a-z-]+)", text)) - {"mine"} <= TARGETS  # that one is of the student edition
    modules = re.findall(r"python -m ((?:tools|tests|posenc_helpers)[a-z_.]*)", text)
    assert [name for name in modules if importlib.util.find_spec(name.rstrip(".")) is None] == []
    assert [file for file in re.findall(r"pytest (tests/\S+\.py)", text) if not (ROOT / file).is_file()] == []


def test_every_stored_benchmark_has_the_command_that_makes_it_and_each_command_its_module():
    stored = [path.stem.removeprefix("benchmark_") for path in (ROOT / "data").glob("benchmark_*.json")]
    assert stored and {*stored} <= {*BENCHMARKS}
    assert [name for name in BENCHMARKS if not importlib.util.find_spec(f"tests.benchmarks.{name}")] == []


# Versions


def pins(name):
    """Return {package: version} of a platform's own lines, without those of the test tools."""
    lines = (command.PINS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if not line.startswith(("#", "-r")))


def test_oldest_is_the_lowest_that_is_promised_of_everything():
    lowest = {
        name: Version(one.version) for name, promise in PROMISED.items() for one in promise if one.operator == ">="
    }
    assert {name: Version(version) for name, version in pins("oldest").items()} == lowest
    assert PROJECT["requires-python"] == f">={command.python_of('oldest')}"


@pytest.mark.parametrize("name", command.names())
def test_each_platform_is_among_what_is_promised_and_run_every_night(name):
    found, version = pins(name), command.python_of(name)
    assert [package for package, promise in PROMISED.items() if not promise.contains(found[package])] == []
    assert SpecifierSet(PROJECT["requires-python"]).contains(version)
    nightly = yaml.safe_load((ROOT / ".github" / "workflows" / "nightly.yml").read_text(encoding="utf-8"))["jobs"]
    assert {"platform": name, "python": version} in nightly["platform"]["strategy"]["matrix"]["include"]


def test_conda_and_the_exact_environment_are_among_what_is_promised():
    names = {"pytorch-cpu": "torch", "matplotlib-base": "matplotlib"}
    conda = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    versions = [line.split(">=") for line in conda if isinstance(line, str) and ">=" in line]
    versions += re.findall(r"^([a-z]+)==(\S+)", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.M)
    promised = [(PROMISED.get(names.get(name, name), SpecifierSet()), name, version) for name, version in versions]
    assert [(name, version) for promise, name, version in promised if not promise.contains(version)] == []


def test_a_python_is_asked_for_its_version_before_it_is_taken(monkeypatch):
    assert command.find_python(".".join(map(str, sys.version_info[:2]))) == sys.executable
    monkeypatch.setattr(command.shutil, "which", lambda name: sys.executable)  # a name that points elsewhere
    assert command.find_python("3.2") is None
    with pytest.raises(SystemExit, match="PLATFORM='mars' is not known; allowed: colab, oldest"):
        command.main("mars")
