"""The setup cell alone, in a Python that has PyTorch but not the helper package: from everywhere a reader may start it.

That Python is this one with -S, which skips the .pth files through which an editable install is found; PYTHONPATH then
names the folder of installed packages, in which .pth files are not looked for.
"""

import os
import subprocess
import sys
import sysconfig

import pytest

from tests.copying import copy_course
from tools.course import setup_cell

SENTENCE = (
    "ModuleNotFoundError: The helper package is missing: download the whole course, not this notebook alone, "
    "start Jupyter in its folder, and run this cell again."
)
WHERE = """
from posenc_helpers.encodings import sinusoidal
print(pathlib.Path(posenc_helpers.__file__).resolve().parents[1])"""


def run(source, folder, **environment):
    """Run `source` in `folder`; return its exit code, the lines that it prints, and its last line on stderr."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    env["PYTHONPATH"] = os.pathsep.join({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    command, reading = [sys.executable, "-S", "-c", source], {"capture_output": True, "text": True, "encoding": "utf-8"}
    done = subprocess.run(command, cwd=folder, env=env | environment, check=False, **reading)
    return done.returncode, done.stdout.splitlines(), (done.stderr.strip().splitlines() or [""])[-1]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A copy of this working tree with one more file in data/, committed to a repository that git can clone."""
    folder = copy_course(tmp_path_factory.mktemp("origin") / "course")
    (folder / "data").mkdir(exist_ok=True)
    (folder / "data" / "arrived.csv").write_text("yes\n", encoding="utf-8")
    (folder.parent / "gitconfig").write_text("[user]\nname = A\nemail = a@example.org\n", encoding="utf-8")
    env = os.environ | {"GIT_CONFIG_GLOBAL": str(folder.parent / "gitconfig"), "GIT_CONFIG_NOSYSTEM": "1"}
    for command in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "All"]):
        subprocess.run(["git", *command], cwd=folder, env=env, check=True)
    return folder


@pytest.fixture
def empty(tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder


def test_inside_the_course(course):
    code, printed, trouble = run(setup_cell("") + WHERE, course / "notebooks")
    assert (code, trouble) == (0, "")
    assert printed[0].startswith("ready, with torch 2.")
    assert printed[1:] == [str(course.resolve())]


def test_alone_with_address(course, empty):
    cell = setup_cell(course.as_uri())
    code, printed, trouble = run(cell + WHERE + "\n" + cell, empty)  # the cell is run twice: one clone
    assert (code, trouble) == (0, "")
    assert printed == [printed[0], str(empty.resolve() / "posenc"), printed[0]]
    assert (empty / "posenc" / "data" / "arrived.csv").read_text(encoding="utf-8") == "yes\n"
    code, printed, trouble = run(cell + WHERE, empty, PATH="")  # a new kernel finds the clone, without git
    assert (code, trouble) == (0, "")
    assert printed[1] == str(empty.resolve() / "posenc")


def test_alone_without_an_address_that_answers_or_without_git(course, empty):
    for address, settings in (("", {}), ((empty / "nothing").as_uri(), {}), (course.as_uri(), {"PATH": ""})):
        code, printed, trouble = run(setup_cell(address), empty, **settings)
        assert (code, printed, trouble) == (1, [], SENTENCE)
    assert list(empty.iterdir()) == []
