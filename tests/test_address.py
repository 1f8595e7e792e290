"""The address of the course: written everywhere by one command, and taken out again."""

import re
import subprocess
import sys

import nbformat
import pytest

import tools.address
from tests.copying import contents, copy_course
from tools.course import ROOT, address, badges, notebook_paths, reading, setup_cell

REPOSITORY = "https://github.com/some-one/a.course"


def places(root):
    """Return {place: address written there} for the course in the folder `root`; None where nothing known is written."""
    project, readme, citation = (
        (root / name).read_text(encoding="utf-8") for name in ("pyproject.toml", "README.md", "CITATION.cff")
    )
    found = {
        "pyproject.toml": (re.findall(r'^\[project\.urls\]\nRepository = "(.+)"$', project, re.M) or [""])[0],
        "CITATION.cff": (re.findall(r'^repository-code: "(.+)"$', citation, re.M) or [""])[0],
    }
    notebooks = sorted((root / "notebooks").glob("*.ipynb"))
    known = {"", REPOSITORY, address()}
    found["README.md"] = next((a for a in known if badges(a, notebooks[0].name) in readme.splitlines()), None)
    found["README.md, pages"] = next((a for a in known if reading(a) in readme.splitlines()), None)
    for path in notebooks:
        title, setup = (cell.source for cell in nbformat.read(path, as_version=4).cells[:2])
        found[f"{path.name}, badges"] = next((a for a in known if badges(a, path.name) in title.splitlines()), None)
        found[f"{path.name}, setup cell"] = next((a for a in known if setup == setup_cell(a)), None)
    return found


def test_all_places_name_the_same_address():
    found = places(ROOT)
    assert found == dict.fromkeys(found, address())


def make_addresses(course, *repositories):
    """Do `python -m tools.address` once for each of `repositories` in the folder `course`."""
    arguments = [[name.removeprefix("https://github.com/")] if name else [] for name in repositories]
    do = f"import tools.address\nfor one in {arguments}: tools.address.main(one)"
    subprocess.run([sys.executable, "-c", do], cwd=course, check=True)


def test_address_set_taken_out_changed_and_back_as_it_was(tmp_path):
    course = copy_course(tmp_path / "course")
    before = contents(course)
    make_addresses(course, "https://github.com/first/name", "", "https://github.com/second/name", REPOSITORY)
    after = contents(course)
    found = places(course)
    assert found == dict.fromkeys(found, REPOSITORY)
    touched = {path.name for path in after if after[path] != before.get(path)}
    assert touched == {"pyproject.toml", "README.md", "CITATION.cff", *(path.name for path in notebook_paths())}
    assert not any(b"first/name" in content or b"second/name" in content for content in after.values())
    make_addresses(course, address())
    assert contents(course) == before


@pytest.mark.parametrize("arguments", [["owner"], ["https://github.com/owner/name"], ["owner/name", "more"], ["a/b/c"]])
def test_an_address_that_is_none_is_refused(arguments, monkeypatch):
    monkeypatch.setattr(tools.address, "set_address", lambda _: pytest.fail("it was written"))
    with pytest.raises(SystemExit, match=r"usage: python -m tools.address owner/name \(got "):
        tools.address.main(arguments)
