"""The layout: imports go one way, no lesson needs another, and every file is small enough to be read at once."""

import ast

import pytest

from tools.course import ROOT, notebook_paths

# Each may import those before it.
ORDER = ("checks", "encodings", "transformer", "lab", "classroom", "lessons", "tools", "tests")
FOLDERS = (ROOT / "posenc_helpers", ROOT / "tools")
FILES = [path.relative_to(ROOT) for folder in FOLDERS for path in sorted(folder.rglob("*.py"))]


def imports(path):
    """Return the modules of this course that the file at `path` imports, wherever it does."""
    found = set()
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name.split(".")[0] in ("posenc_helpers", "tools", "tests")}


def room(module):
    """Return the place of a module, or of the parts of a path, in ORDER; None for what lies above all rooms."""
    first, *rest = module
    name = first if first in ("tools", "tests") else rest[0] if rest else ""
    return ORDER.index(name.removesuffix(".py")) if name.removesuffix(".py") in ORDER else None


@pytest.mark.parametrize("path", FILES, ids=str)
def test_imports_go_one_way(path):
    here = room(path.parts)
    assert {name for name in imports(path) if here is not None and (room(name.split(".")) or 0) > here} == set()


@pytest.mark.parametrize("path", [path for path in FILES if path.parts[1:2] == ("lessons",)], ids=str)
def test_no_lesson_imports_another(path):
    own = "posenc_helpers.lessons." + path.parts[2] + "."
    assert {n for n in imports(path) if n.startswith("posenc_helpers.lessons.") and not n.startswith(own)} == set()


def test_every_notebook_has_its_folder_of_lessons_and_no_other_is_there():
    folders = {
        path.name for path in (ROOT / "posenc_helpers" / "lessons").iterdir() if (path / "__init__.py").is_file()
    }
    assert folders == {path.stem[3:] for path in notebook_paths()}


def test_no_file_grows_beyond_250_lines():
    tests = [path.relative_to(ROOT) for path in (ROOT / "tests").rglob("*.py")]
    lines = {path.as_posix(): len((ROOT / path).read_text(encoding="utf-8").splitlines()) for path in [*FILES, *tests]}
    assert {name: count for name, count in lines.items() if count > 250} == {}
