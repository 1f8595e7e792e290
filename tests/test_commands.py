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

from tests.platforms import __main__ as command
from tools.course import ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z-]+):(?!=)", MAKEFILE, re.M))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PROMISED = {need.name: need.specifier for need in map(Requirement, PROJECT["dependencies"])}


def pins(name):
    """Return {package: version} of a platform's own lines, without those of the test tools."""
    lines = (command.PINS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if not line.startswith(("#", "-r")))


def jobs(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]


# Commands


def test_targets_are_phony_and_say_what_they_do():
    assert set(re.search(r"^\.PHONY: (.+)$", MAKEFILE, re.M)[1].split()) == TARGETS
    assert set(re.findall(r"^([a-z-]+):.* ## ", MAKEFILE, re.M)) == TARGETS


def test_contributing_names_every_command_once_and_the_readme_the_two_that_readers_need():
    commands = re.search(r"^## Commands\n(.*?)^## ", CONTRIBUTING, re.M | re.S)[1]
    listed = re.findall(r"^(?:    |\| `)make ([a-z-]+)", commands, re.M)
    assert sorted(listed) == sorted(TARGETS) and len(TARGETS) <= 7
    assert re.findall(r"^    make ([a-z-]+)", README, re.M) == ["lab", "test"]


def modules(text):
    """Return the modules of this course that `text` says to run by python -m."""
    return {name for name in re.findall(r"python -m ([a-z_.]+)", text) if name.startswith(("tools", "tests", "posenc"))}


@pytest.mark.parametrize("path", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "teaching").rglob("*.md")),
                                  ROOT / "data" / "README.md", *WORKFLOWS], ids=lambda path: path.stem)  # fmt: skip
def test_what_is_said_to_be_run_exists(path):
    text = path.read_text(encoding="utf-8")
    named = {name for name in re.findall(r"`make ([a-z-]+)", text) if name != "mine"}  # of the student edition
    assert named <= TARGETS
    assert {name for name in modules(text) if importlib.util.find_spec(name) is None} == set()
    assert {file for file in re.findall(r"pytest (tests/\S+\.py)", text) if not (ROOT / file).is_file()} == set()


def test_the_readme_is_short_enough_to_be_read():
    assert len(README.split()) <= 1100


def test_every_command_that_tests_is_run_by_a_workflow():
    text = " ".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    assert re.search(r"\bmake test\b", text) and "tests/teaching/test_nbgrader.py" in text
    assert {"tests.mutations", "tests.conditions", "tests.platforms"} <= modules(text)


def test_windows_runs_the_steps_that_contributing_writes_out():
    steps = jobs(ROOT / ".github" / "workflows" / "test.yml")["test"]["steps"]
    run = next(step["run"] for step in steps if "Windows'" in step.get("if", "") and step.get("shell") == "pwsh")
    flags = re.search(r"^NBVAL\s*:= (.+)$", MAKEFILE, re.M)[1]
    for line in (line for line in run.splitlines() if "pytest" in line):
        assert f"    {line}\n" in CONTRIBUTING
    assert flags.replace("/", "\\") in run


# Versions


def test_oldest_is_the_lowest_that_is_promised_of_everything():
    lowest = {name: next(one.version for one in promise if one.operator == ">=") for name, promise in PROMISED.items()}
    found = pins("oldest")
    assert {name: Version(version) for name, version in found.items()} == {
        name: Version(version) for name, version in lowest.items()
    }
    assert PROJECT["requires-python"] == f">={command.python_of('oldest')}"


@pytest.mark.parametrize("name", command.names())
def test_each_platform_is_among_what_is_promised(name):
    found = pins(name)
    assert found.keys() >= PROMISED.keys()
    assert {package for package, promise in PROMISED.items() if not promise.contains(found[package])} == set()
    assert SpecifierSet(PROJECT["requires-python"]).contains(command.python_of(name))


@pytest.mark.parametrize("name", command.names())
def test_the_nightly_workflow_runs_each_platform_with_its_python(name):
    runs = jobs(ROOT / ".github" / "workflows" / "nightly.yml")["platform"]["strategy"]["matrix"]["include"]
    assert {"platform": name, "python": command.python_of(name)} in runs and len(runs) == len(command.names())


def test_conda_and_the_exact_environment_are_among_what_is_promised():
    names = {"pytorch-cpu": "torch", "matplotlib-base": "matplotlib"}
    conda = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    floors = dict(line.split(">=") for line in conda if isinstance(line, str) and ">=" in line)
    floors = {names.get(name, name): version for name, version in floors.items()}
    assert {name for name, low in floors.items() if not PROMISED.get(name, SpecifierSet()).contains(low)} == set()
    exact = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    found = dict(re.findall(r"^([a-z]+)==(\S+)", exact, re.M))
    assert {name for name in found.keys() & PROMISED.keys() if not PROMISED[name].contains(found[name])} == set()


# The command


def test_a_python_is_asked_for_its_version_before_it_is_taken(tmp_path, monkeypatch):
    assert command.find_python(".".join(map(str, sys.version_info[:2]))) == sys.executable
    assert command.find_python("3.2") is None
    monkeypatch.setattr(command.shutil, "which", lambda name: sys.executable)  # a name that points elsewhere
    assert command.find_python("3.2") is None


def test_an_unknown_platform_is_refused_by_name():
    with pytest.raises(SystemExit, match="PLATFORM='mars' is not known; allowed: colab, oldest"):
        command.main("mars")


@pytest.mark.parametrize("root, tools, expected", [(True, True, "debian"), (False, True, "skip"), (True, False, "skip")])
def test_where_the_python_is_missing_debian_has_it_or_a_sentence_says_so(root, tools, expected, monkeypatch, capsys):
    monkeypatch.setattr(command, "find_python", lambda version: None)
    monkeypatch.setattr(command.sys, "platform", "linux")
    monkeypatch.setattr(command.os, "geteuid", lambda: 0 if root else 1000, raising=False)
    monkeypatch.setattr(command.shutil, "which", lambda name: f"/usr/sbin/{name}" if tools else None)
    monkeypatch.setattr(command, "run_in_debian", lambda name: 7)
    assert command.main("colab") == (7 if expected == "debian" else 0)
    printed = capsys.readouterr().out
    assert printed.startswith("skipped: colab takes Python 3.13; ") == (expected == "skip")
