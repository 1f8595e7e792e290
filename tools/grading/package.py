"""The copy of the course that answers import, and whether the course is still as it was.

The copy holds no notebooks, tests or teaching material, and of the tools only what runs beside an answer.
"""

import compileall
import hashlib
import shutil
from pathlib import Path

from tools.course import ROOT

CHILD = ["tools/__init__.py", *(f"tools/grading/{name}.py" for name in ("__init__", "again", "child", "guard"))]
FOLDERS = ("posenc_helpers", "data", "tools", "notebooks")  # whose files are compared
_BYTECODE = shutil.ignore_patterns("__pycache__", ".*")


class Changed(ValueError):
    """A file of the course is no longer what it was before an answer ran."""


def copy_to(folder: Path) -> None:
    """Put what an answer may import into `folder`, compiled, so that no answer waits for it."""
    for name in ("posenc_helpers", "data"):
        shutil.copytree(ROOT / name, folder / name, ignore=_BYTECODE)
    for name in CHILD:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    compileall.compile_dir(folder, quiet=2)


def state(copy: Path, ours: bool) -> dict[Path, str]:
    """Return the hash of every file of `copy`, compiled ones too, and with `ours` those of the course's own files."""
    found = [path for name in FOLDERS if ours for path in (ROOT / name).rglob("*") if "__pycache__" not in path.parts]
    return {path: _hash(path) for path in [*copy.rglob("*"), *found] if path.is_file()}


def _hash(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:  # gone in between, or closed to us
        return ""


def compare(before: dict[Path, str], now: dict[Path, str]) -> None:
    """Raise Changed if a file is new, gone, or another."""
    touched = sorted(str(path) for path in before.keys() | now.keys() if before.get(path) != now.get(path))
    if touched:
        raise Changed(
            f"Grading ended: while an answer ran, files of the course were changed ({', '.join(touched[:3])}). Put them "
            "back (`git status` shows what differs), and judge everything anew: no row of this table can be relied on."
        )
