"""A copy of the course that a test may change."""

import shutil
from pathlib import Path

from tools.course import ROOT

PARTS = "README.md CITATION.cff Makefile pyproject.toml data images notebooks posenc_helpers tools".split()  # noqa: SIM905


def copy_course(target: Path) -> Path:
    """Copy what the tools and notebooks work with from this working tree to the new folder `target`, and return it."""
    target.mkdir()
    ignore = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    for source in (ROOT / name for name in PARTS):
        if source.is_dir():
            shutil.copytree(source, target / source.name, ignore=ignore)
        elif source.exists():  # `data` is not there before its first file
            shutil.copy(source, target)
    return target


def contents(course: Path) -> dict[Path, bytes]:
    """Return {path: bytes} of all files in the folder `course`."""
    files = (path for path in course.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(course): path.read_bytes() for path in files}
